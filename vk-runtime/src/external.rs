//! Buffers whose memory is shared with other users of Vulkan, in this process or others, by file descriptors that only drivers
//! understand (`VK_KHR_external_memory_fd`, handle type `OPAQUE_FD`).
//!
//! Such a descriptor tells neither size nor type of its memory, and both must be what they were made with. Both are here what a
//! shared buffer of the same size gets on the same device, which is what its maker has most likely chosen too.
//!
//! What the other side wrote is there after [`Command::acquire`], and what this side wrote is there for the other after
//! [`Command::release`]; when either may be enqueued is the business of who uses both sides.

use crate::buffer::{Buffer, BufferInner, buffer_usage};
use crate::command::{Command, operation};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::handle::Owned;
use crate::instance::InstanceHandle;
use crate::memory::{Heap, Memory, MemoryUse};
use ash::vk;
use smallvec::SmallVec;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

const KIND: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// Whether a device makes buffers of memory that descriptors stand for.
///
/// # Safety
/// `physical` is a device of `instance` of Vulkan 1.1 or later that has `VK_KHR_external_memory_fd`.
pub(crate) unsafe fn imports(
    instance: &InstanceHandle,
    physical: vk::PhysicalDevice,
    addressed: bool,
) -> bool {
    let info =
        vk::PhysicalDeviceExternalBufferInfo::default().usage(buffer_usage(addressed)).handle_type(KIND);
    let mut properties = vk::ExternalBufferProperties::default();
    // SAFETY: as the caller promises.
    unsafe {
        instance.raw().get_physical_device_external_buffer_properties(physical, &info, &mut properties);
    }
    let features = properties.external_memory_properties.external_memory_features;
    features.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE | vk::ExternalMemoryFeatureFlags::EXPORTABLE)
}

impl Device {
    /// Whether buffers can be shared with other users of Vulkan. Found out with a buffer: some drivers say that they can, and have
    /// no memory for it where the system does not let them hand out descriptors.
    #[must_use]
    pub fn shares_buffers(&self) -> bool {
        *self.shared.shares_buffers.get_or_init(|| {
            let shared = Buffer::shared(self, 4096).and_then(|buffer| {
                let descriptor = buffer.export()?;
                Buffer::import(self, 4096, descriptor.as_fd()).map(drop)
            });
            if let Err(error) = &shared {
                tracing::debug!(%error, "the device shares no buffers");
            }
            shared.is_ok()
        })
    }
}

fn refused(reason: impl std::fmt::Display) -> Error {
    Error::ExternalMemory(reason.to_string())
}

impl Buffer {
    /// A buffer with undefined contents whose memory others can use too ([`Buffer::export`]).
    ///
    /// # Errors
    /// [`Error::ExternalMemory`] on devices that cannot ([`Device::shares_buffers`]), and as for [`Buffer::new`].
    pub fn shared(device: &Device, size: u64) -> Result<Self> {
        Buffer::external(device, size, None)
    }

    /// A buffer of memory that another user of Vulkan exported from the same device: of a buffer of the same size. The descriptor stays
    /// the caller's.
    ///
    /// # Errors
    /// [`Error::ExternalMemory`] on devices that cannot, and where the driver refuses the descriptor; as for [`Buffer::new`].
    pub fn import(device: &Device, size: u64, descriptor: BorrowedFd<'_>) -> Result<Self> {
        Buffer::external(device, size, Some(descriptor))
    }

    fn external(device: &Device, size: u64, descriptor: Option<BorrowedFd<'_>>) -> Result<Self> {
        if !device.info().facts().is_some_and(|facts| facts.shares_buffers) {
            return Err(refused("the device cannot share buffers by file descriptors"));
        }
        Buffer::check_size(device, size)?;
        let inner = BufferInner::external(&device.shared.heap, size, descriptor)?;
        Ok(Buffer::whole(device, Arc::new(inner)))
    }

    /// A descriptor for the memory of a buffer that [`Buffer::shared`] made.
    ///
    /// # Errors
    /// [`Error::ExternalMemory`] for other buffers, or a failure of Vulkan.
    pub fn export(&self) -> Result<OwnedFd> {
        let inner = self.inner();
        let memory = inner.external_memory().ok_or_else(|| refused("the buffer is not shared"))?;
        self.device().shared.logical.export(memory)
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
    /// [`Error::ExternalMemory`] for buffers that are not shared; [`Error::OtherDevice`].
    pub fn acquire(device: &Device, buffers: &[Buffer]) -> Result<Self> {
        transfer(device, buffers, true)
    }

    /// Hands buffers over to other users of Vulkan, when the command is complete.
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
    Ok(Command::new(device, operation::Kind::ChangeOwner { buffers: taken, acquires }, accesses))
}

impl BufferInner {
    /// A buffer of memory that a descriptor stands for, or that one can be made for.
    fn external(heap: &Heap, size: u64, descriptor: Option<BorrowedFd<'_>>) -> Result<Self> {
        let logical = &heap.logical;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(KIND);
        let raw_size = size.next_multiple_of(4);
        let info = vk::BufferCreateInfo::default()
            .size(raw_size)
            .usage(buffer_usage(heap.addressed))
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .push_next(&mut external);
        // SAFETY: what the create info points to lives until after the call; the size is not zero and within the limits, the
        // usage for addresses is set only with the feature, and the device takes such memory for such a buffer.
        let raw = unsafe { logical.raw().create_buffer(&info, None) }
            .map_err(Error::vulkan("create a buffer that is shared"))?;
        // SAFETY: just created from this device.
        let raw = unsafe { Owned::new(logical, raw) };
        let mut dedicated = vk::MemoryDedicatedRequirements::default();
        let mut requirements = vk::MemoryRequirements2::default().push_next(&mut dedicated);
        let of_buffer = vk::BufferMemoryRequirementsInfo2::default().buffer(raw.get());
        // SAFETY: the buffer is of this device.
        unsafe { logical.raw().get_buffer_memory_requirements2(&of_buffer, &mut requirements) };
        let requirements = requirements.memory_requirements;
        // Both sides are told the same, so that memory is for one buffer alone on both or on none.
        let alone = dedicated.requires_dedicated_allocation != vk::FALSE
            || dedicated.prefers_dedicated_allocation != vk::FALSE;
        let mut failure = refused("no memory of the device can be shared");
        for index in heap.allocator.types_for(requirements.memory_type_bits, MemoryUse::Device) {
            let allocated =
                allocate(heap, (requirements.size, index), alone.then_some(raw.get()), descriptor);
            let memory = match allocated {
                Ok(memory) => Memory::External(memory),
                Err(error) => {
                    failure = error;
                    continue;
                }
            };
            // SAFETY: size and type suit the buffer's requirements.
            return unsafe { BufferInner::bound(heap, raw, memory, size, raw_size) };
        }
        Err(failure)
    }

    fn external_memory(&self) -> Option<vk::DeviceMemory> {
        match self.memory() {
            Memory::External(memory) => Some(memory.get()),
            _ => None,
        }
    }
}

/// Memory of this size and type, for one buffer alone where the driver demands that.
fn allocate(
    heap: &Heap,
    (size, kind): (u64, u32),
    alone: Option<vk::Buffer>,
    descriptor: Option<BorrowedFd<'_>>,
) -> Result<Owned<vk::DeviceMemory>> {
    let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
    let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(alone.unwrap_or_default());
    let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(KIND);
    // The driver takes the descriptor that it is given: a copy.
    let copy = descriptor.map(|descriptor| descriptor.try_clone_to_owned()).transpose().map_err(refused)?;
    let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(KIND);
    let mut info = vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(kind);
    if heap.addressed {
        info = info.push_next(&mut flags);
    }
    if alone.is_some() {
        info = info.push_next(&mut dedicated);
    }
    match &copy {
        Some(copy) => {
            import = import.fd(copy.as_raw_fd());
            info = info.push_next(&mut import);
        }
        None => info = info.push_next(&mut export),
    }
    // SAFETY: all that the create info points to lives until after the call. That the descriptor stands for memory of this device, size
    // and type cannot be known (see the module); drivers refuse what they do not understand.
    let memory = unsafe { heap.logical.raw().allocate_memory(&info, None) };
    if let Some((copy, original)) = copy.zip(descriptor)
        && (memory.is_ok() || !is_same_file(copy.as_fd(), original))
    {
        // The driver's now. Some drivers close what they refuse, too.
        let _ = copy.into_raw_fd();
    }
    let memory = memory.map_err(|result| match descriptor {
        Some(_) => refused(format!("the driver does not take the file descriptor ({result})")),
        None => Error::vulkan("allocate memory to share")(result),
    })?;
    // SAFETY: just allocated from this device.
    Ok(unsafe { Owned::new(&heap.logical, memory) })
}

/// Whether two descriptors are open and of the same file.
fn is_same_file(a: BorrowedFd<'_>, b: BorrowedFd<'_>) -> bool {
    let file = |descriptor: BorrowedFd<'_>| {
        let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
        std::fs::metadata(path).map(|found| (found.dev(), found.ino())).ok()
    };
    file(a).is_some_and(|found| file(b) == Some(found))
}

impl crate::handle::LogicalDevice {
    /// A descriptor for memory that was allocated to be shared.
    fn export(&self, memory: vk::DeviceMemory) -> Result<OwnedFd> {
        let extension =
            self.external_memory_extension().ok_or_else(|| refused("the device lacks the extension"))?;
        let info = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(KIND);
        // SAFETY: the memory is of this device, which exports it as this kind.
        let descriptor = unsafe { extension.get_memory_fd(&info) }
            .map_err(Error::vulkan("give a file descriptor for memory"))?;
        // SAFETY: a new descriptor, which is the caller's (VkMemoryGetFdInfoKHR).
        Ok(unsafe { std::os::fd::FromRawFd::from_raw_fd(descriptor) })
    }
}
