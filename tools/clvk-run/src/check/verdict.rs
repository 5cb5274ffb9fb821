//! Judging: each kernel of a file on each device.

use crate::parallel::in_parallel;
use crate::program::Source;
use clvk::interface::FeatureSet;
use clvk::survey::{Emulated, Survey, Use};
use clvk::{Compiler, DeviceProfile, Error, Object, Reason, Severity};
use indicatif::ProgressBar;
use serde::Serialize;
use std::collections::BTreeMap;

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
    /// Constants of type `double` that are of single precision.
    pub narrowed: Vec<Spot>,
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
    /// What the source asks in double precision is computed in single precision.
    RunsLowerPrecision,
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
    /// Where, by line.
    pub places: Vec<Spot>,
}

/// Operations on one line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Spot {
    /// Line in the source, from 1; 0 where it is not known.
    pub line: u32,
    /// How many loops are around them, one in another.
    pub loops: usize,
    /// How many operations, each counted once.
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
    let mut compilers = Vec::new();
    for profile in profiles {
        let compiler = source.compiler(Compiler::new(profile).judging_kernels());
        let features = compiler.features();
        // What the front end gives depends on the features alone.
        if !objects.iter().any(|(known, _)| *known == features) {
            objects.push((features, source.object_quietly(&compiler)));
        }
        compilers.push(compiler);
    }
    let mut rows: Vec<Row> = in_parallel(&compilers, |compiler| {
        let profile = &compiler.profile().name;
        progress.set_message(format!("{file} on {profile}"));
        let features = compiler.features();
        let (_, object) = objects.iter().find(|(known, _)| *known == features).expect("it was compiled");
        let rows = match object {
            Ok(object) => judge_object(file, compiler, object),
            Err(error) => vec![Row::new(file, "", profile, first_reason(error))],
        };
        progress.inc(1);
        rows
    })
    .concat();
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
        let mut row = Row::new(file, kernel, &profile.name, reasons);
        row.emulate(survey.kernels.remove(kernel).unwrap_or_default(), object);
        row.narrow(object.narrowed_constants(kernel).iter().map(|place| place.line));
        row
    };
    object.kernel_names().map(judge).collect()
}

impl Row {
    fn new(file: &str, kernel: &str, profile: &str, reasons: Vec<Reason>) -> Self {
        let verdict = if reasons.is_empty() { Verdict::Runs } else { Verdict::CannotRun };
        let (file, kernel, profile) = (file.to_owned(), kernel.to_owned(), profile.to_owned());
        let (emulated, narrowed, reasons) = (Vec::new(), Vec::new(), distinct(reasons));
        Row { file, kernel, profile, verdict, emulated, cost: 0, narrowed, reasons }
    }

    /// Adds what is made of other operations.
    fn emulate(&mut self, uses: Vec<Use>, object: &Object) {
        let cost = |it: &Use| it.emulated.cost();
        self.cost = uses.iter().map(cost).fold(0, u32::saturating_add);
        let mut kinds: BTreeMap<Emulated, BTreeMap<(u32, usize), usize>> = BTreeMap::new();
        for it in uses {
            let line = object.place(it.span).map_or(0, |place| place.line);
            *kinds.entry(it.emulated).or_default().entry((line, it.loops)).or_default() += 1;
        }
        let item = |(kind, lines): (Emulated, BTreeMap<(u32, usize), usize>)| Item {
            what: kind.description(),
            count: lines.values().sum(),
            places: lines.into_iter().map(|((line, loops), count)| Spot { line, loops, count }).collect(),
        };
        self.emulated = kinds.into_iter().map(item).collect();
        if !self.emulated.is_empty() {
            self.worsen(Verdict::RunsEmulated);
        }
    }

    /// Adds constants that are less precise than the source asks.
    fn narrow(&mut self, lines: impl Iterator<Item = u32>) {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        lines.for_each(|line| *counts.entry(line).or_default() += 1);
        self.narrowed = counts.into_iter().map(|(line, count)| Spot { line, loops: 0, count }).collect();
        if !self.narrowed.is_empty() {
            self.worsen(Verdict::RunsLowerPrecision);
        }
    }

    fn worsen(&mut self, verdict: Verdict) {
        self.verdict = self.verdict.max(verdict);
    }

    /// The row of a file that compiles for no device.
    pub fn of_wrong_file(file: &str, error: &Error) -> Self {
        Row::new(file, "", "", error.reasons())
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
