//! Judging: each kernel of a file on each device.

use crate::program::Source;
use clvk::interface::FeatureSet;
use clvk::survey::{Counts, Survey};
use clvk::{Compiler, DeviceProfile, Error, Object, Reason, Severity};
use indicatif::ProgressBar;
use serde::Serialize;

/// One kernel on one device.
#[derive(Clone, Serialize)]
pub struct Row {
    /// The file, as it was named.
    pub file: String,
    /// Empty if the file does not compile for the device, so that its kernels are not known.
    pub kernel: String,
    /// Empty if the file compiles for no device at all.
    pub profile: String,
    /// How the kernel runs.
    pub verdict: Verdict,
    /// What is made of other operations.
    pub emulated: Vec<Item>,
    /// About how many operations that costs, each executed instruction of the source counted once.
    pub cost: u32,
    /// Why it cannot run.
    pub reasons: Vec<Reason>,
}

/// How a kernel runs on a device, the best first.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// With what the device has.
    Runs,
    /// Some operations are made of others.
    RunsEmulated,
    /// Not at all.
    CannotRun,
}

/// Operations of one kind that are made of others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Which.
    pub what: &'static str,
    /// How many.
    pub count: usize,
}

/// What was found about a file.
pub enum Judged {
    /// Its kernels, on each device.
    Rows(Vec<Row>),
    /// It compiles for no device, for the same reason on all.
    Wrong(Error),
    /// It compiles, and has no kernels.
    Empty,
}

/// Judges the kernels of a file.
pub fn judge(file: &str, source: &Source, profiles: &[DeviceProfile], progress: &ProgressBar) -> Judged {
    let mut objects: Vec<(FeatureSet, Result<Object, Error>)> = Vec::new();
    let mut rows = Vec::new();
    for profile in profiles {
        progress.set_message(format!("{file} on {}", profile.name));
        let compiler = source.compiler(Compiler::new(profile).judging_kernels());
        let features = compiler.features();
        // What the front end gives depends on the features alone.
        if !objects.iter().any(|(known, _)| *known == features) {
            objects.push((features, source.object_quietly(&compiler)));
        }
        let (_, object) = objects.iter().find(|(known, _)| *known == features).expect("it was compiled");
        match object {
            Ok(object) => rows.extend(judge_object(file, &compiler, object)),
            Err(error) => rows.push(Row::new(file, "", &profile.name, Counts::new(), first_reason(error))),
        }
        progress.inc(1);
    }
    if let Some(error) = common_error(&mut objects) {
        return Judged::Wrong(error);
    }
    if rows.is_empty() {
        return Judged::Empty;
    }
    sort_by_kernel(&mut rows);
    Judged::Rows(rows)
}

fn judge_object(file: &str, compiler: &Compiler, object: &Object) -> Vec<Row> {
    let profile = compiler.profile();
    let judge = |kernel: &str| {
        let mut survey = Survey::new(profile);
        let compiler = compiler.clone().with_kernels([kernel]);
        let translated = compiler.translate_watched(object, |pass, module| survey.after_pass(pass, module));
        let reasons = match translated {
            Ok(program) => compiler.exceeded_limits(object, &program),
            Err(error) => error.reasons(),
        };
        let counts = survey.kernels.remove(kernel).unwrap_or_default();
        Row::new(file, kernel, &profile.name, counts, reasons)
    };
    object.kernel_names().map(judge).collect()
}

impl Row {
    fn new(file: &str, kernel: &str, profile: &str, counts: Counts, reasons: Vec<Reason>) -> Self {
        let verdict = match (reasons.is_empty(), counts.is_empty()) {
            (false, _) => Verdict::CannotRun,
            (true, false) => Verdict::RunsEmulated,
            (true, true) => Verdict::Runs,
        };
        let cost = counts.iter().map(|(kind, &count)| kind.cost().saturating_mul(count as u32)).sum();
        let emulated = counts.iter().map(|(kind, &count)| Item { what: kind.description(), count }).collect();
        let (file, kernel, profile) = (file.to_owned(), kernel.to_owned(), profile.to_owned());
        let mut row = Row { file, kernel, profile, verdict, emulated, cost, reasons: Vec::new() };
        row.reasons = distinct(reasons);
        row
    }

    /// The row of a file that compiles for no device.
    pub fn of_wrong_file(file: &str, error: &Error) -> Self {
        Row::new(file, "", "", Counts::new(), error.reasons())
    }
}

/// Each reason once, at its first place.
fn distinct(reasons: Vec<Reason>) -> Vec<Reason> {
    let mut kept: Vec<Reason> = Vec::new();
    for reason in reasons {
        if !kept.iter().any(|other| other.text == reason.text && other.remedy == reason.remedy) {
            kept.push(reason);
        }
    }
    kept
}

/// The first error of a source that does not compile for a device: what follows may be its consequence.
fn first_reason(error: &Error) -> Vec<Reason> {
    error.reasons().into_iter().take(1).collect()
}

/// The error of a file that compiles for no device, if it is the same for each.
fn common_error(objects: &mut Vec<(FeatureSet, Result<Object, Error>)>) -> Option<Error> {
    let errors_of = |object: &Result<Object, Error>| match object {
        Ok(_) => None,
        Err(error) => {
            let errors = error.list().into_iter().filter(|message| message.severity == Severity::Error);
            Some(errors.map(|message| (message.text, message.place)).collect::<Vec<_>>())
        }
    };
    let first = errors_of(&objects.first()?.1)?;
    let same = objects.iter().all(|(_, object)| errors_of(object).as_ref() == Some(&first));
    if same { objects.swap_remove(0).1.err() } else { None }
}

/// Rows of one kernel stand together, kernels in the order in which they were first seen; what concerns the
/// whole file last.
fn sort_by_kernel(rows: &mut [Row]) {
    let mut kernels: Vec<String> = Vec::new();
    for row in rows.iter() {
        if !row.kernel.is_empty() && !kernels.contains(&row.kernel) {
            kernels.push(row.kernel.clone());
        }
    }
    rows.sort_by_key(|row| kernels.iter().position(|kernel| *kernel == row.kernel).unwrap_or(kernels.len()));
}
