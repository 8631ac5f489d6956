//! What to ask next, or what the end is: the strategy's choice, unless a wrong value leads elsewhere; and what oracles
//! know before a person is asked.

use std::cell::RefCell;
use std::collections::HashMap;

use past::Past;
use strategy::Strategy;
use tree::{Conclusion, Node, Suspects};

use crate::accessors::Accessors;
use crate::answer::{Answer, Author, Judged};
use crate::error::Result;
use crate::evidence::Evidence;
use crate::extent::extent;
use crate::journal::JournalEntry;
use crate::listing;
use crate::oracles::Oracles;
use crate::question::{Question, QuestionDetail, question};
use crate::session::{AskReason, Doubt, Lacking, Session, SessionOptions, Verdict};
use crate::state::{SearchState, fragment_at, subject_of};
use crate::subject::Subject;

/// Suspects that are named at the end, at most.
const MAX_LEFT: usize = 20;
/// Questions about the same thing before it is given up.
const MAX_TIMES_ASKED: usize = 2;
/// Other nodes that oracles are asked about before a person is asked about the best one.
const OTHERS: usize = 32;
/// How likely the code of a wrong call has to be what is wrong to end the search.
const LIKELY: f64 = 0.97;

/// Loops without content that are passed over for one question; each is replayed to know that.
const PASSED_OVER: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice {
    pub subject: Subject,
    pub why: AskReason,
}

impl Session {
    /// The end, or what to ask next.
    pub(crate) fn select(&mut self) -> Result<(Option<Verdict>, Option<Choice>)> {
        self.select_among(PASSED_OVER)
    }

    /// `left`: how many loops without content may still be passed over.
    fn select_among(&mut self, left: usize) -> Result<(Option<Verdict>, Option<Choice>)> {
        let Some(state) = &mut self.state else { return Ok((Some(Verdict::Correct), None)) };
        self.doubt = None;
        // Where an answer leads comes before what follows from the others.
        if let Some(choice) = clue(state) {
            return Ok((None, Some(choice)));
        }
        while state.suspects.infer().is_some() {}
        match state.suspects.conclusion() {
            Some(Conclusion::Buggy(node)) => {
                let subject = state.subject(node);
                return self.blame(subject);
            }
            Some(Conclusion::Correct) => return Ok((Some(Verdict::Correct), None)),
            Some(Conclusion::Unfinished(_)) if self.past.is_live() => {
                return Ok((Some(Verdict::Running), None));
            }
            // The answers contradict each other, or the bug is in code that is trusted.
            Some(Conclusion::Contradiction(node) | Conclusion::Unfinished(node)) => {
                return Ok((Some(Verdict::Suspects(state.subject(node).into_iter().collect())), None));
            }
            None => {}
        }
        if let Some(verdict) = self.likely() {
            return Ok((Some(verdict), None));
        }
        let Some(state) = &mut self.state else { return Ok((None, None)) };
        // What a person looks at stays what is asked, whatever a running program does meanwhile.
        if let Some(choice) = self.asked
            && let Some(node) = state.node_of(&choice.subject)
            && nearest(state, &choice.subject) == Some(node)
        {
            return Ok((None, Some(choice)));
        }
        let root = state.suspects.root();
        if self.options.root_first
            && state.suspects.askable(root)
            && let Some(subject) = state.subject(root)
        {
            return Ok((None, Some(Choice { subject, why: AskReason::Root })));
        }
        // Oracles know of single calls whether they are wrong.
        if self.options.lists
            && self.oracles.is_empty()
            && self.zoomed.is_none()
            && let Some(subject) = listing::left(&self.past, state, &self.journal_state.answers)
        {
            return Ok((None, Some(Choice { subject, why: AskReason::Left })));
        }
        let choice = match self.zoomed {
            // Statements lie in each other as they ran: what is best is to halve them.
            Some(_) => Strategy::DqOptimal.next(&mut state.suspects, &state.learned, None),
            None => choose(&self.past, &self.options, state, &self.costs, &self.accessors),
        };
        if let Some(choice) = choice
            && let Some(subject) = state.subject(choice.node)
            && left > 0
        {
            let looked_into = self.options.strategy.believes() && state.suspects.count(choice.node) > 1;
            match amount(&self.past, &subject) {
                Amount::Nothing => pass_over(&mut state.suspects, choice.node),
                Amount::TooMuch if looked_into => state.suspects.defer(choice.node),
                Amount::TooMuch | Amount::Some => {
                    return Ok((None, Some(Choice { subject, why: AskReason::Chosen(choice.why) })));
                }
            }
            return self.select_among(left - 1);
        }
        if let Some(choice) = choice
            && let Some(subject) = state.subject(choice.node)
        {
            return Ok((None, Some(Choice { subject, why: AskReason::Chosen(choice.why) })));
        }
        if choice.is_none() && left > 0 {
            let alone = state.suspects.deferred().filter(|&node| state.suspects.count(node) == 1);
            let empty =
                |node: &Node| state.subject(*node).is_some_and(|subject| !has_content(&self.past, &subject));
            let empty: Vec<Node> = alone.filter(empty).collect();
            if !empty.is_empty() {
                empty.into_iter().for_each(|node| state.suspects.clear(node));
                return self.select_among(left - 1);
            }
        }
        let unknown = |subject: &Subject| {
            let asked = self.journal_state.answers.iter().filter(|judged| judged.subject == *subject);
            asked.filter(|judged| judged.answer == Answer::DontKnow).count()
        };
        let again = state.suspects.deferred().filter_map(|node| state.subject(node));
        let again =
            again.filter(|subject| unknown(subject) < MAX_TIMES_ASKED && has_content(&self.past, subject));
        let again = again.min_by_key(unknown);
        Ok((None, again.map(|subject| Choice { subject, why: AskReason::Again })))
    }

    /// The call that is wrong is of the code that is very likely so: the end, unless somebody wants to be certain.
    fn likely(&mut self) -> Option<Verdict> {
        let open = !self.options.certain && !self.journal_state.insisted && self.zoomed.is_none();
        let state = self.state.as_ref().filter(|state| open && state.suspects.root_wrong())?;
        let belief = state.learned.belief.as_ref()?;
        let root = state.suspects.root();
        let leader = *belief.chances().first()?;
        let own = belief.units.get(leader.unit.0 as usize) == Some(&state.code_of(root));
        let judged = self.journal_state.answers.iter().any(|judged| match judged.answer {
            Answer::Correct | Answer::Wrong { .. } => true,
            Answer::Inadmissible | Answer::DontKnow | Answer::Trust { .. } => false,
        });
        if !own || leader.chance < LIKELY || !judged || state.suspects.own(root) <= 0.0 {
            return None;
        }
        let guilty = state.subject(root)?;
        let unjudged = state.suspects.len() - 1;
        if self.evidence(&guilty) != Evidence::Enough {
            return None;
        }
        let elsewhere = self.places(None).into_iter().skip(1).collect();
        self.doubt = Some(Doubt { chance: leader.chance, unjudged, elsewhere });
        Some(Verdict::Buggy(guilty))
    }

    /// The end, if there is enough that speaks for it; otherwise what would make it certain.
    fn blame(&mut self, guilty: Option<Subject>) -> Result<(Option<Verdict>, Option<Choice>)> {
        let Some(guilty) = guilty else { return Ok((Some(self.left_over()), None)) };
        match self.evidence(&guilty) {
            Evidence::Enough => Ok((Some(Verdict::Buggy(guilty)), None)),
            Evidence::OnlyOracles => {
                self.note_entry(JournalEntry::Doubted)?;
                self.unsettle();
                self.prepare()?;
                self.select()
            }
            Evidence::Unsure => {
                let person = |judged: &Judged| judged.by == Author::Person && judged.subject == guilty;
                let choice = Choice { subject: guilty, why: AskReason::Unsure };
                Ok(match self.journal_state.answers.iter().any(person) {
                    true => (Some(Verdict::Suspects(vec![guilty])), None),
                    false => (None, Some(choice)),
                })
            }
            Evidence::None => {
                let asked = self.journal_state.answers.iter().any(|judged| judged.subject == guilty);
                let choice = Choice { subject: guilty, why: AskReason::Unproven };
                Ok(match asked {
                    true => (Some(Verdict::Suspects(vec![guilty])), None),
                    false => (None, Some(choice)),
                })
            }
        }
    }

    /// Why there is no verdict yet although nothing else is left: what would make it certain.
    pub fn lacking(&self) -> Option<Lacking> {
        let past = &self.past;
        let name = |subject: &Subject| subject.call().map(|call| past.call_name(call)).unwrap_or_default();
        if let Some(Choice { subject, why: AskReason::Unproven }) = &self.asked {
            return Some(Lacking::Judgement { call: name(subject) });
        }
        if let Some(Choice { subject, why: AskReason::Unsure }) = &self.asked {
            return Some(Lacking::Certainty { call: name(subject) });
        }
        self.journal_state.doubted.then_some(Lacking::Confirmation)
    }

    /// What is suspected when there is nobody to ask any more.
    pub fn left_over(&self) -> Verdict {
        let Some(state) = &self.state else { return Verdict::Suspects(Vec::new()) };
        let suspects = &state.suspects;
        if self.zoomed.is_some() {
            let statements = suspects.remaining().filter_map(|node| state.subject(node));
            let statements = statements.filter(|subject| matches!(subject, Subject::Statement { .. }));
            return Verdict::Suspects(statements.take(MAX_LEFT).collect());
        }
        let mut left: Vec<Node> = suspects.root_wrong().then(|| suspects.root()).into_iter().collect();
        left.extend(suspects.children(suspects.root()).take(MAX_LEFT));
        left.extend(suspects.deferred());
        left.sort();
        left.dedup();
        Verdict::Suspects(left.into_iter().take(MAX_LEFT).filter_map(|node| state.subject(node)).collect())
    }

    /// What an oracle says: of what is to be asked, or, if none knows that, of what would be asked if nobody knew it.
    pub(crate) fn known(&mut self, subject: Subject) -> Option<(Subject, Answer, Author)> {
        let doubted = self.journal_state.doubted;
        if self.options.take_over {
            // Of a list, what was judged already need not stand in it.
            for one in std::iter::once(subject).chain(listing::calls(&self.past, &subject)) {
                if let Some((answer, by)) = self.repeats.answer(&self.past, &one, &self.journal_state.answers)
                {
                    return Some((one, answer, by));
                }
            }
        }
        if let Some((answer, by)) = said_by(&mut self.oracles, &self.past, doubted, &subject) {
            return Some((subject, answer, by));
        }
        // Who has looked at everything knows nothing of others either.
        if self.oracles.is_empty() || (self.swept || doubted) && self.oracles.only_sweep() {
            return None;
        }
        let Session { past, state, oracles, options, journal_state, .. } = self;
        let state = state.as_ref()?;
        let (mut suspects, mut without) = (state.suspects.clone(), state.node_of(&subject));
        for _ in 0..OTHERS {
            suspects.defer(without?);
            let choice = options.strategy.next(&mut suspects, &state.learned, state.coverage.as_deref())?;
            let other = state.subject(choice.node)?;
            if let Some((answer, by)) = said_by(oracles, past, journal_state.doubted, &other) {
                return Some((other, answer, by));
            }
            without = Some(choice.node);
        }
        None
    }
}

/// How much there is to judge in what would be asked about.
enum Amount {
    Nothing,
    Some,
    /// A part of a loop changes so much that nobody sees whether all of it is right. The calls in it are asked about.
    TooMuch,
}

fn amount(past: &Past, subject: &Subject) -> Amount {
    let Subject::Loop { .. } = subject else { return Amount::Some };
    match question(past, subject, QuestionDetail::Short) {
        Ok(question) if !question.has_content() => Amount::Nothing,
        Ok(question) if question.is_too_much() => Amount::TooMuch,
        _ => Amount::Some,
    }
}

pub(crate) fn has_content(past: &Past, subject: &Subject) -> bool {
    !matches!(amount(past, subject), Amount::Nothing)
}

/// A loop that nobody could judge is not asked about. What it holds is; if that is nothing it is code of the call around
/// it.
fn pass_over(suspects: &mut tree::Suspects, node: Node) {
    match suspects.count(node) > 1 {
        true => suspects.defer(node),
        false => suspects.clear(node),
    }
}

/// What oracles say; if they are doubted, only what they call wrong counts.
fn said_by(oracles: &mut Oracles, past: &Past, doubted: bool, subject: &Subject) -> Option<(Answer, Author)> {
    let said = oracles.answer(past, subject);
    said.filter(|(answer, _)| !(doubted && *answer == Answer::Correct))
}

/// Where an answer leads: the nearest that can be asked about.
fn clue(state: &SearchState) -> Option<Choice> {
    let node = state.clues.iter().find_map(|subject| {
        let node = state.node_of(subject).filter(|&node| state.suspects.cleared_until(node).is_none());
        node.and_then(|_| nearest(state, subject))
    })?;
    Some(Choice { subject: state.subject(node)?, why: state.clue_reason? })
}

/// What it takes to answer questions, by what they are about: it is known once the question was made, and stays so.
#[derive(Default)]
pub(crate) struct Costs {
    known: HashMap<Subject, f64>,
    /// Those that were made for the last choice: one of them is asked next.
    made: Vec<Question>,
}

/// Costs that are kept at a time.
const MAX_COSTS: usize = 4096;
/// Of a call with more events the question is not made to know what it costs: that may take longer than anybody waits.
const MAX_PRICED: u64 = 20_000;
/// What the question of such a call is taken to cost.
const LARGE: f64 = 15.0;

impl Costs {
    fn of(&mut self, past: &Past, subject: &Subject) -> f64 {
        if let Some(&known) = self.known.get(subject) {
            return known;
        }
        if self.known.len() >= MAX_COSTS {
            self.known.clear();
        }
        let large = extent(past, subject).is_some_and(|extent| extent.last - extent.first > MAX_PRICED);
        let cost = match large {
            true => LARGE,
            false => question(past, subject, QuestionDetail::Short).map_or(f64::INFINITY, |question| {
                let cost = question.cost;
                self.made.push(question);
                cost
            }),
        };
        self.known.insert(*subject, cost);
        cost
    }

    /// The question about a subject, if it was made for the last choice. The others are forgotten: a program that still runs
    /// makes other ones of them.
    pub fn made(&mut self, subject: &Subject) -> Option<Question> {
        std::mem::take(&mut self.made).into_iter().find(|question| question.subject == *subject)
    }
}

/// What the strategy wants to ask.
fn choose(
    past: &Past,
    options: &SessionOptions,
    state: &mut SearchState,
    costs: &RefCell<Costs>,
    accessors: &RefCell<Accessors>,
) -> Option<strategy::Choice> {
    costs.borrow_mut().made.clear();
    let SearchState { plain, tree, coverage, suspects, learned, .. } = state;
    let coverage = coverage.as_deref();
    // Once for all that looks at it until the next answer.
    learned.belief.iter_mut().for_each(|belief| belief.follow(suspects));
    if !options.easy && !options.strategy.believes() {
        return options.strategy.next(suspects, learned, coverage);
    }
    let cost = |node| {
        let Some(subject) = subject_of(plain, fragment_at(plain, tree.as_deref(), node)) else {
            return f64::INFINITY;
        };
        costs.borrow_mut().of(past, &subject)
    };
    let mut next =
        |suspects: &mut Suspects| options.strategy.next_by_effort(suspects, learned, coverage, &cost);
    let first = next(suspects)?;
    if !options.strategy.believes() {
        return Some(first);
    }
    let method = |node| match subject_of(plain, fragment_at(plain, tree.as_deref(), node))? {
        subject @ Subject::Call { .. } => past.method_of(subject.call()?),
        _ => None,
    };
    Some(accessors.borrow_mut().pass_over(past, suspects, first, &method, &mut next))
}

/// The lowest node around a subject, itself included, that can be asked about.
fn nearest(state: &SearchState, subject: &Subject) -> Option<Node> {
    let mut node = state.node_of(subject)?;
    let (root, end) = (state.suspects.root(), state.suspects.tree().end(state.suspects.root()));
    if node < root || node >= end {
        return None;
    }
    while !state.suspects.askable(node) {
        node = state.suspects.tree().parent(node).filter(|&parent| parent > root)?;
    }
    Some(node)
}
