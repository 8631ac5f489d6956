//! What a person may say to a question, as typed.

use session::Scope;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Yes,
    No,
    /// Wrong because of the value of this location.
    Because(String),
    /// Wrong: something should have happened to this.
    Missing(String),
    /// Wrong: this was expected.
    Expected(String),
    DontKnow,
    Inadmissible,
    Trust(Scope),
    /// Rules of trust: all of them, or one to be taken back.
    Rules,
    Distrust(String),
    /// A verdict on a call that was not asked about.
    Judge {
        call: String,
        right: bool,
    },
    Undo,
    Redo,
    Why,
    More,
    Back,
    Help,
    Quit,
}

/// What one can say, for people.
pub const HELP: &str = "y  right    n  wrong    d  don't know    i  should never have been called like this
n LOCATION  wrong because of this value
m LOCATION  wrong: something should have happened to this
e VALUE     wrong: this was expected
t  trust this method    tc  its class    tp  its package    l  list what is trusted    x NAME  no longer
j CALL y    that call is right    j CALL n  it is wrong, whatever is asked
u  undo    r  redo    w  why this question    s  show more
b  back to the plain tree, or from there    q  quit";

/// The same for single keys.
pub const KEYS: &str = "y  right    n  wrong    d  don't know    i  should never have been called like this
N  wrong because of a value    m  something is missing    e  something else was expected
t  trust this method, its class or its package    l  list what is trusted    x  trust something no longer
j  judge another call
u  undo    r  redo    w  why this question    s  show more
b  back to the plain tree, or from there    q  quit";

pub fn parse(line: &str) -> Result<Reply, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let named = |make: fn(String) -> Reply, what: &str| {
        if rest.is_empty() { Err(format!("`{word}` needs {what}")) } else { Ok(make(rest.to_owned())) }
    };
    let reply = match word {
        "n" | "no" if !rest.is_empty() => return Ok(Reply::Because(rest.to_owned())),
        "m" | "missing" => return named(Reply::Missing, "a location: `m list`"),
        "e" | "expected" => return named(Reply::Expected, "a value: `e 4`"),
        "x" | "distrust" => return named(Reply::Distrust, "the name of a rule, as `l` lists them"),
        "j" | "judge" => {
            return match rest.rsplit_once(' ') {
                Some((call, "y" | "yes")) => Ok(Reply::Judge { call: call.trim().to_owned(), right: true }),
                Some((call, "n" | "no")) => Ok(Reply::Judge { call: call.trim().to_owned(), right: false }),
                _ => Err("`j` needs a call and a verdict: `j MergeSort.merge#3 n`".to_owned()),
            };
        }
        "l" | "rules" => Reply::Rules,
        "y" | "yes" => Reply::Yes,
        "n" | "no" => Reply::No,
        "d" | "don't" | "dont" => Reply::DontKnow,
        "i" | "inadmissible" => Reply::Inadmissible,
        "t" | "trust" => Reply::Trust(Scope::Method),
        "tc" => Reply::Trust(Scope::Class),
        "tp" => Reply::Trust(Scope::Package),
        "u" | "undo" => Reply::Undo,
        "r" | "redo" => Reply::Redo,
        "w" | "why" => Reply::Why,
        "s" | "show" => Reply::More,
        "b" | "back" => Reply::Back,
        "?" | "h" | "help" => Reply::Help,
        "q" | "quit" => Reply::Quit,
        _ => return Err(format!("`{line}` is no answer; there are\n{HELP}")),
    };
    Ok(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_understood_as_letters_and_words() {
        let cases = [
            ("y", Reply::Yes),
            (" yes ", Reply::Yes),
            ("n", Reply::No),
            ("n a[2]", Reply::Because("a[2]".into())),
            ("m this.list", Reply::Missing("this.list".into())),
            ("e [1, 2, 3]", Reply::Expected("[1, 2, 3]".into())),
            ("tc", Reply::Trust(Scope::Class)),
            ("x com.acme", Reply::Distrust("com.acme".into())),
            ("j Foo.bar(int, int)#3 n", Reply::Judge { call: "Foo.bar(int, int)#3".into(), right: false }),
            ("q", Reply::Quit),
        ];
        for (line, reply) in cases {
            assert_eq!(parse(line), Ok(reply), "{line}");
        }
        for bad in ["", "m", "e", "x", "j", "j Foo.bar#1", "maybe", "yy"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
