//! Memory objects: buffers, parts of buffers, and images.
//!
//! The memory of an object is on the devices of its context: on the first one from the start, on others when
//! they need it. [`Storage`] tracks which of them have the newest contents. A device that lacks them gets
//! them from another one through the host, before its next command that uses them begins. Sub-buffers share
//! the memory of the whole buffer.
//!
//! Application memory (`CL_MEM_USE_HOST_PTR`) is used in place if the context has one device and that device
//! can use it, or if it is shared virtual memory. Otherwise there is a copy that maps bring up to date, as
//! the specification allows. For that, the device accesses large application memory directly, if it can.

use super::context::Context;
use super::image::{self, Image};
use super::map::Mapping;
use super::storage::Storage;
use crate::border::HostMemory;
use crate::border::callback::OnObject;
use crate::cl::*;
use crate::code::{self, Code, Result, ensure};
use crate::handle::{self, Handle, Header, object};
use crate::info::{self, Answer};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use vk_runtime::{Buffer, BufferImage, PinnedMemory, PitchedImage};

/// Least size of application memory, in bytes, that is pinned for the device. Smaller transfers are quick
/// anyway, and pinning takes some time.
const WORTH_PINNING: usize = 1 << 20;

/// A memory object.
#[repr(C)]
pub struct Memory {
    header: Header<Memory>,
    context: Arc<Context>,
    flags: cl_mem_flags,
    size: usize,
    /// The memory given with `CL_MEM_USE_HOST_PTR`.
    host: HostMemory,
    /// Whether the device uses that memory in place.
    in_place: bool,
    /// That memory, while it is pinned only for transfers.
    pinned: Mutex<Option<PinnedMemory>>,
    /// Whether its memory is shared with other users of Vulkan.
    pub(super) is_external: bool,
    /// Its device address on each device of the context, if the application asked for one.
    addresses: Vec<u64>,
    /// As the application gave them, with the zero at the end; empty if it gave none.
    pub(super) properties: Vec<u64>,
    kind: Kind,
    mappings: Mutex<Vec<Mapping>>,
    destructors: Mutex<Vec<OnObject>>,
    /// Whether commands must keep the object, not only its memory, until they are done.
    watched: AtomicBool,
}

/// Bytes before the first packet of a pipe: how many packets it holds, their size, and how many were read and
/// written.
const PIPE_HEADER: usize = 128;

/// What it is.
pub(super) enum Kind {
    Buffer(Storage<Buffer>),
    Part {
        whole: Arc<Memory>,
        offset: usize,
    },
    Image {
        image: Image,
        storage: Storage<vk_runtime::Image>,
    },
    /// A ring of packets after [`PIPE_HEADER`] bytes, as kernels see it.
    Pipe {
        packet_size: u32,
        max_packets: u32,
        storage: Storage<Buffer>,
    },
    /// A view of a buffer on each device of the context.
    Texels {
        image: Image,
        views: Vec<OnceLock<Result<BufferImage>>>,
    },
    /// The same for images of other shapes.
    Pitched {
        image: Image,
        views: Vec<OnceLock<Result<PitchedImage>>>,
    },
}

object!(Memory, code::INVALID_MEM_OBJECT);

impl Memory {
    pub(super) fn new(context: Arc<Context>, flags: cl_mem_flags, size: usize, kind: Kind) -> Self {
        Memory {
            header: Header::new(),
            context,
            flags,
            size,
            host: HostMemory::NULL,
            in_place: false,
            pinned: Mutex::default(),
            is_external: false,
            addresses: Vec::new(),
            properties: Vec::new(),
            kind,
            mappings: Mutex::default(),
            destructors: Mutex::default(),
            watched: AtomicBool::new(flags & CL_MEM_USE_HOST_PTR != 0),
        }
    }

    /// A buffer, with the contents that the flags ask for.
    pub fn buffer(
        context: Arc<Context>,
        flags: cl_mem_flags,
        size: usize,
        host: HostMemory,
        properties: Vec<u64>,
    ) -> Result<Arc<Self>> {
        let uses_host = flags & CL_MEM_USE_HOST_PTR != 0;
        let in_host = if uses_host { in_host_memory(&context, host, size)? } else { None };
        let storage = match &in_host {
            Some((index, buffer)) => Storage::holding(context.devices().len(), *index, buffer.clone()),
            None => Storage::new(context.devices().len()),
        };
        let mut memory = Memory::new(context, flags, size, Kind::Buffer(storage));
        memory.properties = properties;
        if uses_host {
            memory.host = host;
        }
        if let Some((_, buffer)) = in_host {
            // Shared virtual memory on a device with its own memory is copied to the host when it is mapped.
            memory.in_place = buffer.host_pointer().is_some();
            return memory.with_addresses();
        }
        let filled = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        let (buffer, _) = memory.buffer_on(0, filled)?;
        if let (true, Some(bytes)) = (filled, host.view(size)) {
            buffer.write(0, bytes)?;
        }
        if uses_host && size >= WORTH_PINNING {
            let device = memory.context.devices()[0].open()?;
            // SAFETY: the application vouches for the memory as long as the object and its commands live
            // (OpenCL API §5.2.1). It is unpinned with the last reference to the object, and commands in
            // flight are done before the object is destroyed.
            let pinned = unsafe { PinnedMemory::new(device, host.place()?, size as u64) }?;
            memory.pinned = Mutex::new(pinned);
        }
        memory.with_addresses()
    }

    /// Removes a reference of the application. After the last one, the application may reuse the addresses of
    /// the object's memory.
    pub fn release(handle: Handle<Memory>) -> Result<()> {
        let memory = handle.get()?;
        handle.release()?;
        if handle::references(&*memory) == 0 {
            memory.pinned.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        Ok(())
    }

    /// Determines the address of a buffer on each device, if the application asked for one.
    pub(super) fn with_addresses(mut self) -> Result<Arc<Self>> {
        let wanted = self.properties.windows(2).any(|pair| pair == [CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1]);
        if !wanted {
            return Ok(Arc::new(self));
        }
        let devices = 0..self.context.devices().len();
        let address = |index| {
            let (buffer, base) = self.located(index, None)?;
            let start = buffer.address().ok_or(code::INVALID_OPERATION)?;
            Ok(start + base)
        };
        self.addresses = devices.map(address).collect::<Result<_>>()?;
        let memory = Arc::new(self);
        memory.context.add_addressed(&memory);
        Ok(memory)
    }

    /// Its address on each device of the context; empty if the application did not ask for addresses.
    pub fn addresses(&self) -> &[u64] {
        &self.addresses
    }

    /// A part of a buffer.
    pub fn sub_buffer(whole: Arc<Memory>, flags: cl_mem_flags, offset: usize, size: usize) -> Arc<Self> {
        let host = if whole.host.is_null() { HostMemory::NULL } else { whole.host.offset(offset) };
        let (context, in_place) = (Arc::clone(&whole.context), whole.in_place);
        let mut memory = Memory::new(context, flags, size, Kind::Part { whole, offset });
        (memory.host, memory.in_place) = (host, in_place);
        Arc::new(memory)
    }

    /// An image, with the contents that the flags ask for.
    pub fn image_object(
        context: Arc<Context>,
        flags: cl_mem_flags,
        image: Image,
        host: HostMemory,
        properties: Vec<u64>,
    ) -> Result<Arc<Self>> {
        let size = image.host_size();
        if let Some(buffer) = &image.buffer {
            let (host, in_place, imported_on) = (buffer.host(), buffer.in_place, image.imported_on);
            let devices = 0..context.devices().len();
            let is_row = image.object_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
            let kind = if is_row {
                Kind::Texels { image, views: devices.map(|_| OnceLock::new()).collect() }
            } else {
                Kind::Pitched { image, views: devices.map(|_| OnceLock::new()).collect() }
            };
            let mut memory = Memory::new(context, flags, size, kind);
            (memory.properties, memory.host, memory.in_place) = (properties, host, in_place);
            memory.is_external = imported_on.is_some();
            let first = imported_on.unwrap_or(0);
            if is_row {
                memory.texels_view(first)?;
            } else {
                memory.pitched_view(first)?;
            }
            return Ok(Arc::new(memory));
        }
        let storage = Storage::new(context.devices().len());
        let [row, slice] = [image.row_pitch, image.slice_pitch];
        let description = image.description();
        let mut memory = Memory::new(context, flags, size, Kind::Image { image, storage });
        memory.properties = properties;
        if flags & CL_MEM_USE_HOST_PTR != 0 {
            memory.host = host;
        }
        let filled = !host.is_null() && flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        let on_device = memory.image_on(0, filled)?;
        if let (true, Some(bytes)) = (filled, host.view(size)) {
            on_device.write(&image::packed(bytes, &description, row, slice))?;
        }
        Ok(Arc::new(memory))
    }

    /// An empty pipe.
    pub fn pipe(
        context: Arc<Context>,
        flags: cl_mem_flags,
        packet_size: u32,
        max_packets: u32,
    ) -> Result<Arc<Self>> {
        let storage = Storage::new(context.devices().len());
        let packets = (packet_size as usize).checked_mul(max_packets as usize);
        let size = packets.and_then(|size| size.checked_add(PIPE_HEADER)).ok_or(code::INVALID_PIPE_SIZE)?;
        let memory = Memory::new(context, flags, size, Kind::Pipe { packet_size, max_packets, storage });
        let mut header = [0; PIPE_HEADER];
        header[..4].copy_from_slice(&max_packets.to_le_bytes());
        header[4..8].copy_from_slice(&packet_size.to_le_bytes());
        memory.buffer_on(0, true)?.0.write(0, &header)?;
        Ok(Arc::new(memory))
    }

    /// Size and number of packets of a pipe.
    pub fn packets(&self) -> Option<(u32, u32)> {
        match self.kind {
            Kind::Pipe { packet_size, max_packets, .. } => Some((packet_size, max_packets)),
            _ => None,
        }
    }

    /// Its context.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Its flags, with the default access if none was given.
    pub fn flags(&self) -> cl_mem_flags {
        self.flags
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The application's memory given at its creation, or null.
    pub fn host(&self) -> HostMemory {
        self.host
    }

    /// Whether the device works in the application's memory itself.
    pub fn is_in_place(&self) -> bool {
        self.in_place
    }

    /// Whether its memory is shared with other users of Vulkan.
    pub fn is_external(&self) -> bool {
        self.is_external
    }

    /// Whether it is a buffer or a part of one.
    pub fn is_buffer(&self) -> bool {
        matches!(self.kind, Kind::Buffer(_) | Kind::Part { .. })
    }

    /// Whether it is a one-dimensional image made from a buffer.
    pub fn is_texels(&self) -> bool {
        matches!(self.kind, Kind::Texels { .. })
    }

    /// Whether it is an image whose pixels lie in a buffer.
    pub fn lies_in_buffer(&self) -> bool {
        matches!(self.kind, Kind::Texels { .. } | Kind::Pitched { .. })
    }

    /// What it is as an image.
    pub fn image(&self) -> Option<&Image> {
        match &self.kind {
            Kind::Image { image, .. } | Kind::Texels { image, .. } | Kind::Pitched { image, .. } => {
                Some(image)
            }
            _ => None,
        }
    }

    /// The buffer that it is a part of, and the offset in it.
    pub fn parent(&self) -> Option<(&Arc<Memory>, usize)> {
        match &self.kind {
            Kind::Part { whole, offset } => Some((whole, *offset)),
            _ => None,
        }
    }

    /// Whether two objects have the same memory.
    pub fn shares_memory(&self, other: &Memory) -> bool {
        let root = |memory: &Memory| {
            memory.parent().map_or(std::ptr::from_ref(memory), |(whole, _)| Arc::as_ptr(whole))
        };
        root(self) == root(other)
    }

    /// The runtime's buffer on the device of this position in the context, and the offset of this object in
    /// it, for a command that this thread makes; `writes` if that changes the contents.
    pub fn buffer_on(&self, index: usize, writes: bool) -> Result<(&Buffer, u64)> {
        self.located(index, Some(writes))
    }

    /// The same for a command, or, without an access, only to know the buffer: then contents stay where they
    /// are.
    fn located(&self, index: usize, writes: Option<bool>) -> Result<(&Buffer, u64)> {
        match &self.kind {
            Kind::Buffer(storage) | Kind::Pipe { storage, .. } => {
                let make = || {
                    let device = &self.context.devices()[index];
                    let (opened, size) = (device.open()?, self.size as u64);
                    let is_pinned = self.flags & CL_MEM_ALLOC_HOST_PTR != 0;
                    let made =
                        if is_pinned { Buffer::pinned(opened, size) } else { Buffer::new(opened, size) };
                    let made = made.map_err(Code::from)?;
                    Ok(if device.is_sanitized() { made.undefined() } else { made })
                };
                let buffer = match writes {
                    Some(writes) => storage.on_device(index, writes, make),
                    None => storage.resource(index, make),
                };
                Ok((buffer?, 0))
            }
            Kind::Part { whole, offset } => {
                let (buffer, _) = whole.located(index, writes)?;
                Ok((buffer, *offset as u64))
            }
            Kind::Texels { image, .. } | Kind::Pitched { image, .. } => {
                image.buffer.as_ref().ok_or(code::INVALID_MEM_OBJECT)?.located(index, writes)
            }
            Kind::Image { .. } => Err(code::INVALID_MEM_OBJECT),
        }
    }

    /// The view of a buffer as pixels on the device of this position in the context, for a command.
    pub fn texels_on(&self, index: usize, writes: bool) -> Result<&BufferImage> {
        self.buffer_on(index, writes)?;
        self.texels_view(index)
    }

    fn texels_view(&self, index: usize) -> Result<&BufferImage> {
        let Kind::Texels { image, views } = &self.kind else { return Err(code::INVALID_MEM_OBJECT) };
        let parent = image.buffer.as_ref().ok_or(code::INVALID_MEM_OBJECT)?;
        let (buffer, offset) = parent.located(index, None)?;
        let make = || {
            let part = buffer.part(offset, parent.size as u64)?;
            BufferImage::new(&part, image.pixel, image.width as u32).map_err(Code::from)
        };
        views[index].get_or_init(make).as_ref().map_err(|&code| code)
    }

    /// The view of a buffer as an image of another shape, on the device of this position in the context, for
    /// a command.
    pub fn pitched_on(&self, index: usize, writes: bool) -> Result<&PitchedImage> {
        self.buffer_on(index, writes)?;
        self.pitched_view(index)
    }

    fn pitched_view(&self, index: usize) -> Result<&PitchedImage> {
        let Kind::Pitched { image, views } = &self.kind else { return Err(code::INVALID_MEM_OBJECT) };
        let (buffer, offset) = self.located(index, None)?;
        let make = || {
            let mut place = image.place_in_buffer([0; 3]);
            place.offset += offset;
            PitchedImage::new(buffer, &place, &image.description()).map_err(Code::from)
        };
        views[index].get_or_init(make).as_ref().map_err(|&code| code)
    }

    /// The runtime's image on the device of this position in the context.
    pub fn image_on(&self, index: usize, writes: bool) -> Result<&vk_runtime::Image> {
        let Kind::Image { image, storage } = &self.kind else { return Err(code::INVALID_MEM_OBJECT) };
        let make = || {
            let device = self.context.devices()[index].open()?;
            vk_runtime::Image::new(device, &image.description()).map_err(Code::from)
        };
        storage.on_device(index, writes, make)
    }

    /// Brings the contents to the device of this position in the context, for a command that this thread
    /// makes.
    pub fn get_to(&self, index: usize) -> Result<()> {
        match self.kind {
            Kind::Image { .. } => self.image_on(index, false).map(drop),
            _ => self.buffer_on(index, false).map(drop),
        }
    }

    /// A command that this thread makes replaces `size` bytes at `offset`. If these are all, the contents
    /// need not get to its device.
    pub fn replace(&self, offset: usize, size: usize) {
        if let Kind::Buffer(storage) = &self.kind
            && (offset, size) == (0, self.size)
        {
            storage.forget();
        }
    }

    /// Its mapped parts.
    pub fn mappings(&self) -> MutexGuard<'_, Vec<Mapping>> {
        self.mappings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a function to call when the object is destroyed.
    pub fn on_destruction(&self, callback: OnObject) {
        self.watched.store(true, Ordering::Relaxed);
        self.destructors.lock().unwrap_or_else(PoisonError::into_inner).push(callback);
    }

    /// Whether commands must keep the object until they are done, because a callback reports its destruction.
    pub fn is_watched(&self) -> bool {
        let whole = self.parent().map(|(whole, _)| whole);
        let of_image = || self.image().and_then(|image| image.buffer.as_ref());
        let watched = |whole: &Arc<Memory>| whole.is_watched();
        self.watched.load(Ordering::Relaxed) || whole.or_else(of_image).is_some_and(watched)
    }

    /// Whether the host may read it; else `CL_INVALID_OPERATION`.
    pub fn check_host_reads(&self) -> Result<()> {
        let refused = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
        ensure(self.flags & refused == 0, code::INVALID_OPERATION)
    }

    /// Whether the host may write it; else `CL_INVALID_OPERATION`.
    pub fn check_host_writes(&self) -> Result<()> {
        let refused = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
        ensure(self.flags & refused == 0, code::INVALID_OPERATION)
    }

    /// Whether `size` bytes at `offset` lie in it; else `CL_INVALID_VALUE`.
    pub fn check_range(&self, offset: usize, size: usize) -> Result<()> {
        let end = offset.checked_add(size);
        ensure(size > 0 && end.is_some_and(|end| end <= self.size), code::INVALID_VALUE)
    }

    /// Whether it belongs to a context.
    pub fn check_context(&self, context: &Arc<Context>) -> Result<()> {
        ensure(Arc::ptr_eq(&self.context, context), code::INVALID_CONTEXT)
    }

    /// Answers a query.
    pub fn query(&self, name: cl_mem_info) -> Result<Answer> {
        match name {
            CL_MEM_TYPE => {
                let plain = if self.packets().is_some() { CL_MEM_OBJECT_PIPE } else { CL_MEM_OBJECT_BUFFER };
                info::value(self.image().map_or(plain, |image| image.object_type))
            }

            CL_MEM_FLAGS => info::value(self.flags),
            CL_MEM_SIZE => info::value(self.size),
            CL_MEM_HOST_PTR => info::value(self.host),
            CL_MEM_MAP_COUNT => info::value(self.mappings().len() as u32),
            CL_MEM_REFERENCE_COUNT => info::value(handle::references(self)),
            CL_MEM_CONTEXT => info::value(Handle::of(&self.context)),
            CL_MEM_ASSOCIATED_MEMOBJECT => {
                let of_image = self.image().and_then(Image::parent);
                let whole = self.parent().map(|(whole, _)| whole).or(of_image);
                info::value(whole.map_or(Handle::NULL, Handle::of))
            }
            CL_MEM_OFFSET => info::value(self.parent().map_or(0, |(_, offset)| offset)),
            CL_MEM_USES_SVM_POINTER => {
                let is_shared = !self.host.is_null() && self.context.svm_place(self.host).is_some();
                info::truth(is_shared)
            }
            CL_MEM_PROPERTIES => info::list(&self.properties),
            CL_MEM_DEVICE_ADDRESS_EXT => {
                ensure(!self.addresses.is_empty(), code::INVALID_OPERATION)?;
                info::list(&self.addresses)
            }
            _ => Err(code::INVALID_VALUE),
        }
    }
}

/// A buffer in the application's memory, with the position of its device in the context: in shared virtual
/// memory, or in memory that the context's only device can use.
fn in_host_memory(context: &Context, host: HostMemory, size: usize) -> Result<Option<(usize, Buffer)>> {
    if let Some(place) = context.svm_place(host) {
        ensure(place.holds(size), code::INVALID_BUFFER_SIZE)?;
        // Other devices would need copies, which the application does not ask for.
        let part = place.allocation.buffer().part(place.offset, size as u64)?;
        let alone = context.devices().len() == 1;
        return Ok(alone.then_some((place.allocation.device_index(), part)));
    }
    let [device] = context.devices() else { return Ok(None) };
    // SAFETY: the application vouches for the memory as long as the object and its commands live (OpenCL API
    // §5.2.1), and accesses it only while it is mapped.
    let buffer = unsafe { Buffer::over_host_memory(device.open()?, host.place()?, size as u64) }?;
    Ok(buffer.map(|buffer| (0, buffer)))
}

impl Drop for Memory {
    fn drop(&mut self) {
        let callbacks = std::mem::take(self.destructors.get_mut().unwrap_or_else(PoisonError::into_inner));
        for callback in callbacks.into_iter().rev() {
            callback.call(handle::address(self));
        }
    }
}
