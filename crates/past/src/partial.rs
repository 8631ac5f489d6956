//! A large recording of which only a part is looked at first: the streams in which something failed, each with all that ran at
//! the same time. What is known of these is exact; of what lies outside nothing is concluded, and whoever lists things says how
//! much of the run was not looked at.

use std::collections::BTreeSet;
use std::path::Path;

use index::IndexProgress;
use trace::{Glance, Recording, Stats, StreamId};

use crate::error::Result;
use crate::open::Settings;
use crate::past::Past;

/// Bytes of log that are looked at first, about: a second or two of work.
const FIRST: u64 = 16 << 20;
/// What has to be looked at together is looked at first if it is not more than this.
const MOST: u64 = 128 << 20;
/// Bytes of log that are replayed to tell how many events there are, about.
const SAMPLED: u64 = 4 << 20;

/// How much of a recording is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Bytes of log, and of all.
    pub looked_at: u64,
    pub all: u64,
    /// Streams that were wanted and are not among them.
    pub left_out: usize,
}

impl Part {
    /// Between 0 and 1.
    pub fn share(&self) -> f64 {
        self.looked_at as f64 / self.all.max(1) as f64
    }
}

impl Past {
    /// Opens what is wanted of a large recording that has no index yet, in the order of what matters most. None if the recording is
    /// not large, nothing is wanted, or there is no way around reading everything.
    pub fn open_part(
        path: &Path,
        settings: &Settings,
        wanted: impl FnOnce(&Glance) -> Vec<StreamId>,
        progress: &mut dyn FnMut(&IndexProgress),
    ) -> Result<Option<Past>> {
        let Some(glance) = large(path, settings)? else { return Ok(None) };
        let wanted = wanted(&glance);
        let Some((islands, left_out)) = chosen(&glance, &wanted) else { return Ok(None) };
        let streams: BTreeSet<StreamId> = islands.iter().flatten().copied().collect();
        let part = Part {
            looked_at: streams.iter().map(|&stream| glance.length_of(stream)).sum(),
            all: glance.length(),
            left_out,
        };
        let recording = glance.into_part(&streams);
        let index = index::index_part(&recording, &islands, progress)?;
        let mut past = Past::new(recording, index, settings)?;
        past.part = Some(part);
        Ok(Some(past))
    }

    /// Is it only a part of the recording? Then how much.
    pub fn partial(&self) -> Option<Part> {
        self.part
    }
}

/// What was recorded, told without reading everything: how many events there are, and of which kinds, is reckoned from some of
/// them. None if the recording is not large, or there is no way around reading everything.
pub fn estimated_stats(path: &Path, settings: &Settings) -> Result<Option<Stats>> {
    let Some(glance) = large(path, settings)? else { return Ok(None) };
    let all = glance.length();
    let streams: Vec<StreamId> = glance.streams().collect();
    let mut sample = BTreeSet::new();
    let mut bytes = 0;
    // From the middle of eighths, quarters, and so on: wherever the run did something else.
    for parts in [8, 5, 3] {
        for part in 0..parts {
            let stream = streams[(streams.len() * (2 * part + 1) / (2 * parts)).min(streams.len() - 1)];
            let length = glance.length_of(stream);
            if bytes + length <= SAMPLED && sample.insert(stream) {
                bytes += length;
            }
        }
    }
    // All of them are long: so much of one as may be read.
    if sample.is_empty() {
        return Ok(None);
    }
    let counts = (glance.recording().stats_of([0; trace::KINDS.len()], 0), glance.numbered());
    let part = glance.into_part(&sample);
    let counted = part.stats();
    let scale = |count: u64| (count as f64 * (all as f64 / bytes.max(1) as f64)) as u64;
    let (stats, (objects, strings)) = counts;
    Ok(Some(Stats {
        calls: scale(counted.calls),
        events: scale(counted.events),
        by_kind: counted.by_kind.into_iter().map(|(kind, count)| (kind, scale(count))).collect(),
        objects,
        strings,
        ..stats
    }))
}

/// A recording at a glance, if it is large and has no index that would know better.
fn large(path: &Path, settings: &Settings) -> Result<Option<Glance>> {
    let bytes = trace::frame_reader::file_bytes(path)?;
    let large = settings.large;
    // Before anything is read: compression makes a tenth of it, about.
    if bytes < large / 16 {
        return Ok(None);
    }
    Ok(Glance::at(path)?.filter(|glance| glance.length() >= large))
}

/// The islands to look at, and how many of the wanted streams are not among them.
fn chosen(glance: &Glance, wanted: &[StreamId]) -> Option<(Vec<Vec<StreamId>>, usize)> {
    let islands = glance.outline().islands(glance.streams());
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    let mut bytes = 0;
    let mut left_out = 0;
    for stream in wanted {
        let Some(at) = islands.iter().position(|island| island.contains(stream)) else { continue };
        if chosen.contains(&at) {
            continue;
        }
        let length: u64 = islands[at].iter().map(|&stream| glance.length_of(stream)).sum();
        let limit = if chosen.is_empty() { MOST } else { FIRST };
        if bytes + length > limit {
            left_out += 1;
            continue;
        }
        bytes += length;
        chosen.insert(at);
    }
    // What is most of it is better looked at as a whole.
    if chosen.is_empty() || bytes >= glance.length() / 2 {
        return None;
    }
    Some((chosen.into_iter().map(|at| islands[at].clone()).collect(), left_out))
}

impl Past {
    /// As much of a recording as there is, once everything is indexed; none if it is not a part.
    pub(crate) fn whole(&self) -> Result<Option<(Recording, index::Index)>> {
        match self.part {
            Some(_) => Ok(Some(index::open(self.recording.path(), &mut |_| {})?)),
            None => Ok(None),
        }
    }
}
