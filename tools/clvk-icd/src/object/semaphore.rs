//! Semaphores (`cl_khr_semaphore`).

use super::context::Context;
use super::device::Device;
use super::queue::Queue;
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::handle::{self, Handle, Header, object};
use crate::info::{self, Answer};
use std::sync::Arc;

/// A binary semaphore of one device.
#[repr(C)]
pub struct Semaphore {
    header: Header<Semaphore>,
    context: Arc<Context>,
    device: Arc<Device>,
    /// As the application gave them, with the zero at the end.
    properties: Vec<u64>,
    core: vk_runtime::Semaphore,
}

object!(Semaphore, code::INVALID_SEMAPHORE);

impl Semaphore {
    /// A semaphore that is not signalled, on a device of the context.
    pub fn new(context: Arc<Context>, device: Arc<Device>, properties: Vec<u64>) -> Result<Arc<Self>> {
        let core = vk_runtime::Semaphore::new(device.open()?);
        Ok(Arc::new(Semaphore { header: Header::new(), context, device, properties, core }))
    }

    /// Whether commands of a queue can use it.
    pub fn check_queue(&self, queue: &Queue) -> Result<()> {
        ensure(Arc::ptr_eq(&self.device, queue.device()), code::INVALID_COMMAND_QUEUE)?;
        ensure(Arc::ptr_eq(&self.context, queue.context()), code::INVALID_CONTEXT)
    }

    /// The runtime's semaphore.
    pub fn core(&self) -> &vk_runtime::Semaphore {
        &self.core
    }

    /// Answers a query.
    pub fn query(&self, name: cl_semaphore_info_khr) -> Result<Answer> {
        match name {
            CL_SEMAPHORE_CONTEXT_KHR => info::value(Handle::of(&self.context)),
            CL_SEMAPHORE_REFERENCE_COUNT_KHR => info::value(handle::references(self)),
            CL_SEMAPHORE_PROPERTIES_KHR => info::list(&self.properties),
            CL_SEMAPHORE_TYPE_KHR => info::value(CL_SEMAPHORE_TYPE_BINARY_KHR),
            CL_SEMAPHORE_PAYLOAD_KHR => info::value(u64::from(self.core.is_signalled())),
            CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR => info::list(&[Handle::of(&self.device)]),
            _ => Err(code::INVALID_VALUE),
        }
    }
}
