//! The dialogue itself: get the tree, transform it, select a node, ask, take the answer
//! in, transform again, and at the end say which code is guilty. One question at a time; what a client does between
//! two calls is its own business.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use base::{CallId, MethodId, Target};
use past::Past;
use strategy::{ChoiceReason, Strategy};
use tree::{Node, Transform, Tree};

use crate::accessors::Accessors;
use crate::answer::{Answer, Author, Judged};
use crate::belief::{Changed, Clue, LikelyPlace, Reasons, places};
use crate::contradiction::{Contradiction, contradictions};
use crate::entry::{Named as NamedSymptom, Symptom, SymptomReason, Way};
use crate::error::Result;
use crate::extent::extent;
use crate::follow_up::FollowUp;
use crate::journal::{Journal, JournalEntry, JournalState};
use crate::junit::{JunitTest, JunitVersion, WhyNot, junit};
use crate::missing::{Missing, SharedFinder};
use crate::oracle::MemoryError;
use crate::oracles::Oracles;
use crate::plain::Root;
use crate::question::{Question, QuestionDetail, question};
use crate::repeats::Repeats;
use crate::report::{Guilty, Report, report};
use crate::select::{Choice, Costs, has_content};
use crate::state::{Plan, SearchNote, SearchState};
use crate::subject::Subject;
use crate::testimony::tested_elsewhere;
use crate::zoom;

/// The name of the root that stands for all that was recorded.
pub const WHOLE_RUN: &str = "the whole run";

/// What a client asks for.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The call that shows the symptom, by name; found if not given.
    pub root: Option<String>,
    /// The symptom, if it is named otherwise.
    pub symptom: Option<NamedSymptom>,
    /// The root is asked about like any other.
    pub ask_root: bool,
    /// And before all others, whatever the strategy says.
    pub root_first: bool,
    /// A call that is the equal of one that was judged is judged likewise.
    pub take_over: bool,
    /// Small calls that are all that is left are asked about as one list: for a person, who sees which one is odd. A
    /// program that answers knows of one call at a time.
    pub lists: bool,
    pub strategy: Strategy,
    /// Prefer questions that are easy to answer, as far as that costs little.
    pub easy: bool,
    pub transforms: Vec<Transform>,
    /// Methods, classes or packages to trust.
    pub trust: Vec<String>,
    /// Names of what is not to be trusted; `libraries` and `generated` are what is by default.
    pub distrust: Vec<String>,
    /// What was changed since it last worked.
    pub changed: Option<Changed>,
    /// Only a certain verdict ends the search, however likely another one is.
    pub certain: bool,
    /// Begin anew, whatever was said before.
    pub fresh: bool,
    /// A session that came to its end is not shown again: begin anew.
    pub repeat: bool,
}

/// One search. All that it knows follows from the journal and the recording, so it can be dropped at any time.
pub struct Session {
    pub(crate) past: Arc<Past>,
    pub(crate) symptom: Symptom,
    pub(crate) options: SessionOptions,
    pub(crate) journal: Journal,
    pub(crate) journal_state: JournalState,
    pub(crate) oracles: Oracles,
    pub(crate) state: Option<SearchState>,
    /// Where answers lead, as far as that was worked out.
    pub(crate) leads: Vec<(Subject, Answer, Option<FollowUp>)>,
    pub(crate) finder: SharedFinder,
    /// What the last answer that missed something found, or why nothing could be found.
    pub(crate) missing: Option<std::result::Result<Missing, String>>,
    /// The guilty call that is being looked into, statement by statement.
    pub(crate) zoomed: Option<CallId>,
    /// What is asked now.
    pub(crate) asked: Option<Choice>,
    /// What a person was shown last, and when, by the client's clock.
    pub(crate) shown: Option<(Subject, u64)>,
    pub(crate) repeats: Repeats,
    /// What the symptom says of where to look, once that was worked out.
    pub(crate) clues: Option<Vec<Clue>>,
    /// How the value came about that is wrong, once that was worked out.
    pub(crate) way: Option<Option<Way>>,
    /// The methods that were other code where oracles know the program to have worked.
    pub(crate) other_code: HashSet<MethodId>,
    /// How many tests that passed in other JVMs of the run ran a method, once that was looked up.
    pub(crate) tested: Option<HashMap<MethodId, u32>>,
    pub(crate) costs: RefCell<Costs>,
    pub(crate) accessors: RefCell<Accessors>,
    /// Why the verdict is not certain, if it is not.
    pub(crate) doubt: Option<Doubt>,
    /// What was found, so that it is not worked out each time somebody looks.
    pub(crate) found: Option<Report>,
    /// How often the tree was made.
    pub(crate) generation: u64,
    /// Oracles have looked at all of the tree, and nothing was taken back since.
    pub(crate) swept: bool,
    /// Calls of whose results the test that failed asserted what they are.
    pub(crate) asserted: Option<Vec<CallId>>,
    /// The session was there already, with so many answers.
    pub(crate) resumed: usize,
}

/// What comes next in the dialogue.
pub enum Next {
    /// A person is to answer this.
    Question(Box<AskedQuestion>),
    /// Somebody else knew.
    Answered(Judged),
    /// Oracles looked at all there is, and found these right.
    Confirmed(Vec<Judged>),
    Verdict(Verdict),
}

/// A question with what there is to say about it.
pub struct AskedQuestion {
    pub question: Question,
    pub why: AskReason,
    /// Suspects, as many as there are.
    pub suspects: u32,
    /// Questions after which the search ends, about, this one included.
    pub expected: f64,
    /// As few questions and as many as are to be expected, this one included.
    pub range: (u32, u32),
    /// What is likeliest to be wrong, by what is believed; empty if the strategy does not ask by that.
    pub places: Vec<LikelyPlace>,
}

/// Why a verdict is likely rather than certain.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// How likely it is right.
    pub chance: f64,
    /// Calls in the guilty one that nobody has judged.
    pub unjudged: u32,
    /// Where else the bug may be.
    pub elsewhere: Vec<LikelyPlace>,
}

/// Why this is asked now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AskReason {
    /// The strategy chose it.
    Chosen(ChoiceReason),
    /// The value that was called wrong was written there.
    Followed,
    /// What a call should never have been given came from there.
    Given,
    /// What was missing was prevented there.
    Prevented,
    /// Nothing else is left to ask.
    Again,
    /// It would be blamed, and nobody has called it wrong yet.
    Unproven,
    /// It would be blamed, and only who is not sure has called it wrong.
    Unsure,
    /// It is the root, and to be asked about first.
    Root,
    /// These are all that is left.
    Left,
}

/// What would make certain what is suspected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// Nobody has called this call wrong, and nothing failed by itself.
    Judgement { call: String },
    /// Only a program that is not sure has called this call wrong.
    Certainty { call: String },
    /// By the oracles' word alone the root itself would be to blame: of what they found right somebody has to say
    /// whether it is.
    Confirmation,
}

/// What a session came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// This code is guilty.
    Buggy(Subject),
    /// Nothing under the root is wrong.
    Correct,
    /// Only what nobody could judge is left.
    Suspects(Vec<Subject>),
    /// What is left has not ended yet.
    Running,
}

impl Verdict {
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Buggy(_) => "buggy",
            Verdict::Correct => "correct",
            Verdict::Suspects(_) => "suspects",
            Verdict::Running => "running",
        }
    }
}

impl Session {
    pub fn past(&self) -> &Past {
        &self.past
    }

    /// The recording, for looking into it while the session goes on. A running program's news are taken in when
    /// nobody looks.
    pub fn shared_past(&self) -> Arc<Past> {
        Arc::clone(&self.past)
    }

    pub fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// Another way to choose questions, or another tree; answers hold.
    pub fn choose_by(&mut self, strategy: Strategy, transforms: Vec<Transform>) {
        self.options.strategy = strategy;
        self.options.transforms = transforms;
        self.unsettle();
    }

    /// Can something be taken back, or said again?
    pub fn can_move(&self) -> (bool, bool) {
        (self.journal_state.can_undo(), self.journal_state.can_redo())
    }

    /// What is asked now.
    pub fn pending(&self) -> Option<Subject> {
        self.asked.map(|choice| choice.subject)
    }

    pub fn symptom(&self) -> &Symptom {
        &self.symptom
    }

    /// The call that shows the symptom; none if it is the whole run.
    pub fn symptom_call(&self) -> Option<CallId> {
        (self.symptom.why != SymptomReason::WholeRun).then_some(self.symptom.call)
    }

    /// How many answers were there already when the session was opened.
    pub fn resumed(&self) -> usize {
        self.resumed
    }

    /// Lines of the journal that could not be read.
    pub fn damaged(&self) -> usize {
        self.journal.damaged()
    }

    /// Why a person's answers are not kept for other sessions, if they should be.
    pub fn forgets(&self) -> Option<&MemoryError> {
        self.oracles.forgets()
    }

    /// The answers that hold, the first first.
    pub fn answers(&self) -> &[Judged] {
        &self.journal_state.answers
    }

    /// Questions that a person answered.
    pub fn questions(&self) -> usize {
        self.journal_state.answers.iter().filter(|judged| judged.by == Author::Person).count()
    }

    /// Answers that do not go together, each with the few to look at again.
    pub fn contradictions(&self) -> Vec<Contradiction> {
        contradictions(&self.past, &self.journal_state.answers, &self.journal_state.overruled)
    }

    /// The method that is asked about again, and how many of its calls a person called right one by one, if these are many:
    /// to trust it would save the others.
    pub fn often_right(&self) -> Option<(String, usize)> {
        let target = |subject: &Subject| match subject {
            Subject::Call { .. } => Some(self.past.call_row(subject.call()?)?.target),
            _ => None,
        };
        let asked = target(&self.pending()?)?;
        let judged = self.journal_state.answers.iter();
        let judged =
            judged.filter(|judged| judged.by == Author::Person && target(&judged.subject) == Some(asked));
        let (right, others): (Vec<&Judged>, Vec<&Judged>) =
            judged.partition(|judged| judged.answer == Answer::Correct);
        (right.len() >= OFTEN && others.is_empty()).then(|| (self.past.method_name(asked), right.len()))
    }

    /// Programs that are not asked any more, and why.
    pub fn silent(&self) -> impl Iterator<Item = &str> {
        self.oracles.silent()
    }

    /// Why the tree is not transformed as it was asked for.
    pub fn note(&self) -> Option<SearchNote> {
        self.state.as_ref()?.note
    }

    /// Is the program still running, as far as is known?
    pub fn is_live(&self) -> bool {
        self.past.is_live()
    }

    /// Takes in what the program did since; true if there was something. What is asked stays.
    pub fn refresh(&mut self) -> Result<bool> {
        Ok(match self.past_alone() {
            Some(past) => past.refresh()?,
            None => false,
        })
    }

    /// For what `Past::catch_up` found, which needs no session itself; none while somebody looks into the past.
    pub fn past_alone(&mut self) -> Option<&mut Past> {
        self.state = None;
        self.found = None;
        Arc::get_mut(&mut self.past)
    }

    /// The next question, an answer that an oracle gave, or the end.
    pub fn next(&mut self, now: u64) -> Result<Next> {
        self.prepare()?;
        self.past.make_room();
        let confirmed = self.sweep(now)?;
        if !confirmed.is_empty() {
            return Ok(Next::Confirmed(confirmed));
        }
        let (outcome, choice) = self.select()?;
        self.past.make_room();
        if let Some(outcome) = outcome {
            self.asked = None;
            if outcome != Verdict::Running && self.journal_state.ended.as_deref() != Some(outcome.name()) {
                self.note_entry(JournalEntry::Ended(outcome.name().to_owned()))?;
            }
            return Ok(Next::Verdict(outcome));
        }
        let Some(choice @ Choice { subject, why }) = choice else {
            return Ok(Next::Verdict(self.left_over()));
        };
        let confirms = why == AskReason::Unsure;
        if !confirms && let Some((subject, answer, by)) = self.known(subject) {
            let judged = Judged { subject, answer, by, at: now, took: None };
            self.accept(judged.clone())?;
            return Ok(Next::Answered(judged));
        }
        self.asked = Some(choice);
        if self.shown.is_none_or(|(before, _)| before != subject) {
            self.shown = Some((subject, now));
        }
        let made = self.costs.get_mut().made(&subject);
        let mut question = made.map_or_else(|| question(&self.past, &subject, QuestionDetail::Short), Ok)?;
        if self.zoomed.is_some() {
            zoom::widen(&self.past, &mut question);
        }
        self.find_way();
        if let Some(Some(way)) = &self.way {
            question.put_on_way(&self.past, way);
        }
        if !confirms && let Some(judged) = self.advised(&question, now)? {
            return Ok(Next::Answered(judged));
        }
        let suspects = self.state.as_ref().map_or(0, |state| state.suspects.count(state.suspects.root()));
        let expected = f64::from(suspects.max(1)).log2().max(1.0);
        let range = expectation(&why, suspects);
        let places = self.places(Some(&subject));
        Ok(Next::Question(Box::new(AskedQuestion { question, why, suspects, expected, range, places })))
    }

    /// What is likeliest to be wrong, by what is believed, and after either answer about a subject.
    pub(crate) fn places(&self, asked: Option<&Subject>) -> Vec<LikelyPlace> {
        let Some(state) = self.state.as_ref().filter(|_| self.zoomed.is_none()) else { return Vec::new() };
        let Some(belief) = &state.learned.belief else { return Vec::new() };
        let node = asked.and_then(|subject| state.node_of(subject));
        let range = node.map(|node| (node, state.suspects.tree().end(node)));
        let mut belief = belief.clone();
        belief.follow(&state.suspects);
        places(&self.past, &belief, range)
    }

    /// How likely the method of a call is believed to be what is wrong; none if nothing is believed.
    pub fn chance_of(&self, call: CallId) -> Option<f64> {
        let state = self.state.as_ref()?;
        let belief = state.learned.belief.as_ref()?;
        let code = state.plain.group(Node(state.plain.row(call)?.0));
        let of_it = |one: &strategy::UnitChance| belief.units[one.unit.0 as usize] == code;
        Some(belief.chances().iter().find(|one| of_it(one)).map_or(0.0, |one| one.chance))
    }

    /// Why the verdict is only likely; none if it is certain, or there is none yet.
    pub fn doubt(&self) -> Option<&Doubt> {
        self.doubt.as_ref()
    }

    /// Goes on until the verdict is certain.
    pub fn insist(&mut self) -> Result<()> {
        self.doubt = None;
        self.note_entry(JournalEntry::Insisted)
    }

    /// What is asked now, with more about it.
    pub fn more(&self) -> Result<Option<Question>> {
        let Some(subject) = self.pending() else { return Ok(None) };
        let mut question = question(&self.past, &subject, QuestionDetail::More)?;
        if self.zoomed.is_some() {
            zoom::widen(&self.past, &mut question);
        }
        Ok(Some(question))
    }

    /// What the last answer that missed something found, or why nothing could be found.
    pub fn missing(&self) -> Option<std::result::Result<&Missing, &str>> {
        self.missing.as_ref().map(|found| found.as_ref().map_err(String::as_str))
    }

    /// Transformations off, or on again.
    pub fn plain(&mut self, plain: bool) -> Result<()> {
        self.unsettle();
        self.note_entry(JournalEntry::Plain(plain))
    }

    /// Is the tree asked about another than that of the calls?
    pub fn is_transformed(&self) -> bool {
        !self.options.transforms.is_empty()
    }

    pub fn is_plain(&self) -> bool {
        self.journal_state.plain
    }

    /// Looks into a guilty call, statement by statement.
    pub fn zoom(&mut self, call: CallId) {
        self.zoomed = Some(call);
        self.unsettle();
    }

    /// What is asked next is to be chosen anew, from a tree made anew.
    pub(crate) fn unsettle(&mut self) {
        self.state = None;
        self.asked = None;
        self.found = None;
        self.swept = false;
    }

    /// Is a call looked into, statement by statement?
    pub fn zoomed(&self) -> Option<CallId> {
        self.zoomed
    }

    /// Back from its statements to calls.
    pub fn zoom_out(&mut self) {
        self.zoomed = None;
        self.unsettle();
    }

    /// Subjects that were judged wrong, from the symptom down to this one.
    pub fn path(&self, guilty: &Subject) -> Vec<Subject> {
        let whole = self.symptom.why == SymptomReason::WholeRun;
        let root = Subject::Call { call: self.symptom.call.number() };
        let mut path: Vec<Subject> = (!whole).then_some(root).into_iter().collect();
        let Some(inner) = extent(&self.past, guilty) else { return path };
        for judged in &self.journal_state.answers {
            let wrong = matches!(judged.answer, Answer::Wrong { .. });
            let around = extent(&self.past, &judged.subject).is_some_and(|outer| outer.holds(&inner));
            if wrong && around && path.last() != Some(&judged.subject) {
                path.push(judged.subject);
            }
        }
        if path.last() != Some(guilty) {
            path.push(*guilty);
        }
        path
    }

    /// What was found, with all that there is to say about it.
    pub fn report(&mut self, guilty: &Subject) -> Result<Report> {
        if let Some(found) = self.found.as_ref().filter(|found| found.subject == *guilty) {
            return Ok(found.clone());
        }
        let missed = self.journal_state.answers.iter().rev().find_map(|judged| match &judged.answer {
            Answer::Wrong { missing: Some(text), .. } => Some((judged.subject, text.clone())),
            _ => None,
        });
        let sought = missed.map(|(subject, text)| self.follow_omission(&subject, &text));
        let (missing, missing_failed) = match sought {
            Some(Ok((_, missing))) => (Some(missing), None),
            Some(Err(error)) => (None, Some(error.to_string())),
            None => (None, None),
        };
        self.find_way();
        let found = Guilty {
            missing,
            missing_failed,
            subject: *guilty,
            path: self.path(guilty),
            children: self.cleared_children(guilty),
            answers: &self.journal_state.answers,
            trust: &self.trust(),
            good: guilty.call().and_then(|call| self.oracles.instead(call)),
            doubt: self.doubt.clone(),
            earlier: self.made_before(guilty),
            way: self.way.as_ref().and_then(Option::as_ref),
        };
        let found = report(&self.past, &found)?;
        self.found = Some(found.clone());
        Ok(found)
    }

    /// Calls that what is wrong was made in before the call began that it shows in: if that one is blamed itself, it may be
    /// theirs.
    fn made_before(&self, guilty: &Subject) -> Vec<CallId> {
        let Some(root) = self.symptom_call().filter(|&root| guilty.call() == Some(root)) else {
            return Vec::new();
        };
        // What has a part in it by data alone says more than what only decided.
        let outside = self.clues.iter().flatten().map(|clue| clue.outside(&self.past, root));
        let calls = outside.into_iter().find(|calls| !calls.is_empty());
        let mut calls = calls.unwrap_or_else(|| crate::earlier::writers(&self.past, root));
        calls.truncate(MADE_BEFORE);
        calls
    }

    /// A test that repeats a wrong call; if it cannot be made anew, the nearest call around it that is wrong, too.
    pub fn junit(&self, guilty: &Subject) -> std::result::Result<JunitTest, WhyNot> {
        let version = JunitVersion::of(&self.past);
        let why = match self.junit_of(guilty, version) {
            Ok(test) => return Ok(test),
            Err(why) => why,
        };
        let around = self.path(guilty).into_iter().rev().filter(|subject| subject != guilty);
        for subject in around {
            if let Ok(mut test) = self.junit_of(&subject, version) {
                let name = |subject: &Subject| subject.call().map(|call| self.past.call_name(call));
                let (own, made) = (name(guilty).unwrap_or_default(), name(&subject).unwrap_or_default());
                test.notes.insert(
                    0,
                    format!(
                        "it repeats {made}, which is wrong because of {own}; of that none can be made: {why}"
                    ),
                );
                return Ok(test);
            }
        }
        Err(why)
    }

    fn junit_of(&self, guilty: &Subject, version: JunitVersion) -> std::result::Result<JunitTest, WhyNot> {
        let expected = self.journal_state.answers.iter().rev().find_map(|judged| match &judged.answer {
            Answer::Wrong { expected: Some(expected), .. } if judged.subject == *guilty => {
                Some(expected.as_str())
            }
            _ => None,
        });
        junit(&self.past, guilty, expected, version)
    }

    /// Nodes right below one, in the tree that is asked about.
    fn children(&self, subject: &Subject) -> Vec<Subject> {
        let Some(state) = &self.state else { return Vec::new() };
        let Some((tree, node)) = state.tree.as_ref().zip(state.node_of(subject)) else {
            return Vec::new();
        };
        let children = tree.children(node).take(MAX_CHILDREN).filter_map(|child| state.subject(child));
        // What was passed over without a question is the call's own.
        children.filter(|child| has_content(&self.past, child)).collect()
    }

    /// The children whose doing is not the guilty call's. A verdict that is only likely names a call without having asked about
    /// its loops and statements: those that nobody judged right are still the call's own.
    fn cleared_children(&self, guilty: &Subject) -> Vec<Subject> {
        let mut children = self.children(guilty);
        if self.doubt.is_some() {
            let right = |child: &Subject| {
                let judged = self.journal_state.answers.iter().rev().find(|judged| judged.subject == *child);
                judged.is_some_and(|judged| matches!(judged.answer, Answer::Correct))
            };
            children.retain(|child| child.call() != guilty.call() || right(child));
        }
        children
    }

    /// Keeps what a person said for sessions to come. To be called when a dialogue is over, or left: telling calls
    /// apart across versions takes a moment each.
    pub fn remember(&mut self) {
        for judged in &self.journal_state.answers {
            self.oracles.remember(&self.past, judged);
        }
    }

    pub(crate) fn note_entry(&mut self, entry: JournalEntry) -> Result<()> {
        self.note_entries(vec![entry])
    }

    pub(crate) fn note_entries(&mut self, entries: Vec<JournalEntry>) -> Result<()> {
        // What is not on disk was not said.
        self.journal.append(entries.clone())?;
        entries.iter().for_each(|entry| self.journal_state.apply(entry));
        self.found = None;
        Ok(())
    }

    /// Where an answer leads; worked out once.
    fn lead(&mut self, judged: &Judged) -> Option<FollowUp> {
        if !judged.answer.leads() {
            return None;
        }
        let known = self
            .leads
            .iter()
            .find(|(subject, answer, _)| *subject == judged.subject && *answer == judged.answer);
        if let Some((.., lead)) = known {
            return lead.clone();
        }
        let lead = self.lead_of(&judged.subject, &judged.answer);
        self.leads.push((judged.subject, judged.answer.clone(), lead.clone()));
        lead
    }

    /// Did somebody say of a call that something is missing?
    fn missed(&self, call: CallId) -> bool {
        let subject = Subject::Call { call: call.number() };
        self.journal_state.answers.iter().any(|judged| {
            judged.subject == subject && matches!(judged.answer, Answer::Wrong { missing: Some(_), .. })
        })
    }

    /// Works out how the value that is wrong came about; once.
    fn find_way(&mut self) {
        if self.way.is_none() {
            self.way = Some(self.symptom_call().and_then(|_| Way::of(&self.past, &self.symptom)));
        }
    }

    /// The methods that were other code where oracles know the program to have worked, by name.
    pub fn other_code(&self) -> Vec<String> {
        let name = |&method: &MethodId| self.past.method_name(Target::Method(method));
        let names: BTreeSet<String> = self.other_code.iter().map(name).collect();
        names.into_iter().collect()
    }

    /// What speaks for or against code beside answers.
    fn reasons(&mut self) -> Arc<Reasons> {
        if !self.options.strategy.believes() {
            return Arc::default();
        }
        let whole = self.symptom_call().is_none();
        let (past, symptom) = (&self.past, &self.symptom);
        let follow = || if whole { Vec::new() } else { Clue::of_symptom(past, symptom) };
        let clues = self.clues.get_or_insert_with(follow).clone();
        let other_code = self.oracles.other_code(&self.past);
        self.other_code.clone_from(&other_code);
        let tested = self.tested.get_or_insert_with(|| tested_elsewhere(&self.past)).clone();
        Arc::new(Reasons { changed: self.options.changed.clone(), other_code, clues, tested })
    }

    /// What the tree is of.
    pub(crate) fn root(&self) -> Root {
        match self.symptom.why {
            SymptomReason::WholeRun => Root::WholeRun,
            _ => Root::Call(self.symptom.call),
        }
    }

    /// Is the root taken as wrong? Of a whole run in which nothing failed nobody has said so.
    pub(crate) fn is_root_wrong(&self) -> bool {
        !self.options.ask_root && self.symptom.why != SymptomReason::WholeRun
    }

    pub(crate) fn prepare(&mut self) -> Result<()> {
        if self.state.is_some() {
            return Ok(());
        }
        self.generation += 1;
        let plan = Plan {
            root: self.root(),
            root_wrong: self.is_root_wrong(),
            strategy: self.options.strategy,
            transforms: if self.journal_state.plain { Vec::new() } else { self.options.transforms.clone() },
            trust: self.trust(),
            reasons: self.reasons(),
        };
        // Statements are judged only within the call that is looked into.
        let statement = |judged: &Judged| matches!(judged.subject, Subject::Statement { .. });
        let zoomed = self.zoomed.is_some();
        let answers = self.journal_state.answers.iter().filter(|judged| statement(judged) == zoomed);
        let answers: Vec<Judged> = answers.cloned().collect();
        self.state = Some(match self.zoomed {
            Some(call) => zoom::build(&self.past, call, &answers, self.missed(call))?,
            None => {
                let leads: Vec<Option<FollowUp>> = answers.iter().map(|judged| self.lead(judged)).collect();
                SearchState::build(&self.past, &plan, &answers, &leads)?
            }
        });
        Ok(())
    }
}

/// Calls before the one that is blamed, that are named.
const MADE_BEFORE: usize = 3;
/// Calls of a method that were called right, from which on it is worth being trusted.
const OFTEN: usize = 4;
/// Children of a guilty node that are looked at, at most.
const MAX_CHILDREN: usize = 10_000;

/// As few questions and as many as are to be expected, this one included.
fn expectation(why: &AskReason, suspects: u32) -> (u32, u32) {
    let halving = f64::from(suspects.max(2)).log2();
    let (few, many) = match why {
        // Fitted to dialogues about planted bugs: of a hundred questions 87 have so many left.
        AskReason::Chosen(ChoiceReason { teaches: Some(teaches), .. }) => {
            (0.6 * teaches.open, 2.0 * teaches.open + 2.0)
        }
        // Perfect halving takes the first; if all to come divide no better than this one, it is the second.
        AskReason::Chosen(why) => {
            let inside = why.inside / (why.inside + why.outside).max(f64::MIN_POSITIVE);
            let part = |share: f64| if share > 0.0 { -share * share.log2() } else { 0.0 };
            (halving, halving / (part(inside) + part(1.0 - inside)).max(1e-3))
        }
        _ => (1.0, halving),
    };
    let few = few.round().max(1.0);
    (few as u32, many.ceil().clamp(few, f64::from(suspects).max(few)) as u32)
}
