//! The host's side of coarse-grained shared virtual memory (OpenCL API §5.6.1) on devices that have their own
//! memory: pages of the process at the address that the device gave a buffer.
//!
//! Bytes are copied when the host and the device take turns. The pages never replace memory that the process
//! already uses.

use crate::engine::buffer::BufferInner;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::memory::Heap;
use std::ptr::NonNull;

/// How many other addresses are tried if the process already uses an address.
const ATTEMPTS: usize = 8;

/// Pages that belong to this mirror.
pub(crate) struct HostMirror {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: it is an address and a length; whoever accesses the memory upholds its validity.
unsafe impl Send for HostMirror {}
// SAFETY: as above.
unsafe impl Sync for HostMirror {}

impl HostMirror {
    /// Zeroed pages at an address; `None` if the process already uses it, or cannot have pages there.
    pub(crate) fn at(address: u64, length: u64) -> Option<HostMirror> {
        let (address, length) = (usize::try_from(address).ok()?, usize::try_from(length).ok()?);
        let place = NonNull::new(pages::reserve(address, length)?)?;
        let mirror = HostMirror { start: place, length };
        // Old Linux kernels take the address as a hint only.
        (place.addr().get() == address).then_some(mirror)
    }

    /// The first byte.
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for HostMirror {
    fn drop(&mut self) {
        // SAFETY: the pages are this mirror's, and commands that use them keep the buffer whose mirror it is.
        unsafe { pages::release(self.start, self.length) }
    }
}

#[cfg(target_os = "linux")]
mod pages {
    use rustix::mm::{MapFlags, ProtFlags};
    use std::ptr::NonNull;

    /// What addresses and lengths are multiples of.
    pub(super) fn size() -> u64 {
        rustix::param::page_size() as u64
    }

    /// New pages at an address, or elsewhere on old Linux kernels.
    pub(super) fn reserve(address: usize, length: usize) -> Option<*mut u8> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
        let place = std::ptr::with_exposed_provenance_mut(address);
        // SAFETY: new pages that replace none (`FIXED_NOREPLACE`), so that no memory of others changes.
        let pages =
            unsafe { rustix::mm::mmap_anonymous(place, length, ProtFlags::READ | ProtFlags::WRITE, flags) };
        pages.ok().map(<*mut _>::cast)
    }

    /// # Safety
    /// The pages came from `reserve`, and nothing uses them any more.
    pub(super) unsafe fn release(start: NonNull<u8>, length: usize) {
        // SAFETY: as the caller promises.
        if let Err(error) = unsafe { rustix::mm::munmap(start.as_ptr().cast(), length) } {
            tracing::error!(%error, "could not release pages");
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod pages {
    use std::ptr::NonNull;

    pub(super) fn size() -> u64 {
        1 << 16
    }

    /// Other systems have no request for pages at an address that cannot replace existing ones.
    pub(super) fn reserve(_: usize, _: usize) -> Option<*mut u8> {
        None
    }

    /// # Safety
    /// There are no pages, so it is never called.
    pub(super) unsafe fn release(_: NonNull<u8>, _: usize) {}
}

/// A buffer, and as many of the host's pages at the place that follows from its address. Makes others while
/// the process already uses that place, or while it is not a multiple of `granule`.
pub(crate) fn with_pages(
    granule: u64,
    make: impl Fn() -> Result<BufferInner>,
    place: impl Fn(u64) -> u64,
) -> Result<(BufferInner, HostMirror)> {
    let mut in_the_way = Vec::new();
    for _ in 0..ATTEMPTS {
        let buffer = make()?;
        let address = place(buffer.address.ok_or(Error::SharedAddress)?);
        let pages = address.is_multiple_of(granule).then(|| HostMirror::at(address, buffer.raw_size));
        if let Some(pages) = pages.flatten() {
            return Ok((buffer, pages));
        }
        // It occupies its address until another one is found.
        in_the_way.push(buffer);
    }
    Err(Error::SharedAddress)
}

impl BufferInner {
    /// A buffer in the device's own memory, with the host's pages at the same address.
    pub(crate) fn mirrored(heap: &Heap, size: u64) -> Result<Self> {
        let make = || BufferInner::of_pages(heap, size, page_size());
        let (mut buffer, pages) = with_pages(page_size(), make, |address| address)?;
        buffer.mirror = Some(pages);
        Ok(buffer)
    }

    /// The byte at `offset`, which is at most the buffer's size, in the host's mirror, if there is one.
    pub(crate) fn mirror_at(&self, offset: u64) -> Option<NonNull<u8>> {
        assert!(offset <= self.size, "offset {offset} in a buffer of {} bytes", self.size);
        // SAFETY: the mirror is as long as the buffer.
        self.mirror.as_ref().map(|mirror| unsafe { mirror.start().add(offset as usize) })
    }
}

/// What addresses and lengths of mirrors are multiples of.
pub(crate) fn page_size() -> u64 {
    pages::size()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An address that the process does not use; tests that run side by side ask for different ones.
    pub(crate) fn free_address(wish: usize, length: usize) -> u64 {
        let pages = pages::reserve(wish, length).expect("pages");
        let pages = NonNull::new(pages).expect("not at zero");
        // SAFETY: just reserved.
        unsafe { pages::release(pages, length) };
        pages.addr().get() as u64
    }

    #[test]
    fn pages_come_where_they_are_wanted_and_replace_nothing() {
        let length = 4 * pages::size();
        let address = free_address(1 << 44, length as usize);
        let mirror = HostMirror::at(address, length).expect("the place is free");
        assert_eq!(mirror.start().addr().get() as u64, address);
        // SAFETY: its pages.
        unsafe { mirror.start().write_bytes(7, length as usize) };
        assert!(HostMirror::at(address, length).is_none(), "it is taken");
        assert!(HostMirror::at(address + pages::size(), length).is_none(), "its end is taken");
        // SAFETY: as above.
        assert_eq!(unsafe { mirror.start().add(length as usize - 1).read() }, 7);
        drop(mirror);
        assert!(HostMirror::at(address, length).is_some(), "it is free again");
        assert!(HostMirror::at(u64::MAX - 4095, 4096).is_none(), "no process has this address");
    }
}
