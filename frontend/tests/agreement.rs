//! Checks the verdict on small programs that are valid or invalid according to the specification.
//!
//! The programs are in `agreement/valid` and `agreement/invalid`, those in C++ for OpenCL in
//! `agreement/cxx`, one file per section. Each program begins with a line `//# name key="value" …`; the
//! keys are
//! - `options`: build options (`-cl-std=CL3.0` if there are none, `-cl-std=CLC++2021` for C++),
//! - `differs`: why another compiler's verdict differs: the section and sentence of the specification that
//!   decides it,
//! - `unfinished`: what cannot be translated yet, as the only errors that the valid program gives.
//!
//! Those of C++ whose verdict is known to be wrong are listed in `agreement/cxx/open.txt`. Such a list
//! shrinks: a right verdict on a listed program fails, too.
//!
//! A valid program compiles without an error to IR that verifies; an invalid one gives an error.
//! `tools/agreement` compares the same programs with clang.

use clvk_frontend::{NoIncludes, Options, Severity, compile};
use clvk_interface::{Feature, FeatureSet};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// A program of the collection.
struct Program {
    /// File and name, for messages.
    name: String,
    options: Options,
    unfinished: Option<String>,
    text: String,
}

/// The value of `key="value"` in the first line of a program. Quotes are not escaped: values have none.
fn key<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    let start = line.find(&format!(" {key}=\""))? + key.len() + 3;
    line[start..].split('"').next()
}

/// Splits a file into its programs.
fn programs_of(path: &Path, default: &str) -> Vec<Program> {
    let text = std::fs::read_to_string(path).expect("a file of programs is readable");
    let stem = path.file_stem().expect("a file's name").to_string_lossy().into_owned();
    assert!(text.starts_with("//# "), "{stem}: a file begins with the line `//# name` of its first program");
    let sections = text.strip_prefix("//# ").expect("was looked at").split("\n//# ");
    let program = |section: &str| {
        let (line, _) = section.split_once('\n').unwrap_or((section, ""));
        let name = line.split(' ').next().expect("split gives one part at least");
        let options = key(line, "options").unwrap_or(default);
        // `-cl-ext=-NAME` is clang's option, for a device without an extension.
        let (lacking, options): (Vec<&str>, Vec<&str>) =
            options.split(' ').partition(|word| word.starts_with("-cl-ext=-"));
        let lacking = lacking.iter().filter_map(|word| Feature::from_name(word.strip_prefix("-cl-ext=-")?));
        let features = FeatureSet::all().without(lacking.collect());
        let options =
            Options::parse(&options.join(" ")).unwrap_or_else(|error| panic!("{stem}/{name}: {error}"));
        Program {
            name: format!("{stem}/{name}"),
            options: Options { features, ..options },
            unfinished: key(line, "unfinished").map(str::to_owned),
            // The first line stays, as a comment, so that line numbers start with it.
            text: format!("//# {section}\n"),
        }
    };
    sections.map(program).collect()
}

/// The programs of a folder, in order of their names.
fn programs(folder: &str) -> Vec<Program> {
    let default = if folder.starts_with("cxx/") { "-cl-std=CLC++2021" } else { "-cl-std=CL3.0" };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder of programs is readable");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
    paths.sort();
    let programs: Vec<Program> = paths.iter().flat_map(|path| programs_of(path, default)).collect();
    let mut names = HashSet::new();
    for program in &programs {
        assert!(names.insert(&program.name), "{} is there twice", program.name);
    }
    programs
}

/// What is wrong with the verdict on a program, if anything is.
fn failure(program: &Program, valid: bool) -> Option<String> {
    let compiled = catch_unwind(AssertUnwindSafe(|| {
        compile(&program.name, &program.text, &program.options, &NoIncludes)
    }));
    let Ok(compiled) = compiled else { return Some("the compiler panicked".into()) };
    match (compiled, valid) {
        (Ok(_), true) if program.unfinished.is_some() => Some("it compiles: `unfinished` is not true".into()),
        (Err(failure), true) if program.unfinished.is_some() => {
            let words = program.unfinished.as_deref()?;
            let mut errors = failure.diagnostics.list().iter().filter(|it| it.severity == Severity::Error);
            let others = errors.any(|error| !error.message.contains(words));
            others.then(|| failure.diagnostics.render_plain(&failure.sources))
        }
        (Ok(compilation), true) => {
            let errors = clvk_ir::verify::verify(&compilation.module).err()?;
            Some(format!("the IR does not verify: {errors:?}"))
        }
        (Err(failure), true) => Some(failure.diagnostics.render_plain(&failure.sources)),
        (Ok(_), false) => Some("accepted, though it is invalid".into()),
        (Err(_), false) => None,
    }
}

/// Reports every wrong verdict on the programs of a folder.
#[track_caller]
fn check(folder: &str, valid: bool) {
    let mut report = String::new();
    let programs = programs(folder);
    let mut failures = 0;
    for program in &programs {
        if let Some(text) = failure(program, valid) {
            failures += 1;
            writeln!(report, "== {folder}/{}\n{text}", program.name).expect("a String takes everything");
        }
    }
    assert!(failures == 0, "{failures} of {} verdicts are wrong\n{report}", programs.len());
}

#[test]
fn valid_programs_are_accepted() {
    check("valid", true);
}

#[test]
fn invalid_programs_are_refused() {
    check("invalid", false);
}

/// The names in `agreement/cxx/open.txt`: programs whose verdict is known to be wrong.
fn open() -> HashSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/cxx/open.txt");
    let text = std::fs::read_to_string(path).expect("the list of open verdicts is readable");
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn verdicts_on_cxx_are_right_but_for_the_open_ones() {
    let mut open = open();
    let mut report = String::new();
    for (folder, valid) in [("cxx/valid", true), ("cxx/invalid", false)] {
        for program in &programs(folder) {
            let name = format!("{folder}/{}", program.name);
            let listed = open.remove(&name);
            match failure(program, valid) {
                Some(text) if !listed => writeln!(report, "== {name}\n{text}"),
                None if listed => writeln!(report, "== {name}\nthe verdict is right: take it from open.txt"),
                _ => Ok(()),
            }
            .expect("a String takes everything");
        }
    }
    for name in open {
        writeln!(report, "== {name}\nis in open.txt only").expect("a String takes everything");
    }
    assert!(report.is_empty(), "wrong verdicts:\n{report}");
}
