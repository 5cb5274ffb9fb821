//! What `run` prints.

use crate::timing::{Times, human};
use crate::verify::Outcome;
use serde::Serialize;

/// Everything that a run has to say.
#[derive(Serialize)]
pub struct Report {
    /// Kernel.
    pub kernel: String,
    /// Device.
    pub device: String,
    /// Global size.
    pub global: Vec<u64>,
    /// Work-group size, if it was given.
    pub local: Option<Vec<u64>>,
    /// Times, if asked for.
    pub times: Option<Times>,
    /// Comparisons.
    pub verified: Vec<Verified>,
    /// Elements asked for.
    pub printed: Vec<Printed>,
    /// Files written.
    pub written: Vec<String>,
}

/// A comparison.
#[derive(Serialize)]
pub struct Verified {
    /// Argument.
    pub argument: String,
    /// Whether all elements are within the tolerance.
    pub passed: bool,
    /// Elements compared.
    pub elements: usize,
    /// Elements that differ.
    pub wrong: usize,
    /// Largest difference.
    pub worst: f64,
    /// The first wrong element, for people.
    pub first_wrong: Option<String>,
}

/// Elements of an argument.
#[derive(Serialize)]
pub struct Printed {
    /// Argument.
    pub argument: String,
    /// Elements.
    pub values: Vec<String>,
}

impl Verified {
    /// From a comparison.
    pub fn new(argument: String, outcome: &Outcome) -> Self {
        Verified {
            argument,
            passed: outcome.wrong == 0,
            elements: outcome.elements,
            wrong: outcome.wrong,
            worst: outcome.worst,
            first_wrong: outcome.first_wrong.clone(),
        }
    }
}

impl Report {
    /// Whether every comparison passed.
    pub fn passed(&self) -> bool {
        self.verified.iter().all(|verified| verified.passed)
    }

    /// The text that is printed.
    pub fn text(&self, json: bool) -> String {
        if json {
            return serde_json::to_string_pretty(self).expect("a report holds only plain data");
        }
        let join = |values: &[u64]| values.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let local = self.local.as_deref().map_or("chosen".to_owned(), join);
        let mut lines =
            vec![format!("{} on {}, global {}, local {local}", self.kernel, self.device, join(&self.global))];
        if let Some(times) = &self.times {
            for (name, spread) in [("device", times.device), ("host", Some(times.host))] {
                let Some(spread) = spread else { continue };
                let (min, median) = (human(spread.min_ns), human(spread.median_ns));
                lines.push(format!("{name:<6} min {min}, median {median} of {} runs", times.runs));
            }
        }
        lines.extend(self.printed.iter().map(|it| format!("{}: {}", it.argument, it.values.join(" "))));
        lines.extend(self.written.iter().map(|file| format!("wrote {file}")));
        lines.extend(self.verified.iter().map(Verified::text));
        lines.join("\n")
    }
}

impl Verified {
    fn text(&self) -> String {
        let Verified { argument, elements, wrong, worst, .. } = self;
        match &self.first_wrong {
            None => format!("{argument}: verified, {elements} elements, largest difference {worst:.3e}"),
            Some(first) => format!(
                "{argument}: WRONG, {wrong} of {elements} elements differ, by up to {worst:.3e}; {argument}{first}"
            ),
        }
    }
}
