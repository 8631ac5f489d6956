//! The tree view: rows by rank, and what is expanded, searched for and left out, for each page by itself.

use std::sync::{Arc, PoisonError};

use axum::Json;
use axum::extract::{Query, State};
use past::{CallId, Past};
use serde::{Deserialize, Serialize};
use session::{AskedTree, Captions, Session, Subject, TreeRow};
use tree::Node;

use crate::desk::Desk;
use crate::failure::{Failure, Result};
use crate::look::{Look, Sift};

const MAX_ROWS: usize = 500;
/// Rows that a client asks for together.
const PAGE: u64 = 50;
/// Calls to be counted on rows, and subjects whose ranks are asked for, at most.
const MAX_MARKS: usize = 10_000;
const MAX_RANKS: usize = 8;
/// Trees that may come and go while one is looked through.
const PATIENCE: usize = 3;

#[derive(Deserialize)]
pub struct Wanted {
    /// A name that the page made up for itself.
    page: String,
    from: u64,
    count: usize,
}

#[derive(Serialize)]
pub struct Rows {
    generation: u64,
    /// Ranks mean the same as long as this is the same.
    state: u64,
    /// Rows there are in all.
    total: u64,
    from: u64,
    rows: Vec<RowJson>,
    sift: Sift,
    #[serde(flatten)]
    done: Done,
    /// Where the subjects are that were asked for.
    ranks: Vec<Option<u64>>,
}

/// What came of a change.
#[derive(Default, Serialize)]
struct Done {
    /// The rank of what was asked for.
    rank: Option<u64>,
    /// How near that is to a call that was asked for.
    near: Option<Near>,
    found: Option<Found>,
    /// Only a part was expanded.
    cut: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum Near {
    Here,
    /// The row is the nearest one around it.
    Around,
    /// So it is because the call itself is left out of what is shown.
    LeftOut,
    /// The tree does not have it.
    Nowhere,
}

#[derive(Serialize)]
struct Found {
    /// Its number among the matches, from 0, and how many there are.
    at: Option<u32>,
    of: u32,
    /// The search went past an end of the tree.
    round: bool,
}

#[derive(Serialize)]
pub struct RowJson {
    node: u32,
    level: u32,
    place: u32,
    siblings: u32,
    expandable: bool,
    expanded: bool,
    /// Nodes in it that are left out of what is shown.
    left_out: u32,
    /// Marked calls at it, or folded in it.
    marks: u32,
    /// With arguments and result, or what it stands for.
    text: String,
    #[serde(flatten)]
    row: TreeRow,
}

pub async fn rows(State(desk): State<Arc<Desk>>, Query(wanted): Query<Wanted>) -> Result<Rows> {
    let change = Change {
        page: wanted.page,
        act: Act::Look,
        from: Some(wanted.from),
        count: wanted.count,
        ranks: Vec::new(),
    };
    answer(desk, change).await
}

#[derive(Deserialize)]
pub struct Change {
    page: String,
    #[serde(flatten)]
    act: Act,
    /// The first row that is wanted; if none, those around what was asked for.
    from: Option<u64>,
    count: usize,
    /// Subjects whose ranks are wanted.
    #[serde(default)]
    ranks: Vec<Subject>,
}

#[derive(Deserialize)]
#[serde(tag = "act", rename_all = "kebab-case")]
enum Act {
    Look,
    Expand {
        subject: Subject,
    },
    /// It, and all that is below.
    ExpandAll {
        subject: Subject,
    },
    /// It, and those beside it.
    ExpandSiblings {
        subject: Subject,
    },
    Collapse {
        subject: Subject,
    },
    CollapseAll,
    /// Where what is above it is.
    Parent {
        subject: Subject,
    },
    /// Expands what is above a call.
    Reveal {
        call: u64,
    },
    /// The next call of a method with a text in its name; `stay`: only counts them.
    Find {
        text: String,
        after: Option<Subject>,
        back: bool,
        stay: bool,
    },
    /// Shows another part of the tree, and a call in it.
    Sift {
        sift: Sift,
        call: Option<u64>,
    },
    /// Calls to be counted on the rows in which they are.
    Mark {
        calls: Vec<u64>,
    },
}

pub async fn change(State(desk): State<Arc<Desk>>, Json(said): Json<Change>) -> Result<Rows> {
    answer(desk, said).await
}

async fn answer(desk: Arc<Desk>, said: Change) -> Result<Rows> {
    let work = tokio::task::spawn_blocking(move || {
        let look = desk.looks.of(&said.page)?;
        let mut look = look.lock().unwrap_or_else(PoisonError::into_inner);
        let (rows, past) = changed(&desk, &mut look, said)?;
        Ok(worded(rows, &past))
    });
    work.await.map_err(|_| Failure::Broken)?.map(Json)
}

/// Does what was said, with the session only where it is needed.
fn changed(desk: &Desk, look: &mut Look, said: Change) -> std::result::Result<(Rows, Arc<Past>), Failure> {
    let find = match &said.act {
        Act::Find { text, .. } if text.is_empty() => return Err(Failure::Bad("say what to find".into())),
        Act::Find { text, .. } => Some(text.as_str()),
        Act::Sift { sift, .. } => {
            look.show(sift.clone());
            None
        }
        Act::CollapseAll => {
            look.collapse_all();
            None
        }
        _ => None,
    };
    for attempt in 0.. {
        let mut seat = desk.seat();
        let mut session = seat.session()?;
        let view = session.tree()?;
        if look.wants_scan(view.generation, find) {
            let scan = session.scan().ok_or(session::Error::Nothing)?;
            let generation = view.generation;
            if attempt < PATIENCE {
                drop((view, seat));
                look.scan(generation, &scan, find);
                drop(scan);
                seat = desk.seat();
                session = seat.session()?;
                if session.tree()?.generation != generation {
                    continue;
                }
            } else {
                look.scan(generation, &scan, find);
            }
        }
        let view = session.tree()?;
        look.settle(session, &view);
        let done = act(session, &view, look, &said.act)?;
        let rows = page(session, &view, look, &said, done);
        return Ok((rows, session.shared_past()));
    }
    Err(Failure::Outdated)
}

fn act(
    session: &Session,
    view: &AskedTree,
    look: &mut Look,
    act: &Act,
) -> std::result::Result<Done, Failure> {
    let shape = view.tree.as_ref();
    let mut done = Done::default();
    let node = |look: &Look, subject: &Subject| {
        let found = session.tree_node(subject).and_then(|node| look.shown(shape).inner(node));
        found.ok_or_else(|| Failure::Missing("such row in this tree: it has changed".into()))
    };
    let at = match act {
        Act::Look | Act::CollapseAll | Act::Sift { call: None, .. } => None,
        Act::Mark { calls } => {
            look.mark(calls.iter().copied().take(MAX_MARKS).collect());
            None
        }
        Act::Expand { subject } => {
            let node = node(look, subject)?;
            look.expand(session, shape, node);
            Some(node)
        }
        Act::ExpandAll { subject } => {
            let node = node(look, subject)?;
            look.expand_all(session, shape, node);
            Some(node)
        }
        Act::ExpandSiblings { subject } => {
            let node = node(look, subject)?;
            done.cut = !look.expand_siblings(session, shape, node);
            Some(node)
        }
        Act::Collapse { subject } => {
            let node = node(look, subject)?;
            look.collapse(session, shape, node);
            Some(node)
        }
        Act::Parent { subject } => {
            let node = node(look, subject)?;
            look.shown(shape).parent(node)
        }
        Act::Reveal { call } | Act::Sift { call: Some(call), .. } => {
            let (near, node) = nearest(session, view, look, *call);
            done.near = Some(near);
            if let Some(node) = node {
                look.reveal(session, shape, node);
            }
            node
        }
        Act::Find { after, back, stay, .. } => {
            let after = after.as_ref().and_then(|subject| {
                session.tree_node(subject).or_else(|| session.tree_around(subject.call()?))
            });
            let scan = session.scan().ok_or(session::Error::Nothing)?;
            let (found, of) = look.find(&scan, after, *back);
            let found = found.filter(|_| !stay);
            let at = found.as_ref().map(|found| found.number);
            done.found = Some(Found { at, of, round: found.as_ref().is_some_and(|found| found.round) });
            let node = found.and_then(|found| look.shown(shape).inner(found.node));
            if let Some(node) = node {
                look.reveal(session, shape, node);
            }
            node
        }
    };
    done.rank = at.and_then(|node| look.rank(shape, node));
    Ok(done)
}

/// The row for a call, and how near that is.
fn nearest(session: &Session, view: &AskedTree, look: &Look, call: u64) -> (Near, Option<Node>) {
    let Some((id, node)) = CallId::of_number(call).and_then(|id| Some((id, session.tree_around(id)?))) else {
        return (Near::Nowhere, None);
    };
    let shape = view.tree.as_ref();
    let own = session.tree_subject(node).and_then(|subject| subject.call()) == Some(id);
    match look.shown(shape).inner(node) {
        Some(inner) if own => (Near::Here, Some(inner)),
        Some(inner) => (Near::Around, Some(inner)),
        None => (Near::LeftOut, Some(look.nearest(shape, node))),
    }
}

fn page(session: &Session, view: &AskedTree, look: &mut Look, said: &Change, done: Done) -> Rows {
    let shape = view.tree.as_ref();
    let count = said.count.min(MAX_ROWS);
    let total = look.total();
    // In whole pages, as the client keeps them.
    let around = || done.rank.unwrap_or(0).saturating_sub(count as u64 / 2) / PAGE * PAGE;
    let from = said.from.unwrap_or_else(around).min(total.saturating_sub(1));
    let marks = look.counts(session, shape).clone();
    let listed = look.rows(shape, from, count);
    let shown = look.shown(shape);
    let rows = listed.into_iter().filter_map(|row| {
        Some(RowJson {
            node: shown.outer(row.node).0,
            level: row.level,
            place: row.place,
            siblings: row.siblings,
            expandable: row.expandable,
            expanded: row.expanded,
            left_out: shown.left_out(row.node),
            marks: marks.get(&row.node).copied().unwrap_or(0),
            text: String::new(),
            row: session.tree_row(shown.outer(row.node))?,
        })
    });
    let rows = rows.collect();
    let ranks = said.ranks.iter().take(MAX_RANKS);
    let ranks = ranks.map(|one| look.rank(shape, shown.inner(session.tree_node(one)?)?)).collect();
    let (generation, state, sift) = (view.generation, look.state, look.sift.clone());
    Rows { generation, state, total, from, rows, sift, done, ranks }
}

/// What rows say in words, which needs the recording only.
fn worded(mut rows: Rows, past: &Past) -> Rows {
    let mut captions = Captions::new(past);
    for row in &mut rows.rows {
        row.text = row.row.subject.as_ref().map_or(String::new(), |subject| captions.caption(subject));
    }
    rows
}
