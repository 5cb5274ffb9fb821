//! Timing some commands of a stream so that it costs little, and estimating the rest
//! ([`QueueOptions::sampling`](crate::QueueOptions::sampling)).
//!
//! A device finishes what it does before it writes a time stamp, and on some devices that takes longer than
//! a short command. So what a time stamp costs is measured, and the commands earn time stamps: each adds a
//! small part of its expected time to a credit. A long command earns its own time stamps. Short ones share
//! two: they are a [`Span`], whose time is divided among them as their expected times are. A command outside
//! of all spans has its expected time. Commands that were timed alone say what is expected of others like
//! them.

use crate::engine::command::{Command, Kind};
use crate::engine::image::ImageRegion;
use crate::engine::slot::{Entry, Slot};
use crate::engine::transfer::Shape;
use crate::vulkan::error::Result;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// Which commands are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    Never,
    /// As this module describes.
    Sampled,
    Each,
}

impl Timing {
    pub(crate) fn each(timed: bool) -> Self {
        if timed { Timing::Each } else { Timing::Never }
    }
}

/// The part of the commands' time that time stamps may take.
const SHARE: f64 = 1.0 / 64.0;

/// Nanoseconds that a time stamp costs at least: the host records and reads it.
const LEAST_COST: f64 = 1000.0;

/// Time stamps that are saved up at most.
const MOST_SAVED: f64 = 8.0;

/// Commands of a kind that are timed alone, and how many of them before the first is done.
const ALONE: u32 = 2;
const ALONE_AT_FIRST: u32 = 64;

/// Spans that begin without a credit, before anything is known.
const GIVEN: u32 = 16;

/// Commands after which a new one changes the mean no less.
const MEMORY: f64 = 16.0;

/// How far a new command moves what is usual.
const USUAL_STEP: f64 = 1.1;

/// Most kinds of commands that are remembered.
const MOST_KINDS: usize = 4096;

/// Time stamps in a row, which measure what one costs.
const PROBES: u32 = 9;

/// What is common to commands that take equally long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Likeness(u64);

impl Likeness {
    /// Launches are alike with the same kernel and nearly as many work-groups, transfers with nearly as many
    /// bytes. None for commands without work.
    fn of(command: &Command) -> Option<Self> {
        let size = |shape: &Shape| shape.size();
        let texels = |region: &ImageRegion| region.extent.iter().map(|&size| u64::from(size)).product();
        let (what, amount) = match &command.kind {
            Kind::Launch(launch) => {
                let groups = launch.steps.iter().map(|(dispatch, _)| {
                    dispatch.count.iter().map(|&count| u64::from(count)).product::<u64>()
                });
                let first = launch.steps.first().map_or(0, |(_, pipeline)| Arc::as_ptr(pipeline).addr());
                (first as u64, groups.sum())
            }
            Kind::CopyBuffer { shape, .. } => (1, size(shape)),
            Kind::FillBuffer { size, .. } => (2, *size),
            Kind::FillBox { shape, .. } => (3, size(shape)),
            Kind::Write(transfer) => (4, size(&transfer.shape)),
            Kind::Read(transfer) => (5, size(&transfer.shape)),
            Kind::CopyImage { from, .. } => (6, texels(from)),
            Kind::FillImage { region, .. } => (7, texels(region)),
            Kind::BufferToImage { region, .. } => (8, texels(region)),
            Kind::ImageToBuffer { region, .. } => (9, texels(region)),
            _ => return None,
        };
        Some(Likeness(what << 7 ^ u64::from(u64::BITS - amount.leading_zeros())))
    }
}

/// What is known of commands that are alike.
#[derive(Default)]
struct Known {
    /// Nanoseconds; not known if the weight is zero.
    mean: f64,
    /// About the median, which rare long times (of a busy processor, say) do not change much.
    usual: f64,
    weight: f64,
    /// How many were to be timed alone.
    alone: u32,
}

/// A command whose time is measured or estimated.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    /// None for commands without work.
    likeness: Option<Likeness>,
    /// It gets time stamps of its own.
    pub(crate) alone: bool,
    /// There is credit for a time stamp.
    pub(crate) affords: bool,
    /// A span may begin before it.
    pub(crate) begins: bool,
}

/// What a stream knows of its commands. See the module.
#[derive(Default)]
pub(crate) struct Sampling {
    /// Nanoseconds that a time stamp costs, once it was measured.
    cost: Option<f64>,
    /// Whether it is being measured.
    asked: bool,
    /// Nanoseconds.
    credit: f64,
    /// Spans that began without a credit.
    given: u32,
    known: FxHashMap<Likeness, Known>,
}

impl Sampling {
    /// What to do with a new command.
    pub(crate) fn sample(&mut self, command: &Command) -> Sample {
        self.sample_alike(Likeness::of(command))
    }

    fn sample_alike(&mut self, likeness: Option<Likeness>) -> Sample {
        let Some(likeness) = likeness else {
            return Sample { likeness, alone: false, affords: false, begins: false };
        };
        if self.known.len() >= MOST_KINDS {
            self.known.clear();
        }
        let known = self.known.entry(likeness).or_default();
        let alone = known.alone < if known.weight > 0.0 { ALONE } else { ALONE_AT_FIRST };
        known.alone += u32::from(alone);
        let cost = self.cost.unwrap_or(0.0);
        self.credit = (self.credit + SHARE * known.usual.min(known.mean)).min(MOST_SAVED * cost);
        let affords = self.cost.is_some() && self.credit >= cost;
        let begins = alone || affords || self.given < GIVEN;
        Sample { likeness: Some(likeness), alone, affords, begins }
    }

    /// Notes that time stamps were written, or a span began.
    fn pay(&mut self, stamps: u32, sample: Option<Sample>) {
        // Debts do not grow without limit, or nothing would be timed for long after many new kernels.
        let cost = self.cost.unwrap_or(0.0);
        self.credit = (self.credit - f64::from(stamps) * cost).max(-8.0 * MOST_SAVED * cost);
        if sample.is_some_and(|sample| !sample.alone && !sample.affords) {
            self.given += 1;
        }
    }

    /// Nanoseconds that a command will probably take; none if nothing is known.
    fn expected(&self, sample: Sample) -> Option<f64> {
        let Some(likeness) = sample.likeness else { return Some(0.0) };
        self.known.get(&likeness).filter(|known| known.weight > 0.0).map(|known| known.mean)
    }

    /// Notes what commands took together.
    fn learn(&mut self, samples: &[Sample], took: f64) {
        let work = samples.iter().filter(|sample| sample.likeness.is_some()).count();
        let each = took / work.max(1) as f64;
        let expected: f64 = samples.iter().map(|&sample| self.expected(sample).unwrap_or(each)).sum();
        let factor = if expected > 0.0 { took / expected } else { 1.0 };
        for likeness in samples.iter().filter_map(|sample| sample.likeness) {
            let known = self.known.entry(likeness).or_default();
            let new = if known.weight > 0.0 { known.mean * factor } else { each };
            if known.weight == 0.0 {
                known.usual = new;
            }
            known.usual *= if new < known.usual { 1.0 / USUAL_STEP } else { USUAL_STEP };
            known.weight = (known.weight + 1.0).min(MEMORY);
            known.mean += (new - known.mean) / known.weight;
        }
    }

    /// Notes the times between time stamps in a row.
    fn learn_cost(&mut self, mut gaps: SmallVec<[f64; 8]>) {
        gaps.sort_by(f64::total_cmp);
        if let Some(&median) = gaps.get(gaps.len() / 2) {
            self.cost = Some(median.max(LEAST_COST));
        }
    }
}

/// Commands of a slot between two time stamps.
pub(crate) struct Span {
    /// The first one among the slot's entries, and the one after the last.
    entries: [usize; 2],
    stamps: [u32; 2],
}

/// What a slot holds of sampled commands.
#[derive(Default)]
pub(crate) struct Spans {
    done: Vec<Span>,
    /// The one that is being recorded: its first entry and its time stamp.
    open: Option<(usize, u32)>,
    /// The first of the time stamps that measure what one costs.
    probes: Option<u32>,
}

impl Spans {
    /// Whether commands are recorded that share two time stamps.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(crate) fn clear(&mut self) {
        self.done.clear();
        (self.open, self.probes) = (None, None);
    }
}

impl Slot {
    /// Before a command is recorded: ends or begins the span, as the command needs.
    pub(crate) fn before_sample(&mut self, sample: Option<Sample>, sampling: &mut Sampling) -> Result<()> {
        if sample.is_none_or(|sample| sample.alone) {
            self.end_span(sampling);
        }
        let Some(sample) = sample.filter(|sample| sample.begins) else { return Ok(()) };
        if self.spans.open.is_some() || self.repeats {
            return Ok(());
        }
        self.prepare_queries()?;
        if !std::mem::replace(&mut sampling.asked, true) {
            self.spans.probes = self.probe(PROBES);
        }
        let before = self.used_queries();
        let stamp = self.start_stamp();
        sampling.pay(self.used_queries() - before, Some(sample));
        self.spans.open = Some((self.entries.len(), stamp));
        Ok(())
    }

    /// After a command was recorded.
    pub(crate) fn after_sample(&mut self, sample: Option<Sample>, sampling: &mut Sampling) {
        if sample.is_some_and(|sample| sample.alone || sample.affords) {
            self.end_span(sampling);
        }
    }

    /// Ends the span, if there is one with commands.
    pub(crate) fn end_span(&mut self, sampling: &mut Sampling) {
        let Some((first, start)) = self.spans.open.take() else { return };
        let end = self.entries.len();
        if first < end {
            let stamp = self.end_stamp();
            sampling.pay(1, None);
            self.spans.done.push(Span { entries: [first, end], stamps: [start, stamp] });
        }
    }
}

/// When a command began and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    pub(crate) started: u64,
    pub(crate) ended: u64,
    /// False if it was measured alone.
    pub(crate) is_estimated: bool,
}

/// The times of the commands of a slot that is done, none for those that are not sampled. `at` gives the
/// host's time of a time stamp. The slot began after `from` and ended before `now`.
pub(crate) fn estimates(
    slot: &Slot,
    sampling: &mut Sampling,
    at: &dyn Fn(u32) -> Option<u64>,
    from: u64,
    now: u64,
) -> Vec<Option<Estimate>> {
    if let Some(first) = slot.spans.probes {
        let times = (first..first + PROBES).filter_map(at);
        let times: SmallVec<[u64; 9]> = times.collect();
        sampling.learn_cost(times.windows(2).map(|pair| pair[1].saturating_sub(pair[0]) as f64).collect());
    }
    let mut found = vec![None; slot.entries.len()];
    let (mut cursor, mut first) = (from, 0);
    let spans = slot.spans.done.iter().filter_map(|span| {
        let [start, end] = span.stamps;
        Some((span.entries, at(start)?, at(end)?))
    });
    let spans: SmallVec<[_; 8]> = spans.collect();
    for ([begin, end], started, ended) in spans {
        divide(&slot.entries[first..begin], &mut found[first..begin], sampling, (cursor, started), false);
        let samples = slot.entries[begin..end].iter().filter_map(|entry| entry.sample);
        let samples: SmallVec<[Sample; 8]> = samples.collect();
        sampling.learn(&samples, ended.saturating_sub(started) as f64);
        divide(&slot.entries[begin..end], &mut found[begin..end], sampling, (started, ended), true);
        (cursor, first) = (ended.max(cursor), end);
    }
    divide(&slot.entries[first..], &mut found[first..], sampling, (cursor, now), false);
    found
}

/// Gives commands a part of a time each: all of it, if they are a span, or as much as is expected of them.
fn divide(
    entries: &[Entry],
    found: &mut [Option<Estimate>],
    sampling: &Sampling,
    (from, to): (u64, u64),
    is_span: bool,
) {
    let known = |entry: &Entry| entry.sample.map(|sample| sampling.expected(sample).unwrap_or(0.0));
    let is_work = |entry: &&Entry| entry.sample.is_some_and(|sample| sample.likeness.is_some());
    let sum: f64 = entries.iter().filter_map(known).sum();
    let (count, room) = (entries.iter().filter(is_work).count(), to.saturating_sub(from) as f64);
    let mut time = from as f64;
    for (entry, found) in entries.iter().zip(found) {
        let Some(expected) = known(entry) else { continue };
        let took = match is_span {
            true if sum > 0.0 => expected * room / sum,
            true if is_work(&entry) => room / count as f64,
            true => 0.0,
            false => expected * (room / sum.max(1.0)).min(1.0),
        };
        let began = time as u64;
        time += took;
        let (ended, is_estimated) = ((time as u64).min(to.max(began)), !(is_span && count == 1));
        *found = Some(Estimate { started: began, ended, is_estimated });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::record::Recorded;

    const COST: f64 = 20_000.0;

    /// A stream that knows what a time stamp costs, and that these commands take as long.
    fn sampling(kinds: &[(u64, f64)]) -> Sampling {
        let mut sampling = Sampling { given: GIVEN, ..Sampling::default() };
        sampling.learn_cost(SmallVec::from_slice(&[COST / 2.0, COST, 10.0 * COST]));
        for &(kind, took) in kinds {
            let samples: Vec<Sample> =
                (0..ALONE).map(|_| sampling.sample_alike(Some(Likeness(kind)))).collect();
            assert!(samples.iter().all(|sample| sample.alone));
            sampling.learn(&samples, took * f64::from(ALONE));
        }
        sampling.credit = 0.0;
        sampling
    }

    /// Records commands, that many to a submission; gives the time stamps that were written, and the time.
    fn stamps(sampling: &mut Sampling, kinds: &[(u64, f64)], count: usize, together: usize) -> (u32, f64) {
        let (mut stamps, mut time, mut open, mut at_end) = (0, 0.0, false, false);
        let mut write = |sampling: &mut Sampling, sample| {
            stamps += 1;
            sampling.pay(1, sample);
        };
        for number in 0..count {
            let (kind, took) = kinds[number % kinds.len()];
            let sample = sampling.sample_alike(Some(Likeness(kind)));
            if number % together == 0 {
                at_end = false;
            }
            if sample.begins && !open {
                if !at_end {
                    write(sampling, Some(sample));
                }
                open = true;
            }
            (time, at_end) = (time + took, false);
            if open && (sample.affords || (number + 1) % together == 0) {
                write(sampling, None);
                (open, at_end) = (false, true);
            }
        }
        (stamps, time)
    }

    #[test]
    fn time_stamps_take_a_small_part_of_the_time() {
        let all: [&[(u64, f64)]; 4] =
            [&[(1, 34e3)], &[(1, 34e3), (2, 5e3)], &[(1, 500.0)], &[(1, 9e6), (2, 100.0)]];
        for kinds in all {
            for together in [1, 16, 120] {
                let mut sampling = sampling(kinds);
                let (stamps, time) = stamps(&mut sampling, kinds, 20_000, together);
                let part = f64::from(stamps) * COST / time;
                assert!(part < 1.1 * SHARE, "{kinds:?}, {together} together: {part}");
                // Something is still measured.
                assert!(stamps > 1, "{kinds:?}, {together} together");
            }
        }
    }

    #[test]
    fn long_commands_are_timed_one_by_one() {
        let kinds = [(1, 7e6)];
        let (stamps, _) = stamps(&mut sampling(&kinds), &kinds, 1000, 100);
        assert_eq!(stamps, 10 * 101);
    }

    #[test]
    fn times_follow_what_was_measured() {
        let mut sampling = sampling(&[(1, 30e3), (2, 10e3)]);
        let both = [1, 2].map(|kind| sampling.sample_alike(Some(Likeness(kind))));
        // Both become slower.
        for _ in 0..100 {
            sampling.learn(&both, 80e3);
        }
        let expected = both.map(|sample| sampling.expected(sample).unwrap());
        assert!((expected[0] - 60e3).abs() < 100.0 && (expected[1] - 20e3).abs() < 100.0, "{expected:?}");
        let none = sampling.sample_alike(None);
        assert_eq!((sampling.expected(none), none.alone, none.begins), (Some(0.0), false, false));
    }

    #[test]
    fn commands_of_a_span_share_its_time() {
        let mut sampling = sampling(&[(1, 30e3), (2, 10e3)]);
        let kinds = [Some(1), None, Some(2)];
        let entries = kinds.map(|kind: Option<u64>| {
            let sample = Some(sampling.sample_alike(kind.map(Likeness)));
            Entry { event: None, recorded: Recorded::default(), sample }
        });
        let divided = |entries: &[Entry], room, is_span| -> Vec<(u64, u64, bool)> {
            let mut found = vec![None; entries.len()];
            divide(entries, &mut found, &sampling, room, is_span);
            found.iter().flatten().map(|it| (it.started, it.ended, it.is_estimated)).collect()
        };
        let all = [(1000, 61_000, true), (61_000, 61_000, true), (61_000, 81_000, true)];
        assert_eq!(divided(&entries, (1000, 81_000), true), all);
        // A launch alone is measured, also with a marker behind it.
        assert_eq!(divided(&entries[..2], (1000, 8000), true), [(1000, 8000, false), (8000, 8000, false)]);
        // Without time stamps, they take what is expected, but not more than there is.
        assert_eq!(divided(&entries[..1], (1000, 81_000), false), [(1000, 31_000, true)]);
        assert_eq!(divided(&entries[..1], (1000, 9000), false), [(1000, 9000, true)]);
    }
}
