//! What a call wrote to streams, builders and files, and what it took from outside, as `inquest show` says it.

use anyhow::Result;
use past::{Effects, Input, Past, RenderLimits, Wrote};
use words::count;

use crate::terminal::{Style, Terminal};

/// Lines for a person, of each.
const SHOWN: usize = 20;

pub fn wrote(out: &mut Terminal, past: &Past, wrote: &[Wrote], limits: &RenderLimits) -> Result<()> {
    let width = wrote.iter().map(|wrote| wrote.name.chars().count()).max().unwrap_or(0).min(40);
    for wrote in wrote.iter().take(SHOWN) {
        out.line(&[
            (Style::Plain, &format!("  {:<width$}  ", wrote.name)),
            (Style::Red, &words::wrote(past, wrote, limits)),
            (Style::Faint, if wrote.through { "  below another" } else { "" }),
        ])?;
    }
    if wrote.len() > SHOWN {
        out.line(&[(Style::Faint, &format!("  … {} more", wrote.len() - SHOWN))])?;
    }
    Ok(())
}

pub fn inputs(out: &mut Terminal, past: &Past, inputs: &[Input], limits: &RenderLimits) -> Result<()> {
    for input in inputs.iter().take(SHOWN) {
        out.line(&[(Style::Plain, &format!("  {} = {}", input.asked, words::taken(past, input, limits)))])?;
    }
    if inputs.len() > SHOWN {
        out.line(&[(Style::Faint, &format!("  … {} more", inputs.len() - SHOWN))])?;
    }
    Ok(())
}

/// Calls of which nobody knows what they did.
pub fn unknown(out: &mut Terminal, effects: &Effects) -> Result<()> {
    if effects.unknown.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = effects
        .unknown
        .iter()
        .take(6)
        .map(|(name, times)| if *times == 1 { name.clone() } else { format!("{name} × {}", count(*times)) })
        .collect();
    let more = effects.unknown.len().saturating_sub(names.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    out.line(&[(Style::Faint, &format!("  what these did is not known: {}{more}", names.join(", ")))])?;
    Ok(())
}
