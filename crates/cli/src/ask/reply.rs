//! What a person may say to a question, as typed: the answers that `session` knows, and what else a terminal understands.

use session::{AnswerKind, InputKind};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// An answer, and what was said with it, if something has to be.
    Answer {
        kind: AnswerKind,
        said: Option<String>,
    },
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

/// What can be said that is no answer, in the order in which it is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Rules,
    Distrust,
    Judge,
    Undo,
    Redo,
    Why,
    More,
    Back,
    Help,
    Quit,
}

/// How something that is no answer is typed, and what is told of it.
struct VerbRow {
    letter: &'static str,
    words: &'static [&'static str],
    /// In an overview of what can be typed, and of what can be pressed.
    typed: &'static str,
    pressed: &'static str,
    /// In the help of the command.
    brief: Option<&'static str>,
}

impl Verb {
    const ALL: [Verb; 10] = [
        Verb::Rules,
        Verb::Distrust,
        Verb::Judge,
        Verb::Undo,
        Verb::Redo,
        Verb::Why,
        Verb::More,
        Verb::Back,
        Verb::Help,
        Verb::Quit,
    ];

    fn row(self) -> VerbRow {
        let simple = |letter, words, told: &'static str| VerbRow {
            letter,
            words,
            typed: told,
            pressed: told,
            brief: Some(told),
        };
        match self {
            Verb::Rules => VerbRow { brief: None, ..simple("l", &["rules"], "l  list what is trusted") },
            Verb::Distrust => VerbRow {
                pressed: "x  trust something no longer",
                brief: None,
                ..simple("x", &["distrust"], "x NAME  no longer")
            },
            Verb::Judge => VerbRow {
                pressed: "j  judge another call",
                brief: None,
                ..simple(
                    "j",
                    &["judge"],
                    "j CALL y    that call is right    j CALL n  it is wrong, whatever is asked",
                )
            },
            Verb::Undo => simple("u", &["undo"], "u  undo"),
            Verb::Redo => simple("r", &["redo"], "r  redo"),
            Verb::Why => simple("w", &["why"], "w  why this question"),
            Verb::More => simple("s", &["show"], "s  show more"),
            Verb::Back => VerbRow {
                brief: Some("b  back to the plain tree"),
                ..simple("b", &["back"], "b  back to the plain tree, or from there")
            },
            Verb::Help => VerbRow { brief: None, ..simple("?", &["h", "help"], "") },
            Verb::Quit => simple("q", &["quit"], "q  quit"),
        }
    }

    fn of(word: &str) -> Option<Verb> {
        let meant = |verb: &Verb| verb.row().letter == word || verb.row().words.contains(&word);
        Verb::ALL.into_iter().find(meant)
    }
}

pub fn parse(line: &str) -> Result<Reply, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if let Some(kind) = AnswerKind::of(word, !rest.is_empty()) {
        return match &kind.row().takes {
            Some(takes) if rest.is_empty() => Err(format!("`{word}` needs {}", takes.need)),
            Some(_) => Ok(Reply::Answer { kind, said: Some(rest.to_owned()) }),
            None => Ok(Reply::Answer { kind, said: None }),
        };
    }
    let verb = Verb::of(word).ok_or_else(|| format!("`{line}` is no answer; there are\n{}", help()))?;
    Ok(match verb {
        Verb::Rules => Reply::Rules,
        Verb::Distrust if rest.is_empty() => {
            return Err(format!("`{word}` needs the name of a rule, as `l` lists them"));
        }
        Verb::Distrust => Reply::Distrust(rest.to_owned()),
        Verb::Judge => {
            let (call, verdict) = rest.rsplit_once(' ').unwrap_or((rest, ""));
            let right = match AnswerKind::of(verdict, false) {
                Some(AnswerKind::Right) => true,
                Some(AnswerKind::Wrong) => false,
                _ => return Err("`j` needs a call and a verdict: `j MergeSort.merge#3 n`".to_owned()),
            };
            Reply::Judge { call: call.trim().to_owned(), right }
        }
        Verb::Undo => Reply::Undo,
        Verb::Redo => Reply::Redo,
        Verb::Why => Reply::Why,
        Verb::More => Reply::More,
        Verb::Back => Reply::Back,
        Verb::Help => Reply::Help,
        Verb::Quit => Reply::Quit,
    })
}

/// What can be typed, for people.
pub fn help() -> String {
    let typed = |verb: &Verb| verb.row().typed.to_owned();
    let mut lines = vec![joined(answers(Way::Plain).map(told))];
    lines.extend(answers(Way::Takes).map(told));
    lines.push(joined(answers(Way::Trust).map(told).chain([Verb::Rules, Verb::Distrust].iter().map(typed))));
    lines.push(typed(&Verb::Judge));
    lines.extend(moves(typed));
    lines.join("\n")
}

/// What can be pressed: where more is to be said, it is asked for.
pub fn keys() -> String {
    let pressed = |verb: &Verb| verb.row().pressed.to_owned();
    let takes = AnswerKind::ALL
        .into_iter()
        .map(AnswerKind::row)
        .filter_map(|row| row.takes.as_ref().map(|takes| format!("{}  {}", row.key, takes.pressed)));
    let trust = "t  trust this method, its class or its package".to_owned();
    let mut lines = vec![joined(answers(Way::Plain).map(told)), joined(takes)];
    lines.push(joined([trust].into_iter().chain([Verb::Rules, Verb::Distrust].iter().map(pressed))));
    lines.push(pressed(&Verb::Judge));
    lines.extend(moves(pressed));
    lines.join("\n")
}

/// What can be answered, as the help of a command lists it: in columns, what is long over two of them.
pub fn overview() -> String {
    /// Wide enough for a few words.
    const COLUMN: usize = 22;
    let told = |kind: AnswerKind| match kind {
        // It stands for itself there.
        AnswerKind::Inadmissible => format!("{}  it {}", kind.letter(), kind.row().means),
        _ => told(kind),
    };
    let (short, long): (Vec<String>, Vec<String>) =
        answers(Way::Plain).map(told).partition(|text| text.chars().count() + 2 <= COLUMN);
    let long: Vec<String> = answers(Way::Takes).map(told).chain(long).collect();
    let trust: Vec<String> = answers(Way::Trust).map(told).collect();
    let columns = |cells: &[String], each: usize| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:<each$}")).collect();
        format!("  {}", cells.concat().trim_end())
    };
    let mut lines: Vec<String> = short.chunks(3).map(|cells| columns(cells, COLUMN)).collect();
    lines.extend(long.chunks(2).map(|cells| columns(cells, 2 * COLUMN)));
    lines.push(columns(&trust, COLUMN));
    let brief: Vec<&str> = Verb::ALL.iter().filter_map(|verb| verb.row().brief).collect();
    lines.push(format!("  {}", brief.join("   ")));
    lines.join("\n")
}

/// How an answer is given.
#[derive(PartialEq)]
enum Way {
    /// By a letter.
    Plain,
    /// By a letter and something to be said with it.
    Takes,
    Trust,
}

fn answers(wanted: Way) -> impl Iterator<Item = AnswerKind> {
    let way = |kind: &AnswerKind| match kind.row() {
        row if row.takes.is_some() => Way::Takes,
        row if row.trusts.is_some() => Way::Trust,
        _ => Way::Plain,
    };
    AnswerKind::ALL.into_iter().filter(move |kind| way(kind) == wanted)
}

/// `y  right`, `n LOCATION  wrong because of this value`
fn told(kind: AnswerKind) -> String {
    let row = kind.row();
    let with = row.takes.as_ref().map(|takes| match takes.what {
        InputKind::Value | InputKind::Object => "LOCATION",
        InputKind::Words => "VALUE",
    });
    match with {
        Some(with) => format!("{:<12}{}", format!("{} {with}", row.letter), row.means),
        None => format!("{}  {}", row.letter, row.means),
    }
}

fn moves(told: impl Fn(&Verb) -> String) -> [String; 2] {
    let line = |verbs: &[Verb]| joined(verbs.iter().map(&told));
    [line(&[Verb::Undo, Verb::Redo, Verb::Why, Verb::More]), line(&[Verb::Back, Verb::Quit])]
}

fn joined(told: impl Iterator<Item = String>) -> String {
    told.collect::<Vec<_>>().join("    ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(kind: AnswerKind) -> Reply {
        Reply::Answer { kind, said: None }
    }

    fn with(kind: AnswerKind, said: &str) -> Reply {
        Reply::Answer { kind, said: Some(said.to_owned()) }
    }

    #[test]
    fn answers_are_understood_as_letters_and_words() {
        let cases = [
            ("y", plain(AnswerKind::Right)),
            (" yes ", plain(AnswerKind::Right)),
            ("y of course", plain(AnswerKind::Right)),
            ("n", plain(AnswerKind::Wrong)),
            ("n a[2]", with(AnswerKind::Because, "a[2]")),
            ("no a[2]", with(AnswerKind::Because, "a[2]")),
            ("m this.list", with(AnswerKind::Missing, "this.list")),
            ("e [1, 2, 3]", with(AnswerKind::Expected, "[1, 2, 3]")),
            ("d", plain(AnswerKind::DontKnow)),
            ("don't know", plain(AnswerKind::DontKnow)),
            ("i", plain(AnswerKind::Inadmissible)),
            ("t", plain(AnswerKind::TrustMethod)),
            ("tc", plain(AnswerKind::TrustClass)),
            ("tp", plain(AnswerKind::TrustPackage)),
            ("x com.acme", Reply::Distrust("com.acme".into())),
            ("j Foo.bar(int, int)#3 n", Reply::Judge { call: "Foo.bar(int, int)#3".into(), right: false }),
            ("j Foo.bar#1 yes", Reply::Judge { call: "Foo.bar#1".into(), right: true }),
            ("h", Reply::Help),
            ("q", Reply::Quit),
        ];
        for (line, reply) in cases {
            assert_eq!(parse(line), Ok(reply), "{line}");
        }
        for bad in ["", "m", "e", "x", "j", "j y", "j Foo.bar#1", "j Foo.bar#1 d", "maybe", "yy", "C"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn whatever_is_needed_beside_a_letter_is_told() {
        let refused = [
            ("m", "`m` needs a location: `m list`"),
            ("expected", "`expected` needs a value: `e 4`"),
            ("x", "`x` needs the name of a rule, as `l` lists them"),
            ("j x", "`j` needs a call and a verdict: `j MergeSort.merge#3 n`"),
        ];
        for (line, why) in refused {
            assert_eq!(parse(line), Err(why.to_owned()));
        }
    }

    #[test]
    fn no_two_things_are_said_by_the_same_word() {
        for kind in AnswerKind::ALL {
            for word in [kind.row().words, &[kind.letter()]].concat() {
                assert_eq!(AnswerKind::of(word, kind.row().takes.is_some()), Some(kind), "{word}");
                assert_eq!(Verb::of(word), None, "{word}");
            }
        }
        for verb in Verb::ALL {
            for word in [verb.row().words, &[verb.row().letter]].concat() {
                assert_eq!(Verb::of(word), Some(verb), "{word}");
            }
        }
    }

    #[test]
    fn overviews_are_made_of_the_tables() {
        assert_eq!(
            help(),
            "y  right    n  wrong    d  don't know    i  should never have been called like this
n LOCATION  wrong because of this value
m LOCATION  wrong: something should have happened to this
e VALUE     wrong: this was expected
t  trust this method    tc  its class    tp  its package    l  list what is trusted    x NAME  no longer
j CALL y    that call is right    j CALL n  it is wrong, whatever is asked
u  undo    r  redo    w  why this question    s  show more
b  back to the plain tree, or from there    q  quit"
        );
        assert_eq!(
            keys(),
            "y  right    n  wrong    d  don't know    i  should never have been called like this
N  wrong because of a value    m  something is missing    e  something else was expected
t  trust this method, its class or its package    l  list what is trusted    x  trust something no longer
j  judge another call
u  undo    r  redo    w  why this question    s  show more
b  back to the plain tree, or from there    q  quit"
        );
        assert_eq!(
            overview(),
            "  y  right              n  wrong              d  don't know
  n LOCATION  wrong because of this value     m LOCATION  wrong: something should have happened to this
  e VALUE     wrong: this was expected        i  it should never have been called like this
  t  trust this method  tc  its class         tp  its package
  u  undo   r  redo   w  why this question   s  show more   b  back to the plain tree   q  quit"
        );
    }
}
