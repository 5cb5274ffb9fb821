//! `--sweep`: work-group sizes and macros, each tried and verified against the first.

use super::sample::Distribution;
use crate::cli::{RunCommand, Size};
use crate::failure::{Failure, Result};
use crate::job::Job;
use crate::number::numbers;
use crate::program::Source;
use crate::run::execute;
use crate::run::plan::{self, Plan};
use crate::timing::human;
use crate::verify::difference;
use clvk::Device;
use clvk::interface::sanitize::Kinds;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

/// What is tried: names and values. `local` is the work-group size; all others are macros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep(Vec<(String, Vec<String>)>);

/// Most combinations.
const MOST: usize = 1000;
/// Runs of each that are measured.
const RUNS: u32 = 15;
/// A larger difference from the first result is named.
const TOLERANCE: f64 = 1e-5;

impl Sweep {
    /// Reads `local=64/128/16x16,TILE=8/16`.
    ///
    /// # Errors
    /// A sentence that says what is expected.
    pub fn parse(text: &str) -> Result<Sweep, String> {
        let mut settings = Vec::new();
        for setting in text.split(',') {
            let (name, values) = setting
                .split_once('=')
                .ok_or("settings of the form `local=64/128/16x16` or `MACRO=VALUE/VALUE` are expected")?;
            let name = name.trim().trim_start_matches("-D").to_owned();
            let values: Vec<String> = values.split('/').map(|value| value.trim().to_owned()).collect();
            if name.is_empty() || values.iter().any(String::is_empty) {
                return Err(format!("`{setting}` has no name, or an empty value"));
            }
            if name == "local" {
                values.iter().try_for_each(|value| local(value).map(drop))?;
            }
            settings.push((name, values));
        }
        let combinations = settings.iter().map(|(_, values)| values.len()).fold(1, usize::saturating_mul);
        match combinations > MOST {
            true => Err(format!("{combinations} combinations are too many: at most {MOST} are tried")),
            false => Ok(Sweep(settings)),
        }
    }

    /// All combinations, the last setting changing fastest.
    fn combinations(&self) -> Vec<Vec<(&str, &str)>> {
        let mut all = vec![Vec::new()];
        for (name, values) in &self.0 {
            let mut next: Vec<Vec<(&str, &str)>> = Vec::new();
            for combination in &all {
                for value in values {
                    let mut longer: Vec<(&str, &str)> = combination.clone();
                    longer.push((name, value));
                    next.push(longer);
                }
            }
            all = next;
        }
        all
    }
}

/// A work-group size, with `x` between its numbers.
fn local(text: &str) -> Result<Size, String> {
    crate::cli::parse_size(&text.replace('x', ","))
}

/// A combination that was tried.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// The settings.
    pub settings: String,
    /// Times.
    pub times: Option<Distribution>,
    /// The largest difference from the first combination's results, absolute below 1 and relative above.
    pub difference: f64,
    /// Why it does not run.
    pub refused: Option<String>,
}

/// Tries all combinations.
pub fn sweep(
    sweep: &Sweep,
    command: &RunCommand,
    build_options: &[String],
    device: &Device,
) -> Result<Vec<Tried>> {
    let combinations = sweep.combinations();
    let style = ProgressStyle::with_template("trying {bar:30} {pos}/{len} {msg} {eta}")
        .expect("the template is valid");
    let progress = ProgressBar::new(combinations.len() as u64).with_style(style);
    let mut first: Option<Vec<Vec<f64>>> = None;
    let mut tried = Vec::new();
    for combination in combinations {
        let settings: Vec<String> =
            combination.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let settings = settings.join(" ");
        progress.set_message(settings.clone());
        let outcome = try_one(&combination, command, build_options, device);
        tried.push(match outcome {
            Ok((times, results)) => {
                let difference = first.as_ref().map_or(0.0, |first| largest(first, &results));
                first.get_or_insert(results);
                Tried { settings, times, difference, refused: None }
            }
            Err(failure) => Tried { settings, times: None, difference: 0.0, refused: Some(failure.text()) },
        });
        progress.inc(1);
    }
    progress.finish_and_clear();
    if tried.iter().all(|it| it.refused.is_some()) {
        let reason = tried.first().and_then(|it| it.refused.clone()).unwrap_or_default();
        return Err(Failure::usage(format!("no combination runs; the first one: {reason}")));
    }
    Ok(tried)
}

/// Times and results of a combination.
type Outcome = (Option<Distribution>, Vec<Vec<f64>>);

fn try_one(
    combination: &[(&str, &str)],
    command: &RunCommand,
    build_options: &[String],
    device: &Device,
) -> Result<Outcome> {
    let (mut command, mut options) = (command.clone(), build_options.to_vec());
    for (name, value) in combination {
        match *name {
            "local" => command.local = Some(local(value).map_err(Failure::usage)?),
            name => options.push(format!("-D{name}={value}")),
        }
    }
    let job = Job::of_command(&command, &options)?;
    let read = |source: &crate::job::SourceText| Source::read(&source.path, &source.options);
    let sources: Vec<Source> = job.sources.iter().map(read).collect::<Result<_>>()?;
    let plan = plan::prepare(&job, &sources, device, Kinds::default())?;
    // The first run is the one whose results count: later ones work on what it left.
    execute::times(&plan)?;
    let results = results(&plan)?;
    let mut sums: Vec<f64> = Vec::new();
    for _ in 0..command.time.unwrap_or(RUNS) {
        let Some(times) = execute::times(&plan)? else { break };
        sums.push(times.iter().map(|(_, ns)| ns).sum());
    }
    Ok((Distribution::of(&sums), results))
}

/// What the buffers and images hold.
fn results(plan: &Plan) -> Result<Vec<Vec<f64>>> {
    let mut results = Vec::new();
    for slot in &plan.slots {
        if let Some(element) = slot.resource.element(&slot.parameter) {
            let bytes = slot.resource.contents(u64::MAX)?;
            results.push(numbers(&bytes, element.scalar).into_iter().map(|it| it.to_f64()).collect());
        }
    }
    Ok(results)
}

fn largest(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    use crate::number::Number::Float;
    let pairs = a.iter().zip(b).flat_map(|(a, b)| a.iter().zip(b));
    pairs.map(|(&a, &b)| difference(Float(b), Float(a))).fold(0.0, f64::max)
}

impl Tried {
    fn median(&self) -> f64 {
        self.times.as_ref().map_or(f64::INFINITY, |times| times.median_ns)
    }

    /// Whether its results are not those of the first combination.
    pub fn differs(&self) -> bool {
        self.difference > TOLERANCE
    }
}

/// The combinations, best first.
pub fn sorted(tried: &[Tried]) -> Vec<&Tried> {
    let mut sorted: Vec<&Tried> = tried.iter().collect();
    sorted.sort_by(|a, b| a.median().total_cmp(&b.median()));
    sorted
}

/// The combinations, best first, for a terminal.
pub fn text(tried: &[Tried]) -> Vec<String> {
    let sorted = sorted(tried);
    let width = tried.iter().map(|it| it.settings.chars().count()).max().unwrap_or(0).max(8);
    let slowest = sorted.iter().map(|it| it.median()).filter(|it| it.is_finite()).fold(0.0, f64::max);
    let mut lines =
        vec![format!("\u{1b}[1m{:<width$}  {:>10}  {:>6}\u{1b}[0m", "SETTINGS", "MEDIAN", "SPREAD")];
    for it in sorted {
        let Some(times) = &it.times else {
            let reason = it.refused.as_deref().unwrap_or("the device has no clock");
            lines.push(format!("{:<width$}  {}", it.settings, reason.lines().next().unwrap_or_default()));
            continue;
        };
        let bar = "█".repeat((times.median_ns / slowest.max(1.0) * 24.0).ceil() as usize);
        let wrong = match it.differs() {
            true => format!("  \u{1b}[31mdiffers from the first by {:.3e}\u{1b}[0m", it.difference),
            false => String::new(),
        };
        lines.push(format!(
            "{:<width$}  {:>10}  {:>5.1}%  {bar}{wrong}",
            it.settings,
            human(times.median_ns),
            times.spread() * 100.0
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_combined() {
        let sweep = Sweep::parse("local=64/8x8,-DTILE=2/4").unwrap();
        let texts: Vec<String> = sweep
            .combinations()
            .iter()
            .map(|it| it.iter().map(|(a, b)| format!("{a}={b} ")).collect())
            .collect();
        assert_eq!(texts, ["local=64 TILE=2 ", "local=64 TILE=4 ", "local=8x8 TILE=2 ", "local=8x8 TILE=4 "]);
        for wrong in ["local", "local=0", "A=", "=3", "local=ax3"] {
            assert!(Sweep::parse(wrong).is_err(), "{wrong}");
        }
        let many = ["A=1/2/3/4/5/6/7/8/9/10"; 4].join(",");
        assert!(Sweep::parse(&many).unwrap_err().contains("10000 combinations"));
    }
}
