//! What a call wrote, as a person is told it: each stream, builder or file once, with all that came to it joined.

use base::Time;
use render::RenderLimits;

use super::{Content, Deed, Effect, Input, Piece, Sink, is_exact, joined};
use crate::past::Past;

#[derive(Clone, Debug, PartialEq)]
pub struct Wrote {
    pub sink: Sink,
    /// `System.out`, `StringBuilder@3`, the name of a file.
    pub name: String,
    /// Where it leads to in the end, where that has another name.
    pub leads_to: Option<String>,
    /// `printed`, `appended`, `wrote`, `deleted` …; `changed` for what was not only added to.
    pub verb: &'static str,
    /// All that was added, in order.
    pub pieces: Vec<Piece>,
    /// What the object held before and after, where it was not only added to and that is known.
    pub held: Option<(Content, Content)>,
    /// How many calls did it.
    pub count: usize,
    pub first: Time,
    pub last: Time,
    /// None of them was left by an exception.
    pub whole: bool,
    /// Only below calls that are effects themselves.
    pub through: bool,
}

impl Wrote {
    /// Is it known to the letter?
    pub fn is_exact(&self) -> bool {
        self.whole && (self.held.is_some() || self.verb != CHANGED && is_exact(&self.pieces))
    }
}

const CHANGED: &str = "changed";

/// What became of a sink, on one line; what was written as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkLine {
    pub deed: SinkDeed,
    /// Where it leads to in the end, where that has another name.
    pub leads_to: Option<String>,
    /// No exception came in between.
    pub whole: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SinkDeed {
    /// It held the first and then the second.
    Became(String, String),
    /// It was not only added to, and what it held is not known.
    Changed { steps: usize },
    /// `deleted`
    Did(&'static str),
    /// `appended`, and what.
    Wrote(&'static str, String),
}

impl Past {
    /// Effects by where they went, in the order of the first one; what came through others is last.
    pub fn wrote(&self, effects: &[Effect]) -> Vec<Wrote> {
        let mut sinks: Vec<(&Sink, Vec<&Effect>)> = Vec::new();
        let mut at: std::collections::HashMap<&Sink, usize> = std::collections::HashMap::new();
        for effect in effects {
            let index = *at.entry(&effect.sink).or_insert(sinks.len());
            if index == sinks.len() {
                sinks.push((&effect.sink, Vec::new()));
            }
            sinks[index].1.push(effect);
        }
        let mut list: Vec<Wrote> =
            sinks.into_iter().map(|(sink, effects)| self.one(sink, &effects)).collect();
        list.sort_by_key(|wrote| wrote.through);
        list
    }

    fn one(&self, sink: &Sink, effects: &[&Effect]) -> Wrote {
        let first = effects.iter().map(|effect| effect.from).min().unwrap_or(Time(0));
        let last = effects.iter().map(|effect| effect.to).max().unwrap_or(Time(0));
        let only_added = effects.iter().all(|effect| effect.deed == Deed::Append);
        let other = effects.iter().rev().find_map(|effect| match effect.deed {
            Deed::Other(word) => Some(word),
            _ => None,
        });
        let held = match sink {
            Sink::Object(object) if !only_added => {
                let before = Time(first.0.saturating_sub(1));
                self.content_at(*object, before).zip(self.content_at(*object, last))
            }
            _ => None,
        };
        let pieces = match only_added || other.is_some() {
            true => joined(effects.iter().flat_map(|effect| &effect.pieces)),
            false => Vec::new(),
        };
        Wrote {
            sink: sink.clone(),
            name: self.sink_name(sink, last),
            leads_to: match sink {
                Sink::Object(object) => self.leads_to(*object, last),
                _ => None,
            },
            verb: match other {
                Some(word) => word,
                None if only_added => self.verb(sink),
                None => CHANGED,
            },
            pieces,
            held,
            count: effects.len(),
            first,
            last,
            whole: effects.iter().all(|effect| effect.whole),
            through: effects.iter().all(|effect| effect.through.is_some()),
        }
    }

    fn verb(&self, sink: &Sink) -> &'static str {
        let Sink::Object(object) = sink else { return "wrote" };
        let classes = self.classes_of(*object);
        classes.iter().find_map(|class| jdk::effects::verb(class)).unwrap_or("wrote")
    }

    /// What was written, on one line: `"01"`; `?` stands for what is not known, `≈` before what is likely.
    pub fn pieces_text(&self, pieces: &[Piece], time: Time, limits: &RenderLimits) -> String {
        if pieces.is_empty() {
            return "\"\"".to_owned();
        }
        let one = |piece: &Piece| match piece {
            Piece::Text(text) => quoted(text, limits.string),
            Piece::Bytes(bytes) => bytes_text(bytes, limits.string),
            Piece::Formatted { text: Some(text), .. } => format!("≈{}", quoted(text, limits.string)),
            Piece::Formatted { format, args, text: None } => {
                let args: Vec<String> = args
                    .iter()
                    .map(|&arg| self.known_text(render::KnownValue::Value(arg), "", time, limits))
                    .collect();
                format!("format {} with {}", quoted(format, limits.string), args.join(", "))
            }
            Piece::Value(value, descriptor) => {
                let text = self.known_text(render::KnownValue::Value(*value), descriptor, time, limits);
                format!("?{{{text}}}")
            }
            Piece::Unknown => "?".to_owned(),
        };
        let shown: Vec<String> = pieces.iter().take(limits.elements.max(1)).map(one).collect();
        let more = pieces.len().saturating_sub(shown.len());
        let text = shown.join(" ");
        if more > 0 { format!("{text} … {more} more") } else { text }
    }

    /// What came from outside, on one line; none if its end was reached.
    pub fn taken_text(&self, input: &Input, limits: &RenderLimits) -> Option<String> {
        match input.taken.as_slice() {
            [] => None,
            // What a call gave back is a value like others.
            [Piece::Value(value, descriptor)] => {
                Some(self.known_text(render::KnownValue::Value(*value), descriptor, input.to, limits))
            }
            pieces => Some(self.pieces_text(pieces, input.to, limits)),
        }
    }

    /// What became of a sink, as far as a line has room for it.
    pub fn sink_line(&self, wrote: &Wrote, limits: &RenderLimits) -> SinkLine {
        let held = |content: &Content| match content {
            Content::Text(text) => quoted(text, limits.string),
            Content::Bytes(bytes) => bytes_text(bytes, limits.string),
        };
        let deed = match &wrote.held {
            Some((before, after)) => SinkDeed::Became(held(before), held(after)),
            None if wrote.verb == CHANGED => SinkDeed::Changed { steps: wrote.count },
            None if wrote.pieces.is_empty() && matches!(wrote.sink, Sink::File(_)) => {
                SinkDeed::Did(wrote.verb)
            }
            None => SinkDeed::Wrote(wrote.verb, self.pieces_text(&wrote.pieces, wrote.last, limits)),
        };
        let leads_to = wrote.leads_to.clone().filter(|end| *end != wrote.name);
        SinkLine { deed, leads_to, whole: wrote.whole }
    }
}

/// Zeros at the end of a text from which on they are counted.
const UNFILLED: usize = 8;

/// As Java writes it, its end where it is longer than the limit: what was written last is what is looked at.
fn quoted(text: &[u16], limit: usize) -> String {
    // A buffer that was not filled.
    let filled = text.iter().rposition(|&unit| unit != 0).map_or(0, |last| last + 1);
    let empty = text.len() - filled;
    if empty >= UNFILLED {
        let rest = if filled == 0 { String::new() } else { format!("{} ", quoted(&text[..filled], limit)) };
        return format!("{rest}'\\0' × {empty}");
    }
    let cut = text.len().saturating_sub(limit);
    let shown = base::literal::quoted(&base::text::from_units(&text[cut..]));
    if cut > 0 { format!("…{shown}") } else { shown }
}

/// Bytes that are text as text, others in numbers.
fn bytes_text(bytes: &[u8], limit: usize) -> String {
    let is_text = |text: &str| text.chars().all(|one| !one.is_control() || matches!(one, '\n' | '\r' | '\t'));
    match std::str::from_utf8(bytes) {
        Ok(text) if is_text(text) => {
            let units: Vec<u16> = base::text::units(text).collect();
            format!("bytes {}", quoted(&units, limit))
        }
        _ => {
            let shown: Vec<String> =
                bytes.iter().take(limit.max(1)).map(|byte| format!("{byte:02x}")).collect();
            let more = if bytes.len() > shown.len() { " …" } else { "" };
            format!("bytes {}{more}", shown.join(" "))
        }
    }
}
