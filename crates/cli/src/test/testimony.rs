//! What the tests say that passed in other JVMs than those in which something failed: taken down once the build is over, into a file of
//! the run. Where recordings of green JVMs go away (`--keep failed`) it is all that is left of them; where they stay, only what
//! little ones say of methods is, which takes no time worth mentioning. It is evidence, so it is worth a while, and never more.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use past::{Glance, Past, Settings};
use session::{Testimony, Witness};
use trace::StreamId;
use words::{count, size};

use super::failures::file_bytes;
use crate::progress::ProgressLine;
use crate::record;

/// Even if the run was over sooner.
const LEAST: Duration = Duration::from_secs(5);
/// Bytes on disk of recordings that stay and are read all the same: well below a second of work.
const AT_ONCE: u64 = 4 << 20;
/// Of a large recording so many of the outermost calls are looked at, from all over the run.
const SAMPLED: usize = 1024;

/// How much is taken down.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Which methods how many tests ran.
    Methods,
    /// And what was asked and answered in them.
    Calls,
}

/// What came of it.
#[derive(Default)]
pub struct Taken {
    witnesses: Vec<Witness>,
    /// Calls with fingerprints, and bytes of the file.
    calls: usize,
    bytes: u64,
    /// JVMs that were not heard, and why.
    left_out: Vec<(String, &'static str)>,
    /// Why there is no file.
    failed: Option<String>,
}

/// Hears JVMs in which nothing failed, the smallest first, and writes what they say into the folder of the run. `took`: how long
/// the run itself did.
pub fn take(run: &Path, green: &[&PathBuf], extent: Extent, took: Duration, settings: &Settings) -> Taken {
    let began = Instant::now();
    let mut progress = ProgressLine::waiting();
    let (mut testimony, mut taken) = (Testimony::default(), Taken::default());
    let mut green: Vec<(u64, &PathBuf)> = green.iter().map(|place| (file_bytes(place), *place)).collect();
    green.sort();
    let mut bytes = 0;
    for (at, (own, place)) in green.iter().enumerate() {
        let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        bytes += own;
        if extent == Extent::Methods && bytes > AT_ONCE {
            break;
        }
        let why = match () {
            () if record::was_interrupted() => Some("the run was interrupted"),
            () if began.elapsed() > took.max(LEAST) => Some("it would take longer than the run did"),
            () => None,
        };
        if let Some(why) = why {
            taken.left_out.push((name, why));
            continue;
        }
        progress.draw(|_| format!("what passed: {} of {} JVMs", at + 1, green.len()));
        match heard(place, settings) {
            Ok(Some(past)) => testimony.hear(&past, &name, extent == Extent::Calls),
            Ok(None) => taken.left_out.push((name, "it is too large")),
            Err(_) => taken.left_out.push((name, "it cannot be read")),
        }
    }
    progress.clear();
    if !testimony.is_empty() {
        match testimony.store(run) {
            Ok(bytes) => (taken.bytes, taken.calls) = (bytes, testimony.calls()),
            Err(error) => taken.failed = Some(error.to_string()),
        }
    }
    taken.witnesses = testimony.witnesses;
    taken
}

/// A recording, or of a large one so much as is read in a second or two. None if it cannot be read in parts.
fn heard(place: &Path, settings: &Settings) -> Result<Option<Past>, past::Error> {
    if let Some(past) = Past::open_built(place, settings) {
        return Ok(Some(past));
    }
    let mut large = false;
    let sample = |glance: &Glance| {
        large = true;
        sampled(glance.streams().collect())
    };
    let part = Past::open_part(place, settings, sample, &mut |_| {})?;
    match part {
        None if !large => Past::open(place, settings, &mut |_| {}).map(Some),
        part => Ok(part),
    }
}

/// Some of many, from all over.
fn sampled(streams: Vec<StreamId>) -> Vec<StreamId> {
    let step = streams.len().div_ceil(SAMPLED).max(1);
    streams.into_iter().step_by(step).collect()
}

impl Taken {
    /// What is said of it where green JVMs go away.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(why) = &self.failed {
            lines.push(format!("what passed in JVMs that are not kept is lost: {why}"));
        } else if !self.witnesses.is_empty() {
            let tests: u64 = self.witnesses.iter().map(|one| one.tests).sum();
            let (jvms, tests) = (some(self.witnesses.len() as u64, "JVM"), some(tests, "test"));
            let mut line = format!(
                "{jvms} in which nothing failed: not kept but for what {tests} that passed say of {} ({})",
                some(self.calls as u64, "call"),
                size(self.bytes)
            );
            let (all, known) = self
                .witnesses
                .iter()
                .fold((0, 0), |(all, known), one| (all + one.calls, known + one.looked_into));
            if known < all {
                line += &format!("; {} of their {} calls were looked into", count(known), count(all));
            }
            lines.push(line);
        }
        for one in self.witnesses.iter().filter(|one| one.in_part) {
            lines.push(format!(
                "of {} only {} were looked at: it is large",
                one.jvm,
                some(one.tests, "test")
            ));
        }
        // Those that were left out for one reason, together.
        let mut reasons: Vec<&str> = self.left_out.iter().map(|&(_, why)| why).collect();
        reasons.dedup();
        for why in reasons {
            let names: Vec<&str> =
                self.left_out.iter().filter(|one| one.1 == why).map(|one| one.0.as_str()).collect();
            let jvms = match names.as_slice() {
                [one] => (*one).to_owned(),
                several => some(several.len() as u64, "JVM"),
            };
            lines.push(format!("what passed in {jvms} is not looked at: {why}"));
        }
        lines
    }
}

fn some(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_from_all_over_and_small_ones_are_whole() {
        let streams = |count: u32| (1..=count).map(StreamId).collect::<Vec<_>>();
        assert_eq!(sampled(streams(10)), streams(10));
        let some = sampled(streams(5000));
        assert!(some.len() <= SAMPLED && some.len() > SAMPLED / 2, "{}", some.len());
        assert!(some.iter().any(|one| one.0 < 10) && some.iter().any(|one| one.0 > 4990));
    }

    #[test]
    fn what_was_left_out_is_said() {
        let witness = |jvm: &str, in_part| Witness {
            jvm: jvm.to_owned(),
            tests: 3,
            calls: 2000,
            looked_into: 1500,
            in_part,
        };
        let taken = Taken {
            witnesses: vec![witness("jvm-1", false), witness("jvm-2", true)],
            calls: 900,
            bytes: 21_600,
            left_out: vec![("jvm-3".to_owned(), "it cannot be read")],
            failed: None,
        };
        let lines = taken.lines();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("2 JVMs in which nothing failed"), "{}", lines[0]);
        assert!(lines[0].ends_with("3,000 of their 4,000 calls were looked into"), "{}", lines[0]);
        assert_eq!(lines[1], "of jvm-2 only 3 tests were looked at: it is large");
        assert_eq!(lines[2], "what passed in jvm-3 is not looked at: it cannot be read");
        assert!(Taken::default().lines().is_empty());
    }
}
