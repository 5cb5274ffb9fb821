//! `clvk-run complete`: what can follow on a command line, for the shells' scripts.
//!
//! The scripts (`clvk-run.bash`, `_clvk-run`, `clvk-run.fish`) know nothing about the command line. They
//! pass the words and print what comes back, so that names of presets, passes and devices complete too. A
//! candidate is a line: the word, and after a tab what it means. A word that ends in `/`, `:` or `=`
//! continues.

mod values;

use crate::cli::{Cli, CompleteCommand};
use crate::console;
use crate::failure::Result;
use crate::options;
use clap::CommandFactory;
use clap_complete::engine::{CompletionCandidate, complete};
use std::ffi::OsString;
use std::path::{MAIN_SEPARATOR, Path};
use std::process::ExitCode;

/// The shells' scripts: file names and texts.
pub const SCRIPTS: [(&str, &str); 3] = [
    ("clvk-run.bash", include_str!("clvk-run.bash")),
    ("_clvk-run", include_str!("_clvk-run")),
    ("clvk-run.fish", include_str!("clvk-run.fish")),
];

/// Build options with what they mean.
pub fn build_options_for_manual() -> impl Iterator<Item = (&'static str, &'static str)> {
    values::BUILD_OPTIONS.into_iter()
}

/// Runs the command. It says nothing where it knows nothing: a message would end up in the command line.
pub fn completion(command: &CompleteCommand) -> Result<ExitCode> {
    let lines: Vec<String> = candidates(command.index, &command.words).iter().filter_map(line).collect();
    if !lines.is_empty() {
        console::print(lines.join("\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn candidates(index: usize, words: &[String]) -> Vec<CompletionCandidate> {
    let (before, current) = match words.get(..index) {
        Some(before) => (before, words.get(index).map_or("", String::as_str)),
        None => return Vec::new(),
    };
    let takes_build_options = before.iter().any(|word| values::COMPILING.contains(&word.as_str()))
        && !before.iter().any(|word| word == "--");
    let last = before.last().map_or("", String::as_str);
    if takes_build_options {
        match last {
            "-I" => return values::folders(current, ""),
            "-D" | "-U" => return Vec::new(),
            _ => {}
        }
        if let Some(folder) = current.strip_prefix("-I") {
            return values::folders(folder, "-I");
        }
    }
    let has_one_hyphen = current.starts_with('-') && !current.starts_with("--");
    let mut found = Vec::new();
    if takes_build_options && has_one_hyphen {
        found = values::build_options(current);
    }
    // To the engine, a longer word is a row of short options.
    if has_one_hyphen && current.len() > 1 {
        return found;
    }
    // The rest of the words, as clap sees them.
    let (mut rest, build_options) = options::split(before.into());
    if takes_build_options {
        let (prefix, typed) = match current.strip_prefix("--kernel=") {
            Some(typed) => ("--kernel=", Some(typed)),
            None => ("", Some(current).filter(|_| last == "--kernel")),
        };
        if let Some(typed) = typed {
            return values::kernels(words, &build_options, prefix, typed);
        }
    }
    let position = rest.len();
    rest.push(current.to_owned());
    let words = rest.into_iter().map(OsString::from).collect();
    let folder = std::env::current_dir().ok();
    let mut command = values::with_values(Cli::command());
    found.extend(complete(&mut command, words, position, folder.as_deref()).unwrap_or_default());
    found.retain(|candidate| is_offered(candidate, current));
    // Options only once a hyphen is there, or where nothing else can follow.
    let is_option =
        |candidate: &CompletionCandidate| candidate.get_value().as_encoded_bytes().starts_with(b"-");
    if current.is_empty() && !found.iter().all(is_option) {
        found.retain(|candidate| !is_option(candidate));
    }
    found
}

/// Hidden commands and options are never offered, hidden files only after their dot, and no folder as itself.
fn is_offered(candidate: &CompletionCandidate, current: &str) -> bool {
    if candidate.get_value() == "." {
        return false;
    }
    let typed = Path::new(current).file_name().unwrap_or_default();
    let wants_dots = !current.ends_with(MAIN_SEPARATOR) && typed.as_encoded_bytes().starts_with(b".");
    !candidate.is_hide_set() || (candidate.get_id().is_none() && wants_dots)
}

/// A candidate for the scripts; none where a line cannot hold it.
fn line(candidate: &CompletionCandidate) -> Option<String> {
    let value = candidate.get_value().to_str()?;
    if value.is_empty() || value.contains(['\n', '\t']) {
        return None;
    }
    let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
    match help.lines().next().unwrap_or_default().trim_end_matches('.') {
        "" => Some(value.to_owned()),
        help => Some(format!("{value}\t{}", help.replace('\t', " "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(line: &str) -> Vec<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let found = candidates(words.len() - 1, &words);
        found.iter().map(|candidate| candidate.get_value().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn commands_are_offered_and_hidden_ones_are_not() {
        let commands = offered("clvk-run ");
        for name in ["run", "compile", "check", "devices", "help"] {
            assert!(commands.iter().any(|command| command == name), "{name}: {commands:?}");
        }
        assert!(commands.iter().all(|command| !command.starts_with('-')), "{commands:?}");
        assert_eq!(offered("clvk-run man"), Vec::<String>::new());
        assert_eq!(offered("clvk-run comp"), ["compile"]);
        assert!(!offered("clvk-run help ").contains(&"manual".to_owned()));
        assert_eq!(offered("clvk-run devices --js"), ["--json"]);
    }

    #[test]
    fn build_options_do_not_confuse_what_follows() {
        assert_eq!(offered("clvk-run run -D N=4 -cl-std=CL3.0 a.cl --kern"), ["--kernel"]);
        assert_eq!(offered("clvk-run compile a.cl -cl-fast"), ["-cl-fast-relaxed-math"]);
        assert!(offered("clvk-run check -cl-std=").contains(&"-cl-std=CL3.0".to_owned()));
        assert_eq!(offered("clvk-run devices -cl-fast"), Vec::<String>::new());
        assert_eq!(offered("clvk-run run a.cl -- -cl-fast"), Vec::<String>::new());
        assert_eq!(offered("clvk-run run -D N"), Vec::<String>::new());
    }

    #[test]
    fn lists_of_profiles_are_continued() {
        assert_eq!(offered("clvk-run check --profile lavapipe-22.3,swift"), ["lavapipe-22.3,swiftshader"]);
        assert_eq!(offered("clvk-run check --profile=swift"), ["--profile=swiftshader"]);
        assert_eq!(offered("clvk-run compile --dump-after order-"), ["order-memory"]);
    }

    #[test]
    fn kinds_of_arguments_are_offered_after_the_two_hyphens() {
        assert!(offered("clvk-run run a.cl -- 2.5f ").contains(&"in:".to_owned()));
        assert_eq!(offered("clvk-run run a.cl -- inout:Cargo.t"), ["inout:Cargo.toml"]);
        assert_eq!(offered("clvk-run run a.cl -- sampler:clamp,lin"), ["sampler:clamp,linear,"]);
    }

    #[test]
    fn kernels_of_the_source_are_offered() {
        let file = std::env::temp_dir().join(format!("clvk-run-completed-{}.cl", std::process::id()));
        let source = file.to_str().unwrap();
        let text = "kernel void first(global int *x) {}\nint helper(int x) { return x; }\n\
                    #ifdef MORE\nkernel void further(global int *x) {}\n#endif\nkernel void second(global int *x) {}\n";
        std::fs::write(source, text).unwrap();
        assert_eq!(offered(&format!("clvk-run run {source} --kernel ")), ["first", "second"]);
        assert_eq!(offered(&format!("clvk-run run {source} -DMORE --kernel f")), ["first", "further"]);
        assert_eq!(offered(&format!("clvk-run compile {source} --kernel=s")), ["--kernel=second"]);
        assert_eq!(offered("clvk-run run --kernel f"), Vec::<String>::new());
        std::fs::write(source, "kernel void broken(").unwrap();
        assert_eq!(offered(&format!("clvk-run run {source} --kernel ")), Vec::<String>::new());
        std::fs::remove_file(source).unwrap();
    }

    #[test]
    fn odd_requests_are_answered_with_nothing() {
        assert!(candidates(9, &["clvk-run".to_owned()]).is_empty());
        assert!(candidates(0, &[]).is_empty());
        assert_eq!(offered("clvk-run nonesuch x"), Vec::<String>::new());
    }
}
