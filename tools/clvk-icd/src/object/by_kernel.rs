//! Executables from large SPIR-V modules, which are built kernel by kernel.
//!
//! A host of SYCL creates programs with thousands of kernels, and then a few kernels of each. Building the
//! program reads what the module declares; creating a kernel reads and translates that kernel and what it
//! calls. What a device cannot run is therefore found when its kernel is created.
//!
//! Modules with variables in global memory are built at once, because their kernels share these variables,
//! and so are those that begin or end with code of their own.

use super::build::{self, Target, Unit};
use super::device::Device;
use super::program::Intermediate;
use clvk::{Compiler, ObjectKind, SpirvModule, SpirvSummary};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Modules with fewer kernels are built at once, so that the build reports what the device cannot run.
const MANY: usize = 16;

/// Whether a module is built kernel by kernel.
pub fn suits(summary: &SpirvSummary) -> bool {
    let is_one = summary.has_global_variables || summary.has_hooks;
    summary.kernels.len() >= MANY && !is_one
}

/// An executable whose kernels are built when they are created.
pub struct ByKernel {
    device: Arc<Device>,
    intermediate: Arc<Intermediate>,
    /// The module with the constants that were set when the program was built.
    module: SpirvModule,
    /// A compiler with these constants.
    compiler: Compiler,
    kernels: Mutex<BTreeMap<String, Arc<Unit>>>,
    /// All of the module, for its binary.
    whole: OnceLock<Option<Arc<Unit>>>,
}

impl ByKernel {
    /// The executable.
    pub fn new(
        device: &Arc<Device>,
        intermediate: &Arc<Intermediate>,
        module: SpirvModule,
        compiler: Compiler,
    ) -> Self {
        ByKernel {
            device: Arc::clone(device),
            intermediate: Arc::clone(intermediate),
            module,
            compiler,
            kernels: Mutex::default(),
            whole: OnceLock::new(),
        }
    }

    /// The names of the kernels.
    pub fn kernel_names(&self) -> &[String] {
        &self.intermediate.summary().kernels
    }

    /// A kernel and what it calls; `None` if there is no such kernel.
    ///
    /// # Errors
    /// The build log: the kernel is wrong, or cannot run on the device.
    pub fn kernel(&self, name: &str) -> Result<Option<Arc<Unit>>, String> {
        if !self.kernel_names().iter().any(|known| known == name) {
            return Ok(None);
        }
        if let Some(known) = self.lock().get(name) {
            return Ok(Some(Arc::clone(known)));
        }
        // Not under the lock: other threads build other kernels.
        let compiler = self.compiler.clone().with_kernels([name]);
        let read = compiler.spirv_module_object(ObjectKind::Executable, &self.module);
        let object = read.map_err(|error| error.plain())?;
        let target = Target { device: &self.device, printing: None };
        let unit = Arc::new(build::unit(target, object)?);
        Ok(Some(Arc::clone(self.lock().entry(name.to_owned()).or_insert(unit))))
    }

    /// All of the module, not translated; `None` if a kernel is wrong.
    pub fn whole(&self) -> Option<Arc<Unit>> {
        let read = || {
            let read = self.compiler.spirv_module_object(ObjectKind::Executable, &self.module);
            Some(Arc::new(Unit { object: read.ok()?, executable: None }))
        };
        self.whole.get_or_init(read).clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Unit>>> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
