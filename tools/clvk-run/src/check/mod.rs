//! `clvk-run check`: which kernels run on which devices, and at what price.
//!
//! `verdict` judges; `text` shows the result on a terminal, `formats` to other programs. A file that is wrong
//! on every device is one error, whatever the number of devices.

mod formats;
mod text;
mod verdict;

use crate::cli::{CheckCommand, CheckFormat};
use crate::console;
use crate::failure::{Failure, Result, Status};
use crate::pipelines;
use crate::profiles;
use crate::program::{Source, without_kernels};
use clvk::DeviceProfile;
use indicatif::{ProgressBar, ProgressStyle};
use std::process::ExitCode;
pub use text::reason_text;
use verdict::{Judged, Row, Verdict};

/// Runs the command.
pub fn check(command: &CheckCommand, build_options: &[String]) -> Result<ExitCode> {
    if command.wants_pipelines() {
        return pipelines::check(command, build_options);
    }
    let profiles = profiles::named(&command.profile)?;
    let sources = command.files.iter().map(|file| Source::read(file, build_options));
    let sources = sources.collect::<Result<Vec<_>>>()?;
    let progress = progress_bar(sources.len() * profiles.len());
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    for (file, source) in command.files.iter().zip(&sources) {
        let file = file.to_string_lossy();
        match verdict::judge(&file, source, &profiles, &progress) {
            Judged::Rows(found) => rows.extend(found),
            Judged::Wrong(error) => {
                rows.push(Row::of_wrong_file(&file, &error));
                wrong.push(Failure::from(error));
            }
            Judged::Empty => wrong.push(without_kernels(&file)),
        }
    }
    progress.finish_and_clear();
    show(command, &rows, &profiles)?;
    let all_run = wrong.is_empty() && rows.iter().all(|row| row.verdict != Verdict::CannotRun);
    for failure in &wrong {
        let _ = failure.report(false);
    }
    Ok(if all_run { ExitCode::SUCCESS } else { ExitCode::from(Status::Source as u8) })
}

fn show(command: &CheckCommand, rows: &[Row], profiles: &[DeviceProfile]) -> Result<()> {
    match command.format() {
        CheckFormat::Text => {}
        CheckFormat::Json => {
            return console::print(serde_json::to_string_pretty(rows).expect("rows are plain data"));
        }
        CheckFormat::Sarif => return console::print(formats::sarif(rows)),
        CheckFormat::Junit => return console::print(formats::junit(rows)),
    }
    let judged: Vec<&Row> = rows.iter().filter(|row| !row.profile.is_empty()).collect();
    if judged.is_empty() { Ok(()) } else { console::show(text::report(&judged, profiles, console::width())) }
}

/// Shown only on a terminal.
fn progress_bar(steps: usize) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}").expect("the template is right");
    ProgressBar::new(steps as u64).with_style(style)
}
