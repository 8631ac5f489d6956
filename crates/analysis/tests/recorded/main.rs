//! What the analyses say of recordings of real programs, each against a plain reading, or facts that stand beside the
//! programs.

mod executed;
mod experiments;
mod loops;
mod passes;
mod points_to;
mod random_methods;
mod survey;

use std::path::Path;

use past::{Past, Settings};
use testkit::{Jdk, Program, recorded};

/// The recording of a program with its index, to be asked.
fn past(program: &Program, jdk: &Jdk) -> Past {
    open(&recorded(program, jdk).path())
}

fn open(place: &Path) -> Past {
    Past::open(place, &Settings::default(), &mut |_| {}).unwrap()
}
