//! Of the lines that a call executed: does what came out depend on them? There are three answers. What flowed into the
//! outcome, or decided on it, is one on which it depends. What a library may have made of something that it was given, what
//! the recording does not say, and a branch whose other way could have had a part in it, are ones of which nobody can be
//! sure. Only the rest does not matter.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use classfile::opcode as op;
use index::{Evidence, Key, Position, PostingKind, Target, Time};
use jdk::flows::Leaves;
use past::{CallId, Past};
use trace::{ObjectId, Site};

use super::methods::SlicedMethod;
use super::search::SliceSearch;
use super::trail::CallTrail;
use super::window::Did;
use super::{Criterion, Cut, Slice, SliceLimits, Tie, start};
use crate::error::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Depends {
    No,
    Unsure,
    Yes,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The lines that ran (instructions, if the class file has no lines), those that only jump included.
    pub of: BTreeMap<u32, Depends>,
    /// Why that is not known better.
    pub cut: Option<Cut>,
}

impl Lines {
    pub fn with(&self, depends: Depends) -> BTreeSet<u32> {
        self.of.iter().filter(|&(_, &one)| one == depends).map(|(&line, _)| line).collect()
    }
}

/// Objects that a call changed and lines of output that it printed, that are followed.
const MAX_EFFECTS: usize = 64;

/// Which lines of a call the criteria depend on.
pub fn lines(past: &Past, call: CallId, criteria: &[Criterion], limits: &SliceLimits) -> Result<Lines> {
    let row = past.index().call(call).ok_or(Error::NoSuchCall)?;
    let mut search = SliceSearch::new(past, *limits);
    search.span = Some((call, row));
    for criterion in criteria {
        start(&mut search, criterion)?;
    }
    search.run()?;
    let found = search.slice();
    let mut ran = Ran::default();
    ran.look(&mut search, call, row.entry, row.exit)?;
    let Some(facts) = ran.facts.clone() else { return Ok(Lines { cut: search.cut, ..Lines::default() }) };
    let first = Marks::of(&search, &found, call);
    let mut doubtful = ran.doubtful || search.cut.is_some();
    doubtful |= !search.consider(call, &row, &ran)?;
    let all = search.slice();
    let second = Marks::of(&search, &all, call);
    doubtful |= search.cut.is_some();
    let lost = all.unknown.iter().filter(|at| at.stream == call.stream).map(|at| at.ordinal).max();
    let lost = if all.unknown.iter().any(|at| at.stream != call.stream) { Some(u64::MAX) } else { lost };
    let program = past.recording().program();
    let by_line = program.method(facts.code.method).is_some_and(|(_, method)| !method.lines().is_empty());
    let number = |bci: u16| match by_line {
        true => past.source_line(Site { method: facts.code.method, bci }).line,
        false => Some(u32::from(bci)),
    };
    let mut of: BTreeMap<u32, Depends> = BTreeMap::new();
    let mut jumps: BTreeMap<u32, Depends> = BTreeMap::new();
    for (&bci, &ordinal) in &ran.first {
        let Some(line) = number(bci) else { continue };
        let depends = match () {
            () if first.sure.contains(&bci) => Depends::Yes,
            () if is_jump(&facts, bci) => jumping(&facts, bci, &first, &second),
            () if first.all.contains(&bci) || second.all.contains(&bci) => Depends::Unsure,
            () => Depends::No,
        };
        let unsure = doubtful || lost.is_some_and(|lost| ordinal <= lost);
        let depends = if unsure { depends.max(Depends::Unsure) } else { depends };
        let list = if is_jump(&facts, bci) { &mut jumps } else { &mut of };
        let known = list.entry(line).or_insert(depends);
        *known = (*known).max(depends);
    }
    // The jump at the end of a statement is none of the statement's.
    for (line, depends) in jumps {
        of.entry(line).or_insert(depends);
    }
    Ok(Lines { of, cut: search.cut })
}

/// What came out of a call: what it gave or threw, what it printed, and what it did to objects that were there before.
pub fn outcome(past: &Past, call: CallId) -> Result<(Vec<Criterion>, bool)> {
    let row = past.index().call(call).ok_or(Error::NoSuchCall)?;
    let at = |ordinal| Position { stream: call.stream, ordinal };
    let (Some(entry), Some(exit)) = (past.index().time(at(row.entry)), past.index().time(at(row.exit)))
    else {
        return Ok((Vec::new(), false));
    };
    let mut list = vec![Criterion::Result(call)];
    let mut search = SliceSearch::new(past, SliceLimits::default());
    let mut seen: HashSet<ObjectId> = HashSet::new();
    let mut complete = true;
    for posting in past.index().within(call.stream, row.entry + 1, row.exit) {
        let PostingKind::Used { call: used, part: 0 } = posting.what else { continue };
        let object = ObjectId(posting.key.object);
        let used = CallId { stream: call.stream, index: used };
        if seen.contains(&object) {
            continue;
        }
        let Some(made) = past.index().call(used).filter(|row| matches!(row.target, Target::Library(_)))
        else {
            continue;
        };
        let callee = search.histories.callee(past, made.target);
        // Streams that the JVM made may be seen here for the first time.
        if past.index().prints(at(made.entry)) {
            list.push(Criterion::Event(at(made.entry)));
        } else if is_old(past, object, entry)
            && past.index().arguments(used).is_some_and(|args| args.receiver.is_some())
            && search.histories.flow(past, object, &callee).leaves != Leaves::Same
        {
            seen.insert(object);
            list.push(Criterion::Object(object, exit));
        }
        if list.len() > MAX_EFFECTS {
            complete = false;
            break;
        }
    }
    Ok((list, complete))
}

/// Was an object heard of before a time?
fn is_old(past: &Past, object: ObjectId, time: Time) -> bool {
    past.index().last(Key::created(object), time).is_some()
        || past.index().last(Key::uses(object), time).is_some()
}

/// Instructions of a call that are in a slice.
struct Marks {
    /// What is asked about depends on them.
    sure: HashSet<u16>,
    /// Or may do so.
    all: HashSet<u16>,
}

impl Marks {
    fn of(search: &SliceSearch<'_>, slice: &Slice, call: CallId) -> Marks {
        let sure = sure(slice);
        let mut marks = Marks { sure: HashSet::new(), all: HashSet::new() };
        let mut places: HashMap<Position, bool> = HashMap::new();
        for (element, &sure) in slice.elements.iter().zip(&sure) {
            places.insert(element.position, sure);
            if let (Some(site), true) = (element.site, element.call == call) {
                marks.all.insert(site.bci);
                if sure {
                    marks.sure.insert(site.bci);
                }
            }
        }
        for &(bci, by, certain) in &search.gave {
            marks.all.insert(bci);
            if certain && places.get(&by).copied().unwrap_or(false) {
                marks.sure.insert(bci);
            }
        }
        marks
    }
}

/// By element: does the criterion depend on it for sure?
pub fn sure(slice: &Slice) -> Vec<bool> {
    let mut sure = vec![false; slice.elements.len()];
    // Causes are later in the list than what they explain, but for a few: until nothing changes.
    let mut changed = true;
    while changed {
        changed = false;
        for (at, element) in slice.elements.iter().enumerate() {
            let is = element.explains.iter().any(|&(by, tie)| {
                tie == Tie::Start || (tie != Tie::Perhaps && by as usize != at && sure[by as usize])
            });
            if is && !sure[at] {
                sure[at] = true;
                changed = true;
            }
        }
    }
    sure
}

/// By element: did the value itself come through it, not only what chose or decided?
pub fn by_value(slice: &Slice) -> Vec<bool> {
    let mut through = vec![false; slice.elements.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (at, element) in slice.elements.iter().enumerate() {
            let is = element.explains.iter().any(|&(by, tie)| match tie {
                Tie::Start => true,
                Tie::Data => by as usize != at && through[by as usize],
                Tie::Address | Tie::Control | Tie::Perhaps => false,
            });
            if is && !through[at] {
                through[at] = true;
                changed = true;
            }
        }
    }
    through
}

/// What a call executed.
#[derive(Default)]
pub(super) struct Ran {
    pub facts: Option<Rc<SlicedMethod>>,
    /// By instruction: about when it ran first.
    first: BTreeMap<u16, u64>,
    /// By branch: when it was decided.
    pub branches: BTreeMap<u16, Vec<u64>>,
    doubtful: bool,
}

impl Ran {
    pub fn look(&mut self, search: &mut SliceSearch<'_>, call: CallId, entry: u64, exit: u64) -> Result<()> {
        let mut ordinal = entry;
        while ordinal <= exit {
            let Some(window) = search.window(Position { stream: call.stream, ordinal })? else {
                self.doubtful = true;
                return Ok(());
            };
            let past = search.past;
            if let Some(trail) = window.trail_of(past, &mut search.methods, call) {
                self.take(&trail.borrow());
            }
            // What a long callee did is none of the call's own.
            ordinal = window.end.max(ordinal + 1);
        }
        Ok(())
    }

    fn take(&mut self, trail: &CallTrail) {
        self.doubtful |= trail.doubtful;
        let facts = self.facts.get_or_insert_with(|| Rc::clone(&trail.facts));
        let mut step = 0;
        for (run, &block) in trail.runs.iter().enumerate() {
            while trail.steps.get(step).is_some_and(|one| (one.at.run as usize) < run) {
                step += 1;
            }
            let began = trail.steps.get(step.saturating_sub(1)).map_or(0, |one| one.ordinal);
            let here = trail.steps[step..].iter().take_while(|one| one.at.run as usize == run);
            let threw = here.clone().find(|one| one.did == Did::Threw).map(|one| one.at.bci);
            let block = facts.code.cfg.block(block);
            let from = facts.code.insns.partition_point(|insn| insn.bci < block.first);
            let last = threw.map_or(block.last, |bci| block.last.min(bci as u16));
            for insn in facts.code.insns[from..].iter().take_while(|insn| insn.bci <= last) {
                self.first.entry(insn.bci).or_insert(began);
            }
        }
        for step in &trail.steps {
            if matches!(step.did, Did::Branched(_) | Did::Switched(_)) {
                self.branches.entry(step.at.bci as u16).or_default().push(step.ordinal);
            }
        }
    }
}

/// Does an instruction do nothing but go elsewhere?
fn is_jump(facts: &SlicedMethod, bci: u16) -> bool {
    matches!(facts.op(bci), op::GOTO | op::GOTO_W | op::RETURN)
}

/// Whether a jump matters is a matter of what decided on it.
fn jumping(facts: &SlicedMethod, bci: u16, first: &Marks, second: &Marks) -> Depends {
    let Some(block) = facts.code.cfg.block_at(bci) else { return Depends::Unsure };
    let deciding = facts.control.on(block).iter().map(|&by| facts.code.cfg.block(by).last);
    let depends = deciding.map(|by| match () {
        () if first.sure.contains(&by) => Depends::Yes,
        () if second.all.contains(&by) => Depends::Unsure,
        () => Depends::No,
    });
    depends.max().unwrap_or(Depends::No)
}
