//! Buffers whose memory is shared with other users, in this process or others, by file descriptors
//! ([`MemoryHandle`]).
//!
//! What the other side wrote is visible after [`Command::acquire`], and what this side wrote is visible to
//! the other after [`Command::release`]. The application, which uses both sides, must enqueue them at the
//! right time.

use crate::engine::buffer::{BufferInner, check_size};
use crate::engine::command::{Command, Kind};
use crate::objects::buffer::Buffer;
use crate::objects::device::Device;
use crate::vulkan::error::Result;
use crate::vulkan::external_memory::{MemoryHandle, refused};
use smallvec::SmallVec;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

impl Device {
    /// The kinds of descriptor by which buffers can be shared with other users. The first call tests them
    /// with buffers: some drivers report support, but fail to allocate if the system does not let them export
    /// descriptors.
    #[must_use]
    pub fn memory_handles(&self) -> &[MemoryHandle] {
        self.shared.memory_handles.get_or_init(|| {
            let works = |handle: &MemoryHandle| {
                let shared = Buffer::shared(self, 4096, *handle).and_then(|buffer| {
                    let descriptor = buffer.export()?;
                    Buffer::import(self, 4096, *handle, descriptor.as_fd()).map(drop)
                });
                if let Err(error) = &shared {
                    tracing::debug!(%error, ?handle, "the device does not share buffers");
                }
                shared.is_ok()
            };
            MemoryHandle::ALL.into_iter().filter(works).collect()
        })
    }
}

impl Buffer {
    /// A buffer with undefined contents whose memory others can use too ([`Buffer::export`]).
    ///
    /// # Errors
    /// [`crate::Error::ExternalMemory`] on devices that cannot ([`Device::memory_handles`]), and as for
    /// [`Buffer::new`].
    pub fn shared(device: &Device, size: u64, handle: MemoryHandle) -> Result<Self> {
        Buffer::external(device, size, handle, None)
    }

    /// A buffer over memory that another user exported: of a buffer of the same size on the same device,
    /// unless it is a dma-buf. The descriptor stays the caller's.
    ///
    /// # Errors
    /// [`crate::Error::ExternalMemory`] on devices that cannot, and where the driver refuses the descriptor;
    /// as for [`Buffer::new`].
    pub fn import(
        device: &Device,
        size: u64,
        handle: MemoryHandle,
        descriptor: BorrowedFd<'_>,
    ) -> Result<Self> {
        Buffer::external(device, size, handle, Some(descriptor))
    }

    fn external(
        device: &Device,
        size: u64,
        handle: MemoryHandle,
        descriptor: Option<BorrowedFd<'_>>,
    ) -> Result<Self> {
        if !device.info().facts().is_some_and(|facts| facts.memory_handles.contains(&handle)) {
            return Err(refused("the device cannot share buffers by such file descriptors"));
        }
        check_size(device.limits(), size)?;
        let inner = BufferInner::external(&device.shared.heap, size, handle, descriptor)?;
        Ok(Buffer::whole(device, Arc::new(inner)))
    }

    /// A descriptor for the memory of a buffer that [`Buffer::shared`] made.
    ///
    /// # Errors
    /// [`crate::Error::ExternalMemory`] for other buffers, or a failure of Vulkan.
    pub fn export(&self) -> Result<OwnedFd> {
        self.inner().export(&self.device().shared.heap)
    }

    /// Whether its memory is shared with other users of Vulkan.
    #[must_use]
    pub fn is_external(&self) -> bool {
        self.inner().external_memory().is_some()
    }
}

impl Command {
    /// Takes buffers over from other users of Vulkan, which are done with them.
    ///
    /// # Errors
    /// [`crate::Error::ExternalMemory`] for buffers that are not shared; [`crate::Error::OtherDevice`].
    pub fn acquire(device: &Device, buffers: &[Buffer]) -> Result<Self> {
        transfer(device, buffers, true)
    }

    /// Hands buffers over to other users of Vulkan; they may use them once the command is complete.
    ///
    /// # Errors
    /// As for [`Command::acquire`].
    pub fn release(device: &Device, buffers: &[Buffer]) -> Result<Self> {
        transfer(device, buffers, false)
    }
}

fn transfer(device: &Device, buffers: &[Buffer], acquires: bool) -> Result<Command> {
    let mut taken = SmallVec::new();
    let mut accesses = SmallVec::new();
    for buffer in buffers {
        device.check_same(buffer.device(), "a shared buffer")?;
        if !buffer.is_external() {
            return Err(refused("the buffer is not shared"));
        }
        accesses.push(buffer.access(true));
        taken.push(buffer.inner());
    }
    Ok(Command::new(device.id(), Kind::ChangeOwner { buffers: taken, acquires }, accesses))
}
