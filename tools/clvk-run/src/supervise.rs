//! Runs kernels in a second process, so that a kernel that leaves its memory ends that one only.
//!
//! Drivers that run kernels on the CPU die of SIGSEGV where a GPU's would lose the device. A signal inside a
//! driver's thread cannot be handled in safe code, so `run` starts itself again, waits, and says what
//! happened. The second process tells the first through a pipe what it is about to do. Under a debugger, and
//! where there is no `/proc`, everything runs in one process.

use crate::failure::{Failure, Result, Status};
use rustix::io::{FdFlags, fcntl_setfd};
use std::fs::File;
use std::io::{BufRead, BufReader, PipeWriter, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::OnceLock;

/// Number of the pipe's end in the second process.
const PIPE: &str = "CLVK_RUN_PIPE";

/// This program, even if its file has been replaced since.
const PROGRAM: &str = "/proc/self/exe";

/// How the second process ended.
pub enum Ended {
    /// By itself: it has said everything.
    WithCode(ExitCode),
    /// By a signal.
    BySignal(Failure),
}

/// Whether this process is the second one.
pub fn is_child() -> bool {
    std::env::var_os(PIPE).is_some()
}

/// Whether to start a second process, in the first one.
pub fn is_wanted() -> bool {
    let traced = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        !status.lines().any(|line| line.split_whitespace().eq(["TracerPid:", "0"]))
    };
    !traced()
}

/// Starts this program again with the same arguments and waits for its end; `robust` says whether its kernels
/// check their accesses.
pub fn run(robust: bool) -> Result<Ended> {
    let cannot = |error: std::io::Error| {
        Failure::new(Status::Device, format!("cannot start a process for the kernels: {error}"))
    };
    let (reader, writer) = std::io::pipe().map_err(cannot)?;
    let mut child = command(&writer).map_err(cannot)?.spawn().map_err(cannot)?;
    drop(writer);
    // The pipe ends with the process.
    let mut running = None;
    let mut lines = BufReader::new(reader);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        running = Some(String::from_utf8_lossy(line.trim_ascii_end()).into_owned());
        line.clear();
    }
    let status = child.wait().map_err(cannot)?;
    Ok(judge(status, running.as_deref(), robust))
}

fn command(writer: &PipeWriter) -> std::io::Result<Command> {
    fcntl_setfd(writer, FdFlags::empty())?;
    let mut arguments = std::env::args_os();
    let mut command = Command::new(PROGRAM);
    command.arg0(arguments.next().unwrap_or_else(|| "clvk-run".into())).args(arguments);
    command.env(PIPE, writer.as_raw_fd().to_string());
    Ok(command)
}

fn judge(status: ExitStatus, running: Option<&str>, robust: bool) -> Ended {
    let Some(signal) = status.signal() else {
        let code = u8::try_from(status.code().unwrap_or(1)).unwrap_or(1);
        return Ended::WithCode(ExitCode::from(code));
    };
    if signal == KILLED {
        let message = "the process that ran the kernels was killed (SIGKILL), probably because memory ran out; use smaller \
                       buffers";
        return Ended::BySignal(Failure::new(Status::Device, message));
    }
    let Some(name) = signal_name(signal) else {
        // The user or the system ended it: the shell's way to say so.
        return Ended::WithCode(ExitCode::from(128u8.saturating_add(signal as u8)));
    };
    let message = match running {
        None => format!("the driver crashed ({name}) before a kernel ran; try another one with `--device`"),
        Some(kernel) if robust => format!(
            "the driver crashed ({name}) in the kernel `{kernel}`, although each access is checked; try another device \
             with `--device`"
        ),
        Some(kernel) => format!(
            "the kernel `{kernel}` left its memory, which crashed the driver ({name}); try `--robust`, which checks \
             each access"
        ),
    };
    Ended::BySignal(Failure::new(Status::Device, message))
}

/// The name of a signal of a process that fails by itself.
pub fn signal_name(signal: i32) -> Option<&'static str> {
    CRASHES.iter().find(|(number, _)| *number == signal).map(|(_, name)| *name)
}

/// SIGKILL, which the kernel of the system sends where memory runs out.
const KILLED: i32 = 9;

/// The signals of a process that fails by itself, as Linux numbers them.
const CRASHES: &[(i32, &str)] =
    &[(4, "SIGILL"), (5, "SIGTRAP"), (6, "SIGABRT"), (7, "SIGBUS"), (8, "SIGFPE"), (11, "SIGSEGV")];

/// Ends this process, the second one, when the first one ends, however that happens.
pub fn follow_parent() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        let _ = set_parent_process_death_signal(Some(Signal::TERM));
    }
}

/// Says that a kernel is about to run.
pub fn about_to_run(kernel: &str) {
    static WRITER: OnceLock<Option<File>> = OnceLock::new();
    let writer = WRITER.get_or_init(|| {
        let number = std::env::var(PIPE).ok()?.parse::<u32>().ok()?;
        File::options().write(true).open(format!("/proc/self/fd/{number}")).ok()
    });
    if let Some(mut writer) = writer.as_ref() {
        // Nobody is left to tell if that fails.
        let _ = writer.write_all(format!("{kernel}\n").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(signal: i32, running: Option<&str>, robust: bool) -> String {
        match judge(ExitStatus::from_raw(signal), running, robust) {
            Ended::BySignal(failure) => failure.message().to_owned(),
            Ended::WithCode(code) => format!("{code:?}"),
        }
    }

    #[test]
    fn crashes_are_blamed_on_what_was_running() {
        assert!(message(11, Some("k"), false).starts_with("the kernel `k` left its memory"));
        assert!(message(7, Some("k"), true).contains("although each access is checked"));
        assert!(message(6, None, false).contains("before a kernel ran"));
        assert!(message(9, Some("k"), false).contains("memory ran out"));
        // Ctrl-C and `kill`.
        assert_eq!(message(2, Some("k"), false), format!("{:?}", ExitCode::from(130)));
        assert_eq!(message(15, None, false), format!("{:?}", ExitCode::from(143)));
    }
}
