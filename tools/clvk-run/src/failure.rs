//! Errors and exit codes.

use crate::console;
use clvk::Messages;
use clvk::runtime::ErrorKind;
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
    message: Message,
}

/// What happened and what to do.
#[derive(Debug)]
enum Message {
    /// A sentence.
    Sentence(String),
    /// What is wrong with a source.
    Source(Messages),
}

/// Result of most functions here.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// A failure with its message: one line, unless it quotes something.
    pub fn new(status: Status, message: impl Display) -> Self {
        Failure { status, message: Message::Sentence(message.to_string()) }
    }

    /// The user's mistake.
    pub fn usage(message: impl Display) -> Self {
        Self::new(Status::Usage, message)
    }

    /// The message.
    #[cfg(test)]
    pub fn message(&self) -> &str {
        match &self.message {
            Message::Sentence(text) => text,
            Message::Source(_) => "messages about a source",
        }
    }

    /// Prints the message and gives the exit code.
    pub fn report(&self) -> ExitCode {
        match &self.message {
            Message::Sentence(text) => console::tell_error(text),
            Message::Source(messages) => console::tell_messages(messages),
        }
        ExitCode::from(self.status as u8)
    }
}

impl From<clvk::Error> for Failure {
    fn from(error: clvk::Error) -> Self {
        if let Some(messages) = error.messages() {
            return Failure { status: Status::Source, message: Message::Source(messages.clone()) };
        }
        let status = match &error {
            clvk::Error::Runtime(error) if error.kind() != ErrorKind::Usage => Status::Device,
            _ => Status::Usage,
        };
        Failure::new(status, error)
    }
}

impl From<clvk::runtime::Error> for Failure {
    fn from(error: clvk::runtime::Error) -> Self {
        clvk::Error::from(error).into()
    }
}
