//! `clvk-run view`: kernels that draw, in a window or into files.
//!
//! - `command`: its command line. `scene`: a job whose steps run for each frame. `window`: the window, its
//!   keys and its mouse. `placement`: where in the window the picture is. `overlay`: text over the picture.
//!   `record`: frames in files.

mod command;
mod overlay;
mod placement;
mod record;
mod scene;
mod window;

pub use command::{HELP, ViewCommand};

use crate::argument::{ArgumentText, Live, ScreenText};
use crate::failure::{Failure, Result, Status};
use crate::job::{Job, LaunchOptions, Step, refuse_launch_options};
use crate::{console, file, supervise};
use clvk::runtime::{DeviceOptions, Instance, InstanceOptions, WindowSystem};
use clvk::{Device, DiskCache};
use std::process::ExitCode;

/// Runs the command.
pub fn view(command: &ViewCommand, build_options: &[String]) -> Result<ExitCode> {
    if supervise::is_child() {
        supervise::follow_parent();
        return Ok(view_here(command, build_options).unwrap_or_else(|failure| failure.report(false)));
    }
    if !supervise::is_wanted() {
        return view_here(command, build_options);
    }
    match supervise::run(command.robust)? {
        supervise::Ended::WithCode(code) => Ok(code),
        supervise::Ended::BySignal(failure) => Err(failure),
    }
}

fn view_here(command: &ViewCommand, build_options: &[String]) -> Result<ExitCode> {
    let job = job(command, build_options)?;
    let messages = match &command.save {
        Some(pattern) => record::record(command, job, pattern)?,
        None => window::show(command, job, build_options)?,
    };
    for message in &messages {
        console::tell(format!("validation: {message}\n"));
    }
    match messages.len() {
        0 => Ok(ExitCode::SUCCESS),
        count => Err(Failure::new(Status::Device, format!("the validation layer had {count} messages"))),
    }
}

fn instance_options(command: &ViewCommand, presentation: Option<WindowSystem>) -> InstanceOptions {
    InstanceOptions { validation: command.validate, presentation }
}

/// Opens the device that the command or the job names.
fn open(command: &ViewCommand, job: &Job, instance: &Instance, presentation: bool) -> Result<Device> {
    let info = match command.device.as_ref().or(job.device.as_ref()) {
        Some(query) => instance.select(query)?,
        None => instance.default_device()?,
    };
    let info = if command.robust { info.robust() } else { info };
    let options = DeviceOptions { cache: DiskCache::shared(), presentation, ..DeviceOptions::default() };
    Ok(Device::new(&info, &options)?)
}

/// What runs for each frame.
fn job(command: &ViewCommand, build_options: &[String]) -> Result<Job> {
    let is_file = command.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let options = LaunchOptions {
        kernel: command.kernel.clone(),
        global: command.global,
        local: command.local,
        offset: None,
    };
    let job = if is_file {
        refuse_launch_options(&command.file, &options, &command.arguments)?;
        Job::of_file(&command.file, build_options)?
    } else {
        let (arguments, swaps) = arguments(&command.arguments)?;
        let mut job = Job::of_source(&command.file, options, arguments, build_options);
        job.steps.extend(swaps);
        job
    };
    if file::is_standard(&command.file) {
        return Err(Failure::usage("`clvk-run view` needs a file, which it reads again when it changes"));
    }
    if job.outputs().next().is_some() {
        return Err(Failure::usage(
            "`clvk-run view` writes no arguments to files; save pictures with `--frames N --save FILE`",
        ));
    }
    check_steps(&job.steps)?;
    Ok(job)
}

/// Gives screens that follow the window its size.
fn resize(job: &mut Job, window: [u32; 2]) {
    for shared in &mut job.arguments {
        if let ArgumentText::Screen(screen) = &mut shared.text {
            screen.size = screen.fixed.unwrap_or(window);
        }
    }
}

/// What is printed or verified would be so for each frame.
fn check_steps(steps: &[Step]) -> Result<()> {
    steps.iter().try_for_each(|step| match step {
        Step::Launch(_) | Step::Swap(_) => Ok(()),
        Step::Repeat { steps, .. } => check_steps(steps),
        Step::Verify(_) | Step::Print(_) => {
            Err(Failure::usage("`clvk-run view` neither prints nor verifies; `clvk-run run` does"))
        }
    })
}

/// The arguments, and the swaps after each frame. A `pingpong:` with an argument is what the frame before
/// left; the next one, without, is what this frame leaves.
fn arguments(texts: &[String]) -> Result<(Vec<ArgumentText>, Vec<Step>)> {
    let (mut arguments, mut swaps) = (Vec::new(), Vec::new());
    let mut open: Option<(usize, ArgumentText)> = None;
    for (position, text) in texts.iter().enumerate() {
        let argument = match (text.strip_prefix("pingpong:"), open.take()) {
            (None, pending) => {
                open = pending;
                ArgumentText::parse(text)?
            }
            (Some(""), Some((first, argument))) => {
                swaps.push(Step::Swap([first.to_string(), position.to_string()]));
                argument
            }
            (Some(""), None) => {
                return Err(Failure::usage(
                    "`pingpong:` needs a partner before it that says what it holds at first, such as \
                     `pingpong:zero:float4[480,640]`",
                ));
            }
            (Some(inner), None) => {
                let argument = ArgumentText::parse(inner)?;
                open = Some((position, argument.clone()));
                argument
            }
            (Some(_), Some((first, _))) => return Err(unpaired(&texts[first])),
        };
        arguments.push(argument);
    }
    match open {
        Some((first, _)) => Err(unpaired(&texts[first])),
        None => Ok((arguments, swaps)),
    }
}

fn unpaired(text: &str) -> Failure {
    Failure::usage(format!(
        "`{text}` needs a partner: `pingpong:` for the parameter that takes the next state"
    ))
}

/// The argument of a parameter by its name, where none is given.
fn argument_by_name(name: &str, is_picture: bool) -> Option<ArgumentText> {
    let name = name.trim_start_matches("i_").to_ascii_lowercase();
    Some(match name.as_str() {
        _ if is_picture => ArgumentText::Screen(ScreenText::default()),
        "time" | "itime" | "seconds" | "t" => ArgumentText::Live(Live::Time),
        "frame" | "iframe" => ArgumentText::Live(Live::Frame),
        "mouse" | "imouse" => ArgumentText::Live(Live::Mouse),
        "size" | "resolution" | "iresolution" => ArgumentText::Live(Live::Size),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(texts: &[&str]) -> Result<(Vec<ArgumentText>, Vec<Step>)> {
        arguments(&texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn states_come_in_pairs() {
        let (arguments, swaps) = parse(&["pingpong:zero:uchar4[4,4]", "2", "pingpong:", "screen:"]).unwrap();
        assert_eq!(arguments[0], arguments[2]);
        let [Step::Swap(pair)] = &swaps[..] else { panic!("{swaps:?}") };
        assert_eq!(pair, &["0", "2"]);
        for (wrong, expected) in [
            (&["pingpong:"][..], "before it"),
            (&["pingpong:zero:int[4]"], "needs a partner"),
            (&["pingpong:zero:int[4]", "pingpong:zero:int[4]"], "needs a partner"),
            (&["pingpong:zero:itn[4]", "pingpong:"], "`itn`"),
        ] {
            let failure = parse(wrong).unwrap_err();
            assert!(failure.message().contains(expected), "{wrong:?}: {}", failure.message());
        }
    }
}
