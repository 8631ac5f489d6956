//! How a dialogue is shown: for a person in a few lines per question, for a program as one JSON object per line.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use past::Past;
use session::{
    Answer, AskReason, AskedQuestion, Author, Judged, Missing, NodeKind, Question, QuestionAbout, Report,
    Session, Subject, TrustedCode, Verdict,
};
use wire::{AnswerLine, AskLine, Moved, Previous, VerdictLine, by};
use words::{
    FactKind, ShownQuestion, answer_word, called, count, held, meanwhile, outcome, question_line,
    question_note,
};

use crate::ask::path_to_question;
use crate::omissions;
use crate::terminal::{Style, Terminal};

pub struct DialogueOutput {
    json: bool,
    out: Terminal,
    dir: PathBuf,
    /// Questions that were put, whoever answered.
    number: usize,
    /// It was told why the tree is not as it was asked for.
    noted: bool,
    /// The cursor is behind a prompt.
    prompted: bool,
    /// Contradictions that were told, by what was judged how.
    told: HashSet<Vec<(Subject, &'static str)>>,
    /// Programs that are not asked any more, and of which that was told.
    silent: usize,
    /// A program reads questions and writes answers in turn: one line out for one line in. What there is to say about its
    /// last answer goes with the next line.
    driven: bool,
    previous: Previous,
}

impl DialogueOutput {
    pub fn new(json: bool, dir: PathBuf, driven: bool) -> DialogueOutput {
        DialogueOutput {
            json,
            driven: json && driven,
            previous: Previous::default(),
            out: Terminal::open(),
            dir,
            number: 0,
            noted: false,
            prompted: false,
            told: HashSet::new(),
            silent: 0,
        }
    }

    pub fn begin(&mut self, session: &Session) -> Result<()> {
        if session.damaged() > 0 {
            eprintln!(
                "inquest: {} lines of the answers in {} are damaged and left out; the file is kept as it is",
                session.damaged(),
                self.dir.display()
            );
        }
        if let Some(why) = session.forgets() {
            eprintln!("inquest: {}", words::forgets(why));
        }
        if self.json {
            return Ok(());
        }
        let why = words::symptom(&session.symptom().why);
        match session.symptom_call() {
            Some(call) => self.out.line(&[
                (Style::Plain, "Looking for the bug in "),
                (Style::Bold, &session.past().call_name(call)),
                (Style::Plain, &format!(", {why}.")),
            ])?,
            None => self.out.line(&[(Style::Plain, &format!("Looking for the bug in {why}."))])?,
        }
        if session.resumed() > 0 {
            let answers = if session.resumed() == 1 { "answer holds" } else { "answers hold" };
            let text = format!("Going on: {} {answers} already (--fresh begins anew).", session.resumed());
            self.out.line(&[(Style::Faint, &text)])?;
        }
        Ok(self.out.flush()?)
    }

    pub fn question(&mut self, session: &Session, asked: &AskedQuestion) -> Result<()> {
        if self.driven {
            let previous = self.take_previous();
            return self.object(open_line(asked, None, previous));
        }
        if self.json {
            return Ok(());
        }
        let way = asked
            .question
            .subject
            .call()
            .map(|call| path_to_question::path(session.past(), session.symptom_call(), call));
        self.out.line(&[])?;
        if let Some(way) = way {
            self.out.line(&[(Style::Faint, &way)])?;
        }
        if let Some(symptom) = words::in_sight(session, self.out.columns()) {
            self.out.line(&[(Style::Red, &symptom)])?;
        }
        let number = format!("{:>2}. ", self.number + 1);
        let shown = words::shown(&asked.question);
        self.out.wrapped(0, &[(Style::Faint, &number), (Style::Bold, &shown.head)])?;
        self.body(&shown)?;
        if asked.why == AskReason::Again {
            self.out.line(&[(Style::Plain, "    Asked again: nothing else is left to ask.")])?;
        }
        let left = format!(
            "    {} {}, {}",
            count(u64::from(asked.suspects)),
            if asked.suspects == 1 { "suspect" } else { "suspects" },
            words::questions_left(asked.range),
        );
        self.out.line(&[(Style::Faint, &left)])?;
        if let Some(places) = words::likeliest(&asked.places) {
            self.out.line(&[(Style::Faint, &format!("    likeliest: {places}"))])?;
        }
        if let Some(note) = session.note().filter(|_| !self.noted) {
            self.noted = true;
            self.out.line(&[(Style::Faint, &format!("    {}", words::search_note(note)))])?;
        }
        if let Some(often) = session.often_right() {
            self.out.line(&[(Style::Plain, &format!("    {}", words::often_right(&often)))])?;
        }
        if self.number == 0 && asked.suspects > MANY && !session.is_transformed() {
            let hint = "    With so many, --transform loops saves most questions: it asks about iterations together.";
            self.out.line(&[(Style::Faint, hint)])?;
        }
        Ok(self.out.flush()?)
    }

    /// Tells of programs that are not asked any more, once. A program that drives the dialogue counts lines: so not to it.
    pub fn silent(&mut self, session: &Session) {
        for why in session.silent().skip(self.silent) {
            eprintln!("inquest: {why}");
            self.silent += 1;
        }
    }

    pub fn prompt(&mut self, asked: &AskedQuestion, by_hand: bool) -> Result<()> {
        if self.json {
            return Ok(());
        }
        self.prompted = true;
        let text = if asked.question.kind == NodeKind::Statement {
            "    All right so far? [y/n/d, ? for more] "
        } else if matches!(asked.question.about, QuestionAbout::Calls { .. }) {
            match by_hand {
                true => "    All right? [y/n/d, N and a number for the odd one, ? for more] ",
                false => "    All right? [y, n, n ROW for the odd one, d, ? for more] ",
            }
        } else {
            "    Right? [y/n/d, ? for more] "
        };
        self.out.piece(text)?;
        Ok(self.out.flush()?)
    }

    /// Ends the line of a prompt that nobody has answered.
    fn leave_prompt(&mut self) -> Result<()> {
        if std::mem::take(&mut self.prompted) {
            self.out.line(&[])?;
        }
        Ok(())
    }

    /// What there is to see of a question below its first line.
    fn body(&mut self, question: &ShownQuestion) -> Result<()> {
        for fact in &question.facts {
            let style = match fact.kind {
                FactKind::Gave | FactKind::Threw | FactKind::Changed | FactKind::Wrote | FactKind::Still => {
                    Style::Yellow
                }
                FactKind::Row => Style::Plain,
                FactKind::Given | FactKind::Note => Style::Faint,
            };
            let label = match fact.kind {
                FactKind::Row => format!("{:>4}  ", fact.label),
                FactKind::Changed | FactKind::Wrote | FactKind::Still if fact.label.is_empty() => {
                    String::new()
                }
                FactKind::Changed | FactKind::Wrote | FactKind::Still => format!("{}: ", fact.label),
                FactKind::Gave | FactKind::Threw | FactKind::Given => format!("{} ", fact.label),
                FactKind::Note => String::new(),
            };
            let named = if style == Style::Faint { Style::Faint } else { Style::Cyan };
            self.out.wrapped(INDENT, &[(named, &label), (style, &fact.text)])?;
        }
        if let Some(folded) = &question.folded {
            self.out.wrapped(INDENT, &[(Style::Faint, &format!("({folded}: s shows more)"))])?;
        }
        Ok(())
    }

    /// All of a question, each value whole.
    fn everything(&mut self, question: &Question) -> Result<()> {
        for member in &question.members {
            self.out.wrapped(INDENT, &[(Style::Faint, "· "), (Style::Plain, &called(member))])?;
        }
        if let Some(result) = question.result.as_ref().filter(|result| *result != "void") {
            self.out.wrapped(INDENT, &[(Style::Cyan, "gave "), (Style::Yellow, result)])?;
        }
        for part in question.receiver.iter().chain(&question.args) {
            let after = part.after.as_ref().map_or(String::new(), |after| format!(" → {}", held(after)));
            self.out.wrapped(
                INDENT,
                &[
                    (Style::Cyan, &part.name),
                    (Style::Plain, if after.is_empty() { " = " } else { ": " }),
                    (Style::Plain, held(&part.before)),
                    (Style::Yellow, &after),
                ],
            )?;
        }
        for shown in &question.changes {
            self.out.wrapped(
                INDENT,
                &[
                    (Style::Cyan, &shown.location),
                    (Style::Plain, ": "),
                    (Style::Plain, &shown.before),
                    (Style::Plain, if shown.is_sink() { "" } else { " → " }),
                    (Style::Yellow, &outcome(&shown.after)),
                    (Style::Yellow, &shown.meanwhile.as_ref().map_or(String::new(), meanwhile)),
                ],
            )?;
        }
        for still in &question.still {
            let text = format!("still {}, written {} times", still.value, still.writes);
            self.out
                .wrapped(INDENT, &[(Style::Cyan, &format!("{}: ", still.location)), (Style::Plain, &text)])?;
        }
        for (location, value) in &question.reads {
            self.out.wrapped(INDENT, &[(Style::Faint, &format!("reads {location} = {}", held(value)))])?;
        }
        if let Some(note) = &question.note {
            self.out.wrapped(INDENT, &[(Style::Faint, &question_note(note))])?;
        }
        if question.more {
            self.out.wrapped(
                INDENT,
                &[(Style::Faint, "(there is more: inquest show and inquest events have all of it)")],
            )?;
        }
        Ok(())
    }

    pub fn answered(&mut self, question: &Question, answer: Option<&Answer>, by: &Author) -> Result<()> {
        self.number += 1;
        if self.driven && *by == Author::Person {
            let answer = answer.map(|answer| answer.letter().to_owned());
            self.previous = Previous { answer, ..about(question) };
            return Ok(());
        }
        if self.json {
            return self.object(AskLine::Answered(Box::new(answer_line(question, answer, by))));
        }
        let said = answer.map_or("not answered", answer_word);
        if *by == Author::Person {
            self.prompted = false;
            self.out.line(&[(Style::Faint, said)])?;
        } else {
            let number = format!("{:>2}. ", self.number);
            let by = match by {
                Author::Command { .. } | Author::Inferred => format!("  {said} ({})", words::author(by)),
                _ => format!("  {said} ({})", wire::by(by)),
            };
            self.out.line(&[
                (Style::Faint, &number),
                (Style::Plain, &question_line(question)),
                (Style::Faint, &by),
            ])?;
        }
        Ok(self.out.flush()?)
    }

    /// What oracles found before anybody was asked: each call for a program, and what is wrong for a person, too; of what is
    /// right, if it is much, how much that is.
    pub fn confirmed(&mut self, session: &Session, known: &[Judged]) -> Result<()> {
        let is_right = |judged: &&Judged| judged.answer == Answer::Correct;
        let right = known.iter().filter(is_right).count();
        let folded = !self.json && right > FEW_CONFIRMED;
        if folded {
            self.number += right;
            let mut authors: Vec<(&Author, u64)> = Vec::new();
            for judged in known.iter().filter(is_right) {
                match authors.iter_mut().find(|(by, _)| *by == &judged.by) {
                    Some((_, count)) => *count += 1,
                    None => authors.push((&judged.by, 1)),
                }
            }
            for (by, calls) in authors {
                let text = format!("    {} calls are right, with all that they called", count(calls));
                let by = format!("  ({})", wire::by(by));
                self.out.line(&[(Style::Plain, &text), (Style::Faint, &by)])?;
            }
            self.out.flush()?;
        }
        for judged in known.iter().filter(|judged| !folded || !is_right(judged)) {
            let question = session::outline(session.past(), &judged.subject)?;
            self.answered(&question, Some(&judged.answer), &judged.by)?;
        }
        match words::other_code(&session.other_code()).filter(|_| !self.json) {
            Some(text) => self.note(&text),
            None => Ok(()),
        }
    }

    /// An answer that missed something, with what was found.
    pub fn missed(
        &mut self,
        question: &Question,
        answer: &Answer,
        by: &Author,
        past: &Past,
        found: std::result::Result<&Missing, &str>,
    ) -> Result<()> {
        if self.json {
            self.number += 1;
            let mut line = answer_line(question, Some(answer), by);
            match found {
                Ok(found) => line.missing = Some(found.balloons.iter().cloned().map(Into::into).collect()),
                Err(why) => line.note = Some(why.to_owned()),
            }
            if self.driven {
                let answer = line.answer;
                self.previous =
                    Previous { answer, missing: line.missing, note: line.note, ..about(question) };
                return Ok(());
            }
            return self.object(AskLine::Answered(Box::new(line)));
        }
        self.answered(question, Some(answer), by)?;
        match found {
            Ok(found) => {
                omissions::print(past, found, &mut self.out)?;
                for why in &found.partial {
                    self.out.line(&[(
                        Style::Faint,
                        &format!("  this may not be all: {}", words::incomplete(why)),
                    )])?;
                }
            }
            Err(why) => self.note(&format!("What is missing could not be looked for: {why}."))?,
        }
        Ok(self.out.flush()?)
    }

    /// The answers ran out before this question.
    pub fn unanswered(&mut self, asked: &AskedQuestion) -> Result<()> {
        if self.driven {
            return Ok(());
        }
        if self.json {
            return self.object(open_line(asked, None, None));
        }
        self.leave_prompt()
    }

    /// An answer that cannot be taken: the question stands.
    pub fn refused(&mut self, asked: &AskedQuestion, why: &str) -> Result<()> {
        if self.driven {
            let previous = self.take_previous();
            return self.object(open_line(asked, Some(why.to_owned()), previous));
        }
        self.note(why)
    }

    pub fn moved(&mut self, undo: bool) -> Result<()> {
        self.number = if undo { self.number.saturating_sub(1) } else { self.number + 1 };
        let moved = if undo { Moved::Undo } else { Moved::Redo };
        if self.driven {
            self.previous = Previous { moved: Some(moved), ..Previous::default() };
            return Ok(());
        }
        if self.json {
            return self.object(AskLine::Moved { moved });
        }
        self.note(if undo { "Taken back." } else { "Said again." })
    }

    pub fn why(&mut self, asked: &AskedQuestion) -> Result<()> {
        self.note(&words::why(asked))
    }

    pub fn more(&mut self, question: &Question) -> Result<()> {
        if self.json {
            return self.object(AskLine::More { more: Box::new(question.clone().into()) });
        }
        self.leave_prompt()?;
        self.out.wrapped(4, &[(Style::Bold, &words::shown(question).head)])?;
        self.everything(question)?;
        Ok(self.out.flush()?)
    }

    /// Something to say that is no answer.
    pub fn note(&mut self, text: &str) -> Result<()> {
        if self.json {
            return self.object(AskLine::Note { note: text.to_owned() });
        }
        self.leave_prompt()?;
        for line in text.lines() {
            self.out.line(&[(Style::Plain, "    "), (Style::Plain, line)])?;
        }
        Ok(self.out.flush()?)
    }

    pub fn wrote(&mut self, what: &str, path: &Path) -> Result<()> {
        self.note(&format!("Wrote {what} to {}.", path.display()))
    }

    /// What is trusted, and by whose word.
    pub fn rules(&mut self, session: &Session) -> Result<()> {
        for rule in session.rules() {
            let what = match &rule.code {
                TrustedCode::Libraries => "libraries".to_owned(),
                TrustedCode::Generated => "generated (methods that no source has)".to_owned(),
                TrustedCode::Named { name, .. } => name.clone(),
            };
            let state = if rule.on { "trusted" } else { "not trusted" };
            self.note(&format!("{what}: {state}, by {}", by(&rule.by)))?;
        }
        Ok(())
    }

    /// Tells of contradictions that were not told yet.
    pub fn contradictions(&mut self, session: &Session) -> Result<()> {
        for found in session.contradictions() {
            let judged = |one: &Judged| (one.subject, one.answer.letter());
            if !self.told.insert(found.answers.iter().map(judged).collect()) {
                continue;
            }
            let contradiction = wire::Contradiction::of(session, &found);
            if self.driven {
                self.previous.contradiction = Some(contradiction);
                continue;
            }
            if self.json {
                self.object(AskLine::Contradiction { contradiction })?;
                continue;
            }
            let named = found.answers.iter().zip(&contradiction.answers).map(|(judged, given)| {
                let by = words::author(&judged.by);
                format!("{}: {} ({by})", given.about.call, answer_word(&judged.answer))
            });
            let list: Vec<String> = named.collect();
            let what = contradiction.why;
            self.note(&format!(
                "These do not go together ({what}); u takes the last back:\n  {}",
                list.join("\n  ")
            ))?;
        }
        Ok(())
    }

    pub fn verdict(&mut self, session: &Session, outcome: &Verdict, report: Option<&Report>) -> Result<()> {
        let suspects = wire::suspects(session, outcome);
        if self.json {
            let line = VerdictLine {
                verdict: outcome.into(),
                certain: matches!(outcome, Verdict::Buggy(_)) && report.is_some_and(Report::is_certain),
                probability: session.doubt().map(|doubt| doubt.chance),
                call: report.map(|report| report.call.clone()),
                number: report.and_then(|report| report.subject.call()).map(past::CallId::number),
                method: report.map(|report| report.method.clone()),
                file: report.and_then(|report| report.file.clone()),
                lines: report.map(|report| report.lines.clone()).unwrap_or_default(),
                likely: report.map(|report| report.likely.clone()).unwrap_or_default(),
                unsure: report.map(|report| report.unsure.clone()).unwrap_or_default(),
                made: report
                    .map(|report| report.made.iter().map(|made| made.line).collect())
                    .unwrap_or_default(),
                questions: session.questions(),
                answers: session.answers().len(),
                lacking: session
                    .lacking()
                    .filter(|_| matches!(outcome, Verdict::Suspects(_)))
                    .map(|lacking| words::lacking(&lacking)),
                suspects,
                trusted: report
                    .map(|report| report.trusted.iter().cloned().map(Into::into).collect())
                    .unwrap_or_default(),
                elsewhere: report.map(words::elsewhere).unwrap_or_default(),
                missing_failed: report.and_then(|report| report.missing_failed.clone()),
                previous: self.take_previous(),
            };
            return self.object(AskLine::Verdict(Box::new(line)));
        }
        self.out.line(&[])?;
        match (outcome, report) {
            (Verdict::Buggy(_), Some(report)) => {
                self.out.lines(&words::report_lines(report))?;
            }
            (Verdict::Correct, _) => {
                let root = session.symptom_call().map(|call| session.past().call_name(call));
                let root = root.unwrap_or_else(|| "all that was recorded".to_owned());
                self.out
                    .line(&[(Style::Green, &format!("Nothing is wrong in {root}, by these answers."))])?;
            }
            (Verdict::Running, _) => {
                self.out.line(&[(Style::Plain, "The bug has not happened yet: all that ended is right.")])?;
            }
            _ => {
                self.out.line(&[(Style::Plain, "Not found yet. Still suspected:")])?;
                for suspect in &suspects {
                    let line = suspect.line.map_or(String::new(), |line| format!(", line {line}"));
                    self.out.line(&[
                        (Style::Plain, "  "),
                        (Style::Yellow, &suspect.call),
                        (Style::Yellow, &line),
                    ])?;
                }
                if let Some(why) = session.lacking() {
                    self.out.line(&[(
                        Style::Plain,
                        &format!("Not enough to say more: {}.", words::lacking(&why)),
                    )])?;
                }
                let hint = format!("Go on with: inquest ask {}", self.dir.display());
                self.out.line(&[(Style::Faint, &hint)])?;
            }
        }
        let questions = session.questions();
        let all = session.answers().len();
        let mut text =
            format!("{questions} {} to you", if questions == 1 { "question" } else { "questions" });
        if all > questions {
            text += &format!(", {} answered by others", all - questions);
        }
        self.out.line(&[(Style::Faint, &format!("{text}."))])?;
        Ok(self.out.flush()?)
    }

    /// What there is to say about the answer before, with a line that is waited for.
    fn take_previous(&mut self) -> Option<Previous> {
        let previous = std::mem::take(&mut self.previous);
        (previous != Previous::default()).then_some(previous)
    }

    fn object(&mut self, line: AskLine) -> Result<()> {
        self.out.json_line(&line)?;
        Ok(self.out.flush()?)
    }
}

/// Calls that others called right and that are listed one by one, at most.
const FEW_CONFIRMED: usize = 5;
/// Columns before what is told of a question.
const INDENT: usize = 6;
/// Suspects from which on it pays to ask about iterations of loops instead of calls.
const MANY: u32 = 300;

/// A question that has no answer yet.
fn open_line(asked: &AskedQuestion, note: Option<String>, previous: Option<Previous>) -> AskLine {
    let open = AnswerLine::open(asked.question.clone().into());
    let places = asked.places.iter().cloned().map(Into::into).collect();
    AskLine::Answered(Box::new(AnswerLine { places, note, previous, ..open }))
}

fn answer_line(question: &Question, answer: Option<&Answer>, author: &Author) -> AnswerLine {
    AnswerLine {
        answer: answer.map(|answer| answer.letter().to_owned()),
        by: Some(by(author)),
        why: wire::why(author),
        reliability: wire::reliability(author),
        ..AnswerLine::open(question.clone().into())
    }
}

/// What was asked before.
fn about(question: &Question) -> Previous {
    Previous { call: Some(question.call.clone()), ..Previous::default() }
}
