//! `clvk-run manual`: man pages and shell completions, made from the definition of the command line.

use crate::cli::{Cli, ManualCommand};
use crate::completion;
use crate::failure::{Failure, Result};
use clap::CommandFactory;
use std::path::Path;
use std::process::ExitCode;

/// Runs the command.
pub fn manual(command: &ManualCommand) -> Result<ExitCode> {
    let pages = command.folder.join("man1");
    let completions = command.folder.join("completions");
    write(&pages, |folder| clap_mangen::generate_to(Cli::command(), folder))?;
    write(&completions, |folder| {
        completion::SCRIPTS.into_iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
    })?;
    Ok(ExitCode::SUCCESS)
}

fn write(folder: &Path, files: impl FnOnce(&Path) -> std::io::Result<()>) -> Result<()> {
    let made = std::fs::create_dir_all(folder).and_then(|()| files(folder));
    made.map_err(|error| Failure::usage(format!("cannot write to `{}`: {error}", folder.display())))
}
