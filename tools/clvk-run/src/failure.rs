//! Errors and exit codes.

use crate::console;
use std::fmt::Display;
use std::process::ExitCode;

/// What the process's exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A result differs from what was expected.
    Verification = 1,
    /// The command line, a file that it names or an argument is wrong.
    Usage = 2,
    /// The source is wrong, or cannot be translated for the device.
    Source = 3,
    /// The device failed.
    Device = 4,
}

/// Why the command failed.
#[derive(Debug)]
pub struct Failure {
    status: Status,
    /// What happened and what to do; empty if it has been printed already.
    message: String,
}

/// Result of most functions here.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// A failure with its message: one line, unless it quotes something.
    pub fn new(status: Status, message: impl Display) -> Self {
        Failure { status, message: message.to_string() }
    }

    /// The user's mistake.
    pub fn usage(message: impl Display) -> Self {
        Self::new(Status::Usage, message)
    }

    /// What happened has been told already.
    pub fn told(status: Status) -> Self {
        Self::new(status, "")
    }

    /// The message.
    #[cfg(test)]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Prints the message and gives the exit code.
    pub fn report(&self) -> ExitCode {
        if !self.message.is_empty() {
            console::tell(format!("\u{1b}[1;31merror\u{1b}[0m: {}\n", self.message));
        }
        ExitCode::from(self.status as u8)
    }
}

impl From<vk_runtime::Error> for Failure {
    fn from(error: vk_runtime::Error) -> Self {
        let status = match error.kind() {
            vk_runtime::ErrorKind::Usage => Status::Usage,
            vk_runtime::ErrorKind::Setup | vk_runtime::ErrorKind::Device => Status::Device,
        };
        let mut message = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            message.push_str(&format!(" ({cause})"));
            source = cause.source();
        }
        Failure { status, message }
    }
}
