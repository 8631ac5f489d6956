//! Replay against hand-written logs of small programs: what was not stored is recomputed, event by event.

mod damage;
mod exceptions;
mod fields;
mod flow;
mod golden;
mod lab;
mod linked;
mod objects;
mod resume;
