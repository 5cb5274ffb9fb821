//! The floors of the crate: `vulkan` below `engine` below `objects`. Imports go down only.

use std::error::Error;
use std::path::{Path, PathBuf};

/// The floors, from the lowest one on.
const FLOORS: [&str; 3] = ["vulkan", "engine", "objects"];

/// The files in a folder and its folders.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

/// The lines of code of a file, with their numbers: no comments.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(n, line)| (n + 1, line))
}

/// What follows each `crate::` of a line, up to the end of the name.
fn paths_from_the_root(line: &str) -> impl Iterator<Item = &str> {
    line.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn imports_go_down_only() -> Result<(), Box<dyn Error>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (height, floor) in FLOORS.iter().enumerate() {
        let (allowed, mut imports) = (&FLOORS[..=height], 0);
        for path in files(&source.join(floor))? {
            let text = std::fs::read_to_string(&path)?;
            for (number, line) in code(&text) {
                let place = || format!("{}:{number}", path.display());
                for target in paths_from_the_root(line) {
                    imports += 1;
                    assert!(allowed.contains(&target), "{}: `{floor}` imports `crate::{target}`", place());
                }
                assert!(!line.contains("super::super"), "{}: write the path from `crate` on", place());
            }
        }
        assert!(imports > 10, "only {imports} imports were found in `{floor}`");
    }
    Ok(())
}

#[test]
fn the_root_holds_the_floors_alone() -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"))?;
    let mut modules: Vec<&str> =
        code(&text).filter_map(|(_, line)| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
    modules.sort_unstable();
    let mut floors = FLOORS;
    floors.sort_unstable();
    assert_eq!(modules, floors, "a module outside of the floors");
    Ok(())
}

#[test]
fn paths_are_found() {
    let found: Vec<&str> =
        paths_from_the_root("use crate::engine::a; x(crate::vulkan::b, crate::Device)").collect();
    assert_eq!(found, ["engine", "vulkan", "Device"]);
}
