//! What to ask next, or what the end is: the strategy's choice, unless a wrong value leads elsewhere; and what oracles
//! know before a person is asked.

use past::Past;
use tree::{Found, Node};

use crate::answer::{Answer, Author};
use crate::question::{Detail, question};
use crate::session::{Options, Outcome, Reason, Session};
use crate::state::{State, fragment_at, subject_of};
use crate::subject::Subject;

/// Suspects that are named at the end, at most.
const MAX_LEFT: usize = 20;
/// Questions about the same thing before it is given up.
const PATIENCE: usize = 2;
/// Other nodes that oracles are asked about before a person is asked about the best one.
const OTHERS: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice {
    pub subject: Subject,
    pub why: Reason,
}

impl Session {
    /// The end, or what to ask next.
    pub(crate) fn select(&mut self) -> (Option<Outcome>, Option<Choice>) {
        let Some(state) = &mut self.state else { return (Some(Outcome::Correct), None) };
        while state.suspects.infer().is_some() {}
        match state.suspects.found() {
            Some(Found::Buggy(node)) => return (state.subject(node).map(Outcome::Buggy), None),
            Some(Found::Correct) => return (Some(Outcome::Correct), None),
            Some(Found::Unfinished(_)) if self.past.is_live() => {
                return (Some(Outcome::Running), None);
            }
            // The answers contradict each other, or the bug is in code that is trusted.
            Some(Found::Contradiction(node) | Found::Unfinished(node)) => {
                return (Some(Outcome::Suspects(state.subject(node).into_iter().collect())), None);
            }
            None => {}
        }
        // What a person looks at stays what is asked, whatever a running program does meanwhile.
        if let Some(choice) = self.asked
            && let Some(node) = state.node_of(&choice.subject)
            && nearest(state, &choice.subject) == Some(node)
        {
            return (None, Some(choice));
        }
        if let Some(lead) = self.lead.take()
            && let Some(node) = lead.subjects.iter().find_map(|subject| nearest(state, subject))
            && let Some(subject) = state.subject(node)
        {
            return (None, Some(Choice { subject, why: lead.why }));
        }
        let choice = choose(&self.past, &self.options, state);
        if let Some(choice) = choice
            && let Some(subject) = state.subject(choice.node)
        {
            return (None, Some(Choice { subject, why: Reason::Chosen(choice.why) }));
        }
        let unknown = |subject: &Subject| {
            let asked = self.standing.answers.iter().filter(|judged| judged.subject == *subject);
            asked.filter(|judged| judged.answer == Answer::DontKnow).count()
        };
        let again = state.suspects.deferred().filter_map(|node| state.subject(node));
        let again = again.filter(|subject| unknown(subject) < PATIENCE).min_by_key(unknown);
        (None, again.map(|subject| Choice { subject, why: Reason::Again }))
    }

    /// What is suspected when there is nobody to ask any more.
    pub fn left_over(&self) -> Outcome {
        let Some(state) = &self.state else { return Outcome::Suspects(Vec::new()) };
        let suspects = &state.suspects;
        let mut left: Vec<Node> = suspects.root_wrong().then(|| suspects.root()).into_iter().collect();
        left.extend(suspects.children(suspects.root()).take(MAX_LEFT));
        left.extend(suspects.deferred());
        left.sort();
        left.dedup();
        Outcome::Suspects(left.into_iter().take(MAX_LEFT).filter_map(|node| state.subject(node)).collect())
    }

    /// What an oracle says: of what is to be asked, or, if none knows that, of what would be asked if nobody knew it.
    pub(crate) fn known(&mut self, subject: Subject) -> Option<(Subject, Answer, Author)> {
        if let Some((answer, by)) = self.oracles.answer(&self.past, &subject) {
            return Some((subject, answer, by));
        }
        if self.oracles.is_empty() {
            return None;
        }
        let state = self.state.as_ref()?;
        let (mut suspects, mut without) = (state.suspects.clone(), state.node_of(&subject));
        for _ in 0..OTHERS {
            suspects.defer(without?);
            let choice =
                self.options.strategy.next(&mut suspects, &state.learned, state.coverage.as_deref())?;
            let other = state.subject(choice.node)?;
            if let Some((answer, by)) = self.oracles.answer(&self.past, &other) {
                return Some((other, answer, by));
            }
            without = Some(choice.node);
        }
        None
    }
}

/// What the strategy wants to ask.
fn choose(past: &Past, options: &Options, state: &mut State) -> Option<strategy::Choice> {
    let State { plain, columns, coverage, suspects, learned, .. } = state;
    let coverage = coverage.as_deref();
    if !options.easy {
        return options.strategy.next(suspects, learned, coverage);
    }
    let cost = |node| {
        let subject = subject_of(plain, fragment_at(plain, columns.as_deref(), node));
        let question = subject.and_then(|subject| question(past, &subject, Detail::Short).ok());
        question.map_or(f64::INFINITY, |question| question.cost)
    };
    options.strategy.next_by_effort(suspects, learned, coverage, &cost)
}

/// The lowest node around a subject, itself included, that can be asked about.
fn nearest(state: &State, subject: &Subject) -> Option<Node> {
    let mut node = state.node_of(subject)?;
    let (root, end) = (state.suspects.root(), state.suspects.shape().end(state.suspects.root()));
    if node < root || node >= end {
        return None;
    }
    while !state.suspects.askable(node) {
        node = state.suspects.shape().parent(node).filter(|&parent| parent > root)?;
    }
    Some(node)
}
