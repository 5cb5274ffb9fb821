//! Passes on small programs in files: each file of `passes/` holds a program, the passes to run and the
//! expected result.
//!
//! ```text
//! ; pass: promote-functions, simplify-functions
//! ; profile: vulkan-1.1 int64=false quirks=loops-end,value-ranges
//! ; run: global=2 in=i32[1,2] out=i32[0,0] -> out=i32[2,4]
//! func @f() { … }
//! ; expect:
//! func @f() { … }
//! ```
//!
//! Comments before the program say what the case is about. The profile is a preset with changes to some
//! members. With several such lines, the launches run for each profile, and the expected text is for the
//! first.
//!
//! - The expected text is exact; a pass that refuses the program gives `error: ` and the message. With
//!   `CLVK_BLESS=1` in the environment, the expectations of all files are written anew.
//! - A line `; run:` launches the kernel ([`launch`]) before and after the passes, and gives the contents of
//!   its buffers, the same for both. It is never written anew: the author derives it by hand. `; run-after:`
//!   launches only the result of the passes, where the program itself has no meaning. A line `; robust:` asks
//!   for kernels that check their accesses, `; sanitize: KINDS` for those that report errors, and `; calls:
//!   kept` keeps all calls that can stay. A file with launches need not expect a text.

mod launch;
#[allow(dead_code, reason = "shared with the tests of random programs")]
#[path = "../machine/mod.rs"]
mod machine;

use clvk_interface::sanitize::Kinds;
use clvk_interface::{DeviceProfile, ModuleInterface};
use clvk_ir::Module;
use clvk_ir::container::Library;
use clvk_ir::text::parse_module;
use clvk_ir::verify::verify;
use clvk_translate::testing::run_named;
use clvk_translate::{Calls, TranslateOptions};
use std::path::{Path, PathBuf};

const EXPECT: &str = "; expect:\n";
const DEFAULT_PROFILE: &str = "lavapipe-22.3";

#[test]
fn passes_give_what_the_files_expect() {
    let bless = std::env::var_os("CLVK_BLESS").is_some();
    let mut failures = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("the file was listed");
        let (input, expected) = match text.split_once(EXPECT) {
            Some((input, expected)) => (input, Some(expected)),
            None => (&text[..], None),
        };
        let launches = lines(input, "run").chain(lines(input, "run-after")).count();
        let expected = if launches > 0 { expected } else { expected.or(Some("")) };
        match run(input) {
            Err(message) => failures.push(format!("{}: {message}", path.display())),
            Ok(output) if expected.is_none_or(|expected| output == expected) => {}
            Ok(output) if bless => {
                let separator = if input.ends_with('\n') { "" } else { "\n" };
                let text = format!("{input}{separator}{EXPECT}{output}");
                std::fs::write(&path, text).expect("blessing writes into the source tree");
            }
            Ok(output) => {
                failures.push(format!("{}\n{}", path.display(), difference(expected.unwrap_or(""), &output)))
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} files differ (CLVK_BLESS=1 accepts):\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

/// The cases, in the order of their names.
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

/// The values of the lines in a case's head that begin with a key.
fn lines<'t>(input: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    let said = move |line: &'t str| line.strip_prefix("; ")?.strip_prefix(key)?.strip_prefix(':');
    input.lines().filter_map(said).map(str::trim)
}

/// Runs the passes that a case's head names, launches what it says, and prints the module.
fn run(input: &str) -> Result<String, String> {
    let passes: Vec<&str> = lines(input, "pass")
        .next()
        .ok_or("there is no line `; pass: NAME`")?
        .split(',')
        .map(str::trim)
        .collect();
    let mut profiles: Vec<&str> = lines(input, "profile").collect();
    if profiles.is_empty() {
        profiles.push(DEFAULT_PROFILE);
    }
    let before = parse_module(input).map_err(|error| error.to_string())?;
    let list = |errors: Vec<String>| errors.join("\n");
    verify(&before).map_err(|errors| list(errors.iter().map(ToString::to_string).collect()))?;
    let outputs: Result<Vec<String>, String> = profiles
        .iter()
        .map(|text| {
            run_for(input, &before, &passes, &profile(text)?).map_err(|fault| format!("{text}: {fault}"))
        })
        .collect();
    Ok(outputs?.swap_remove(0))
}

/// The same for one profile.
fn run_for(input: &str, before: &Module, passes: &[&str], profile: &DeviceProfile) -> Result<String, String> {
    let mut module = before.clone();
    let robust = lines(input, "robust").next().is_some();
    let calls = if lines(input, "calls").next() == Some("kept") { Calls::Kept } else { Calls::default() };
    let sanitize = lines(input, "sanitize").next().map(Kinds::parse).transpose();
    let sanitize = sanitize.map_err(|error| error.to_string())?.unwrap_or_default();
    let options = TranslateOptions { robust, calls, sanitize, ..TranslateOptions::default() };
    let interface = match run_named(&mut module, passes, &Library::empty(), profile, &options) {
        Ok(interface) => interface,
        Err(errors) => {
            let refusal: String = errors.iter().map(|error| format!("error: {error}\n")).collect();
            let launches = lines(input, "run").chain(lines(input, "run-after")).count();
            return if launches == 0 { Ok(refusal) } else { Err(format!("nothing is launched: {refusal}")) };
        }
    };
    let checked = |line: &str, what: &str, module: &Module, interface: Option<&ModuleInterface>| {
        let lowered = interface.is_some() && passes.contains(&"lower-memory");
        launch::check(line, before, module, interface, profile, lowered)
            .map_err(|fault| format!("{what}: `{line}`: {fault}\n{module}"))
    };
    for line in lines(input, "run") {
        checked(line, "before the passes", before, None)?;
    }
    for line in lines(input, "run").chain(lines(input, "run-after")) {
        checked(line, "after the passes", &module, Some(&interface))?;
    }
    Ok(module.to_string())
}

/// A preset with some members changed: `vulkan-1.1 int64=true quirks=loops-end`.
fn profile(text: &str) -> Result<DeviceProfile, String> {
    let mut words = text.split_whitespace();
    let name = words.next().ok_or("there is no name of a profile")?;
    let profile = DeviceProfile::preset(name).map_err(|error| error.to_string())?;
    let mut json: serde_json::Value =
        serde_json::from_str(&profile.to_json()).map_err(|error| error.to_string())?;
    for word in words {
        let (member, value) = word.split_once('=').ok_or_else(|| format!("`{word}` is not MEMBER=VALUE"))?;
        json[member] = match member {
            "quirks" => value.split(',').collect(),
            _ => serde_json::from_str(value).map_err(|error| format!("{word}: {error}"))?,
        };
    }
    DeviceProfile::from_json(&json.to_string()).map_err(|error| format!("{text}: {error}"))
}

/// The first lines that differ, with the whole output.
fn difference(expected: &str, output: &str) -> String {
    let line = expected.lines().zip(output.lines()).take_while(|(a, b)| a == b).count();
    let at = |text: &str| text.lines().nth(line).unwrap_or("(the end)").to_owned();
    format!("line {}:\n- {}\n+ {}\noutput:\n{output}", line + 1, at(expected), at(output))
}
