//! Semaphores (`cl_khr_semaphore`, `cl_khr_external_semaphore`).

use super::context::Context;
use super::device::Device;
use super::queue::Queue;
use crate::border::{close, descriptor};
use crate::cl::*;
use crate::code::{self, Code, Result, ensure};
use crate::handle::{self, Handle, Header, object};
use crate::info::{self, Answer, Request};
use std::os::fd::IntoRawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vk_runtime::SemaphoreHandle;

/// The kinds of descriptor by which semaphores may be shared.
const HANDLES: [(cl_external_semaphore_handle_type_khr, SemaphoreHandle); 2] = [
    (CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, SemaphoreHandle::OpaqueFd),
    (CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, SemaphoreHandle::SyncFd),
];

/// The kind of descriptor with this name.
pub fn handle_named(name: u64) -> Option<SemaphoreHandle> {
    HANDLES.iter().find(|(known, _)| u64::from(*known) == name).map(|(_, handle)| *handle)
}

/// The names of kinds of descriptors.
pub fn names_of(handles: &[SemaphoreHandle]) -> Vec<cl_external_semaphore_handle_type_khr> {
    HANDLES.iter().filter(|(_, handle)| handles.contains(handle)).map(|(name, _)| *name).collect()
}

/// What a semaphore has to do with other users of Vulkan.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// Nothing.
    Own,
    /// It can be exported.
    Exportable(SemaphoreHandle),
    /// It was imported from this descriptor.
    Imported(SemaphoreHandle, i32),
}

/// A binary semaphore of one device.
#[repr(C)]
pub struct Semaphore {
    header: Header<Semaphore>,
    context: Arc<Context>,
    device: Arc<Device>,
    /// As the application gave them, with the zero at the end.
    properties: Vec<u64>,
    sharing: Sharing,
    /// Replaced when a sync file is imported again.
    core: Mutex<vk_runtime::Semaphore>,
}

object!(Semaphore, code::INVALID_SEMAPHORE);

/// Imports a semaphore, and closes the descriptor, which is the driver's then. If it is not one of this kind,
/// the error is `refusal`.
fn import(
    device: &Device,
    handle: SemaphoreHandle,
    number: i32,
    refusal: Code,
) -> Result<vk_runtime::Semaphore> {
    // For sync files -1 is a signal that has taken place.
    let has_none = handle == SemaphoreHandle::SyncFd && number == -1;
    let descriptor = if has_none { None } else { Some(descriptor(number).map_err(|_| refusal)?) };
    let imported = vk_runtime::Semaphore::import(device.open()?, handle, descriptor);
    let semaphore = imported.map_err(|error| match error {
        vk_runtime::Error::ExternalSemaphore(_) => refusal,
        error => error.into(),
    })?;
    if !has_none {
        close(number);
    }
    Ok(semaphore)
}

impl Semaphore {
    /// A semaphore on a device of the context. It is not signalled, unless it is imported so.
    pub fn new(
        context: Arc<Context>,
        device: Arc<Device>,
        properties: Vec<u64>,
        sharing: Sharing,
    ) -> Result<Arc<Self>> {
        let core = match sharing {
            Sharing::Own => vk_runtime::Semaphore::new(device.open()?),
            Sharing::Exportable(handle) => vk_runtime::Semaphore::exportable(device.open()?, handle)?,
            Sharing::Imported(handle, number) => import(&device, handle, number, code::INVALID_PROPERTY)?,
        };
        let (header, core) = (Header::new(), Mutex::new(core));
        Ok(Arc::new(Semaphore { header, context, device, properties, sharing, core }))
    }

    /// Imports another sync file. Commands that are enqueued keep the one before.
    pub fn import_again(&self, number: i32) -> Result<()> {
        let of_sync_file = matches!(self.sharing, Sharing::Imported(SemaphoreHandle::SyncFd, _));
        ensure(of_sync_file, code::INVALID_SEMAPHORE)?;
        let imported = import(&self.device, SemaphoreHandle::SyncFd, number, code::INVALID_VALUE)?;
        let before = std::mem::replace(&mut *self.lock(), imported);
        drop(before);
        Ok(())
    }

    /// Writes a descriptor of this kind for the device, or only its size.
    pub fn export(&self, device: &Arc<Device>, name: u32, request: Request) -> Result<()> {
        ensure(Arc::ptr_eq(device, &self.device), code::INVALID_DEVICE)?;
        let handle = handle_named(name.into()).ok_or(code::INVALID_VALUE)?;
        ensure(self.sharing == Sharing::Exportable(handle), code::INVALID_VALUE)?;
        if request.value.is_null() {
            return request.answer(info::value(0i32)?);
        }
        ensure(request.size >= size_of::<i32>(), code::INVALID_VALUE)?;
        let descriptor = self.core().export(handle)?;
        // Sync files of signals that have taken place are -1.
        request.answer(info::value(descriptor.map_or(-1, IntoRawFd::into_raw_fd))?)
    }

    /// The kinds of descriptor as which it can be exported.
    fn exports(&self) -> Vec<cl_external_semaphore_handle_type_khr> {
        match self.sharing {
            Sharing::Exportable(handle) => names_of(&[handle]),
            _ => Vec::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, vk_runtime::Semaphore> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether commands of a queue can use it.
    pub fn check_queue(&self, queue: &Queue) -> Result<()> {
        ensure(Arc::ptr_eq(&self.device, queue.device()), code::INVALID_COMMAND_QUEUE)?;
        ensure(Arc::ptr_eq(&self.context, queue.context()), code::INVALID_CONTEXT)
    }

    /// The runtime's semaphore.
    pub fn core(&self) -> vk_runtime::Semaphore {
        self.lock().clone()
    }

    /// Answers a query.
    pub fn query(&self, name: cl_semaphore_info_khr) -> Result<Answer> {
        match name {
            CL_SEMAPHORE_CONTEXT_KHR => info::value(Handle::of(&self.context)),
            CL_SEMAPHORE_REFERENCE_COUNT_KHR => info::value(handle::references(self)),
            CL_SEMAPHORE_PROPERTIES_KHR => info::list(&self.properties),
            CL_SEMAPHORE_TYPE_KHR => info::value(CL_SEMAPHORE_TYPE_BINARY_KHR),
            CL_SEMAPHORE_PAYLOAD_KHR => info::value(u64::from(self.core().is_signalled())),
            CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR => info::list(&[Handle::of(&self.device)]),
            CL_SEMAPHORE_EXPORT_KHR if self.device.shares_semaphores() => info::list(&self.exports()),
            CL_SEMAPHORE_EXPORTABLE_KHR if self.device.shares_semaphores() => {
                info::truth(!self.exports().is_empty())
            }
            _ => Err(code::INVALID_VALUE),
        }
    }
}
