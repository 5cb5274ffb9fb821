//! Semaphores of Vulkan that are shared with its other users.

use crate::engine::event::Event;
use crate::vulkan::descriptor::{File, file_of};
use crate::vulkan::error::Result;
use crate::vulkan::external_semaphore::{SemaphoreHandle, refused};
use crate::vulkan::handle::Owned;
use crate::vulkan::memory::Heap;
use ash::vk;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, OnceLock};

/// A binary semaphore that is exportable as one kind of descriptor, or was imported from one.
pub(crate) struct SharedSemaphore {
    pub(crate) raw: Arc<Owned<vk::Semaphore>>,
    heap: Arc<Heap>,
    kind: SemaphoreHandle,
    imported: bool,
    /// What it shares its payload by; set when others may have it.
    file: OnceLock<File>,
}

impl SharedSemaphore {
    /// A semaphore that is not signalled, on a device that shares this kind.
    pub(crate) fn exportable(heap: &Arc<Heap>, kind: SemaphoreHandle) -> Result<Self> {
        let raw = Arc::new(heap.logical.create_exportable(kind)?);
        Ok(SharedSemaphore { raw, heap: Arc::clone(heap), kind, imported: false, file: OnceLock::new() })
    }

    /// A semaphore that others have exported from the same device. Only a sync file may be none: a signal
    /// that has taken place.
    pub(crate) fn import(
        heap: &Arc<Heap>,
        kind: SemaphoreHandle,
        descriptor: Option<BorrowedFd<'_>>,
    ) -> Result<Self> {
        let file = OnceLock::new();
        if kind == SemaphoreHandle::OpaqueFd {
            let found = descriptor.and_then(file_of).ok_or_else(|| refused("the descriptor is not open"))?;
            file.get_or_init(|| found);
        }
        let raw = Arc::new(heap.logical.import_semaphore(kind, descriptor)?);
        Ok(SharedSemaphore { raw, heap: Arc::clone(heap), kind, imported: true, file })
    }

    /// Whether it was made to be exported as this kind.
    pub(crate) fn exports(&self, kind: SemaphoreHandle) -> bool {
        self.kind == kind && !self.imported
    }

    /// What others share its payload by, if they may have it.
    pub(crate) fn file(&self) -> Option<File> {
        self.file.get().copied()
    }

    /// A descriptor that refers to a semaphore which exports such.
    pub(crate) fn export_reference(&self) -> Result<OwnedFd> {
        if !self.exports(SemaphoreHandle::OpaqueFd) {
            return Err(refused("it was not made to be exported so"));
        }
        // SAFETY: the semaphore was made so, and the descriptor is not a sync file.
        let exported = unsafe { self.heap.logical.export_semaphore(self.raw.get(), self.kind) }?;
        let descriptor = exported.ok_or_else(|| refused("the driver gave no descriptor"))?;
        self.file.get_or_init(|| file_of(descriptor.as_fd()).unwrap_or_default());
        Ok(descriptor)
    }

    /// Takes a signal of a semaphore that exports sync files, which is recorded, as one; none if it has taken
    /// place. The waits are all that were enqueued for earlier signals.
    pub(crate) fn export_signal(&self, signal: Option<&Event>, waits: &[Event]) -> Result<Option<OwnedFd>> {
        if !self.exports(SemaphoreHandle::SyncFd) {
            return Err(refused("it was not made to be exported so"));
        }
        let submitted = signal.is_some_and(|signal| !signal.is_pending() && !signal.has_failed());
        if !submitted || waits.iter().any(Event::is_pending) {
            return Err(refused("no signal is submitted that a sync file could be of"));
        }
        for wait in waits {
            wait.wait()?;
        }
        // SAFETY: the semaphore was made so. The signal is recorded and hence submitted (`Stream::issue`),
        // and the waits that were enqueued are done.
        unsafe { self.heap.logical.export_semaphore(self.raw.get(), self.kind) }
    }
}
