//! Large transfers between host memory and the device.
//!
//! Where the host can access a buffer, it copies directly. Elsewhere data goes piece by piece through a ring
//! of staging buffers, so that copies by the host and by the device overlap. The ring needs no bookkeeping of
//! its own: host access to a buffer waits for the submission that uses it (see `buffer`), so a staging buffer
//! is reused only after that.

use crate::engine::buffer::BufferInner;
use crate::engine::command::Command;
use crate::engine::stream::Stream;
use crate::engine::transfer::{DeviceMemory, Pitches, Transfer, copy_box};
use crate::vulkan::error::Result;
use crate::vulkan::handle::lock;
use crate::vulkan::logical_device::DeviceId;
use crate::vulkan::memory::{Heap, MemoryUse};
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

/// Bytes of one staging buffer.
const CHUNK: u64 = 8 << 20;

/// Staging buffers in one direction.
const CHUNKS: usize = 4;

/// A ring of staging buffers, made when they are first needed.
struct Ring {
    purpose: MemoryUse,
    chunks: VecDeque<Arc<BufferInner>>,
}

impl Ring {
    fn new(purpose: MemoryUse) -> Mutex<Self> {
        Mutex::new(Ring { purpose, chunks: VecDeque::new() })
    }

    /// The least recently used staging buffer.
    fn next(&mut self, heap: &Heap) -> Result<Arc<BufferInner>> {
        let chunk = if self.chunks.len() < CHUNKS {
            Arc::new(BufferInner::new(heap, "a staging buffer", CHUNK, self.purpose)?)
        } else {
            self.chunks.pop_front().expect("the ring is full")
        };
        self.chunks.push_back(Arc::clone(&chunk));
        Ok(chunk)
    }
}

/// The staging buffers of a device.
pub(crate) struct Staging {
    upload: Mutex<Ring>,
    download: Mutex<Ring>,
}

impl Staging {
    pub(crate) fn new() -> Self {
        Staging { upload: Ring::new(MemoryUse::Upload), download: Ring::new(MemoryUse::Download) }
    }

    /// Writes (`write`) or reads a box, in order with everything recorded so far. A read is complete when
    /// this returns; what was written may still be in staging buffers.
    pub(crate) fn transfer(&self, stream: &Arc<Stream>, transfer: &Transfer, write: bool) -> Result<()> {
        let (host, shape) = (transfer.host, transfer.shape);
        if let Some((buffer, offset, pitches)) = transfer.direct() {
            stream.wait(stream.reached_anything(), None)?;
            return with_memory(buffer, stream, offset, |memory| {
                // SAFETY: the box lies in the buffer, which nothing else accesses now, and in the host's
                // memory, for which the maker of the transfer vouches.
                unsafe {
                    if write {
                        copy_box(host.pointer, host.pitches, memory, pitches, shape);
                    } else {
                        copy_box(memory, pitches, host.pointer, host.pitches, shape);
                    }
                }
            });
        }
        if write {
            upload(&mut lock(&self.upload), stream, transfer)
        } else {
            download(&mut lock(&self.download), stream, transfer)
        }
    }
}

fn upload(ring: &mut Ring, stream: &Arc<Stream>, transfer: &Transfer) -> Result<()> {
    for part in transfer.parts(CHUNK) {
        let chunk = ring.next(&stream.heap)?;
        with_memory(&chunk, stream, 0, |memory| {
            // SAFETY: a part fits a staging buffer, which nothing else accesses now.
            unsafe { part.pack(memory) }
        })?;
        stream.issue_silently(part.staged_write(stream.heap.device(), chunk))?;
        stream.flush()?;
    }
    Ok(())
}

fn download(ring: &mut Ring, stream: &Arc<Stream>, transfer: &Transfer) -> Result<()> {
    let mut copying: VecDeque<(Arc<BufferInner>, Transfer)> = VecDeque::new();
    let fetch = |(chunk, part): (Arc<BufferInner>, Transfer)| {
        let (packed, host) = (Pitches::packed(part.shape), part.host);
        with_memory(&chunk, stream, 0, |memory| {
            // SAFETY: the part lies in the staging buffer, which nothing else accesses now, and in the host's
            // memory, for which the maker of the transfer vouches.
            unsafe { copy_box(memory, packed, host.pointer, host.pitches, part.shape) }
        })
    };
    for part in transfer.parts(CHUNK) {
        if copying.len() == CHUNKS
            && let Some(oldest) = copying.pop_front()
        {
            fetch(oldest)?;
        }
        let chunk = ring.next(&stream.heap)?;
        stream.issue_silently(part.staged_read(stream.heap.device(), Arc::clone(&chunk)))?;
        stream.flush()?;
        copying.push_back((chunk, part));
    }
    copying.into_iter().try_for_each(fetch)
}

/// Gives `access` a pointer to the byte at `offset` while neither the device nor another thread uses the
/// buffer.
fn with_memory(
    buffer: &BufferInner,
    stream: &Stream,
    offset: u64,
    access: impl FnOnce(NonNull<u8>),
) -> Result<()> {
    let pointer = buffer.pointer().expect("only mapped buffers are accessed by the host");
    assert!(offset < buffer.size, "offset {offset} in a buffer of {} bytes", buffer.size);
    // SAFETY: inside the mapping.
    let pointer = unsafe { pointer.add(offset as usize) };
    loop {
        let serial = *buffer.last_use();
        // Without the lock held, because recording commands waits for it.
        stream.wait(serial, None)?;
        let last_use = buffer.last_use();
        if *last_use == serial {
            access(pointer);
            return Ok(());
        }
    }
}

impl Transfer {
    /// The command that copies the box from the start of a staging buffer.
    fn staged_write(&self, device: DeviceId, staging: Arc<BufferInner>) -> Command {
        let packed = Pitches::packed(self.shape);
        match &self.device {
            DeviceMemory::Buffer { buffer, offset, pitches } => {
                let to = (Arc::clone(buffer), *offset, *pitches);
                Command::copy_boxes(device, (staging, 0, packed), to, self.shape)
            }
            DeviceMemory::Image { image, region } => {
                Command::buffer_to_image(device, staging, (0, packed), Arc::clone(image), *region)
            }
        }
    }

    /// The command that copies the box to the start of a staging buffer.
    fn staged_read(&self, device: DeviceId, staging: Arc<BufferInner>) -> Command {
        let packed = Pitches::packed(self.shape);
        match &self.device {
            DeviceMemory::Buffer { buffer, offset, pitches } => {
                let from = (Arc::clone(buffer), *offset, *pitches);
                Command::copy_boxes(device, from, (staging, 0, packed), self.shape)
            }
            DeviceMemory::Image { image, region } => {
                Command::image_to_buffer(device, Arc::clone(image), *region, staging, (0, packed))
            }
        }
    }
}
