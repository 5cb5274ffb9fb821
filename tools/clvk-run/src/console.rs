//! Writing to the standard streams. A reader that has seen enough (`| head`) is not an error.

use crate::failure::{Failure, Result};
use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// Writes bytes to the standard output as they are.
pub fn write(bytes: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::usage(format!("cannot write to the standard output: {error}"))),
        Ok(()) => Ok(()),
    }
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
