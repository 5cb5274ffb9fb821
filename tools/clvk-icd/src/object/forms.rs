//! The forms of programs and kernels on a device.
//!
//! A device may reach buffers faster through descriptors than through addresses. Each kernel is built for it
//! in that form, if nobody can tell the difference. The other form of these kernels is built when an argument
//! is first set that only addresses express, and a launch takes the form that suits its arguments. Elsewhere
//! there is one form, and nothing here costs anything.

use super::build::{Target, Unit};
use super::device::Device;
use super::kernel::{Argument, Indirect};
use crate::code::{self, Result};
use crate::timeline;
use clvk::{Error, Forms, Object};
use std::any::Any;
use std::sync::{Arc, OnceLock};
use vk_runtime::{Arg, PrintOptions};

/// What a device runs of a program.
pub struct Executable {
    /// The kernels that reach buffers through descriptors and need not.
    bound: Option<Bound>,
    /// All other kernels.
    others: Option<vk_runtime::Program>,
}

/// Kernels in two forms.
struct Bound {
    device: Arc<Device>,
    program: vk_runtime::Program,
    /// The form with addresses; None if it cannot be built.
    addressed: OnceLock<Option<vk_runtime::Program>>,
}

impl Executable {
    /// Translates an executable that has kernels.
    ///
    /// # Errors
    /// The build log.
    pub fn new(target: Target<'_>, object: &Object) -> Result<Self, String> {
        let device = target.device;
        let Forms { bound, others } =
            device.compiler().translate_forms(object).map_err(|error| error.plain())?;
        let load = |program: Option<clvk::Program>| {
            program.map(|program| load(device, program, target.printing)).transpose()
        };
        let device = Arc::clone(device);
        let bound = load(bound)?.map(|program| Bound { device, program, addressed: OnceLock::new() });
        Ok(Executable { bound, others: load(others)? })
    }

    /// Keeps something until the program has ended on the device.
    pub fn keep_until_end(&self, kept: &Arc<dyn Any + Send + Sync>) {
        let bound = self.bound.as_ref().map(|bound| &bound.program);
        bound.into_iter().chain(&self.others).for_each(|program| program.keep_until_end(Arc::clone(kept)));
    }
}

fn load(
    device: &Device,
    program: clvk::Program,
    printing: Option<&Arc<PrintOptions>>,
) -> Result<vk_runtime::Program, String> {
    let opened = device.open().map_err(|code| format!("error: the device cannot be used ({})\n", code.0))?;
    vk_runtime::Program::with_printing(opened, program.into_module(), printing.cloned())
        .map_err(|error| Error::from(error).plain())
}

impl Bound {
    fn addressed(&self, object: &Object) -> Option<&vk_runtime::Program> {
        let build = || {
            let kernels = self.program.interface().kernels.iter().map(|kernel| kernel.name.as_str());
            let compiler = self.device.compiler().with_kernels(kernels);
            let translate = || compiler.translate(object);
            let program = timeline::compilation("form of a program with addresses", translate);
            match program.map_err(|error| error.plain()).and_then(|it| load(&self.device, it, None)) {
                Ok(program) => Some(program),
                Err(log) => {
                    tracing::error!("the form with addresses cannot be built: {log}");
                    None
                }
            }
        };
        self.addressed.get_or_init(build).as_ref()
    }
}

/// A kernel on a device.
#[derive(Clone)]
pub enum OnDevice {
    /// In the only form.
    One(vk_runtime::Kernel),
    /// In one of two forms.
    Two(Arc<TwoForms>),
}

/// A kernel in two forms.
pub struct TwoForms {
    bound: vk_runtime::Kernel,
    addressed: OnceLock<Option<vk_runtime::Kernel>>,
    unit: Arc<Unit>,
    printing: Option<Arc<PrintOptions>>,
}

impl OnDevice {
    /// The kernel of this name; `None` if nothing was built.
    pub fn new(unit: &Arc<Unit>, name: &str, printing: Option<&Arc<PrintOptions>>) -> Option<Self> {
        let executable = unit.executable.as_ref()?;
        let in_bound = executable.bound.as_ref().and_then(|bound| bound.program.kernel(name).ok());
        if let Some(kernel) = in_bound {
            let (unit, printing) = (Arc::clone(unit), printing.cloned());
            let bound = with_printing(kernel, printing.as_ref());
            return Some(OnDevice::Two(Arc::new(TwoForms {
                bound,
                addressed: OnceLock::new(),
                unit,
                printing,
            })));
        }
        let kernel = executable.others.as_ref()?.kernel(name).ok()?;
        Some(OnDevice::One(with_printing(kernel, printing)))
    }

    /// The kernel in the preferred form.
    pub fn preferred(&self) -> &vk_runtime::Kernel {
        match self {
            OnDevice::One(kernel) => kernel,
            OnDevice::Two(forms) => &forms.bound,
        }
    }

    /// The kernel in the form that the next launch is likely to take.
    pub fn newest(&self) -> &vk_runtime::Kernel {
        match self {
            OnDevice::Two(forms) => forms.addressed.get().and_then(Option::as_ref).unwrap_or(&forms.bound),
            OnDevice::One(kernel) => kernel,
        }
    }

    /// Builds the form that an argument needs, so that no launch has to. Whether it is new.
    pub fn prepare(&self, argument: &Argument) -> bool {
        let OnDevice::Two(forms) = self else { return false };
        let is_new = forms.addressed.get().is_none() && forms.needs_addresses(argument);
        is_new && forms.addressed().is_some()
    }

    /// The kernel in the form for a launch with these arguments, which `in_shared` memory is among or not:
    /// `CL_OUT_OF_RESOURCES` if it cannot be built.
    pub fn for_launch(
        &self,
        arguments: &[Arg<'_>],
        in_shared: bool,
        indirect: &Indirect,
    ) -> Result<&vk_runtime::Kernel> {
        let OnDevice::Two(forms) = self else { return Ok(self.preferred()) };
        let needs_address = |argument: &Arg<'_>| match argument {
            Arg::Address(_) | Arg::NullBuffer => true,
            Arg::Buffer(buffer) | Arg::BufferAt(buffer, _) => !buffer.fits_descriptor(),
            _ => false,
        };
        if in_shared || !indirect.is_empty() || arguments.iter().any(needs_address) {
            forms.addressed().ok_or(code::OUT_OF_RESOURCES)
        } else {
            Ok(&forms.bound)
        }
    }
}

impl TwoForms {
    /// Whether only the form with addresses can take an argument, or take it without further cost: behind a
    /// null pointer that is bound there must be a buffer.
    fn needs_addresses(&self, argument: &Argument) -> bool {
        match argument {
            Argument::Null | Argument::Svm(_) | Argument::Pointer(_) | Argument::Address(..) => true,
            Argument::Memory(memory) => memory.upgrade().is_some_and(|memory| {
                memory.size() as u64 > u64::from(self.bound.device().profile().max_storage_buffer_range)
            }),
            Argument::Value(_) | Argument::Local(_) | Argument::Sampler(_) => false,
        }
    }

    fn addressed(&self) -> Option<&vk_runtime::Kernel> {
        let build = || {
            let bound = self.unit.executable.as_ref()?.bound.as_ref()?;
            let kernel = bound.addressed(&self.unit.object)?.kernel(self.bound.name()).ok()?;
            Some(with_printing(kernel, self.printing.as_ref()))
        };
        self.addressed.get_or_init(build).as_ref()
    }
}

fn with_printing(kernel: vk_runtime::Kernel, printing: Option<&Arc<PrintOptions>>) -> vk_runtime::Kernel {
    match printing {
        Some(options) => kernel.printing(Arc::clone(options)),
        None => kernel,
    }
}
