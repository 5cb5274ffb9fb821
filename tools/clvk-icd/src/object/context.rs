//! Contexts.

use super::device::Device;
use crate::border::callback::OnObject;
use crate::cl;
use crate::code::{self, Result};
use crate::handle::{self, Handle, Header, object};
use crate::info::{self, Answer};
use std::sync::{Arc, Mutex, PoisonError};

/// A context: the devices that share objects.
#[repr(C)]
pub struct Context {
    header: Header<Context>,
    devices: Vec<Arc<Device>>,
    /// As the application gave them, with the zero at the end; empty if it gave none.
    properties: Vec<isize>,
    destructors: Mutex<Vec<OnObject>>,
}

object!(Context, code::INVALID_CONTEXT);

impl Context {
    /// Opens the devices, of which a repeated one counts once.
    pub fn new(devices: Vec<Arc<Device>>, properties: Vec<isize>) -> Result<Arc<Context>> {
        let mut distinct: Vec<Arc<Device>> = Vec::with_capacity(devices.len());
        for device in devices {
            device.open()?;
            if !distinct.iter().any(|known| Arc::ptr_eq(known, &device)) {
                distinct.push(device);
            }
        }
        let destructors = Mutex::default();
        Ok(Arc::new(Context { header: Header::new(), devices: distinct, properties, destructors }))
    }

    /// Its devices.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// The position of a device in [`Context::devices`].
    pub fn index_of(&self, device: &Arc<Device>) -> Option<usize> {
        self.devices.iter().position(|known| Arc::ptr_eq(known, device))
    }

    /// Whether a device is one of its devices; else `CL_INVALID_DEVICE`.
    pub fn check_device(&self, device: &Arc<Device>) -> Result<()> {
        code::ensure(self.index_of(device).is_some(), code::INVALID_DEVICE)
    }

    /// Has a function called when the context goes.
    pub fn on_destruction(&self, callback: OnObject) {
        self.destructors.lock().unwrap_or_else(PoisonError::into_inner).push(callback);
    }

    /// Answers a query.
    pub fn query(&self, name: cl::cl_context_info) -> Result<Answer> {
        match name {
            cl::CL_CONTEXT_REFERENCE_COUNT => info::value(handle::references(self)),
            cl::CL_CONTEXT_NUM_DEVICES => info::value(self.devices.len() as u32),
            cl::CL_CONTEXT_DEVICES => info::list(&self.devices.iter().map(Handle::of).collect::<Vec<_>>()),
            cl::CL_CONTEXT_PROPERTIES => info::list(&self.properties),
            _ => Err(code::INVALID_VALUE),
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let callbacks = std::mem::take(self.destructors.get_mut().unwrap_or_else(PoisonError::into_inner));
        for callback in callbacks.into_iter().rev() {
            callback.call(handle::address(self));
        }
    }
}
