//! Passes on small programs in files: each file of `passes/` holds a program, the passes to run and what comes out.
//!
//! ```text
//! ; pass: promote-functions, simplify-functions
//! ; profile: swiftshader
//! func @f() { … }
//! ; expect:
//! func @f() { … }
//! ```
//!
//! Comments before the program say what the case is about. What is expected is the exact text; a pass that refuses the
//! program gives `error: ` and the message. With `CLVK_BLESS=1` in the environment the expectations are written anew.

use clvk_interface::DeviceProfile;
use clvk_ir::container::Library;
use clvk_ir::text::parse_module;
use clvk_ir::verify::verify;
use clvk_translate::passes::run_named;
use std::path::{Path, PathBuf};

const EXPECT: &str = "; expect:\n";
const DEFAULT_PROFILE: &str = "lavapipe-22.3";

#[test]
fn passes_give_what_the_files_expect() {
    let bless = std::env::var_os("CLVK_BLESS").is_some();
    let mut failures = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("the file was listed");
        let (input, expected) = text.split_once(EXPECT).unwrap_or((&text, ""));
        match run(input) {
            Err(message) => failures.push(format!("{}: {message}", path.display())),
            Ok(output) if output == expected => {}
            Ok(output) if bless => {
                let separator = if input.ends_with('\n') { "" } else { "\n" };
                let text = format!("{input}{separator}{EXPECT}{output}");
                std::fs::write(&path, text).expect("blessing writes into the source tree");
            }
            Ok(output) => failures.push(format!("{}\n{}", path.display(), difference(expected, &output))),
        }
    }
    assert!(
        failures.is_empty(),
        "{} files differ (CLVK_BLESS=1 accepts):\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

/// The cases, in order of their names.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let entries = std::fs::read_dir(folder).expect("the folder of the cases exists");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ir"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "there are no cases");
    files
}

/// Runs the passes that the head of a case names, and prints the module.
fn run(input: &str) -> Result<String, String> {
    let header = |key: &str| {
        let mut lines =
            input.lines().filter_map(|line| line.strip_prefix("; ")?.strip_prefix(key)?.strip_prefix(':'));
        lines.next().map(str::trim)
    };
    let passes: Vec<&str> =
        header("pass").ok_or("there is no line `; pass: NAME`")?.split(',').map(str::trim).collect();
    let profile = DeviceProfile::preset(header("profile").unwrap_or(DEFAULT_PROFILE))
        .map_err(|error| error.to_string())?;
    let mut module = parse_module(input).map_err(|error| error.to_string())?;
    let list = |errors: Vec<String>| errors.join("\n");
    verify(&module).map_err(|errors| list(errors.iter().map(ToString::to_string).collect()))?;
    match run_named(&mut module, &passes, &Library::empty(), &profile) {
        Ok(_) => Ok(module.to_string()),
        Err(errors) => Ok(errors.iter().map(|error| format!("error: {error}\n")).collect()),
    }
}

/// The first lines that differ, with the whole output.
fn difference(expected: &str, output: &str) -> String {
    let line = expected.lines().zip(output.lines()).take_while(|(a, b)| a == b).count();
    let at = |text: &str| text.lines().nth(line).unwrap_or("(the end)").to_owned();
    format!("line {}:\n- {}\n+ {}\noutput:\n{output}", line + 1, at(expected), at(output))
}
