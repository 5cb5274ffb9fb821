//! The exact messages for common mistakes.
//!
//! The programs are in `mistakes/*.cl`, in the form of `agreement.rs`: each begins with a line `//# name`,
//! with the keys `options` (build options, `-cl-std=CL3.0` by default) and `without` (features that the
//! device lacks). The rendered messages of a file's programs are an insta snapshot in `mistakes/snapshots`;
//! programs of `pretty.cl` are rendered as for a terminal. A mistake is reported once: each program gives one
//! error, or only warnings.

use clvk_frontend::{Diagnostics, NoIncludes, Options, SourceMap, compile};
use clvk_interface::{Feature, FeatureSet};
use std::fmt::Write as _;
use std::path::Path;

/// The value of `key="value"` in the first line of a program.
fn key<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    let start = line.find(&format!(" {key}=\""))? + key.len() + 3;
    line[start..].split('"').next()
}

/// The messages for a program.
fn messages(line: &str, text: &str) -> (Diagnostics, SourceMap) {
    let options = Options::parse(key(line, "options").unwrap_or("-cl-std=CL3.0")).expect("options are right");
    let missing: Vec<&str> = key(line, "without").unwrap_or("").split(' ').collect();
    let features: FeatureSet =
        Feature::ALL.iter().copied().filter(|feature| !missing.contains(&feature.name())).collect();
    match compile("a.cl", text, &Options { features, ..options }, &NoIncludes) {
        Ok(compilation) => (compilation.diagnostics, compilation.sources),
        Err(failure) => (failure.diagnostics, failure.sources),
    }
}

/// Renders the messages for all programs of a file.
fn render(file: &str, pretty: bool) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes").join(format!("{file}.cl"));
    let text = std::fs::read_to_string(path).expect("a file of programs is readable");
    let programs = text.strip_prefix("//# ").expect("a file begins with a program").split("\n//# ");
    let (mut report, mut wrong) = (String::new(), String::new());
    for program in programs {
        let (line, text) = program.split_once('\n').expect("a program has a text");
        let (diagnostics, sources) = messages(line, text.trim_end());
        let rendered = match pretty {
            true => diagnostics.render_pretty(&sources, false),
            false => diagnostics.render_plain(&sources),
        };
        if diagnostics.error_count() > 1 {
            wrong += &format!("{file}, {line}: one mistake, more errors\n{rendered}\n");
        }
        writeln!(report, "== {line}\n{}", rendered.trim_end()).expect("a String takes everything");
    }
    assert!(wrong.is_empty(), "{wrong}");
    report
}

macro_rules! files {
    ($($name:ident $pretty:literal)*) => {$(
        #[test]
        fn $name() {
            let file = stringify!($name);
            insta::with_settings!({ snapshot_path => "mistakes/snapshots", prepend_module_to_snapshot => false }, {
                insta::assert_snapshot!(file, render(file, $pretty));
            });
        }
    )*};
}

files! {
    syntax false
    names false
    types false
    spaces false
    calls false
    kernels false
    preprocessor false
    versions false
    restrictions false
    printing false
    warnings false
    porting false
    pretty true
}
