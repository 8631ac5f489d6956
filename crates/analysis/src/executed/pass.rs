//! Replays a thread once and follows every call of program code through its method. The numbers of calls are
//! counted, not looked up: a row of the index would cost more than all the rest.

use std::sync::Arc;

use classfile::opcode;
use past::{CallId, StreamId};
use rustc_hash::FxHashMap;
use trace::{Callee, Event, EventKind, GapReason, MethodId, Program, Then, Visitor, kinds};

use super::store::Writer;
use super::table::{OpenShape, Table};
use super::{End, ShapeId};
use crate::cfg::{BlockExit, EdgeId};
use crate::code::{Code, Codes};
use crate::follow::Walk;

/// What outlasts a thread.
#[derive(Default)]
pub struct KnownMethods {
    codes: Codes,
    places: FxHashMap<MethodId, usize>,
    methods: Vec<Method>,
    pub table: Table,
}

struct Method {
    id: MethodId,
    /// None: of its calls nothing can be said.
    code: Option<Arc<Code>>,
    /// The shape of the call of it that ended last: the next one's is often the same.
    last: Option<ShapeId>,
}

impl KnownMethods {
    /// `guess`: a place that it may have.
    #[inline]
    fn place(&mut self, program: &Program, id: MethodId, guess: usize) -> usize {
        if self.methods.get(guess).is_some_and(|method| method.id == id) {
            return guess;
        }
        let KnownMethods { codes, places, methods, .. } = self;
        *places.entry(id).or_insert_with(|| {
            let code = codes.get(program, id).filter(|code| code.replayed);
            methods.push(Method { id, code, last: None });
            methods.len() - 1
        })
    }
}

/// An open call. Kept when it is over, and used for another one.
struct OpenCall {
    row: u32,
    /// Its method's place.
    known: usize,
    walk: Walk,
    trail: OpenShape,
    /// The row of what it calls just now, if that is a row and nothing of the program was entered for it yet.
    calls: Option<u32>,
    /// An exception arose that is not caught yet.
    raised: bool,
}

pub struct Pass<'a, 'w> {
    program: &'a Program,
    known: &'a mut KnownMethods,
    writer: &'a mut Writer<'w>,
    stream: StreamId,
    rows: u32,
    frames: Vec<OpenCall>,
    open: usize,
    /// Why nothing more is written.
    pub failed: Option<std::io::Error>,
}

impl<'a, 'w> Pass<'a, 'w> {
    pub fn new(
        program: &'a Program,
        known: &'a mut KnownMethods,
        writer: &'a mut Writer<'w>,
        stream: StreamId,
    ) -> Pass<'a, 'w> {
        Pass { program, known, writer, stream, rows: 0, frames: Vec::new(), open: 0, failed: None }
    }

    /// The thread has no more events. Gives the number of its calls.
    pub fn finish(&mut self) -> u32 {
        self.close_to(0);
        self.rows
    }

    fn close_to(&mut self, open: usize) {
        while self.open > open {
            self.open -= 1;
            let frame = &mut self.frames[self.open];
            let method = &mut self.known.methods[frame.known];
            if let Some(code) = method.code.as_ref().filter(|_| !frame.trail.unknown) {
                if let End::Open(_) = frame.trail.end {
                    let edges = &mut frame.trail.edges;
                    frame.walk.drift(&code.cfg, &mut |edge, _| set(edges, edge));
                    let first = u32::from(code.cfg.block(frame.walk.block()).first);
                    let begun = frame.walk.reached().checked_sub(1).filter(|&at| at >= first);
                    frame.trail.end = End::Open(begun.map(|at| at as u16));
                }
                frame.trail.unknown = frame.walk.is_lost();
            }
            let call = CallId { stream: self.stream, index: frame.row };
            let shape = self.known.table.add(call, &mut frame.trail, method.last);
            method.last = Some(shape);
            if let Err(error) = self.writer.set(call, shape) {
                self.failed = Some(error);
            }
        }
    }

    fn row(&mut self) -> u32 {
        self.rows = self.rows.wrapping_add(1);
        self.rows.wrapping_sub(1)
    }

    fn enter(&mut self, event: &Event<'_>, called: bool) {
        let Some(site) = event.site else { return };
        // Calls whose end the log does not have.
        self.close_to(self.open.min((event.depth as usize).saturating_sub(1)));
        let announced = self.open.checked_sub(1).and_then(|top| self.frames[top].calls);
        let row = match announced.filter(|_| called) {
            Some(row) => {
                self.frames[self.open - 1].calls = None;
                row
            }
            None => self.row(),
        };
        // Calls as deep as this one are often of the same method.
        let guess = self.frames.get(self.open).map_or(0, |frame| frame.known);
        let known = self.known.place(self.program, site.method, guess);
        if self.frames.len() == self.open {
            let end = End::Open(None);
            let trail =
                OpenShape { method: site.method, edges: Vec::new(), thrown: Vec::new(), end, unknown: false };
            self.frames.push(OpenCall {
                row,
                known,
                walk: Walk::default(),
                trail,
                calls: None,
                raised: false,
            });
        }
        let frame = &mut self.frames[self.open];
        self.open += 1;
        let code = self.known.methods[known].code.as_ref();
        frame.trail.start(site.method, code.map_or(0, |code| code.cfg.edges.len()), code.is_none());
        (frame.row, frame.known, frame.walk) = (row, known, Walk::default());
        (frame.calls, frame.raised) = (None, false);
    }

    /// An instruction calls something: is that a row?
    fn call(&mut self, callee: &Callee) {
        let hidden = callee.opcode == opcode::INVOKEDYNAMIC
            || (callee.opcode == opcode::INVOKESPECIAL
                && jdk::machine::is_nothing(&callee.owner, &callee.name));
        let row = (!hidden).then(|| self.row());
        if let Some(top) = self.open.checked_sub(1) {
            self.frames[top].calls = row;
        }
    }

    /// What the innermost open call did.
    #[inline]
    fn own(&mut self, event: &Event<'_>) {
        let (Some(site), Some(top)) = (event.site, self.open.checked_sub(1)) else { return };
        let frame = &mut self.frames[top];
        if event.library || frame.trail.unknown || event.depth as usize != self.open {
            return;
        }
        let Some(code) = &self.known.methods[frame.known].code else { return };
        if site.method != code.method {
            return;
        }
        let edges = &mut frame.trail.edges;
        frame.walk.event(&code.cfg, site.bci, &event.kind, &mut |edge, _| set(edges, edge));
        match event.kind {
            EventKind::Throw { .. } => {
                frame.trail.throws(site.bci);
                frame.raised = true;
            }
            EventKind::Catch { .. } => frame.raised = false,
            EventKind::Exit { .. } => {
                let block = code.cfg.block(frame.walk.block());
                frame.trail.end = End::Returned(site.bci);
                // After a loss, calls end where they were last heard of.
                frame.trail.unknown = block.exit != BlockExit::Returns || block.last != site.bci;
            }
            EventKind::Unwind { .. } => {
                frame.trail.end = End::Threw;
                frame.trail.unknown = !frame.raised;
            }
            kinds! {
                threads writes branches creations locks contents losses Enter Call Return LocalWrite
            } => {}
        }
    }
}

#[inline]
fn set(edges: &mut [u64], edge: EdgeId) {
    if let Some(word) = edges.get_mut(edge.0 as usize / 64) {
        *word |= 1 << (edge.0 % 64);
    }
}

impl Visitor for Pass<'_, '_> {
    #[inline]
    fn event(&mut self, event: &Event<'_>) -> Then {
        match event.kind {
            EventKind::Enter { called, .. } => self.enter(event, called),
            EventKind::Call { callee, .. } => {
                self.own(event);
                self.call(callee);
            }
            EventKind::Return { .. } | EventKind::Throw { .. } => {
                self.own(event);
                if let Some(top) = self.open.checked_sub(1) {
                    self.frames[top].calls = None;
                }
            }
            EventKind::Exit { .. } | EventKind::Unwind { .. } => {
                self.close_to(self.open.min(event.depth as usize));
                self.own(event);
                self.close_to(self.open.min((event.depth as usize).saturating_sub(1)));
            }
            EventKind::Gap { why } => {
                let first = if why == GapReason::LostLog { 0 } else { self.open.saturating_sub(1) };
                let concerned = &mut self.frames[first..self.open];
                concerned.iter_mut().for_each(|frame| frame.trail.unknown = true);
            }
            kinds! { threads writes branches creations locks contents LocalWrite Catch Stop } => {
                self.own(event)
            }
        }
        if self.failed.is_some() { Then::Stop } else { Then::On }
    }
}
