//! Writing to the standard streams. A reader that has seen enough (`| head`) is not an error.

use crate::cli::{MessageFormat, MessageOptions};
use crate::failure::{Failure, Result};
use clvk::{ErrorLimit, Form, Message, Messages, Severity};
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::sync::OnceLock;

/// How messages are written, as the command line says.
static OPTIONS: OnceLock<MessageOptions> = OnceLock::new();

/// Sets how messages are written. Only the first call counts.
pub fn set_message_options(options: MessageOptions) {
    let _ = OPTIONS.set(options);
}

fn options() -> MessageOptions {
    OPTIONS.get().copied().unwrap_or_default()
}

/// Writes bytes to the standard output as they are.
pub fn write(bytes: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::usage(format!("cannot write to the standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Writes a text to the standard output, with colours where it is a terminal.
pub fn show(text: impl Display) -> Result<()> {
    let mut stdout = anstream::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::usage(format!("cannot write to the standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Columns of the terminal; 100 if it is not one.
pub fn width() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0).max(40))
}

/// Columns for a table: those of the terminal, and all that it needs where there is none, so that `grep`
/// finds whole rows.
pub fn table_width() -> usize {
    if std::io::stdout().is_terminal() { width() } else { usize::MAX }
}

/// Writes a line to the standard output.
pub fn print(text: impl Display) -> Result<()> {
    write(format!("{text}\n").as_bytes())
}

/// Writes to the standard error, with colours where it is a terminal. There is nobody left to tell if that
/// fails.
pub fn tell(text: impl Display) {
    let _ = write!(anstream::stderr().lock(), "{text}");
}

/// Writes messages about sources to the standard error, in the format that the command line names.
pub fn tell_messages(messages: &Messages) {
    let options = options();
    let limit = ErrorLimit {
        errors: NonZeroUsize::new(options.error_limit),
        remedy: "show all with --error-limit 0",
    };
    match options.message_format {
        MessageFormat::Pretty => tell(messages.render(Form::Pretty { colour: true }, limit)),
        MessageFormat::Short => tell(messages.render(Form::Short, limit)),
        MessageFormat::Json => tell(messages.json_lines()),
    }
}

/// Writes a warning that belongs to no source.
pub fn warn(text: impl Display) {
    match options().message_format {
        MessageFormat::Pretty => tell(format!("\u{1b}[1;33mwarning\u{1b}[0m\u{1b}[1m:\u{1b}[0m {text}\n")),
        MessageFormat::Short => tell(format!("warning: {text}\n")),
        MessageFormat::Json => {
            tell(Message { severity: Severity::Warning, ..Message::error(text.to_string()) }.json_line())
        }
    }
}

/// Writes an error that belongs to no source.
pub fn tell_error(text: &str) {
    match options().message_format {
        MessageFormat::Pretty => tell(format!("\u{1b}[1;31merror\u{1b}[0m\u{1b}[1m:\u{1b}[0m {text}\n")),
        MessageFormat::Short => tell(format!("error: {text}\n")),
        MessageFormat::Json => tell(Message::error(text.to_owned()).json_line()),
    }
}
