//! `clvk-run run`.

use crate::argument::ArgumentText;
use crate::cli::{RunCommand, Size};
use crate::failure::{Failure, Result, Status};
use crate::number::elements;
use crate::report::{Printed, Report, Verified};
use crate::resource::{BufferResource, Resource, save_image};
use crate::verify::Check;
use crate::{array, program, timing};
use clvk_interface::{CompiledModule, KernelInterface, LocalSize};
use indicatif::ProgressBar;
use std::process::ExitCode;
use std::time::Duration;
use vk_runtime::{Arg, Device, DeviceOptions, Instance, InstanceOptions, Kernel, LaunchConfig, Program};

/// Runs the command.
pub fn run(command: &RunCommand, build_options: &[String]) -> Result<ExitCode> {
    // What can be said without a device is said first.
    let texts = command.arguments.iter().map(|text| ArgumentText::parse(text)).collect::<Result<Vec<_>>>()?;
    let instance = Instance::new(&InstanceOptions { validation: command.validate })?;
    let report = run_on(&instance, command, build_options, &texts)?;
    report.print(command.json);
    let messages = instance.take_validation_messages();
    for message in &messages {
        anstream::eprintln!("validation: {message}");
    }
    if !messages.is_empty() {
        return Err(Failure::new(
            Status::Device,
            format!("the validation layer had {} messages", messages.len()),
        ));
    }
    Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::from(Status::Verification as u8) })
}

fn run_on(
    instance: &Instance,
    command: &RunCommand,
    build_options: &[String],
    texts: &[ArgumentText],
) -> Result<Report> {
    let info = match &command.device {
        Some(query) => instance.select(query)?,
        None => instance.default_device()?,
    };
    let device = Device::new(&info, &DeviceOptions::default())?;
    let progress = spinner("compiling");
    let compilation = program::compile(&command.file, build_options, device.profile())?;
    let kernels: Vec<String> =
        compilation.module.kernels().map(|id| compilation.module.functions[id].name.clone()).collect();
    let name = choose_kernel(&kernels, command.kernel.as_deref())?;
    let module = program::lower(compilation, vec![name.clone()], device.profile(), &mut |_, _| {})?;
    progress.set_message("preparing arguments");
    let interface = interface(&module, &name);
    let resources = resources(&device, &interface, texts)?;
    let config = launch_config(command, &interface, &resources)?;
    let checks = command
        .verify
        .iter()
        .map(|text| Check::parse(text, |name| find_argument(&interface, name)))
        .collect::<Result<Vec<_>>>()?;
    let prints =
        command.print.iter().map(|text| parse_print(text, &interface)).collect::<Result<Vec<_>>>()?;
    let program = Program::new(&device, module)?;
    let kernel = program.kernel(&name)?;
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

fn choose_kernel(kernels: &[String], wanted: Option<&str>) -> Result<String> {
    let names = kernels.join(", ");
    match (wanted, kernels) {
        (_, []) => Err(Failure::usage("the source has no kernel; a kernel is a function marked `__kernel`")),
        (Some(name), _) if kernels.iter().any(|kernel| kernel == name) => Ok(name.to_owned()),
        (Some(name), _) => {
            Err(Failure::usage(format!("there is no kernel `{name}`; the kernels are {names}")))
        }
        (None, [only]) => Ok(only.clone()),
        (None, _) => {
            Err(Failure::usage(format!("there are several kernels; choose one with `--kernel`: {names}")))
        }
    }
}

fn interface(module: &CompiledModule, name: &str) -> KernelInterface {
    module.interface.kernel(name).expect("the kernel that was asked for was translated").clone()
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
    let required = match interface.local_size {
        LocalSize::Required(size) => Some(size),
        LocalSize::Specialised => None,
    };
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
    let mut batch = device.queue().batch();
    batch.dispatch(kernel, config, &arguments)?;
    let submission = batch.submit()?;
    submission.wait()?;
    Ok(submission.timings()?.first().map(|time| time.duration_ns() as f64))
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

fn parse_print(text: &str, interface: &KernelInterface) -> Result<(usize, usize)> {
    let (name, count) = match text.rsplit_once(':') {
        Some((name, count)) => {
            let count = count
                .parse()
                .map_err(|_| Failure::usage(format!("`--print {text}` is not of the form `ARG[:COUNT]`")))?;
            (name, count)
        }
        None => (text, 16),
    };
    Ok((find_argument(interface, name)?, count))
}

fn contents(resource: &BufferResource) -> Result<Vec<u8>> {
    let mut bytes = vec![0; resource.initial.len()];
    resource.buffer.read(0, &mut bytes)?;
    Ok(bytes)
}

fn buffer_argument<'r>(
    resources: &'r [Resource],
    interface: &KernelInterface,
    index: usize,
) -> Result<&'r BufferResource> {
    match &resources[index] {
        Resource::Buffer(resource) => Ok(resource),
        _ => {
            let name = &interface.arguments[index].name;
            Err(Failure::usage(format!("`{name}` is no buffer: only buffers can be printed and verified")))
        }
    }
}

/// Writes files, compares and prints.
fn finish(
    report: &mut Report,
    interface: &KernelInterface,
    resources: &[Resource],
    checks: &[Check],
    prints: &[(usize, usize)],
) -> Result<()> {
    for resource in resources {
        match resource {
            Resource::Buffer(buffer) => {
                if let Some(path) = &buffer.output {
                    array::write(path, buffer.shape.element, &buffer.shape.extents, &contents(buffer)?)?;
                    report.written.push(path.display().to_string());
                }
            }
            Resource::Image { image, output: Some(path) } => {
                save_image(image, path)?;
                report.written.push(path.display().to_string());
            }
            _ => {}
        }
    }
    for &(index, count) in prints {
        let resource = buffer_argument(resources, interface, index)?;
        let mut values = elements(&contents(resource)?, resource.shape.element.scalar);
        values.truncate(count);
        report.printed.push(Printed { argument: interface.arguments[index].name.clone(), values });
    }
    for check in checks {
        let resource = buffer_argument(resources, interface, check.argument)?;
        let name = &interface.arguments[check.argument].name;
        let outcome = check.run(resource, &contents(resource)?, &format!("parameter `{name}`"))?;
        report.verified.push(Verified::new(name.clone(), &outcome));
    }
    Ok(())
}
