//! Whole programs with several mistakes each, as people make them, and all that is said about them.
//!
//! The programs are `broken/*.cl`. The first line of each, `//# …`, says what is wrong, and has the key
//! `options` (build options, `-cl-std=CL3.0` by default). The messages, as for a terminal, are insta
//! snapshots in `broken/snapshots`; `tools/beside-clang` shows clang's beside them.

use clvk_frontend::source::IncludeResolver;
use clvk_frontend::{Options, compile};
use clvk_interface::{Feature, FeatureSet};
use std::path::{Path, PathBuf};

/// The folder of the programs.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken")
}

/// Includes from the folder, by names that are the same on every machine.
struct Folder;

impl IncludeResolver for Folder {
    fn resolve(&self, name: &str, _: bool, _: &Path) -> Option<Result<(PathBuf, String), String>> {
        let text = std::fs::read_to_string(folder().join(name)).ok()?;
        Some(Ok((name.into(), text)))
    }
}

/// The messages for a program.
fn render(name: &str, text: &str) -> String {
    let head = text.lines().next().and_then(|line| line.strip_prefix("//# "));
    let head = head.unwrap_or_else(|| panic!("{name}: the first line says what is wrong"));
    let options =
        head.split_once(" options=\"").map_or("-cl-std=CL3.0", |(_, key)| key.trim_end_matches('"'));
    let options = Options::parse(options).expect("the options are right");
    let features: FeatureSet = Feature::ALL.iter().copied().collect();
    match compile(name, text, &Options { features, ..options }, &Folder) {
        Ok(compilation) => compilation.diagnostics.render_pretty(&compilation.sources, false),
        Err(failure) => failure.diagnostics.render_pretty(&failure.sources, false),
    }
}

#[test]
fn messages_are_as_reviewed() {
    let entries = std::fs::read_dir(folder()).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    let mut programs: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "cl")).collect();
    programs.sort();
    assert!(programs.len() >= 35, "{} programs", programs.len());
    for path in programs {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("names are plain");
        let text = std::fs::read_to_string(&path).expect("a program is readable");
        insta::with_settings!({ snapshot_path => "broken/snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(stem, render(&format!("{stem}.cl"), &text));
        });
    }
}
