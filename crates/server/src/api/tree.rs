//! The tree view: rows by rank, and what is expanded, searched for and left out, for each page by itself.

use std::sync::{Arc, PoisonError};

use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use past::{CallId, Past};
use session::{AskedTree, Session};
use tree::Node;
use wire::{Caption, Near, TreeAct, TreeQuery, TreeRequest, TreeRow, TreeRows};
use words::Captions;

use crate::failure::{Failure, Result};
use crate::shared_session::SharedSession;
use crate::tree_view::TreeView;

const MAX_ROWS: usize = 500;
/// Rows that a client asks for together.
const PAGE: u64 = 50;
/// Calls to be counted on rows, and subjects whose ranks are asked for, at most.
const MAX_MARKS: usize = 10_000;
const MAX_RANKS: usize = 8;
/// Trees that may come and go while one is looked through.
const MAX_ATTEMPTS: usize = 3;

/// What came of a change.
#[derive(Default)]
struct Done {
    /// The rank of what was asked for.
    rank: Option<u64>,
    /// How near that is to a call that was asked for.
    near: Option<Near>,
    found: Option<wire::TreeMatch>,
    /// Only a part was expanded.
    cut: bool,
}

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new().route("/api/tree", get(rows).post(change))
}

async fn rows(State(shared): State<Arc<SharedSession>>, Query(query): Query<TreeQuery>) -> Result<TreeRows> {
    let change = TreeRequest {
        page: query.page,
        act: TreeAct::Look,
        from: Some(query.from),
        count: query.count,
        ranks: Vec::new(),
    };
    answer(shared, change).await
}

async fn change(State(shared): State<Arc<SharedSession>>, Json(said): Json<TreeRequest>) -> Result<TreeRows> {
    answer(shared, said).await
}

async fn answer(shared: Arc<SharedSession>, said: TreeRequest) -> Result<TreeRows> {
    let work = tokio::task::spawn_blocking(move || {
        let view = shared.views.of(&said.page)?;
        let mut view = view.lock().unwrap_or_else(PoisonError::into_inner);
        let (rows, past) = changed(&shared, &mut view, said)?;
        Ok(worded(rows, &past))
    });
    work.await.map_err(|_| Failure::Broken)?.map(Json)
}

/// Does what was said, with the session only where it is needed.
fn changed(
    shared: &SharedSession,
    view: &mut TreeView,
    said: TreeRequest,
) -> std::result::Result<(TreeRows, Arc<Past>), Failure> {
    let find = match &said.act {
        TreeAct::Find { text, .. } if text.is_empty() => return Err(Failure::Bad("say what to find".into())),
        TreeAct::Find { text, .. } => Some(text.as_str()),
        TreeAct::Filter { filter, .. } => {
            view.show(filter.clone());
            None
        }
        TreeAct::CollapseAll => {
            view.collapse_all();
            None
        }
        _ => None,
    };
    for attempt in 0.. {
        let mut slot = shared.lock();
        let mut session = slot.session()?;
        let tree = session.tree()?;
        if view.wants_scan(tree.generation, find) {
            let scan = session.scan().ok_or(session::Error::Nothing)?;
            let generation = tree.generation;
            if attempt < MAX_ATTEMPTS {
                drop((tree, slot));
                view.scan(generation, &scan, find);
                drop(scan);
                slot = shared.lock();
                session = slot.session()?;
                if session.tree()?.generation != generation {
                    continue;
                }
            } else {
                view.scan(generation, &scan, find);
            }
        }
        let tree = session.tree()?;
        view.settle(session, &tree);
        let done = act(session, &tree, view, &said.act)?;
        let rows = page(session, &tree, view, &said, done);
        return Ok((rows, session.shared_past()));
    }
    Err(Failure::Outdated)
}

fn act(
    session: &Session,
    asked: &AskedTree,
    view: &mut TreeView,
    act: &TreeAct,
) -> std::result::Result<Done, Failure> {
    let tree = asked.tree.as_ref();
    let mut done = Done::default();
    let node = |view: &TreeView, subject: &wire::Subject| {
        let found = session.tree_node(&(*subject).into()).and_then(|node| view.shown(tree).inner(node));
        found.ok_or_else(|| Failure::Missing("such row in this tree: it has changed".into()))
    };
    let at = match act {
        TreeAct::Look | TreeAct::CollapseAll | TreeAct::Filter { number: None, .. } => None,
        TreeAct::Mark { numbers: calls } => {
            view.mark(calls.iter().copied().take(MAX_MARKS).collect());
            None
        }
        TreeAct::Expand { subject } => {
            let node = node(view, subject)?;
            view.expand(session, tree, node);
            Some(node)
        }
        TreeAct::ExpandAll { subject } => {
            let node = node(view, subject)?;
            view.expand_all(session, tree, node);
            Some(node)
        }
        TreeAct::ExpandSiblings { subject } => {
            let node = node(view, subject)?;
            done.cut = !view.expand_siblings(session, tree, node);
            Some(node)
        }
        TreeAct::Collapse { subject } => {
            let node = node(view, subject)?;
            view.collapse(session, tree, node);
            Some(node)
        }
        TreeAct::Parent { subject } => {
            let node = node(view, subject)?;
            view.shown(tree).parent(node)
        }
        TreeAct::Reveal { number: call } | TreeAct::Filter { number: Some(call), .. } => {
            let (near, node) = nearest(session, asked, view, *call);
            done.near = Some(near);
            if let Some(node) = node {
                view.reveal(session, tree, node);
            }
            node
        }
        TreeAct::Find { after, back, stay, .. } => {
            let after = after.map(session::Subject::from).and_then(|subject| {
                session.tree_node(&subject).or_else(|| session.tree_around(subject.call()?))
            });
            let scan = session.scan().ok_or(session::Error::Nothing)?;
            let (found, of) = view.find(&scan, after, *back);
            let found = found.filter(|_| !stay);
            let at = found.as_ref().map(|found| found.number);
            done.found =
                Some(wire::TreeMatch { at, of, round: found.as_ref().is_some_and(|found| found.round) });
            let node = found.and_then(|found| view.shown(tree).inner(found.node));
            if let Some(node) = node {
                view.reveal(session, tree, node);
            }
            node
        }
    };
    done.rank = at.and_then(|node| view.rank(tree, node));
    Ok(done)
}

/// The row for a call, and how near that is.
fn nearest(session: &Session, asked: &AskedTree, view: &TreeView, call: u64) -> (Near, Option<Node>) {
    let Some((id, node)) = CallId::of_number(call).and_then(|id| Some((id, session.tree_around(id)?))) else {
        return (Near::Nowhere, None);
    };
    let tree = asked.tree.as_ref();
    let own = session.tree_subject(node).and_then(|subject| subject.call()) == Some(id);
    match view.shown(tree).inner(node) {
        Some(inner) if own => (Near::Here, Some(inner)),
        Some(inner) => (Near::Around, Some(inner)),
        None => (Near::LeftOut, Some(view.nearest(tree, node))),
    }
}

fn page(
    session: &Session,
    asked: &AskedTree,
    view: &mut TreeView,
    said: &TreeRequest,
    done: Done,
) -> TreeRows {
    let tree = asked.tree.as_ref();
    let count = said.count.min(MAX_ROWS);
    let total = view.total();
    // In whole pages, as the client keeps them.
    let around = || done.rank.unwrap_or(0).saturating_sub(count as u64 / 2) / PAGE * PAGE;
    let from = said.from.unwrap_or_else(around).min(total.saturating_sub(1));
    let marks = view.counts(session, tree).clone();
    let listed = view.rows(tree, from, count);
    let shown = view.shown(tree);
    let rows = listed.into_iter().filter_map(|row| {
        let found = session.tree_row(shown.outer(row.node))?;
        Some(TreeRow {
            node: shown.outer(row.node).0,
            level: row.level,
            place: row.place,
            siblings: row.siblings,
            expandable: row.expandable,
            expanded: row.expanded,
            left_out: shown.left_out(row.node),
            marks: marks.get(&row.node).copied().unwrap_or(0),
            subject: found.subject.map(Into::into),
            kind: found.kind.name().to_owned(),
            call: found.name,
            number: found.call,
            status: found.status.into(),
            trusted: found.library,
            events: found.events,
            caption: Caption::Words(String::new()),
        })
    });
    let rows = rows.collect();
    let ranks = said.ranks.iter().take(MAX_RANKS);
    let ranks = ranks.map(|one| view.rank(tree, shown.inner(session.tree_node(&(*one).into())?)?)).collect();
    let (generation, state, filter) = (asked.generation, view.state, view.filter.clone());
    let Done { rank, near, found, cut } = done;
    TreeRows { generation, state, total, from, rows, filter, rank, near, found, cut, ranks }
}

/// What rows say in words, which needs the recording only.
fn worded(mut rows: TreeRows, past: &Past) -> TreeRows {
    let mut captions = Captions::new(past);
    for row in &mut rows.rows {
        if let Some(subject) = row.subject.map(session::Subject::from) {
            row.caption = Caption::of(past, subject.call(), captions.caption(&subject));
        }
    }
    rows
}
