//! `clvk-run export`: a folder with everything that an application needs to run kernels.
//!
//! A kit has SPIR-V for several profiles, the tables of how to launch it, the runtime `libclvk_launch` (C,
//! in `kit/runtime`), functions with the kernels' own arguments, a sample and build files. All languages use
//! the runtime in C, which takes the first variant that suits a device.
//!
//! - `command`: the command line. `variant`: the program for each profile, and what a device must have.
//! - `check`: what a kit cannot run. `tables`: the interface as C.
//! - `signature`: the kernels as applications call them; `names`. `sample`: what the samples do.
//! - `c`, `cpp`, `rust`, `kotlin`: a language each. `files`: the files of a kit. `template`: placeholders.
//!
//! The files of kits are in `tools/clvk-run/kit`: the runtime as it is, and templates. What differs for each
//! kernel is made here. The interface is [`clvk::interface::ModuleInterface`]; nothing is described anew.

mod c;
mod check;
mod command;
mod cpp;
mod files;
mod kotlin;
mod names;
mod rust;
mod sample;
mod signature;
mod tables;
mod template;
mod variant;

pub use command::{ExportCommand, HELP};

use crate::console;
use crate::failure::{Failure, Result};
use crate::file;
use crate::profiles;
use crate::program::{Source, check_kernel, without_kernels};
use clvk::DeviceProfile;
use command::{Language, Target};
use files::{File, Owner};
use signature::Kernel;
use std::path::Path;
use std::process::ExitCode;
use variant::{Build, Variant};

/// A program to export.
struct Kit {
    /// Its name, an identifier.
    program: String,
    target: Target,
    language: Language,
    /// Best first.
    variants: Vec<Variant>,
    kernels: Vec<Kernel>,
}

/// Runs the command.
pub fn export(command: &ExportCommand, build_options: &[String]) -> Result<ExitCode> {
    if command.lang == Language::Kotlin && command.target != Target::Android {
        return Err(Failure::usage(
            "Kotlin is for `--target android`; choose another language with `--lang`",
        ));
    }
    check_folder(&command.output)?;
    let source = Source::read(&command.file, build_options)?;
    let kit = compile(command, &source)?;
    write(&command.output, &files::files(&kit))?;
    report(command, &kit)?;
    Ok(ExitCode::SUCCESS)
}

/// Compiles the source for all profiles.
fn compile(command: &ExportCommand, source: &Source) -> Result<Kit> {
    let named = |names: &[String]| profiles::named(names);
    let profiles: Vec<DeviceProfile> = match command.profile.is_empty() {
        true => named(&command.target.profiles().iter().map(|&name| name.to_owned()).collect::<Vec<_>>())?,
        false => named(&command.profile)?,
    };
    let build = Build { source, kernels: &command.kernel };
    let object = source.object(&build.compiler(&profiles[0]))?;
    let names: Vec<&str> = object.kernel_names().collect();
    if names.is_empty() {
        return Err(without_kernels(&source.name()));
    }
    command.kernel.iter().try_for_each(|name| check_kernel(name, &names))?;
    let variants = build.variants(&profiles)?;
    check::check(object.module(), &variants)?;
    let kernels = variants[0].program.kernels().iter().map(Kernel::of).collect();
    let program = names::identifier(&program_name(command));
    Ok(Kit { program, target: command.target, language: command.lang, variants, kernels })
}

fn program_name(command: &ExportCommand) -> String {
    match &command.name {
        Some(name) => name.clone(),
        None if file::is_standard(&command.file) => "program".to_owned(),
        None => command.file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    }
}

/// A file that every kit has.
const MARK: &str = "runtime/clvk_launch.h";

/// Refuses folders with something else.
fn check_folder(folder: &Path) -> Result<()> {
    let wrong = |what: &str| {
        Err(Failure::usage(format!("`{}` {what}; name a new folder with `-o`", folder.display())))
    };
    if folder.exists() && !folder.is_dir() {
        return wrong("is not a folder");
    }
    let is_empty = std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if is_empty || folder.join(MARK).is_file() {
        Ok(())
    } else {
        wrong("has files that are not an exported program")
    }
}

/// Writes the files; what the user owns only if it is missing.
fn write(folder: &Path, files: &[File]) -> Result<()> {
    for file in files {
        let path = folder.join(&file.path);
        if file.owner == Owner::User && path.exists() {
            console::tell(format!("kept {}\n", path.display()));
            continue;
        }
        let parent = path.parent().expect("a file is in a folder");
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, &file.contents))
            .map_err(|error| Failure::usage(format!("cannot write `{}`: {error}", path.display())))?;
    }
    Ok(())
}

fn report(command: &ExportCommand, kit: &Kit) -> Result<()> {
    let names: Vec<&str> = kit.variants.iter().map(|variant| variant.name.as_str()).collect();
    console::print(format!(
        "wrote {}: program `{}` with {} for {}; README.md says how to build it",
        command.output.display(),
        kit.program,
        crate::failure::counted(kit.kernels.len(), "kernel"),
        names.join(", ")
    ))
}
