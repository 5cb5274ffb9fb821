//! The forms of programs and kernels on a device.
//!
//! A device may reach buffers faster through descriptors than through addresses. A program is built for it in
//! that form, if nobody can tell the difference. The other form is built when an argument is first set that
//! only addresses express, and a launch takes the form that suits its arguments. Elsewhere there is one form,
//! and nothing here costs anything.

use super::build::{Target, Unit};
use super::device::Device;
use super::kernel::{Argument, Indirect};
use crate::code::{self, Result};
use clvk::{Error, Object};
use std::any::Any;
use std::sync::{Arc, OnceLock};
use vk_runtime::{Arg, PrintOptions};

/// What a device runs of a program.
pub struct Executable {
    /// The form that is preferred.
    program: vk_runtime::Program,
    /// The form with addresses, if it is another one.
    addressed: Option<Addressed>,
}

/// The second form of a program.
struct Addressed {
    device: Arc<Device>,
    /// None if it cannot be built.
    program: OnceLock<Option<vk_runtime::Program>>,
}

impl Executable {
    /// Translates an executable that has kernels.
    ///
    /// # Errors
    /// The build log.
    pub fn new(target: Target<'_>, object: &Object) -> Result<Self, String> {
        let device = target.device;
        let program = device.compiler().translate_preferred(object).map_err(|error| error.plain())?;
        let is_second = program.interface().addressing != device.profile().addressing();
        let program = load(device, program, target.printing)?;
        let addressed = is_second.then(|| Addressed { device: Arc::clone(device), program: OnceLock::new() });
        Ok(Executable { program, addressed })
    }

    /// Keeps something until the program has ended on the device.
    pub fn keep_until_end(&self, kept: Arc<dyn Any + Send + Sync>) {
        self.program.keep_until_end(kept);
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

impl Addressed {
    fn program(&self, object: &Object) -> Option<&vk_runtime::Program> {
        let build = || {
            let program = self.device.compiler().translate(object).map_err(|error| error.plain());
            match program.and_then(|program| load(&self.device, program, None)) {
                Ok(program) => Some(program),
                Err(log) => {
                    tracing::error!("the form with addresses cannot be built: {log}");
                    None
                }
            }
        };
        self.program.get_or_init(build).as_ref()
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
        let (kernel, printing) = (executable.program.kernel(name).ok()?, printing.cloned());
        let kernel = with_printing(kernel, printing.as_ref());
        Some(match executable.addressed {
            None => OnDevice::One(kernel),
            Some(_) => OnDevice::Two(Arc::new(TwoForms {
                bound: kernel,
                addressed: OnceLock::new(),
                unit: Arc::clone(unit),
                printing,
            })),
        })
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
            let addressed = self.unit.executable.as_ref()?.addressed.as_ref()?;
            let kernel = addressed.program(&self.unit.object)?.kernel(self.bound.name()).ok()?;
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
