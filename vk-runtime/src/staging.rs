//! Large transfers between host memory and the device.
//!
//! Where the host reaches a buffer itself, it copies. Elsewhere data goes in pieces through a ring of staging buffers, so
//! that copying on the host and copying by the device overlap. The ring needs no book-keeping of its own: a piece is
//! reused only after the submission that used it, because host access to a buffer waits for that (see `buffer`).

use crate::buffer::BufferInner;
use crate::command::transfer::{Pitches, Transfer, copy_box};
use crate::device::Device;
use crate::error::Result;
use crate::handle::lock;
use crate::memory::MemoryUse;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of one staging buffer.
pub(crate) const CHUNK: u64 = 8 << 20;

/// Staging buffers in one direction.
const CHUNKS: usize = 4;

/// A ring of staging buffers, made when they are first needed.
pub(crate) struct Staging {
    purpose: MemoryUse,
    chunks: VecDeque<Arc<BufferInner>>,
}

impl Staging {
    pub(crate) fn new(purpose: MemoryUse) -> Self {
        Staging { purpose, chunks: VecDeque::new() }
    }

    /// The staging buffer that has not been used for longest.
    fn next(&mut self, device: &Device) -> Result<Arc<BufferInner>> {
        let chunk = if self.chunks.len() < CHUNKS {
            device.create_buffer("a staging buffer", CHUNK, self.purpose)?
        } else {
            self.chunks.pop_front().expect("the ring is full")
        };
        self.chunks.push_back(Arc::clone(&chunk));
        Ok(chunk)
    }
}

/// Writes (`write`) or reads a box, in order with everything recorded so far. A read is complete when this returns; what was
/// written may still be in staging buffers.
pub(crate) fn transfer(device: &Device, transfer: &Transfer, write: bool) -> Result<()> {
    let (host, shape) = (transfer.host, transfer.shape);
    if let Some((buffer, offset, pitches)) = transfer.direct() {
        return buffer.with_memory(device.stream(), offset, |memory| {
            // SAFETY: the box lies in the buffer, which nobody else accesses now, and in the host's memory, for which the
            // maker of the transfer vouches.
            unsafe {
                if write {
                    copy_box(host.pointer, host.pitches, memory, pitches, shape);
                } else {
                    copy_box(memory, pitches, host.pointer, host.pitches, shape);
                }
            }
        });
    }
    if write { upload(device, transfer) } else { download(device, transfer) }
}

fn upload(device: &Device, transfer: &Transfer) -> Result<()> {
    let mut ring = lock(&device.shared.upload);
    for part in transfer.parts(CHUNK) {
        let chunk = ring.next(device)?;
        chunk.with_memory(device.stream(), 0, |memory| {
            // SAFETY: a part fits a staging buffer, which nobody else accesses now.
            unsafe { part.pack(memory) }
        })?;
        device.issue(part.staged_write(device, chunk))?;
        device.stream().flush()?;
    }
    Ok(())
}

fn download(device: &Device, transfer: &Transfer) -> Result<()> {
    let mut ring = lock(&device.shared.download);
    let mut copying: VecDeque<(Arc<BufferInner>, Transfer)> = VecDeque::new();
    let fetch = |(chunk, part): (Arc<BufferInner>, Transfer)| {
        let (packed, host) = (Pitches::packed(part.shape), part.host);
        chunk.with_memory(device.stream(), 0, |memory| {
            // SAFETY: the part lies in the staging buffer, which nobody else accesses now, and in the host's memory, for
            // which the maker of the transfer vouches.
            unsafe { copy_box(memory, packed, host.pointer, host.pitches, part.shape) }
        })
    };
    for part in transfer.parts(CHUNK) {
        if copying.len() == CHUNKS
            && let Some(oldest) = copying.pop_front()
        {
            fetch(oldest)?;
        }
        let chunk = ring.next(device)?;
        device.issue(part.staged_read(device, Arc::clone(&chunk)))?;
        device.stream().flush()?;
        copying.push_back((chunk, part));
    }
    copying.into_iter().try_for_each(fetch)
}
