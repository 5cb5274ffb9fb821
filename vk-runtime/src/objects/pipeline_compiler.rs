//! Compiling kernels without launching them.
//!
//! No queue is used, no semaphore is made and no memory is allocated, so drivers that compile for GPUs that
//! are not there will do.

use crate::engine::executable::{Executable, ExecutableCost, executables};
use crate::engine::interface_check::check_interface;
use crate::engine::nd_range::{self, LaunchConfig};
use crate::engine::pipeline::{ModulePipelines, PipelineKey};
use crate::objects::arguments::{self, check_local_memory, local_elements};
use crate::vulkan::error::{Error, Result};
use crate::vulkan::logical_device::{self, LogicalDevice, Purpose};
use crate::vulkan::physical_device::{DeviceInfo, Usable};
use clvk_interface::{ArgumentKind, CompiledModule, DeviceProfile, KernelInterface, ModuleInterface};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A device that compiles kernels and launches none. Cloning is cheap and gives the same device.
#[derive(Clone)]
pub struct PipelineCompiler {
    logical: Arc<LogicalDevice>,
    usable: Arc<Usable>,
    info: DeviceInfo,
}

impl PipelineCompiler {
    /// Opens a device with every feature that its profile names, and with its statistics of pipelines.
    ///
    /// # Errors
    /// [`Error::UnusableDevice`], or a failure of Vulkan.
    pub fn new(info: &DeviceInfo) -> Result<Self> {
        let usable = Arc::clone(info.usable()?);
        let logical = Arc::new(logical_device::open(info, &usable, Purpose::Compile)?);
        Ok(PipelineCompiler { logical, usable, info: info.clone() })
    }

    /// Features and limits, for the compiler.
    #[must_use]
    pub fn profile(&self) -> &DeviceProfile {
        &self.usable.capabilities.profile
    }

    /// What the device is.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Whether the driver tells what it makes of kernels (`VK_KHR_pipeline_executable_properties`).
    #[must_use]
    pub fn has_statistics(&self) -> bool {
        self.logical.executable_extension().is_some()
    }

    /// Gives a module to the driver; kernels are compiled one by one ([`PipelineModule::compile`]).
    ///
    /// # Errors
    /// [`Error::InvalidProgram`] if the module is damaged or was compiled for another kind of device, or a
    /// failure of Vulkan.
    pub fn load(&self, module: CompiledModule) -> Result<PipelineModule> {
        check_interface(&module.interface, self.profile())?;
        let pipelines =
            ModulePipelines::new(&self.logical, &self.info, &module, &Arc::default(), None, None)?;
        Ok(PipelineModule { pipelines, interface: module.interface, compiler: self.clone() })
    }
}

impl fmt::Debug for PipelineCompiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PipelineCompiler({})", self.info)
    }
}

/// A module that was given to a driver.
pub struct PipelineModule {
    pipelines: ModulePipelines,
    interface: ModuleInterface,
    compiler: PipelineCompiler,
}

/// A kernel compiled by the driver for one work-group size.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledPipeline {
    /// The work-group size.
    pub local_size: [u32; 3],
    /// How long the driver compiled; next to nothing if a cache of its own had the pipeline.
    pub compile_time: Duration,
    /// What the driver made of the kernel; empty if it does not say.
    pub executables: Vec<Executable>,
}

impl CompiledPipeline {
    /// The cost of the kernel: of several executables, the worst of each number.
    #[must_use]
    pub fn cost(&self) -> ExecutableCost {
        let costs = self.executables.iter().map(ExecutableCost::of);
        costs.reduce(ExecutableCost::worst).unwrap_or_default()
    }
}

impl PipelineModule {
    /// The same, whose kernels are compiled with the driver's code of them
    /// ([`Executable::representations`]). Drivers may take longer then.
    #[must_use]
    pub fn with_code(self) -> Self {
        self.pipelines.keep_code();
        self
    }

    /// How its kernels are launched.
    #[must_use]
    pub fn interface(&self) -> &ModuleInterface {
        &self.interface
    }

    /// Compiles the pipelines of a launch whose buffers begin where their memory does: one, and more where
    /// the work-group size does not divide the global size. `local_arguments` are the sizes of its `__local`
    /// arguments in bytes, in order.
    ///
    /// # Errors
    /// [`Error::UnknownKernel`]; [`Error::Launch`] if the device cannot launch the kernel with these sizes; a
    /// failure of the driver's compiler.
    pub fn compile(
        &self,
        kernel: &str,
        config: &LaunchConfig,
        local_arguments: &[u64],
    ) -> Result<Vec<CompiledPipeline>> {
        let index = self.position(kernel)?;
        let interface = &self.interface.kernels[index];
        let refuse = |reason| Error::Launch { kernel: kernel.to_owned(), reason };
        let plan = nd_range::plan(interface, self.compiler.profile(), config).map_err(refuse)?;
        let mut locals = local_constants(interface, local_arguments).map_err(refuse)?;
        check_local_memory(self.compiler.profile(), interface, &locals)?;
        if plan.has_no_offsets() {
            locals.extend(arguments::offset_mask(interface));
        }
        let mut sizes: Vec<[u32; 3]> = plan.dispatches.iter().map(|dispatch| dispatch.local).collect();
        sizes.dedup();
        let compile = |local_size: [u32; 3]| {
            let key = PipelineKey::new(local_size, plan.local, &locals);
            let pipeline = self.pipelines.get(index, &key, || ())?;
            let executables = executables(&self.compiler.logical, &pipeline, self.pipelines.keeps_code())?;
            Ok(CompiledPipeline { local_size, compile_time: pipeline.compile_time, executables })
        };
        sizes.into_iter().map(compile).collect()
    }

    fn position(&self, name: &str) -> Result<usize> {
        let kernels = &self.interface.kernels;
        kernels.iter().position(|kernel| kernel.name == name).ok_or_else(|| {
            let known = kernels.iter().map(|kernel| kernel.name.as_str()).collect::<Vec<_>>().join(", ");
            Error::UnknownKernel { name: name.to_owned(), known }
        })
    }
}

impl fmt::Debug for PipelineModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.interface.kernels.iter().map(|kernel| kernel.name.as_str());
        f.debug_tuple("PipelineModule").field(&names.collect::<Vec<_>>()).finish()
    }
}

/// The specialisation constants of `__local` arguments of these sizes in bytes.
pub(crate) fn local_constants(
    kernel: &KernelInterface,
    sizes: &[u64],
) -> std::result::Result<Vec<(u32, u32)>, String> {
    let parameters: Vec<(u32, u32)> = kernel
        .arguments
        .iter()
        .filter_map(|argument| match argument.kind {
            ArgumentKind::Local { spec_id, element_size } => Some((spec_id, element_size)),
            _ => None,
        })
        .collect();
    if parameters.len() != sizes.len() {
        return Err(format!(
            "it has {} `__local` arguments, but the sizes of {} were given",
            parameters.len(),
            sizes.len()
        ));
    }
    let constant = |(&(id, element), &bytes)| Ok((id, local_elements(bytes, element)?));
    parameters.iter().zip(sizes).map(constant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::transfer_kernels;
    use crate::vulkan::instance::{Instance, InstanceOptions};
    use clvk_cache::DiskCache;

    /// Two users of the cache begin with nothing and compile different pipelines, as two processes do.
    /// Drivers for CPUs keep nothing. Mesa's RADV does without hardware, if `RADV_FORCE_FAMILY` is set.
    #[test]
    fn what_several_compile_is_kept() {
        let module = transfer_kernels::compiled();
        let instance = Instance::new(&InstanceOptions::default()).unwrap();
        for info in instance.devices().unwrap() {
            let Ok(compiler) = PipelineCompiler::new(&info) else { continue };
            if check_interface(&module.interface, compiler.profile()).is_err() {
                continue;
            }
            let name = format!("clvk-pipelines-{}-{}", info.index(), std::process::id());
            let folder = std::env::temp_dir().join(name);
            let disk = Arc::new(DiskCache::new(&folder, 1 << 24));
            let load = || {
                let (logical, counters) = (&compiler.logical, Arc::default());
                ModulePipelines::new(logical, &info, &module, &counters, Some(&disk), None).unwrap()
            };
            let compile = |pipelines: &ModulePipelines, kernel, row| {
                let key = PipelineKey::new([row, 1, 1], [row, 1, 1], &[]);
                pipelines.get(kernel, &key, || ()).unwrap();
            };
            let users = [load(), load(), load()];
            for (kernel, user) in users.iter().enumerate() {
                compile(user, kernel, 32);
            }
            drop(users);
            let size = disk.size();
            let all = load();
            (0..3).for_each(|kernel| compile(&all, kernel, 32));
            drop(all);
            let after = disk.size();
            assert!(after <= size + size / 16, "{info}: {size} bytes, then {after}");
            compile(&load(), 0, 64);
            assert_eq!(disk.size() > after, size > 0, "{info}: a new pipeline is kept, if any is");
            let _ = std::fs::remove_dir_all(&folder);
        }
    }
}
