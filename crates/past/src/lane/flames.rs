//! Which calls of a thread can be seen at a number of columns: those that fill one. They are open at its boundaries, so
//! it is enough to look at the stack of calls at each boundary, and that is found by searching the calls by when they
//! began. The others that began in a column are a crowd, unless they are few.

use std::ops::Range;

/// A call from its first event to its last, by ordinals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bar {
    pub entry: u64,
    pub exit: u64,
    pub parent: Option<u32>,
    pub depth: u32,
}

/// The calls of a thread, in the order in which they began.
pub(super) struct Calls<'a> {
    pub count: u32,
    pub bar: &'a dyn Fn(u32) -> Option<Bar>,
    /// The call made by the first that the second is or lies in.
    pub child: &'a dyn Fn(u32, u32) -> Option<u32>,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Seen {
    /// In the order in which they began.
    pub bars: Vec<(u32, Bar)>,
    pub crowds: Vec<Crowd>,
    pub begun: u32,
}

#[derive(Debug, PartialEq)]
pub(super) struct Crowd {
    pub column: u32,
    pub levels: Range<u32>,
    pub calls: u32,
    pub first: u32,
}

/// So many calls that began in one column are shown one by one.
const SHOWN_SINGLY: u32 = 4;
/// Calls of a crowd whose depth is looked at.
const SAMPLES: u32 = 4;
/// Levels that are gone up in search of a call that is seen; then it is better to come from above.
const CLIMB: usize = 256;

/// `bounds`: the ordinals at which columns begin, and the end of the last one, ascending.
pub(super) fn seen(calls: &Calls<'_>, bounds: &[u64], levels: &Range<u32>) -> Seen {
    let begun = begun(calls, bounds);
    let (Some(&first), Some(&last)) = (begun.first(), begun.last()) else { return Seen::default() };
    let mut seen = Seen { begun: last.saturating_sub(first), ..Seen::default() };
    let mut open: Vec<(u32, Bar)> = Vec::new();
    if let Some(row) = first.checked_sub(1) {
        open = still_open(calls, row, bounds[0], &[], levels.end);
    }
    seen.bars.extend(open.iter().filter(|(_, bar)| levels.contains(&bar.depth)));
    for (column, ends) in bounds.windows(2).enumerate() {
        let (end, from, to) = (ends[1], begun[column], begun[column + 1]);
        while open.last().is_some_and(|(_, bar)| bar.exit < end) {
            open.pop();
        }
        let Some(row) = to.checked_sub(1).filter(|_| to > from) else { continue };
        let level = open.last().map_or(0, |(_, bar)| bar.depth + 1);
        let fresh = still_open(calls, row, end, &open, levels.end);
        let is_seen = |(_, bar): &&(u32, Bar)| levels.contains(&bar.depth);
        // Those that fill the next column, as far as it is known.
        let long =
            fresh.iter().filter(|(_, bar)| bounds.get(column + 2).is_none_or(|&next| bar.exit >= next));
        if to - from <= SHOWN_SINGLY {
            let few: Vec<(u32, Bar)> = (from..to).filter_map(|row| Some((row, (calls.bar)(row)?))).collect();
            seen.bars.extend(few.iter().filter(is_seen));
        } else {
            let mut short = to - from;
            for one in long {
                short = short.saturating_sub(1);
                seen.bars.extend(Some(one).filter(is_seen));
            }
            let step = |at: u32| (u64::from(to - 1 - from) * u64::from(at) / u64::from(SAMPLES)) as u32;
            let samples = (0..=SAMPLES).filter_map(|at| (calls.bar)(from + step(at))).map(|bar| bar.depth);
            let deepest = samples.chain(fresh.last().map(|(_, bar)| bar.depth)).max().unwrap_or(level);
            let between = level.max(levels.start)..(deepest + 1).min(levels.end);
            if short > 0 && !between.is_empty() {
                let column = column as u32;
                seen.crowds.push(Crowd { column, levels: between, calls: short, first: from });
            }
        }
        open.extend(fresh);
    }
    seen
}

/// The calls that are open at an ordinal, below those of `known`, the outermost first, and none from level `end` on.
/// `row` is the last call that began before it.
fn still_open(calls: &Calls<'_>, row: u32, at: u64, known: &[(u32, Bar)], end: u32) -> Vec<(u32, Bar)> {
    let above = known.last().map(|&(row, _)| row);
    let mut found = Vec::new();
    let mut next = Some(row).filter(|_| above != Some(row));
    for steps in 0.. {
        let Some(row) = next.filter(|&row| Some(row) != above) else { break };
        if let (Some(above), CLIMB) = (above, steps) {
            return from_above(calls, above, row, at, end);
        }
        let Some(bar) = (calls.bar)(row) else { break };
        if bar.exit >= at && bar.depth < end {
            found.push((row, bar));
        }
        // A damaged index must not lead in a circle.
        next = bar.parent.filter(|&parent| parent < row);
    }
    found.reverse();
    found
}

fn from_above(calls: &Calls<'_>, above: u32, inner: u32, at: u64, end: u32) -> Vec<(u32, Bar)> {
    let mut found = Vec::new();
    let mut next = (calls.child)(above, inner);
    while let Some(row) = next
        && let Some(bar) = (calls.bar)(row)
        && bar.exit >= at
        && bar.depth < end
    {
        found.push((row, bar));
        next = (calls.child)(row, inner).filter(|&child| child > row);
    }
    found
}

/// How many calls began before each of the bounds.
fn begun(calls: &Calls<'_>, bounds: &[u64]) -> Vec<u32> {
    let mut begun = vec![0; bounds.len()];
    let (Some(&first), Some(&last)) = (bounds.first(), bounds.last()) else { return begun };
    let all = Known { rows: 0, ordinal: 0 }..Known { rows: calls.count, ordinal: last.max(1) };
    let (low, high) = (began_before(calls, first, all.clone()), began_before(calls, last, all));
    let end = bounds.len() - 1;
    (begun[0], begun[end]) = (low, high);
    // The middle first: what is found bounds the rest.
    let mut left = vec![(0, end)];
    while let Some((from, to)) = left.pop() {
        if to - from <= 1 {
            continue;
        }
        let middle = from + (to - from) / 2;
        let known = |at: usize| Known { rows: begun[at], ordinal: bounds[at] };
        begun[middle] = began_before(calls, bounds[middle], known(from)..known(to));
        left.push((from, middle));
        left.push((middle, to));
    }
    begun
}

/// So many calls began before this ordinal.
#[derive(Clone, Copy)]
struct Known {
    rows: u32,
    ordinal: u64,
}

/// How many calls began before an ordinal. Calls begin at a fairly even pace, so that guessing by it needs few looks;
/// every other look is in the middle, for where they do not.
fn began_before(calls: &Calls<'_>, ordinal: u64, between: Range<Known>) -> u32 {
    let Range { start: mut low, end: mut high } = between;
    let mut guess = true;
    while low.rows < high.rows {
        let rows = high.rows - low.rows;
        let span = high.ordinal.saturating_sub(low.ordinal).max(1);
        let ahead = ordinal.saturating_sub(low.ordinal).min(span);
        let offset = match guess {
            true => (u128::from(rows) * u128::from(ahead) / u128::from(span)) as u32,
            false => rows / 2,
        };
        guess = !guess;
        let middle = low.rows + offset.min(rows - 1);
        match (calls.bar)(middle) {
            Some(bar) if bar.entry < ordinal => low = Known { rows: middle + 1, ordinal: bar.entry },
            Some(bar) => high = Known { rows: middle, ordinal: bar.entry },
            None => high.rows = middle,
        }
    }
    low.rows
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    /// A thread's calls from how many calls each step closes before it opens one, or how many events pass.
    fn thread(steps: &[(u8, u8)]) -> (Vec<Bar>, u64) {
        let (mut bars, mut open, mut now) = (Vec::<Bar>::new(), Vec::<u32>::new(), 0);
        for &(close, pause) in steps {
            for _ in 0..close {
                let Some(row) = open.pop() else { break };
                bars[row as usize].exit = now;
                now += 1;
            }
            now += u64::from(pause);
            let parent = open.last().copied();
            open.push(bars.len() as u32);
            bars.push(Bar { entry: now, exit: u64::MAX, parent, depth: open.len() as u32 - 1 });
            now += 1;
        }
        for bar in bars.iter_mut().filter(|bar| bar.exit == u64::MAX) {
            bar.exit = now;
        }
        (bars, now + 1)
    }

    fn child(bars: &[Bar], parent: u32, inner: u32) -> Option<u32> {
        let mut row = inner;
        loop {
            match bars[row as usize].parent {
                Some(above) if above == parent => return Some(row),
                above => row = above?,
            }
        }
    }

    fn visible_calls(bars: &[Bar], bounds: &[u64], levels: &Range<u32>) -> (Seen, u32) {
        let looks = Cell::new(0);
        let bar = |row: u32| {
            looks.set(looks.get() + 1);
            bars.get(row as usize).copied()
        };
        let below = |parent, inner| child(bars, parent, inner);
        let calls = Calls { count: bars.len() as u32, bar: &bar, child: &below };
        (seen(&calls, bounds, levels), looks.get())
    }

    proptest! {
        #[test]
        fn what_can_be_seen_is_seen_and_nothing_else(
            steps in prop::collection::vec((0u8..4, 0u8..9), 1..200),
            columns in 1u64..60,
            part in (0u64..100, 1u64..100),
            levels in (0u32..3, 1u32..8),
        ) {
            let (bars, events) = thread(&steps);
            let from = events * part.0 / 100;
            let to = from + 1 + (events - from - 1) * part.1 / 100;
            let columns = columns.min(to - from);
            let bounds: Vec<u64> = (0..=columns).map(|at| from + (to - from) * at / columns).collect();
            let levels = levels.0..levels.0 + levels.1;
            let (seen, _) = visible_calls(&bars, &bounds, &levels);
            let rows: Vec<u32> = seen.bars.iter().map(|&(row, _)| row).collect();
            prop_assert!(rows.is_sorted() && rows.windows(2).all(|two| two[0] != two[1]), "{rows:?}");
            for &(row, bar) in &seen.bars {
                prop_assert_eq!(bars[row as usize], bar);
                prop_assert!(levels.contains(&bar.depth) && bar.entry < to && bar.exit >= from);
            }
            for (row, bar) in bars.iter().enumerate().filter(|(_, bar)| levels.contains(&bar.depth)) {
                let fills = bounds.windows(2).any(|column| bar.entry < column[0] && bar.exit >= column[1]);
                prop_assert!(!fills || rows.contains(&(row as u32)), "call {row} {bar:?}");
                // Of a crowd some are looked at: those above `levels` may hide what is in them.
                let inside = bar.entry >= from && bar.entry < to && levels.start == 0;
                if inside && !rows.contains(&(row as u32)) {
                    let column = bounds.partition_point(|&bound| bound <= bar.entry) as u32 - 1;
                    prop_assert!(seen.crowds.iter().any(|crowd| crowd.column == column), "call {row} {bar:?}");
                }
            }
            let began = |range: Range<u64>| bars.iter().filter(|bar| range.contains(&bar.entry)).count() as u32;
            prop_assert_eq!(seen.begun, began(from..to));
            for crowd in &seen.crowds {
                let column = bounds[crowd.column as usize]..bounds[crowd.column as usize + 1];
                prop_assert!(crowd.calls > 0 && crowd.calls <= began(column.clone()));
                prop_assert!(column.contains(&bars[crowd.first as usize].entry));
                for level in crowd.levels.clone() {
                    let there = bars.iter().any(|bar| bar.depth == level && bar.entry < column.end && bar.exit >= column.start);
                    prop_assert!(there && levels.contains(&level));
                }
            }
        }
    }

    #[test]
    fn a_million_short_siblings_cost_a_few_looks_per_column() {
        let mut bars = vec![Bar { entry: 0, exit: 4_000_001, parent: None, depth: 0 }];
        bars.extend((0..1_000_000).map(|at| Bar {
            entry: at * 4 + 1,
            exit: at * 4 + 3,
            parent: Some(0),
            depth: 1,
        }));
        let bounds: Vec<u64> = (0..=1000).map(|at| at * 4002).collect();
        let (seen, looks) = visible_calls(&bars, &bounds, &(0..64));
        assert_eq!(seen.crowds.len(), 1000);
        assert_eq!(
            seen.crowds.iter().map(|crowd| crowd.calls).sum::<u32>() + seen.bars.len() as u32,
            1_000_001
        );
        assert!(looks < 20_000, "{looks}");
    }

    #[test]
    fn a_deep_recursion_is_seen_from_above() {
        // Down 10,000 levels and up again, again and again.
        let mut bars = vec![Bar { entry: 0, exit: 1 << 40, parent: None, depth: 0 }];
        let mut now = 1;
        for _ in 0..20 {
            let first = bars.len() as u32;
            for level in 0..10_000 {
                let parent = if level == 0 { 0 } else { first + level - 1 };
                let entry = now + u64::from(level);
                let exit = now + 19_999 - u64::from(level);
                bars.push(Bar { entry, exit, parent: Some(parent), depth: level + 1 });
            }
            now += 20_000;
        }
        let bounds: Vec<u64> = (0..=300).map(|at| at * now / 300).collect();
        let looks = Cell::new(0);
        let bar = |row: u32| {
            looks.set(looks.get() + 1);
            bars.get(row as usize).copied()
        };
        let below = |parent: u32, inner: u32| match parent {
            _ if inner <= parent => None,
            0 => Some((inner - 1) / 10_000 * 10_000 + 1),
            parent => Some(parent + 1),
        };
        let calls = Calls { count: bars.len() as u32, bar: &bar, child: &below };
        let seen = seen(&calls, &bounds, &(0..64));
        assert_eq!(seen.bars.iter().filter(|(_, bar)| bar.depth == 63).count(), 20);
        assert!(looks.get() < 300 * (256 + 64 + 64), "{}", looks.get());
    }
}
