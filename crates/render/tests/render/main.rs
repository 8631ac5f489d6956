//! Rendering, checked on heaps that the tests draw up.

mod collections;
mod endless;
mod heap;
mod held;
mod layouts;
mod parts;
mod scalars;
mod values;
