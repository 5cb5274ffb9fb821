//! What to run, as plain data: the command line makes a job with one launch, a job file one with any number.
//!
//! Nothing here needs a device or has read a source. Arguments are counted: a launch names those that it
//! takes by their positions in [`Job::arguments`], so that launches can share them.

mod command;
mod file;

pub use command::{LaunchOptions, refuse_launch_options};

use crate::argument::ArgumentText;
use crate::cli::Size;
use crate::failure::{Failure, Result};
use crate::file::is_standard;
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
    /// Whether it comes from a job file.
    pub is_file: bool,
    /// Device, by index or by a part of its name.
    pub device: Option<String>,
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
    /// Swaps the contents of two arguments.
    Swap([String; 2]),
    /// Does steps several times.
    Repeat {
        /// How often.
        times: u32,
        /// What.
        steps: Vec<Step>,
    },
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
        self.outputs().any(is_standard)
    }

    /// The files that it writes.
    pub fn outputs(&self) -> impl Iterator<Item = &Path> {
        self.arguments.iter().filter_map(|shared| shared.text.output())
    }

    /// Refuses arguments that change from frame to frame.
    pub fn check_still(&self) -> Result<()> {
        let mut texts = self.arguments.iter().map(|shared| &shared.text);
        let word = texts.find_map(|text| match text {
            ArgumentText::Live(live) => Some(live.word()),
            ArgumentText::Screen(_) => Some("screen"),
            _ => None,
        });
        match word {
            Some(word) => Err(Failure::usage(format!(
                "`{word}:` is for pictures that change from frame to frame, which `clvk-run view` shows"
            ))),
            None => Ok(()),
        }
    }

    /// Refuses to read the standard input twice, or to write two things to the standard output.
    fn check_streams(&self) -> Result<()> {
        let inputs = self.arguments.iter().filter_map(|shared| shared.text.input());
        let sources = self.sources.iter().map(|source| source.path.as_path());
        let verified = self.verified();
        let expected = verified.iter().map(|text| text.path.as_path());
        let standard =
            |paths: &mut dyn Iterator<Item = &Path>| paths.filter(|path| is_standard(path)).count();
        if standard(&mut inputs.chain(sources).chain(expected)) > 1 {
            return Err(Failure::usage(
                "the standard input (`-`) can be read only once; put the other into a file",
            ));
        }
        if standard(&mut self.outputs()) > 1 {
            return Err(Failure::usage(
                "the standard output (`-`) can be written only once; name a file for the other",
            ));
        }
        Ok(())
    }

    /// The files that it reads.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let arguments = self.arguments.iter().filter(|shared| shared.text.output().is_none());
        let inputs = arguments.filter_map(|shared| shared.text.input());
        let sources = self.sources.iter().map(|source| source.path.as_path());
        let verified = self.verified();
        inputs
            .chain(sources)
            .chain(verified.iter().map(|text| text.path.as_path()))
            .map(Path::to_owned)
            .collect()
    }

    /// Its launches, in order.
    pub fn launches(&self) -> Vec<&Launch> {
        let mut launches = Vec::new();
        visit(&self.steps, &mut |step| {
            if let Step::Launch(launch) = step {
                launches.push(launch);
            }
        });
        launches
    }

    fn verified(&self) -> Vec<&VerifyText> {
        let mut texts = Vec::new();
        visit(&self.steps, &mut |step| {
            if let Step::Verify(text) = step {
                texts.push(text);
            }
        });
        texts
    }
}

/// Shows each step, those that are repeated too.
fn visit<'a>(steps: &'a [Step], see: &mut impl FnMut(&'a Step)) {
    for step in steps {
        see(step);
        if let Step::Repeat { steps, .. } = step {
            visit(steps, see);
        }
    }
}
