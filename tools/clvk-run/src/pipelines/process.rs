//! The first process: starts the second one, which compiles, again and again until all kernels are done, and
//! says for it where it crashed or did not end.

use super::row::{Outcome, Row};
use crate::cli::parse_local;
use crate::failure::{Failure, Result, Status};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// This program, even if its file has been replaced since.
const PROGRAM: &str = "/proc/self/exe";

/// Turn off the caches that drivers keep on disk: the compilers are asked, not the caches.
const NO_CACHES: [(&str, &str); 2] = [("MESA_SHADER_CACHE_DISABLE", "1"), ("__GL_SHADER_DISK_CACHE", "0")];

/// What the second process says, a line of JSON each.
#[derive(Debug, Serialize, Deserialize)]
pub enum Line {
    /// A kernel comes next.
    Begin(Row),
    /// What became of it, and of blocks that it enqueues.
    End(Vec<Row>),
    /// Another process shall continue.
    More,
}

/// The hidden command of the second process.
#[derive(Debug, Args)]
pub struct WorkerCommand {
    /// OpenCL C sources.
    pub files: Vec<PathBuf>,
    /// Index of the device.
    #[arg(long)]
    pub device: usize,
    /// The profile to compile for, as JSON; the device's own if left out.
    #[arg(long)]
    pub profile: Option<String>,
    /// Work-group size of kernels that require none.
    #[arg(long, value_parser = parse_local)]
    pub local: Option<[u32; 3]>,
    /// Kernels to skip.
    #[arg(long, default_value_t = 0)]
    pub skip: usize,
}

/// Compiles all kernels of the files on a device. `done` is called after each kernel.
pub fn compile(
    command: &WorkerCommand,
    build_options: &[String],
    timeout: Duration,
    mut done: impl FnMut(&Row),
) -> Result<Vec<Row>> {
    let (mut rows, mut skip) = (Vec::new(), 0);
    loop {
        let mut progress = Progress { kernels: 0, running: None, more: false, rows: Vec::new() };
        let ended = run(command, build_options, skip, timeout, &mut progress, &mut done)?;
        rows.append(&mut progress.rows);
        skip += progress.kernels;
        match ended {
            Ended::WithCode(0) if progress.more && progress.kernels > 0 => {}
            Ended::WithCode(0) => return Ok(rows),
            Ended::WithCode(code) if progress.running.is_none() => return Err(told(code)),
            _ => {
                let (outcome, reason) = ended.describe(timeout);
                let Some(row) = progress.running else {
                    return Err(Failure::new(
                        Status::Device,
                        format!("{reason} before a kernel was compiled"),
                    ));
                };
                let row = row.stopped(outcome, vec![reason]);
                done(&row);
                rows.push(row);
                skip += 1;
            }
        }
    }
}

/// The second process has said why it ended.
fn told(code: i32) -> Failure {
    let status = match code {
        2 => Status::Usage,
        3 => Status::Source,
        _ => Status::Device,
    };
    Failure::new(status, "no kernel was compiled; the reason is above")
}

/// How a second process ended.
enum Ended {
    WithCode(i32),
    BySignal(i32),
    TimedOut,
}

impl Ended {
    fn describe(&self, timeout: Duration) -> (Outcome, String) {
        match self {
            Ended::WithCode(code) => {
                (Outcome::Crashed, format!("the driver ended the process with the code {code}"))
            }
            Ended::BySignal(9) => {
                (Outcome::Crashed, "the process was killed, probably because memory ran out".to_owned())
            }
            Ended::BySignal(signal) => {
                let name = crate::supervise::signal_name(*signal);
                let name = name.map_or_else(|| format!("signal {signal}"), str::to_owned);
                (Outcome::Crashed, format!("the driver crashed ({name})"))
            }
            Ended::TimedOut => {
                (Outcome::TimedOut, format!("the driver did not finish within {} s", timeout.as_secs_f64()))
            }
        }
    }
}

struct Progress {
    /// Kernels that were done.
    kernels: usize,
    running: Option<Row>,
    more: bool,
    rows: Vec<Row>,
}

fn run(
    command: &WorkerCommand,
    build_options: &[String],
    skip: usize,
    timeout: Duration,
    progress: &mut Progress,
    done: &mut impl FnMut(&Row),
) -> Result<Ended> {
    let cannot = |error: std::io::Error| {
        Failure::new(Status::Device, format!("cannot start a process that compiles: {error}"))
    };
    let mut child = start(command, build_options, skip).map_err(cannot)?;
    let output = child.stdout.take().expect("it was asked for");
    let (sender, lines) = mpsc::channel();
    let reader = std::thread::Builder::new().spawn(move || {
        for line in BufReader::new(output).lines().map_while(|line| line.ok()) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    reader.map_err(cannot)?;
    loop {
        // The time is the driver's only while a kernel is compiled, but translating takes much less.
        let line = match lines.recv_timeout(timeout) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => {
                end(&mut child);
                return Ok(Ended::TimedOut);
            }
            Err(RecvTimeoutError::Disconnected) => break,
        };
        match serde_json::from_str(&line) {
            Ok(Line::Begin(row)) => progress.running = Some(row),
            Ok(Line::End(rows)) => {
                progress.running = None;
                progress.kernels += 1;
                rows.iter().for_each(&mut *done);
                progress.rows.extend(rows);
            }
            Ok(Line::More) => progress.more = true,
            // Some drivers write to the standard output.
            Err(_) => {}
        }
    }
    Ok(judge(child.wait().map_err(cannot)?))
}

fn judge(status: ExitStatus) -> Ended {
    match status.signal() {
        Some(signal) => Ended::BySignal(signal),
        None => Ended::WithCode(status.code().unwrap_or(1)),
    }
}

fn end(child: &mut Child) {
    // It may have ended by itself just now.
    let _ = child.kill();
    let _ = child.wait();
}

fn start(command: &WorkerCommand, build_options: &[String], skip: usize) -> std::io::Result<Child> {
    let mut process = Command::new(PROGRAM);
    process.arg("compile-pipelines").args(build_options);
    process.arg("--device").arg(command.device.to_string()).arg("--skip").arg(skip.to_string());
    if let Some(profile) = &command.profile {
        process.arg("--profile").arg(profile);
    }
    if let Some([x, y, z]) = command.local {
        process.arg("--local").arg(format!("{x},{y},{z}"));
    }
    for (variable, value) in NO_CACHES {
        process.env(variable, value);
    }
    process.args(&command.files).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_described() {
        let describe = |raw: i32| judge(ExitStatus::from_raw(raw)).describe(Duration::from_secs(9));
        assert_eq!(describe(11), (Outcome::Crashed, "the driver crashed (SIGSEGV)".to_owned()));
        assert_eq!(describe(50).1, "the driver crashed (signal 50)");
        assert!(describe(9).1.contains("memory ran out"));
        assert!(describe(101 << 8).1.ends_with("with the code 101"));
        let timed_out = Ended::TimedOut.describe(Duration::from_secs(9));
        assert_eq!(timed_out, (Outcome::TimedOut, "the driver did not finish within 9 s".to_owned()));
    }
}
