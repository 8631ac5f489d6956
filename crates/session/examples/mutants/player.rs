//! A truthful person in the real dialogue: answers what is asked by what is true, and counts.

use std::path::{Path, PathBuf};

use base::CallId;
use past::{Past, Settings, SinkDeed};
use serde::Serialize;
use session::{
    Answer, Author, Became, NamedSymptom, Next, OracleSpec, Oracles, Question, QuestionDetail, Session,
    SessionOptions, Strategy, Subject, Thrown, Transform, Verdict,
};

use crate::mutation::Mutant;
use crate::truth::Truth;

/// One way to be asked.
pub struct Column {
    pub strategy: Strategy,
    pub transforms: Vec<Transform>,
    pub evidence: Option<OracleSpec>,
    /// Who calls something wrong says which value is.
    pub points: bool,
    /// Calls beside each other may be asked about as a list, and who calls one wrong says which row is.
    pub person: bool,
    /// How the first line of output begins that is wrong.
    pub output: Option<String>,
    /// `dq-optimal/loops,balance/tests`
    pub name: String,
}

#[derive(Serialize)]
pub struct Dialogue {
    pub mutant: String,
    pub column: String,
    /// `right`: the mutated method is blamed; `wrong`: another one; `none`: nobody.
    pub outcome: &'static str,
    /// What is blamed.
    pub blamed: Option<String>,
    /// Is the mutated line among those that are named? None if no lines are.
    pub line: Option<bool>,
    /// How many lines are named.
    pub lines: usize,
    pub questions: usize,
    /// Answers of others.
    pub known: usize,
    pub seconds: f64,
    /// Milliseconds that the computer needed.
    pub took: u64,
    pub why_none: Option<String>,
    pub asked: Vec<Asked>,
}

#[derive(Serialize)]
pub struct Asked {
    pub call: String,
    pub kind: String,
    pub answer: &'static str,
    /// None for the person.
    pub by: Option<String>,
    pub seconds: f64,
    /// How surprising it would be by then that the mutated method is the wrong one.
    pub bits: Option<f64>,
    /// What decides is shown as something that nobody knows.
    pub unknown: bool,
    pub subject: Subject,
}

pub fn play(
    recording: &Path,
    id: &str,
    mutant: &Mutant,
    truth: &Truth,
    own: Option<CallId>,
    column: &Column,
    cap: usize,
) -> Result<Dialogue, session::Error> {
    let started = std::time::Instant::now();
    let settings = Settings::default();
    let past = Past::open(recording, &settings, &mut |_| {})?;
    let specs: Vec<OracleSpec> = column.evidence.iter().cloned().collect();
    let oracles = Oracles::open(&specs, &past, &settings)?;
    let journal = journal_folder(id, &column.name);
    let options = SessionOptions {
        root: None,
        symptom: column.output.clone().map(NamedSymptom::Output),
        ask_root: false,
        root_first: false,
        take_over: false,
        lists: column.person,
        strategy: column.strategy,
        easy: false,
        transforms: column.transforms.clone(),
        trust: Vec::new(),
        distrust: Vec::new(),
        changed: None,
        certain: false,
        fresh: true,
        repeat: true,
    };
    let mut session = Session::open(past, &journal, options, oracles, 0)?;
    let mut played = Dialogue {
        mutant: id.to_owned(),
        column: column.name.clone(),
        outcome: "none",
        blamed: None,
        line: None,
        lines: 0,
        questions: 0,
        known: 0,
        seconds: 0.0,
        took: 0,
        why_none: None,
        asked: Vec::new(),
    };
    loop {
        match session.next(0)? {
            Next::Answered(judged) => {
                played.known += 1;
                let put = session::question(session.past(), &judged.subject, QuestionDetail::Short)?;
                played.asked.push(asked(
                    &put,
                    judged.answer.letter(),
                    Some(format!("{:?}", judged.by)),
                    None,
                ));
            }
            Next::Confirmed(right) => played.known += right.len(),
            Next::Question(put) => {
                if played.questions == cap {
                    played.why_none = Some(format!("more than {cap} questions"));
                    break;
                }
                let subject = put.question.subject;
                let wrong = truth.is_wrong(session.past(), &subject);
                let answer = match wrong {
                    Some(true) if column.points => pointed(session.past(), &put.question, truth),
                    Some(true) => Answer::wrong(),
                    Some(false) => Answer::Correct,
                    None => Answer::DontKnow,
                };
                let row = question_row(session.past(), &put.question, truth)
                    .filter(|_| column.person && wrong == Some(true));
                let bits = own.and_then(|call| session.chance_of(call)).map(|chance| -chance.log2());
                let told = asked(&put.question, answer.letter(), None, bits);
                played.questions += 1;
                played.seconds += told.seconds;
                played.asked.push(told);
                if let Some(row) = row {
                    session.judge(row, Answer::wrong(), Author::Person, 0)?;
                } else if session.answer(answer, Author::Person, 0).is_err() {
                    // What it points at cannot be followed.
                    session.answer(Answer::wrong(), Author::Person, 0)?;
                }
            }
            Next::Verdict(Verdict::Buggy(guilty)) => {
                let right = blamed(session.past(), &guilty, mutant);
                played.outcome = if right { "right" } else { "wrong" };
                let report = session.report(&guilty)?;
                let named = if report.likely.is_empty() { &report.lines } else { &report.likely };
                played.lines = named.len();
                let line = mutant.line.filter(|_| right && !named.is_empty());
                played.line = line.map(|line| named.contains(&line.into()));
                played.blamed = Some(report.call);
                break;
            }
            Next::Verdict(other) => {
                played.why_none = Some(other.name().to_owned());
                break;
            }
        }
    }
    played.took = started.elapsed().as_millis() as u64;
    let _ = std::fs::remove_dir_all(&journal);
    Ok(played)
}

/// The first row that is wrong, of a question about several calls that lists them all.
fn question_row(past: &Past, question: &Question, truth: &Truth) -> Option<Subject> {
    if question.more || !matches!(question.subject, Subject::Run { .. }) {
        return None;
    }
    let mut rows = question.member_calls.iter().map(|&call| Subject::Call { call });
    rows.find(|row| truth.is_wrong(past, row) == Some(true))
}

/// A wrong call, by the first value of the question that is wrong: what it gave, or what it changed.
fn pointed(past: &Past, question: &Question, truth: &Truth) -> Answer {
    let Subject::Call { call } = question.subject else { return Answer::wrong() };
    let Some(call) = CallId::of_number(call) else { return Answer::wrong() };
    let because = if question.result.is_some() && truth.gave_wrong(past, call) {
        Some("result".to_owned())
    } else {
        let wrong = truth.left_wrong(past, call);
        let changes = question.changes.iter().flat_map(|one| std::iter::once(one).chain(&one.parts));
        let mut names = changes.map(|change| change.name.clone());
        names.find(|name| wrong.contains(name))
    };
    Answer::Wrong { because, missing: None, expected: None }
}

fn journal_folder(id: &str, column: &str) -> PathBuf {
    let name =
        format!("inquest-mutants-{}-{id}-{}", std::process::id(), column.replace(['/', ',', ':'], "-"));
    let folder = std::env::temp_dir().join(name);
    // That it cannot be made is said when the journal is.
    let _ = std::fs::create_dir_all(&folder);
    folder
}

/// Is what is blamed the mutated method?
fn blamed(past: &Past, guilty: &Subject, mutant: &Mutant) -> bool {
    let method = |call: CallId| {
        let row = past.call_row(call)?;
        Some(past.target(row.target))
    };
    let found = guilty.call().and_then(method);
    found.is_some_and(|(class, name, descriptor)| {
        class == mutant.class && name == mutant.method && descriptor == mutant.descriptor
    })
}

fn asked(question: &Question, answer: &'static str, by: Option<String>, bits: Option<f64>) -> Asked {
    Asked {
        call: question.call.clone(),
        kind: format!("{:?}", question.kind),
        answer,
        seconds: if by.is_none() { question.cost } else { 0.0 },
        by,
        bits,
        unknown: is_unknown(question),
        subject: question.subject,
    }
}

/// Is something that came out shown as unknown?
fn is_unknown(question: &Question) -> bool {
    question.result.as_deref().is_some_and(says_unknown)
        || question.thrown.as_ref().is_some_and(|thrown| match thrown {
            // What it says is not quoted, and may have any words in it.
            Thrown::Value(text) => text.contains("content unknown"),
            Thrown::Unknown => true,
        })
        || question.changes.iter().filter(|change| change.noise.is_none()).any(|change| match &change.after {
            Became::Value(text) => says_unknown(text),
            Became::Written(line) => match &line.deed {
                SinkDeed::Became(_, after) | SinkDeed::Wrote(_, after) => says_unknown(after),
                SinkDeed::Changed { .. } => true,
                SinkDeed::Did(_) => false,
            },
        })
}

/// A question mark for a value, or words for it, outside of what is quoted.
fn says_unknown(text: &str) -> bool {
    let mut outside = String::new();
    let (mut quote, mut escaped) = (None, false);
    for letter in text.chars() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if letter == '\\' => escaped = true,
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if letter == '"' || letter == '\'' => quote = Some(letter),
            None => outside.push(letter),
        }
    }
    let mut values = outside.split([' ', ',', '=', '[', ']', '{', '}', '(', ')']);
    outside.contains("content unknown") || values.any(|value| value == "?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_mark_in_a_string_is_no_unknown_value() {
        assert!(says_unknown("[1, ?]"));
        assert!(says_unknown("Properties@2 (content unknown)"));
        assert!(says_unknown("{a=?, b=1}") && says_unknown("…\"ab\" ?"));
        assert!(!says_unknown("^([x|X][0-9]+)(;?)"));
        assert!(!says_unknown("\"what?\" + 'is' + \"a \\\"?\""));
    }
}
