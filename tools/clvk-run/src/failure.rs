//! Errors and exit codes.

use crate::console;
use clvk::runtime::ErrorKind;
use clvk::{Messages, Severity};
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

/// `1 value`, `2 values`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `1 value was given`, `2 values were given`.
pub fn given(count: usize, what: &str) -> String {
    format!("{} {} given", counted(count, what), if count == 1 { "was" } else { "were" })
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

    /// The same of something: a sentence that begins with its name, unless it does already.
    #[must_use]
    pub fn of(mut self, name: &str) -> Self {
        if let Message::Sentence(text) = &mut self.message
            && !text.starts_with(name)
        {
            text.insert_str(0, &format!("{name}: "));
        }
        self
    }

    /// The sentence, without what makes it a message.
    pub fn message(&self) -> &str {
        match &self.message {
            Message::Sentence(text) => text,
            Message::Source(_) => "messages about a source",
        }
    }

    /// The message as plain text, of a source with all its lines.
    pub fn text(&self) -> String {
        match &self.message {
            Message::Sentence(text) => format!("error: {text}"),
            Message::Source(messages) => {
                messages.render(clvk::Form::Pretty { colour: false }, clvk::ErrorLimit::default())
            }
        }
    }

    /// The message as compilers write it: a line for each error.
    pub fn plain(&self) -> String {
        match &self.message {
            Message::Sentence(text) => format!("error: {text}\n"),
            Message::Source(messages) => messages.render(clvk::Form::Short, clvk::ErrorLimit::default()),
        }
    }

    /// Prints the message and gives the exit code; with `json` also an object on the standard output.
    pub fn report(&self, json: bool) -> ExitCode {
        if json {
            // If that fails, the message below still tells.
            let _ = console::print(self.json());
        }
        match &self.message {
            Message::Sentence(text) => console::tell_error(text),
            Message::Source(messages) => console::tell_messages(messages),
        }
        ExitCode::from(self.status as u8)
    }

    /// The failure for programs.
    fn json(&self) -> String {
        let kind = match self.status {
            Status::Verification => "verification",
            Status::Usage => "usage",
            Status::Source => "source",
            Status::Device => "device",
        };
        let mut error = serde_json::json!({ "kind": kind, "exit_code": self.status as u8 });
        match &self.message {
            Message::Sentence(text) => error["message"] = text.as_str().into(),
            Message::Source(messages) => {
                let list = messages.list();
                let first = list.iter().find(|message| message.severity == Severity::Error);
                error["message"] = first.map_or("", |message| &message.text).into();
                error["messages"] = serde_json::to_value(&list).expect("messages are plain data");
            }
        }
        serde_json::to_string_pretty(&serde_json::json!({ "error": error })).expect("it is plain data")
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
        use clvk::runtime::Error as Runtime;
        let text = error.to_string();
        Failure::new(
            status,
            match error {
                clvk::Error::Runtime(Runtime::DeviceLost { .. }) => format!(
                    "{text}; `--sanitize` says where a kernel leaves its memory, and which loop does not end; \
                     with `--robust`, accesses outside of it do nothing"
                ),
                clvk::Error::Runtime(Runtime::Timeout { seconds }) => format!(
                    "the device did not finish within {seconds} s; `--sanitize=loops` says which loop does not \
                     end, if one does not, else allow more time with `--timeout`"
                ),
                clvk::Error::Runtime(error) if error.kind() == ErrorKind::Setup => {
                    format!("{text}; `clvk-run doctor` looks for the reason")
                }
                _ => text,
            },
        )
    }
}

impl From<clvk::runtime::Error> for Failure {
    fn from(error: clvk::runtime::Error) -> Self {
        clvk::Error::from(error).into()
    }
}
