//! Generates random programs and compares the results of implementations. `docs/log/random-programs.md` has
//! the commands.

use clap::{Args, Parser, Subcommand};
use clvk_tests::comparison::{self, Comparison, Totals};
use clvk_tests::executor::process::{Executor, Runner};
use clvk_tests::executor::protocol::{READY, Request, fingerprint};
use clvk_tests::executor::vulkan;
use clvk_tests::generator::feature::Weights;
use clvk_tests::generator::reduce::reduce;
use clvk_tests::generator::{Program, cxx, generate};
use std::io::{BufRead as _, Write as _};
use std::ops::Range;
use std::path::PathBuf;
use std::process::{Command as Process, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use vk_runtime::{Instance, InstanceOptions};

/// Random programs, run on every Vulkan device found and compared with an OpenCL driver.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the program of a seed.
    Print {
        seed: u64,
        /// As a line of JSON, with its arguments, as it is sent to implementations.
        #[arg(long)]
        request: bool,
        #[command(flatten)]
        generation: Generation,
    },
    /// Run the programs of some seeds everywhere and compare the results.
    Run {
        /// The first seed and the one after the last, as `0..100`.
        #[arg(long, value_parser = parse_range)]
        seeds: Range<u64>,
        /// How many programs to run at a time.
        #[arg(long, default_value_t = 1)]
        jobs: usize,
        /// Write the programs that fail into this folder, as SEED.cl.
        #[arg(long, value_name = "FOLDER")]
        failures: Option<PathBuf>,
        #[command(flatten)]
        generation: Generation,
        #[command(flatten)]
        implementations: Implementations,
    },
    /// Make the failing program of a seed smaller, and print it.
    Reduce {
        seed: u64,
        /// How many smaller programs to try at most.
        #[arg(long, default_value_t = 2000)]
        attempts: usize,
        #[command(flatten)]
        generation: Generation,
        #[command(flatten)]
        implementations: Implementations,
    },
    /// Print a line for each seed, from the reference alone: seed, fingerprint of the program, fingerprint of
    /// its results.
    Record {
        /// The first seed and the one after the last.
        #[arg(long, value_parser = parse_range)]
        seeds: Range<u64>,
        #[command(flatten)]
        generation: Generation,
        #[command(flatten)]
        implementations: Implementations,
    },
    /// Run the programs that come as lines of JSON on a device, and answer each.
    #[command(hide = true)]
    Worker {
        #[arg(long)]
        device: usize,
        #[command(flatten)]
        checks: CheckArguments,
        #[command(flatten)]
        assumptions: Assumptions,
    },
    /// Print the names of the usable devices, with their indices.
    Devices,
}

#[derive(Debug, Args)]
struct Generation {
    /// How often to use a feature, as NAME=WEIGHT; may be repeated.
    #[arg(long = "weight", value_name = "NAME=WEIGHT")]
    weights: Vec<String>,
    /// Programs in C++ for OpenCL.
    #[arg(long = "c++", conflicts_with = "weights")]
    cxx: bool,
}

#[derive(Debug, Args)]
struct Implementations {
    /// A Vulkan driver's manifest; may be repeated. By default, the installed drivers.
    #[arg(long = "driver", value_name = "MANIFEST")]
    drivers: Vec<PathBuf>,
    /// No Vulkan device at all.
    #[arg(long)]
    no_devices: bool,
    /// Only devices with this in their name; may be repeated.
    #[arg(long = "device", value_name = "NAME")]
    devices: Vec<String>,
    /// A command that runs programs on another OpenCL implementation, such as `tools/opencl-executor.py`,
    /// optionally preceded by a name and `=`; may be repeated. The first one counts as right where they
    /// differ.
    #[arg(long = "reference", value_name = "[NAME=]COMMAND")]
    references: Vec<String>,
    #[command(flatten)]
    checks: CheckArguments,
    #[command(flatten)]
    assumptions: Assumptions,
    /// Seconds that a program may take.
    #[arg(long, default_value_t = 120)]
    timeout: u64,
}

#[derive(Debug, Args)]
struct Assumptions {
    /// Compile as if the profile of the Vulkan device said so (VALUE is JSON), such as `int64=false` or
    /// `quirks=[]`; may be repeated.
    #[arg(long = "assume", value_name = "FIELD=VALUE")]
    assumptions: Vec<String>,
}

#[derive(Clone, Copy, Debug, Args)]
struct CheckArguments {
    /// Fail on any message from spirv-val and the Khronos validation layer.
    #[arg(long)]
    validate: bool,
    /// On devices that are CPUs, crash on an access that is less aligned than the module says.
    #[arg(long)]
    check_alignment: bool,
}

impl CheckArguments {
    /// The flags in the form in which a worker takes them.
    fn flags(self) -> impl Iterator<Item = String> {
        let flags = [(self.validate, "--validate"), (self.check_alignment, "--check-alignment")];
        flags.into_iter().filter(|(given, _)| *given).map(|(_, flag)| flag.to_owned())
    }
}

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Whether no comparison failed.
fn run(command: Command) -> Result<bool, Failure> {
    match command {
        Command::Print { seed, request, generation } => {
            let program = generation.generator()?(seed);
            if request {
                println!("{}", serde_json::to_string(&Request::of(&program))?);
            } else {
                print!("{}", program.root.to_source());
            }
            Ok(true)
        }
        Command::Run { seeds, jobs, failures, generation, implementations } => {
            let executors = implementations.executors()?;
            run_all(seeds, jobs, failures, &generation.generator()?, &executors)
        }
        Command::Reduce { seed, attempts, generation, implementations } => {
            let program = generation.generator()?(seed);
            reduce_one(&program, attempts, &implementations.executors()?)
        }
        Command::Record { seeds, generation, implementations } => {
            record(seeds, &generation.generator()?, &implementations.executors()?)
        }
        Command::Worker { device, checks, assumptions } => worker(device, checks, &assumptions.assumptions),
        Command::Devices => devices(),
    }
}

fn parse_range(text: &str) -> Result<Range<u64>, String> {
    let (start, end) = text.split_once("..").ok_or("seeds are given as START..END")?;
    let number = |text: &str| text.parse::<u64>().map_err(|error| format!("`{text}`: {error}"));
    Ok(number(start)?..number(end)?)
}

/// What makes a program of a seed.
type Generate = Box<dyn Fn(u64) -> Program + Sync>;

impl Generation {
    fn generator(&self) -> Result<Generate, String> {
        if self.cxx {
            return Ok(Box::new(cxx::generate));
        }
        let mut weights = Weights::default();
        self.weights.iter().try_for_each(|assignment| weights.set(assignment))?;
        Ok(Box::new(move |seed| generate(seed, &weights)))
    }
}

impl Implementations {
    /// How to start each one: the references first, if there are any.
    fn executors(&self) -> Result<Vec<Executor>, Failure> {
        let timeout = Duration::from_secs(self.timeout);
        let mut executors = Vec::new();
        for reference in &self.references {
            let named = reference.split_once('=').filter(|(name, _)| !name.contains(char::is_whitespace));
            let (name, command) = named.unwrap_or(("reference", reference));
            let command = command.split_whitespace().map(str::to_owned).collect();
            executors.push(Executor { name: name.to_owned(), command, environment: Vec::new(), timeout });
        }
        let installed = self.drivers.is_empty() && !self.no_devices;
        let drivers = self.drivers.iter().map(Some).chain(installed.then_some(None));
        for driver in drivers {
            executors.extend(self.devices_of(driver, timeout)?);
        }
        if executors.is_empty() {
            return Err("there is no device to run on".into());
        }
        Ok(executors)
    }

    fn devices_of(&self, driver: Option<&PathBuf>, timeout: Duration) -> Result<Vec<Executor>, Failure> {
        let program = std::env::current_exe()?.display().to_string();
        let environment: Vec<(String, String)> = driver
            .map(|manifest| manifest.canonicalize().map(|path| path.display().to_string()))
            .transpose()?
            .map(|path| {
                ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].map(|name| (name.to_owned(), path.clone())).to_vec()
            })
            .unwrap_or_default();
        let output = Process::new(&program).arg("devices").envs(environment.iter().cloned()).output()?;
        let mut executors = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let (index, name) = line.split_once(' ').ok_or("a line without a name")?;
            if self.devices.is_empty() || self.devices.iter().any(|part| name.contains(part)) {
                let mut command: Vec<String> =
                    [program.as_str(), "worker", "--device", index].map(str::to_owned).to_vec();
                command.extend(self.checks.flags());
                let assumptions = &self.assumptions.assumptions;
                command.extend(assumptions.iter().flat_map(|one| ["--assume".to_owned(), one.clone()]));
                let environment = environment.clone();
                executors.push(Executor { name: name.to_owned(), command, environment, timeout });
            }
        }
        Ok(executors)
    }
}

fn devices() -> Result<bool, Failure> {
    for (index, info) in Instance::new(&InstanceOptions::default())?.devices()?.iter().enumerate() {
        match info.unusable_reason() {
            None => println!("{index} {}", info.name()),
            Some(reason) => eprintln!("SKIPPED: {}: {reason}", info.name()),
        }
    }
    Ok(true)
}

fn worker(device: usize, checks: CheckArguments, assumptions: &[String]) -> Result<bool, Failure> {
    let checks = vulkan::Checks { validation: checks.validate, alignment: checks.check_alignment };
    let executor = vulkan::Executor::new(device, checks, assumptions)?;
    let mut output = std::io::stdout();
    writeln!(output, "{READY}")?;
    output.flush()?;
    for line in std::io::stdin().lock().lines() {
        let answer = executor.run(&serde_json::from_str(&line?)?);
        writeln!(output, "{}", serde_json::to_string(&answer)?)?;
        output.flush()?;
    }
    Ok(true)
}

fn run_all(
    seeds: Range<u64>,
    jobs: usize,
    failures: Option<PathBuf>,
    program_of: &Generate,
    executors: &[Executor],
) -> Result<bool, Failure> {
    for executor in executors {
        eprintln!("runs on: {}", executor.name);
    }
    if let Some(folder) = &failures {
        std::fs::create_dir_all(folder)?;
    }
    let next = AtomicU64::new(seeds.start);
    let totals = Mutex::new(Totals::default());
    let job = || -> Result<(), String> {
        let mut runners: Vec<Runner> = executors.iter().cloned().map(Runner::new).collect();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return Ok(());
            }
            let request = Request::of(&program_of(seed));
            let comparison = comparison::compare(&mut runners, &request)?;
            if !comparison.agreed() {
                println!("seed {seed}: {}", comparison.summary());
                if let Some(folder) = &failures {
                    let text = format!("/* {comparison}*/\n{}", request.source);
                    std::fs::write(folder.join(format!("{seed}.cl")), text)
                        .map_err(|error| error.to_string())?;
                }
            }
            totals.lock().expect("no thread panics with it").add(seed, &comparison);
        }
    };
    std::thread::scope(|scope| -> Result<(), String> {
        let threads: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(job)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("a job does not panic"))
    })?;
    let totals = totals.into_inner().expect("no thread panics with it");
    print!("{totals}");
    Ok(totals.failed() == 0)
}

fn reduce_one(program: &Program, attempts: usize, executors: &[Executor]) -> Result<bool, Failure> {
    let mut runners: Vec<Runner> = executors.iter().cloned().map(Runner::new).collect();
    let original = comparison::compare(&mut runners, &Request::of(program))?;
    if original.agreed() {
        println!("all agree on it");
        return Ok(true);
    }
    eprintln!("{original}");
    // Comparisons that fail as the first of them does, and one that is right.
    let wanted: Comparison = original;
    let mut error = None;
    let reduced = reduce(program, attempts, |candidate| {
        match comparison::compare(&mut runners, &Request::of(candidate)) {
            Ok(comparison) => comparison.resembles(&wanted),
            Err(message) => {
                error = Some(message);
                false
            }
        }
    });
    if let Some(error) = error {
        return Err(error.into());
    }
    let request = Request::of(&reduced);
    let comparison = comparison::compare(&mut runners, &request)?;
    println!(
        "/* seed {}, global {:?}, local {:?}\n{comparison}*/\n{}",
        program.seed, request.global, request.local, request.source
    );
    Ok(false)
}

fn record(seeds: Range<u64>, program_of: &Generate, executors: &[Executor]) -> Result<bool, Failure> {
    let [executor] = executors else { return Err("records are made by one implementation alone".into()) };
    let mut runner = Runner::new(executor.clone());
    let mut all_ran = true;
    for seed in seeds {
        let request = Request::of(&program_of(seed));
        runner.send(&request)?;
        let outputs = match comparison::outputs_of(runner.receive()) {
            Ok(outputs) => outputs,
            Err(failure) => {
                eprintln!("seed {seed}: {}", failure.class().unwrap_or_default());
                all_ran = false;
                continue;
            }
        };
        let (source, results) =
            (fingerprint([request.source.as_str()]), fingerprint(outputs.iter().map(String::as_str)));
        println!("{seed} {source:016x} {results:016x}");
    }
    Ok(all_ran)
}
