//! Where a dialogue stands: the tree that is looked at, and what is still suspected in it. Made from the answers, as
//! often as need be; nothing here is kept on disk.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use base::{CallId, Target};
use past::Past;
use strategy::{Coverage, Judgement, Learned, Strategy};
use tree::{CodeGroup, Fragment, MemoryTree, Node, PlainRow, Suspects, Transform, Tree};

use crate::answer::{Answer, Judged};
use crate::belief::{self, Clue, Lesson, Reasons};
use crate::error::{Error, Result};
use crate::extent::{Extent, extent};
use crate::focus::focus;
use crate::follow_up::FollowUp;
use crate::grow;
use crate::oracle::Trust;
use crate::plain::{PlainTree, Root};
use crate::session::AskReason;
use crate::subject::Subject;
use crate::survey;

/// What decides which tree is looked at.
#[derive(Clone, Debug)]
pub struct Plan {
    pub root: Root,
    pub root_wrong: bool,
    pub strategy: Strategy,
    pub transforms: Vec<Transform>,
    pub trust: Trust,
    /// What speaks for or against code beside answers.
    pub reasons: Arc<Reasons>,
}

/// Why a tree is not as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchNote {
    /// It is left as it is until no more than `limit` calls are suspected.
    ManySuspects { suspects: u32, limit: u32 },
    /// The same with the events that are looked at.
    ManyEvents { events: u64, limit: u64 },
    /// Not all statements of the call are known.
    SomeStatements,
}

/// What the answers amount to on the tree that is asked about; made anew whenever the tree becomes another.
pub struct SearchState {
    pub plain: Arc<PlainTree>,
    /// The tree in memory, if there is one; otherwise the plain one is looked at.
    pub tree: Option<Arc<MemoryTree>>,
    /// What the tree in memory was made from, if recursion was folded in it.
    pub unfolded: Option<MemoryTree>,
    pub coverage: Option<Arc<Coverage>>,
    /// How much there is to get wrong where each edge leads that can be covered.
    pub substance: Vec<f64>,
    /// By what can be covered: how many tests that passed covered it; empty if none was replayed.
    pub in_tests: Vec<u32>,
    pub suspects: Suspects,
    pub learned: Learned,
    /// Why the tree is not as it was asked for.
    pub note: Option<SearchNote>,
    /// It becomes so when less is suspected.
    pub postponed: bool,
    /// Where the answers lead and nobody has said anything yet, the nearest first; and why there.
    pub clues: Vec<Subject>,
    pub clue_reason: Option<AskReason>,
}

impl SearchState {
    /// `leads`: where each of the answers leads, if it does.
    pub fn build(
        past: &Arc<Past>,
        plan: &Plan,
        answers: &[Judged],
        leads: &[Option<FollowUp>],
    ) -> Result<SearchState> {
        let focus = focus(past, plan, answers, leads);
        let wrong = focus.top.filter(|_| focus.wrong).and_then(|top| top.call());
        let new = |root| PlainTree::new(Arc::clone(past), root, &plan.trust, wrong);
        let mut plain = new(plan.root);
        let outside = focus.top.is_none_or(|top| fragment_of(&plain, &top).is_none());
        if plan.root != Root::WholeRun && outside {
            plain = new(Root::WholeRun);
        }
        let mut state = SearchState::rooted(Arc::new(plain), plan, focus.top, focus.wrong, answers)?;
        if focus.top.is_none() {
            // It is no code, and nobody could say of everything at once whether it is right.
            state.suspects.defer(state.suspects.root());
        }
        let pointed = match answers.iter().zip(leads).rev().find(|(_, lead)| lead.is_some()) {
            Some((Judged { subject, answer: Answer::Wrong { because: Some(text), .. }, .. }, Some(lead)))
                if plan.strategy.believes() && !lead.given =>
            {
                Clue::of_value(past, subject, text)
            }
            _ => None,
        };
        if plan.strategy.believes() {
            let outside = state.outside(answers, leads);
            state.learned.belief = Some(belief::begin(&state, &plan.reasons, pointed.as_ref(), &outside));
        }
        for (judged, lead) in answers.iter().zip(leads) {
            match (&judged.answer, lead) {
                // What was wrong before it is not its doing.
                (Answer::Wrong { .. }, Some(lead)) if lead.given => state.clear(&judged.subject),
                (Answer::Wrong { .. }, _) if focus.widened => {}
                (Answer::Trust { scope, name }, _) => {
                    if plan.trust.gives(*scope, name) && Some(judged.subject) != focus.top {
                        state.clear(&judged.subject);
                    }
                }
                _ => state.apply(judged),
            }
        }
        state.dissolve_loops(answers);
        // What is believed knows of the value's way; only what lies elsewhere has to be looked for there.
        state.clues = if pointed.is_some() && !focus.widened { Vec::new() } else { focus.clues };
        state.clue_reason = focus.why;
        Ok(state)
    }

    /// The tree below a subject, nothing judged yet.
    fn rooted(
        plain: Arc<PlainTree>,
        plan: &Plan,
        root: Option<Subject>,
        wrong: bool,
        answers: &[Judged],
    ) -> Result<SearchState> {
        let fragment = match &root {
            Some(root) => fragment_of(&plain, root).ok_or(Error::Nothing)?,
            None => Fragment::Thread(PlainRow(0)),
        };
        let top = Node(fragment.row().0);
        let whole = |tree: Option<Arc<MemoryTree>>, coverage, at: Node, note, postponed| {
            let asked: Arc<dyn Tree> = match &tree {
                Some(tree) => Arc::clone(tree) as _,
                None => Arc::clone(&plain) as _,
            };
            let mut suspects = Suspects::new(asked, at, wrong);
            suspects.set_running(plain.past().is_live());
            let (plain, learned) = (Arc::clone(&plain), Learned::default());
            let (clues, clue_reason) = (Vec::new(), None);
            SearchState {
                plain,
                tree,
                unfolded: None,
                coverage,
                substance: Vec::new(),
                in_tests: Vec::new(),
                suspects,
                learned,
                note,
                postponed,
                clues,
                clue_reason,
            }
        };
        let is_call = matches!(fragment, Fragment::Call(_) | Fragment::Thread(_));
        let needs = survey::SurveyNeeds::of(plan, root.as_ref());
        if is_call && !needs.anything() {
            return Ok(whole(None, None, top, None, false));
        }
        if is_call && let Some(why) = survey::too_large(&plain, top) {
            // What is believed can do without.
            let note = Some(why).filter(|_| !needs.is_for_belief());
            return Ok(whole(None, None, top, note, true));
        }
        if is_call && needs.is_for_belief() && !survey::is_quick(&plain, top) {
            return Ok(whole(None, None, top, None, true));
        }
        let mut unparted = unparted(plain.past(), answers);
        // A loop that is looked into stays what it is.
        if let Some(own) = root.and_then(|root| loop_method(plain.past(), &root)) {
            unparted.remove(&own);
        }
        let shape = survey::Shape { apart: apart(answers), unparted };
        let surveyed = survey::survey(&plain, top, &needs, &shape)?;
        let tree = tree::transform(&surveyed.tree, &surveyed.facts, &needs.transforms);
        let coverage = surveyed.coverage.as_ref();
        let coverage = coverage.map(|coverage| Arc::new(survey::spread(coverage, &surveyed.tree, &tree)));
        if let Some(node) = tree.locate(fragment).or_else(|| tree.holder(PlainRow(top.0)).filter(|_| is_call))
        {
            let folds = needs.transforms.contains(&Transform::Compress);
            let mut state = whole(Some(Arc::new(tree)), coverage, node, None, false);
            state.unfolded = folds.then_some(surveyed.tree);
            state.substance = surveyed.substance;
            state.in_tests = surveyed.in_tests;
            return Ok(state);
        }
        // A run of calls that this tree does not have: it is the root of a tree of its own.
        let tree = grow::grow_run(&plain, fragment, top, Node(fragment.last().0));
        Ok(whole(Some(Arc::new(tree)), None, Node(0), None, false))
    }

    /// An answer takes effect. Those about what is not suspected any more have none.
    pub fn apply(&mut self, judged: &Judged) {
        let verdict = match judged.answer {
            Answer::Correct | Answer::Inadmissible => Judgement::Correct,
            Answer::Wrong { .. } => Judgement::Wrong,
            Answer::DontKnow => {
                if let Some(node) = self.node_of(&judged.subject) {
                    self.suspects.defer(node);
                }
                return;
            }
            // A rule: whoever makes the tree knows it.
            Answer::Trust { .. } => return,
        };
        let Some(node) = self.node_of(&judged.subject) else {
            if verdict == Judgement::Correct {
                self.clear(&judged.subject);
            }
            return;
        };
        if judged.answer != Answer::Inadmissible {
            let reliability = belief::reliability(&judged.by);
            self.learned.note_by(reliability, &self.suspects, node, verdict, self.coverage.as_deref());
        }
        match verdict {
            Judgement::Correct => self.clear(&judged.subject),
            Judgement::Wrong => self.suspects.enter(node),
        }
    }

    /// Who could not judge several parts of a loop will not be able to judge the others: what they did by themselves is the
    /// loop's, and only the calls in them are asked about.
    fn dissolve_loops(&mut self, answers: &[Judged]) {
        let past = Arc::clone(self.plain.past());
        let unparted = unparted(&past, answers);
        if unparted.is_empty() {
            return;
        }
        let is_part = |node: Node| {
            let part = self.subject(node).and_then(|part| loop_method(&past, &part));
            part.is_some_and(|target| unparted.contains(&target))
        };
        let root = self.suspects.root();
        let parts: Vec<Node> =
            self.suspects.remaining().filter(|&node| node != root && is_part(node)).collect();
        parts.into_iter().for_each(|node| self.suspects.dissolve(node));
    }

    /// A subject and all that lies in it is no suspect.
    fn clear(&mut self, subject: &Subject) {
        match (self.node_of(subject), self.span_of(subject)) {
            (Some(node), _) if self.suspects.holds(node) => self.suspects.clear(node),
            (None, Some((first, end))) => self.suspects.clear_run(first, end),
            _ => {}
        }
    }

    pub fn fragment(&self, node: Node) -> Fragment {
        fragment_at(&self.plain, self.tree.as_deref(), node)
    }

    pub fn subject(&self, node: Node) -> Option<Subject> {
        subject_of(&self.plain, self.fragment(node))
    }

    pub fn node_of(&self, subject: &Subject) -> Option<Node> {
        let fragment = fragment_of(&self.plain, subject)?;
        match (&self.tree, fragment) {
            (Some(tree), _) => tree.locate(fragment),
            (None, Fragment::Call(row) | Fragment::Thread(row)) => Some(Node(row.0)),
            (None, _) => None,
        }
    }

    /// The code of a node: a loop's is its method's.
    pub fn code_of(&self, node: Node) -> CodeGroup {
        match &self.tree {
            Some(tree) => belief::owner_of(&self.plain, tree, node),
            None => self.plain.group(node),
        }
    }

    /// The call that the tree is of; none for the whole run.
    pub fn symptom_root(&self) -> Option<CallId> {
        self.plain.call(Node(0))
    }

    /// Answers about what does not lie in the part that is looked at, by the calls that they are about.
    fn outside(&self, answers: &[Judged], leads: &[Option<FollowUp>]) -> Vec<Lesson> {
        let root = self.fragment(self.suspects.root());
        let (from, to) = (Node(root.row().0), self.plain.end(Node(root.last().0)));
        let lesson = |(judged, lead): (&Judged, &Option<FollowUp>)| {
            let judgement = match judged.answer {
                Answer::Correct => Judgement::Correct,
                // What was wrong before it says nothing of what is in it.
                Answer::Wrong { .. } if lead.as_ref().is_some_and(|lead| lead.given) => return None,
                Answer::Wrong { .. } => Judgement::Wrong,
                Answer::Inadmissible | Answer::DontKnow | Answer::Trust { .. } => return None,
            };
            let (first, end) = self.plain_span(&judged.subject)?;
            let inside = from <= first && end <= to && (first, end) != (from, to);
            // A wrong one that the search went on from to somewhere else is explained by that.
            let explained = judgement == Judgement::Wrong && !(first <= from && to <= end);
            let reliability = belief::reliability(&judged.by);
            (!inside && !explained).then_some(Lesson { first, end, judgement, reliability })
        };
        answers.iter().zip(leads).filter_map(lesson).collect()
    }

    /// The rows of the plain tree that a subject covers.
    fn plain_span(&self, subject: &Subject) -> Option<(Node, Node)> {
        let fragment = fragment_of(&self.plain, subject)?;
        if fragment.is_part() {
            return self.rows_of(subject).map(|(from, end)| (Node(from.0), Node(end.0)));
        }
        Some((Node(fragment.row().0), self.plain.end(Node(fragment.last().0))))
    }

    /// The nodes of the calls that a subject covers, where it has no node of its own.
    fn span_of(&self, subject: &Subject) -> Option<(Node, Node)> {
        let (from, end) = self.rows_of(subject)?;
        match &self.tree {
            Some(tree) => Some(tree.span(from, end)),
            None => Some((Node(from.0), Node(end.0))),
        }
    }

    /// The calls that began while a subject lasted.
    fn rows_of(&self, subject: &Subject) -> Option<(PlainRow, PlainRow)> {
        let Extent { stream, first, last } = extent(self.plain.past(), subject)?;
        let past = self.plain.past();
        // How many calls of the thread began before an event.
        let count = |ordinal: u64| {
            let (mut low, mut high) = (0, past.calls_in(stream));
            while low < high {
                let middle = low + (high - low) / 2;
                match past.call_row(CallId { stream, index: middle }) {
                    Some(call) if call.entry < ordinal => low = middle + 1,
                    _ => high = middle,
                }
            }
            low
        };
        let (from, to) = (count(first), count(last + 1));
        let row = |index: u32| self.plain.row(CallId { stream, index });
        let (from, last) = (row(from)?, row(to.checked_sub(1)?)?);
        Some((from, PlainRow(self.plain.end(Node(last.0)).0.max(last.0 + 1))))
    }
}

/// Parts of a method's loops that somebody could not judge, from which on no others are asked about.
const MAX_UNKNOWN: usize = 3;

/// Methods of whose loops nobody could judge several parts, or one that was asked about again when nothing else was left.
pub fn unparted(past: &Past, answers: &[Judged]) -> HashSet<Target> {
    let mut unknown: HashMap<Target, usize> = HashMap::new();
    let mut parts: HashSet<Subject> = HashSet::new();
    for judged in answers.iter().filter(|judged| judged.answer == Answer::DontKnow) {
        let Some(target) = loop_method(past, &judged.subject) else { continue };
        let counted = if parts.insert(judged.subject) { 1 } else { MAX_UNKNOWN };
        *unknown.entry(target).or_default() += counted;
    }
    unknown.into_iter().filter(|&(_, count)| count >= MAX_UNKNOWN).map(|(target, _)| target).collect()
}

/// The method that a loop, or a part of one, is of.
fn loop_method(past: &Past, subject: &Subject) -> Option<Target> {
    let Subject::Loop { .. } = subject else { return None };
    Some(past.call_row(subject.call()?)?.target)
}

/// What is to be asked about by itself: members of runs that somebody could not judge as a whole, and calls that
/// were judged already. As first and last call.
fn apart(answers: &[Judged]) -> Vec<(u64, u64)> {
    let ranges = answers.iter().filter_map(|judged| match (judged.subject, &judged.answer) {
        (Subject::Run { first, last, collapsed: true, .. }, Answer::DontKnow) => Some((first, last)),
        (Subject::Call { call }, Answer::Correct | Answer::Wrong { .. } | Answer::Inadmissible) => {
            Some((call, call))
        }
        (_, Answer::DontKnow | Answer::Trust { .. }) => None,
        (Subject::Thread { .. } | Subject::Run { .. } | Subject::Nest { .. }, _) => None,
        (Subject::Loop { .. } | Subject::Statement { .. }, _) => None,
    });
    ranges.collect()
}

/// What a node of the tree that is looked at stands for.
pub fn fragment_at(plain: &PlainTree, tree: Option<&MemoryTree>, node: Node) -> Fragment {
    match tree {
        Some(tree) => tree.fragment(node),
        None if plain.call(node).is_some() => Fragment::Call(PlainRow(node.0)),
        None => Fragment::Thread(PlainRow(node.0)),
    }
}

pub fn subject_of(plain: &PlainTree, fragment: Fragment) -> Option<Subject> {
    let number = |row: PlainRow| plain.call(Node(row.0)).map(CallId::number);
    Some(match fragment {
        Fragment::Call(row) => Subject::Call { call: number(row)? },
        Fragment::Thread(row) => Subject::Thread { first: plain.thread(Node(row.0))?.number() },
        Fragment::Projection { first, last } => {
            Subject::Run { first: number(first)?, last: number(last)?, collapsed: false, independent: false }
        }
        Fragment::Collapse { first, last, independent } => {
            Subject::Run { first: number(first)?, last: number(last)?, collapsed: true, independent }
        }
        Fragment::Compressed { row, levels } => Subject::Nest { call: number(row)?, levels },
        Fragment::Loop { call, run } => Subject::Loop { call: number(call)?, run, from: 0, to: None },
        Fragment::Iterations { call, run, from, to } => {
            Subject::Loop { call: number(call)?, run, from, to: Some(to) }
        }
        Fragment::Statement { call, at } => Subject::Statement { call: number(call)?, at },
    })
}

fn fragment_of(plain: &PlainTree, subject: &Subject) -> Option<Fragment> {
    let row = |number: u64| plain.row(CallId::of_number(number)?);
    Some(match *subject {
        Subject::Call { call } => Fragment::Call(row(call)?),
        Subject::Thread { first } => Fragment::Thread(PlainRow(row(first)?.0.checked_sub(1)?)),
        Subject::Run { first, last, collapsed: false, .. } => {
            Fragment::Projection { first: row(first)?, last: row(last)? }
        }
        Subject::Run { first, last, collapsed: true, independent } => {
            Fragment::Collapse { first: row(first)?, last: row(last)?, independent }
        }
        Subject::Nest { call, levels } => Fragment::Compressed { row: row(call)?, levels },
        Subject::Loop { call, run, to: None, .. } => Fragment::Loop { call: row(call)?, run },
        Subject::Loop { call, run, from, to: Some(to) } => {
            Fragment::Iterations { call: row(call)?, run, from, to }
        }
        Subject::Statement { call, at } => Fragment::Statement { call: row(call)?, at },
    })
}
