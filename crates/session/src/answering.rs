//! What a person or an oracle says: checked, on disk, and only then taken into account. Nothing that was said is lost,
//! also not what is taken back.

use past::Past;

use crate::answer::{Answer, AnswerKind, Author, Judged, TrustScope};
use crate::error::{Error, Result};
use crate::follow_up::exists;
use crate::journal::JournalEntry;
use crate::oracle::{Trust, TrustRule, TrustedCode, method_rule};
use crate::question::Question;
use crate::session::Session;
use crate::state::unparted;
use crate::subject::Subject;

impl Session {
    /// The answer to what is asked now; on disk when this returns.
    pub fn answer(&mut self, answer: Answer, by: Author, now: u64) -> Result<()> {
        let subject = self.pending().ok_or(Error::NothingTo("answer"))?;
        self.judge(subject, answer, by, now)
    }

    /// A judgement on anything, asked or not. Names of locations in it may be as they are said in the call.
    pub fn judge(&mut self, subject: Subject, answer: Answer, by: Author, now: u64) -> Result<()> {
        let answer = self.checked(&subject, answer)?;
        let took = self.took(&by, now);
        self.accept(Judged { subject, answer: answer.clone(), by, at: now, took })?;
        self.pursue(&subject, &answer);
        Ok(())
    }

    /// What a program says of a question that a person would be asked; on disk when this returns. Statements are the
    /// person's: with them nobody else could be asked to confirm.
    pub(crate) fn advised(&mut self, question: &Question, now: u64) -> Result<Option<Judged>> {
        if self.zoomed.is_some() || self.journal_state.doubted || self.oracles.person_first() {
            return Ok(None);
        }
        let Some((kind, with, by)) = self.oracles.advice(question) else { return Ok(None) };
        let subject = question.subject;
        let answer = self.answer_of(&subject, kind, with).map(|answer| self.checked(&subject, answer));
        let Some(Ok(answer)) = answer else {
            self.oracles.refuse(&by, subject);
            return Ok(None);
        };
        let judged = Judged { subject, answer, by, at: now, took: None };
        self.accept(judged.clone())?;
        self.pursue(&subject, &judged.answer);
        Ok(Some(judged))
    }

    /// How long a person took since what is asked was shown. What is said next without being asked is not timed.
    fn took(&mut self, by: &Author, now: u64) -> Option<u64> {
        if *by != Author::Person {
            return None;
        }
        self.shown.take().map(|(_, since)| now.saturating_sub(since))
    }

    /// Another judgement instead of what was said about a subject before; none takes that back.
    pub fn revise(&mut self, subject: Subject, answer: Option<Answer>, by: Author, now: u64) -> Result<()> {
        if !self.journal_state.answers.iter().any(|judged| judged.subject == subject) {
            return Err(Error::NothingTo("revise"));
        }
        let answer = answer.map(|answer| self.checked(&subject, answer)).transpose()?;
        let to = answer.clone().map(|answer| Judged { subject, answer, by, at: now, took: None });
        self.note_entry(JournalEntry::Revised { subject, to })?;
        self.unsettle();
        if let Some(answer) = &answer {
            self.pursue(&subject, answer);
        }
        Ok(())
    }

    /// An answer with the names in it written out; refused if there is nothing of such a name.
    fn checked(&self, subject: &Subject, mut answer: Answer) -> Result<Answer> {
        if let Answer::Wrong { because, missing, .. } = &mut answer {
            for (named, whole) in [(because, false), (missing, true)] {
                let Some(text) = named else { continue };
                *text = self.absolute_name(subject, text)?;
                exists(&self.past, text, self.end_of(subject), whole)?;
                self.concerns(subject, text)?;
            }
        }
        Ok(answer)
    }

    /// Looks for what an answer misses. The answer is kept, whatever becomes of that.
    fn pursue(&mut self, subject: &Subject, answer: &Answer) {
        self.missing = None;
        let Answer::Wrong { missing: Some(text), .. } = answer else { return };
        self.missing = Some(match self.follow_omission(subject, text) {
            Ok((found, missing)) => {
                self.leads.push((*subject, answer.clone(), Some(found)));
                self.state = None;
                Ok(missing)
            }
            Err(error) => Err(error.to_string()),
        });
    }

    pub(crate) fn accept(&mut self, judged: Judged) -> Result<()> {
        let overruled = self.journal_state.overruled.len();
        self.note_entry(JournalEntry::Judged(judged.clone()))?;
        if self.journal_state.overruled.len() > overruled {
            self.state = None;
        }
        let gives_up = self.gives_up_loops(&judged.subject);
        let lasting = match (&judged.answer, &mut self.state) {
            (Answer::Trust { .. }, _) | (_, None) => false,
            // Its members take its place: another tree.
            (Answer::DontKnow, Some(_)) if expands(&judged.subject) => false,
            // As soon as no more parts of these loops are asked about.
            (Answer::DontKnow, Some(_)) if gives_up => false,
            // The part that is left may be small enough for what was postponed.
            (Answer::Wrong { .. }, Some(state)) if state.postponed => false,
            // A list of what was left: it is looked into as a tree of its own.
            (Answer::Wrong { .. }, Some(state)) if state.node_of(&judged.subject).is_none() => false,
            // It leads elsewhere, or to the end of where another one led.
            (Answer::Wrong { because: Some(_), .. } | Answer::Inadmissible, Some(_)) => false,
            (_, Some(state)) if !state.clues.is_empty() => false,
            (_, Some(state)) => {
                state.apply(&judged);
                true
            }
        };
        if !lasting {
            self.state = None;
        }
        self.asked = None;
        Ok(())
    }

    fn gives_up_loops(&self, subject: &Subject) -> bool {
        let is_loop = matches!(subject, Subject::Loop { .. });
        is_loop && !unparted(&self.past, &self.journal_state.answers).is_empty()
    }

    pub fn undo(&mut self) -> Result<()> {
        if !self.journal_state.can_undo() {
            return Err(Error::NothingTo("undo"));
        }
        self.note_entry(JournalEntry::Undo)?;
        self.unsettle();
        Ok(())
    }

    pub fn redo(&mut self) -> Result<()> {
        if !self.journal_state.can_redo() {
            return Err(Error::NothingTo("redo"));
        }
        self.note_entry(JournalEntry::Redo)?;
        self.unsettle();
        Ok(())
    }

    /// The answer of a kind about a subject, with what was said with it. None if there is no code here that could be
    /// trusted as a whole.
    pub fn answer_of(&self, subject: &Subject, kind: AnswerKind, said: Option<String>) -> Option<Answer> {
        Some(match kind {
            AnswerKind::Right => Answer::Correct,
            AnswerKind::Wrong => Answer::wrong(),
            AnswerKind::Because => Answer::Wrong { because: said, missing: None, expected: None },
            AnswerKind::Missing => Answer::Wrong { because: None, missing: said, expected: None },
            AnswerKind::Expected => Answer::Wrong { because: None, missing: None, expected: said },
            AnswerKind::DontKnow => Answer::DontKnow,
            AnswerKind::Inadmissible => Answer::Inadmissible,
            AnswerKind::TrustMethod => self.trust_of(subject, TrustScope::Method)?,
            AnswerKind::TrustClass => self.trust_of(subject, TrustScope::Class)?,
            AnswerKind::TrustPackage => self.trust_of(subject, TrustScope::Package)?,
        })
    }

    /// The scope and name that trust in the code of a subject would be for.
    pub fn trust_of(&self, subject: &Subject, scope: TrustScope) -> Option<Answer> {
        let target = self.past.call_row(subject.call()?)?.target;
        let (owner, method, descriptor) = self.past.target(target);
        let dotted = owner.replace('/', ".");
        let name = match scope {
            TrustScope::Method => method_rule(&owner, &method, &descriptor),
            TrustScope::Class => dotted,
            TrustScope::Package => dotted.rsplit_once('.')?.0.to_owned(),
        };
        Some(Answer::Trust { scope, name })
    }

    /// Takes a rule of trust back.
    pub fn distrust(&mut self, name: &str) -> Result<()> {
        let known = self.rules().iter().any(|rule| match &rule.code {
            TrustedCode::Libraries => name == "libraries",
            TrustedCode::Generated => name == "generated",
            TrustedCode::Named { name: trusted, .. } => trusted == name,
        });
        if !known {
            return Err(Error::NoRule(name.to_owned()));
        }
        self.unsettle();
        self.note_entry(JournalEntry::Distrust(name.to_owned()))
    }

    /// The rules of trust as they are now.
    pub fn rules(&self) -> Vec<TrustRule> {
        self.trust().rules
    }

    pub(crate) fn trust(&self) -> Trust {
        let mut trust = Trust::default();
        for name in &self.options.trust {
            trust.give(scope_of(&self.past, name), name, Author::Person);
        }
        for judged in &self.journal_state.answers {
            if let Answer::Trust { scope, name } = &judged.answer {
                trust.give(*scope, name, judged.by.clone());
            }
        }
        for name in self.options.distrust.iter().chain(&self.journal_state.distrusted) {
            for rule in trust.rules.iter_mut() {
                rule.on &= !match &rule.code {
                    TrustedCode::Libraries => name == "libraries",
                    TrustedCode::Generated => name == "generated",
                    TrustedCode::Named { name: trusted, .. } => trusted == name,
                };
            }
        }
        trust
    }
}

fn expands(subject: &Subject) -> bool {
    match subject {
        Subject::Run { collapsed, .. } => *collapsed,
        Subject::Nest { .. } => true,
        Subject::Call { .. } | Subject::Thread { .. } | Subject::Loop { .. } | Subject::Statement { .. } => {
            false
        }
    }
}

/// What a name is of: a method if one is called so, then a class, else a package.
fn scope_of(past: &Past, name: &str) -> TrustScope {
    let dotted = |owner: &str| owner.replace('/', ".");
    let mut scope = TrustScope::Package;
    for (_, owner, method, ..) in past.methods() {
        let owner = dotted(owner);
        let short = owner.rsplit('.').next().unwrap_or(&owner).to_owned();
        if name == format!("{owner}.{method}") || name == format!("{short}.{method}") {
            return TrustScope::Method;
        }
        if name == owner || name == short {
            scope = TrustScope::Class;
        }
    }
    scope
}
