//! How long a million calls take to transform, in the shapes that are hard on it: `cargo bench -p tree`.

use std::time::Instant;

use tree::transform::{balance, collapse, compress, expand_loops, project};
use tree::{
    CodeGroup, Fragment, IterationStart, Link, Links, LoopRun, LoopRuns, MemoryTree, PlainRow, Suspicion,
    Tree, TreeBuilder,
};

const CALLS: u32 = 1_000_000;

fn main() {
    println!(
        "{:<44} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "shape", "balance", "nodes", "collapse", "project", "compress"
    );
    for (name, (tree, links)) in shapes() {
        let start = Instant::now();
        let balanced = balance(&tree, &links);
        let took = start.elapsed().as_millis();
        let rest = [
            timed(|| collapse(&tree, &links).0.len()),
            timed(|| project(&tree, &links).0.len()),
            timed(|| compress(&tree, &links).0.len()),
        ];
        print!("{name:<44} {took:>6} ms {:>9}", balanced.len());
        println!(" {:>6} ms {:>6} ms {:>6} ms", rest[0], rest[1], rest[2]);
    }
    let (tree, links) = grown(|row, _| Measured { up: u32::from(row > 1), link: Link::Chain, group: row });
    let mut loops = LoopRuns::default();
    let run = LoopRun {
        group: CodeGroup(0),
        within: None,
        iterations: CALLS - 1,
        first: PlainRow(1),
        end: PlainRow(CALLS),
    };
    loops.push(
        PlainRow(0),
        run,
        (1..CALLS).map(|row| IterationStart { iteration: row - 1, first: PlainRow(row) }),
    );
    println!(
        "a loop with a call in each iteration: loops {} ms",
        timed(|| expand_loops(&tree, &links, &loops).0.len())
    );
}

fn timed(work: impl FnOnce() -> u32) -> u128 {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed().as_millis()
}

fn shapes() -> Vec<(&'static str, (MemoryTree, Links))> {
    vec![
        (
            "one chain of leaves",
            grown(|row, _| Measured { up: u32::from(row > 1), link: Link::Chain, group: row }),
        ),
        ("one chain, weights 1 to 30", {
            let (mut leaves, mut below_root) = (0, 0);
            grown(move |row, dice| {
                if row == 0 || leaves > 0 {
                    leaves -= u32::from(row > 0);
                    let up = below_root.max(1) - 1;
                    below_root = if row == 0 { 0 } else { 2 };
                    return Measured { up, link: Link::None, group: row };
                }
                leaves = dice.roll(30);
                let up = std::mem::replace(&mut below_root, 1);
                Measured { up, link: Link::Chain, group: row }
            })
        }),
        ("many chains of two to ten", {
            grown(|row, dice| {
                let link = if dice.roll(5) == 0 { Link::None } else { Link::Chain };
                Measured { up: u32::from(row > 1), link, group: row }
            })
        }),
        (
            "like leaves that collapse",
            grown(|row, _| Measured { up: u32::from(row > 1), link: Link::Chain, group: row / 9 }),
        ),
        ("random, most linked", {
            grown(|_, dice| {
                let link = if dice.roll(4) == 0 { Link::None } else { Link::Chain };
                Measured { up: dice.roll(3), link, group: dice.roll(50) }
            })
        }),
        (
            "nested calls of different methods",
            grown(|row, _| Measured { up: 0, link: Link::None, group: row }),
        ),
        ("recursion", grown(|_, _| Measured { up: 0, link: Link::None, group: 1 })),
        ("recursion with three linked leaves a level", {
            grown(|row, _| match row % 4 {
                0 => Measured { up: u32::from(row > 0), link: Link::Chain, group: 0 },
                at => Measured { up: u32::from(at > 1), link: Link::Chain, group: at },
            })
        }),
    ]
}

/// How the next call comes after the one before: so many calls return first.
struct Measured {
    up: u32,
    link: Link,
    group: u32,
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % u64::from(sides)) as u32
    }
}

fn grown(mut step: impl FnMut(u32, &mut Dice) -> Measured) -> (MemoryTree, Links) {
    let mut dice = Dice(88_172_645_463_325_252);
    let mut builder = TreeBuilder::default();
    let mut links = Vec::new();
    let mut depth = 0;
    for row in 0..CALLS {
        let Measured { up, link, group } = step(row, &mut dice);
        let up = up.min(u32::saturating_sub(depth, 1));
        for _ in 0..up {
            builder.close();
        }
        builder.open(Fragment::Call(PlainRow(row)), CodeGroup(group), Suspicion::Suspect);
        links.push(if up > 0 { link } else { Link::None });
        depth = depth - up + 1;
    }
    (builder.finish(), Links(links))
}
