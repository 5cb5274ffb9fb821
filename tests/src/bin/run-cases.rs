//! Runs the test cases on a Vulkan device: verifies them and measures their speed, as
//! `tools/opencl-reference.py` does for an OpenCL driver.

use clap::{Parser, ValueEnum};
use clvk::Compiler;
use clvk_interface::CompiledModule;
use clvk_interface::sanitize::Kinds;
use clvk_tests::case::{Case, Definition, Size};
use clvk_tests::run::Prepared;
use clvk_tests::{cases, compare, picture, pipeline};
use serde::Serialize;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use vk_runtime::{Device, DeviceOptions, Instance, InstanceOptions};

/// Run the test cases on a Vulkan device, verify and time them.
#[derive(Debug, Parser)]
struct Arguments {
    /// Which size of the cases.
    #[arg(long, value_enum, default_value = "bench")]
    size: SizeArgument,
    /// Only these cases (all if none is named).
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<String>,
    /// The cases that measure single math functions instead.
    #[arg(long)]
    math: bool,
    /// The cases in C++ for OpenCL, which do what those of the same names do.
    #[arg(long, conflicts_with = "math")]
    cxx: bool,
    /// Index or part of the name of the device.
    #[arg(long)]
    device: Option<String>,
    /// Check each access of the kernels (robust mode).
    #[arg(long)]
    robust: bool,
    /// Also measure the kernels with checks for errors of these kinds (the sanitizer), in turn with those
    /// without; a report is printed. May be given several times.
    #[arg(long, value_name = "KINDS", value_parser = Checks::parse)]
    sanitize: Vec<Checks>,
    /// How kernels reach buffers, where the device has addresses: `preferred` is what the OpenCL driver does
    /// (for cases whose kernels all have the same form).
    #[arg(long, value_enum, default_value = "preferred")]
    buffers: Buffers,
    /// Timed runs of each case.
    #[arg(long, default_value_t = 10)]
    runs: usize,
    /// Seconds for which each case runs before it is timed, so that the device leaves its power-saving state:
    /// an idle GPU takes a second or two to reach its full memory speed.
    #[arg(long, default_value_t = 3.0)]
    warm_up: f64,
    /// Write the pictures that cases make into this folder, as NAME.png.
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
    /// Also write the results here, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Kinds of errors, and how the user called them.
#[derive(Clone, Debug)]
struct Checks {
    name: String,
    kinds: Kinds,
}

impl Checks {
    fn parse(text: &str) -> Result<Checks, String> {
        Ok(Checks { name: text.to_owned(), kinds: Kinds::parse(text)? })
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SizeArgument {
    Small,
    Bench,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Buffers {
    Preferred,
    Addresses,
    Descriptors,
}

/// The result of a case. The names are those that `opencl-reference.py` writes.
#[derive(Debug, Default, Serialize)]
struct Row {
    case: String,
    verified: bool,
    errors: Vec<String>,
    build_seconds: f64,
    min_seconds: Option<f64>,
    median_seconds: Option<f64>,
    runs: usize,
    gigabytes_per_second: Option<f64>,
    giga_operations_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sanitized: Vec<Sanitized>,
}

/// A case with checks.
#[derive(Debug, Serialize)]
struct Sanitized {
    kinds: String,
    build_seconds: f64,
    min_seconds: f64,
    median_seconds: f64,
    /// To the least time without checks.
    ratio: f64,
}

#[derive(Debug, Serialize)]
struct Report {
    device: String,
    platform: &'static str,
    driver: String,
    cases: Vec<Row>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether every case was right.
fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let instance = Instance::new(&InstanceOptions::default())?;
    let info = match &arguments.device {
        Some(query) => instance.select(query)?,
        None => instance.default_device()?,
    };
    let info = if arguments.robust { info.robust() } else { info };
    let device = Device::new(&info, &DeviceOptions::default())?;
    let size = match arguments.size {
        SizeArgument::Small => Size::Small,
        SizeArgument::Bench => Size::Bench,
    };
    println!("{info}");
    let mut head = format!(
        "{:14} {:6} {:>10} {:>10} {:>9} {:>10}",
        "case", "result", "min ms", "median ms", "GB/s", "Gop/s"
    );
    for checks in &arguments.sanitize {
        head += &format!(" {:>10} {:>6}", checks.name, "ratio");
    }
    println!("{head}");
    let mut rows = Vec::new();
    let definitions = match (arguments.math, arguments.cxx) {
        (true, _) => cases::MATH,
        (_, true) => cases::CXX,
        _ => cases::ALL,
    };
    for definition in definitions {
        if arguments.cases.is_empty() || arguments.cases.iter().any(|name| name == definition.name) {
            let row = run_definition(&device, definition, size, arguments);
            print_row(&row);
            rows.push(row);
        }
    }
    let right = rows.iter().filter(|row| row.verified).count();
    println!("{right} of {} cases verified", rows.len());
    let all_right = right == rows.len();
    if let Some(path) = &arguments.json {
        let driver = info.driver().to_owned();
        let report = Report { device: info.name().to_owned(), platform: "clvk", driver, cases: rows };
        std::fs::write(path, serde_json::to_string_pretty(&report)? + "\n")?;
    }
    Ok(all_right)
}

fn run_definition(device: &Device, definition: &Definition, size: Size, arguments: &Arguments) -> Row {
    let case = (definition.build)(size);
    let mut row = Row { case: case.name.clone(), ..Row::default() };
    if let Err(error) = measure(device, &case, arguments, &mut row) {
        row.errors.push(error.to_string());
    }
    row.verified = row.errors.is_empty();
    row
}

fn measure(device: &Device, case: &Case, arguments: &Arguments, row: &mut Row) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(case.source_path())?;
    let plain = Kinds::default();
    let mut prepared = Vec::new();
    let mut build_seconds = Vec::new();
    for kinds in [plain].into_iter().chain(arguments.sanitize.iter().map(|checks| checks.kinds)) {
        let start = Instant::now();
        let module = compile(device, case, &text, arguments.buffers, kinds)?;
        build_seconds.push(start.elapsed().as_secs_f64());
        let one = Prepared::new(device, case, module)?;
        one.run()?;
        check(case, &one, arguments.pictures.as_deref(), row)?;
        prepared.push(one);
    }
    row.build_seconds = build_seconds[0];
    let runs = arguments.runs;
    if runs == 0 {
        return Ok(());
    }
    let warm = Instant::now();
    while warm.elapsed().as_secs_f64() < arguments.warm_up {
        prepared[0].run_times(runs)?;
    }
    let seconds = in_turn(&prepared, runs)?;
    let (min, median) = (seconds[0][0], median(&seconds[0]));
    row.runs = runs;
    row.min_seconds = Some(min);
    row.median_seconds = Some(median);
    row.gigabytes_per_second = Some(case.work.bytes as f64 / median * 1e-9);
    row.giga_operations_per_second =
        (case.work.operations > 0).then(|| case.work.operations as f64 / median * 1e-9);
    let checked = arguments.sanitize.iter().zip(&seconds[1..]).zip(&build_seconds[1..]);
    row.sanitized = checked
        .map(|((checks, seconds), &build_seconds)| Sanitized {
            kinds: checks.name.clone(),
            build_seconds,
            min_seconds: seconds[0],
            median_seconds: self::median(seconds),
            ratio: seconds[0] / min,
        })
        .collect();
    Ok(())
}

/// The times of each, sorted. Several are run in turn, so that what else the machine does meets all of them.
fn in_turn(prepared: &[Prepared<'_>], runs: usize) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let mut seconds = vec![Vec::new(); prepared.len()];
    let (rounds, at_once) = if prepared.len() == 1 { (1, runs) } else { (runs, 1) };
    for _ in 0..rounds {
        for (prepared, seconds) in prepared.iter().zip(&mut seconds) {
            seconds.extend(prepared.run_times(at_once)?);
        }
    }
    for seconds in &mut seconds {
        seconds.sort_by(f64::total_cmp);
    }
    Ok(seconds)
}

/// Of sorted numbers.
fn median(sorted: &[f64]) -> f64 {
    let count = sorted.len();
    f64::midpoint(sorted[(count - 1) / 2], sorted[count / 2])
}

/// Compiles a case whose kernels reach buffers in this way, with checks for errors of these kinds.
fn compile(
    device: &Device,
    case: &Case,
    text: &str,
    buffers: Buffers,
    kinds: Kinds,
) -> Result<CompiledModule, Box<dyn Error>> {
    let compiler = match buffers {
        Buffers::Preferred | Buffers::Addresses => Compiler::for_device(device),
        Buffers::Descriptors => {
            Compiler::new(&device.profile().through_descriptors()).with_robustness(device.info().is_robust())
        }
    };
    let compiler = compiler.with_sanitizer(kinds);
    Ok(match buffers {
        Buffers::Preferred => pipeline::compile_preferred(&case.source, text, &case.options, compiler)?,
        _ => pipeline::compile(&case.source, text, &case.options, compiler)?,
    })
}

/// Compares the outputs with the reference, and writes those that are pictures.
fn check(
    case: &Case,
    prepared: &Prepared<'_>,
    pictures: Option<&Path>,
    row: &mut Row,
) -> Result<(), Box<dyn Error>> {
    for output in &case.outputs {
        let result = prepared.read(output.resource.0)?;
        if let (Some(folder), Some((width, height))) = (pictures, output.picture) {
            picture::write_png(&folder.join(format!("{}.png", case.name)), width, height, &result)?;
        }
        if let Err(mismatch) = compare::verify(case, output, &result) {
            row.errors.push(mismatch.to_string());
        }
    }
    Ok(())
}

fn print_row(row: &Row) {
    let state = if row.verified { "ok" } else { "WRONG" };
    let show = |value: Option<f64>, scale: f64, digits: usize| {
        value.map_or(String::new(), |value| format!("{:.digits$}", value * scale))
    };
    let mut line = format!(
        "{:14} {state:6} {:>10} {:>10} {:>9} {:>10}",
        row.case,
        show(row.min_seconds, 1e3, 3),
        show(row.median_seconds, 1e3, 3),
        show(row.gigabytes_per_second, 1.0, 2),
        show(row.giga_operations_per_second, 1.0, 1),
    );
    for checked in &row.sanitized {
        line += &format!(" {:>10.3} {:>6.2}", checked.min_seconds * 1e3, checked.ratio);
    }
    println!("{line}");
    for error in &row.errors {
        println!("    {error}");
    }
}
