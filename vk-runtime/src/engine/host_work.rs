//! Small commands that the host does itself.
//!
//! A submission takes longer than it takes the host to copy some kilobytes. So where the host can reach the
//! memory, and the device is done with everything that the command must follow, the host does the command
//! when it is enqueued. What is recorded later sees the result, because submitting makes the host's writes
//! visible to the device (Vulkan §7.9); what the device wrote is visible, because a submission that may write
//! memory of the host ends with a barrier for it (`slot`).

use crate::engine::buffer::BufferInner;
use crate::engine::command::Kind;
use crate::engine::fill::Pattern;
use crate::engine::stream::Stream;
use crate::engine::transfer::{Pitches, Shape, copy_box};
use smallvec::SmallVec;
use std::ptr::NonNull;
use std::sync::MutexGuard;

/// Most bytes that the host moves while a command is enqueued; the device or another thread moves more.
pub(crate) const MOST_BYTES: u64 = 64 << 10;

impl Kind {
    /// Whether there is nothing to do but to wait.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Kind::Marker | Kind::Point | Kind::Barrier)
    }

    /// Whether the host can do it at once when the device is done with what it uses.
    pub(crate) fn suits_host(&self) -> bool {
        let few = |size: u64| size <= MOST_BYTES;
        match self {
            Kind::CopyBuffer { source, destination, shape, .. } => {
                few(shape.size()) && source.is_shared() && destination.is_shared()
            }
            Kind::FillBuffer { buffer, size, .. } => few(*size) && buffer.is_shared(),
            Kind::FillBox { buffer, shape, .. } => few(shape.size()) && buffer.is_shared(),
            Kind::Write(transfer) | Kind::Read(transfer) => {
                few(transfer.shape.size()) && transfer.direct().is_some()
            }
            other => other.is_empty(),
        }
    }

    /// Does it, unless the device is not known to be done with the buffers. The caller has asked
    /// [`Kind::suits_host`]. False if nothing was done.
    pub(crate) fn do_on_host(&self, stream: &Stream) -> bool {
        match self {
            Kind::CopyBuffer { source, destination, from, to, shape, .. } => {
                let Some(_claim) = claim(stream, &[source, destination]) else { return false };
                let (start, end) = (place(source, from.0), place(destination, to.0));
                // SAFETY: the maker of the command has checked the boxes, and that they do not overlap. The
                // buffers are claimed.
                unsafe { copy_box(start, from.1, end, to.1, *shape) };
            }
            Kind::FillBuffer { buffer, offset, size, pattern } => {
                let Some(_claim) = claim(stream, &[buffer]) else { return false };
                // SAFETY: the maker of the command has checked the range. The buffer is claimed.
                unsafe { fill(place(buffer, *offset), *size, pattern) };
            }
            Kind::FillBox { buffer, offset, pitches, shape, pattern } => {
                let Some(_claim) = claim(stream, &[buffer]) else { return false };
                // SAFETY: as above.
                unsafe { fill_rows(place(buffer, *offset), *pitches, *shape, pattern) };
            }
            Kind::Write(transfer) | Kind::Read(transfer) => {
                let Some((buffer, offset, pitches)) = transfer.direct() else { return false };
                let Some(_claim) = claim(stream, &[buffer]) else { return false };
                let (host, device) = (transfer.host, place(buffer, offset));
                let write = matches!(self, Kind::Write(_));
                let (from, to) = ((host.pointer, host.pitches), (device, pitches));
                let (from, to) = if write { (from, to) } else { (to, from) };
                // SAFETY: the box lies in the buffer, which is claimed, and in the host's memory, for which
                // the maker of the command vouches.
                unsafe { copy_box(from.0, from.1, to.0, to.1, transfer.shape) };
            }
            other => return other.is_empty(),
        }
        true
    }
}

/// Keeps commands that use these buffers from being recorded; `None` if the device is not known to be done
/// with them. All threads lock buffers in the same order.
fn claim<'a>(stream: &Stream, buffers: &[&'a BufferInner]) -> Option<SmallVec<[MutexGuard<'a, u64>; 2]>> {
    let mut ordered: SmallVec<[&BufferInner; 2]> = SmallVec::from_slice(buffers);
    ordered.sort_by_key(|&buffer| std::ptr::from_ref(buffer).addr());
    ordered.dedup_by_key(|&mut buffer| std::ptr::from_ref(buffer));
    let mut claims = SmallVec::new();
    for buffer in ordered {
        let last_use = buffer.last_use();
        if !stream.is_finished(*last_use) {
            return None;
        }
        claims.push(last_use);
    }
    stream.is_finished(stream.reached_anything()).then_some(claims)
}

fn place(buffer: &BufferInner, offset: u64) -> NonNull<u8> {
    buffer.pointer_at(offset).expect("only what the host can access suits it")
}

/// Repeats a pattern over memory.
///
/// # Safety
/// The memory has this size, and nothing else accesses it.
unsafe fn fill(start: NonNull<u8>, size: u64, pattern: &Pattern) {
    // SAFETY: as the caller promises; the buffer's memory is mapped, so it has some contents.
    pattern.repeat(unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), size as usize) });
}

/// Repeats a pattern over each row of a box.
///
/// # Safety
/// The box lies in memory that nothing else accesses.
unsafe fn fill_rows(start: NonNull<u8>, pitches: Pitches, shape: Shape, pattern: &Pattern) {
    for slice in 0..shape.slices {
        for row in 0..shape.rows {
            let offset = slice * pitches.slice + row * pitches.row;
            // SAFETY: a row of the box.
            unsafe { fill(start.add(offset as usize), shape.row, pattern) };
        }
    }
}
