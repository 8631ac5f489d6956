//! What to ask next, or what the end is: the strategy's choice, unless a wrong value leads elsewhere; and what oracles
//! know before a person is asked.

use past::Past;
use tree::{Conclusion, Node};

use crate::answer::{Answer, Author};
use crate::question::{QuestionDetail, question};
use crate::session::{AskReason, Session, SessionOptions, Verdict};
use crate::state::{SearchState, fragment_at, subject_of};
use crate::subject::Subject;

/// Suspects that are named at the end, at most.
const MAX_LEFT: usize = 20;
/// Questions about the same thing before it is given up.
const MAX_TIMES_ASKED: usize = 2;
/// Other nodes that oracles are asked about before a person is asked about the best one.
const OTHERS: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice {
    pub subject: Subject,
    pub why: AskReason,
}

impl Session {
    /// The end, or what to ask next.
    pub(crate) fn select(&mut self) -> (Option<Verdict>, Option<Choice>) {
        let Some(state) = &mut self.state else { return (Some(Verdict::Correct), None) };
        while state.suspects.infer().is_some() {}
        match state.suspects.conclusion() {
            Some(Conclusion::Buggy(node)) => return (state.subject(node).map(Verdict::Buggy), None),
            Some(Conclusion::Correct) => return (Some(Verdict::Correct), None),
            Some(Conclusion::Unfinished(_)) if self.past.is_live() => {
                return (Some(Verdict::Running), None);
            }
            // The answers contradict each other, or the bug is in code that is trusted.
            Some(Conclusion::Contradiction(node) | Conclusion::Unfinished(node)) => {
                return (Some(Verdict::Suspects(state.subject(node).into_iter().collect())), None);
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
        if let Some(follow_up) = self.follow_up.take()
            && let Some(node) = follow_up.subjects.iter().find_map(|subject| nearest(state, subject))
            && let Some(subject) = state.subject(node)
        {
            return (None, Some(Choice { subject, why: follow_up.why }));
        }
        let choice = choose(&self.past, &self.options, state);
        if let Some(choice) = choice
            && let Some(subject) = state.subject(choice.node)
        {
            return (None, Some(Choice { subject, why: AskReason::Chosen(choice.why) }));
        }
        let unknown = |subject: &Subject| {
            let asked = self.journal_state.answers.iter().filter(|judged| judged.subject == *subject);
            asked.filter(|judged| judged.answer == Answer::DontKnow).count()
        };
        let again = state.suspects.deferred().filter_map(|node| state.subject(node));
        let again = again.filter(|subject| unknown(subject) < MAX_TIMES_ASKED).min_by_key(unknown);
        (None, again.map(|subject| Choice { subject, why: AskReason::Again }))
    }

    /// What is suspected when there is nobody to ask any more.
    pub fn left_over(&self) -> Verdict {
        let Some(state) = &self.state else { return Verdict::Suspects(Vec::new()) };
        let suspects = &state.suspects;
        let mut left: Vec<Node> = suspects.root_wrong().then(|| suspects.root()).into_iter().collect();
        left.extend(suspects.children(suspects.root()).take(MAX_LEFT));
        left.extend(suspects.deferred());
        left.sort();
        left.dedup();
        Verdict::Suspects(left.into_iter().take(MAX_LEFT).filter_map(|node| state.subject(node)).collect())
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
fn choose(past: &Past, options: &SessionOptions, state: &mut SearchState) -> Option<strategy::Choice> {
    let SearchState { plain, tree, coverage, suspects, learned, .. } = state;
    let coverage = coverage.as_deref();
    if !options.easy {
        return options.strategy.next(suspects, learned, coverage);
    }
    let cost = |node| {
        let subject = subject_of(plain, fragment_at(plain, tree.as_deref(), node));
        let question = subject.and_then(|subject| question(past, &subject, QuestionDetail::Short).ok());
        question.map_or(f64::INFINITY, |question| question.cost)
    };
    options.strategy.next_by_effort(suspects, learned, coverage, &cost)
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
