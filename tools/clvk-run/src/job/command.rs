//! From the command line to a job.

use super::{Job, Launch, PrintText, Shared, SourceText, Step, VerifyText};
use crate::argument::ArgumentText;
use crate::cli::{RunCommand, Size};
use crate::failure::{Failure, Result};
use std::path::Path;

impl Job {
    /// The job of a command.
    pub fn of_command(command: &RunCommand, build_options: &[String]) -> Result<Job> {
        let is_job = command.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
        let mut job = match is_job {
            true => {
                let arguments = &command.arguments;
                refuse_launch_options(&command.file, &LaunchOptions::of_run(command), arguments)?;
                Job::of_file(&command.file, build_options)?
            }
            false => Job::of_source(
                &command.file,
                LaunchOptions::of_run(command),
                command.arguments.iter().map(|text| ArgumentText::parse(text)).collect::<Result<_>>()?,
                build_options,
            ),
        };
        if command.device.is_some() {
            job.device.clone_from(&command.device);
        }
        job.add_results(command)?;
        job.check_streams()?;
        job.check_still()?;
        Ok(job)
    }

    /// One launch, of a kernel of a source.
    pub fn of_source(
        file: &Path,
        options: LaunchOptions,
        arguments: Vec<ArgumentText>,
        build_options: &[String],
    ) -> Job {
        let arguments: Vec<Shared> = arguments.into_iter().map(|text| Shared { name: None, text }).collect();
        let launch = Launch {
            source: 0,
            kernel: options.kernel,
            global: options.global,
            local: options.local,
            offset: options.offset,
            arguments: (0..arguments.len()).collect(),
        };
        let sources = vec![SourceText { path: file.to_owned(), options: build_options.to_vec() }];
        Job { sources, arguments, steps: vec![Step::Launch(launch)], is_file: false, device: None }
    }

    /// Adds what the command's own options ask for, after everything else.
    fn add_results(&mut self, command: &RunCommand) -> Result<()> {
        for text in &command.print {
            self.steps.push(Step::Print(PrintText::parse("--print ", text)?));
        }
        for text in &command.verify {
            self.steps.push(Step::Verify(VerifyText::parse("--verify ", text)?));
        }
        Ok(())
    }
}

/// What the command line says of its one launch.
#[derive(Default)]
pub struct LaunchOptions {
    /// `--kernel`.
    pub kernel: Option<String>,
    /// `--global`.
    pub global: Option<Size>,
    /// `--local`.
    pub local: Option<Size>,
    /// `--offset`.
    pub offset: Option<Size>,
}

impl LaunchOptions {
    fn of_run(command: &RunCommand) -> Self {
        let RunCommand { kernel, global, local, offset, .. } = command;
        LaunchOptions { kernel: kernel.clone(), global: *global, local: *local, offset: *offset }
    }
}

/// What a job file says for each launch cannot be said for all.
pub fn refuse_launch_options(file: &Path, options: &LaunchOptions, arguments: &[String]) -> Result<()> {
    let given = [
        ("`--kernel`", options.kernel.is_some()),
        ("`--global`", options.global.is_some()),
        ("`--local`", options.local.is_some()),
        ("`--offset`", options.offset.is_some()),
        ("arguments after `--`", !arguments.is_empty()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((what, _)) => Err(Failure::usage(format!(
            "`{}` is a job file; {what} must be in its steps, not on the command line",
            file.display()
        ))),
        None => Ok(()),
    }
}

impl PrintText {
    /// Reads `ARG[:COUNT]`; `before` is what stands before it, for messages.
    pub fn parse(before: &str, text: &str) -> Result<PrintText> {
        let form = || Failure::usage(format!("`{before}{text}` is not of the form `ARG[:COUNT]`"));
        let (argument, count) = match text.rsplit_once(':') {
            Some((argument, count)) => (argument, count.parse().map_err(|_| form())?),
            None => (text, 16),
        };
        Ok(PrintText { argument: argument.to_owned(), count })
    }
}

impl VerifyText {
    /// Reads `ARG=FILE[:TOLERANCE]`; `before` is what stands before it, for messages. What follows the last
    /// colon is part of the path if there is such a file.
    pub fn parse(before: &str, text: &str) -> Result<VerifyText> {
        let form = || Failure::usage(format!("`{before}{text}` is not of the form `ARG=FILE[:TOLERANCE]`"));
        let (argument, rest) = text.split_once('=').ok_or_else(form)?;
        let made = |path: &str, tolerance| VerifyText {
            argument: argument.to_owned(),
            path: path.into(),
            tolerance,
        };
        let Some((path, number)) = rest.rsplit_once(':') else { return Ok(made(rest, 0.0)) };
        match number.parse::<f64>() {
            Ok(tolerance) if tolerance >= 0.0 => Ok(made(path, tolerance)),
            _ if Path::new(rest).exists() => Ok(made(rest, 0.0)),
            _ => Err(Failure::usage(format!(
                "`{number}` in `{before}{text}` is not a tolerance: write a number of at least 0, such as `1e-6`"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_are_numbers_of_at_least_zero() {
        let parse =
            |text: &str| VerifyText::parse("--verify ", text).map_err(|failure| failure.message().to_owned());
        let expected = VerifyText { argument: "y".to_owned(), path: "a:b.npy".into(), tolerance: 0.5 };
        assert_eq!(parse("y=a:b.npy:0.5"), Ok(expected));
        for wrong in ["y=a.npy:1e", "y=a.npy:-1", "y=a.npy:nan", "y=a.npy:", "y=a:b.npy"] {
            assert!(parse(wrong).unwrap_err().contains("is not a tolerance"), "{wrong}");
        }
        assert!(parse("a.npy").unwrap_err().contains("ARG=FILE[:TOLERANCE]"));
    }
}
