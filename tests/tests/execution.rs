//! Every case on every Vulkan device found: compiled, validated, run and compared with its reference.
//!
//! A test fails on a wrong result, and on any message from spirv-val or the Khronos validation layer. Where
//! the compiler reports that a device lacks something that a kernel needs, the test counts as not applicable
//! (ignored, to the test harness); on a device whose name contains the value of `CLVK_TESTS_NO_SKIPS` that is
//! a failure too.

use clvk_interface::CompiledModule;
use clvk_tests::applicable::not_applicable;
use clvk_tests::bench::{must_run_everything, short_name, too_large_group};
use clvk_tests::case::{Case, Definition, Size};
use clvk_tests::pipeline;
use clvk_tests::run::Prepared;
use clvk_tests::{cases, compare, judge, picture};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::process::ExitCode;
use vk_runtime::{Device, DeviceOptions, Error, Instance, InstanceOptions};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = match trials() {
        Ok(trials) => trials,
        Err(error) => {
            eprintln!("the execution tests cannot run: {error}");
            return ExitCode::FAILURE;
        }
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test for each usable device and case.
fn trials() -> Result<Vec<Trial>, Error> {
    let mut trials = Vec::new();
    for (index, info) in judge::devices()? {
        let must_run = must_run_everything(info.name());
        for definition in cases::ALL.iter().chain(cases::CXX) {
            let name = format!("{}/{}", short_name(info.name()), definition.name);
            trials.push(Trial::ignorable_test(name, move || run_case(index, definition, must_run)));
        }
    }
    Ok(trials)
}

fn run_case(device_index: usize, definition: &Definition, must_run: bool) -> Result<Completion, Failed> {
    // A separate instance, so that the messages of the validation layer belong to this test.
    let instance = Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() })?;
    let info = instance.devices()?.swap_remove(device_index);
    let device = Device::new(&info, &DeviceOptions::default())?;

    let case = (definition.build)(Size::Small);
    if let Some(reason) = too_large_group(&case, device.profile()).filter(|_| !must_run) {
        return Ok(Completion::ignored_with(not_applicable(&case.name, info.name(), &reason)));
    }
    let text = std::fs::read_to_string(case.source_path())?;
    let module = match pipeline::compile(&case.source, &text, &case.options, device.profile()) {
        Ok(module) => module,
        Err(error @ clvk::Error::Unsupported { .. }) if !must_run => {
            let reason = not_applicable(&case.name, info.name(), &pipeline::messages(&error));
            return Ok(Completion::ignored_with(reason));
        }
        // Another compiler makes SPIR-V of it (`pipeline::TO_SPIRV`).
        Err(clvk::Error::File { problem, .. }) => {
            return Ok(Completion::ignored_with(not_applicable(&case.name, info.name(), &problem)));
        }
        Err(error) => return Err(error.into()),
    };
    judge::validate(&module, device.profile())?;
    let outcome = execute(&device, &case, module);
    drop(device);
    judge::no_messages(&instance)?;
    Ok(match outcome? {
        None => Completion::Completed,
        Some(reason) => Completion::ignored_with(not_applicable(&case.name, info.name(), &reason)),
    })
}

/// Runs the case twice with fresh memory: the second time every pipeline comes from the cache.
/// Returns why the device cannot, if its driver ends loops and other SPIR-V than usual has more of them.
fn execute(device: &Device, case: &Case, module: CompiledModule) -> Result<Option<String>, Failed> {
    for _ in 0..2 {
        let prepared = Prepared::new(device, case, module.clone())?;
        match prepared.run() {
            Err(error @ Error::LoopsEnded { .. }) if pipeline::through_spirv().0 => {
                return Ok(Some(error.to_string()));
            }
            outcome => outcome?,
        };
        for output in &case.outputs {
            let result = prepared.read(output.resource.0)?;
            if let Some((width, height)) = output.picture {
                let file = format!("{}-{}.png", case.name, short_name(device.info().name()));
                picture::write_png(&picture::picture_folder().join(file), width, height, &result)?;
            }
            compare::verify(case, output, &result)?;
        }
    }
    Ok(None)
}
