//! Measures how long an application waits for its first result: from `clBuildProgram` to the end of the first
//! `clFinish`, for each case of the tests, with cold caches unless asked for `--warm` ones.
//!
//! `cargo run --release -p clvk-icd --example first-result -- [--size bench] [--rounds N] [--warm]
//! [--case NAME]...`
//!
//! Each measurement is a process of its own. Between both calls it does what hosts do: it makes the buffers
//! and kernels, writes the inputs, sets the arguments and enqueues the launches. Processes with
//! `CLVK_COMPILE_THREADS=0` and without it take turns; the table has the medians. Results are verified. The
//! first columns say where the time goes without threads: `clBuildProgram`, objects and inputs, launches
//! (where most drivers compile), and `clFinish` (where lavapipe compiles).

#[path = "../tests/api/c.rs"]
#[expect(dead_code, reason = "shared with the tests, which use all of it")]
mod c;

use c::*;
use clap::{Parser, ValueEnum};
use clvk_tests::case::{Addressing, Argument, Case, Launch, ResourceKind, Size};
use clvk_tests::{cases, compare};
use opencl_sys::*;
use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::process::{Command, ExitCode};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

/// The variable that turns compilation in the background off.
const VARIABLE: &str = "CLVK_COMPILE_THREADS";
/// Set to the name of the case in the processes that measure.
const CHILD: &str = "CLVK_FIRST_RESULT";

/// Measure the time from clBuildProgram to the end of the first clFinish.
#[derive(Debug, Parser)]
struct Arguments {
    /// Which size of the cases.
    #[arg(long, value_enum, default_value = "small")]
    size: SizeArgument,
    /// Only these cases (all if none is named).
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<String>,
    /// Measurements of each case with and without threads.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Leave the choice of work-group sizes to the driver.
    #[arg(long)]
    no_local: bool,
    /// Call clFinish after each launch. The time still ends with the last one.
    #[arg(long)]
    finish_each: bool,
    /// Measure with caches on disk that a process before has filled: what is left to save there.
    #[arg(long)]
    warm: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SizeArgument {
    Small,
    Bench,
}

impl Arguments {
    fn case(&self, build: fn(Size) -> Case) -> Case {
        build(if self.size == SizeArgument::Small { Size::Small } else { Size::Bench })
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let all = || cases::ALL.iter().chain(cases::CXX);
    if let Ok(name) = std::env::var(CHILD) {
        let definition = all().find(|definition| definition.name == name).expect("a case of this name");
        return match measure(&arguments, &arguments.case(definition.build)) {
            Ok(times) => {
                println!("{}", times.map(|time| format!("{}", time.as_secs_f64() * 1e3)).join(" "));
                ExitCode::SUCCESS
            }
            Err(reason) => {
                eprintln!("{name}: {reason}");
                ExitCode::FAILURE
            }
        };
    }
    let wanted = |name: &str| arguments.cases.is_empty() || arguments.cases.iter().any(|case| case == name);
    let definitions = all().filter(|definition| wanted(definition.name));
    println!("| case | kernels | build | inputs | launch | finish | ms off | ms on | ratio |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let (mut logs, mut measured, mut sums) = (0.0, 0u32, [0.0; 2]);
    for definition in definitions {
        let kernels = names(&arguments.case(definition.build)).len();
        match in_turn(definition.name, &arguments) {
            Ok(([off, on], phases)) => {
                let phases = phases.map(|time| format!("{time:.1}")).join(" | ");
                let ratio = off / on;
                println!("| {} | {kernels} | {phases} | {off:.1} | {on:.1} | {ratio:.2} |", definition.name);
                (logs, measured) = (logs + (off / on).ln(), measured + 1);
                sums = [sums[0] + off, sums[1] + on];
            }
            Err(reason) => println!("| {} | {kernels} | {} |", definition.name, reason.trim()),
        }
    }
    let mean = (logs / f64::from(measured.max(1))).exp();
    println!("| sum; geometric mean of {measured} | | | | | | {:.1} | {:.1} | {mean:.2} |", sums[0], sums[1]);
    ExitCode::SUCCESS
}

/// The phases that are measured.
const PHASES: usize = 4;

/// The median times without threads and with them, in milliseconds, and of the phases without threads.
fn in_turn(case: &str, arguments: &Arguments) -> Result<([f64; 2], [f64; PHASES]), String> {
    let mut times: [Vec<[f64; PHASES]>; 2] = [Vec::new(), Vec::new()];
    for round in 0..2 * arguments.rounds {
        // Off, on, on, off: what slows the machine down meets both.
        let on = matches!(round % 4, 1 | 2);
        times[usize::from(on)].push(in_process(case, on, arguments.warm)?);
    }
    let total = |times: &Vec<[f64; PHASES]>| median(times.iter().map(|phases| phases.iter().sum()));
    let phases = std::array::from_fn(|phase| median(times[0].iter().map(|phases| phases[phase])));
    Ok(([total(&times[0]), total(&times[1])], phases))
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// One measurement.
fn in_process(case: &str, on: bool, warm: bool) -> Result<[f64; PHASES], String> {
    let caches = tempfile::tempdir().map_err(|error| error.to_string())?;
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(own);
    command.args(std::env::args_os().skip(1));
    command.env(CHILD, case).env("CLVK_CACHE_DIR", caches.path());
    // The caches of Mesa and of NVIDIA's driver.
    command.env("MESA_SHADER_CACHE_DISABLE", "1").env("__GL_SHADER_DISK_CACHE", "0");
    if !on {
        command.env(VARIABLE, "0");
    }
    if warm {
        command.output().map_err(|error| error.to_string())?;
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if !output.status.success() {
        return Err(text(&output.stderr).lines().last().unwrap_or("it failed").to_owned());
    }
    let line = text(&output.stdout).lines().last().unwrap_or_default().to_owned();
    let times = line.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>().unwrap_or_default();
    times.try_into().map_err(|_| "it printed no times".to_owned())
}

/// The kernels that a case launches.
fn names(case: &Case) -> Vec<&str> {
    let mut names: Vec<&str> = case.launches.iter().map(|launch| launch.kernel.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Runs a case as a host does; gives the times.
fn measure(arguments: &Arguments, case: &Case) -> Result<[Duration; PHASES], String> {
    let source = std::fs::read_to_string(case.source_path()).map_err(|error| error.to_string())?;
    let options = CString::new(case.options.join(" ")).map_err(|error| error.to_string())?;
    let session = Session::new();
    let program = session.program(&source);
    let start = Instant::now();
    // SAFETY: a text with a zero at its end.
    let status = unsafe { clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) };
    if status != CL_SUCCESS {
        return Err(format!("code {status}: {}", session.log(program).lines().next().unwrap_or_default()));
    }
    let built = start.elapsed();
    let mut kernels = BTreeMap::new();
    for name in names(case) {
        let text = CString::new(name).map_err(|error| error.to_string())?;
        kernels.insert(name, session.kernel(program, &text));
    }
    let memory: Vec<cl_mem> =
        case.resources.iter().map(|it| resource(&session, &it.kind, &it.data)).collect();
    let prepared = start.elapsed();
    for launch in &case.launches {
        let kernel = kernels[launch.kernel.as_str()];
        for (index, argument) in (0u32..).zip(&launch.arguments) {
            set_argument(&session, kernel, index, argument, &memory);
        }
        enqueue(&session, kernel, launch, !arguments.no_local)?;
        if arguments.finish_each {
            // SAFETY: the session's queue.
            ok(unsafe { clFinish(session.queue) });
        }
    }
    let launched = start.elapsed();
    // SAFETY: the session's queue.
    ok(unsafe { clFinish(session.queue) });
    let done = start.elapsed();
    for output in &case.outputs {
        let (kind, buffer) = (&case.resources[output.resource.0].kind, memory[output.resource.0]);
        let result = contents(&session, kind, buffer, output.expected.len());
        compare::verify(case, output, &result).map_err(|mismatch| mismatch.to_string())?;
    }
    Ok([built, prepared - built, launched - prepared, done - launched])
}

/// A buffer or an image with these contents.
fn resource(session: &Session, kind: &ResourceKind, data: &[u8]) -> cl_mem {
    match *kind {
        ResourceKind::Buffer { .. } => {
            let buffer = session.buffer(CL_MEM_READ_WRITE, data.len());
            let (queue, size, from) = (session.queue, data.len(), data.as_ptr().cast());
            // SAFETY: the call blocks, and the data is as long as the size says.
            ok(unsafe { clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, from, 0, null(), null_mut()) });
            buffer
        }
        ResourceKind::ImageRgba8 { width, height, .. } => {
            let format =
                cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };
            let (shape, flags) = (image_2d(width, height), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR);
            let host = data.as_ptr().cast_mut().cast();
            // SAFETY: the data has four bytes for each pixel.
            created(|e| unsafe {
                clCreateImage(session.context, flags, &raw const format, &raw const shape, host, e)
            })
        }
    }
}

fn contents(session: &Session, kind: &ResourceKind, memory: cl_mem, size: usize) -> Vec<u8> {
    let mut data = vec![0u8; size];
    let (queue, to) = (session.queue, data.as_mut_ptr().cast::<c_void>());
    // SAFETY: the calls block, and the data has room.
    ok(unsafe {
        match *kind {
            ResourceKind::Buffer { .. } => {
                clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, size, to, 0, null(), null_mut())
            }
            ResourceKind::ImageRgba8 { width, height, .. } => {
                let (origin, region) = ([0usize; 3], [width, height, 1]);
                let (origin, region) = (origin.as_ptr(), region.as_ptr());
                clEnqueueReadImage(queue, memory, CL_TRUE, origin, region, 0, 0, to, 0, null(), null_mut())
            }
        }
    });
    data
}

fn set_argument(session: &Session, kernel: cl_kernel, index: u32, argument: &Argument, memory: &[cl_mem]) {
    match argument {
        Argument::Resource(id) => set(kernel, index, &memory[id.0]),
        Argument::Null => set(kernel, index, &null_mut::<c_void>()),
        Argument::Value(bytes) => {
            // SAFETY: as many bytes as the size says.
            ok(unsafe { clSetKernelArg(kernel, index, bytes.len(), bytes.as_ptr().cast()) });
        }
        // SAFETY: local memory has no value.
        Argument::Local(size) => ok(unsafe { clSetKernelArg(kernel, index, *size, null()) }),
        Argument::Sampler(sampler) => {
            let addressing = match sampler.addressing {
                Addressing::Clamp => CL_ADDRESS_CLAMP,
                Addressing::ClampToEdge => CL_ADDRESS_CLAMP_TO_EDGE,
            };
            let filter = if sampler.linear { CL_FILTER_LINEAR } else { CL_FILTER_NEAREST };
            let normalised = u32::from(sampler.normalized);
            // SAFETY: the session's context. The sampler lives as long as the process.
            let sampler =
                created(|e| unsafe { clCreateSampler(session.context, normalised, addressing, filter, e) });
            set(kernel, index, &sampler);
        }
    }
}

fn enqueue(session: &Session, kernel: cl_kernel, launch: &Launch, with_local: bool) -> Result<(), String> {
    let or_null = |sizes: &[usize]| if sizes.is_empty() { null() } else { sizes.as_ptr() };
    let local = if with_local { or_null(&launch.local) } else { null() };
    let (global, offset) = (launch.global.as_ptr(), or_null(&launch.offset));
    let (queue, dimensions) = (session.queue, launch.global.len() as u32);
    // SAFETY: the sizes have as many elements as there are dimensions, or are null.
    let status = unsafe {
        clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, null(), null_mut())
    };
    if status == CL_SUCCESS { Ok(()) } else { Err(format!("the launch of `{}`: {status}", launch.kernel)) }
}
