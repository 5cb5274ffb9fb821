//! Devices to test on, with the validation layer on: one test at a time, so that what the layer says belongs
//! to that test.

use crate::applicable::{not_applicable, too_large_for_sample};
use crate::case::Case;
use crate::program::Program;
use crate::run::Prepared;
use crate::{compare, judge, pipeline};
use clvk::{Calls, Compiler, Error};
use clvk_interface::{AddressingMode, CompiledModule, DeviceProfile, Preference, Quirk};
use libtest_mimic::{Completion, Failed};
use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use vk_runtime::{Device, DeviceOptions, Error as RuntimeError, Instance, InstanceOptions};

/// Why a test ended before its end.
#[derive(Debug)]
pub enum Ended {
    /// The device lacks what it needs, with the reason.
    NotApplicable(String),
    /// Something is wrong.
    Failed(String),
}

impl<E: Display> From<E> for Ended {
    fn from(error: E) -> Ended {
        Ended::Failed(error.to_string())
    }
}

impl From<Ended> for Failed {
    fn from(ended: Ended) -> Failed {
        match ended {
            Ended::NotApplicable(reason) => format!("it does not apply: {reason}").into(),
            Ended::Failed(problem) => problem.into(),
        }
    }
}

/// A device and a way of using it.
#[derive(Clone)]
pub struct Mode {
    /// The device's index among all devices.
    pub index: usize,
    /// The device's name as one word, and what it does without.
    pub name: String,
    /// Whether programs do without device addresses.
    pub descriptors: bool,
    /// Whether a test that does not apply is a failure: the device's name contains the value of
    /// `CLVK_TESTS_NO_SKIPS`.
    pub must_run: bool,
}

/// All usable devices; those with addresses twice, the second time without them.
///
/// # Errors
/// If Vulkan is missing or fails.
pub fn modes() -> Result<Vec<Mode>, String> {
    let mut modes = Vec::new();
    for (index, info) in judge::devices().map_err(|error| error.to_string())? {
        let mode = Mode {
            index,
            name: short_name(info.name()),
            descriptors: false,
            must_run: must_run_everything(info.name()),
        };
        let addresses = info.profile().is_some_and(|it| it.addressing() == AddressingMode::Physical);
        let without = Mode { name: format!("{}-descriptors", mode.name), descriptors: true, ..mode.clone() };
        modes.push(mode);
        modes.extend(addresses.then_some(without));
    }
    Ok(modes)
}

/// Whether a skipped test counts as a failure on a device.
#[must_use]
pub fn must_run_everything(device: &str) -> bool {
    std::env::var("CLVK_TESTS_NO_SKIPS").is_ok_and(|name| !name.is_empty() && device.contains(&name))
}

/// The device's name up to a parenthesis, as one word.
#[must_use]
pub fn short_name(device: &str) -> String {
    let name = device.split('(').next().unwrap_or(device);
    name.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase()
}

/// The reason why the device cannot run the case's work-groups, if it cannot: Vulkan guarantees only 128
/// work-items.
#[must_use]
pub fn too_large_group(case: &Case, profile: &DeviceProfile) -> Option<String> {
    let largest = case.launches.iter().map(|launch| launch.local.iter().product::<usize>()).max()?;
    let limit = profile.max_work_group_invocations as usize;
    (largest > limit)
        .then(|| format!("needs work-groups of {largest} work-items; the device has at most {limit}"))
}

/// Which calls stay: all that can if `CLVK_TESTS_CALLS` is `kept`.
fn calls() -> Calls {
    let kept = std::env::var_os("CLVK_TESTS_CALLS").is_some_and(|value| value == "kept");
    if kept { Calls::Kept } else { Calls::default() }
}

/// What a device is opened with.
#[derive(Default)]
pub struct Settings {
    /// Programs do without device addresses.
    pub descriptors: bool,
    /// Accesses outside of buffers do nothing.
    pub robust: bool,
    /// Features of the profile that programs do without, with commas between them.
    pub without: String,
    /// The runtime's options.
    pub options: DeviceOptions,
}

impl Settings {
    /// What the environment asks for: robust mode if `CLVK_TESTS_ROBUST` is 1, without the features that
    /// `CLVK_TESTS_WITHOUT` names.
    #[must_use]
    pub fn of_environment(mode: &Mode, options: DeviceOptions) -> Settings {
        Settings {
            descriptors: mode.descriptors,
            robust: std::env::var_os("CLVK_TESTS_ROBUST").is_some_and(|value| value == "1"),
            without: std::env::var("CLVK_TESTS_WITHOUT").unwrap_or_default(),
            options,
        }
    }
}

/// A device with the validation layer on, which one test uses at a time.
pub struct Bench {
    /// The device.
    pub device: Device,
    /// What programs are compiled for: the device, or less.
    pub profile: DeviceProfile,
    instance: Instance,
    running: Mutex<()>,
}

impl Bench {
    /// Opens the device with this index.
    ///
    /// # Errors
    /// If Vulkan fails, or a feature to do without is none.
    pub fn new(index: usize, settings: &Settings) -> Result<Bench, String> {
        let failed = |error: RuntimeError| error.to_string();
        let instance = Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() })
            .map_err(failed)?;
        let info = instance.devices().map_err(failed)?.swap_remove(index);
        let info = if settings.robust { info.robust() } else { info };
        let device = Device::new(&info, &settings.options).map_err(failed)?;
        let mut profile = judge::without(device.profile(), &settings.without)?;
        profile.buffer_device_address &= !settings.descriptors;
        if pipeline::prefers_descriptors() {
            profile.preferences.push(Preference::Descriptors);
        }
        Ok(Bench { device, profile, instance, running: Mutex::new(()) })
    }

    /// The compiler for the device.
    #[must_use]
    pub fn compiler(&self) -> Compiler {
        self.compiler_for(&self.profile)
    }

    /// The compiler for a variant of the device's profile.
    #[must_use]
    pub fn compiler_for(&self, profile: &DeviceProfile) -> Compiler {
        Compiler::new(profile).with_robustness(self.device.info().is_robust()).with_calls(calls())
    }

    /// Compiles and validates a program that applies to the device.
    ///
    /// # Errors
    /// The program is wrong, or does not apply ([`Bench::refusal`]).
    pub fn compile(
        &self,
        program: &Program,
        compiler: Compiler,
        must_run: bool,
    ) -> Result<CompiledModule, Ended> {
        self.applies(program, &compiler, must_run)?;
        let compiled = pipeline::compile_program(program, compiler);
        let module = compiled.map_err(|error| self.refusal(&error, must_run))?;
        judge::validate(&module, &self.profile)?;
        Ok(module)
    }

    /// [`Bench::compile`] with a compiler that adds code, for tests that take a sample of the programs.
    ///
    /// # Errors
    /// Also where too much is added for the sample.
    pub fn compile_sampled(
        &self,
        program: &Program,
        compiler: Compiler,
        must_run: bool,
    ) -> Result<CompiledModule, Ended> {
        let module = self.compile(program, compiler, must_run)?;
        match too_large_for_sample(&module.spirv) {
            Some(reason) => Err(Ended::NotApplicable(reason)),
            None => Ok(module),
        }
    }

    /// Whether the device offers what a program asks for.
    ///
    /// # Errors
    /// If it does not.
    pub fn applies(&self, program: &Program, compiler: &Compiler, must_run: bool) -> Result<(), Ended> {
        let offered = compiler.features();
        if let Some(&missing) = program.needs.iter().find(|feature| !offered.contains(**feature)) {
            return Err(Ended::NotApplicable(format!("it needs {}", missing.name())));
        }
        match too_large_group(&program.case, &self.profile) {
            Some(reason) if !must_run => Err(Ended::NotApplicable(reason)),
            _ => Ok(()),
        }
    }

    /// What it means that the compiler refuses a program for the device: it does not apply, unless the device
    /// must run everything. Then only those do not that ask for the addresses which the mode does without.
    #[must_use]
    pub fn refusal(&self, error: &Error, must_run: bool) -> Ended {
        let messages = pipeline::messages(error);
        let by_mode = || {
            self.profile.addressing() == AddressingMode::Logical && messages.contains("bufferDeviceAddress")
        };
        match error {
            Error::Unsupported { .. } if !must_run || by_mode() => Ended::NotApplicable(messages),
            error => Ended::Failed(error.to_string()),
        }
    }

    /// Does `work` while no other test uses the device; fails if the validation layer said anything.
    ///
    /// # Errors
    /// Those of the work, and the layer's messages.
    pub fn exclusively<T>(&self, work: impl FnOnce() -> Result<T, Ended>) -> Result<T, Ended> {
        let _running = lock(&self.running);
        let done = work();
        let silent = judge::no_messages(&self.instance);
        match (done, silent) {
            (Err(Ended::Failed(problem)), Err(messages)) => {
                Err(Ended::Failed(format!("{problem}\n{messages}")))
            }
            (_, Err(messages)) => Err(Ended::Failed(messages)),
            (done, Ok(())) => done,
        }
    }

    /// Runs a case; returns what is wrong with its results. If the compiler has added code to the case's own,
    /// it is not an error that a driver which ends long loops ends one.
    ///
    /// # Errors
    /// The device fails, or ends loops.
    pub fn run(
        &self,
        case: &Case,
        module: CompiledModule,
        is_instrumented: bool,
    ) -> Result<Vec<String>, Ended> {
        let mut prepared = Prepared::new(&self.device, case, module)?;
        match prepared.run() {
            Err(error @ RuntimeError::LoopsEnded { .. })
                if is_instrumented && self.profile.has(Quirk::LoopsEnd) =>
            {
                return Err(Ended::NotApplicable(error.to_string()));
            }
            done => done?,
        };
        prepared.end();
        let mut wrong = Vec::new();
        for output in &case.outputs {
            let result = prepared.read(output.resource.0)?;
            wrong.extend(compare::verify(case, output, &result).err().map(|mismatch| mismatch.to_string()));
        }
        Ok(wrong)
    }

    /// The end of a test, for the test harness. One that does not apply is counted.
    ///
    /// # Errors
    /// If the test failed.
    pub fn completion(&self, test: &str, done: Result<(), Ended>) -> Result<Completion, Failed> {
        match done {
            Ok(()) => Ok(Completion::Completed),
            Err(Ended::NotApplicable(reason)) => {
                let reason = not_applicable(test, self.device.info().name(), &reason);
                Ok(Completion::ignored_with(reason))
            }
            Err(failed) => Err(failed.into()),
        }
    }
}

/// No difference is a success.
///
/// # Errors
/// All of them, a line each.
pub fn none(wrong: &[String]) -> Result<(), Ended> {
    if wrong.is_empty() { Ok(()) } else { Err(Ended::Failed(wrong.join("\n"))) }
}

/// What is opened when a test uses it first.
pub type Opened<T> = Arc<OnceLock<Result<T, String>>>;

/// Locks, also after another test has failed while it held the lock.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
