//! What a kernel did, from its counters: bytes, operations, and how well work-items fit together.

use clvk::interface::measure::{Measured, Measurement, Memory, SET, Site};
use clvk::interface::sanitize::Access;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What all work-items of a launch did together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Work {
    /// Bytes read from global and constant memory.
    pub read: f64,
    /// Bytes written to global memory.
    pub written: f64,
    /// Bytes of atomic operations.
    pub atomic: f64,
    /// Bytes read from and written to local memory.
    pub local: f64,
    /// Operations of half, single and double precision.
    pub floating: f64,
    /// Those of them that are of double precision.
    pub double: f64,
    /// Operations of integers.
    pub integer: f64,
    /// Functions with units of their own.
    pub special: f64,
    /// Cache lines that would hold what sampled sub-groups wanted of global memory, as a part of those that
    /// they reached; none if nothing was sampled.
    pub needed_lines: Option<f64>,
    /// How many times as many passes accesses to local memory take as they need; none if there is none.
    pub bank_passes: Option<f64>,
    /// Work-items that were active, as a part of all of the sampled sub-groups, weighed by the parts of the
    /// kernel.
    pub active: Option<f64>,
    /// Work-items.
    pub items: f64,
}

impl Work {
    /// Bytes of global memory.
    pub fn global(&self) -> f64 {
        self.read + self.written + self.atomic
    }
}

/// How a device's work-items work together.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Work-items of a sub-group.
    pub width: usize,
    /// Bytes of a cache line.
    pub line: u64,
}

/// Banks of local memory, of four bytes each.
const BANKS: u64 = 32;

/// What an access cost the sampled sub-groups.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    /// Times that a sub-group executed it.
    pub times: u64,
    /// Cache lines that would hold the bytes that it wanted, each byte once, or the fewest passes.
    pub needed: u64,
    /// Cache lines that it reached, or passes over the banks.
    pub parts: u64,
}

impl Fit {
    /// Cache lines or passes of an execution.
    pub fn each(self) -> f64 {
        self.parts as f64 / self.times.max(1) as f64
    }
}

/// How accesses of sampled sub-groups fit cache lines and banks, by site.
pub fn fits(measured: &Measured, measurement: &Measurement, shape: Shape) -> BTreeMap<u32, Fit> {
    // The addresses of a site by sub-group, time and work-item: the nth access of one work-item is together
    // with the nth of its neighbours.
    let mut times: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut groups: BTreeMap<(u32, u32, u32), Vec<u64>> = BTreeMap::new();
    let items = measurement.items.max(1);
    for event in &measurement.events {
        let time = times.entry((event.what, event.item)).or_insert(0);
        let (group, place) = (event.item / items, event.item % items);
        // Sub-groups do not cross work-groups.
        let sub_group = group * items.div_ceil(shape.width as u32) + place / shape.width as u32;
        groups.entry((event.what, sub_group, *time)).or_default().push(event.value);
        *time += 1;
    }
    let mut fits: BTreeMap<u32, Fit> = BTreeMap::new();
    for ((what, _, _), addresses) in groups {
        let Some(site) = measured.sites.get(what as usize) else { continue };
        let fit = fits.entry(what).or_default();
        fit.times += 1;
        let (needed, parts) = match site.memory {
            Memory::Local => passes(site, &addresses),
            Memory::Global | Memory::Constant => lines(site, &addresses, shape.line),
        };
        fit.needed += needed;
        fit.parts += parts;
    }
    fits
}

/// The cache lines that would hold the distinct bytes, and those that are reached.
fn lines(site: &Site, addresses: &[u64], line: u64) -> (u64, u64) {
    let bytes = u64::from(site.bytes.max(1));
    let starts: BTreeSet<u64> = addresses.iter().copied().collect();
    let (mut wanted, mut end) = (0, 0);
    let mut lines: BTreeSet<u64> = BTreeSet::new();
    for start in starts {
        let stop = start.saturating_add(bytes);
        wanted += stop - start.max(end).min(stop);
        end = end.max(stop);
        // An access of a whole structure can be long.
        lines.extend((start / line..=(stop - 1) / line).take(1 << 10));
    }
    (wanted.div_ceil(line), lines.len() as u64)
}

/// The fewest passes for the distinct words, and the most words that one bank has to give.
fn passes(site: &Site, addresses: &[u64]) -> (u64, u64) {
    let words = u64::from(site.bytes.max(1)).div_ceil(4).min(64);
    let distinct: BTreeSet<u64> =
        addresses.iter().flat_map(|address| (0..words).map(move |word| address / 4 + word)).collect();
    let mut banks = [0u64; BANKS as usize];
    for word in &distinct {
        banks[(word % BANKS) as usize] += 1;
    }
    ((distinct.len() as u64).div_ceil(BANKS), banks.into_iter().max().unwrap_or(0))
}

/// How often a sub-group ran something: as often as the work-item that ran it most often, or, where
/// work-items ran it at different times, as often as its set says. A set that is filling up tells by how full
/// it is.
fn runs(most: u64, ones: u32) -> f64 {
    let (ones, all) = (f64::from(ones), f64::from(SET));
    let estimate = match ones / all {
        part if part < 0.05 => ones,
        // It says nothing any more.
        part if part > 0.99 => 0.0,
        part => -all * (1.0 - part).ln(),
    };
    estimate.max(most as f64)
}

/// Work-items of the sampled sub-groups that were active at one of the kernel's counters, as a part of all,
/// and the times of the sub-groups' work-items. None if none of them ran it.
pub fn active(measurement: &Measurement, own: usize) -> Option<(f64, f64)> {
    let items = measurement.items.max(1) as usize;
    let width = measurement.width.max(1) as usize;
    let groups = measurement.samples.chunks(items).flat_map(|group| group.chunks(width));
    let (mut ran, mut room) = (0.0, 0.0);
    for (number, sub_group) in groups.enumerate() {
        let count = |sample: &Vec<u32>| sample.get(own).map_or(0, |&count| u64::from(count));
        let most = sub_group.iter().map(count).max().unwrap_or(0);
        let ones = measurement.sets.get(number).and_then(|set| set.get(own)).copied().unwrap_or(0);
        ran += sub_group.iter().map(count).sum::<u64>() as f64;
        room += runs(most, ones) * sub_group.len() as f64;
    }
    (room > 0.0).then(|| ((ran / room).min(1.0), room))
}

/// Sums up a launch.
pub fn work(kernel: &str, measured: &Measured, measurement: &Measurement, shape: Shape) -> Work {
    let mut work = Work::default();
    let count = |counter: u32| measurement.counts.get(counter as usize).copied().unwrap_or(0) as f64;
    for (number, counter) in (0..).zip(&measured.counters) {
        let (times, operations) = (count(number), counter.operations);
        let floating = operations.half + operations.single + operations.double;
        work.floating += times * f64::from(floating);
        work.double += times * f64::from(operations.double);
        work.integer += times * f64::from(operations.integer);
        work.special += times * f64::from(operations.special);
    }
    for site in &measured.sites {
        let bytes = count(site.counter) * f64::from(site.bytes);
        *match (site.memory, site.access) {
            (Memory::Local, _) => &mut work.local,
            (_, Access::Atomic) => &mut work.atomic,
            (_, Access::Read) => &mut work.read,
            (_, Access::Write) => &mut work.written,
        } += bytes;
    }
    let fits = fits(measured, measurement, shape);
    let sum = |is_local: bool| {
        let own = fits
            .iter()
            .filter(|(site, _)| (measured.sites[**site as usize].memory == Memory::Local) == is_local);
        own.fold(Fit::default(), |sum, (_, fit)| Fit {
            times: sum.times + fit.times,
            needed: sum.needed + fit.needed,
            parts: sum.parts + fit.parts,
        })
    };
    let (global, local) = (sum(false), sum(true));
    work.needed_lines = (global.parts > 0).then(|| global.needed as f64 / global.parts as f64);
    // Wide accesses need several passes anyway.
    work.bank_passes = (local.needed > 0).then(|| local.parts as f64 / local.needed as f64);
    let own = measured.counters_of(kernel);
    work.items = own.clone().next().map_or(0.0, |first| count(first as u32));
    let (mut all, mut weight) = (0.0, 0.0);
    for position in 0..own.len() {
        if let Some((part, room)) = active(measurement, position) {
            all += part * room;
            weight += room;
        }
    }
    work.active = (weight > 0.0).then(|| all / weight);
    work
}

#[cfg(test)]
mod tests {
    use super::*;
    use clvk::interface::measure::Event;

    fn site(memory: Memory, bytes: u32) -> Site {
        Site { counter: 0, access: Access::Read, memory, bytes, span: (0, 0), place: None }
    }

    fn fit(memory: Memory, bytes: u32, addresses: impl Iterator<Item = u64>) -> Fit {
        let measured = Measured { sites: vec![site(memory, bytes)], ..Measured::default() };
        let events = (0..).zip(addresses).map(|(item, value)| Event { what: 0, item, value }).collect();
        let measurement = Measurement { events, items: 32, ..Measurement::default() };
        fits(&measured, &measurement, Shape { width: 32, line: 64 })[&0]
    }

    #[test]
    fn neighbours_share_cache_lines() {
        let lines = |stride: u64| fit(Memory::Global, 4, (0..32).map(move |item| item * stride));
        assert_eq!(lines(4), Fit { times: 1, needed: 2, parts: 2 });
        assert_eq!(lines(0), Fit { times: 1, needed: 1, parts: 1 });
        assert_eq!(lines(1024), Fit { times: 1, needed: 2, parts: 32 });
    }

    #[test]
    fn words_of_one_bank_are_read_one_after_the_other() {
        let passes = |stride: u64| fit(Memory::Local, 4, (0..32).map(move |item| item * stride)).parts;
        // Neighbours, every second word, a column of a matrix, the same word, a padded column.
        assert_eq!([4, 8, 128, 0, 132].map(passes), [1, 2, 32, 1, 1]);
    }

    #[test]
    fn a_sub_group_runs_when_one_of_its_work_items_does() {
        let active = |counts: Vec<u32>, ones: Vec<u32>| {
            let samples = counts.into_iter().map(|count| vec![count]).collect();
            let sets = ones.into_iter().map(|ones| vec![ones]).collect();
            active(&Measurement { samples, sets, items: 64, width: 32, ..Measurement::default() }, 0)
        };
        assert_eq!(active(vec![1; 64], vec![1, 1]), Some((1.0, 64.0)));
        // One work-item goes round nine times, the others once.
        let mut counts = vec![1; 32];
        counts[7] = 9;
        assert_eq!(active(counts, vec![9]), Some((40.0 / 288.0, 288.0)));
        // Half of them run it in each of two rounds, but not the same half.
        assert_eq!(active(vec![1; 32], vec![2]), Some((0.5, 64.0)));
        assert_eq!(active(vec![0; 64], vec![0, 0]), None);
        // 4096 numbers leave e^-2 of 2048 bits empty.
        assert!((runs(0, 2048 - 277) - 4096.0).abs() < 20.0, "{}", runs(0, 2048 - 277));
        assert_eq!(runs(123_456, 2048), 123_456.0);
    }
}
