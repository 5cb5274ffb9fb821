//! Replacements for what a device lacks: exact, and the same on every device.
//!
//! Each program is compiled for each device as it is, and as if it lacked features (with a reduced profile,
//! which the device can always run). So both the native and the emulated paths run on every driver. All
//! results are compared with references computed here. spirv-val and the Khronos validation layer must be
//! silent.

mod floats;
mod integers;
mod memory;
mod restrict;

use clvk::Error;
use clvk_interface::DeviceProfile;
use clvk_tests::case::{Case, Size};
use clvk_tests::run::Prepared;
use clvk_tests::{cases, compare, judge, pipeline};
use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;
use vk_runtime::{Device, DeviceOptions, Instance, InstanceOptions};

/// A program, and how to make the case that runs it.
pub struct Program {
    name: &'static str,
    source: &'static str,
    case: fn() -> Case,
    /// Runs only on devices for which this is true.
    needs: fn(&DeviceProfile) -> bool,
}

impl Program {
    /// A program that runs everywhere.
    const fn new(name: &'static str, source: &'static str, case: fn() -> Case) -> Self {
        Program { name, source, case, needs: |_| true }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("the legalisation tests cannot run: {error}");
            ExitCode::FAILURE
        }
    }
}

fn trials() -> Result<Vec<Trial>, vk_runtime::Error> {
    let mut trials = Vec::new();
    // One instance for all, because some drivers do not survive being loaded and unloaded repeatedly.
    let instance = Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() })?;
    let infos = instance.devices()?;
    for (index, _) in judge::devices()? {
        let Some(profile) = infos[index].profile() else { continue };
        let device = Device::new(&infos[index], &DeviceOptions::default())?;
        for (variant, profile) in restrict::variants(profile) {
            for program in integers::ALL.iter().chain(memory::ALL).chain(floats::ALL) {
                if (program.needs)(&profile) {
                    let (instance, device, profile) = (instance.clone(), device.clone(), profile.clone());
                    let name = format!("{index}/{variant}/{}", program.name);
                    trials.push(Trial::test(name, move || run(&instance, &device, &profile, program)));
                }
            }
        }
    }
    trials.push(Trial::test("double-is-absent", floats::double_is_absent));
    trials.push(Trial::test("bits-of-doubles", floats::bits_of_doubles));
    for preset in DeviceProfile::preset_names() {
        trials.push(Trial::test(format!("preset/{preset}"), move || every_kernel(preset)));
    }
    Ok(trials)
}

/// Compiles every kernel of the tests for a device that need not be present. Output must be valid, with
/// capabilities that the device grants (`emit` refuses others); a refusal must name the missing feature.
fn every_kernel(preset: &str) -> Result<(), Failed> {
    let profile = DeviceProfile::preset(preset)?;
    let mut failures = Vec::new();
    for definition in cases::ALL.iter().chain(cases::CXX) {
        let case = (definition.build)(Size::Small);
        let text = std::fs::read_to_string(case.source_path())?;
        match pipeline::compile(&case.source, &text, &case.options, &profile) {
            Ok(module) => failures
                .extend(judge::validate(&module, &profile).err().map(|it| format!("{}: {it}", case.name))),
            Err(error @ Error::Unsupported { .. })
                if pipeline::messages(&error).contains("; the device has ") => {}
            Err(error @ Error::Source(_))
                if pipeline::messages(&error).contains("which the device does not offer") => {}
            Err(error) => failures.push(format!("{}: {error}", case.name)),
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}

fn run(
    instance: &Instance,
    device: &Device,
    profile: &DeviceProfile,
    program: &Program,
) -> Result<(), Failed> {
    let module = pipeline::compile(program.name, program.source, &[], profile)?;
    judge::validate(&module, profile)?;
    let case = (program.case)();
    let prepared = Prepared::new(device, &case, module)?;
    prepared.run()?;
    let mut failures = Vec::new();
    for output in &case.outputs {
        let result = prepared.read(output.resource.0)?;
        if let Err(mismatch) = compare::verify(&case, output, &result) {
            failures.push(mismatch.to_string());
        }
    }
    drop(prepared);
    failures.extend(judge::no_messages(instance).err());
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}
