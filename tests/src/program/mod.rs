//! Small programs as test cases: `tests/programs/AREA/NAME.cl`, each with its launches and expected results
//! in `//!` lines at its top, and `tests/programs/spirv/NAME.spvasm`, SPIR-V as text, in lines with `;!`.
//!
//! | line | says |
//! |---|---|
//! | `//! options: -cl-std=CL3.0` | build options |
//! | `//! quirk: unsigned-extremes` | what the compiler is to avoid, whether the driver does it wrong or not |
//! | `//! prefers: wide-local-loads` | what it is compiled for, whether it is faster on the device or not |
//! | `//! needs: cl_khr_fp64` | extensions or features without which a device skips the program |
//! | `//! buffer NAME: TYPE COUNT` | a buffer that kernels write; every byte begins as [`UNWRITTEN`](crate::case::UNWRITTEN) |
//! | `//! buffer NAME: TYPE = VALUES` | a buffer with contents; several such lines for one name follow each other |
//! | `//! buffer NAME read-only: …` | a buffer with the flag `CL_MEM_READ_ONLY`, or `write-only`, or `undefined` before a launch writes it; the sanitizer alone knows |
//! | `//! launch: KERNEL(ARGUMENT, …) global 64 local 16` | a launch; sizes may be `8x4`; without `local` it is one work-group |
//! | `//! expect NAME: VALUES` | what the buffer must hold at the end; several lines for one name follow each other |
//! | `//! expect NAME: computed FUNCTION` | the same, from a function in `program/computed.rs` |
//! | `//! tolerance NAME: absolute 0 relative 1e-6 because REASON` | how far off floating-point results may be |
//! | `//! prints: TEXT` | a line that `printf` prints; the lines may come in any order |
//! | `//! spirv refused: TEXT` | compiled to SPIR-V by clang, it is refused with a message that contains the text, or right |
//! | `//! spirv differs: REASON` | clang gives it another meaning |
//! | `//! refused: TEXT` | the compiler must refuse the program with a message that contains the text; no launch is needed |
//!
//! A `TYPE` is a scalar of OpenCL C; several (`char int float`) are a record without padding. `VALUES` are
//! numbers, `0x…` bit patterns, `A..B` (B excluded) and `N*VALUE`. An `ARGUMENT` is the name of a buffer,
//! `null`, `local BYTES`, or a value: `int 5`, `float4 1 2 3 4`, and `int 5 + char 1 2` for the bytes of
//! both.
//!
//! In `tests/sanitizer`, comments at the ends of lines say what the sanitizer must report there
//! ([`expected_reports`]).
//!
//! A program may include the headers (`*.h`) of its area.
//!
//! Expected values are derived by hand or by other code, never taken from this compiler's output.

mod computed;
mod header;
mod reports;
mod values;

use crate::case::{Case, Size};
use crate::cases;
pub use reports::{ExpectedReport, expected_reports};

use clvk_interface::{Feature, Preference, Quirk};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// `AREA/NAME`.
    pub name: String,
    /// The name of its file in its area's folder.
    pub file: String,
    /// The source text.
    pub text: String,
    /// Names and texts of the headers (`*.h`) of its area, which it may include.
    pub headers: Arc<[(String, String)]>,
    /// What to run and the expected results.
    pub case: Case,
    /// What a device must offer.
    pub needs: Vec<Feature>,
    /// The driver errors that it is compiled to avoid, whether the driver has them or not.
    pub quirks: Vec<Quirk>,
    /// The preferences that it is compiled for, whether the driver has them or not.
    pub preferences: Vec<Preference>,
    /// What differs where another compiler makes SPIR-V of it.
    pub spirv: Option<FromSpirv>,
    /// Set if the compiler must refuse it, with a message that contains this.
    pub refused: Option<String>,
    /// The lines that its launches print, in any order.
    pub prints: Vec<String>,
}

/// What differs where another compiler makes SPIR-V of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromSpirv {
    /// If the module is refused, the message must contain this.
    Refused(String),
    /// The program means something else there, for this reason.
    Differs(String),
}

/// The folder of the programs. The environment variable `CLVK_PROGRAMS` overrides it.
#[must_use]
pub fn program_folder() -> PathBuf {
    match std::env::var_os("CLVK_PROGRAMS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("programs"),
    }
}

/// All programs, by name.
///
/// # Errors
/// A file that cannot be read, or whose header is wrong: its path, and the reason.
pub fn all() -> Result<Vec<Program>, String> {
    all_in(&program_folder())
}

/// The programs in the areas of a folder, by name.
///
/// # Errors
/// As for [`all`].
pub fn all_in(folder: &Path) -> Result<Vec<Program>, String> {
    let mut programs = Vec::new();
    for area in entries(folder)? {
        let files = entries(&area)?;
        let of_kind = |kind: &'static str| {
            files.iter().filter(move |path| path.extension().is_some_and(|extension| extension == kind))
        };
        let headers = of_kind("h").map(|path| Ok((name_of(path.file_name(), path)?, read(path)?)));
        let headers: Arc<[_]> = headers.collect::<Result<Vec<_>, String>>()?.into();
        for path in of_kind("cl").chain(of_kind("clcpp")).chain(of_kind("spvasm")) {
            programs.push(load(path, &headers)?);
        }
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// Programs that run as they are: those of [`all`] that need no quirk and are not refused, and the kernels of
/// `tests/kernels` at their small sizes.
///
/// # Errors
/// As for [`all`].
pub fn all_that_run() -> Result<Vec<Program>, String> {
    let mut programs = all()?;
    programs.retain(|program| program.quirks.is_empty() && program.refused.is_none());
    for definition in cases::ALL.iter().chain(cases::CXX) {
        let case = (definition.build)(Size::Small);
        let text = read(&case.source_path())?;
        let (name, file) = (format!("kernels/{}", definition.name), case.source.clone());
        programs.push(Program { name, file, text, case, ..Program::default() });
    }
    Ok(programs)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error| format!("{}: {error}", folder.display());
    let listed = std::fs::read_dir(folder).map_err(failed)?;
    listed.map(|entry| entry.map(|entry| entry.path()).map_err(failed)).collect()
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// A part of a file's path as text.
fn name_of(part: Option<&OsStr>, path: &Path) -> Result<String, String> {
    let name = part.and_then(OsStr::to_str);
    name.map(str::to_owned).ok_or_else(|| format!("{}: its name is not UTF-8", path.display()))
}

fn load(path: &Path, headers: &Arc<[(String, String)]>) -> Result<Program, String> {
    let stem = name_of(path.file_stem(), path)?;
    let area = name_of(path.parent().and_then(Path::file_name), path)?;
    let mut program = header::parse(&read(path)?).map_err(|error| format!("{}: {error}", path.display()))?;
    program.headers = Arc::clone(headers);
    program.file = name_of(path.file_name(), path)?;
    program.name = format!("{area}/{stem}");
    program.case.name = format!("{area}-{stem}");
    program.case.source = path.to_string_lossy().into_owned();
    Ok(program)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_header_is_right_and_no_program_is_right_before_it_has_run() {
        let programs = super::all().unwrap();
        assert!(!programs.is_empty());
        for program in programs {
            let case = &program.case;
            assert_eq!(case.outputs.is_empty(), program.refused.is_some(), "{}", program.name);
            let wrong = case.outputs.iter().any(|output| {
                let before = &case.resources[output.resource.0].data;
                crate::compare::verify(case, output, before).is_err()
            });
            assert!(
                wrong || program.refused.is_some(),
                "{} expects what is there before it runs",
                program.name
            );
        }
    }
}
