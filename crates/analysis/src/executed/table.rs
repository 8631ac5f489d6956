//! The shapes that were met, by what they say: a call that ends looks up its own.

use past::CallId;
use rustc_hash::FxHashMap;
use trace::MethodId;

use super::{End, ExecutionShape, ShapeId};

/// More words than these are not kept for all shapes together: some hundred megabytes. Calls that would need a new
/// one are unknown then.
const MAX_WORDS: usize = 1 << 23;

#[derive(Default)]
pub struct Table {
    known: FxHashMap<Box<[u64]>, u32>,
    pub shapes: Vec<ExecutionShape>,
    words: usize,
    scratch: Vec<u64>,
}

/// What a call did, while it does it.
#[derive(Clone, Debug)]
pub struct OpenShape {
    pub method: MethodId,
    pub edges: Vec<u64>,
    /// Ascending.
    pub thrown: Vec<u16>,
    pub end: End,
    pub unknown: bool,
}

impl OpenShape {
    pub fn start(&mut self, method: MethodId, edges: usize, unknown: bool) {
        self.method = method;
        self.edges.clear();
        self.edges.resize(edges.div_ceil(64), 0);
        self.thrown.clear();
        self.end = End::Open(None);
        self.unknown = unknown;
    }

    pub fn throws(&mut self, bci: u16) {
        if let Err(at) = self.thrown.binary_search(&bci) {
            self.thrown.insert(at, bci);
        }
    }

    /// Is it of a shape of the same method?
    fn is(&self, shape: &ExecutionShape) -> bool {
        (self.end, self.unknown) == (shape.end, shape.unknown)
            && self.thrown[..] == shape.thrown[..]
            && self.edges[..] == shape.edges[..]
            && self.method == shape.method
    }

    /// All that two calls must have in common to be of one shape. Calls of a method have as many edges.
    fn write(&self, out: &mut Vec<u64>) {
        let (kind, at) = match self.end {
            End::Returned(at) => (1, at),
            End::Threw => (2, 0),
            End::Open(None) => (3, 0),
            End::Open(Some(at)) => (4, at),
        };
        out.clear();
        out.push(u64::from(self.method.0) | u64::from(at) << 32 | kind << 48);
        if self.unknown {
            out[0] = u64::from(self.method.0);
            return;
        }
        out.extend_from_slice(&self.edges);
        out.extend(self.thrown.iter().map(|&at| u64::from(at)));
    }
}

impl Table {
    /// The shape of a call that ended. `guess`: one of its method.
    #[inline]
    pub fn add(&mut self, call: CallId, trail: &mut OpenShape, guess: Option<ShapeId>) -> ShapeId {
        let guess = guess.filter(|id| self.shapes.get(id.0 as usize).is_some_and(|shape| trail.is(shape)));
        let known = guess.or_else(|| {
            trail.write(&mut self.scratch);
            self.known.get(self.scratch.as_slice()).copied().map(ShapeId)
        });
        let Some(id) = known else { return self.add_new(call, trail) };
        let shape = &mut self.shapes[id.0 as usize];
        shape.calls += 1;
        // Calls end in another order than they begin.
        if call.stream == shape.first.stream && call.index < shape.first.index {
            shape.first = call;
        }
        id
    }

    fn add_new(&mut self, call: CallId, trail: &mut OpenShape) -> ShapeId {
        if self.words >= MAX_WORDS && !trail.unknown {
            trail.unknown = true;
            return self.add(call, trail, None);
        }
        self.words += self.scratch.len() + 16;
        let id = self.shapes.len() as u32;
        self.known.insert(self.scratch.as_slice().into(), id);
        let told = !trail.unknown;
        self.shapes.push(ExecutionShape {
            method: trail.method,
            edges: if told { trail.edges.as_slice().into() } else { Box::default() },
            thrown: if told { trail.thrown.as_slice().into() } else { Box::default() },
            end: if told { trail.end } else { End::Open(None) },
            unknown: trail.unknown,
            calls: 1,
            first: call,
        });
        ShapeId(id)
    }
}
