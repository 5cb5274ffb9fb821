//! Runs a target of the fuzzers on mutants without libFuzzer, so without a nightly compiler and without
//! coverage. `docs/log/fuzzing.md` has the commands.
//!
//! A process runs mutants and names each before it begins; this one waits for it. What panics, takes too much
//! time or memory, or ends the process is a finding.

use clap::{Parser, ValueEnum};
use clvk_tests::fuzz::{Inputs, Target, feed};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The bytes that an input may have.
const SIZE: usize = 4096;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Fuzzed {
    Preprocess,
    Parse,
    Check,
    IrText,
    Compile,
    Cxx,
    Spirv,
}

impl Fuzzed {
    fn target(self) -> Target {
        match self {
            Fuzzed::Preprocess => Target::Preprocess,
            Fuzzed::Parse => Target::Parse,
            Fuzzed::Check => Target::Check,
            Fuzzed::IrText => Target::IrText,
            Fuzzed::Compile => Target::Compile,
            Fuzzed::Cxx => Target::Cxx,
            Fuzzed::Spirv => Target::Spirv,
        }
    }
}

/// Feeds mutants of this repository's programs to a target.
#[derive(Debug, Parser)]
struct Arguments {
    target: Fuzzed,
    /// The number of the first mutant.
    from: u64,
    /// The number after the last.
    to: u64,
    /// The seconds that a mutant may take.
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// The memory that a process may take, in MiB.
    #[arg(long, default_value_t = 2048)]
    memory: u64,
    /// Write the mutants that are findings into this folder.
    #[arg(long, value_name = "FOLDER")]
    failures: Option<PathBuf>,
    /// Print a mutant instead.
    #[arg(long)]
    print: bool,
    #[arg(long, hide = true)]
    worker: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.print || arguments.worker {
        // In a thread, whose stack is smaller than that of a program.
        return match std::thread::spawn(move || work(&arguments)).join() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let findings = supervise(&arguments);
    println!("{} mutants, {findings} findings", arguments.to - arguments.from);
    if findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A mutant of a mutant, up to four times; the same for the same number.
fn mutant(inputs: &Inputs, number: u64) -> Vec<u8> {
    let steps = 1 + number % 4;
    (0..steps).fold(Vec::new(), |input, step| inputs.mutate(&input, SIZE, number * 4 + step))
}

/// Names each mutant and feeds it to the target, which may end the process.
fn work(arguments: &Arguments) {
    let inputs = Inputs::read(arguments.target.target(), SIZE);
    for number in arguments.from..arguments.to {
        let input = mutant(&inputs, number);
        if arguments.print {
            std::io::stdout().write_all(&input[1..]).expect("somebody reads");
            continue;
        }
        println!("{number}");
        std::io::stdout().flush().expect("somebody reads");
        feed(arguments.target.target(), &input);
    }
}

/// Runs workers, a new one after each finding; returns how many there were.
fn supervise(arguments: &Arguments) -> usize {
    let (mut next, mut findings) = (arguments.from, 0);
    while next < arguments.to {
        let (mut worker, lines, errors) = start(arguments, next);
        let begin = Instant::now();
        let mut last = None;
        let timed_out = loop {
            match lines.recv_timeout(Duration::from_secs(arguments.timeout)) {
                Ok(number) => last = Some(number),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break false,
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => break true,
            }
        };
        if timed_out {
            worker.kill().expect("the worker is a child");
        }
        let status = worker.wait().expect("the worker is a child");
        if status.success() {
            break;
        }
        findings += 1;
        let number = last.unwrap_or(next);
        let problem = errors.join().unwrap_or_default();
        let cause = if timed_out { format!("more than {} s", arguments.timeout) } else { status.to_string() };
        println!("{number}: {cause} after {} s of the process: {problem}", begin.elapsed().as_secs());
        if let Some(folder) = &arguments.failures {
            keep(folder, arguments, number);
        }
        next = number + 1;
    }
    findings
}

/// A worker with limited memory, the numbers that it names, and the end of its messages.
fn start(arguments: &Arguments, from: u64) -> (Child, Receiver<u64>, std::thread::JoinHandle<String>) {
    let target = arguments.target.to_possible_value().expect("each target has a name");
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -c 0; ulimit -v \"$0\"; exec \"$@\""])
        .arg((arguments.memory * 1024).to_string())
        .arg(std::env::current_exe().expect("this program has a path"))
        .args([target.get_name(), &from.to_string(), &arguments.to.to_string(), "--worker"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell starts");
    let (sender, lines) = channel();
    let output = BufReader::new(child.stdout.take().expect("it is piped"));
    std::thread::spawn(move || {
        let numbers = output.lines().map_while(Result::ok).filter_map(|line| line.parse().ok());
        numbers.into_iter().try_for_each(|number| sender.send(number))
    });
    let messages = BufReader::new(child.stderr.take().expect("it is piped"));
    let errors = std::thread::spawn(move || {
        let lines: Vec<String> = messages.lines().map_while(Result::ok).collect();
        let first = lines.iter().position(|line| line.contains("panicked")).unwrap_or(0);
        lines[first..].iter().take(2).map(String::as_str).collect::<Vec<_>>().join(" ")
    });
    (child, lines, errors)
}

fn keep(folder: &Path, arguments: &Arguments, number: u64) {
    let target = arguments.target.target();
    let input = mutant(&Inputs::read(target, SIZE), number);
    let extension = if target == Target::Spirv { "spv" } else { "txt" };
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(folder.join(format!("{number}.{extension}")), &input[1..]));
    if let Err(error) = written {
        println!("{}: {error}", folder.display());
    }
}
