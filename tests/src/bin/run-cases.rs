//! Runs the test cases on a Vulkan device: verifies them and measures their speed, as
//! `tools/opencl-reference.py` does for an OpenCL driver.

use clap::{Parser, ValueEnum};
use clvk::Compiler;
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
    /// Check for errors of these kinds (the sanitizer); a report is printed.
    #[arg(long, value_name = "KINDS", default_value = "", value_parser = Kinds::parse)]
    sanitize: Kinds,
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
    println!(
        "{:14} {:6} {:>10} {:>10} {:>9} {:>10}",
        "case", "result", "min ms", "median ms", "GB/s", "Gop/s"
    );
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
    let start = Instant::now();
    let compiler = match arguments.buffers {
        Buffers::Preferred | Buffers::Addresses => Compiler::for_device(device),
        Buffers::Descriptors => {
            Compiler::new(&device.profile().through_descriptors()).with_robustness(device.info().is_robust())
        }
    };
    let compiler = compiler.with_sanitizer(arguments.sanitize);
    let module = match arguments.buffers {
        Buffers::Preferred => pipeline::compile_preferred(&case.source, &text, &case.options, compiler)?,
        _ => pipeline::compile(&case.source, &text, &case.options, compiler)?,
    };
    row.build_seconds = start.elapsed().as_secs_f64();

    let prepared = Prepared::new(device, case, module)?;
    prepared.run()?;
    check(case, &prepared, arguments.pictures.as_deref(), row)?;
    let runs = arguments.runs;
    if runs == 0 {
        return Ok(());
    }
    let warm = Instant::now();
    while warm.elapsed().as_secs_f64() < arguments.warm_up {
        prepared.run_times(runs)?;
    }
    let mut seconds = prepared.run_times(runs)?;
    seconds.sort_by(f64::total_cmp);
    let (low, high) = (seconds[(runs - 1) / 2], seconds[runs / 2]);
    let median = (low + high) / 2.0;
    row.runs = runs;
    row.min_seconds = Some(seconds[0]);
    row.median_seconds = Some(median);
    row.gigabytes_per_second = Some(case.work.bytes as f64 / median * 1e-9);
    row.giga_operations_per_second =
        (case.work.operations > 0).then(|| case.work.operations as f64 / median * 1e-9);
    Ok(())
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
    println!(
        "{:14} {state:6} {:>10} {:>10} {:>9} {:>10}",
        row.case,
        show(row.min_seconds, 1e3, 3),
        show(row.median_seconds, 1e3, 3),
        show(row.gigabytes_per_second, 1.0, 2),
        show(row.giga_operations_per_second, 1.0, 1),
    );
    for error in &row.errors {
        println!("    {error}");
    }
}
