//! Trees for tests: written as text, made at random, and checked for what every transformation must keep.

use std::collections::BTreeSet;

use testkit::Chance;

use crate::fragment::{Fragment, PlainRow};
use crate::links::{Link, Links};
use crate::memory_tree::{MemoryTree, TreeBuilder};
use crate::tree::{CodeGroup, Node, Suspicion, Tree};

/// Reads `f(a -b(c) =d !e)`: a letter is a method, `-` and `=` link to the sibling before as chain and as
/// independent, `!` is trusted.
pub fn tree(text: &str) -> (MemoryTree, Links) {
    let mut builder = TreeBuilder::default();
    let mut links = Vec::new();
    let (mut link, mut suspicion) = (Link::None, Suspicion::Suspect);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '-' => link = Link::Chain,
            '=' => link = Link::Independent,
            '!' => suspicion = Suspicion::Through,
            ')' => builder.close(),
            'a'..='z' => {
                let row = PlainRow(links.len() as u32);
                builder.open(Fragment::Call(row), CodeGroup(letter as u32 - 'a' as u32), suspicion);
                links.push(std::mem::take(&mut link));
                suspicion = Suspicion::Suspect;
                if letters.peek() == Some(&'(') {
                    letters.next();
                } else {
                    builder.close();
                }
            }
            _ => {}
        }
    }
    (builder.finish(), Links(links))
}

/// Writes a tree as `tree` reads it. `[…]` is a projection, `a*3` a collapse of three (`=` after it: independent),
/// `f^2` calls folded over two levels, `{…}` a loop, `<0 …>` an iteration, `<0..2 …>` several.
pub fn sketch(tree: &MemoryTree, links: &Links) -> String {
    fn write(tree: &MemoryTree, links: &Links, node: Node, out: &mut String) {
        out.push_str(match links.of(node) {
            Link::None => "",
            Link::Chain => "-",
            Link::Independent => "=",
        });
        if tree.suspicion(node) == Suspicion::Through {
            out.push('!');
        }
        let letter = || char::from(b'a' + tree.group(node).0 as u8);
        let (before, close) = match tree.fragment(node) {
            Fragment::Call(_) | Fragment::Thread(_) => (letter().to_string(), ""),
            Fragment::Projection { .. } => ("[".to_owned(), "]"),
            Fragment::Collapse { first, last, independent } => {
                let mark = if independent { "=" } else { "" };
                (format!("{}*{}{mark}", letter(), last.0 - first.0 + 1), "")
            }
            Fragment::Compressed { levels, .. } => (format!("{}^{levels}", letter()), ""),
            Fragment::Loop { .. } => ("{".to_owned(), "}"),
            Fragment::Iterations { from, to, .. } if to == from + 1 => (format!("<{from}"), ">"),
            Fragment::Iterations { from, to, .. } => (format!("<{from}..{to}"), ">"),
            Fragment::Statement { at, .. } => (format!("s{at}"), ""),
        };
        out.push_str(&before);
        let children: Vec<Node> = tree.children(node).collect();
        let (open, shut) = match (before.as_str(), children.is_empty()) {
            ("[" | "{", _) => ("", ""),
            (_, true) => ("", ""),
            (text, false) if text.starts_with('<') => (" ", ""),
            (_, false) => ("(", ")"),
        };
        out.push_str(open);
        for (at, &child) in children.iter().enumerate() {
            if at > 0 {
                out.push(' ');
            }
            write(tree, links, child, out);
        }
        out.push_str(shut);
        out.push_str(close);
    }
    let mut out = String::new();
    write(tree, links, Node(0), &mut out);
    out
}

/// A tree of up to `most` calls: `methods` of them, linked often, some trusted.
pub fn random(dice: &mut Chance, most: u64, methods: u64) -> (MemoryTree, Links) {
    let count = 1 + dice.below_u64(most);
    let (steps, linked) = (1 + dice.below_u64(4), 2 + dice.below_u64(4));
    let mut builder = TreeBuilder::default();
    let mut links = Vec::new();
    let mut depth = 0;
    for row in 0..count {
        let mut link = Link::None;
        if row > 0 {
            for _ in 0..dice.below_u64(steps * 2).min(depth - 1) {
                builder.close();
                depth -= 1;
                link = match dice.below_u64(linked) {
                    0 => Link::None,
                    1 => Link::Independent,
                    _ => Link::Chain,
                };
            }
        }
        let suspicion = if dice.below_u64(12) == 0 { Suspicion::Through } else { Suspicion::Suspect };
        builder.open(
            Fragment::Call(PlainRow(row as u32)),
            CodeGroup(dice.below_u64(methods) as u32),
            suspicion,
        );
        links.push(link);
        depth += 1;
    }
    (builder.finish(), Links(links))
}

/// What every tree made from this plain one must keep; says what it does not.
pub fn check(plain: &MemoryTree, made: &MemoryTree, links: Option<&Links>) -> Result<(), String> {
    let all = || (0..made.len()).map(Node);
    let mut open: Vec<Node> = Vec::new();
    let mut row = PlainRow(0);
    let mut suspects = 0;
    for node in all() {
        let fragment = made.fragment(node);
        let fault = |what: &str| Err(format!("{node:?} {fragment:?}: {what}"));
        while open.pop_if(|around| made.end(*around) <= node).is_some() {}
        if made.parent(node) != open.last().copied() {
            return fault("its parent is not the tightest node around it");
        }
        if made.end(node) <= node || open.last().is_some_and(|&around| made.end(node) > made.end(around)) {
            return fault("its subtree does not lie in that of its parent");
        }
        if !fragment.is_part() {
            if fragment.row() < row {
                return fault("it comes after a later row");
            }
            row = fragment.row();
        }
        if made.locate(fragment) != Some(node) {
            return fault("it is not found again");
        }
        if made.before(node) != suspects {
            return fault("suspects before it are miscounted");
        }
        suspects += u32::from(made.suspicion(node) == Suspicion::Suspect);
        if made.suspicion(node) == Suspicion::Joint && made.children(node).next().is_none() {
            return fault("it asks about several and has none");
        }
        if matches!(fragment, Fragment::Projection { .. }) {
            let rows: Vec<_> = made.children(node).map(|child| made.fragment(child)).collect();
            let ends = (rows.first().map(Fragment::row), rows.last().map(Fragment::last));
            if rows.len() < 2 || ends != (Some(fragment.row()), Some(fragment.last())) {
                return fault("it does not stand for its children");
            }
        }
        let first_child = made.parent(node).is_none_or(|parent| parent.0 + 1 == node.0);
        if first_child && links.is_some_and(|links| links.of(node) != Link::None) {
            return fault("the first child is linked to something");
        }
        open.push(node);
    }
    if links.is_some_and(|links| links.0.len() != made.len() as usize) {
        return Err("not one link for each node".to_owned());
    }
    represented_once(plain, made)?;
    spans_agree(plain, made)
}

/// Each suspected call of the plain tree has one node, or is a member of one.
fn represented_once(plain: &MemoryTree, made: &MemoryTree) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    let mut see =
        |row: PlainRow| if seen.insert(row) { Ok(()) } else { Err(format!("{row:?} stands twice")) };
    for node in (0..made.len()).map(Node) {
        match made.fragment(node) {
            Fragment::Call(row) => see(row)?,
            Fragment::Collapse { first, last, .. } => {
                for row in first.0..=last.0 {
                    see(PlainRow(row))?;
                }
            }
            Fragment::Compressed { row, .. } => {
                see(row)?;
                for row in super::folded(plain, made, node) {
                    see(row)?;
                }
            }
            _ => {}
        }
    }
    let rows: BTreeSet<PlainRow> = (0..plain.len()).map(|node| plain.fragment(Node(node)).row()).collect();
    if seen == rows { Ok(()) } else { Err(format!("lost or new: {:?}", rows.symmetric_difference(&seen))) }
}

/// The subtree of a call that still has its own node holds what the plain subtree holds, and nothing else.
fn spans_agree(plain: &MemoryTree, made: &MemoryTree) -> Result<(), String> {
    for call in (0..plain.len()).map(Node) {
        let row = plain.fragment(call).row();
        let Some(node) = made.locate(Fragment::Call(row)) else { continue };
        let end = plain.end(call);
        let after = if end.0 < plain.len() { plain.fragment(end).row() } else { PlainRow(u32::MAX) };
        if made.span(row, after) != (node, made.end(node)) {
            return Err(format!(
                "{row:?}: span {:?}, subtree {node:?}..{:?}",
                made.span(row, after),
                made.end(node)
            ));
        }
    }
    Ok(())
}
