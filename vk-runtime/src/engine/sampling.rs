//! Which commands of a stream are timed so that it costs little, and what others like them probably take.
//!
//! A device finishes what it does before it writes a time stamp: on some devices that takes longer than a
//! short command, and on others commands that could overlap no longer do. So what a time stamp costs is
//! measured, and the commands earn time stamps: each adds a small part of its expected time to a credit. A
//! long command earns its own time stamps. Shorter ones share two ([`crate::engine::runs`]). The shortest
//! have none among them: one before the first and one after the last of a submission, if there is credit. The
//! first commands of a kind are timed alone, and say what is expected of others like them.

use crate::engine::command::{Command, Kind};
use crate::engine::image::ImageRegion;
use crate::engine::runs::Run;
use crate::engine::transfer::Shape;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// The part of the commands' time that time stamps may take.
const SHARE: f64 = 1.0 / 200.0;

/// Nanoseconds that a time stamp costs at least: the host records and reads it.
const LEAST_COST: f64 = 2000.0;

/// Nanoseconds below which commands have no time stamps within their run.
const SHORT: f64 = 20_000.0;

/// Time stamps that are saved up at most.
const MOST_SAVED: f64 = 8.0;

/// Commands of a kind that are timed alone, and how many of them before the first is done.
const ALONE: u32 = 2;
const ALONE_AT_FIRST: u32 = 16;

/// Spans that begin without a credit, before anything is known.
const GIVEN: u32 = 16;

/// Commands after which a new one changes the mean no less.
const MEMORY: f64 = 16.0;

/// How far a new command moves what is usual.
const USUAL_STEP: f64 = 1.1;

/// Commands that may use a pass.
const MOST_PASSED: f64 = 256.0;

/// Most kinds of commands that are remembered.
const MOST_KINDS: usize = 4096;

/// What is common to commands that take equally long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Likeness(u64);

impl Likeness {
    /// Launches are alike with the same kernel and nearly as many work-groups, transfers with nearly as many
    /// bytes. None for commands without work.
    pub(crate) fn of(command: &Command) -> Option<Self> {
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

impl Known {
    /// Nanoseconds that a command usually takes; 0 if nothing is known.
    fn usual(&self) -> f64 {
        self.usual.min(self.mean)
    }

    /// What a command adds to the credit.
    fn step(&self) -> f64 {
        SHARE * self.usual()
    }

    /// Nanoseconds that a command will probably take; none if nothing is known.
    fn expected(&self) -> Option<f64> {
        (self.weight > 0.0).then_some(self.mean)
    }
}

/// How a command is timed.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    /// It gets time stamps of its own.
    pub(crate) alone: bool,
    /// There is credit for a time stamp.
    affords: bool,
    /// A span may begin before it.
    pub(crate) begins: bool,
    /// The span, if there is one, ends behind it.
    pub(crate) ends: bool,
    /// Commands like it have no time stamps within their run.
    pub(crate) is_short: bool,
    /// Nanoseconds that it will probably take; none if nothing is known.
    pub(crate) expected: Option<f64>,
}

/// Leave for further commands that are alike to have no time stamps, so that nobody need be asked.
#[derive(Default)]
pub(crate) struct Pass {
    likeness: Option<Likeness>,
    /// How many may still use it, and how many have.
    left: u32,
    used: u32,
    is_short: bool,
    expected: Option<f64>,
}

impl Pass {
    /// What to do with a new command, if it may use the pass.
    pub(crate) fn take(&mut self, likeness: Option<Likeness>) -> Option<Sample> {
        if self.left == 0 || likeness != self.likeness {
            return None;
        }
        (self.left, self.used) = (self.left - 1, self.used + 1);
        let (alone, affords, begins, ends) = (false, false, false, false);
        Some(Sample { alone, affords, begins, ends, is_short: self.is_short, expected: self.expected })
    }
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
    pub(crate) fn sample(&mut self, likeness: Option<Likeness>) -> Sample {
        let Some(likeness) = likeness else {
            let (alone, affords, begins, ends, is_short) = (false, false, false, false, true);
            return Sample { alone, affords, begins, ends, is_short, expected: Some(0.0) };
        };
        if self.known.len() >= MOST_KINDS {
            self.known.clear();
        }
        let known = self.known.entry(likeness).or_default();
        let alone = known.alone < if known.weight > 0.0 { ALONE } else { ALONE_AT_FIRST };
        known.alone += u32::from(alone);
        let cost = self.cost.unwrap_or(0.0);
        self.credit = (self.credit + known.step()).min(MOST_SAVED * cost);
        let affords = self.cost.is_some() && self.credit >= cost;
        let begins = alone || affords || self.given < GIVEN;
        let is_short = known.usual() < SHORT;
        let (ends, expected) = (alone || affords && !is_short, known.expected());
        Sample { alone, affords, begins, ends, is_short, expected }
    }

    /// What to do with a new command, which had no pass; gives those after it one, if they have to earn more.
    pub(crate) fn sample_with_pass(&mut self, likeness: Option<Likeness>, pass: &mut Pass) -> Sample {
        let cost = self.cost.unwrap_or(0.0);
        let old = std::mem::take(pass);
        self.earn_for(old.likeness, old.used);
        let sample = self.sample(likeness);
        let known = likeness.and_then(|likeness| self.known.get(&likeness));
        if let Some(known) = known.filter(|known| !sample.begins && known.step() > 0.0) {
            // One less, whose command finds that there is enough.
            let left = ((cost - self.credit) / known.step() - 1.0).min(MOST_PASSED) as u32;
            let Sample { is_short, expected, .. } = sample;
            *pass = Pass { likeness, left, used: 0, is_short, expected };
        }
        sample
    }

    /// Counts the commands that joined runs without being asked about.
    pub(crate) fn earn(&mut self, runs: &[Run]) {
        runs.iter().filter(|run| run.unpaid > 0).for_each(|run| self.earn_for(run.likeness, run.unpaid));
    }

    /// Adds what commands that are alike earn, if something is known of them.
    fn earn_for(&mut self, likeness: Option<Likeness>, count: u32) {
        if let Some(known) = likeness.and_then(|likeness| self.known.get(&likeness)) {
            let earned = known.step() * f64::from(count);
            self.credit = (self.credit + earned).min(MOST_SAVED * self.cost.unwrap_or(0.0));
        }
    }

    /// Whether the cost of a time stamp is still to be measured, which the caller then does.
    pub(crate) fn ask_cost(&mut self) -> bool {
        !std::mem::replace(&mut self.asked, true)
    }

    /// Notes that time stamps were written, or a span began.
    pub(crate) fn pay(&mut self, stamps: u32, sample: Option<Sample>) {
        // Debts do not grow without limit, or nothing would be timed for long after many new kernels.
        let cost = self.cost.unwrap_or(0.0);
        self.credit = (self.credit - f64::from(stamps) * cost).max(-8.0 * MOST_SAVED * cost);
        if sample.is_some_and(|sample| !sample.alone && !sample.affords) {
            self.given += 1;
        }
    }

    /// Nanoseconds that a command will probably take; none if nothing is known.
    pub(crate) fn expected(&self, likeness: Option<Likeness>) -> Option<f64> {
        let Some(likeness) = likeness else { return Some(0.0) };
        self.known.get(&likeness).and_then(Known::expected)
    }

    /// Notes what runs took together.
    pub(crate) fn learn(&mut self, runs: &[Run], took: f64) {
        let work: u32 = runs.iter().filter(|run| run.likeness.is_some()).map(|run| run.count).sum();
        let each = took / f64::from(work.max(1));
        let all = |run: &Run| self.expected(run.likeness).unwrap_or(each) * f64::from(run.count);
        let expected: f64 = runs.iter().map(all).sum();
        let factor = if expected > 0.0 { took / expected } else { 1.0 };
        for likeness in runs.iter().filter_map(|run| run.likeness) {
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
    pub(crate) fn learn_cost(&mut self, mut gaps: SmallVec<[f64; 8]>) {
        gaps.sort_by(f64::total_cmp);
        if let Some(&median) = gaps.get(gaps.len() / 2) {
            self.cost = Some(median.max(LEAST_COST));
        }
    }
}

#[cfg(test)]
impl Likeness {
    pub(crate) fn numbered(number: u64) -> Self {
        Likeness(number)
    }
}

#[cfg(test)]
impl Sampling {
    /// What a time stamp costs in tests, in nanoseconds.
    const COST: f64 = 20_000.0;

    /// Knows what a time stamp costs, and that these commands take as long.
    pub(crate) fn knowing(kinds: &[(u64, f64)]) -> Self {
        let mut sampling = Sampling { given: GIVEN, ..Sampling::default() };
        let cost = Sampling::COST;
        sampling.learn_cost(SmallVec::from_slice(&[cost / 2.0, cost, 10.0 * cost]));
        for &(kind, mean) in kinds {
            let known = Known { mean, usual: mean, weight: 1.0, alone: ALONE };
            sampling.known.insert(Likeness(kind), known);
        }
        sampling
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records commands, that many to a submission; gives the time stamps that were written, the most in a
    /// submission, and the time.
    fn stamps(kinds: &[(u64, f64)], count: usize, together: usize) -> (u32, u32, f64) {
        let mut sampling = Sampling::knowing(kinds);
        let mut pass = Pass::default();
        let (mut stamps, mut most, mut here, mut time) = (0, 0, 0, 0.0);
        let (mut open, mut at_end) = (false, false);
        for number in 0..count {
            let (kind, took) = kinds[number % kinds.len()];
            let likeness = Some(Likeness(kind));
            let taken = pass.take(likeness);
            let sample = taken.unwrap_or_else(|| sampling.sample_with_pass(likeness, &mut pass));
            if number % together == 0 {
                (at_end, here) = (false, 0);
            }
            if sample.begins && !open {
                let new = u32::from(!at_end);
                sampling.pay(new, Some(sample));
                (here, stamps, open) = (here + new, stamps + new, true);
            }
            (time, at_end) = (time + took, false);
            if open && (sample.ends || (number + 1) % together == 0) {
                sampling.pay(1, None);
                (here, stamps, open, at_end) = (here + 1, stamps + 1, false, true);
            }
            most = most.max(here);
        }
        (stamps, most, time)
    }

    #[test]
    fn time_stamps_take_a_small_part_of_the_time() {
        let all: [&[(u64, f64)]; 4] =
            [&[(1, 34e3)], &[(1, 34e3), (2, 5e3)], &[(1, 500.0)], &[(1, 9e6), (2, 100.0)]];
        for kinds in all {
            for together in [1, 16, 120] {
                let (stamps, _, time) = stamps(kinds, 20_000, together);
                let part = f64::from(stamps) * Sampling::COST / time;
                assert!(part < 1.1 * SHARE, "{kinds:?}, {together} together: {part}");
                // Something is still measured.
                assert!(stamps > 1, "{kinds:?}, {together} together");
            }
        }
    }

    #[test]
    fn short_commands_have_no_time_stamps_among_them() {
        for took in [3e3, 19e3] {
            let (stamps, most, _) = stamps(&[(1, took)], 20_000, 120);
            assert!(most == 2 && stamps > 2, "{most} of {stamps}");
        }
        assert!(stamps(&[(1, 100e3)], 20_000, 120).1 > 2, "longer ones do");
    }

    #[test]
    fn long_commands_are_timed_one_by_one() {
        let (stamps, ..) = stamps(&[(1, 7e6)], 1000, 100);
        assert_eq!(stamps, 10 * 101);
    }

    #[test]
    fn times_follow_what_was_measured() {
        let mut sampling = Sampling::knowing(&[(1, 30e3), (2, 10e3)]);
        let both = [1, 2].map(Likeness);
        let runs = both.map(|likeness| Run::of_one(Some(likeness)));
        // Both become slower.
        for _ in 0..100 {
            sampling.learn(&runs, 80e3);
        }
        let expected = both.map(|likeness| sampling.expected(Some(likeness)).unwrap());
        assert!((expected[0] - 60e3).abs() < 100.0 && (expected[1] - 20e3).abs() < 100.0, "{expected:?}");
        let none = sampling.sample(None);
        assert_eq!((sampling.expected(None), none.alone, none.begins), (Some(0.0), false, false));
    }
}
