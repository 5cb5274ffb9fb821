//! Printer of module-scope items: formats of `printf`, and variables.

use super::names::Words;
use super::print::{Name, function_to_string};
use crate::{EntityId, GlobalData, Initializer, Module};
use clvk_interface::{PrintArgument, PrintFormat};
use std::fmt::{self, Display};

/// Bytes of an initialiser in each string of the text.
const BYTES_PER_LINE: usize = 48;

impl Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for format in &self.print_formats {
            write_print_format(f, format)?;
        }
        for (_, global) in self.globals.iter() {
            write_global(f, self, global)?;
        }
        for (index, (_, function)) in self.functions.iter().enumerate() {
            if index > 0 || !self.globals.is_empty() || !self.print_formats.is_empty() {
                writeln!(f)?;
            }
            f.write_str(&function_to_string(self, function))?;
        }
        Ok(())
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write_print_format(f: &mut fmt::Formatter<'_>, format: &PrintFormat) -> fmt::Result {
    match &format.text {
        Some(text) => write!(f, "print \"{}\"", hexadecimal(text))?,
        None => f.write_str("print passed")?,
    }
    for (index, argument) in format.arguments.iter().enumerate() {
        f.write_str(if index > 0 { ", " } else { " " })?;
        match argument {
            PrintArgument::Value(kind, lanes) => write!(f, "{} {lanes}", kind.word())?,
            PrintArgument::Text(bytes) => write!(f, "text \"{}\"", hexadecimal(bytes))?,
            PrintArgument::String { limit, address } => {
                write!(f, "{} {limit}", if *address { "string_or_address" } else { "string" })?;
            }
        }
    }
    writeln!(f)
}

fn write_global(f: &mut fmt::Formatter<'_>, module: &Module, global: &GlobalData) -> fmt::Result {
    write!(
        f,
        "global {}: {}{} size {} align {}",
        Name(&global.name),
        global.space.word(),
        if global.is_read_only { " read_only" } else { "" },
        global.size,
        global.align
    )?;
    match &global.initializer {
        Initializer::None => writeln!(f),
        Initializer::Zero => writeln!(f, " = zero"),
        Initializer::Bytes { bytes, relocations } => {
            f.write_str(" = bytes")?;
            for (index, chunk) in bytes.chunks(BYTES_PER_LINE).enumerate() {
                let hex = hexadecimal(chunk);
                let separator = if index > 0 || bytes.len() > BYTES_PER_LINE { "\n  " } else { " " };
                write!(f, "{separator}\"{hex}\"")?;
            }
            for relocation in &relocations[..] {
                let name = match module.globals.get(relocation.target) {
                    Some(target) => target.name.clone(),
                    None => format!("global.{}", relocation.target.index()),
                };
                write!(f, "\n  at {}: {} by {}", relocation.offset, Name(&name), relocation.addend)?;
            }
            writeln!(f)
        }
    }
}
