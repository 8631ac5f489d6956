//! A value as a tree of nodes. Depth and elements bound each branch; a bound on all nodes together keeps an array
//! of arrays of arrays from filling the memory.

use base::{ObjectId, Value};

use crate::fields::Steps;
use crate::form::{Form, Label, Part, Wish, form};
use crate::heap::{Heap, Known};
use crate::limits::Limits;
use crate::line::{line, simple};
use crate::node::{Child, Kind, Node};

/// So many nodes one tree has at most.
const NODES: usize = 10_000;

pub(crate) fn node(heap: &dyn Heap, value: Known, descriptor: &str, limits: &Limits, raw: bool) -> Node {
    let elements = limits.elements.min(Limits::line().elements);
    let in_line = Limits { elements, ..*limits };
    let steps = Steps::new();
    let mut tree =
        Tree { steps: &steps, heap, limits: *limits, in_line, raw, above: Vec::new(), left: NODES };
    tree.node(value, descriptor, limits.depth)
}

struct Tree<'h> {
    heap: &'h dyn Heap,
    limits: Limits,
    /// Limits of the texts of the nodes.
    in_line: Limits,
    raw: bool,
    above: Vec<ObjectId>,
    left: usize,
    steps: &'h Steps,
}

impl Tree<'_> {
    fn node(&mut self, value: Known, descriptor: &str, depth: usize) -> Node {
        let seen = matches!(value, Known::Seen(_));
        let (Known::Value(plain) | Known::Seen(plain)) = value else {
            return leaf(Kind::Unknown, "?".to_owned(), true, seen);
        };
        let Value::Object(object) = plain else {
            let (kind, text, known) = simple(self.heap, plain, descriptor, &self.in_line);
            return leaf(kind, text, !known, seen);
        };
        if self.above.contains(&object) {
            let reference = leaf(Kind::Reference, self.heap.name(object), false, seen);
            return Node { object: Some(object), ..reference };
        }
        let text =
            line(self.heap, value, descriptor, &self.in_line, self.raw, self.above.clone(), self.steps);
        let (parts, string) = (self.limits.elements, self.limits.string);
        let form = form(self.heap, object, Wish { parts, string, raw: self.raw, steps: self.steps });
        self.above.push(object);
        let children = if depth == 0 { Vec::new() } else { self.children(&form, depth - 1) };
        self.above.pop();
        let cut = form.count() - children.len() as u64;
        Node {
            text,
            kind: form.kind,
            object: Some(object),
            children,
            cut: (cut > 0).then_some(cut),
            unknown: form.unknown,
            seen: seen || form.seen,
        }
    }

    fn children(&mut self, form: &Form, depth: usize) -> Vec<Child> {
        let mut children = Vec::new();
        for part in form.fields.iter().chain(&form.parts) {
            let Some(left) = self.left.checked_sub(1) else { break };
            self.left = left;
            let (label, key) = self.label(part);
            children.push(Child { label, key, node: self.node(part.value, &part.descriptor, depth) });
        }
        children
    }

    fn label(&self, part: &Part) -> (String, Option<ObjectId>) {
        match &part.label {
            Label::Index(index) => (format!("[{index}]"), None),
            Label::Name(name) => (name.clone(), None),
            Label::Key(key) => {
                let text = line(self.heap, *key, "", &self.in_line, self.raw, self.above.clone(), self.steps);
                match key {
                    Known::Value(Value::Object(id)) | Known::Seen(Value::Object(id)) => (text, Some(*id)),
                    _ => (text, None),
                }
            }
        }
    }
}

fn leaf(kind: Kind, text: String, unknown: bool, seen: bool) -> Node {
    Node { text, kind, object: None, children: Vec::new(), cut: None, unknown, seen }
}
