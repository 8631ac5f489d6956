//! `inquest state`: what a location or an object held at a moment.

use anyhow::Result;
use past::{KnownValue, Pointed, RenderLimits, RenderedNode, Value};
use serde_json::json;

use crate::args::StateArgs;
use crate::look;
use crate::terminal::{Style, Terminal};

pub fn run(typed: &StateArgs) -> Result<()> {
    let past = look::open(&typed.look)?;
    let asked = typed.at.as_deref().map(|text| past.find_time(text)).transpose()?;
    let time = look::moment(&past, typed.at.as_deref())?;
    let pointed = past.find_value(&typed.location, asked)?;
    let (name, known, descriptor) = match &pointed {
        Pointed::Object(object) => {
            (past.object_name(*object), KnownValue::Value(Value::Object(*object)), String::new())
        }
        Pointed::Location(location) => {
            (past.location_name(location), past.value_at(location, time), past.descriptor(location))
        }
    };
    let limits = RenderLimits { depth: typed.depth, ..RenderLimits::node() };
    let node = past.node(known, &descriptor, time, &limits, typed.raw);
    let mut out = Terminal::open();
    if typed.look.json {
        let document = json!({
            "location": name,
            "time": time.0,
            "value": node.text,
            "known": !node.unknown,
            "seen": node.seen,
            "parts": parts(&node),
        });
        out.json(&document)?;
    } else {
        out.line(&[
            (Style::Bold, &name),
            (Style::Faint, &format!("  at {}  ", time.0)),
            (Style::Plain, &node.text),
        ])?;
        print(&mut out, &node, 1)?;
    }
    out.flush()?;
    Ok(())
}

fn parts(node: &RenderedNode) -> Vec<serde_json::Value> {
    let part = |child: &past::Child| json!({ "name": child.label, "value": child.node.text, "parts": parts(&child.node) });
    node.children.iter().map(part).collect()
}

fn print(out: &mut Terminal, node: &RenderedNode, level: usize) -> Result<()> {
    for child in &node.children {
        out.line(&[
            (Style::Plain, &"  ".repeat(level)),
            (Style::Cyan, &child.label),
            (Style::Plain, " = "),
            (Style::Plain, &child.node.text),
        ])?;
        print(out, &child.node, level + 1)?;
    }
    if let Some(cut) = node.cut {
        out.line(&[(Style::Plain, &"  ".repeat(level)), (Style::Faint, &format!("… {cut} more"))])?;
    }
    Ok(())
}
