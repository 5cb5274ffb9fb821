//! Imports go down: crates, and the floors within them. Dependencies are used.

use crate::tree::{File, exists, files, report};
use regex::Regex;
use std::collections::BTreeSet;

/// Crates of the workspace from the ground up. A crate may depend on those of lower rows, but not on those of
/// its own row.
const CRATES: &[&[&str]] = &[
    &["clvk-cache", "clvk-interface"],
    &["clvk-ir"],
    &["clvk-frontend", "clvk-naga", "clvk-spirv", "clvk-translate"],
    &["clvk-shaders"],
    &["vk-runtime"],
    &["clvk"],
    &["clvk-run", "clvk-icd", "clvk-playground", "clvk-tests"],
];

/// Floors within a crate, from the ground up: a crate's folder and its modules. A file on one floor imports
/// nothing from a higher one.
const FLOORS: &[(&str, &[&str])] = &[
    ("vk-runtime/src", &["vulkan", "engine", "objects"]),
    ("translate/src", &["passes", "emit"]),
    ("tools/clvk-icd/src", &["object", "api"]),
];

/// Dependencies that no source file names, with their sections: they choose features of others, as their
/// comments in the manifests say.
const CHOOSES_FEATURES: &[(&str, &str)] = &[
    ("dev-dependencies", "gmp-mpfr-sys"),
    ("build-dependencies", "half"),
    ("build-dependencies", "num-traits"),
    ("build-dependencies", "serde_core"),
    ("build-dependencies", "smallvec"),
];

/// The manifests of the workspace.
fn manifests() -> impl Iterator<Item = &'static File> {
    files().iter().filter(|file| file.path.ends_with("Cargo.toml") && file.text.contains("[package]"))
}

fn package_name(manifest: &File) -> &str {
    let line =
        manifest.text.lines().find_map(|line| line.strip_prefix("name = ")).expect("packages have names");
    line.trim_matches('"')
}

/// The dependencies in these sections, with the section of each.
fn dependencies(manifest: &File) -> Vec<(&str, &str)> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.text.lines() {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']);
        } else if section.ends_with("dependencies")
            && !section.starts_with("workspace")
            && !line.starts_with('#')
            && let Some((name, _)) = line.split_once(['.', ' ', '='])
            && !name.is_empty()
        {
            found.push((section, name));
        }
    }
    found
}

fn row_of(name: &str) -> Option<usize> {
    CRATES.iter().position(|row| row.contains(&name))
}

#[test]
fn crates_depend_on_lower_crates_only() {
    let mut findings = Vec::new();
    for manifest in manifests() {
        let Some(own) = row_of(package_name(manifest)) else { continue };
        for (section, name) in dependencies(manifest) {
            // Tests may use everything, because they are on top.
            if section != "dev-dependencies" && row_of(name).is_some_and(|row| row >= own) {
                findings.push(format!("{}: {name} is not below it", manifest.path));
            }
        }
    }
    report("crates depend on lower crates only", findings);
}

#[test]
fn only_the_front_door_joins_front_end_and_translator() {
    let joins = |manifest: &&File| {
        let dependencies = dependencies(manifest);
        let has = |name| dependencies.contains(&("dependencies", name));
        has("clvk-frontend") && has("clvk-translate")
    };
    let others = manifests().filter(joins).filter(|manifest| package_name(manifest) != "clvk");
    let findings = others.map(|manifest| format!("{}: compile through the crate clvk", manifest.path));
    report("only the crate clvk joins front end and translator", findings.collect());
}

#[test]
fn floors_import_lower_floors_only() {
    let mut findings = Vec::new();
    for (folder, floors) in FLOORS {
        for (height, floor) in floors.iter().enumerate() {
            assert!(exists(&format!("{folder}/{floor}")), "{folder}/{floor} does not exist");
            let higher = floors[height + 1..].join("|");
            if higher.is_empty() {
                continue;
            }
            // The root of the crate also offers what is on the higher floors.
            let named = root_names(folder, &floors[height + 1..]);
            let higher = named.iter().fold(higher, |higher, name| format!("{higher}|{name}"));
            let upwards = Regex::new(&format!(r"\bcrate::(?:\{{[^}}]*)?(?:{higher})\b")).expect("it is one");
            let prefix = format!("{folder}/{floor}/");
            for file in files().iter().filter(|file| file.path.starts_with(&prefix)) {
                let lines = file.lines().filter(|(_, line)| !line.trim_start().starts_with("//"));
                for (number, line) in lines.filter(|(_, line)| upwards.is_match(line)) {
                    findings.push(format!("{}:{number}: {}", file.path, line.trim()));
                }
            }
        }
    }
    report("no floor imports from a higher one", findings);
}

/// What the root of a crate exports from these floors.
fn root_names(folder: &str, floors: &[&str]) -> Vec<String> {
    let root = files().iter().find(|file| file.path == format!("{folder}/lib.rs"));
    let name = Regex::new(r"\b[A-Z]\w+").expect("it is one");
    let exports = root
        .into_iter()
        .flat_map(|root| root.text.lines())
        .filter(|line| floors.iter().any(|floor| line.starts_with(&format!("pub use {floor}::"))));
    exports.flat_map(|line| name.find_iter(line)).map(|found| found.as_str().to_owned()).collect()
}

#[test]
fn dependencies_are_used() {
    let mut findings = Vec::new();
    for manifest in manifests() {
        let folder = manifest.path.trim_end_matches("Cargo.toml");
        let nested: BTreeSet<&str> = manifests()
            .map(|other| other.path.trim_end_matches("Cargo.toml"))
            .filter(|other| *other != folder && other.starts_with(folder))
            .collect();
        let sources: Vec<&File> = files()
            .iter()
            .filter(|file| file.path.starts_with(folder) && file.has_extension(&["rs"]))
            .filter(|file| !nested.iter().any(|other| file.path.starts_with(other)))
            .collect();
        for (section, name) in dependencies(manifest) {
            if CHOOSES_FEATURES.contains(&(section, name)) {
                continue;
            }
            let word = Regex::new(&format!(r"\b{}(?:::|;| as )|derive\(.*\b{0}\b", name.replace('-', "_")))
                .expect("names of packages are words");
            let is_of_section = |file: &&&File| match section {
                "build-dependencies" => file.path == format!("{folder}build.rs"),
                _ => file.path != format!("{folder}build.rs"),
            };
            if !sources.iter().filter(is_of_section).any(|file| word.is_match(&file.text)) {
                findings.push(format!("{}: {name} in [{section}] is not used", manifest.path));
            }
        }
    }
    report("every dependency is used", findings);
}
