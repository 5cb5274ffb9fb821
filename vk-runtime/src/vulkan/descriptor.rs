//! File descriptors that drivers take over.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;

/// The file that a descriptor refers to: its device and its number there. Different files may share them only
/// if the system gives them no numbers of their own.
pub(crate) type File = (u64, u64);

/// The file of a descriptor, if it is open.
pub(crate) fn file_of(descriptor: BorrowedFd<'_>) -> Option<File> {
    let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
    std::fs::metadata(path).map(|found| (found.dev(), found.ino())).ok()
}

/// Leaves the copy of a descriptor to a driver that was given it and took it. Some drivers also close
/// descriptors that they refuse.
pub(crate) fn leave_to_driver(copy: OwnedFd, original: BorrowedFd<'_>, taken: bool) {
    let is_open = || file_of(copy.as_fd()).is_some_and(|file| file_of(original) == Some(file));
    if taken || !is_open() {
        let _ = copy.into_raw_fd();
    }
}
