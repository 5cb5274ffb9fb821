//! What each source line cost: how often it ran, how many work-items were active, what it accessed.

use super::work::{Fit, Shape, active, fits};
use clvk::interface::measure::{Measured, Measurement, Memory};
use clvk::interface::sanitize::{Access, SourceRange};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A file with what its lines cost.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its lines, all of them.
    pub lines: Vec<Line>,
}

/// A source line.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// Its text.
    pub text: String,
    /// How often work-items ran it; none if it has no code.
    pub runs: Option<u64>,
    /// Operations and accesses on it, as a part of all.
    pub share: f64,
    /// Work-items that were active, as a part of their sub-groups; none if it was not sampled.
    pub active: Option<f64>,
    /// What it accesses.
    pub accesses: Vec<LineAccess>,
}

/// An access on a line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineAccess {
    /// Its text.
    pub text: String,
    /// Which memory it reaches.
    pub memory: Memory,
    /// What it does.
    pub access: Access,
    /// Bytes of all work-items.
    pub bytes: u64,
    /// Cache lines that a sub-group reaches at a time, or passes over the banks; none if it was not sampled.
    pub parts: Option<f64>,
    /// Those that are needed, as a part of these.
    pub needed: Option<f64>,
}

/// The position of a place's line in its file, from 0.
fn line_of(measured: &Measured, place: SourceRange) -> usize {
    let text = &measured.sources[place.source as usize].text;
    let before = text.as_bytes().get(..place.start as usize).unwrap_or_default();
    before.iter().filter(|&&byte| byte == b'\n').count()
}

/// The text of a place, in one line.
fn text_of(measured: &Measured, place: SourceRange) -> String {
    let text = &measured.sources[place.source as usize].text;
    let text = text.get(place.start as usize..place.end as usize).unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(60).collect()
}

/// What the lines of a launch's sources cost.
pub fn files(kernel: &str, measured: &Measured, measurement: &Measurement, shape: Shape) -> Vec<File> {
    let mut files: Vec<File> = measured
        .sources
        .iter()
        .map(|source| File {
            name: source.name.clone(),
            lines: source
                .text
                .lines()
                .map(|text| Line { text: text.to_owned(), ..Line::default() })
                .collect(),
        })
        .collect();
    let own = measured.counters_of(kernel);
    let is_own = |counter: u32| own.contains(&(counter as usize));
    let count = |counter: u32| measurement.counts.get(counter as usize).copied().unwrap_or(0);
    runs(&mut files, measured, measurement, &own);
    let costs = measured.costs.iter().filter(|cost| is_own(cost.counter));
    let cost = |counter: u32, operations: u32| count(counter) as f64 * f64::from(operations);
    let all: f64 = costs.clone().map(|it| cost(it.counter, it.operations)).sum();
    for it in costs {
        if let Some(line) = it.place.and_then(|place| line(&mut files, measured, place)) {
            line.share += cost(it.counter, it.operations) / all.max(1.0);
        }
    }
    accesses(&mut files, measured, measurement, shape, &is_own);
    files
}

fn line<'f>(files: &'f mut [File], measured: &Measured, place: SourceRange) -> Option<&'f mut Line> {
    files.get_mut(place.source as usize)?.lines.get_mut(line_of(measured, place))
}

/// The copies of a part of the source, with their counters.
type Copies = BTreeSet<(u32, u32)>;

/// How often lines ran. The parts of a line, such as the head of a `for`, may run differently often: the most
/// counts. Copies of a part, in each place where its function is called, are added.
fn runs(files: &mut [File], measured: &Measured, measurement: &Measurement, own: &Range<usize>) {
    let mut parts: BTreeMap<(u32, usize), BTreeMap<u32, Copies>> = BTreeMap::new();
    for it in &measured.lines {
        let Some(place) = it.place.filter(|_| own.contains(&(it.counter as usize))) else { continue };
        let line = parts.entry((place.source, line_of(measured, place))).or_default();
        line.entry(it.origin).or_default().insert((it.copy, it.counter));
    }
    let count = |(_, counter): &(u32, u32)| measurement.counts.get(*counter as usize).copied().unwrap_or(0);
    for ((source, number), origins) in parts {
        let Some(line) = files[source as usize].lines.get_mut(number) else { continue };
        let sum = |counters: &Copies| counters.iter().map(count).sum::<u64>();
        let Some(counters) = origins.values().max_by_key(|counters| sum(counters)) else { continue };
        line.runs = Some(sum(counters));
        let found =
            counters.iter().filter_map(|&(_, counter)| active(measurement, counter as usize - own.start));
        let (ran, room) = found.fold((0.0, 0.0), |(ran, all), (part, room)| (ran + part * room, all + room));
        line.active = (room > 0.0).then(|| ran / room);
    }
}

/// What lines access. Copies of an access are added.
fn accesses(
    files: &mut [File],
    measured: &Measured,
    measurement: &Measurement,
    shape: Shape,
    is_own: &dyn Fn(u32) -> bool,
) {
    let fits = fits(measured, measurement, shape);
    let mut found: BTreeMap<(u32, u32, u32), (LineAccess, Fit)> = BTreeMap::new();
    for (number, site) in (0..).zip(&measured.sites) {
        let Some(place) = site.place.filter(|_| is_own(site.counter)) else { continue };
        let key = (place.source, place.start, place.end << 2 | site.access as u32);
        let (access, fit) = found.entry(key).or_insert_with(|| {
            let text = text_of(measured, place);
            let (memory, access) = (site.memory, site.access);
            (LineAccess { text, memory, access, bytes: 0, parts: None, needed: None }, Fit::default())
        });
        let count = measurement.counts.get(site.counter as usize).copied().unwrap_or(0);
        access.bytes += count * u64::from(site.bytes);
        if let Some(own) = fits.get(&number) {
            fit.times += own.times;
            fit.needed += own.needed;
            fit.parts += own.parts;
        }
    }
    for ((source, start, _), (mut access, fit)) in found {
        if fit.times > 0 {
            access.parts = Some(fit.each());
            access.needed = Some(fit.needed as f64 / fit.parts.max(1) as f64);
        }
        let place = SourceRange { source, start, end: start };
        if let Some(line) = line(files, measured, place) {
            line.accesses.push(access);
        }
    }
}

impl Line {
    /// The worst of its accesses in words; empty if they are as they should be.
    pub fn remark(&self) -> String {
        let mut remarks: Vec<String> = Vec::new();
        for access in &self.accesses {
            let (Some(parts), Some(needed)) = (access.parts, access.needed) else { continue };
            if needed < 0.67 {
                let what = match access.memory {
                    Memory::Local => "passes over the banks",
                    Memory::Global | Memory::Constant => "cache lines",
                };
                let needed = parts * needed;
                remarks.push(format!("{}: {parts:.1} {what} where {needed:.1} would do", access.text));
            }
        }
        if let Some(active) = self.active.filter(|&active| active < 0.75) {
            remarks.push(format!("{:.0}% active", active * 100.0));
        }
        remarks.join("; ")
    }
}

/// The lines for a terminal: runs, share of the cost, active work-items, and the source.
pub fn text(file: &File, width: usize) -> Vec<String> {
    let mut lines =
        vec![format!("\u{1b}[1m{:>10} {:>5} {:>6}  {}\u{1b}[0m", "RUNS", "COST", "ACTIVE", file.name)];
    let code = file.lines.iter().enumerate();
    let last = code.clone().filter(|(_, line)| line.runs.is_some()).map(|(number, _)| number).max();
    let first = code.clone().find(|(_, line)| line.runs.is_some()).map(|(number, _)| number);
    let (Some(first), Some(last)) = (first, last) else { return lines };
    for (number, line) in code.take(last + 2).skip(first.saturating_sub(1)) {
        let runs = line.runs.map_or(String::new(), |runs| super::roofline::short(runs as f64));
        let share = match line.share {
            share if share >= 0.005 => format!("{:.0}%", share * 100.0),
            _ => String::new(),
        };
        let active = line.active.map_or(String::new(), |active| format!("{:.0}%", active * 100.0));
        let colour = match line.share {
            share if share >= 0.25 => "\u{1b}[31m",
            share if share >= 0.1 => "\u{1b}[33m",
            _ => "",
        };
        let head = format!("{runs:>10} {share:>5} {active:>6}  {:>4} ", number + 1);
        let room = width.saturating_sub(head.chars().count()).max(20);
        let source: String = line.text.replace('\t', "    ").chars().take(room).collect();
        let reset = if colour.is_empty() { "" } else { "\u{1b}[0m" };
        lines.push(format!("{colour}{head}{source}{reset}").trim_end().to_owned());
        let remark = line.remark();
        if !remark.is_empty() {
            lines.push(format!("{:>29} \u{1b}[36m^ {remark}\u{1b}[0m", ""));
        }
    }
    lines
}
