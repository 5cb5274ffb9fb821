//! Contexts.

use super::device::Device;
use super::memory::Memory;
use super::queue::Queue;
use super::svm::Allocations;
use crate::border::callback::{OnError, OnObject};
use crate::cl;
use crate::code::{self, Result};
use crate::handle::{self, Handle, Header, object};
use crate::info::{self, Answer};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use vk_runtime::PrintOptions;

/// A context: the devices that share objects.
#[repr(C)]
pub struct Context {
    header: Header<Context>,
    devices: Vec<Arc<Device>>,
    /// As the application gave them, with the zero at the end; empty if it gave none.
    properties: Vec<isize>,
    destructors: Mutex<Vec<OnObject>>,
    /// The default queues on the devices.
    default_queues: Mutex<Vec<Weak<Queue>>>,
    /// All queues of the host.
    queues: Mutex<Vec<Weak<Queue>>>,
    svm: Allocations,
    /// Buffers whose addresses the application may ask for and pass.
    addressed: Mutex<Vec<Weak<Memory>>>,
    /// Receives errors that cannot reach the application in any other way.
    notify: Option<OnError>,
    /// How its kernels print, if the application says it (`cl_arm_printf`).
    printing: Option<Arc<PrintOptions>>,
}

object!(Context, code::INVALID_CONTEXT);

impl Context {
    /// Opens the devices; a repeated device counts once.
    pub fn new(
        devices: Vec<Arc<Device>>,
        properties: Vec<isize>,
        notify: Option<OnError>,
        printing: Option<PrintOptions>,
    ) -> Result<Arc<Context>> {
        let mut distinct: Vec<Arc<Device>> = Vec::with_capacity(devices.len());
        for device in devices {
            device.open()?;
            if !distinct.iter().any(|known| Arc::ptr_eq(known, &device)) {
                distinct.push(device);
            }
        }
        let (destructors, svm, addressed) = (Mutex::default(), Allocations::default(), Mutex::default());
        let queues = Mutex::default();
        let default_queues = Mutex::new(distinct.iter().map(|_| Weak::new()).collect());
        let (header, devices) = (Header::new(), distinct);
        Ok(Arc::new(Context {
            header,
            devices,
            properties,
            destructors,
            default_queues,
            queues,
            svm,
            addressed,
            notify,
            printing: printing.map(Arc::new),
        }))
    }

    /// How its kernels print, if not as usual.
    pub fn printing(&self) -> Option<&Arc<PrintOptions>> {
        self.printing.as_ref()
    }

    /// Its shared virtual memory.
    pub fn svm(&self) -> &Allocations {
        &self.svm
    }

    /// Remembers a buffer whose addresses the application may pass.
    pub fn add_addressed(&self, memory: &Arc<Memory>) {
        let mut addressed = self.addressed.lock().unwrap_or_else(PoisonError::into_inner);
        addressed.retain(|memory| memory.strong_count() > 0);
        addressed.push(Arc::downgrade(memory));
    }

    /// The buffer that has this address on one of the devices, with the offset in it.
    pub fn find_addressed(&self, address: u64) -> Option<(Arc<Memory>, u64)> {
        let addressed = self.addressed.lock().unwrap_or_else(PoisonError::into_inner);
        let found = |memory: Arc<Memory>| {
            let offset = memory.addresses().iter().find_map(|start| address.checked_sub(*start));
            offset.filter(|&offset| offset < memory.size() as u64).map(|offset| (memory, offset))
        };
        addressed.iter().filter_map(Weak::upgrade).find_map(found)
    }

    /// Reports an error to the application, if it wants to know (`pfn_notify`).
    pub fn report(&self, error: &dyn std::fmt::Display) {
        tracing::error!("{error}");
        if let Some(notify) = &self.notify {
            notify.call(&error.to_string());
        }
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

    /// The default queue on a device, by the device's position.
    pub fn default_queue(&self, index: usize) -> Option<Arc<Queue>> {
        self.default_queues.lock().unwrap_or_else(PoisonError::into_inner)[index].upgrade()
    }

    /// Makes a queue the default queue on its device.
    pub fn set_default_queue(&self, queue: &Arc<Queue>) {
        let mut queues = self.default_queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues[queue.device_index()] = Arc::downgrade(queue);
    }

    /// Remembers a queue of the host.
    pub fn add_queue(&self, queue: &Arc<Queue>) {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(Arc::downgrade(queue));
    }

    /// Waits for everything that was enqueued on its queues.
    pub fn finish(&self) -> Result<()> {
        let queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner).clone();
        queues.iter().filter_map(Weak::upgrade).try_for_each(|queue| Ok(queue.core().finish()?))
    }

    /// Registers a function to call when the context is destroyed.
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
