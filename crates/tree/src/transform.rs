//! Trees of a better shape than that of the calls: fewer nodes, or nodes that halve what is suspected. Every
//! transformation takes a tree and gives another, whose fragments say which calls each node stands for.

mod balance;
mod collapse;
mod compress;
mod expand;
mod project;
#[cfg(test)]
mod testing;

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

pub use balance::balance;
pub use collapse::collapse;
pub use compress::{compress, folded};
pub use expand::expand_loops;
pub use project::project;

use crate::links::Links;
use crate::loops::LoopRuns;
use crate::memory_tree::MemoryTree;

crate::closed! {
    /// In the order in which they are shown.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Transform {
        Project,
        Balance,
        Compress,
        Loops,
    }
}

/// All that a transformation is: what any client shows of it, what it is made from, and how it is done.
struct Definition {
    /// As it is typed.
    name: &'static str,
    /// A line for whoever has to choose one.
    summary: &'static str,
    needs: Need,
    steps: &'static [(Stage, Step)],
}

/// What has to be known of the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// How they are tied together.
    Links,
    /// Which loops ran in them.
    Loops,
}

/// When a step is done, whatever order the transformations are named in: loops first, since they part siblings; then what
/// removes nodes; then what adds nodes above those that are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Part,
    Fold,
    Collapse,
    Group,
    Halve,
}

/// From a tree, its links and what is known of the plain tree to another tree and its links.
type Step = fn(&MemoryTree, &Links, &TreeFacts) -> (MemoryTree, Links);

/// What the recording says about the plain tree.
#[derive(Clone, Debug, Default)]
pub struct TreeFacts {
    pub links: Links,
    pub loops: LoopRuns,
}

/// The plain tree with these transformations.
pub fn transform(plain: &MemoryTree, facts: &TreeFacts, which: &[Transform]) -> MemoryTree {
    let chosen = Transform::ALL.into_iter().filter(|transform| which.contains(transform));
    let mut steps: Vec<(Stage, Step)> = chosen.flat_map(|it| it.definition().steps).copied().collect();
    steps.sort_by_key(|&(stage, _)| stage);
    let (mut tree, mut links) = (plain.clone(), facts.links.clone());
    for (_, step) in steps {
        (tree, links) = step(&tree, &links, facts);
    }
    tree
}

impl Transform {
    /// How no transformation is typed.
    pub const NONE: &str = "none";
    /// What a person who names none gets: with these the longest dialogues are shorter, and no more verdicts are wrong.
    pub const DEFAULT: [Transform; 2] = [Transform::Loops, Transform::Balance];

    const fn definition(self) -> Definition {
        match self {
            Transform::Project => Definition {
                name: "project",
                summary: "One question about calls that follow each other and pass values on.",
                needs: Need::Links,
                steps: &[(Stage::Group, |tree, links, _| project(tree, links))],
            },
            Transform::Balance => Definition {
                name: "balance",
                summary: "Like calls become one question, and long chains are halved.",
                needs: Need::Links,
                steps: &[
                    (Stage::Collapse, |tree, links, _| collapse(tree, links)),
                    (Stage::Halve, |tree, links, _| balance::halve(tree, links)),
                ],
            },
            Transform::Compress => Definition {
                name: "compress",
                summary: "Recursion becomes one question where that saves some.",
                needs: Need::Links,
                steps: &[(Stage::Fold, |tree, links, _| compress(tree, links))],
            },
            Transform::Loops => Definition {
                name: "loops",
                summary: "Loops and their iterations are asked about: halving them finds the first wrong one.",
                needs: Need::Loops,
                steps: &[(Stage::Part, |tree, links, facts| expand_loops(tree, links, &facts.loops))],
            },
        }
    }

    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// A line for whoever has to choose one.
    pub fn summary(self) -> &'static str {
        self.definition().summary
    }

    /// What has to be known of the calls for it.
    pub fn needs(self) -> Need {
        self.definition().needs
    }

    /// All that may be typed, with commas between them.
    pub fn names() -> String {
        [Transform::NONE]
            .into_iter()
            .chain(Transform::ALL.map(Transform::name))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// A list of names with commas between them; `none` stands for no transformation.
    pub fn list(names: &str) -> Result<Vec<Transform>, UnknownTransform> {
        let names =
            names.split(',').map(str::trim).filter(|name| !name.is_empty() && *name != Transform::NONE);
        names.map(str::parse).collect()
    }
}

impl Display for Transform {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Transform {
    type Err = UnknownTransform;

    fn from_str(name: &str) -> Result<Transform, UnknownTransform> {
        let known = Transform::ALL.into_iter().find(|transform| transform.name() == name);
        known.ok_or_else(|| UnknownTransform(name.to_owned()))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTransform(pub String);

impl Display for UnknownTransform {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "no transformation is called `{}`: there are {}", self.0, Transform::names())
    }
}

impl std::error::Error for UnknownTransform {}

#[cfg(test)]
mod tests;
