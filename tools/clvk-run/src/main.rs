//! `clvk-run`: compile and run OpenCL C kernels on Vulkan devices from the command line.
//!
//! - `cli`: the command line. `options`: build options as OpenCL spells them, taken out before clap sees the
//!   rest.
//! - `argument`: the text of kernel arguments. `number`: literals and their conversion. `resource`: what they
//!   become on the device. `content`, `file`: what buffers hold. `texels`: images.
//! - `program`: sources to SPIR-V. `assembly`: SPIR-V as text. `run`, `compile`, `check`, `devices`,
//!   `doctor`: the commands; `pipelines`: what drivers make of the kernels that are checked.
//! - `profile`: the command that measures kernels. `trace`: the one that shows what a work-item did.
//! - `view`: the command that shows pictures. `export`: the one that writes kits for applications. `clspv`:
//!   the one that takes the place of clspv.
//! - `job`: what `run` runs, as data. `supervise`: the second process, in which kernels run. `watch`: `run`
//!   again and again. `timing`, `verify`: what `run` measures and compares. `report`, `show`: what it prints.
//!   `structure`: structures as literals, and shown.
//! - `manual`: man pages, for `tools/install`. `completion`: what can follow on a command line, for shells.
//! - `failure`: errors and exit codes. `console`: the standard streams. `similar`: names that were meant.
//!   `table`, `wrap`: text on terminals. `variables`: environment variables for users. `parallel`: work on
//!   all processors.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(feature = "view"),
    allow(dead_code, unused_imports, reason = "some helpers serve `view` alone")
)]

mod argument;
mod assembly;
mod check;
mod cli;
mod clspv;
mod compile;
mod completion;
mod console;
mod content;
mod devices;
mod doctor;
mod export;
mod failure;
mod file;
mod job;
mod manual;
mod number;
mod options;
mod parallel;
mod pipelines;
mod profile;
mod profiles;
mod program;
mod report;
mod resource;
mod run;
mod shaders;
mod show;
mod similar;
mod structure;
mod supervise;
mod table;
mod texels;
mod timing;
mod trace;
mod variables;
mod verify;
#[cfg(feature = "view")]
mod view;
mod watch;
mod wrap;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    if let Some(arguments) = clspv::arguments(&arguments) {
        return clspv::run(arguments);
    }
    let (rest, build_options) = options::split(arguments);
    let cli = match cli::Cli::read(rest, &build_options) {
        Ok(cli) => cli,
        Err(failure) => return failure.report(false),
    };
    console::set_message_options(cli.messages);
    let result = match &cli.command {
        cli::Command::Run(command) => run::run(command, &build_options),
        cli::Command::Trace(command) => trace::trace(command, &build_options),
        cli::Command::Profile(command) => profile::profile(command, &build_options),
        cli::Command::Compile(command) => compile::compile(command, &build_options),
        cli::Command::Check(command) => check::check(command, &build_options),
        cli::Command::Export(command) => export::export(command, &build_options),
        cli::Command::CompilePipelines(command) => pipelines::work(command, &build_options),
        cli::Command::ClspvCompat(command) => clspv::clspv(command),
        #[cfg(feature = "view")]
        cli::Command::View(command) => view::view(command, &build_options),
        cli::Command::Devices(command) => devices::devices(command),
        cli::Command::Doctor(command) => doctor::doctor(command),
        cli::Command::Manual(command) => manual::manual(command),
        cli::Command::Complete(command) => completion::completion(command),
    };
    match result {
        Ok(code) => code,
        Err(failure) => failure.report(cli.command.prints_json()),
    }
}
