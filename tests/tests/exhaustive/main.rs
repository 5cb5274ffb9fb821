//! Tests everything that can be tested exhaustively, on every Vulkan device found: conversions among all
//! types, vector loads and stores including those of halves, and the integer functions, compared with results
//! computed here in integers.
//!
//! Types of 8 and 16 bits are tested with all their values (bytes in all pairs), wider ones with their edges
//! and random values. `CLVK_EXHAUSTIVE=1` adds what takes many minutes: every single-precision number stored
//! as a half, and through the functions of one argument. Build it with optimisations. These functions are
//! always tested where a driver is said to be precise ([`Guarantee::PreciseFunctions`]).

mod conversions;
mod every_float;
mod halves;
mod inputs;
mod integers;
mod number;
mod single_functions;
mod vectors;

use clvk_interface::{Feature, FeatureSet, Guarantee};
use clvk_tests::bench::{self, Bench, Opened, Settings};
use clvk_tests::case::Case;
use clvk_tests::run::Prepared;
use clvk_tests::{judge, pipeline};
use libtest_mimic::{Arguments, Failed, Trial};
use number::Kind;
use std::process::ExitCode;
use std::sync::Arc;

/// What the judges need to know about a device.
pub struct Device {
    /// Whether it may flush subnormal single-precision numbers to zero.
    pub flushes_float: bool,
}

/// What to run, and the judge of its results.
pub struct Job {
    /// The program.
    pub source: String,
    /// Its memory and launches.
    pub case: Case,
    /// Returns what is wrong.
    pub judge: Box<Judge>,
}

/// From the contents of all resources of the case and the device to a list of what is wrong.
type Judge = dyn Fn(&[Vec<u8>], &Device) -> Vec<String>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("the exhaustive tests cannot run: {error}");
            ExitCode::FAILURE
        }
    }
}

type Make = Box<dyn FnOnce() -> Job + Send>;

type Test = dyn FnOnce(&Bench) -> Result<(), Failed> + Send;

/// The jobs for a device with these types.
fn jobs(kinds: &[Kind], features: &FeatureSet) -> Vec<(String, Make)> {
    let mut jobs: Vec<(String, Make)> = Vec::new();
    let generic = features.contains(Feature::GenericAddressSpace);
    for (index, &kind) in kinds.iter().enumerate() {
        let all = kinds.to_vec();
        jobs.push((format!("convert/{}", kind.name), Box::new(move || conversions::job(index, &all))));
        jobs.push((format!("vectors/{}", kind.name), Box::new(move || vectors::job(kind, generic))));
        if !kind.is_float() {
            jobs.push((format!("integers/{}", kind.name), Box::new(move || integers::job(kind))));
        }
    }
    for lanes in halves::LANES {
        for aligned in [false, true] {
            if lanes > 1 || !aligned {
                let form = halves::Form { lanes, aligned, generic };
                jobs.push((form.load(), Box::new(move || halves::loads(form))));
                for &from in kinds.iter().filter(|kind| matches!(kind.name, "float" | "double")) {
                    let name = format!("{}/{}", form.store(), from.name);
                    jobs.push((name, Box::new(move || halves::stores(form, from))));
                }
            }
        }
    }
    jobs
}

fn trials() -> Result<Vec<Trial>, vk_runtime::Error> {
    let mut trials = vec![Trial::test("reference", || number::check_reference().map_err(Failed::from))];
    for (index, info) in judge::devices()? {
        let Some(profile) = info.profile() else { continue };
        let features = FeatureSet::of(profile);
        let bench: Opened<Bench> = Arc::default();
        let device = bench::short_name(info.name());
        for (name, make) in jobs(&number::offered(&features), &features) {
            let bench = Arc::clone(&bench);
            trials.push(Trial::test(format!("{device}/{name}"), move || {
                run(bench.get_or_init(|| Bench::new(index, &Settings::default())).as_ref()?, &make())
            }));
        }
        let mut on_device = |name: String, test: Box<Test>| {
            let bench = Arc::clone(&bench);
            trials.push(Trial::test(format!("{device}/{name}"), move || {
                test(bench.get_or_init(|| Bench::new(index, &Settings::default())).as_ref()?)
            }));
        };
        let everything = std::env::var_os("CLVK_EXHAUSTIVE").is_some();
        if everything {
            on_device("every-float".to_owned(), Box::new(every_float::run));
        }
        if features.contains(Feature::Fp64) && (everything || profile.gives(Guarantee::PreciseFunctions)) {
            on_device("every-float/can-fail".to_owned(), Box::new(single_functions::can_fail));
            for &function in single_functions::FUNCTIONS {
                let test = move |bench: &Bench| single_functions::run(bench, function);
                on_device(format!("every-float/{function}"), Box::new(test));
            }
        }
    }
    Ok(trials)
}

/// The number of wrong results that are shown.
const EXAMPLES: usize = 8;

fn run(bench: &Bench, job: &Job) -> Result<(), Failed> {
    let profile = bench.device.profile();
    let module = pipeline::compile(&job.case.source, &job.source, &job.case.options, profile)?;
    judge::validate(&module, profile)?;
    let results: Vec<Vec<u8>> = bench.exclusively(|| {
        let prepared = Prepared::new(&bench.device, &job.case, module)?;
        prepared.run()?;
        let all = 0..job.case.resources.len();
        Ok(all.map(|index| prepared.read(index)).collect::<Result<_, _>>()?)
    })?;
    let wrong = (job.judge)(&results, &Device { flushes_float: !profile.denorm_preserve_f32 });
    if wrong.is_empty() {
        return Ok(());
    }
    let shown = wrong.iter().take(EXAMPLES).cloned().collect::<Vec<_>>().join("\n  ");
    Err(format!("{} results are wrong:\n  {shown}", wrong.len()).into())
}
