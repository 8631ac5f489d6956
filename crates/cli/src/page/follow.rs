//! Follows a running program for the page, beside the requests.

use std::time::{Duration, Instant};

use anyhow::Result;
use past::Past;
use server::{Looked, SharedSession};

use crate::run::is_firm;

/// A running program is looked at so often, and not more than a part of the time.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const PAUSE: u32 = 4;

/// Takes in what a running program does, until it has ended or `enough` says so.
pub fn follow(shared: &SharedSession, enough: &dyn Fn() -> bool) {
    while !enough() {
        let began = Instant::now();
        match shared.look_after() {
            Ok(Looked::Over) => return,
            Ok(Looked::Same | Looked::News) => {}
            Err(error) => {
                eprintln!("inquest: the program cannot be followed any more: {error}");
                return;
            }
        }
        rest(LOOK_EVERY.max(began.elapsed() * PAUSE), enough);
    }
}

/// Until there is something to ask about.
pub fn wait(mut past: Past, root: Option<&str>) -> Result<Past> {
    while past.is_live() && !is_firm(&past, root, false) {
        std::thread::sleep(LOOK_EVERY);
        past.refresh()?;
    }
    Ok(past)
}

/// Sleeps, but not through the end.
fn rest(long: Duration, enough: &dyn Fn() -> bool) {
    let until = Instant::now() + long;
    while Instant::now() < until && !enough() {
        std::thread::sleep(LOOK_EVERY.min(until.saturating_duration_since(Instant::now())));
    }
}
