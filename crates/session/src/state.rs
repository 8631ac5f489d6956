//! Where a dialogue stands: the tree that is looked at, and what is still suspected in it. Made from the answers, as
//! often as need be; nothing here is kept on disk.

use std::sync::Arc;

use base::CallId;
use past::Past;
use strategy::{Coverage, Learned, Strategy, Verdict};
use tree::{Columns, Fragment, Node, Row, Shape, Suspects, Transform};

use crate::answer::{Answer, Judged};
use crate::error::{Error, Result};
use crate::extent::{Extent, extent};
use crate::grow;
use crate::oracle::Trust;
use crate::plain::Plain;
use crate::subject::Subject;
use crate::survey;

/// What decides which tree is looked at.
#[derive(Clone, Debug)]
pub struct Plan {
    pub root: CallId,
    pub root_wrong: bool,
    pub strategy: Strategy,
    pub transforms: Vec<Transform>,
    pub trust: Trust,
}

pub struct State {
    pub plain: Arc<Plain>,
    /// The tree in memory, if there is one; otherwise the plain one is looked at.
    pub columns: Option<Arc<Columns>>,
    /// What the tree in memory was made from, if recursion was folded in it.
    pub unfolded: Option<Columns>,
    pub coverage: Option<Arc<Coverage>>,
    pub suspects: Suspects,
    pub learned: Learned,
    /// Why the tree is not as it was asked for.
    pub note: Option<String>,
    /// It becomes so when less is suspected.
    pub postponed: bool,
}

impl State {
    pub fn build(past: &Arc<Past>, plan: &Plan, answers: &[Judged]) -> Result<State> {
        let outermost = past.call_row(plan.root).ok_or(Error::Nothing)?.parent.is_none();
        let plain = Arc::new(Plain::new(Arc::clone(past), plan.root, outermost, &plan.trust));
        let (root, wrong) = lowest_wrong(past, plan, answers);
        let mut state = State::rooted(plain, plan, root, wrong, answers)?;
        for judged in answers {
            state.take(judged);
        }
        Ok(state)
    }

    /// The tree below a subject, nothing judged yet.
    fn rooted(
        plain: Arc<Plain>,
        plan: &Plan,
        root: Subject,
        wrong: bool,
        answers: &[Judged],
    ) -> Result<State> {
        let fragment = fragment_of(&plain, &root).ok_or(Error::Nothing)?;
        let top = Node(fragment.row().0);
        let whole = |columns: Option<Arc<Columns>>, coverage, at: Node, note, postponed| {
            let shape: Arc<dyn Shape> = match &columns {
                Some(columns) => Arc::clone(columns) as _,
                None => Arc::clone(&plain) as _,
            };
            let mut suspects = Suspects::new(shape, at, wrong);
            suspects.set_running(plain.past().is_live());
            let (plain, learned) = (Arc::clone(&plain), Learned::default());
            State { plain, columns, unfolded: None, coverage, suspects, learned, note, postponed }
        };
        let is_call = matches!(fragment, Fragment::Call(_) | Fragment::Thread(_));
        let wants = survey::Wants::of(plan, &root);
        if is_call && !wants.anything() {
            return Ok(whole(None, None, top, None, false));
        }
        if let Some(why) = survey::too_large(&plain, top)
            && is_call
        {
            return Ok(whole(None, None, top, Some(why), true));
        }
        let surveyed = survey::survey(&plain, top, &wants, &apart(answers))?;
        let columns = tree::transform(&surveyed.columns, &surveyed.facts, &wants.transforms);
        let coverage = surveyed.coverage.as_ref();
        let coverage =
            coverage.map(|coverage| Arc::new(survey::spread(coverage, &surveyed.columns, &columns)));
        if let Some(node) =
            columns.locate(fragment).or_else(|| columns.holder(Row(top.0)).filter(|_| is_call))
        {
            let folds = wants.transforms.contains(&Transform::Compress);
            let mut state = whole(Some(Arc::new(columns)), coverage, node, None, false);
            state.unfolded = folds.then_some(surveyed.columns);
            return Ok(state);
        }
        // A run of calls that this tree does not have: it is the root of a tree of its own.
        let last = match fragment {
            Fragment::Projection { last, .. } | Fragment::Collapse { last, .. } => Node(last.0),
            _ => top,
        };
        let columns = grow::grow_run(&plain, fragment, top, last);
        Ok(whole(Some(Arc::new(columns)), None, Node(0), None, false))
    }

    /// An answer takes effect. Those about what is not suspected any more have none.
    pub fn take(&mut self, judged: &Judged) {
        let verdict = match judged.answer {
            Answer::Correct | Answer::Inadmissible => Verdict::Correct,
            Answer::Wrong { .. } => Verdict::Wrong,
            Answer::DontKnow => {
                if let Some(node) = self.node_of(&judged.subject) {
                    self.suspects.defer(node);
                }
                return;
            }
            Answer::Trust { .. } => return,
        };
        let Some(node) = self.node_of(&judged.subject) else {
            if verdict == Verdict::Correct
                && let Some((first, end)) = self.span_of(&judged.subject)
            {
                self.suspects.clear_run(first, end);
            }
            return;
        };
        let inside = node >= self.suspects.root() && node < self.suspects.shape().end(self.suspects.root());
        if judged.answer != Answer::Inadmissible {
            self.learned.note(&self.suspects, node, verdict, self.coverage.as_deref());
        }
        match verdict {
            Verdict::Correct if inside => self.suspects.clear(node),
            Verdict::Wrong if inside => self.suspects.enter(node),
            _ => {}
        }
    }

    pub fn fragment(&self, node: Node) -> Fragment {
        fragment_at(&self.plain, self.columns.as_deref(), node)
    }

    pub fn subject(&self, node: Node) -> Option<Subject> {
        subject_of(&self.plain, self.fragment(node))
    }

    pub fn node_of(&self, subject: &Subject) -> Option<Node> {
        let fragment = fragment_of(&self.plain, subject)?;
        match (&self.columns, fragment) {
            (Some(columns), _) => columns.locate(fragment),
            (None, Fragment::Call(row) | Fragment::Thread(row)) => Some(Node(row.0)),
            (None, _) => None,
        }
    }

    /// The nodes of the calls that a subject covers, where it has no node of its own.
    fn span_of(&self, subject: &Subject) -> Option<(Node, Node)> {
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
        let end = Row(self.plain.end(Node(last.0)).0.max(last.0 + 1));
        match &self.columns {
            Some(columns) => Some(columns.span(from, end)),
            None => Some((Node(from.0), Node(end.0))),
        }
    }
}

/// The lowest subject judged wrong: each that lies in the one before.
fn lowest_wrong(past: &Past, plan: &Plan, answers: &[Judged]) -> (Subject, bool) {
    let root = Subject::Call { call: plan.root.number() };
    let mut lowest = root;
    let mut wrong = plan.root_wrong;
    for judged in answers.iter().filter(|judged| matches!(judged.answer, Answer::Wrong { .. })) {
        let inside = match (extent(past, &lowest), extent(past, &judged.subject)) {
            // Other threads are below the root.
            (Some(outer), Some(inner)) => {
                outer.holds(&inner) || lowest == root && inner.stream != outer.stream
            }
            _ => false,
        };
        if inside {
            (lowest, wrong) = (judged.subject, true);
        }
    }
    (lowest, wrong)
}

/// What is to be asked about by itself: members of runs that somebody could not judge as a whole, and calls that
/// were judged already. As first and last call.
fn apart(answers: &[Judged]) -> Vec<(u64, u64)> {
    let ranges = answers.iter().filter_map(|judged| match (judged.subject, &judged.answer) {
        (Subject::Run { first, last, collapsed: true, .. }, Answer::DontKnow) => Some((first, last)),
        (Subject::Call { call }, Answer::Correct | Answer::Wrong { .. } | Answer::Inadmissible) => {
            Some((call, call))
        }
        _ => None,
    });
    ranges.collect()
}

/// What a node of the tree that is looked at stands for.
pub fn fragment_at(plain: &Plain, columns: Option<&Columns>, node: Node) -> Fragment {
    match columns {
        Some(columns) => columns.fragment(node),
        None if plain.call(node).is_some() => Fragment::Call(Row(node.0)),
        None => Fragment::Thread(Row(node.0)),
    }
}

pub fn subject_of(plain: &Plain, fragment: Fragment) -> Option<Subject> {
    let number = |row: Row| plain.call(Node(row.0)).map(CallId::number);
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

fn fragment_of(plain: &Plain, subject: &Subject) -> Option<Fragment> {
    let row = |number: u64| plain.row(CallId::of_number(number)?);
    Some(match *subject {
        Subject::Call { call } => Fragment::Call(row(call)?),
        Subject::Thread { first } => Fragment::Thread(Row(row(first)?.0.checked_sub(1)?)),
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
