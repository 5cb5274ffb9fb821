//! What `run` prints.

use crate::failure::counted;
use crate::run::PlannedLaunch;
use crate::show::Shown;
use crate::timing::{Times, human};
use crate::verify::Outcome;
use serde::{Serialize, Serializer};

/// Everything that a run has to say.
#[derive(Serialize)]
pub struct Report {
    /// Device.
    pub device: String,
    /// What ran.
    #[serde(flatten, serialize_with = "launches")]
    pub launches: Vec<LaunchReport>,
    /// Times, if asked for.
    pub times: Option<Times>,
    /// Comparisons.
    pub verified: Vec<Verified>,
    /// Elements asked for.
    pub printed: Vec<Printed>,
    /// Files written.
    pub written: Vec<String>,
    /// What the sanitizer found; none if it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sanitizer: Option<Vec<clvk::Report>>,
}

/// A launch, which may be repeated.
#[derive(Default, Serialize)]
pub struct LaunchReport {
    /// Kernel.
    pub kernel: String,
    /// Global size.
    pub global: Vec<u64>,
    /// Work-group size.
    pub local: Vec<u32>,
    /// Whether clvk chose the work-group size.
    pub local_is_chosen: bool,
    /// How often it ran.
    pub runs: u64,
}

/// The members of the launch where there is one, a list where there are several.
fn launches<S: Serializer>(launches: &[LaunchReport], serializer: S) -> Result<S::Ok, S::Error> {
    match launches {
        [only] => only.serialize(serializer),
        several => serializer.collect_map([("launches", several)]),
    }
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
    pub values: Vec<Shown>,
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

impl LaunchReport {
    /// Of a launch that has not run.
    pub fn new(launch: &PlannedLaunch) -> Self {
        let dimensions = launch.config.work_dim as usize;
        let (local, local_is_chosen) = launch.local;
        LaunchReport {
            kernel: launch.kernel.name().to_owned(),
            global: launch.config.global[..dimensions].to_vec(),
            local: local[..dimensions].to_vec(),
            local_is_chosen,
            runs: 0,
        }
    }

    fn text(&self, device: &str) -> String {
        let chosen = if self.local_is_chosen { " (chosen)" } else { "" };
        let (global, local) = (join(&self.global), join(&self.local));
        let times = if self.runs > 1 { format!(", {} times", self.runs) } else { String::new() };
        format!("{} on {device}, global {global}, local {local}{chosen}{times}", self.kernel)
    }
}

fn join(values: &[impl ToString]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

impl Report {
    /// Nothing yet.
    pub fn new(device: String) -> Self {
        let (launches, verified, printed, written) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Report { device, launches, times: None, verified, printed, written, sanitizer: None }
    }

    /// Whether every comparison passed, and the sanitizer found no errors.
    pub fn passed(&self) -> bool {
        self.verified.iter().all(|verified| verified.passed)
            && self.sanitizer.iter().flatten().all(clvk::Report::is_warning)
    }

    /// The text that is printed.
    pub fn text(&self, json: bool) -> String {
        if json {
            return serde_json::to_string_pretty(self).expect("a report holds only plain data");
        }
        let mut lines: Vec<String> = self.launches.iter().map(|launch| launch.text(&self.device)).collect();
        if let Some(times) = &self.times {
            for (name, spread) in [("device", times.device), ("host", Some(times.host))] {
                let Some(spread) = spread else { continue };
                let (min, median) = (human(spread.min_ns), human(spread.median_ns));
                lines.push(format!(
                    "{name:<6} min {min}, median {median} of {}",
                    counted(times.runs as usize, "run")
                ));
            }
        }
        lines.extend(self.printed.iter().map(|it| format!("{}: {}", it.argument, spaced(&it.values))));
        lines.extend(self.written.iter().map(|file| format!("wrote {file}")));
        lines.extend(self.verified.iter().map(Verified::text));
        if self.sanitizer.as_ref().is_some_and(|reports| reports.iter().all(clvk::Report::is_warning)) {
            lines.push("the sanitizer found no errors".to_owned());
        }
        lines.join("\n")
    }
}

fn spaced(values: &[Shown]) -> String {
    values.iter().map(Shown::to_string).collect::<Vec<_>>().join(" ")
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
