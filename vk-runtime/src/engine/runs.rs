//! The labelled commands of a slot, and their times.
//!
//! Commands that are alike and not timed one by one are a [`Run`], which is one record however many they are:
//! a further one costs a comparison and a count. A run is a row of consecutive commands. Where short
//! commands take turns, those of a kind become one run, too, which is marked as interleaved.
//!
//! Runs between two time stamps are a [`Span`], whose time is divided among them as their expected times are
//! ([`Sampling`]). Runs outside of all spans have their expected times.

use crate::engine::label::{Label, Record, Source};
use crate::engine::sampling::{Likeness, Sample, Sampling};
use crate::engine::slot::Slot;
use crate::vulkan::clock::host_time;
use crate::vulkan::error::Result;
use crate::vulkan::handle::lock;
use smallvec::SmallVec;
use std::sync::Mutex;

/// Runs of a submission that are kept in order. Commands behind them join an earlier run of their kind.
const MOST_IN_ORDER: usize = 4;

/// Time stamps in a row, which measure what one costs.
const PROBES: u32 = 9;

/// A labelled command that is about to be recorded.
#[derive(Clone, Copy)]
pub(crate) struct Labelled {
    pub(crate) label: Label,
    /// None for commands without work.
    pub(crate) likeness: Option<Likeness>,
    /// Whether it gets time stamps of its own, because its event has its times.
    pub(crate) timed: bool,
}

/// What to do with a command.
#[derive(Clone, Copy)]
pub(crate) enum Plan {
    /// It has no label.
    Unlabelled,
    /// It joins this run.
    Join(usize),
    /// It has time stamps of its own.
    Timed,
    /// It may share time stamps with others.
    Sampled(Sample),
}

impl Plan {
    /// Whether it may write a time stamp before the command.
    pub(crate) fn begins(&self) -> bool {
        matches!(self, Plan::Sampled(sample) if sample.begins)
    }

    /// Whether the command joins a run.
    pub(crate) fn joins(&self) -> bool {
        matches!(self, Plan::Join(_))
    }
}

/// Commands that are one record.
pub(crate) struct Run {
    label: Label,
    pub(crate) likeness: Option<Likeness>,
    pub(crate) count: u32,
    /// Commands that joined it and have earned no credit yet.
    pub(crate) unpaid: u32,
    /// Nanoseconds that the first will probably take, if that was known when it was recorded.
    expected: Option<f64>,
    /// Whether commands like it are too short for time stamps within their run.
    is_short: bool,
    /// Whether further commands may join it.
    is_open: bool,
    interleaved: bool,
}

/// Runs between two time stamps.
struct Span {
    /// The first run, and the one after the last.
    runs: [usize; 2],
    stamps: [u32; 2],
    /// Whether commands like these are timed anyway, so that nothing is to be learned.
    timed: bool,
}

/// See the module.
#[derive(Default)]
pub(crate) struct Runs {
    all: Vec<Run>,
    /// The first one that commands may join: no time stamp was written since.
    first: usize,
    /// The one with the last command.
    newest: usize,
    spans: Vec<Span>,
    /// The time stamp of the span that is being recorded, which begins with the run `first`.
    open: Option<u32>,
    /// The first of the time stamps that measure what one costs.
    probes: Option<u32>,
}

impl Runs {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether commands are recorded that share two time stamps.
    pub(crate) fn in_span(&self) -> bool {
        self.open.is_some()
    }

    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.spans.clear();
        (self.first, self.open, self.probes) = (0, None, None);
    }

    /// The run that a command may join.
    fn find(&self, new: &Labelled) -> Option<usize> {
        let suits = |run: &Run| run.is_open && run.likeness == new.likeness && run.label.is_like(&new.label);
        let last = self.all.len().checked_sub(1).filter(|&last| last >= self.first)?;
        if suits(&self.all[last]) {
            return Some(last);
        }
        let many = self.all.len() - self.first >= MOST_IN_ORDER;
        let found = || self.all[self.first..last].iter().rposition(suits);
        if many { found().map(|position| self.first + position) } else { None }
    }

    /// The run of short commands that a command joins without further ado.
    pub(crate) fn find_short(&self, new: &Labelled) -> Option<usize> {
        if new.timed { None } else { self.find(new).filter(|&run| self.all[run].is_short) }
    }

    fn join(&mut self, run: usize, unpaid: u32) {
        let interleaved = std::mem::replace(&mut self.newest, run) != run;
        let run = &mut self.all[run];
        run.count += 1;
        run.unpaid += unpaid;
        run.interleaved |= interleaved;
    }

    fn add(&mut self, new: &Labelled, expected: Option<f64>, is_short: bool, is_open: bool) {
        let mut label = new.label;
        if label.queued == 0 {
            label.queued = host_time();
        }
        let (count, unpaid, interleaved, likeness) = (1, 0, false, new.likeness);
        self.newest = self.all.len();
        self.all.push(Run { label, likeness, count, unpaid, expected, is_short, is_open, interleaved });
    }

    /// The record of a single run without time stamps whose time is known, which is done between `from` and
    /// `to`: most launches that are waited for one by one.
    pub(crate) fn expected_alone(&self, submitted: u64, (from, to): (u64, u64)) -> Option<Record> {
        let ([run], [], None) = (&self.all[..], &self.spans[..], self.probes) else { return None };
        let took = run.expected? * f64::from(run.count);
        let ended = from + (took as u64).min(to.saturating_sub(from));
        Some(run.record(submitted, (from, ended), Source::Expected))
    }

    /// Later commands join no run so far.
    fn separate(&mut self) {
        self.first = self.all.len();
    }
}

impl Slot {
    /// Before a command is recorded: ends or begins the span, as the command needs.
    pub(crate) fn before_labelled(&mut self, plan: &Plan, sampling: &mut Sampling) -> Result<()> {
        let sample = match plan {
            Plan::Join(_) => return Ok(()),
            Plan::Unlabelled | Plan::Timed => {
                self.end_span(sampling);
                return Ok(());
            }
            Plan::Sampled(sample) => sample,
        };
        if sample.alone {
            self.end_span(sampling);
        }
        if !sample.begins || self.runs.in_span() || self.repeats || !self.has_room() {
            return Ok(());
        }
        self.prepare_some_queries()?;
        if sampling.ask_cost() {
            self.runs.probes = self.probe(PROBES);
        }
        let before = self.used_queries();
        let stamp = self.start_stamp();
        sampling.pay(self.used_queries() - before, Some(*sample));
        self.runs.separate();
        self.runs.open = Some(stamp);
        Ok(())
    }

    /// After a command was recorded, perhaps with time stamps of its own.
    pub(crate) fn after_labelled(
        &mut self,
        plan: &Plan,
        new: &Labelled,
        stamps: Option<[u32; 2]>,
        sampling: &Mutex<Sampling>,
    ) {
        match plan {
            Plan::Unlabelled => {}
            Plan::Join(run) => self.runs.join(*run, 1),
            Plan::Timed => {
                self.runs.add(new, None, false, false);
                let end = self.runs.all.len();
                if let Some(stamps) = stamps {
                    self.runs.spans.push(Span { runs: [end - 1, end], stamps, timed: true });
                }
                self.runs.separate();
            }
            Plan::Sampled(sample) => {
                match self.runs.find(new).filter(|_| !sample.alone) {
                    Some(run) => self.runs.join(run, 0),
                    None => self.runs.add(new, sample.expected, sample.is_short, !sample.alone),
                }
                if sample.ends {
                    self.end_span(&mut lock(sampling));
                }
            }
        }
    }

    /// Before the slot is submitted.
    pub(crate) fn end_runs(&mut self, sampling: &Mutex<Sampling>) {
        if self.runs.in_span() || self.runs.all.iter().any(|run| run.unpaid > 0) {
            let sampling = &mut lock(sampling);
            sampling.earn(&self.runs.all);
            self.end_span(sampling);
        }
    }

    /// Ends the span, if there is one with commands.
    pub(crate) fn end_span(&mut self, sampling: &mut Sampling) {
        let Some(start) = self.runs.open.take() else { return };
        let runs = [self.runs.first, self.runs.all.len()];
        if runs[0] < runs[1] {
            let stamp = self.end_stamp();
            sampling.pay(1, None);
            self.runs.spans.push(Span { runs, stamps: [start, stamp], timed: false });
        }
        self.runs.separate();
    }
}

impl Run {
    fn record(&self, submitted: u64, (started, ended): (u64, u64), source: Source) -> Record {
        let Run { label: Label { name, queue, queued }, count, interleaved, .. } = *self;
        Record { queue, name, count, interleaved, source, queued, submitted, started, ended }
    }
}

/// When a command began and ended, by the numbers of its time stamps.
pub(crate) fn between(times: &[u64], [start, end]: [u32; 2]) -> Option<(u64, u64)> {
    Some((*times.get(start as usize)?, *times.get(end as usize)?))
}

/// The records of a slot that is done. `times` are the host's times of its time stamps. The slot began after
/// `from` and ended before `now`.
pub(crate) fn records(
    slot: &Slot,
    sampling: &mut Sampling,
    times: &[u64],
    (from, now): (u64, u64),
    found: &mut SmallVec<[Record; 8]>,
) {
    let Runs { all, spans, probes, .. } = &slot.runs;
    if let Some(first) = *probes {
        let probes = times.get(first as usize..(first + PROBES) as usize).unwrap_or_default();
        sampling.learn_cost(probes.windows(2).map(|pair| pair[1].saturating_sub(pair[0]) as f64).collect());
    }
    let (mut cursor, mut first) = (from, 0);
    for &Span { runs: [begin, end], stamps, timed } in spans {
        let Some((started, ended)) = between(times, stamps) else { continue };
        divide(&all[first..begin], slot.submitted, sampling, (cursor, started.max(cursor)), false, found);
        if !timed {
            sampling.learn(&all[begin..end], ended.saturating_sub(started) as f64);
        }
        divide(&all[begin..end], slot.submitted, sampling, (started, ended.max(started)), true, found);
        (cursor, first) = (ended.max(cursor), end);
    }
    divide(&all[first..], slot.submitted, sampling, (cursor, now.max(cursor)), false, found);
}

/// Gives runs a part of a time each: all of it, if they are a span, or as much as is expected of them.
fn divide(
    runs: &[Run],
    submitted: u64,
    sampling: &Sampling,
    (from, to): (u64, u64),
    is_span: bool,
    found: &mut SmallVec<[Record; 8]>,
) {
    if let ([run], true) = (runs, is_span)
        && run.likeness.is_some()
    {
        return found.push(run.record(submitted, (from, to), Source::Measured));
    }
    if runs.is_empty() {
        return;
    }
    let room = (to - from) as f64;
    let works = runs.iter().filter(|run| run.likeness.is_some());
    let kinds = works.clone().count();
    let known = |run: &Run| sampling.expected(run.likeness).map(|mean| mean * f64::from(run.count));
    let unknown: u32 = works.filter(|run| known(run).is_none()).map(|run| run.count).sum();
    let sum: f64 = runs.iter().filter_map(known).sum();
    // What is left of the time, or all of it if nothing is known. Nothing else can be said.
    let left = if unknown > 0 { (room - sum).max(0.0) / f64::from(unknown) } else { 0.0 };
    let all = sum + left * f64::from(unknown);
    let part = if is_span && kinds > 0 || all > room { room / all.max(1e-9) } else { 1.0 };
    let source = match (is_span, kinds) {
        (true, 0 | 1) => Source::Measured,
        (true, _) => Source::Divided,
        _ => Source::Expected,
    };
    let mut time = from as f64;
    for run in runs {
        let started = time as u64;
        time += part * known(run).unwrap_or(left * f64::from(run.count));
        let ended = if is_span && kinds == 1 && run.likeness.is_some() { to } else { (time as u64).min(to) };
        let started = started.min(to);
        found.push(run.record(submitted, (started, ended.max(started)), source));
    }
}

#[cfg(test)]
impl Run {
    /// A short command.
    pub(crate) fn of_one(likeness: Option<Likeness>) -> Self {
        let label = Label { name: std::num::NonZeroU32::MIN, queue: 0, queued: 1 };
        let (expected, is_short, is_open, interleaved) = (None, true, true, false);
        Run { label, likeness, count: 1, unpaid: 0, expected, is_short, is_open, interleaved }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    fn labelled(name: u32) -> Labelled {
        let label = Label { name: NonZeroU32::new(name).unwrap(), queue: 0, queued: 1 };
        Labelled { label, likeness: Some(Likeness::numbered(name.into())), timed: false }
    }

    /// Records short commands of these names.
    fn short_runs(names: impl Iterator<Item = u32>) -> Runs {
        let mut runs = Runs::default();
        for name in names {
            let new = labelled(name);
            match runs.find_short(&new) {
                Some(run) => runs.join(run, 1),
                None => runs.add(&new, None, true, true),
            }
        }
        runs
    }

    fn counts(runs: &Runs) -> Vec<(u32, u32, bool)> {
        runs.all.iter().map(|run| (run.label.name.get(), run.count, run.interleaved)).collect()
    }

    #[test]
    fn short_commands_of_a_kind_are_one_run() {
        assert_eq!(counts(&short_runs([7; 120].into_iter())), [(7, 120, false)]);
        let two = [1, 1, 1, 2, 2, 1];
        assert_eq!(counts(&short_runs(two.into_iter())), [(1, 3, false), (2, 2, false), (1, 1, false)]);
    }

    #[test]
    fn commands_that_take_turns_are_a_few_runs() {
        let runs = short_runs((0..120).map(|number| 1 + number % 3));
        // The first four are in order.
        assert_eq!(counts(&runs), [(1, 1, false), (2, 40, true), (3, 40, true), (1, 39, true)]);
    }

    #[test]
    fn a_time_stamp_separates_runs() {
        let mut runs = short_runs([1, 1].into_iter());
        runs.separate();
        assert!(runs.find(&labelled(1)).is_none());
    }

    /// What a list of (kind, count) gets of a time: beginning, end, and how it was found.
    fn divided(
        sampling: &Sampling,
        kinds: &[(Option<u64>, u32)],
        room: (u64, u64),
        is_span: bool,
    ) -> Vec<(u64, u64, Source)> {
        let run =
            |&(kind, count): &(Option<u64>, u32)| Run { count, ..Run::of_one(kind.map(Likeness::numbered)) };
        let runs: Vec<Run> = kinds.iter().map(run).collect();
        let mut found = SmallVec::new();
        divide(&runs, 1, sampling, room, is_span, &mut found);
        found.iter().map(|it| (it.started, it.ended, it.source)).collect()
    }

    #[test]
    fn runs_of_a_span_share_its_time() {
        let sampling = Sampling::knowing(&[(1, 30e3), (2, 1e3)]);
        let kinds = [(Some(1), 1), (None, 5), (Some(2), 10)];
        let (started, middle, ended) = (1000, 61_000, 81_000);
        let expected = [(started, middle), (middle, middle), (middle, ended)];
        let expected = expected.map(|(from, to)| (from, to, Source::Divided));
        assert_eq!(divided(&sampling, &kinds, (started, ended), true), expected);
        // A run alone is measured, also with a marker behind it.
        let expected = [(1000, 8000, Source::Measured), (8000, 8000, Source::Measured)];
        assert_eq!(divided(&sampling, &kinds[..2], (1000, 8000), true), expected);
    }

    #[test]
    fn a_run_whose_time_is_known_needs_no_lookup() {
        let sampling = Sampling::knowing(&[(1, 30e3)]);
        let mut runs = short_runs([1, 1, 1].into_iter());
        assert_eq!(runs.expected_alone(5, (1000, 200_000)), None, "nothing was known");
        for room in [(1000, 200_000), (1000, 9000)] {
            let mut found = SmallVec::new();
            divide(&runs.all, 5, &sampling, room, false, &mut found);
            runs.all[0].expected = Some(30e3);
            assert_eq!(runs.expected_alone(5, room), Some(found[0]));
        }
        runs.spans.push(Span { runs: [0, 1], stamps: [0, 1], timed: false });
        assert_eq!(runs.expected_alone(5, (1000, 200_000)), None, "it was measured");
    }

    #[test]
    fn without_time_stamps_runs_take_what_is_expected() {
        let sampling = Sampling::knowing(&[(1, 30e3), (2, 1e3)]);
        let expected = |from, to| (from, to, Source::Expected);
        assert_eq!(divided(&sampling, &[(Some(2), 20)], (1000, 81_000), false), [expected(1000, 21_000)]);
        // But not more than there is.
        assert_eq!(divided(&sampling, &[(Some(1), 9)], (1000, 9000), false), [expected(1000, 9000)]);
        // Nothing is known of this one: it is between the others.
        let kinds = [(Some(1), 1), (Some(9), 2)];
        assert_eq!(
            divided(&sampling, &kinds, (0, 50_000), false),
            [expected(0, 30_000), expected(30_000, 50_000)]
        );
    }
}
