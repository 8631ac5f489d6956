//! A call on one line: `MergeSort.merge#3(a=[1, 2], la=0) = 3`, the values as they were when it was called and when it
//! returned.

use std::fmt;

use past::{CallId, CallPart, Ending, KnownValue, Past, RenderLimits};

/// The parts of the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallWords {
    /// `MergeSort.merge#3`
    pub name: String,
    /// `(a=[1, 2], la=0)`
    pub args: String,
    /// `= 3`, `threw …`, `…` for a call that has not ended; empty for one that gives nothing.
    pub end: String,
}

impl fmt::Display for CallWords {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = if self.end.is_empty() { "" } else { " " };
        write!(out, "{}{}{gap}{}", self.name, self.args, self.end)
    }
}

pub fn call(past: &Past, id: CallId, limits: &RenderLimits) -> CallWords {
    let Some(info) = past.call(id) else { return CallWords::default() };
    let mut parts = Vec::new();
    if let Some(receiver) = info.receiver
        && !info.is_constructor()
    {
        // By name: what it holds is not what a row is about.
        let limits = RenderLimits { depth: 0, ..*limits };
        parts.push(format!("this={}", past.known_text(KnownValue::Value(receiver), "", info.entry, &limits)));
    }
    for arg in &info.args {
        let value = past.known_text(KnownValue::Value(arg.value), &arg.descriptor, info.entry, limits);
        parts.push(if info.library { value } else { format!("{}={value}", arg.name) });
    }
    let value =
        |value, descriptor: &str| past.known_text(KnownValue::Value(value), descriptor, info.exit, limits);
    let end = match info.ending {
        Ending::Open => "…".to_owned(),
        Ending::Returned(None) => String::new(),
        Ending::Returned(Some(given)) => format!("= {}", value(given, &info.result_descriptor)),
        Ending::Threw(None) => "left by an exception".to_owned(),
        Ending::Threw(Some(thrown)) => format!("threw {}", value(thrown, "")),
    };
    CallWords { name: info.name, args: format!("({})", parts.join(", ")), end }
}

/// What of a call something is, or as what it took part.
pub fn call_part(part: &CallPart) -> &str {
    match part {
        CallPart::This => "this",
        CallPart::Argument(name) => name,
        CallPart::Result => "result",
        CallPart::Exception => "exception",
    }
}
