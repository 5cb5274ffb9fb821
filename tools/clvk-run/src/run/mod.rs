//! `clvk-run run`.

use crate::argument::ArgumentText;
use crate::cli::{RunCommand, Size};
use crate::failure::{Failure, Result, Status};
use crate::number::elements;
use crate::program::Source;
use crate::report::{Printed, Report, Verified};
use crate::resource::{BufferResource, Resource};
use crate::verify::Check;
use crate::{console, picture, timing};
use clvk::runtime::{DeviceOptions, Instance, InstanceOptions, PrintHandler};
use clvk::{Arg, Compiler, Device, DiskCache, Kernel, KernelInterface, LaunchConfig};
use indicatif::ProgressBar;
use std::process::ExitCode;
use std::time::Duration;

/// Runs the command.
pub fn run(command: &RunCommand, build_options: &[String]) -> Result<ExitCode> {
    // What can be said without a device is said first.
    let source = Source::read(&command.file, build_options)?;
    let texts = command.arguments.iter().map(|text| ArgumentText::parse(text)).collect::<Result<Vec<_>>>()?;
    let instance = Instance::new(&InstanceOptions { validation: command.validate })?;
    let report = run_on(&instance, command, source, &texts)?;
    console::print(report.text(command.json))?;
    let messages = instance.take_validation_messages();
    for message in &messages {
        console::tell(format!("validation: {message}\n"));
    }
    if !messages.is_empty() {
        return Err(Failure::new(
            Status::Device,
            format!("the validation layer had {} messages", messages.len()),
        ));
    }
    Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::from(Status::Verification as u8) })
}

/// Whether the environment asks for checked accesses.
fn robust_by_environment() -> bool {
    std::env::var_os("CLVK_ROBUST").is_some_and(|value| value == "1")
}

/// What kernels print belongs to the results only where those are for people.
fn device_options(command: &RunCommand) -> DeviceOptions {
    let mut options = DeviceOptions {
        print_buffer_size: command.print_buffer,
        cache: DiskCache::shared(),
        ..DeviceOptions::default()
    };
    if command.json {
        options.print_handler = PrintHandler::new(|printed| {
            let lost = printed.lost;
            eprint!("{}", String::from_utf8_lossy(printed.text));
            if lost > 0 {
                eprintln!("warning: the print buffer was full; calls of printf lost: {lost}");
            }
        });
    }
    options
}

fn run_on(
    instance: &Instance,
    command: &RunCommand,
    source: Source,
    texts: &[ArgumentText],
) -> Result<Report> {
    let info = match &command.device {
        Some(query) => instance.select(query)?,
        None => instance.default_device()?,
    };
    let info = if command.robust || robust_by_environment() { info.robust() } else { info };
    let device = Device::new(&info, &device_options(command))?;
    let compiler = source.compiler(Compiler::for_device(&device));
    let object = source.object(&compiler)?;
    let kernels: Vec<&str> = object.kernel_names().collect();
    let name = choose_kernel(&kernels, command.kernel.as_deref())?;
    let program = compiler.with_kernels([&name]).translate(&object)?;
    let progress = spinner("preparing arguments");
    let interface = program.kernel(&name).expect("the kernel that was asked for was translated").clone();
    let resources = resources(&device, &interface, texts)?;
    let config = launch_config(command, &interface, &resources)?;
    let checks = command
        .verify
        .iter()
        .map(|text| Check::parse(text, |name| find_buffer(&interface, &resources, name)))
        .collect::<Result<Vec<_>>>()?;
    let prints = command
        .print
        .iter()
        .map(|text| parse_print(text, |name| find_buffer(&interface, &resources, name)))
        .collect::<Result<Vec<_>>>()?;
    let kernel = program.load(&device)?.kernel(&name)?;
    progress.set_message("running");
    launch(&device, &kernel, &config, &resources)?;
    progress.finish_and_clear();
    let mut report = Report {
        kernel: name,
        device: info.name().to_owned(),
        global: config.global[..config.work_dim as usize].to_vec(),
        local: command.local.map(|local| local.values[..local.dimensions as usize].to_vec()),
        times: None,
        verified: Vec::new(),
        printed: Vec::new(),
        written: Vec::new(),
    };
    finish(&mut report, &interface, &resources, &checks, &prints)?;
    if let Some(runs) = command.time {
        report.times = Some(timing::measure(runs, || launch(&device, &kernel, &config, &resources))?);
    }
    Ok(report)
}

fn spinner(message: &'static str) -> ProgressBar {
    let progress = ProgressBar::new_spinner().with_message(message);
    progress.enable_steady_tick(Duration::from_millis(100));
    progress
}

fn choose_kernel(kernels: &[&str], wanted: Option<&str>) -> Result<String> {
    let names = kernels.join(", ");
    match (wanted, kernels) {
        (_, []) => Err(Failure::usage("the source has no kernel; a kernel is a function marked `__kernel`")),
        (Some(name), _) if kernels.contains(&name) => Ok(name.to_owned()),
        (Some(name), _) => {
            Err(Failure::usage(format!("there is no kernel `{name}`; the kernels are {names}")))
        }
        (None, [only]) => Ok((*only).to_owned()),
        (None, _) => {
            Err(Failure::usage(format!("there are several kernels; choose one with `--kernel`: {names}")))
        }
    }
}

fn resources(device: &Device, interface: &KernelInterface, texts: &[ArgumentText]) -> Result<Vec<Resource>> {
    let parameters = &interface.arguments;
    if texts.len() != parameters.len() {
        let list: Vec<String> = parameters
            .iter()
            .map(|parameter| format!("{} {}", parameter.type_name, parameter.name))
            .collect();
        return Err(Failure::usage(format!(
            "kernel `{}` has {} parameters ({}), but {} arguments were given after `--`",
            interface.name,
            parameters.len(),
            list.join(", "),
            texts.len()
        )));
    }
    parameters.iter().zip(texts).map(|(parameter, text)| Resource::new(device, parameter, text)).collect()
}

fn launch_config(
    command: &RunCommand,
    interface: &KernelInterface,
    resources: &[Resource],
) -> Result<LaunchConfig> {
    let global = match command.global {
        Some(global) => global,
        None => derived_global(interface, resources)?,
    };
    let required = interface.local_size.required();
    let local = match command.local {
        Some(local) => {
            let mut sizes = [1; 3];
            for (size, value) in sizes.iter_mut().zip(local.values) {
                *size = u32::try_from(value).map_err(|_| {
                    Failure::usage(format!("the local size {value} is larger than any device allows"))
                })?;
            }
            Some(sizes)
        }
        None => required,
    };
    let offset = command.offset.map_or([0; 3], |offset| offset.values);
    let dimensions = [Some(global), command.local, command.offset];
    let work_dim = dimensions.iter().flatten().map(|size| size.dimensions).max().unwrap_or(1);
    Ok(LaunchConfig { work_dim, global: global.values, local, offset })
}

/// A work-item for each element of the first buffer.
fn derived_global(interface: &KernelInterface, resources: &[Resource]) -> Result<Size> {
    let elements =
        interface.arguments.iter().zip(resources).find_map(|(parameter, resource)| match resource {
            Resource::Buffer(buffer) => {
                let element = u64::from(parameter.element.size()? * parameter.lanes.next_power_of_two());
                Some(buffer.buffer.size() / element)
            }
            _ => None,
        });
    let elements = elements.ok_or_else(|| {
        Failure::usage(
            "there is no buffer of scalars or vectors to take the global size from; give `--global`",
        )
    })?;
    Ok(Size { dimensions: 1, values: [elements, 1, 1] })
}

/// Runs the kernel once and waits; gives the device's time in nanoseconds.
fn launch(
    device: &Device,
    kernel: &Kernel,
    config: &LaunchConfig,
    resources: &[Resource],
) -> Result<Option<f64>> {
    let arguments: Vec<Arg<'_>> = resources.iter().map(Resource::arg).collect();
    let mut batch = device.batch();
    batch.dispatch(kernel, config, &arguments)?;
    let submission = batch.submit()?;
    submission.wait()?;
    match submission.timings() {
        Ok(times) => Ok(times.first().map(|time| time.duration_ns() as f64)),
        Err(clvk::runtime::Error::NoTimestamps) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn find_argument(interface: &KernelInterface, name: &str) -> Result<usize> {
    let parameters = &interface.arguments;
    let by_index = name.parse::<usize>().ok().filter(|&index| index < parameters.len());
    by_index.or_else(|| parameters.iter().position(|parameter| parameter.name == name)).ok_or_else(|| {
        let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        Failure::usage(format!(
            "kernel `{}` has no parameter `{name}`; it has {}",
            interface.name,
            names.join(", ")
        ))
    })
}

/// The index of a parameter that was given a buffer.
fn find_buffer(interface: &KernelInterface, resources: &[Resource], name: &str) -> Result<usize> {
    let index = find_argument(interface, name)?;
    match &resources[index] {
        Resource::Buffer(_) => Ok(index),
        _ => {
            Err(Failure::usage(format!("`{name}` is not a buffer: only buffers can be printed and verified")))
        }
    }
}

fn parse_print(text: &str, find: impl Fn(&str) -> Result<usize>) -> Result<(usize, u64)> {
    let (name, count) = match text.rsplit_once(':') {
        Some((name, count)) => {
            let count = count
                .parse()
                .map_err(|_| Failure::usage(format!("`--print {text}` is not of the form `ARG[:COUNT]`")))?;
            (name, count)
        }
        None => (text, 16),
    };
    Ok((find(name)?, count))
}

fn buffer_argument(resources: &[Resource], index: usize) -> &BufferResource {
    match &resources[index] {
        Resource::Buffer(resource) => resource,
        _ => unreachable!("`find_buffer` gives indices of buffers only"),
    }
}

/// Writes files, compares and prints.
fn finish(
    report: &mut Report,
    interface: &KernelInterface,
    resources: &[Resource],
    checks: &[Check],
    prints: &[(usize, u64)],
) -> Result<()> {
    for resource in resources {
        let written = match resource {
            Resource::Buffer(buffer) => buffer.save()?,
            Resource::Image { image, output: Some(path) } => {
                picture::save_image(image, path)?;
                Some(path.as_path())
            }
            _ => None,
        };
        report.written.extend(written.map(|path| path.display().to_string()));
    }
    for &(index, count) in prints {
        let resource = buffer_argument(resources, index);
        let scalar = resource.shape.element.scalar;
        let bytes = resource.contents(count.saturating_mul(u64::from(scalar.size().unwrap_or(1))))?;
        let values = elements(&bytes, scalar);
        report.printed.push(Printed { argument: interface.arguments[index].name.clone(), values });
    }
    for check in checks {
        let name = &interface.arguments[check.argument].name;
        let outcome =
            check.run(buffer_argument(resources, check.argument), &format!("parameter `{name}`"))?;
        report.verified.push(Verified::new(name.clone(), &outcome));
    }
    Ok(())
}
