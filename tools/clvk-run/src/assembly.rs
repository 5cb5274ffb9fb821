//! SPIR-V as text (`NAME.spvasm`), which SPIRV-Tools' assembler makes a module of.

use crate::failure::{Failure, Result, Status};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The assembler (Debian: spirv-tools).
const ASSEMBLER: &str = "spirv-as";

/// Whether a file is SPIR-V as text, by its ending.
pub fn is_text(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("spvasm"))
}

/// The module of a text. Its version is the one in the comment that disassemblers write (`; Version: 1.2`),
/// else the assembler's newest.
///
/// # Errors
/// The file cannot be read, the assembler is not installed, or it does not accept the text.
pub fn assemble(path: &Path) -> Result<Vec<u8>> {
    let name = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read `{name}`: {error}; name an existing file")))?;
    let mut command = Command::new(ASSEMBLER);
    if let Some(version) = version(&text) {
        command.args(["--target-env", &format!("spv{version}")]);
    }
    let output = command.arg(as_operand(path)).args(["-o", "-"]).output().map_err(|error| {
        Failure::usage(format!(
            "cannot assemble `{name}`: `{ASSEMBLER}` does not start ({error}); install SPIRV-Tools, or give the module as binary (`.spv`)"
        ))
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    let lines = messages.lines().map(|line| match place(line) {
        Some((line, column, problem)) => format!("{name}:{line}:{column}: {problem}"),
        None => format!("{name}: {line}"),
    });
    Err(Failure::new(Status::Source, lines.collect::<Vec<_>>().join("\n")))
}

/// The version of SPIR-V that a disassembler noted at the top.
fn version(text: &str) -> Option<&str> {
    let comments = text.lines().take_while(|line| line.starts_with(';') || line.trim().is_empty());
    let version = comments.filter_map(|line| line.strip_prefix("; Version: ")).next()?.trim();
    matches!(version.as_bytes(), [b'1', b'.', b'0'..=b'6']).then_some(version)
}

/// A file, so that it is not taken for an option.
fn as_operand(path: &Path) -> OsString {
    if path.is_absolute() { path.into() } else { PathBuf::from(".").join(path).into() }
}

/// Line, column and problem of the assembler's `error: 2: 1: PROBLEM`.
fn place(message: &str) -> Option<(u32, u32, &str)> {
    let (line, rest) = message.strip_prefix("error: ")?.split_once(": ")?;
    let (column, problem) = rest.split_once(": ")?;
    Some((line.parse().ok()?, column.parse().ok()?, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_from_the_comments_at_the_top() {
        assert_eq!(version("; SPIR-V\n; Version: 1.2\n; Bound: 9\nOpNop"), Some("1.2"));
        assert_eq!(version("OpNop\n; Version: 1.2\n"), None);
        assert_eq!(version("; Version: 9.9\n"), None);
    }

    #[test]
    fn places_are_found_in_messages() {
        assert_eq!(place("error: 2: 1: Invalid Opcode"), Some((2, 1, "Invalid Opcode")));
        assert_eq!(place("error: file: gone"), None);
    }
}
