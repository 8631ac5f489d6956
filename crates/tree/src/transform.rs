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

use crate::columns::Columns;
use crate::links::Links;
use crate::loops::LoopRuns;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transform {
    /// Loops and their iterations become nodes.
    Loops,
    /// Recursion becomes one node where that saves questions.
    Compress,
    /// A node over every chain of siblings.
    Project,
    /// Chains of like leaves become one node; then nodes over sub-chains that halve the weight.
    Balance,
}

/// What the recording says about the plain tree.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub links: Links,
    pub loops: LoopRuns,
}

/// The plain tree with these transformations. The order is always the same, whatever order they are named in: loops
/// first, since they part siblings; then what removes nodes; then what adds nodes above those that are left.
pub fn transform(plain: &Columns, facts: &Facts, which: &[Transform]) -> Columns {
    let wanted = |transform| which.contains(&transform);
    let (mut tree, mut links) = (plain.clone(), facts.links.clone());
    if wanted(Transform::Loops) {
        (tree, links) = expand_loops(&tree, &links, &facts.loops);
    }
    if wanted(Transform::Compress) {
        (tree, links) = compress(&tree, &links);
    }
    if wanted(Transform::Balance) {
        (tree, links) = collapse(&tree, &links);
    }
    if wanted(Transform::Project) {
        (tree, links) = project(&tree, &links);
    }
    if wanted(Transform::Balance) {
        tree = balance::halve(&tree, &links);
    }
    tree
}

impl Transform {
    pub const ALL: [Transform; 4] =
        [Transform::Project, Transform::Balance, Transform::Compress, Transform::Loops];

    /// A list of names with commas between them; `none` stands for no transformation.
    pub fn list(names: &str) -> Result<Vec<Transform>, UnknownTransform> {
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty() && *name != "none");
        names.map(str::parse).collect()
    }
}

impl Display for Transform {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Transform::Project => "project",
            Transform::Balance => "balance",
            Transform::Compress => "compress",
            Transform::Loops => "loops",
        })
    }
}

impl FromStr for Transform {
    type Err = UnknownTransform;

    fn from_str(name: &str) -> Result<Transform, UnknownTransform> {
        let known = Transform::ALL.into_iter().find(|transform| transform.to_string() == name);
        known.ok_or_else(|| UnknownTransform(name.to_owned()))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTransform(pub String);

impl Display for UnknownTransform {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no transformation is called `{}`: there are none, project, balance, compress, loops",
            self.0
        )
    }
}

impl std::error::Error for UnknownTransform {}

#[cfg(test)]
mod tests;
