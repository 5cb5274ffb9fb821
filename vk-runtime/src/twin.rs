//! Memory of the host at the addresses that kernels see: shared virtual memory in turns (OpenCL API §5.6.1, coarse-grained), also on
//! devices that have their own memory.
//!
//! Where host and device work in the same memory at the same addresses, it is simply that memory. Elsewhere the process gets pages
//! of its own at the address that the device gave the buffer, its twin, and bytes go to and fro when host and device take turns
//! ([`Command::bring_to_host`], [`Command::take_to_device`]). The pages are never put where the process has something already.

use crate::buffer::{Buffer, BufferInner};
use crate::command::Command;
use crate::device::Device;
use crate::error::{Error, Result};
use std::ptr::NonNull;
use std::sync::Arc;

/// How often another address is tried where the process has something.
const ATTEMPTS: usize = 8;

/// Pages of the process, which are its own.
pub(crate) struct Twin {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: it is an address and a length; who accesses the memory sees to it that he may.
unsafe impl Send for Twin {}
// SAFETY: as above.
unsafe impl Sync for Twin {}

impl Twin {
    /// Zeros at an address; none if the process has something there, or cannot have anything.
    fn at(address: u64, length: u64) -> Option<Twin> {
        let (address, length) = (usize::try_from(address).ok()?, usize::try_from(length).ok()?);
        let place = NonNull::new(pages::reserve(address, length)?)?;
        let twin = Twin { start: place, length };
        // Old kernels take the address for a wish.
        (place.addr().get() == address).then_some(twin)
    }

    /// The first byte.
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for Twin {
    fn drop(&mut self) {
        // SAFETY: the pages are this twin's, and commands that use them keep the buffer whose twin it is.
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

    /// New pages at an address, or elsewhere.
    pub(super) fn reserve(address: usize, length: usize) -> Option<*mut u8> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
        let place = std::ptr::with_exposed_provenance_mut(address);
        // SAFETY: new pages that replace none (`FIXED_NOREPLACE`), so that no memory of others changes.
        let pages =
            unsafe { rustix::mm::mmap_anonymous(place, length, ProtFlags::READ | ProtFlags::WRITE, flags) };
        pages.ok().map(<*mut _>::cast)
    }

    /// # Safety
    /// The pages came from `reserve`, and nobody uses them any more.
    pub(super) unsafe fn release(start: NonNull<u8>, length: usize) {
        // SAFETY: as the caller promises.
        if let Err(error) = unsafe { rustix::mm::munmap(start.as_ptr().cast(), length) } {
            tracing::error!(%error, "pages could not be given back");
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod pages {
    use std::ptr::NonNull;

    pub(super) fn size() -> u64 {
        1 << 16
    }

    /// Other systems cannot be asked for pages at an address without the danger of replacing some.
    pub(super) fn reserve(_: usize, _: usize) -> Option<*mut u8> {
        None
    }

    /// # Safety
    /// None: there are no pages.
    pub(super) unsafe fn release(_: NonNull<u8>, _: usize) {}
}

impl Buffer {
    /// A buffer of `size` bytes with undefined contents that host and kernels find at the same address ([`Buffer::shared_pointer`]).
    ///
    /// # Errors
    /// As for [`Buffer::new`]; [`Error::SharedAddress`] where no address suits both, which is so on devices that lack addresses.
    pub fn at_shared_address(device: &Device, size: u64) -> Result<Self> {
        if device.has_direct_access() {
            let buffer = Buffer::new(device, size)?;
            if buffer.shared_pointer().is_some() {
                return Ok(buffer);
            }
        }
        Buffer::check_size(device, size)?;
        let mut in_the_way = Vec::new();
        for _ in 0..ATTEMPTS {
            let mut inner = BufferInner::of_pages(&device.shared.heap, size, pages::size())?;
            let Some(address) = inner.address else { return Err(Error::SharedAddress) };
            let whole_pages = address.is_multiple_of(pages::size());
            inner.twin = whole_pages.then(|| Twin::at(address, inner.raw_size)).flatten();
            if inner.twin.is_some() {
                return Ok(Buffer::whole(device, Arc::new(inner)));
            }
            // It keeps its address until there is another one.
            in_the_way.push(inner);
        }
        Err(Error::SharedAddress)
    }

    /// The first byte, where that is at the same address for the host and for kernels. What the host finds there is only what was
    /// brought to it ([`Command::bring_to_host`]), and kernels find what was taken to them ([`Command::take_to_device`]).
    #[must_use]
    pub fn shared_pointer(&self) -> Option<NonNull<u8>> {
        if let Some(twin) = &self.inner().twin {
            // SAFETY: the base lies in the buffer, whose twin is as long.
            return Some(unsafe { twin.start().add(self.base() as usize) });
        }
        self.host_pointer().filter(|pointer| self.address() == Some(pointer.addr().get() as u64))
    }

    /// The host's side of so many bytes, where it is another one than the device's.
    fn other_side(&self, offset: u64) -> Option<NonNull<u8>> {
        let inner = self.inner();
        let twin = inner.twin.as_ref()?;
        // SAFETY: callers check that the offset lies in the buffer.
        Some(unsafe { twin.start().add((self.base() + offset) as usize) })
    }
}

impl Command {
    /// Lets the host see at [`Buffer::shared_pointer`] what kernels have written.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    ///
    /// # Safety
    /// Nobody accesses those bytes of the host until the command's event is complete or failed.
    pub unsafe fn bring_to_host(buffer: &Buffer, offset: u64, size: u64) -> Result<Command> {
        buffer.check_range("read", offset, size)?;
        match buffer.other_side(offset) {
            // SAFETY: the command keeps the buffer, and so its twin; the rest is as the caller promises.
            Some(place) => unsafe { Command::read_buffer(buffer, offset, place, size) },
            None => Ok(Command::marker()),
        }
    }

    /// Lets kernels see what the host has written at [`Buffer::shared_pointer`].
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    ///
    /// # Safety
    /// Nobody changes those bytes of the host until the command's event is complete or failed.
    pub unsafe fn take_to_device(buffer: &Buffer, offset: u64, size: u64) -> Result<Command> {
        buffer.check_range("write", offset, size)?;
        match buffer.other_side(offset) {
            // SAFETY: the command keeps the buffer, and so its twin; the rest is as the caller promises.
            Some(place) => unsafe { Command::write_buffer(buffer, offset, place, size) },
            None => Ok(Command::marker()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CommandQueue, QueueOptions};

    /// An address where the process has nothing; tests that run side by side ask for different ones.
    fn free_address(wish: usize, length: usize) -> u64 {
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
        let twin = Twin::at(address, length).expect("the place is free");
        assert_eq!(twin.start().addr().get() as u64, address);
        // SAFETY: its pages.
        unsafe { twin.start().write_bytes(7, length as usize) };
        assert!(Twin::at(address, length).is_none(), "it is taken");
        assert!(Twin::at(address + pages::size(), length).is_none(), "its end is taken");
        // SAFETY: as above.
        assert_eq!(unsafe { twin.start().add(length as usize - 1).read() }, 7);
        drop(twin);
        assert!(Twin::at(address, length).is_some(), "it is free again");
        assert!(Twin::at(u64::MAX - 4095, 4096).is_none(), "no process has this address");
    }

    /// With pages elsewhere than at the device's address, which any device that stages can do.
    #[test]
    fn both_sides_of_a_twin_take_turns() {
        let device = Device::staged();
        let mut inner = BufferInner::of_pages(&device.shared.heap, 10_000, pages::size()).expect("a buffer");
        assert!(inner.raw_size.is_multiple_of(pages::size()) && inner.raw_size >= 10_000);
        inner.twin = Twin::at(free_address(1 << 45, inner.raw_size as usize), inner.raw_size);
        let buffer = Buffer::whole(&device, Arc::new(inner));
        let part = buffer.part(1000, 5000).expect("a part");
        let start = part.shared_pointer().expect("it has a twin");
        let queue = CommandQueue::new(&device, QueueOptions::default());
        let run = |command: Result<Command>| {
            let event = queue.enqueue(command.expect("a command"), &[]).expect("it is enqueued");
            event.wait().expect("it completes");
        };
        buffer.fill(0x0101_0101).expect("filled");
        // SAFETY: host and device take turns: every command is waited for.
        unsafe {
            assert_eq!(start.read(), 0, "nothing was brought yet");
            run(Command::bring_to_host(&part, 16, 4000));
            assert_eq!([15, 16, 4015, 4016].map(|at| start.add(at).read()), [0, 1, 1, 0]);
            start.add(100).write_bytes(5, 200);
            run(Command::take_to_device(&part, 150, 100));
        }
        let mut bytes = [0; 10_000];
        buffer.read(0, &mut bytes).expect("read");
        let mut expected = [1; 10_000];
        expected[1150..1250].fill(5);
        assert!(bytes == expected, "other bytes were taken");
        // SAFETY: the commands are refused.
        let outside = unsafe { Command::bring_to_host(&part, 4999, 2) };
        assert!(matches!(outside, Err(Error::OutOfRange { .. })));
    }
}
