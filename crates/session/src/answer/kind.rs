//! The answers that can be given, one row each: how each is typed and pressed, what it is called, what has to be said with
//! it. Every client takes its keys, words, menus and help from here.

use super::{Answer, TrustScope};

tree::closed! {
    /// In the order in which they are offered.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum AnswerKind {
        Right,
        Wrong,
        DontKnow,
        /// Wrong because of the value of a location.
        Because,
        /// Wrong: something should have happened to a location.
        Missing,
        /// Wrong: something else was expected.
        Expected,
        Inadmissible,
        TrustMethod,
        TrustClass,
        TrustPackage,
    }
}

/// All that clients need to offer and read an answer.
pub struct AnswerRow {
    /// What a page calls it.
    pub id: &'static str,
    /// As it is typed, and as answers are told by.
    pub letter: &'static str,
    /// What may be typed instead of the letter.
    pub words: &'static [&'static str],
    /// What it means, behind the letter.
    pub means: &'static str,
    /// The one key that stands for it on a page.
    pub key: char,
    /// On a button of its own.
    pub title: &'static str,
    /// On a button among others, if that is shorter.
    pub button: Option<&'static str>,
    /// Said of something that nobody asked about, if that is another sentence.
    pub statement: Option<&'static str>,
    /// A sign for it in a list.
    pub mark: char,
    /// Rows of a tree can be judged with it, as far as nothing has to be said with it.
    pub of_rows: bool,
    pub takes: Option<Takes>,
    /// What is trusted by it.
    pub trusts: Option<TrustScope>,
}

/// What has to be said with an answer.
pub struct Takes {
    pub what: InputKind,
    /// What is told if it is not said, after "needs".
    pub need: &'static str,
    /// The same answer where it is one key, and this is asked for then: what it means, and the question.
    pub pressed: &'static str,
    pub prompt: &'static str,
    /// The question as a page asks it, and what could be answered.
    pub title: &'static str,
    pub hint: &'static str,
}

/// What an answer has to be given with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A location whose value is meant.
    Value,
    /// A location, with all that it leads to.
    Object,
    /// Any words.
    Words,
}

impl AnswerKind {
    pub const fn row(self) -> &'static AnswerRow {
        match self {
            AnswerKind::Right => &AnswerRow {
                id: "right",
                letter: "y",
                words: &["yes"],
                means: "right",
                key: 'y',
                title: "Right",
                button: None,
                statement: Some("It is right"),
                mark: '✓',
                of_rows: true,
                takes: None,
                trusts: None,
            },
            AnswerKind::Wrong => &AnswerRow {
                id: "wrong",
                letter: "n",
                words: &["no"],
                means: "wrong",
                key: 'n',
                title: "Wrong",
                button: None,
                statement: Some("It is wrong"),
                mark: '✗',
                of_rows: true,
                takes: None,
                trusts: None,
            },
            AnswerKind::DontKnow => &AnswerRow {
                id: "unknown",
                letter: "d",
                words: &["don't", "dont"],
                means: "don't know",
                key: 'd',
                title: "Don't know",
                button: None,
                statement: None,
                mark: '~',
                of_rows: true,
                takes: None,
                trusts: None,
            },
            // The same letter as without a location: what is said with it tells them apart.
            AnswerKind::Because => &AnswerRow {
                id: "because",
                letter: "n",
                words: &["no"],
                means: "wrong because of this value",
                key: 'N',
                title: "Wrong because of a value…",
                button: Some("Because…"),
                statement: None,
                mark: '✗',
                of_rows: true,
                takes: Some(Takes {
                    what: InputKind::Value,
                    need: "a location: `n a[2]`",
                    pressed: "wrong because of a value",
                    prompt: "wrong because of the value of: ",
                    title: "Which value is wrong?",
                    hint: "a[2], this.size, result",
                }),
                trusts: None,
            },
            AnswerKind::Missing => &AnswerRow {
                id: "missing",
                letter: "m",
                words: &["missing"],
                means: "wrong: something should have happened to this",
                key: 'm',
                title: "Something is missing…",
                button: Some("Missing…"),
                statement: None,
                mark: '✗',
                of_rows: true,
                takes: Some(Takes {
                    what: InputKind::Object,
                    need: "a location: `m list`",
                    pressed: "something is missing",
                    prompt: "something should have happened to: ",
                    title: "To what should something have happened?",
                    hint: "this.list, a",
                }),
                trusts: None,
            },
            AnswerKind::Expected => &AnswerRow {
                id: "expected",
                letter: "e",
                words: &["expected"],
                means: "wrong: this was expected",
                key: 'e',
                title: "Expected something else…",
                button: Some("Expected…"),
                statement: None,
                mark: '✗',
                of_rows: true,
                takes: Some(Takes {
                    what: InputKind::Words,
                    need: "a value: `e 4`",
                    pressed: "something else was expected",
                    prompt: "expected: ",
                    title: "What should have come out?",
                    hint: "[1, 2, 3]",
                }),
                trusts: None,
            },
            AnswerKind::Inadmissible => &AnswerRow {
                id: "inadmissible",
                letter: "i",
                words: &["inadmissible"],
                means: "should never have been called like this",
                key: 'i',
                title: "Should never have been called like this",
                button: Some("Inadmissible"),
                statement: None,
                mark: '⊘',
                of_rows: true,
                takes: None,
                trusts: None,
            },
            AnswerKind::TrustMethod => &AnswerRow {
                id: "trust",
                letter: "t",
                words: &["trust"],
                means: "trust this method",
                key: 't',
                title: "Trust this method",
                button: Some("Trust"),
                statement: None,
                mark: '○',
                of_rows: true,
                takes: None,
                trusts: Some(TrustScope::Method),
            },
            AnswerKind::TrustClass => &AnswerRow {
                id: "trust-class",
                letter: "tc",
                words: &[],
                means: "its class",
                key: 'C',
                title: "Trust this class",
                button: None,
                statement: None,
                mark: '○',
                of_rows: true,
                takes: None,
                trusts: Some(TrustScope::Class),
            },
            AnswerKind::TrustPackage => &AnswerRow {
                id: "trust-package",
                letter: "tp",
                words: &[],
                means: "its package",
                key: 'P',
                title: "Trust this package",
                button: None,
                statement: None,
                mark: '○',
                of_rows: false,
                takes: None,
                trusts: Some(TrustScope::Package),
            },
        }
    }

    pub fn trust(scope: TrustScope) -> AnswerKind {
        match scope {
            TrustScope::Method => AnswerKind::TrustMethod,
            TrustScope::Class => AnswerKind::TrustClass,
            TrustScope::Package => AnswerKind::TrustPackage,
        }
    }

    pub fn letter(self) -> &'static str {
        self.row().letter
    }

    /// What is meant by a letter or a word alone (`said`: nothing was said with it), or with something.
    pub fn of(word: &str, said: bool) -> Option<AnswerKind> {
        let typed = |kind: &AnswerKind| kind.letter() == word || kind.row().words.contains(&word);
        let fits = |kind: &AnswerKind| kind.row().takes.is_some() == said;
        let all = || AnswerKind::ALL.into_iter().filter(typed);
        all().find(fits).or_else(|| all().next())
    }

    /// What is meant by a letter of an answer that nothing has to be said with.
    pub fn plain(letter: &str) -> Option<AnswerKind> {
        AnswerKind::ALL.into_iter().find(|kind| kind.letter() == letter && kind.row().takes.is_none())
    }
}

impl Answer {
    /// Which of the answers it is. What else makes it wrong than something that is missing is told in words.
    pub fn kind(&self) -> AnswerKind {
        match self {
            Answer::Correct => AnswerKind::Right,
            Answer::Wrong { missing: Some(_), .. } => AnswerKind::Missing,
            Answer::Wrong { missing: None, .. } => AnswerKind::Wrong,
            Answer::Trust { scope, .. } => AnswerKind::trust(*scope),
            Answer::Inadmissible => AnswerKind::Inadmissible,
            Answer::DontKnow => AnswerKind::DontKnow,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn an_answer_is_told_by_the_letter_that_it_is_typed_as() {
        let wrong = |because, missing, expected| Answer::Wrong { because, missing, expected };
        let words = || Some("a[2]".to_owned());
        let trust = |scope| Answer::Trust { scope, name: "Sort.merge".to_owned() };
        let cases = [
            (Answer::Correct, "y"),
            (Answer::wrong(), "n"),
            (wrong(words(), None, None), "n"),
            (wrong(None, words(), None), "m"),
            (wrong(None, None, words()), "n"),
            (Answer::DontKnow, "d"),
            (Answer::Inadmissible, "i"),
            (trust(TrustScope::Method), "t"),
            (trust(TrustScope::Class), "tc"),
            (trust(TrustScope::Package), "tp"),
        ];
        for (answer, letter) in cases {
            assert_eq!(answer.letter(), letter, "{answer:?}");
        }
    }

    #[test]
    fn no_two_answers_are_typed_pressed_or_called_alike() {
        let (mut typed, mut pressed, mut called) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for kind in AnswerKind::ALL {
            let row = kind.row();
            for word in [row.words, &[row.letter]].concat() {
                assert!(typed.insert((word, row.takes.is_some())), "{word}");
                assert_eq!(AnswerKind::of(word, row.takes.is_some()), Some(kind));
            }
            assert!(pressed.insert(row.key), "{}", row.key);
            assert!(called.insert(row.id) && called.insert(row.title), "{}", row.id);
            assert_eq!(AnswerKind::plain(row.letter) == Some(kind), row.takes.is_none());
            assert!(row.trusts.is_none_or(|scope| AnswerKind::trust(scope) == kind), "{}", row.id);
        }
    }

    #[test]
    fn a_letter_alone_may_lack_what_has_to_be_said_with_it() {
        assert_eq!(AnswerKind::of("n", false), Some(AnswerKind::Wrong));
        assert_eq!(AnswerKind::of("n", true), Some(AnswerKind::Because));
        assert_eq!(AnswerKind::of("m", false), Some(AnswerKind::Missing));
        assert_eq!(AnswerKind::of("y", true), Some(AnswerKind::Right));
        assert_eq!(AnswerKind::of("", false), None);
    }
}
