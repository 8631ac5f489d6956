//! What kept something from happening, and why an answer to that may lack something.

use analysis::omissions::{PartialReason, Prevention};
use session::Incomplete;

/// What prevented it, in one word.
pub fn prevention(kind: Prevention) -> &'static str {
    match kind {
        Prevention::Branch => "branch",
        Prevention::Switch => "switch",
        Prevention::LoopEnd => "loop-end",
        Prevention::Return => "return",
        Prevention::Throw => "throw",
        Prevention::Dispatch => "dispatch",
        Prevention::Uncalled => "uncalled",
    }
}

/// Why the answer may lack something, after "this may not be all: ".
pub fn incomplete(why: &Incomplete) -> String {
    match why {
        Incomplete::Search(why) => partial(why),
        Incomplete::Detail(detail) => {
            format!(
                "at detail `{detail}` it is not recorded what calls executed: record again at detail `full`"
            )
        }
        Incomplete::Unreadable { classes, more } => {
            let what = if classes.len() == 1 { "a class" } else { "classes" };
            let named: Vec<String> = classes.iter().map(|(class, why)| format!("{class} ({why})")).collect();
            let more = if *more { ", …" } else { "" };
            format!("the code of {what} could not be read: {}{more}", named.join(", "))
        }
    }
}

fn partial(why: &PartialReason) -> String {
    match why {
        PartialReason::ManyWays { method } => {
            format!("there are too many ways to `{method}`: only the shortest are looked at")
        }
        PartialReason::UnknownCalls(calls) => format!("of {calls} calls it is not known what they executed"),
        PartialReason::ManyCandidates(limit) => {
            format!("only the first {limit} possible reasons are looked at")
        }
        PartialReason::ForeignObject { object } => format!(
            "`{object}` was not made by the program's own code: it is taken for any object of its class that may be \
             where it was first seen"
        ),
        PartialReason::UnknownObject { object } => {
            format!("the analysis of the program does not know where `{object}` comes from")
        }
    }
}

/// Why there is nothing to look for.
pub fn unchangeable(class: &str) -> String {
    format!("an object of `{class}` never changes: no operation on it can be missing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_that_could_not_be_read_are_named_as_far_as_there_is_room() {
        let class = |name: &str| (name.to_owned(), "cut off".to_owned());
        let say =
            |classes: Vec<(String, String)>, more| incomplete(&Incomplete::Unreadable { classes, more });
        assert_eq!(say(vec![class("a.B")], false), "the code of a class could not be read: a.B (cut off)");
        assert_eq!(
            say(vec![class("a.B"), class("C")], true),
            "the code of classes could not be read: a.B (cut off), C (cut off), …"
        );
    }
}
