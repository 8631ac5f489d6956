//! Inside a guilty call: its own statements, each together with all that ran before it. The calls in it were judged
//! already, so what is left is what its own code computed. Asked is whether everything was right up to a statement:
//! that halves them with every answer, and what is left is one line.

use std::sync::Arc;

use base::CallId;
use past::{Past, Position, RenderLimits, VariableState};
use strategy::Learned;
use tree::{CodeGroup, Fragment, Node, PlainRow, Suspects, Suspicion, TreeBuilder};

use crate::answer::Judged;
use crate::error::{Error, Result};
use crate::oracle::Trust;
use crate::plain::{PlainTree, Root};
use crate::question::{Question, QuestionNote};
use crate::report::outcome_of;
use crate::state::{SearchNote, SearchState};
use crate::subject::Subject;

/// Statements that are looked at, at most.
const MAX_STATEMENTS: usize = 100_000;
/// Variables that are shown with a question.
const MAX_VARIABLES: usize = 8;
const LIMITS: RenderLimits = RenderLimits { depth: 2, elements: 10, string: 60, width: 100, named: false };

/// `missed`: something is missing in the call, so what came out does not depend on where it should be.
pub fn build(past: &Arc<Past>, call: CallId, answers: &[Judged], missed: bool) -> Result<SearchState> {
    let plain = Arc::new(PlainTree::new(Arc::clone(past), Root::Call(call), &Trust::default(), None));
    let statements = analysis::statements(past, call, MAX_STATEMENTS)?;
    if statements.list.is_empty() {
        return Err(Error::NothingTo("look into"));
    }
    let all = 0..statements.list.len();
    let depended = (!missed).then(|| outcome_of(past, call)).flatten();
    let in_slice = |&at: &usize| {
        let one = &statements.list[at];
        depended.as_ref().is_none_or(|ordinals| ordinals.range(one.first..=one.last).next().is_some())
    };
    let mut kept: Vec<usize> = all.clone().filter(in_slice).collect();
    if kept.is_empty() {
        kept = all.collect();
    }
    // Each lies in the one that ran after it: if that is right, so is all before.
    let mut builder = TreeBuilder::default();
    builder.open(Fragment::Call(PlainRow(0)), CodeGroup(0), Suspicion::Joint);
    for &at in kept.iter().rev() {
        // The same instruction executed again is the same code.
        let group = CodeGroup(1 + u32::from(statements.list[at].bci));
        builder.open(Fragment::Statement { call: PlainRow(0), at: at as u32 }, group, Suspicion::Suspect);
    }
    let tree = Arc::new(builder.finish());
    let suspects = Suspects::new(Arc::clone(&tree) as _, Node(0), true);
    let note = (!statements.complete).then_some(SearchNote::SomeStatements);
    let mut state = SearchState {
        plain,
        tree: Some(tree),
        unfolded: None,
        coverage: None,
        substance: Vec::new(),
        in_tests: Vec::new(),
        suspects,
        learned: Learned::default(),
        note,
        postponed: false,
        clues: Vec::new(),
        clue_reason: None,
    };
    for judged in answers.iter().filter(|judged| judged.subject.call() == Some(call)) {
        state.apply(judged);
    }
    Ok(state)
}

/// A question about a statement as one about all up to it: with what the variables hold then.
pub fn widen(past: &Past, question: &mut Question) {
    let Subject::Statement { call, at } = question.subject else { return };
    let Some(id) = CallId::of_number(call) else { return };
    question.ask_up_to();
    let statements = analysis::statements(past, id, at as usize + 1);
    let last = statements.ok().and_then(|found| found.list.get(at as usize).map(|one| one.last));
    let time = last.and_then(|ordinal| past.time(Position { stream: id.stream, ordinal }));
    let held = time.map_or(Vec::new(), |time| past.variables_at(id, time));
    let shown = held.iter().filter_map(|variable| {
        let VariableState::Value(known) = variable.held else { return None };
        let text = past.known_text(known, &variable.descriptor, time?, &LIMITS);
        Some((variable.name.clone(), text))
    });
    let shown: Vec<(String, String)> = shown.take(MAX_VARIABLES).collect();
    if !shown.is_empty() {
        question.note = Some(QuestionNote::Variables(shown));
    }
}
