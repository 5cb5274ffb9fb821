//! Programs in OpenCL C++ 1.0: what the language and its library accept and refuse.
//!
//! The programs are in `opencl_cxx`, one file per section of the specification. A program begins with a line
//! `//# name key="value" …`; the keys are
//! - `stands-for`: the example of the specification that it does the same as,
//! - `refused`: words of the only errors that it gives,
//! - `options`: build options (`-cl-std=c++` if there are none),
//! - `without`: an extension that the device lacks.

use clvk_frontend::{NoIncludes, Options, Severity, compile};
use clvk_interface::{Feature, FeatureSet};
use std::fmt::Write as _;
use std::path::Path;

struct Program {
    name: String,
    options: Options,
    refused: Option<String>,
    /// The row of the page about the language for the example that it represents.
    row: Option<String>,
    text: String,
}

/// The value of `key="value"` in the first line of a program. Quotes are not escaped: values have none.
fn key<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    let start = line.find(&format!(" {key}=\""))? + key.len() + 3;
    line[start..].split('"').next()
}

fn programs() -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/opencl_cxx");
    let entries = std::fs::read_dir(&folder).expect("the folder of programs is readable");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
    paths.sort();
    let mut programs = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a file of programs is readable");
        let stem = path.file_stem().expect("a file's name").to_string_lossy().into_owned();
        let sections = text.strip_prefix("//# ").expect("a file begins with its first program");
        for section in sections.split("\n//# ") {
            let line = section.lines().next().expect("a program has a first line");
            let name = line.split(' ').next().expect("split gives one part at least");
            let options =
                Options::parse(key(line, "options").unwrap_or("-cl-std=c++")).expect("known options");
            let lacking = key(line, "without").map(|name| Feature::from_name(name).expect("a feature"));
            let features = FeatureSet::all().without(lacking.into_iter().collect());
            let verdict = if key(line, "refused").is_some() { "refused" } else { "accepted" };
            let row = key(line, "stands-for").map(|it| format!("| {it} | `{stem}/{name}` | {verdict} |"));
            programs.push(Program {
                name: format!("{stem}/{name}"),
                row,
                options: Options { features, ..options },
                refused: key(line, "refused").map(str::to_owned),
                text: format!("//# {section}\n"),
            });
        }
    }
    programs
}

/// What is wrong with the verdict on a program, if anything is.
fn failure(program: &Program) -> Option<String> {
    match (compile(&program.name, &program.text, &program.options, &NoIncludes), &program.refused) {
        (Ok(compilation), None) => {
            let errors = clvk_ir::verify::verify(&compilation.module).err()?;
            Some(format!("the IR does not verify: {errors:?}"))
        }
        (Ok(_), Some(words)) => Some(format!("accepted, though {words}")),
        (Err(failure), None) => Some(failure.diagnostics.render_plain(&failure.sources)),
        (Err(failure), Some(words)) => {
            let mut errors = failure.diagnostics.list().iter().filter(|it| it.severity == Severity::Error);
            let is_other = errors.any(|error| !error.message.contains(words.as_str()));
            is_other.then(|| failure.diagnostics.render_plain(&failure.sources))
        }
    }
}

#[test]
fn verdicts_are_right() {
    let mut report = String::new();
    let programs = programs();
    for program in &programs {
        if let Some(text) = failure(program) {
            writeln!(report, "== {}\n{text}", program.name).expect("a String takes everything");
        }
    }
    assert!(!programs.is_empty(), "there are no programs");
    assert!(report.is_empty(), "wrong verdicts:\n{report}");
}

#[test]
fn the_page_lists_what_programs_stand_for() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/opencl-cxx.md");
    let page = std::fs::read_to_string(path).expect("the page is readable");
    let rows: Vec<String> = programs().into_iter().filter_map(|program| program.row).collect();
    let missing: Vec<&String> = rows.iter().filter(|row| !page.lines().any(|line| line == **row)).collect();
    assert!(missing.is_empty(), "the page lacks these rows:\n{missing:#?}");
    let listed =
        page.lines().filter(|line| line.ends_with("` | accepted |") || line.ends_with("` | refused |"));
    assert_eq!(listed.count(), rows.len(), "the page has rows of programs that are not there");
}
