//! What to run, as plain data: the command line makes a job with one launch, a job file one with any number.
//!
//! Nothing here needs a device or has read a source. Arguments are counted: a launch names those that it
//! takes by their positions in [`Job::arguments`], so that launches can share them.

mod command;

use crate::argument::ArgumentText;
use crate::cli::Size;
use crate::failure::{Failure, Result};
use crate::file;
use std::path::{Path, PathBuf};

/// Everything that a run does, in order.
#[derive(Debug)]
pub struct Job {
    /// Sources.
    pub sources: Vec<SourceText>,
    /// What launches take.
    pub arguments: Vec<Shared>,
    /// What to do.
    pub steps: Vec<Step>,
}

/// A source and its build options.
#[derive(Debug, PartialEq, Eq)]
pub struct SourceText {
    /// Its file.
    pub path: PathBuf,
    /// Build options, as OpenCL spells them.
    pub options: Vec<String>,
}

/// An argument of launches.
#[derive(Debug)]
pub struct Shared {
    /// What it is called; if it has no name of its own, as the first parameter that takes it.
    pub name: Option<String>,
    /// As it was written.
    pub text: ArgumentText,
}

/// A step of a job.
#[derive(Debug)]
pub enum Step {
    /// Runs a kernel.
    Launch(Launch),
    /// Compares an argument with a file.
    Verify(VerifyText),
    /// Prints the first elements of an argument.
    Print(PrintText),
}

/// A launch of a kernel.
#[derive(Debug)]
pub struct Launch {
    /// Position of its source.
    pub source: usize,
    /// Its name; may be left out where there is only one.
    pub kernel: Option<String>,
    /// Global size; derived from the arguments if left out.
    pub global: Option<Size>,
    /// Work-group size; chosen if left out.
    pub local: Option<Size>,
    /// Global offset.
    pub offset: Option<Size>,
    /// Positions of its arguments.
    pub arguments: Vec<usize>,
}

/// A comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifyText {
    /// Name or index of the argument.
    pub argument: String,
    /// What is expected.
    pub path: PathBuf,
    /// Difference that is still right.
    pub tolerance: f64,
}

/// What to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintText {
    /// Name or index of the argument.
    pub argument: String,
    /// Elements at most.
    pub count: u64,
}

impl Job {
    /// Whether a result goes to the standard output, so that nothing else may.
    pub fn writes_standard_output(&self) -> bool {
        self.arguments.iter().filter_map(|shared| shared.text.output()).any(file::is_standard)
    }

    /// Refuses to read the standard input twice, or to write two things to the standard output.
    fn check_streams(&self) -> Result<()> {
        let inputs = self.arguments.iter().filter_map(|shared| shared.text.input());
        let sources = self.sources.iter().map(|source| source.path.as_path());
        let expected = self.steps.iter().filter_map(|step| match step {
            Step::Verify(text) => Some(text.path.as_path()),
            _ => None,
        });
        let outputs = self.arguments.iter().filter_map(|shared| shared.text.output());
        let standard =
            |paths: &mut dyn Iterator<Item = &Path>| paths.filter(|path| file::is_standard(path)).count();
        if standard(&mut inputs.chain(sources).chain(expected)) > 1 {
            return Err(Failure::usage(
                "the standard input (`-`) can be read only once; put the other into a file",
            ));
        }
        if standard(&mut outputs.into_iter()) > 1 {
            return Err(Failure::usage(
                "the standard output (`-`) can be written only once; name a file for the other",
            ));
        }
        Ok(())
    }

    /// Its launches, in order.
    pub fn launches(&self) -> Vec<&Launch> {
        self.steps
            .iter()
            .filter_map(|step| match step {
                Step::Launch(launch) => Some(launch),
                _ => None,
            })
            .collect()
    }
}
