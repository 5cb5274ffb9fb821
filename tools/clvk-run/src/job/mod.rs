//! What to run, as plain data: the command line makes a job with one launch, a job file one with any number.
//!
//! Nothing here needs a device or has read a source. Arguments are counted: a launch names those that it
//! takes by their positions in [`Job::arguments`], so that launches can share them.

mod command;

use crate::argument::ArgumentText;
use crate::cli::Size;
use std::path::PathBuf;

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
