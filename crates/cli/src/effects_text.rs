//! What a call wrote to streams, builders and files, and what it took from outside, as `inquest show` and `inquest
//! history` say it.

use anyhow::Result;
use past::{Content, Effects, Input, Past, RenderLimits, Written, Wrote};
use serde_json::{Value, json};

use crate::quantity::count;
use crate::terminal::{Style, Terminal};

/// Lines for a person, of each.
const SHOWN: usize = 20;

pub fn wrote_json(past: &Past, wrote: &[Wrote], limits: &RenderLimits) -> Vec<Value> {
    let one = |wrote: &Wrote| {
        let held = wrote.held.as_ref().map(|(before, after)| (content(past, before), content(past, after)));
        json!({
            "location": wrote.name,
            "before": held.as_ref().map(|held| held.0.clone()),
            "after": held.as_ref().map(|held| held.1.clone()),
            "did": wrote.verb,
            "text": text(&wrote.pieces),
            "bytes": bytes(&wrote.pieces),
            "told": past.wrote_text(wrote, limits),
            "leads_to": wrote.leads_to,
            "exact": wrote.is_exact(),
            "calls": wrote.count,
            "through": wrote.through,
        })
    };
    wrote.iter().map(one).collect()
}

pub fn inputs_json(past: &Past, inputs: &[Input], limits: &RenderLimits) -> Vec<Value> {
    let one = |input: &Input| {
        let origin = match &input.origin {
            past::Origin::Object(object) => past.sink_name(&past::Sink::Object(*object), input.to),
            past::Origin::File(name) => name.clone(),
            past::Origin::Clock => "clock".to_owned(),
            past::Origin::Chance => "chance".to_owned(),
            past::Origin::Environment => "environment".to_owned(),
        };
        json!({
            "location": input.asked,
            "value": past.taken_text(input, limits),
            "from": origin,
            "text": text(&input.taken),
            "bytes": bytes(&input.taken),
        })
    };
    inputs.iter().map(one).collect()
}

/// The whole text, if all of it is one and known to the letter.
pub fn text(pieces: &[Written]) -> Option<String> {
    match pieces {
        [] => Some(String::new()),
        [Written::Text(text)] => Some(String::from_utf16_lossy(text)),
        _ => None,
    }
}

fn bytes(pieces: &[Written]) -> Option<Vec<u8>> {
    match pieces {
        [Written::Bytes(bytes)] => Some(bytes.clone()),
        _ => None,
    }
}

fn content(past: &Past, content: &Content) -> String {
    past.pieces_text(
        &[content.clone().piece()],
        past::Time(0),
        &RenderLimits { string: usize::MAX, ..RenderLimits::default() },
    )
}

pub fn wrote(out: &mut Terminal, past: &Past, wrote: &[Wrote], limits: &RenderLimits) -> Result<()> {
    let width = wrote.iter().map(|wrote| wrote.name.chars().count()).max().unwrap_or(0).min(40);
    for wrote in wrote.iter().take(SHOWN) {
        out.line(&[
            (Style::Plain, &format!("  {:<width$}  ", wrote.name)),
            (Style::Red, &past.wrote_text(wrote, limits)),
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
        out.line(&[(Style::Plain, &format!("  {} = {}", input.asked, past.taken_text(input, limits)))])?;
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
