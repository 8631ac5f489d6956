//! The loop of a dialogue: a question, replies until one of them answers it, the next question, the verdict.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use session::{
    Answer, AnswerKind, AskedQuestion, Author, Next, Question, QuestionAbout, QuestionDetail, Report,
    Session, Subject, Verdict,
};

use crate::args::DialogueArgs;
use crate::ask::output::DialogueOutput;
use crate::ask::replies::{AfterVerdict, Replies};
use crate::ask::reply::Reply;
use crate::progress::ProgressLine;
use crate::{NOTHING_FOUND, STOPPED};

/// How often a running program is looked at while there is nothing to ask.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How a dialogue ended.
pub enum DialogueEnd {
    Verdict(Verdict),
    /// Nobody answered any more.
    Stopped,
}

impl DialogueEnd {
    pub fn code(&self) -> u8 {
        match self {
            DialogueEnd::Verdict(Verdict::Buggy(_)) => 0,
            DialogueEnd::Verdict(Verdict::Correct | Verdict::Suspects(_)) => NOTHING_FOUND,
            DialogueEnd::Verdict(Verdict::Running) | DialogueEnd::Stopped => STOPPED,
        }
    }
}

/// `refresh` takes in what a running program did since; false if there was nothing new.
pub fn converse(
    session: &mut Session,
    replies: &mut Replies,
    output: &mut DialogueOutput,
    typed: &DialogueArgs,
    refresh: &mut dyn FnMut(&mut Session) -> Result<bool>,
) -> Result<DialogueEnd> {
    refresh(session)?;
    output.begin(session)?;
    let ending = dialogue(session, replies, output, typed, refresh);
    session.remember();
    ending
}

fn dialogue(
    session: &mut Session,
    replies: &mut Replies,
    output: &mut DialogueOutput,
    typed: &DialogueArgs,
    refresh: &mut dyn FnMut(&mut Session) -> Result<bool>,
) -> Result<DialogueEnd> {
    let mut zoom = typed.zoom;
    loop {
        let Some(outcome) = search(session, replies, output, refresh)? else {
            return Ok(DialogueEnd::Stopped);
        };
        let guilty = match &outcome {
            Verdict::Buggy(Subject::Call { call }) => past::CallId::of_number(*call),
            _ => None,
        };
        if let Some(call) = guilty.filter(|_| zoom) {
            zoom = false;
            session.zoom(call);
            continue;
        }
        let report = match &outcome {
            Verdict::Buggy(guilty) => Some(session.report(guilty)?),
            _ => None,
        };
        output.verdict(session, &outcome, report.as_ref())?;
        match replies.after_verdict(guilty.is_some(), session.doubt().is_none())? {
            AfterVerdict::End => {
                write_out(session, output, typed, &outcome, report.as_ref())?;
                return Ok(DialogueEnd::Verdict(outcome));
            }
            AfterVerdict::Undo => match session.undo() {
                Ok(()) => output.moved(true)?,
                Err(error) => output.note(&format!("{error}."))?,
            },
            AfterVerdict::GoOn => session.insist()?,
            AfterVerdict::Zoom => {
                if let Some(call) = guilty {
                    session.zoom(call);
                }
            }
        }
    }
}

/// Asks until there is a verdict; none if nobody answers any more.
fn search(
    session: &mut Session,
    replies: &mut Replies,
    output: &mut DialogueOutput,
    refresh: &mut dyn FnMut(&mut Session) -> Result<bool>,
) -> Result<Option<Verdict>> {
    loop {
        match session.next(now())? {
            Next::Answered(judged) => {
                let question = session::question(session.past(), &judged.subject, QuestionDetail::Short)?;
                output.answered(&question, Some(&judged.answer), &judged.by)?;
                output.contradictions(session)?;
            }
            Next::Confirmed(right) => output.confirmed(session, &right)?,
            Next::Question(asked) => {
                output.silent(session);
                if !put(session, replies, output, &asked)? {
                    let left = session.left_over();
                    output.verdict(session, &left, None)?;
                    return Ok(None);
                }
                refresh(session)?;
            }
            Next::Verdict(Verdict::Running) if session.is_live() => {
                while !refresh(session)? && session.is_live() {
                    std::thread::sleep(LOOK_EVERY);
                }
            }
            Next::Verdict(outcome) => return Ok(Some(outcome)),
        }
    }
}

/// What the command line wants as files.
fn write_out(
    session: &Session,
    output: &mut DialogueOutput,
    typed: &DialogueArgs,
    outcome: &Verdict,
    report: Option<&Report>,
) -> Result<()> {
    if let (Some(path), Some(report)) = (&typed.report, report) {
        let is_page = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("html"));
        let text = match is_page {
            true => words::html(report, &words::About::of(session, now())),
            false => words::markdown(report),
        };
        fs::write(path, text).with_context(|| format!("cannot write the report to {}", path.display()))?;
        output.wrote("the report", path)?;
    }
    if let (Some(folder), Verdict::Buggy(guilty)) = (&typed.junit, outcome) {
        match session.junit(guilty) {
            Ok(test) => {
                let path = folder.join(format!("{}.java", test.class_name.replace('.', "/")));
                fs::create_dir_all(path.parent().unwrap_or(folder))
                    .and_then(|()| fs::write(&path, &test.source))
                    .with_context(|| format!("cannot write the test to {}", path.display()))?;
                output.wrote("a test", &path)?;
                for note in &test.notes {
                    output.note(&format!("The test: {note}."))?;
                }
            }
            Err(why) => output.note(&format!("No test can be made of this call: {why}."))?,
        }
    }
    Ok(())
}

/// Puts a question until it is answered, or something else changes what is asked; false if nobody answers.
fn put(
    session: &mut Session,
    replies: &mut Replies,
    output: &mut DialogueOutput,
    asked: &AskedQuestion,
) -> Result<bool> {
    output.question(session, asked)?;
    loop {
        output.prompt(asked, replies.by_hand())?;
        let reply = match replies.next()? {
            None => {
                output.unanswered(asked)?;
                return Ok(false);
            }
            Some(Ok(reply)) => reply,
            Some(Err(text)) if replies.by_hand() => {
                output.refused(asked, &text)?;
                continue;
            }
            Some(Err(text)) => bail!("{text}"),
        };
        if let Some(subject) = odd_row(&asked.question, &reply) {
            let question = session::question(session.past(), &subject, session::QuestionDetail::Short)?;
            session.judge(subject, Answer::wrong(), Author::Person, now())?;
            output.answered(&question, Some(&Answer::wrong()), &Author::Person)?;
            output.contradictions(session)?;
            return Ok(true);
        }
        let answer = match reply {
            Reply::Answer { kind, said } => match session.answer_of(&asked.question.subject, kind, said) {
                Some(answer) => answer,
                None => {
                    output.note("There is no method here to trust.")?;
                    continue;
                }
            },
            Reply::Rules => {
                output.rules(session)?;
                continue;
            }
            Reply::Distrust(name) => {
                match session.distrust(&name) {
                    Ok(()) => return Ok(true),
                    Err(error) => output.note(&error.to_string())?,
                }
                continue;
            }
            Reply::Judge { call, right } => {
                let answer = if right { Answer::Correct } else { Answer::wrong() };
                match session.past().find_call(&call) {
                    Ok(found) => {
                        let subject = Subject::Call { call: found.number() };
                        let question = session::question(session.past(), &subject, QuestionDetail::Short)?;
                        session.judge(subject, answer.clone(), Author::Person, now())?;
                        output.answered(&question, Some(&answer), &Author::Person)?;
                        output.contradictions(session)?;
                        return Ok(true);
                    }
                    Err(error) => output.note(&error.to_string())?,
                }
                continue;
            }
            Reply::Quit => {
                output.unanswered(asked)?;
                return Ok(false);
            }
            Reply::Undo | Reply::Redo => {
                let undo = reply == Reply::Undo;
                match if undo { session.undo() } else { session.redo() } {
                    Ok(()) => {
                        output.moved(undo)?;
                        return Ok(true);
                    }
                    Err(error) => output.note(&format!("{error}."))?,
                }
                continue;
            }
            Reply::Back => {
                session.plain(!session.is_plain())?;
                output.note(if session.is_plain() {
                    "Back to the plain tree."
                } else {
                    "The tree is transformed again."
                })?;
                return Ok(true);
            }
            Reply::Why => {
                output.why(asked)?;
                continue;
            }
            Reply::More => {
                if let Some(question) = session.more()? {
                    output.more(&question)?;
                }
                continue;
            }
            Reply::Help => {
                output.note(&replies.help())?;
                continue;
            }
        };
        if let Answer::Wrong { missing: Some(_), .. } = &answer {
            let mut progress = ProgressLine::waiting();
            // If this fails, the answer still counts: it is told beside it.
            let _ = session.prepare_finder(&mut |step| progress.preparing(step));
            progress.clear();
        }
        match session.answer(answer.clone(), Author::Person, now()) {
            Ok(()) => {}
            // A location that is not there: the question stands.
            Err(error @ (session::Error::Past(_) | session::Error::Unrelated { .. }))
                if replies.by_hand() || replies.driven() =>
            {
                output.refused(asked, &error.to_string())?;
                continue;
            }
            Err(error) => return Err(error.into()),
        }
        match session.missing() {
            Some(found) => {
                output.missed(&asked.question, &answer, &Author::Person, session.past(), found)?;
            }
            None => output.answered(&asked.question, Some(&answer), &Author::Person)?,
        }
        output.contradictions(session)?;
        return Ok(true);
    }
}

/// One of several calls that is wrong, said by the number of its row: `n 3`.
fn odd_row(question: &Question, reply: &Reply) -> Option<Subject> {
    let Reply::Answer { kind: AnswerKind::Because, said: Some(said) } = reply else { return None };
    if !matches!(question.about, QuestionAbout::Calls { .. } | QuestionAbout::Thread { .. }) {
        return None;
    }
    let row = said.trim().parse::<usize>().ok()?.checked_sub(1)?;
    question.member_calls.get(row).map(|&call| Subject::Call { call })
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
