//! What oracles know of a run as a whole: before anybody is asked, those that can look into many calls at once go through the
//! tree from the top. What they find right is no suspect, with all that lies in it; what they find wrong has the defect in it, so
//! that nothing else is looked at. Choosing, asking and writing down each of these by itself would take many times as long.

use std::sync::Arc;

use base::CallId;
use tree::Node;

use crate::answer::{Answer, Author, Judged};
use crate::entry::SymptomReason;
use crate::error::Result;
use crate::journal::JournalEntry;
use crate::oracle::{asserted, members};
use crate::session::Session;
use crate::subject::Subject;

/// Nodes that are looked at, at most; of others oracles are asked when it is their turn.
const MAX_NODES: usize = 1 << 20;

impl Session {
    /// The nodes that such oracles call wrong, from the top, and in the last of them the topmost ones that are right, in the
    /// order of the tree; in the journal when this returns. Nothing the second time, unless something was taken back.
    pub(crate) fn sweep(&mut self, now: u64) -> Result<Vec<Judged>> {
        let due = !self.swept && !self.journal_state.doubted && self.zoomed.is_none();
        if !due || self.past.is_live() || self.oracles.person_first() {
            return Ok(Vec::new());
        }
        if self.state.as_ref().is_none_or(|state| !state.clues.is_empty()) {
            return Ok(Vec::new());
        }
        self.swept = true;
        let mut right = self.asserted_right(now);
        self.settle(&right)?;
        let more = self.confirmed(now);
        self.settle(&more)?;
        right.extend(more);
        Ok(right)
    }

    /// They are in the journal, and count.
    fn settle(&mut self, judged: &[Judged]) -> Result<()> {
        if judged.is_empty() {
            return Ok(());
        }
        self.note_entries(judged.iter().cloned().map(JournalEntry::Judged).collect())?;
        if let Some(state) = &mut self.state {
            judged.iter().for_each(|judged| state.apply(judged));
            // The part that is left may be small enough for what was postponed.
            if state.postponed && judged.iter().any(|judged| judged.answer != Answer::Correct) {
                self.state = None;
            }
        }
        Ok(())
    }

    /// What the test that failed asserted before: calls whose result was what it should be.
    fn asserted_right(&mut self, now: u64) -> Vec<Judged> {
        let failed = matches!(
            self.symptom.why,
            SymptomReason::FailedTest { .. } | SymptomReason::Named | SymptomReason::NamedBefore
        );
        let Some(state) = self.state.as_ref().filter(|_| failed) else { return Vec::new() };
        let calls = self.asserted.get_or_insert_with(|| asserted(&self.past, self.symptom.call));
        let subjects = calls.iter().map(|call| Subject::Call { call: call.number() });
        let open = subjects.filter(|subject| {
            let node = state.node_of(subject);
            let known = self.journal_state.answers.iter().any(|judged| judged.subject == *subject);
            !known && node.is_some_and(|node| state.suspects.holds(node) && state.suspects.askable(node))
        });
        let by = || Author::Assertion;
        open.map(|subject| Judged { subject, answer: Answer::Correct, by: by(), at: now, took: None })
            .collect()
    }

    /// What those say who can look into all calls at once.
    fn confirmed(&mut self, now: u64) -> Vec<Judged> {
        let Some(state) = self.state.as_ref().filter(|_| self.oracles.sweep()) else { return Vec::new() };
        let suspects = &state.suspects;
        let past = Arc::clone(&self.past);
        let mut level: Vec<Node> = match suspects.askable(suspects.root()) {
            true => vec![suspects.root()],
            false => suspects.children(suspects.root()).take(MAX_NODES).collect(),
        };
        let (mut wrong, mut right, mut looked_at) = (Vec::new(), Vec::new(), 0);
        while !level.is_empty() && looked_at < MAX_NODES {
            looked_at += level.len();
            let subjects: Vec<(Node, Subject)> =
                level.iter().filter_map(|&node| Some((node, state.subject(node)?))).collect();
            let calls: Vec<CallId> = subjects.iter().flat_map(|(_, subject)| calls(&past, subject)).collect();
            self.oracles.look_into(&past, &calls);
            level.clear();
            for (node, subject) in subjects {
                match self.oracles.swept(&past, &subject) {
                    Some((answer @ Answer::Correct, by)) => {
                        right.push((node, Judged { subject, answer, by, at: now, took: None }));
                    }
                    Some((answer @ Answer::Wrong { .. }, by)) => {
                        wrong.push(Judged { subject, answer, by, at: now, took: None });
                        right.clear();
                        level = suspects.children(node).take(MAX_NODES).collect();
                        break;
                    }
                    _ => level.extend(suspects.children(node).take(MAX_NODES)),
                }
            }
        }
        right.sort_by_key(|&(node, _)| node);
        wrong.into_iter().chain(right.into_iter().map(|(_, judged)| judged)).collect()
    }
}

/// The calls that an oracle is asked about for a subject.
fn calls(past: &past::Past, subject: &Subject) -> Vec<CallId> {
    let call = CallId::of_number;
    match *subject {
        Subject::Call { call: number } | Subject::Nest { call: number, .. } => {
            call(number).into_iter().collect()
        }
        Subject::Run { first, last, .. } => {
            let ends = call(first).zip(call(last));
            ends.and_then(|(first, last)| members(past, first, last)).unwrap_or_default()
        }
        Subject::Thread { .. } | Subject::Loop { .. } | Subject::Statement { .. } => Vec::new(),
    }
}
