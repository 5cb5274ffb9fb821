//! Everything that documents name exists: paths, links, commands, quirks, guarantees, passes, environment
//! variables.

use crate::tree::{File, exists, files, report};
use clvk_interface::{Guarantee, Quirk};
use regex::Regex;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::LazyLock;

/// Documents except the changelog, which describes the past, the wrong usages, which name what does not
/// exist, and those of exported programs, which describe another folder.
fn documents() -> impl Iterator<Item = &'static File> {
    let is_document = |file: &&File| {
        file.has_extension(&["md"])
            && file.path != "CHANGELOG.md"
            && !file.path.starts_with("tools/clvk-run/tests/usages/")
            && !file.path.starts_with("tools/clvk-run/kit/")
    };
    files().iter().filter(is_document)
}

/// Documents and source files: both have prose with names in back quotes.
fn prose() -> impl Iterator<Item = &'static File> {
    documents().chain(files().iter().filter(|file| file.is_code()))
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are regular expressions")
}

/// The text of a document's lines and of a source file's comments, with their numbers.
fn prose_lines(file: &File) -> impl Iterator<Item = (usize, &str)> {
    let is_code = !file.has_extension(&["md"]);
    let marker = if file.has_extension(&["rs", "cl", "c"]) { "//" } else { "#" };
    file.lines().filter(move |(_, line)| !is_code || line.trim_start().starts_with(marker))
}

/// Whether a name is a pattern or a placeholder: `tests/programs/AREA/NAME.cl`, `a/*.cl`.
fn is_placeholder(path: &str) -> bool {
    let is_capital = |part: &str| {
        let letters = part.split('.').next().unwrap_or_default();
        !letters.is_empty()
            && letters.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            && part != "README.md"
    };
    let known = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    path.contains(['*', '…', '{', '<', '$', '~', '='])
        || path.split('/').any(|part| is_capital(part) && !known.contains(&part))
}

/// Whether some file or folder has this path, or a path that ends with it.
fn is_known_path(path: &str) -> bool {
    static ENDINGS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let mut endings = HashSet::new();
        for file in files() {
            let slashes = || file.path.match_indices('/').map(|(at, _)| at);
            for start in std::iter::once(0).chain(slashes().map(|at| at + 1)) {
                let ends = slashes().filter(|end| *end > start).chain([file.path.len()]);
                endings.extend(ends.map(|end| &file.path[start..end]));
            }
        }
        endings
    });
    let path = path.trim_end_matches('/');
    ENDINGS.contains(path) || exists(path)
}

#[test]
fn paths_exist() {
    let quoted = regex(r"`([A-Za-z0-9_.…*{}<>$~=/-]+)`");
    let file_name = regex(r"^[A-Za-z0-9_/.-]+\.(?:rs|md|py|sh|ir)$");
    let top: BTreeSet<&str> =
        files().iter().filter_map(|file| file.path.split_once('/')).map(|(top, _)| top).collect();
    let is_path = |text: &str| {
        let is_file = file_name.is_match(text) && !text.starts_with('.');
        let from_top = text.split_once('/').is_some_and(|(first, _)| top.contains(first));
        is_file || from_top
    };
    let mut findings = Vec::new();
    for file in prose() {
        for (number, line) in prose_lines(file) {
            for path in quoted.captures_iter(line).filter_map(|found| found.get(1)).map(|it| it.as_str()) {
                let generated = path.starts_with("target/") || path.starts_with("artifacts");
                if is_path(path) && !is_placeholder(path) && !generated && !is_known_path(path) {
                    findings.push(format!("{}:{number}: `{path}` does not exist", file.path));
                }
            }
        }
    }
    report("paths that documents and comments name exist", findings);
}

#[test]
fn links_lead_somewhere() {
    let link = regex(r"\]\(([^)\s]+)\)");
    let mut findings = Vec::new();
    for file in documents() {
        let folder = Path::new(&file.path).parent().expect("files have a folder");
        for (number, line) in file.lines() {
            for target in link.captures_iter(line).filter_map(|found| found.get(1)).map(|it| it.as_str()) {
                if target.contains("://") {
                    continue;
                }
                let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
                let path = if path.is_empty() { file.path.clone() } else { normalise(&folder.join(path)) };
                let has_anchor = || {
                    let page = files().iter().find(|file| file.path == path);
                    page.is_some_and(|page| anchors(page).contains(anchor))
                };
                if !exists(&path) || !anchor.is_empty() && !has_anchor() {
                    findings.push(format!("{}:{number}: {target}", file.path));
                }
            }
        }
    }
    report("links lead somewhere", findings);
}

#[test]
fn readme_shows_the_example_as_it_is() {
    let text = |path: &str| &files().iter().find(|file| file.path == path).expect("it exists").text;
    let example = text("tools/clvk/examples/saxpy.rs");
    let shown = format!("```rust\n{example}```\n");
    assert!(
        text("README.md").contains(&shown),
        "README.md shows another saxpy.rs than tools/clvk/examples has"
    );
}

/// A path without `..`.
fn normalise(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.iter().filter_map(|it| it.to_str()) {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(page: &File) -> BTreeSet<String> {
    let headings = page.text.lines().filter(|line| line.starts_with('#'));
    let slug = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        text.chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
            .collect::<String>()
            .replace(' ', "-")
    };
    headings.map(slug).collect()
}

#[test]
fn commands_exist() {
    let manifests = || files().iter().filter(|file| file.path.ends_with("Cargo.toml"));
    let declared = |kind: &str, name: &str| {
        let row = format!("name = \"{name}\"");
        let in_manifest = manifests().any(|file| file.text.contains(&row));
        let folder = if kind == "bin" {
            "src/bin"
        } else if kind == "test" {
            "tests"
        } else {
            "examples"
        };
        let paths = [format!("{folder}/{name}.rs"), format!("{folder}/{name}/main.rs")];
        in_manifest || files().iter().any(|file| paths.iter().any(|path| file.path.ends_with(path)))
    };
    let option = regex(r"--(test|bin|example) ([a-z][a-z0-9_-]*)");
    let package = regex(r"cargo [a-z]+ .*?-p ([a-z][a-z0-9-]*)");
    let script = regex(r"(?:^\s*|`)((?:tools|tests)/[a-z][a-z0-9_/.-]*)");
    let mut findings = Vec::new();
    for file in documents() {
        for (number, line) in file.lines() {
            let mut finding =
                |what: &str| findings.push(format!("{}:{number}: {what} does not exist", file.path));
            if line.contains("cargo ") {
                for found in option.captures_iter(line).filter(|found| !declared(&found[1], &found[2])) {
                    finding(&found[0]);
                }
                for found in package.captures_iter(line).filter(|found| !declared("package", &found[1])) {
                    finding(&found[0]);
                }
            }
            for found in script.captures_iter(line).filter(|found| !is_known_path(&found[1])) {
                finding(&found[1]);
            }
        }
    }
    report("commands that documents name exist", findings);
}

#[test]
fn options_of_the_command_line_exist() {
    let sources: String = files()
        .iter()
        .filter(|file| file.path.starts_with("tools/clvk-run/src/"))
        .map(|file| file.text.replace('_', "-"))
        .collect();
    let option = regex(r" --([a-z][a-z-]+)");
    let mut findings = Vec::new();
    for file in documents() {
        for (number, line) in file.lines() {
            // Text after ` -- ` is the kernel's arguments.
            let commands = line.split('`').filter(|text| text.trim_start().starts_with("clvk-run "));
            for found in commands.flat_map(|command| option.captures_iter(command)) {
                if !sources.contains(&found[1]) {
                    findings.push(format!("{}:{number}: clvk-run has no option --{}", file.path, &found[1]));
                }
            }
        }
    }
    report("options of clvk-run that documents name exist", findings);
}

/// Checks the names in back quotes that follow a word or its plural, as in a list of quirks.
fn check_names(word: &str, known: &BTreeSet<String>) {
    let list = regex(&format!(r"\b{word}s? ((?:`[a-z0-9-]+`(?:, (?:and )?| and | or )?)+)"));
    let name = regex("`([a-z0-9-]+)`");
    let mut findings = Vec::new();
    for file in prose() {
        for (number, line) in prose_lines(file) {
            let lists = list.captures_iter(line).filter_map(|found| found.get(1)).map(|it| it.as_str());
            for found in lists.flat_map(|list| name.captures_iter(list)) {
                if !known.contains(&found[1]) {
                    findings.push(format!("{}:{number}: no {word} is called `{}`", file.path, &found[1]));
                }
            }
        }
    }
    report(&format!("every {word} that documents name exists"), findings);
}

fn kebab<T: serde::Serialize>(values: &[T]) -> BTreeSet<String> {
    let name = |value| serde_json::to_value(value).expect("it is plain data").as_str().map(str::to_owned);
    values.iter().filter_map(name).collect()
}

#[test]
fn quirks_exist() {
    check_names("quirk", &kebab(Quirk::ALL));
}

#[test]
fn guarantees_exist() {
    check_names("guarantee", &kebab(Guarantee::ALL));
}

#[test]
fn passes_exist() {
    let table =
        files().iter().find(|file| file.path == "translate/src/passes/mod.rs").expect("the passes are there");
    let row = regex(r#"Pass \{ name: "([a-z-]+)""#);
    let names: BTreeSet<String> = row.captures_iter(&table.text).map(|found| found[1].to_owned()).collect();
    assert!(names.len() > 20, "{names:?}");
    // A pass may also be named by its module.
    let modules = files().iter().filter_map(|file| file.path.strip_prefix("translate/src/passes/"));
    let modules = modules.filter_map(|path| path.split(['/', '.']).next()).map(|name| name.replace('_', "-"));
    check_names("pass", &names.into_iter().chain(modules).collect());
}

#[test]
fn environment_variables_are_documented_and_exist() {
    let variable = regex(r"\bCLVK_[A-Z_]*[A-Z]\b");
    let in_files = |wanted: &dyn Fn(&File) -> bool| -> BTreeSet<&str> {
        let texts = files().iter().filter(|file| wanted(file) && !file.path.starts_with("tests/tests/tidy/"));
        texts.flat_map(|file| variable.find_iter(&file.text).map(|it| it.as_str())).collect()
    };
    let is_document = |file: &File| file.has_extension(&["md"]) && file.path != "CHANGELOG.md";
    let documented = in_files(&|file| file.path == "docs/reference/environment.md");
    let named = in_files(&is_document);
    // Exported programs have constants in C with such names.
    let of_export = ["tools/clvk-run/kit/", "tools/clvk-run/src/export/", "tools/clvk-run/tests/export/"];
    let is_of_export = |file: &File| of_export.iter().any(|folder| file.path.starts_with(folder));
    let used = in_files(&|file| (file.is_code() && !is_of_export(file)) || file.path.starts_with(".ci/"));
    // Variables of kpet/clvk, in the comparison with ours.
    let foreign = [
        "CLVK_DEVICE_EXTENSIONS",
        "CLVK_DEVICE_EXTENSIONS_MASKED",
        "CLVK_LOG",
        "CLVK_OPTION",
        "CLVK_VALIDATION_LAYERS",
    ];
    let missing: Vec<String> = named
        .difference(&used)
        .filter(|name| !foreign.contains(name))
        .map(|name| format!("{name} is named, but not used"))
        .collect();
    report("variables that documents name exist", missing);
    // Passed between the parts of the build, or of one test.
    let internal = [
        "CLVK_TRANSLATOR",
        "CLVK_TESTS_CACHE_WRITER",
        "CLVK_TESTS_FORWARD_PROGRESS",
        "CLVK_TESTS_ON_A_PHONE",
    ];
    let undocumented: Vec<String> = used
        .difference(&documented)
        .filter(|name| !internal.contains(name))
        .map(|name| format!("{name} is not in docs/reference/environment.md"))
        .collect();
    report("variables are documented", undocumented);
}
