//! A value as a tree of nodes. Depth and elements bound each branch; a bound on all nodes together keeps an array
//! of arrays of arrays from filling the memory.

use base::{ObjectId, Value};

use crate::fields::Steps;
use crate::form::{Form, Label, Part, Wish, form};
use crate::heap::{Heap, KnownValue};
use crate::limits::RenderLimits;
use crate::line::{line, simple};
use crate::node::{Child, RenderedNode, ValueKind};

/// So many nodes one tree has at most.
const NODES: usize = 10_000;

pub(crate) fn node(
    heap: &dyn Heap,
    value: KnownValue,
    descriptor: &str,
    limits: &RenderLimits,
    raw: bool,
) -> RenderedNode {
    let elements = limits.elements.min(RenderLimits::line().elements);
    let in_line = RenderLimits { elements, ..*limits };
    let steps = Steps::new();
    let mut tree =
        Tree { steps: &steps, heap, limits: *limits, in_line, raw, above: Vec::new(), left: NODES };
    tree.node(value, descriptor, limits.depth)
}

struct Tree<'h> {
    heap: &'h dyn Heap,
    limits: RenderLimits,
    /// Limits of the texts of the nodes.
    in_line: RenderLimits,
    raw: bool,
    above: Vec<ObjectId>,
    left: usize,
    steps: &'h Steps,
}

impl Tree<'_> {
    fn node(&mut self, value: KnownValue, descriptor: &str, depth: usize) -> RenderedNode {
        let seen = matches!(value, KnownValue::Seen(_));
        let (KnownValue::Value(plain) | KnownValue::Seen(plain)) = value else {
            return leaf(ValueKind::Unknown, "?".to_owned(), true, seen);
        };
        let Value::Object(object) = plain else {
            let (kind, text, known) = simple(self.heap, plain, descriptor, &self.in_line);
            return leaf(kind, text, !known, seen);
        };
        if self.above.contains(&object) {
            let reference = leaf(ValueKind::Reference, self.heap.name(object), false, seen);
            return RenderedNode { object: Some(object), ..reference };
        }
        let text =
            line(self.heap, value, descriptor, &self.in_line, self.raw, self.above.clone(), self.steps);
        let (parts, string) = (self.limits.elements, self.limits.string);
        let form = form(self.heap, object, Wish { parts, string, raw: self.raw, steps: self.steps });
        self.above.push(object);
        let children = if depth == 0 { Vec::new() } else { self.children(&form, depth - 1) };
        self.above.pop();
        let cut = form.count() - children.len() as u64;
        RenderedNode {
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
                    KnownValue::Value(Value::Object(id)) | KnownValue::Seen(Value::Object(id)) => {
                        (text, Some(*id))
                    }
                    _ => (text, None),
                }
            }
        }
    }
}

fn leaf(kind: ValueKind, text: String, unknown: bool, seen: bool) -> RenderedNode {
    RenderedNode { text, kind, object: None, children: Vec::new(), cut: None, unknown, seen }
}
