//! Compares the names of functions and macros copied from the specification with the table of built-in
//! functions, and keeps the page `docs/reference/builtins.md` current. `CLVK_COVERAGE_WRITE=1` writes it.

use clvk_frontend::builtins::{Row, Strategy, expand, lookup, rows};
use clvk_frontend::{LanguageVersion, NoIncludes, Options, preprocess_only};
use clvk_interface::{DeviceProfile, Feature, FeatureKind, FeatureSet};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// A section of the specification: its heading, and its names as written and spelled out.
struct Section {
    heading: String,
    names: Vec<(String, Vec<String>)>,
}

fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            sections.push(Section { heading: heading.to_owned(), names: Vec::new() });
        } else if !line.starts_with('#') {
            let patterns = line.split_whitespace().map(|pattern| (pattern.to_owned(), expand(pattern)));
            let patterns: Vec<_> = patterns.collect();
            if let Some(section) = sections.last_mut() {
                section.names.extend(patterns);
            } else {
                assert!(patterns.is_empty(), "a name stands before the first heading");
            }
        }
    }
    sections
}

/// What the table says about a name: supported or not, the first version, and the features that all its rows
/// need.
fn status(name: &str) -> (bool, String) {
    let Some(builtin) = lookup(name) else {
        // An operator of the language, not a function.
        return (name == "vec_step", String::new());
    };
    let since = builtin.rows.iter().map(|row| row.since).min().expect("a name has rows");
    let needs = builtin.rows.iter().map(|row| row.needs).reduce(FeatureSet::intersection);
    let mut gates: Vec<String> = Vec::new();
    if since > LanguageVersion::C10 {
        gates.push(format!("from {since}"));
    }
    gates.extend(needs.expect("a name has rows").iter().map(|feature| format!("`{}`", feature.name())));
    (!matches!(builtin.strategy, Strategy::Unsupported), gates.join(", "))
}

/// The rows of one section, with names of the same status grouped.
fn section_rows(section: &Section) -> (String, usize, usize) {
    let (mut text, mut supported, mut all) = (String::new(), 0, 0);
    for (pattern, names) in &section.names {
        let found: Vec<(bool, String)> = names.iter().map(|name| status(name)).collect();
        all += names.len();
        supported += found.iter().filter(|(has, _)| *has).count();
        let alike = found.iter().all(|status| *status == found[0]);
        let rows: Vec<(&str, &(bool, String))> = if alike {
            vec![(pattern, &found[0])]
        } else {
            names.iter().map(String::as_str).zip(&found).collect()
        };
        for (name, (has, needs)) in rows {
            let has = if *has { "yes" } else { "**no**" };
            writeln!(text, "| `{name}` | {has} | {needs} |").expect("a string takes all");
        }
    }
    (text, supported, all)
}

/// Whether a macro is defined for a device with all features.
fn is_defined(name: &str) -> bool {
    let options =
        Options { version: LanguageVersion::C31, features: FeatureSet::all(), ..Options::default() };
    let text = format!("#ifdef {name}\nyes\n#endif\n");
    let output = preprocess_only("macro.cl", &text, &options, &NoIncludes).expect("it is right");
    output.text.contains("yes")
}

/// A row per feature, with the presets that offer it, or those that do not if they are fewer.
fn features() -> String {
    let presets: Vec<&str> = DeviceProfile::preset_names().collect();
    let offered: Vec<FeatureSet> =
        presets.iter().map(|name| FeatureSet::of(&DeviceProfile::preset(name).expect("a preset"))).collect();
    let mut text = format!("`profiles.md` says where the {} presets come from.\n\n", presets.len());
    text += "| Feature | Offered by |\n|---|---|\n";
    for kind in [FeatureKind::LanguageFeature, FeatureKind::Extension] {
        for feature in Feature::ALL.iter().filter(|feature| feature.kind() == kind) {
            let (with, without): (Vec<_>, Vec<_>) =
                presets.iter().zip(&offered).partition(|(_, set)| set.contains(*feature));
            let names = |list: &[(&&str, &FeatureSet)]| {
                list.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            };
            let presets = match (with.len(), without.len()) {
                (_, 0) => "all".to_owned(),
                (0, _) => "none".to_owned(),
                (few, more) if few <= more => names(&with),
                _ => format!("all but {}", names(&without)),
            };
            writeln!(text, "| `{}` | {presets} |", feature.name()).expect("a string takes all");
        }
    }
    text
}

fn page() -> String {
    let functions = sections(include_str!("coverage/names.txt"));
    let macros = sections(include_str!("coverage/macros.txt"));
    let (mut summary, mut body) = (String::new(), String::new());
    let (mut have, mut want) = (0, 0);
    for section in &functions {
        let (rows, supported, all) = section_rows(section);
        (have, want) = (have + supported, want + all);
        writeln!(summary, "| {} | {supported} of {all} |", section.heading).expect("a string takes all");
        write!(body, "\n## {}\n\n| Function | Supported | Needs |\n|---|---|---|\n{rows}", section.heading)
            .expect("a string takes all");
    }
    let mut constants =
        String::from("\n## Macros and constants\n\n| Section | Defined | Missing |\n|---|---|---|\n");
    for section in &macros {
        let names: Vec<&String> = section.names.iter().flat_map(|(_, names)| names).collect();
        let missing: Vec<String> =
            names.iter().filter(|name| !is_defined(name)).map(|name| format!("`{name}`")).collect();
        let defined = names.len() - missing.len();
        let line = format!("| {} | {defined} of {} | {} |", section.heading, names.len(), missing.join(" "));
        writeln!(constants, "{line}").expect("a string takes all");
    }
    format!(
        "# Built-in functions\n\n\
         Which functions of OpenCL C there are, for every type and width that the device has. Generated from the table of\n\
         built-in functions and a list of the specification's names (`frontend/tests/coverage`) by\n\
         `CLVK_COVERAGE_WRITE=1 cargo test --workspace --test coverage`; how precise they are is in `precision.md`.\n\n\
         | Section | Functions |\n|---|---|\n{summary}| all | {have} of {want} |\n{body}{constants}\n\
         ## Features of the presets\n\n{}",
        features()
    )
}

#[test]
fn the_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/builtins.md");
    let page = page();
    if std::env::var_os("CLVK_COVERAGE_WRITE").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/reference/builtins.md is not current: run CLVK_COVERAGE_WRITE=1 cargo test --workspace --test coverage"
    );
}

/// A row whose name is not in the specification is a mistake, or an extension that the list should contain.
#[test]
fn every_row_is_a_function_of_the_specification() {
    let functions = sections(include_str!("coverage/names.txt"));
    let known: BTreeSet<&str> = functions
        .iter()
        .flat_map(|section| &section.names)
        .flat_map(|(_, names)| names.iter().map(String::as_str))
        .collect();
    let unknown: BTreeSet<String> =
        rows().flat_map(Row::names).filter(|name| !known.contains(name.as_str())).collect();
    assert!(unknown.is_empty(), "not in the specification: {unknown:?}");
}

/// A row's section lists its names, or is a part of the section that does. `dot`, `clamp` and similar
/// functions have rows in several sections.
#[test]
fn rows_name_the_section_that_lists_them() {
    let functions = sections(include_str!("coverage/names.txt"));
    let mut listed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for section in &functions {
        let number = section.heading.split_once(' ').expect("a number and a title").0;
        for name in section.names.iter().flat_map(|(_, names)| names) {
            listed.entry(name).or_default().push(number);
        }
    }
    for row in rows() {
        for name in row.names() {
            let numbers = &listed[name.as_str()];
            let within =
                |number: &&str| row.section == *number || row.section.starts_with(&format!("{number}."));
            assert!(numbers.iter().any(within), "{name} is in {numbers:?}, not in {}", row.section);
        }
    }
}
