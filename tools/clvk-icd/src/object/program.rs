//! Programs.

use super::build::{self, Headers, Outcome, Output, Target, Unit};
use super::context::Context;
use super::device::Device;
use super::specialisation::{Specialisation, may_have_constants};
use crate::border::In;
use crate::border::callback::OnObject;
use crate::cl::*;
use crate::code::{self, Code, Result, ensure};
use crate::handle::{self, Handle, Header, object};
use crate::info::{self, Answer};
use crate::timeline;
use clvk::{BuildOptions, ObjectKind, SpirvModule, SpirvSummary};
use clvk_interface::ProgramHook;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a program was made from.
pub enum Origin {
    /// OpenCL C or C++.
    Source(Source),
    /// SPIR-V.
    Spirv(Arc<Intermediate>),
    /// Binaries, one for each device.
    Binary,
    /// Other programs.
    Linked,
}

/// A source (`clCreateProgramWithSource`).
pub struct Source {
    /// As given.
    pub text: String,
    /// Values of the specialisation constants of OpenCL C++.
    pub constants: Specialisation,
}

/// A module of SPIR-V (`clCreateProgramWithIL`).
pub struct Intermediate {
    /// The module.
    pub module: SpirvModule,
    summary: SpirvSummary,
    /// Values of its specialisation constants.
    pub constants: Specialisation,
}

impl Intermediate {
    /// A module; `CL_INVALID_VALUE` if it is not one for kernels.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        let module = SpirvModule::new(build::IL_NAME, bytes).map_err(|_| code::INVALID_VALUE)?;
        Ok(Intermediate { summary: module.summary(), module, constants: Specialisation::default() })
    }

    /// What it declares.
    pub fn summary(&self) -> &SpirvSummary {
        &self.summary
    }
}

/// The last build for a device.
#[derive(Clone)]
pub struct Build {
    /// `CL_BUILD_NONE` and so on.
    pub status: cl_build_status,
    /// As given.
    pub options: String,
    /// Messages.
    pub log: String,
    /// The result of the build, or the contents of the binary.
    pub output: Option<Arc<Output>>,
}

impl Build {
    fn none() -> Self {
        Build { status: CL_BUILD_NONE, options: String::new(), log: String::new(), output: None }
    }
}

/// A program.
#[repr(C)]
pub struct Program {
    header: Header<Program>,
    context: Arc<Context>,
    devices: Vec<Arc<Device>>,
    origin: Origin,
    builds: Mutex<Vec<Build>>,
    /// Number of existing kernel objects.
    kernels: AtomicUsize,
    /// The last field: what the builds do at their end comes before the callbacks.
    released: Arc<Released>,
}

/// Whom to tell that a program is gone and the objects of its source are destroyed. Builds keep it until they
/// have ended.
#[derive(Default)]
struct Released {
    /// With the program's handle, which is only for reference then.
    callbacks: Mutex<Vec<(usize, OnObject)>>,
}

impl Drop for Released {
    fn drop(&mut self) {
        let callbacks = std::mem::take(self.callbacks.get_mut().unwrap_or_else(PoisonError::into_inner));
        for (program, callback) in callbacks.into_iter().rev() {
            callback.call(program as *const c_void);
        }
    }
}

object!(Program, code::INVALID_PROGRAM);

impl Program {
    fn new(
        context: Arc<Context>,
        devices: Vec<Arc<Device>>,
        origin: Origin,
        builds: Vec<Build>,
    ) -> Arc<Self> {
        Arc::new(Program {
            header: Header::new(),
            context,
            devices,
            origin,
            builds: Mutex::new(builds),
            kernels: AtomicUsize::new(0),
            released: Arc::default(),
        })
    }

    fn unbuilt(context: Arc<Context>, devices: Vec<Arc<Device>>, origin: Origin) -> Arc<Self> {
        let builds = devices.iter().map(|_| Build::none()).collect();
        Self::new(context, devices, origin, builds)
    }

    /// From OpenCL C or C++.
    pub fn from_source(context: Arc<Context>, text: String) -> Arc<Self> {
        let devices = context.devices().to_vec();
        let source = Source { text, constants: Specialisation::default() };
        Self::unbuilt(context, devices, Origin::Source(source))
    }

    /// From SPIR-V.
    pub fn from_spirv(context: Arc<Context>, module: Intermediate) -> Arc<Self> {
        let devices = context.devices().to_vec();
        Self::unbuilt(context, devices, Origin::Spirv(Arc::new(module)))
    }

    /// From the contents of binaries.
    pub fn from_binaries(
        context: Arc<Context>,
        devices: Vec<Arc<Device>>,
        binaries: Vec<(Output, String)>,
    ) -> Arc<Self> {
        let loaded = |(output, options): (Output, String)| Build {
            options,
            output: Some(Arc::new(output)),
            ..Build::none()
        };
        let builds = binaries.into_iter().map(loaded).collect();
        Self::new(context, devices, Origin::Binary, builds)
    }

    /// A program for the result of linking, which is not there yet.
    pub fn linked(context: Arc<Context>, devices: Vec<Arc<Device>>) -> Arc<Self> {
        Self::unbuilt(context, devices, Origin::Linked)
    }

    /// Its context.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The devices that it is for.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// What it was made from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Sets a specialisation constant for the builds that follow. `CL_INVALID_PROGRAM` if the program cannot
    /// have any; `CL_INVALID_SPEC_ID` if it does not have this one; `CL_INVALID_VALUE` if it has another
    /// size.
    pub fn specialise(&self, id: u32, size: usize, value: In<c_void>) -> Result<()> {
        match &self.origin {
            Origin::Spirv(module) => {
                module.constants.set(Some(&module.summary.specialisation), id, size, value)
            }
            Origin::Source(source) if may_have_constants(&source.text) => {
                let builds = self.builds();
                let known = builds.iter().find_map(|build| match build.output.as_deref()? {
                    Output::Whole(unit) => Some(unit.object.specialisation()),
                    Output::ByKernel(_) => None,
                });
                source.constants.set(known, id, size, value)
            }
            _ => Err(code::INVALID_PROGRAM),
        }
    }

    fn builds(&self) -> MutexGuard<'_, Vec<Build>> {
        self.builds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The position of a device; `CL_INVALID_DEVICE` if it is not for it.
    pub fn index_of(&self, device: &Arc<Device>) -> Result<usize> {
        self.devices.iter().position(|known| Arc::ptr_eq(known, device)).ok_or(code::INVALID_DEVICE)
    }

    /// The last build for the device of this position.
    pub fn build_of(&self, index: usize) -> Build {
        self.builds()[index].clone()
    }

    /// Has a function called when the program is gone, after those that are registered later.
    pub fn on_release(&self, callback: OnObject) {
        let mut callbacks = self.released.callbacks.lock().unwrap_or_else(PoisonError::into_inner);
        callbacks.push((handle::address(self) as usize, callback));
    }

    /// Counts one more kernel object.
    pub fn attach_kernel(&self) {
        self.kernels.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one kernel object less.
    pub fn detach_kernel(&self) {
        self.kernels.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether it can be built again, which requires that it has no kernel objects.
    pub fn check_no_kernels(&self) -> Result<()> {
        ensure(self.kernels.load(Ordering::Relaxed) == 0, code::INVALID_OPERATION)
    }

    /// Builds or compiles for these devices (by position). The error code tells a failed build from a failed
    /// compilation.
    pub fn build(&self, indices: &[usize], text: &str, headers: &Headers, kind: ObjectKind) -> Result<()> {
        let (failure, wrong_options) = match kind {
            ObjectKind::Executable => (code::BUILD_PROGRAM_FAILURE, code::INVALID_BUILD_OPTIONS),
            _ => (code::COMPILE_PROGRAM_FAILURE, code::INVALID_COMPILER_OPTIONS),
        };
        let options = match BuildOptions::parse(text) {
            Ok(options) => options,
            Err(error) => {
                for &index in indices {
                    self.record(index, text, Outcome::failed(error.plain()));
                }
                return Err(wrong_options);
            }
        };
        let mut result = Ok(());
        for &index in indices {
            let build = || -> Result<Outcome> {
                Ok(match &self.origin {
                    Origin::Source(source) => {
                        build::compile(self.target(index), source, options.clone(), headers, kind)
                    }
                    Origin::Spirv(module) => build::read(self.target(index), module, options.clone(), kind),
                    Origin::Binary | Origin::Linked => self.build_again(index, kind)?,
                })
            };
            let outcome = timeline::compilation("build program", build)?;
            if outcome.output.is_none() {
                result = Err(failure);
            }
            self.record(index, text, outcome);
        }
        result
    }

    /// Makes an executable from the contents of a binary.
    fn build_again(&self, index: usize, kind: ObjectKind) -> Result<Outcome> {
        let output = self.build_of(index).output.ok_or(code::INVALID_BINARY)?;
        let both = [kind, output.kind()] == [ObjectKind::Executable; 2];
        ensure(both, code::INVALID_OPERATION)?;
        let whole = output.whole().ok_or(code::INVALID_BINARY)?;
        Ok(build::finish(self.target(index), whole.object.clone(), String::new()))
    }

    /// Links for these devices (by position).
    pub fn link(
        &self,
        indices: &[usize],
        text: &str,
        parts: &[Arc<Program>],
        kind: ObjectKind,
    ) -> Result<()> {
        let mut result = Ok(());
        for &index in indices {
            let device = &self.devices[index];
            let units: Vec<Arc<Unit>> = parts
                .iter()
                .map(|part| {
                    let build = part.build_of(part.index_of(device)?);
                    build.output.and_then(|output| output.whole()).ok_or(code::INVALID_OPERATION)
                })
                .collect::<Result<_>>()?;
            let link = || build::link(self.target(index), units.iter().map(|unit| &unit.object), kind);
            let outcome = timeline::compilation("link program", link);
            if outcome.output.is_none() {
                result = Err(code::LINK_PROGRAM_FAILURE);
            }
            self.record(index, text, outcome);
        }
        result
    }

    fn target(&self, index: usize) -> Target<'_> {
        Target { device: &self.devices[index], printing: self.context.printing() }
    }

    fn record(&self, index: usize, options: &str, outcome: Outcome) {
        let Outcome { output, log } = outcome;
        let status = if output.is_some() { CL_BUILD_SUCCESS } else { CL_BUILD_ERROR };
        if let Some(Output::Whole(unit)) = &output
            && let Some(executable) = &unit.executable
        {
            executable.keep_until_end(&(Arc::clone(&self.released) as _));
        }
        let output = output.map(Arc::new);
        let new = Build { status, options: options.to_owned(), log, output };
        let old = std::mem::replace(&mut self.builds()[index], new);
        // Not under the lock: what it does at its end may print, and call the application.
        drop(old);
    }

    /// The first existing executable, for queries about kernels.
    pub fn any_executable(&self) -> Option<Arc<Output>> {
        let builds = self.builds();
        let mut outputs = builds.iter().filter(|build| build.status == CL_BUILD_SUCCESS);
        outputs
            .find_map(|build| build.output.clone().filter(|output| output.kind() == ObjectKind::Executable))
    }

    /// What holds a kernel, by device; `None` where nothing was built, or where the kernel cannot run, which
    /// the build log then says.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE` if nothing was built, or the kernel runs nowhere;
    /// `CL_INVALID_KERNEL_NAME` if there is no such kernel.
    pub fn units_of(&self, kernel: &str) -> Result<Vec<Option<Arc<Unit>>>> {
        let (mut units, mut missing) = (Vec::new(), code::INVALID_PROGRAM_EXECUTABLE);
        for (index, output) in self.executables().into_iter().enumerate() {
            units.push(match output.map(|output| output.of_kernel(kernel)) {
                Some(Ok(Some(unit))) => Some(unit),
                Some(Ok(None)) => {
                    missing = code::INVALID_KERNEL_NAME;
                    None
                }
                Some(Err(log)) => {
                    self.builds()[index].log.push_str(&log);
                    None
                }
                None => None,
            });
        }
        ensure(units.iter().any(Option::is_some), missing)?;
        Ok(units)
    }

    /// The executables, by device.
    pub fn executables(&self) -> Vec<Option<Arc<Output>>> {
        let builds = self.builds();
        let executable = |build: &Build| {
            let output = build.output.clone().filter(|output| output.kind() == ObjectKind::Executable)?;
            (build.status == CL_BUILD_SUCCESS).then_some(output)
        };
        builds.iter().map(executable).collect()
    }

    /// Whether the program has something to do at this time; `CL_INVALID_PROGRAM_EXECUTABLE` if it was not
    /// built.
    fn has_hook(&self, hook: ProgramHook) -> Result<bool> {
        let output = self.any_executable().ok_or(code::INVALID_PROGRAM_EXECUTABLE)?;
        Ok(match &*output {
            Output::Whole(unit) => unit.object.module().hooks(hook).next().is_some(),
            // Only modules without such kernels are built by kernel.
            Output::ByKernel(_) => false,
        })
    }

    /// The binaries, by device; empty where there is none.
    pub fn binaries(&self) -> Vec<Vec<u8>> {
        let builds = self.builds();
        let binary = |build: &Build| {
            let whole = build.output.as_ref().and_then(|output| output.whole());
            whole.map(|unit| unit.object.to_bytes(&build.options)).unwrap_or_default()
        };
        builds.iter().map(binary).collect()
    }

    /// Answers a query (all but `CL_PROGRAM_BINARIES`, which is not a plain value).
    pub fn query(&self, name: cl_program_info) -> Result<Answer> {
        let kernels = || {
            let output = self.any_executable().ok_or(code::INVALID_PROGRAM_EXECUTABLE)?;
            Ok::<_, Code>(output.kernel_names())
        };
        match name {
            CL_PROGRAM_REFERENCE_COUNT => info::value(handle::references(self)),
            CL_PROGRAM_CONTEXT => info::value(Handle::of(&self.context)),
            CL_PROGRAM_NUM_DEVICES => info::value(self.devices.len() as u32),
            CL_PROGRAM_DEVICES => info::list(&self.devices.iter().map(Handle::of).collect::<Vec<_>>()),
            CL_PROGRAM_SOURCE => match &self.origin {
                Origin::Source(source) => info::text(&source.text),
                Origin::Spirv(_) | Origin::Binary | Origin::Linked => info::text(""),
            },
            CL_PROGRAM_IL => match &self.origin {
                Origin::Spirv(intermediate) => info::bytes(&intermediate.module.bytes()),
                _ => info::bytes(&[]),
            },
            CL_PROGRAM_BINARY_SIZES => {
                info::list(&self.binaries().iter().map(Vec::len).collect::<Vec<usize>>())
            }
            CL_PROGRAM_NUM_KERNELS => info::value(kernels()?.len()),
            CL_PROGRAM_KERNEL_NAMES => info::text(&kernels()?.join(";")),
            CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT => info::truth(self.has_hook(ProgramHook::Initializer)?),
            CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => info::truth(self.has_hook(ProgramHook::Finalizer)?),
            _ => Err(code::INVALID_VALUE),
        }
    }

    /// Answers a query about the build for a device.
    pub fn query_build(&self, device: &Arc<Device>, name: cl_program_build_info) -> Result<Answer> {
        let build = self.build_of(self.index_of(device)?);
        match name {
            CL_PROGRAM_BUILD_STATUS => info::value(build.status),
            CL_PROGRAM_BUILD_OPTIONS => info::text(&build.options),
            CL_PROGRAM_BUILD_LOG => info::text(&build.log),
            CL_PROGRAM_BINARY_TYPE => info::value(match build.output.map(|output| output.kind()) {
                None => CL_PROGRAM_BINARY_TYPE_NONE,
                Some(ObjectKind::Compiled) => CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                Some(ObjectKind::Library) => CL_PROGRAM_BINARY_TYPE_LIBRARY,
                Some(ObjectKind::Executable) => CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            }),
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
                info::value(match build.output.as_deref() {
                    Some(Output::Whole(unit)) => unit.object.global_variable_size() as usize,
                    // Only modules without such variables are built by kernel.
                    Some(Output::ByKernel(_)) | None => 0,
                })
            }
            _ => Err(code::INVALID_VALUE),
        }
    }
}
