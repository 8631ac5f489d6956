//! Values as a Java developer thinks of them: a list is its elements, a map its pairs, a record its components.
//!
//! One renderer for every client. It sees the heap of one moment through the trait [`Heap`], and the fields of the
//! JDK's own classes through the tables of `jdk`. It never guesses: what is not known is shown as `?`, or as `content unknown`.

mod content;
mod fields;
mod form;
mod heap;
mod held;
mod limits;
mod line;
mod maps;
mod names;
mod node;
mod numbers;
mod parts;
mod scalars;
mod sequences;
mod texts;
mod times;
mod tree;

pub use heap::{FieldValue, Heap, KnownValue};
pub use held::{CollectionContent, Items, held, wrapped};
pub use limits::RenderLimits;
pub use names::{names_thing, short_name};
pub use node::{Child, RenderedNode, ValueKind};
pub use parts::{Home, NamedPart, Parts, parts};

/// A value on one line. `descriptor` tells booleans and chars from ints; it may be empty.
pub fn text(
    heap: &dyn Heap,
    value: impl Into<KnownValue>,
    descriptor: &str,
    limits: &RenderLimits,
) -> String {
    line::text(heap, value.into(), descriptor, limits)
}

/// A value on one line in which ordinary objects within others are shown with their fields, too, down to `limits.depth`.
pub fn nested_text(heap: &dyn Heap, value: KnownValue, descriptor: &str, limits: &RenderLimits) -> String {
    line::nested(heap, value, descriptor, limits)
}

/// A value in its logical form, expanded to `limits.depth`.
pub fn node(
    heap: &dyn Heap,
    value: impl Into<KnownValue>,
    descriptor: &str,
    limits: &RenderLimits,
) -> RenderedNode {
    tree::node(heap, value.into(), descriptor, limits, false)
}

/// A value with the plain fields of its object and of all objects below, expanded to `limits.depth`.
pub fn raw_node(
    heap: &dyn Heap,
    value: impl Into<KnownValue>,
    descriptor: &str,
    limits: &RenderLimits,
) -> RenderedNode {
    tree::node(heap, value.into(), descriptor, limits, true)
}
