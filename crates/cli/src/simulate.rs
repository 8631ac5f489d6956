//! `inquest simulate`: how many questions each strategy needs, with every call as the bug in turn.

use anyhow::Result;
use session::{Simulated, Strategy, Transform};

use crate::args::SimulateArgs;
use crate::opened;
use crate::terminal::{Style, Terminal};

pub fn run(typed: &SimulateArgs) -> Result<()> {
    let strategies = strategies(&typed.strategy)?;
    let transforms: Vec<Transform> = typed.transform.iter().flatten().copied().collect();
    let past = opened::open(&typed.recording)?;
    let table = session::simulate(past, typed.root.as_deref(), typed.ask_root, &strategies, &transforms)?;
    let mut out = Terminal::open();
    let transform = match &transforms[..] {
        [] => "none".to_owned(),
        list => list.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
    };
    if typed.recording.json {
        let row = |row: &Simulated| wire::Simulated {
            strategy: row.strategy.to_string(),
            transform: transform.clone(),
            nodes: row.nodes,
            mean: row.mean,
            max: row.max,
            unfound: row.unfound,
            log2: row.log2,
        };
        out.json(&table.iter().map(row).collect::<Vec<_>>())?;
        return Ok(out.flush()?);
    }
    let head = format!("{:<18} {:>9} {:>9} {:>7} {:>7}", "strategy", "nodes", "mean", "max", "log2");
    out.line(&[(Style::Faint, &head)])?;
    for Simulated { strategy, nodes, mean, max, log2, .. } in &table {
        let (mean, max) = match (mean, max) {
            (Some(mean), Some(max)) => (format!("{mean:.2}"), max.to_string()),
            _ => ("too long".to_owned(), String::new()),
        };
        let row = format!("{:<18} {nodes:>9} {mean:>9} {max:>7} {log2:>7.2}", strategy.name());
        out.line(&[(Style::Plain, &row)])?;
    }
    Ok(out.flush()?)
}

fn strategies(typed: &[String]) -> Result<Vec<Strategy>> {
    if typed.iter().any(|name| name == "all") {
        return Ok(Strategy::ALL.to_vec());
    }
    typed.iter().map(|name| name.parse().map_err(anyhow::Error::msg)).collect()
}
