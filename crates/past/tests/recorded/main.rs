//! Questions about recordings of real programs, each against a plain reading of the same.

mod accesses;
mod event_rows;
mod intervals;
mod jumps;
mod steps;

use past::{Past, Settings};
use testkit::{Jdk, Program, recorded};

/// The recording of a program with its index, to be asked.
fn past(program: &Program, jdk: &Jdk) -> Past {
    Past::open(&recorded(program, jdk).path(), &Settings::default(), &mut |_| {}).unwrap()
}
