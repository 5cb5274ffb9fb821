//! The headers: the names that they define, their values and sizes according to a C compiler, and the Rust
//! declarations to compare them with.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

const INCLUDES: &str = "#define CL_ENABLE_BETA_EXTENSIONS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdint.h>
#include <stdio.h>
";

/// The headers that the C compiler finds.
pub struct Headers {
    paths: Vec<PathBuf>,
}

/// A constant or a type of the driver.
pub enum Declaration {
    /// A name and an expression that means the same in C.
    Constant(String, String),
    /// A name and the type that it is another name for.
    Type(String, String),
}

/// Runs a program, and returns its output.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {message}\n(Debian's opencl-c-headers must be installed)");
    String::from_utf8(output.stdout).unwrap()
}

/// A file name that no other test uses.
fn scratch(suffix: &str) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("headers-{}-{number}{suffix}", std::process::id());
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The output of a C program whose `main` has this body.
fn printed(body: &str) -> String {
    let (source, program) = (scratch(".c"), scratch(""));
    fs::write(&source, format!("{INCLUDES}int main(void) {{\n{body}return 0; }}\n")).unwrap();
    run(Command::new("cc").arg("-w").arg("-o").arg(&program).arg(&source));
    let text = run(&mut Command::new(&program));
    for path in [source, program] {
        fs::remove_file(path).unwrap();
    }
    text
}

/// The lines of a program's output, each a name and numbers.
fn numbers(text: &str) -> impl Iterator<Item = (String, Vec<i64>)> {
    text.lines().map(|line| {
        let (name, rest) = line.split_once('\t').unwrap();
        (name.to_owned(), rest.split('\t').map(|number| number.parse().unwrap()).collect())
    })
}

impl Headers {
    pub fn find() -> Self {
        let source = scratch(".c");
        fs::write(&source, INCLUDES).unwrap();
        let rule = run(Command::new("cc").arg("-M").arg(&source));
        fs::remove_file(source).unwrap();
        let named = |path: &&str| path.ends_with("CL/cl.h") || path.ends_with("CL/cl_ext.h");
        let paths: Vec<PathBuf> = rule.split_whitespace().filter(named).map(PathBuf::from).collect();
        assert_eq!(paths.len(), 2, "{rule}");
        Headers { paths }
    }

    /// Every defined name, with the group that a comment in the headers assigns to it; in `cl.h`, only names
    /// in groups.
    pub fn names(&self) -> Vec<(Option<String>, String)> {
        let mut names = Vec::new();
        for path in &self.paths {
            let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
            let all_in_groups = path.ends_with("CL/cl.h");
            let mut group = None;
            for line in text.lines() {
                if let Some(comment) = line.strip_prefix("/*") {
                    let comment = comment.trim_start();
                    if !comment.starts_with("0x") {
                        let word = comment.split(|c: char| c.is_whitespace() || c == '*').next();
                        group = word.filter(|word| word.starts_with("cl_")).map(str::to_owned);
                    }
                } else if let Some(definition) = line.strip_prefix("#define ") {
                    let name = definition.split_whitespace().next().unwrap_or_default();
                    if group.is_some() || !all_in_groups {
                        names.push((group.clone(), name.to_owned()));
                    }
                } else if !line.is_empty() && !line.starts_with('#') {
                    group = None;
                }
            }
        }
        // A group that is named after its extension has no meaning.
        for (group, _) in &mut names {
            if group.as_ref().is_some_and(|group| !group.contains("_info") && group.starts_with("cl_khr_")) {
                *group = None;
            }
        }
        names
    }

    /// The values of those names that the headers define.
    pub fn values(&self, names: &[&str]) -> BTreeMap<String, i64> {
        let mut body = String::new();
        for name in names {
            let print = format!("printf(\"{name}\\t%lld\\n\", (long long)({name}));");
            writeln!(body, "#ifdef {name}\n{print}\n#endif").unwrap();
        }
        numbers(&printed(&body)).map(|(name, numbers)| (name, numbers[0])).collect()
    }

    /// The sizes of types, in bytes.
    pub fn sizes(&self, types: &[&str]) -> BTreeMap<String, usize> {
        let mut body = String::new();
        for ty in types {
            writeln!(body, "printf(\"%s\\t%zu\\n\", \"{ty}\", sizeof({ty}));").unwrap();
        }
        numbers(&printed(&body)).map(|(name, numbers)| (name, numbers[0] as usize)).collect()
    }

    /// The differences between Rust and the headers, among the declarations that both have.
    pub fn disagreements(&self, declarations: &[Declaration]) -> Vec<String> {
        let text: String = self.paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        let has_type = |name: &str| text.contains(&format!(" {name};"));
        let mut body = String::new();
        let mut compared = 0;
        for declaration in declarations {
            match declaration {
                Declaration::Constant(name, expression) => {
                    let print = format!(
                        "printf(\"{name}\\t%lld\\t%lld\\n\", (long long)({name}), (long long)({expression}));"
                    );
                    writeln!(body, "#ifdef {name}\n{print}\n#endif").unwrap();
                }
                Declaration::Type(name, ty) if has_type(name) => {
                    let print = format!("printf(\"{name}\\t%zu\\t%zu\\n\", sizeof({name}), sizeof({ty}));");
                    writeln!(body, "{print}").unwrap();
                }
                Declaration::Type(..) => {}
            }
        }
        let mut wrong = Vec::new();
        for (name, numbers) in numbers(&printed(&body)) {
            compared += 1;
            if numbers[0] != numbers[1] {
                wrong.push(format!("{name}: {:#x}, but {:#x} in Rust", numbers[0], numbers[1]));
            }
        }
        assert!(compared > 300, "only {compared} names were compared");
        wrong
    }
}

/// The constants and types that the driver's sources name: those of the crate `opencl-sys`, except those that
/// `cl.rs` declares instead. (The crate has other mistakes in declarations that the driver does not use.)
pub fn rust_declarations() -> Vec<Declaration> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cl.rs");
    let mut by_name = BTreeMap::new();
    let sources = crate_folder("opencl-sys").join("src");
    for file in [sources.join("cl.rs"), sources.join("cl_ext.rs"), own] {
        read_declarations(&fs::read_to_string(file).unwrap(), &mut by_name);
    }
    let used = names_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    by_name.into_iter().filter(|(name, _)| used.contains(name)).map(|(_, declaration)| declaration).collect()
}

/// The words in all files of a folder that may be names from the headers.
fn names_in(folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names.extend(names_in(&path));
        } else {
            let text = fs::read_to_string(path).unwrap();
            let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            names
                .extend(words.filter(|word| word.to_ascii_lowercase().starts_with("cl_")).map(str::to_owned));
        }
    }
    names
}

/// Where the sources of a crate lie.
fn crate_folder(name: &str) -> PathBuf {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let metadata = run(Command::new(cargo)
        .args(["metadata", "--format-version=1", "--locked", "--offline"])
        .args(["--filter-platform", "host-tuple", "--manifest-path"])
        .arg(manifest));
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == name).unwrap();
    Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned()
}

/// Reads `pub const NAME: Type = value;` and `pub type name = other;`. A later declaration replaces an
/// earlier one.
fn read_declarations(text: &str, by_name: &mut BTreeMap<String, Declaration>) {
    let without_comments: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap()).collect();
    let without_comments = without_comments.join(" ");
    for item in without_comments.split(';') {
        let Some((_, item)) = item.rsplit_once("pub ") else { continue };
        let Some((left, right)) = item.split_once('=') else { continue };
        let mut words = left.split_whitespace();
        match (words.next(), words.next()) {
            (Some("const"), Some(name)) if name.starts_with("CL_") && is_plain(right) => {
                let name = name.trim_end_matches(':');
                let declaration = Declaration::Constant(name.to_owned(), without_separators(right.trim()));
                by_name.insert(name.to_owned(), declaration);
            }
            (Some("type"), Some(name)) if name.starts_with("cl_") => {
                if let Some(ty) = c_type(right.trim()) {
                    by_name.insert(name.to_owned(), Declaration::Type(name.to_owned(), ty));
                }
            }
            _ => {}
        }
    }
}

/// An expression without the underscores in its numbers.
fn without_separators(expression: &str) -> String {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let words = expression
        .split(' ')
        .map(|word| if is_number(word) { word.replace('_', "") } else { word.to_owned() });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a Rust expression is also a C expression with the same meaning.
fn is_plain(expression: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_ <>()|-+".contains(c);
    expression.chars().all(is_word) && !expression.contains(" as ")
}

/// A Rust type in C, if it is simple. Names from the headers are unchanged: `cl_uint` and `cl_ulong` are the
/// same in both.
fn c_type(ty: &str) -> Option<String> {
    match ty {
        "intptr_t" => Some("intptr_t".to_owned()),
        "*mut c_void" => Some("void*".to_owned()),
        "cl_uint" | "cl_int" | "cl_ulong" | "cl_long" | "cl_bitfield" | "cl_properties" => {
            Some(ty.to_owned())
        }
        _ => None,
    }
}
