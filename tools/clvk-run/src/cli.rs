//! The command line.

use crate::compile::Emit;
use crate::failure::Result;
use crate::number::Number;
use crate::pipelines::WorkerCommand;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clvk::BuildOptions;
use clvk::interface::sanitize::Kinds;
use clvk::interface::{Quirk, ShaderFeature, print::DEFAULT_PRINT_BUFFER};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

const BUILD_OPTIONS: &str = "\
Build options, as OpenCL spells them, anywhere before `--`:
  -D NAME[=VALUE]  -U NAME  -I DIR  -w  -Werror  -g
  -cl-std=CL1.0|CL1.1|CL1.2|CL2.0|CL3.0|CL3.1
  -cl-std=CLC++|CLC++1.0|CLC++2021   C++ for OpenCL, as *.clcpp and *.clpp are
  -cl-std=c++   OpenCL C++ 1.0, whose library is in headers such as <opencl_memory>
  -cl-fast-relaxed-math  -cl-mad-enable  -cl-finite-math-only
  -cl-no-signed-zeros  -cl-unsafe-math-optimizations  -cl-denorms-are-zero
  -cl-single-precision-constant
  -cl-fp32-correctly-rounded-divide-sqrt  -cl-opt-disable
Options of other vendors' compilers (-cl-nv-…, -cl-intel-…, -fno-bin-…,
-qcom-…) are ignored with a warning.";

const RUN_HELP: &str = "\
Kernel arguments, one for each parameter, in order:
  2.5f  7u  -3  (1,2,3,4)         scalars and vectors, converted to the parameter's type
  {1, 2.5f, (1,2)}                structures; inner structures and arrays are in `{}` too
  in:FILE                         buffer read from a file; its ending says what it holds
  inout:FILE                      the same, and written back
  out:FILE:TYPE[N,M...]           buffer of zeros, written to the file afterwards
  out:FILE.png:uchar4[H,W]        the same as a picture: H rows of W pixels
  zero:TYPE[N]                    buffer of zeros
  fill:VALUE:TYPE[N]              buffer filled with a value: 1.5f or (1,2,3,4)
  rand:SEED:TYPE[N]               random values: floats in [0,1), integers over their range
  undefined:TYPE[N]  read-only:BUFFER  write-only:BUFFER   what `--sanitize` checks of a buffer
  null  local:BYTES               a null pointer where a buffer is taken; local memory
  image:FILE[:FORMAT]             image read from a picture or an NPY file
  image-out:FILE:WxH[:FORMAT]     image written to a file afterwards: W, WxH or WxHxD
  image-inout:FILE[:FORMAT]       image read and written back
  image-zero:WxH[:FORMAT]         image of zeros
  sampler:ADDRESSING,FILTER,normalized|unnormalized
                                  ADDRESSING: none, clamp, clamp-to-edge, repeat, mirrored
                                  FILTER: nearest, linear
TYPE is a scalar or vector type of OpenCL C: float, uint, uchar4, ...
FORMAT is r, rg, rgba or bgra, followed by 8, 16, 8snorm, 16snorm, 8ui, 16ui, 32ui, 8i, 16i,
32i, 16f or 32f. If it is left out, it suits the kernel and the file.
FILE ends in .npy, .csv or, for pictures, .png .jpg .bmp .exr .pfm .pgm .ppm .pam. Other
files have raw little-endian bytes. `-` is the standard input or output with raw bytes,
`-.npy`, `-.png` and so on the same in a format.

Exit codes: 0 right, 1 verification failed or errors found, 2 usage, 3 the source is wrong, 4 the device failed.

Example:
  clvk-run run saxpy.cl --global 1024 --print 2:4 -- 2.0f rand:1:float[1024] fill:1:float[1024]";

const HELP: &str = "\
Exit codes: 0 right, 1 verification failed or errors found, 2 usage, 3 the source is wrong, or
does not suit the device, 4 the device failed, or there is none.

Examples:
  clvk-run doctor
  clvk-run run saxpy.cl --global 1024 --print 2:4 -- 2.0f rand:1:float[1024] fill:1:float[1024]
  clvk-run check --profile adreno-740,mali-g610 saxpy.cl";

/// Compile and run OpenCL C kernels on any Vulkan device.
#[derive(Debug, Parser)]
#[command(version, about, after_help = HELP, max_term_width = 110)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// How messages look.
    #[command(flatten)]
    pub messages: MessageOptions,
}

/// How errors and warnings look.
#[derive(Clone, Copy, Debug, Args)]
pub struct MessageOptions {
    /// How errors and warnings look on the standard error.
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value = "pretty")]
    pub message_format: MessageFormat,
    /// Errors of a source that are shown, 0 for all; `json` has all of them.
    #[arg(long, global = true, value_name = "N", default_value_t = 20, value_parser = parse_count)]
    pub error_limit: usize,
}

impl Default for MessageOptions {
    fn default() -> Self {
        MessageOptions { message_format: MessageFormat::Pretty, error_limit: 20 }
    }
}

/// A format of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// Source lines with labels, in colour on a terminal.
    Pretty,
    /// A line each, as editors and continuous integration read it: `file:line:column: error: message`.
    Short,
    /// A JSON object a line: severity, text, place, label, related places, notes.
    Json,
}

impl Cli {
    /// Parses the arguments; ends the program with a message if they are wrong.
    /// Where an argument is missing, a build option may have taken it: wrong ones are told first.
    pub fn read(arguments: Vec<String>, build_options: &[String]) -> Result<Cli> {
        Cli::try_parse_from(arguments).or_else(|error| {
            if error.kind() == ErrorKind::MissingRequiredArgument {
                BuildOptions::from_arguments(build_options.iter().cloned())?;
            }
            with_tip(error).exit()
        })
    }
}

/// An error of the command line with the tips that help.
fn with_tip(mut error: clap::Error) -> clap::Error {
    let tip = match error.kind() {
        ErrorKind::UnknownArgument => {
            let Some(unknown) = text(&error, ContextKind::InvalidArg) else { return error };
            // A hidden option is not what was meant, and an option is seldom a kernel argument.
            if text(&error, ContextKind::SuggestedArg).is_some_and(|name| is_hidden(&name)) {
                error.remove(ContextKind::SuggestedArg);
            }
            if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
                tips.retain(|tip| !tip.to_string().contains("as a value"));
                if !tips.is_empty() {
                    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
                }
            }
            let for_run = error
                .get(ContextKind::Usage)
                .is_some_and(|usage| usage.to_string().contains("[-- <ARGS>...]"));
            let is_argument = !unknown.starts_with('-') || Number::parse(&unknown).is_some();
            (for_run && is_argument).then(|| format!("kernel arguments follow `--`: `-- {unknown} ...`"))
        }
        ErrorKind::InvalidSubcommand => {
            let unknown = text(&error, ContextKind::InvalidSubcommand).unwrap_or_default();
            let is_source = [".cl", ".ocl", ".clc", ".clcpp", ".clpp", ".toml"]
                .iter()
                .any(|ending| unknown.ends_with(ending));
            is_source.then(|| format!("to run it: `clvk-run run {unknown}`"))
        }
        _ => None,
    };
    if let Some(tip) = tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    }
}

/// Whether an option (`--probe`) is hidden wherever it exists.
fn is_hidden(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    let command = Cli::command();
    let arguments = command.get_subcommands().flat_map(|command| command.get_arguments());
    arguments.filter(|argument| argument.get_long() == Some(name)).all(clap::Arg::is_hide_set)
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a kernel.
    #[command(after_help = format!("{RUN_HELP}\n\n{BUILD_OPTIONS}"))]
    Run(RunCommand),
    /// Measure a kernel, and say what limits it.
    #[command(after_help = format!("{}\n\n{BUILD_OPTIONS}", crate::profile::HELP), mut_arg("profile", |it| it.hide(true)))]
    Profile(crate::profile::ProfileCommand),
    /// Show what a work-item does, line by line.
    #[command(after_help = format!("{}\n\n{BUILD_OPTIONS}", crate::trace::HELP))]
    Trace(crate::trace::TraceCommand),
    /// Compile kernels to Vulkan SPIR-V.
    #[command(after_help = format!("{COMPILE_HELP}\n\n{BUILD_OPTIONS}"))]
    Compile(CompileCommand),
    /// Tell which kernels run on which devices: natively, emulated (and at what price), or not (and why).
    #[command(after_help = format!("{CHECK_HELP}\n\n{BUILD_OPTIONS}"))]
    Check(CheckCommand),
    /// Write a folder with which an application runs kernels: SPIR-V, a small runtime as source, a sample.
    #[command(after_help = format!("{}\n\n{BUILD_OPTIONS}", crate::export::HELP))]
    Export(crate::export::ExportCommand),
    /// Take the place of clspv: its options, and SPIR-V with the reflection that its hosts read.
    #[command(after_help = crate::clspv::HELP)]
    ClspvCompat(ClspvCommand),
    /// Show what kernels draw, frame by frame, in a window or in files.
    #[cfg(feature = "view")]
    #[command(after_help = format!("{}\n\n{BUILD_OPTIONS}", crate::view::HELP))]
    View(crate::view::ViewCommand),
    /// List the Vulkan devices, best first.
    #[command(after_help = DEVICES_HELP)]
    Devices(DevicesCommand),
    /// Look at drivers, loaders, caches and variables, and say what is missing and how to get it.
    #[command(after_help = crate::doctor::HELP)]
    Doctor(DoctorCommand),
    /// Write man pages and shell completions to a folder.
    #[command(hide = true)]
    Manual(ManualCommand),
    /// Tell a shell's script what can follow.
    #[command(hide = true)]
    Complete(CompleteCommand),
    /// Compile pipelines for `check --pipelines`, which may crash.
    #[command(hide = true)]
    CompilePipelines(WorkerCommand),
}

impl Command {
    /// Whether the results are for programs.
    pub fn prints_json(&self) -> bool {
        match self {
            Command::Run(command) => command.json,
            Command::Profile(command) => command.run.json,
            Command::Trace(command) => command.json,
            Command::Check(command) => command.json,
            Command::Devices(command) => command.json,
            Command::Doctor(command) => command.json,
            #[cfg(feature = "view")]
            Command::View(_) => false,
            Command::Compile(_)
            | Command::Export(_)
            | Command::ClspvCompat(_)
            | Command::Manual(_)
            | Command::Complete(_)
            | Command::CompilePipelines(_) => false,
        }
    }
}

/// `clvk-run clspv-compat`.
#[derive(Debug, Args)]
pub struct ClspvCommand {
    /// Options and files, as clspv takes them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

/// `clvk-run run`.
#[derive(Clone, Debug, Args)]
pub struct RunCommand {
    /// A source, SPIR-V for kernels, or a job file (.toml) of several launches; `-` is the standard input.
    pub file: PathBuf,
    /// Kernel to run; may be left out where there is only one.
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Global size, one to three numbers; taken from the image that the kernel writes, else from the first
    /// buffer's length, if left out.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_size)]
    pub global: Option<Size>,
    /// Work-group size; chosen if left out.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_size)]
    pub local: Option<Size>,
    /// Global offset.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_offset)]
    pub offset: Option<Size>,
    /// Device, by index or by a part of its name; see `clvk-run devices`.
    #[arg(long, value_name = "N|NAME")]
    pub device: Option<String>,
    /// Run N times more and print device and host times, least and median.
    #[arg(long, value_name = "N", value_parser = parse_times)]
    pub time: Option<u32>,
    /// Measure the kernel and say what limits it, as `clvk-run profile` does.
    #[arg(long)]
    pub profile: bool,
    /// Give up when the device takes longer than this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = parse_timeout)]
    pub timeout: Option<Duration>,
    /// Compare an argument (by name, or by index from 0) with a file afterwards; within a tolerance, relative
    /// to values above 1 and absolute below. In pictures, black is 0 and white 1; where they differ,
    /// ARG.difference.png shows it. May be given several times.
    #[arg(long, value_name = "ARG=FILE[:TOLERANCE]")]
    pub verify: Vec<String>,
    /// Print the first elements of an argument afterwards (16 if no count is given). May be given several
    /// times.
    #[arg(long, value_name = "ARG[:COUNT]")]
    pub print: Vec<String>,
    /// Bytes of the buffer for what a launch prints with `printf`; what does not fit is lost, and counted.
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_PRINT_BUFFER, value_parser = parse_bytes)]
    pub print_buffer: u32,
    /// Run under the Khronos validation layer; a message of it is a failure.
    #[arg(long)]
    pub validate: bool,
    /// Check each access of the kernel, so that it reaches nothing but its arguments and variables;
    /// `CLVK_ROBUST=1` does too.
    #[arg(long)]
    pub robust: bool,
    /// Check for errors while the kernels run, and report each with its place: the kinds named, with commas
    /// between them, such as `all,warnings` or `loops=1000`, or all. `CLVK_SANITIZE=KINDS` does too.
    #[arg(long, value_name = "KINDS", num_args = 0..=1, require_equals = true, default_missing_value = "all",
          value_parser = Kinds::parse)]
    pub sanitize: Option<Kinds>,
    /// Print the results as JSON; what kernels print goes to the standard error output.
    #[arg(long)]
    pub json: bool,
    /// Run again each time that the source, a header beside it, the job file or an input changes.
    #[arg(long)]
    pub watch: bool,
    /// Kernel arguments; see below.
    #[arg(last = true, value_name = "ARGS", allow_negative_numbers = true)]
    pub arguments: Vec<String>,
}

const COMPILE_HELP: &str = "\
Exit codes: 0 compiled, 2 usage, 3 the source is wrong, or the device cannot run it.

Examples:
  clvk-run compile blur.cl --profile adreno-740 -o blur.spv
  clvk-run compile blur.cl --emit asm -o -
  clvk-run compile blur.cl --emit wgsl -o blur.wgsl
  clvk-run compile blur.cl --emit opencl-spirv -o blur.spv";

/// `clvk-run compile`.
#[derive(Debug, Args)]
pub struct CompileCommand {
    /// OpenCL C source, or SPIR-V for kernels; `-` is the standard input.
    pub file: PathBuf,
    /// Output file; `-` is the standard output. With SPIR-V and shaders, the interface goes beside it as
    /// FILE.json. Other files are not overwritten.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Device to compile for: the name of a preset (see `clvk-run devices --presets`) or a JSON file.
    #[arg(
        long,
        value_name = "PROFILE",
        default_value = DEFAULT_PROFILE,
        default_value_ifs = ["wgsl", "msl", "hlsl", "glsl"].map(|language| ("emit", language, SHADER_PROFILE)),
    )]
    pub profile: String,
    /// Kernel to compile, with what it calls; all if none is named. May be given several times.
    #[arg(long, value_name = "NAME")]
    pub kernel: Vec<String>,
    /// What to write.
    #[arg(long, value_enum, default_value = "spirv")]
    pub emit: Emit,
    /// The file is a part of a program, whose other parts define the rest. For `--emit ir` alone.
    #[arg(long)]
    pub part: bool,
    /// Optional features of WebGPU that a shader may use: `shader-f16` computes halves as such, `subgroups`
    /// has the device's sub-groups. Without them it runs everywhere.
    #[arg(long, value_name = "FEATURES", value_delimiter = ',', value_parser = crate::shaders::feature)]
    pub shader_features: Vec<ShaderFeature>,
    /// Errors of the driver of OpenCL that `--emit opencl-spirv` avoids: `sub-group-barrier-meets`.
    #[arg(long, value_name = "ERRORS", value_delimiter = ',', value_parser = crate::compile::avoided)]
    pub avoid: Vec<Quirk>,
    /// Value of an override of a shader, such as `local_size_x=16`. WGSL takes it as the default, other
    /// languages as a constant. May be given several times.
    #[arg(long, value_name = "NAME=NUMBER")]
    pub set: Vec<String>,
    /// Format of an image that kernels write, such as `picture=rgba32float`: shaders have it in the text.
    /// Else colours are `rgba8unorm`, integers `rgba32sint` and `rgba32uint`. May be given several times.
    #[arg(long, value_name = "IMAGE=FORMAT")]
    pub texel_format: Vec<String>,
    /// Print the IR after a pass (`all`: after each) to the standard error. May be given several times.
    #[arg(long, value_name = "PASS")]
    pub dump_after: Vec<String>,
}

const CHECK_HELP: &str = "\
The devices need not be there: a profile is the name of a preset (see
`clvk-run devices --presets`), or a JSON file: what `clvk-run devices --json` or
`vulkaninfo --json` prints on the device itself, Android's `cmd gpu vkjson`, a
report of vulkan.gpuinfo.org, or Vulkan Profiles. FILE.json#N is the Nth device
of a file, from 0.

With `--pipelines` or `--stats` the drivers of this machine compile the kernels.
Some compile for GPUs that are not there: Mesa's RADV, up to version 25, does so
for the GPU that the variable RADV_FORCE_FAMILY names (navi21, vega10).

Exit codes: 0 all kernels run on all devices, 2 usage, 3 some cannot, 4 a driver failed.

Examples:
  clvk-run check --profile adreno-740,mali-g610 blur.cl hash.cl
  clvk-run check --stats blur.cl
  RADV_FORCE_FAMILY=navi21 clvk-run check --stats --device NAVI21 blur.cl";

/// `clvk-run check`.
#[derive(Debug, Args)]
pub struct CheckCommand {
    /// OpenCL C sources, or SPIR-V for kernels.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Devices, separated by commas: names of presets or JSON files; all presets if none is named.
    #[arg(long, value_name = "PROFILE[,PROFILE...]", value_delimiter = ',')]
    pub profile: Vec<String>,
    /// Print the result for programs: JSON, SARIF 2.1.0 or JUnit's XML.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<CheckFormat>,
    /// Print the result as JSON, as `--format json` does.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Compile the kernels to machine code with the Vulkan drivers of this machine, without running them.
    /// They are compiled for the profile of each device, or for `--profile`, which must need no more.
    #[arg(long)]
    pub pipelines: bool,
    /// Print what the drivers make of the kernels: registers, spills, instructions and so on. It implies
    /// `--pipelines`.
    #[arg(long)]
    pub stats: bool,
    /// With `--pipelines`: devices, by index or by a part of the name, separated by commas; all if left out.
    #[arg(long, value_name = "N|NAME[,...]", value_delimiter = ',')]
    pub device: Vec<String>,
    /// With `--pipelines`: work-group size of kernels that require none; chosen if left out.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_local)]
    pub local: Option<[u32; 3]>,
    /// With `--pipelines`: give up a kernel when the driver takes longer than this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = parse_timeout)]
    pub timeout: Option<Duration>,
}

impl CheckCommand {
    /// Whether drivers compile the kernels.
    pub fn wants_pipelines(&self) -> bool {
        self.pipelines
            || self.stats
            || !self.device.is_empty()
            || self.local.is_some()
            || self.timeout.is_some()
    }

    /// How the result is printed.
    pub fn format(&self) -> CheckFormat {
        self.format.unwrap_or(if self.json { CheckFormat::Json } else { CheckFormat::Text })
    }
}

/// How `check` prints its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people.
    Text,
    /// A row for each kernel and device.
    Json,
    /// SARIF 2.1.0, which code hosts show beside the source.
    Sarif,
    /// JUnit's XML: a suite for each device, a case for each kernel.
    Junit,
}

/// The profile that is compiled for if none is named: a plain desktop driver.
pub const DEFAULT_PROFILE: &str = "lavapipe-22.3";

/// The device that shaders are compiled for unless another is named.
const SHADER_PROFILE: &str = "webgpu";

const DEVICES_HELP: &str = "\
Exit codes: 0 there are devices, 2 usage, 4 there are none (`clvk-run doctor` looks for the reason).

Example:
  clvk-run devices --json > devices.json";

/// `clvk-run devices`.
#[derive(Debug, Args)]
pub struct DevicesCommand {
    /// Print the limits and features of each device, and what clvk avoids and relies on, below the table.
    #[arg(short, long, conflicts_with_all = ["json", "presets"])]
    pub verbose: bool,
    /// Print everything that is known of each device, its profile too, as JSON.
    #[arg(long)]
    pub json: bool,
    /// List the profiles that come with the compiler instead.
    #[arg(long)]
    pub presets: bool,
    /// Print the profile of this name, or made of this report (`vulkaninfo --json`, vulkan.gpuinfo.org,
    /// Android's `cmd gpu vkjson`, Vulkan Profiles), instead, as JSON.
    #[arg(long, value_name = "PROFILE", conflicts_with_all = ["json", "presets", "verbose"])]
    pub profile: Option<String>,
}

/// `clvk-run doctor`.
#[derive(Debug, Args)]
pub struct DoctorCommand {
    /// Print the report as JSON.
    #[arg(long)]
    pub json: bool,
    /// Print what the Vulkan loader and its drivers say, for the doctor itself.
    #[arg(long, hide = true)]
    pub probe: bool,
}

/// `clvk-run manual`.
#[derive(Debug, Args)]
pub struct ManualCommand {
    /// Where `man1` and `completions` go.
    pub folder: PathBuf,
}

/// `clvk-run complete`.
#[derive(Debug, Args)]
pub struct CompleteCommand {
    /// Which of the words is being typed, from 0.
    #[arg(value_parser = parse_count)]
    pub index: usize,
    /// The words, the program's own name among them.
    #[arg(last = true)]
    pub words: Vec<String>,
}

/// Up to three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// How many were given.
    pub dimensions: u32,
    /// The numbers; `rest` for those that were not.
    pub values: [u64; 3],
}

/// A whole number of the range of a type.
fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| {
        let is_number = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
        format!("`{text}` is {}", if is_number { "too large" } else { "not a whole number" })
    })
}

fn parse_count(text: &str) -> Result<usize, String> {
    whole(text)
}

fn parse_bytes(text: &str) -> Result<u32, String> {
    whole(text)
}

fn parse_times(text: &str) -> Result<u32, String> {
    match whole(text)? {
        0 => Err("at least 1 is expected".to_owned()),
        times => Ok(times),
    }
}

fn parse_numbers(text: &str, rest: u64) -> Result<Size, String> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err("at most three numbers are expected".to_owned());
    }
    let mut values = [rest; 3];
    for (value, part) in values.iter_mut().zip(&parts) {
        let by_commas = |wrong: String| match part.split_once(['x', 'X', '*', '×']) {
            Some((first, _)) if whole::<u64>(first).is_ok() => "separate the sizes by commas".to_owned(),
            _ => wrong,
        };
        *value = whole(part).map_err(by_commas)?;
    }
    Ok(Size { dimensions: parts.len() as u32, values })
}

/// One to three numbers above zero, separated by commas.
pub fn parse_size(text: &str) -> Result<Size, String> {
    let size = parse_numbers(text, 1)?;
    if size.values.contains(&0) { Err("a size of zero runs nothing".to_owned()) } else { Ok(size) }
}

/// A work-group size.
pub fn parse_local(text: &str) -> Result<[u32; 3], String> {
    let size = parse_size(text)?.values.map(u32::try_from);
    match size {
        [Ok(x), Ok(y), Ok(z)] => Ok([x, y, z]),
        _ => Err("a size of a work-group has 32 bits".to_owned()),
    }
}

fn parse_timeout(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|&seconds| seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "a number of seconds above 0 is expected".to_owned())
}

/// One to three numbers, separated by commas.
pub fn parse_offset(text: &str) -> Result<Size, String> {
    parse_numbers(text, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_have_one_to_three_positive_numbers() {
        assert_eq!(parse_size("8,4"), Ok(Size { dimensions: 2, values: [8, 4, 1] }));
        assert_eq!(parse_offset("0"), Ok(Size { dimensions: 1, values: [0, 0, 0] }));
        assert!(parse_size("8,0").is_err());
        assert!(parse_size("1,2,3,4").is_err());
        assert!(parse_size("x").is_err());
    }
}
