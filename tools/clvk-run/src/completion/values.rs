//! The values that arguments can have, for completion.

use crate::cli::DEFAULT_PROFILE;
use crate::program::Source;
use clap::builder::StyledStr;
use clap::{Arg, Command};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clvk::runtime::{Instance, InstanceOptions};
use clvk::{Compiler, DeviceProfile};
use std::ffi::OsStr;
use std::path::Path;

/// The commands that take build options.
pub const COMPILING: [&str; 5] = ["run", "profile", "trace", "compile", "check"];

/// Build options as OpenCL spells them, and what they mean.
pub const BUILD_OPTIONS: [(&str, &str); 21] = [
    ("-D", "Define a macro: NAME or NAME=VALUE"),
    ("-U", "Undefine a macro"),
    ("-I", "Look for headers in a folder"),
    ("-w", "No warnings"),
    ("-Werror", "Warnings are errors"),
    ("-g", "Debug information"),
    ("-cl-std=CL1.0", "OpenCL C 1.0"),
    ("-cl-std=CL1.1", "OpenCL C 1.1"),
    ("-cl-std=CL1.2", "OpenCL C 1.2"),
    ("-cl-std=CL2.0", "OpenCL C 2.0"),
    ("-cl-std=CL3.0", "OpenCL C 3.0"),
    ("-cl-std=CL3.1", "OpenCL C 3.1"),
    ("-cl-fast-relaxed-math", "Fast mathematics, less precise"),
    ("-cl-mad-enable", "Permit a * b + c with less precision"),
    ("-cl-finite-math-only", "No infinities and no NaN"),
    ("-cl-no-signed-zeros", "The sign of zero does not matter"),
    ("-cl-unsafe-math-optimizations", "Permit algebra that rounds otherwise"),
    ("-cl-denorms-are-zero", "Denormal numbers may be zero"),
    ("-cl-single-precision-constant", "Constants of type double are of type float"),
    ("-cl-fp32-correctly-rounded-divide-sqrt", "Round quotients and square roots correctly"),
    ("-cl-opt-disable", "No optimisation"),
];

/// The kinds of kernel arguments that begin with a word, as the help of `run` has them.
const ARGUMENTS: [(&str, &str); 17] = [
    ("in:", "Buffer read from a file"),
    ("inout:", "Buffer read from a file and written back"),
    ("out:", "Buffer written to a file: out:FILE:TYPE[N]"),
    ("zero:", "Buffer of zeros: zero:TYPE[N]"),
    ("fill:", "Buffer filled with a value: fill:VALUE:TYPE[N]"),
    ("rand:", "Buffer of random values: rand:SEED:TYPE[N]"),
    ("undefined:", "Buffer whose contents mean nothing: undefined:TYPE[N]"),
    ("read-only:", "Buffer that is not written: read-only:zero:TYPE[N]"),
    ("write-only:", "Buffer that is not read: write-only:zero:TYPE[N]"),
    ("null", "A null pointer"),
    ("local:", "Local memory: local:BYTES"),
    ("image:", "Image read from a file"),
    ("image-out:", "Image written to a file: image-out:FILE:WxH"),
    ("image-inout:", "Image read and written back"),
    ("image-zero:", "Image of zeros: image-zero:WxH"),
    ("sampler:", "Sampler: sampler:ADDRESSING,FILTER,normalized|unnormalized"),
    ("-", "The standard input or output in place of a file"),
];

/// The parts of a sampler, in order.
const SAMPLER: [&[&str]; 3] = [
    &["none,", "clamp,", "clamp-to-edge,", "repeat,", "mirrored,"],
    &["nearest,", "linear,"],
    &["normalized", "unnormalized"],
];

/// The command line with the values of those arguments that clap cannot know.
pub fn with_values(command: Command) -> Command {
    command.mut_subcommands(|command| command.mut_args(with_values_of))
}

fn with_values_of(argument: Arg) -> Arg {
    match argument.get_id().as_str() {
        "device" => argument.add(ArgValueCandidates::new(devices)),
        "profile" => argument.add(ArgValueCompleter::new(profiles)),
        "dump_after" => argument.add(ArgValueCandidates::new(passes)),
        "arguments" => argument.add(ArgValueCompleter::new(kernel_arguments)),
        "file" | "files" => argument.add(ArgValueCompleter::new(sources)),
        _ => argument,
    }
}

fn candidate(value: impl AsRef<str>, help: impl AsRef<str>) -> CompletionCandidate {
    let help =
        Some(help.as_ref()).filter(|help| !help.is_empty()).map(|help| StyledStr::from(help.to_owned()));
    CompletionCandidate::new(value.as_ref()).help(help)
}

/// Build options that begin with a text.
pub fn build_options(current: &str) -> Vec<CompletionCandidate> {
    let options = BUILD_OPTIONS.iter().filter(|(name, _)| name.starts_with(current));
    options.map(|(name, help)| candidate(name, help)).collect()
}

/// Folders, each after a prefix.
pub fn folders(current: &str, prefix: &str) -> Vec<CompletionCandidate> {
    let found = PathCompleter::dir().complete(OsStr::new(current));
    found.into_iter().filter(|it| it.get_value() != ".").map(|it| it.add_prefix(prefix)).collect()
}

fn paths(current: &OsStr, endings: &'static [&'static str]) -> Vec<CompletionCandidate> {
    let is_wanted = move |path: &Path| {
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        path.is_file() && (endings.is_empty() || endings.contains(&ending))
    };
    PathCompleter::any().filter(is_wanted).complete(current)
}

/// The endings of sources.
const SOURCES: [&str; 3] = ["cl", "ocl", "clc"];

/// Sources and jobs; any file where there is none.
fn sources(current: &OsStr) -> Vec<CompletionCandidate> {
    let found = paths(current, &[SOURCES[0], SOURCES[1], SOURCES[2], "toml"]);
    if found.is_empty() { paths(current, &[]) } else { found }
}

/// Presets and files.
fn profiles(current: &OsStr) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy();
    let presets = DeviceProfile::preset_names().filter(|name| name.starts_with(&*typed));
    presets.map(|name| candidate(name, "")).chain(paths(current, &["json"])).collect()
}

fn passes() -> Vec<CompletionCandidate> {
    let passes = clvk::pass_names().map(|name| candidate(name, ""));
    [candidate("all", "After each pass")].into_iter().chain(passes).collect()
}

/// The kernels of the source that the words name, before or after the option, that begin with a text.
pub fn kernels(
    words: &[String],
    build_options: &[String],
    prefix: &str,
    typed: &str,
) -> Vec<CompletionCandidate> {
    let words = words.iter().take_while(|word| *word != "--").map(Path::new);
    let sources =
        words.filter(|word| word.extension().is_some_and(|ending| SOURCES.iter().any(|it| ending == *it)));
    let Some(source) = sources.last().and_then(|path| Source::read(path, build_options).ok()) else {
        return Vec::new();
    };
    let Ok(profile) = DeviceProfile::preset(DEFAULT_PROFILE) else { return Vec::new() };
    let compiler = source.compiler(Compiler::new(&profile).judging_kernels());
    let Ok(object) = source.object_quietly(&compiler) else { return Vec::new() };
    let names = object.kernel_names().filter(|name| name.starts_with(typed));
    names.map(|name| candidate(format!("{prefix}{name}"), "")).collect()
}

/// The devices by their indices, which are easier to type than their names.
fn devices() -> Vec<CompletionCandidate> {
    let found = Instance::new(&InstanceOptions::default()).and_then(|instance| instance.devices());
    let found = found.unwrap_or_default();
    found.iter().map(|device| candidate(device.index().to_string(), device.name())).collect()
}

fn kernel_arguments(current: &OsStr) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy();
    let Some((kind, rest)) = typed.split_once(':') else {
        let kinds = ARGUMENTS.iter().filter(|(kind, _)| kind.starts_with(&*typed));
        return kinds.map(|(kind, help)| candidate(kind, help)).collect();
    };
    match kind {
        "sampler" => sampler(rest),
        "in" | "inout" | "out" | "image" | "image-out" | "image-inout" => {
            let found = paths(OsStr::new(rest), &[]);
            found.into_iter().map(|it| it.add_prefix(format!("{kind}:"))).collect()
        }
        _ => Vec::new(),
    }
}

fn sampler(typed: &str) -> Vec<CompletionCandidate> {
    let (before, last) = typed.rfind(',').map_or(("", typed), |comma| typed.split_at(comma + 1));
    let part = SAMPLER.get(before.matches(',').count()).copied().unwrap_or_default();
    let found = part.iter().filter(|value| value.starts_with(last));
    found.map(|value| candidate(format!("sampler:{before}{value}"), "")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    #[test]
    fn what_is_offered_exists() {
        for (option, _) in BUILD_OPTIONS {
            let text =
                if ["-D", "-U", "-I"].contains(&option) { format!("{option} x") } else { option.to_owned() };
            clvk::BuildOptions::parse(&text).unwrap_or_else(|error| panic!("{option}: {error}"));
        }
        let mut command = Cli::command();
        let help = command.find_subcommand_mut("run").unwrap().render_long_help().to_string();
        let words = help.split([' ', '|', '\n']).filter(|word| word.starts_with("-cl-"));
        for word in words.filter(|word| !word.starts_with("-cl-std=") && !word.contains('…')) {
            assert!(BUILD_OPTIONS.iter().any(|(name, _)| *name == word), "`{word}` is not completed");
        }
        for (kind, _) in ARGUMENTS {
            assert!(help.contains(kind), "the help of `run` does not say `{kind}`");
        }
        for part in SAMPLER.iter().flat_map(|part| part.iter()) {
            assert!(help.contains(part.trim_end_matches(',')), "the help of `run` does not say `{part}`");
        }
    }

    #[test]
    fn the_arguments_exist_that_get_values() {
        let command = Cli::command();
        let arguments = command.get_subcommands().flat_map(|command| command.get_arguments());
        let names: Vec<&str> = arguments.map(|argument| argument.get_id().as_str()).collect();
        for name in ["device", "profile", "dump_after", "arguments", "file", "files"] {
            assert!(names.contains(&name), "{name}");
        }
    }
}
