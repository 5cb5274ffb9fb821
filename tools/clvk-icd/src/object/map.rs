//! The mapped parts of memory objects: where the host sees them, and what is written back when they are
//! unmapped.

use super::image::Origin;
use crate::border::HostMemory;
use crate::cl::*;
use std::sync::Arc;

/// A part of a memory object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// Bytes of a buffer.
    Buffer {
        /// First byte.
        offset: usize,
        /// Bytes.
        size: usize,
    },
    /// Pixels of an image.
    Image {
        /// First pixel.
        origin: Origin,
        /// Pixels.
        region: [usize; 3],
        /// Bytes from row to row and from slice to slice.
        pitches: [usize; 2],
    },
}

/// A mapped part.
#[derive(Clone)]
pub struct Mapping {
    /// The pointer that the application got.
    pub pointer: HostMemory,
    /// The part.
    pub area: Area,
    /// Whether it is written back to the device.
    pub writes: bool,
    /// The memory behind the pointer.
    pub backing: Backing,
}

/// The memory behind the pointer of a mapping.
#[derive(Clone)]
pub enum Backing {
    /// The application's memory, which the device uses in place.
    InPlace,
    /// The application's memory, with which the device exchanges copies.
    Application,
    /// The driver's memory, with which the device exchanges copies.
    Staging(Arc<Staging>),
    /// The runtime's mapping: the device's own memory, or staging memory that it keeps.
    Device(Arc<vk_runtime::Mapping>),
}

/// Whether map flags are valid.
pub fn flags_are_valid(flags: cl_map_flags) -> bool {
    let known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    let invalidates = flags & CL_MAP_WRITE_INVALIDATE_REGION != 0;
    flags & !known == 0 && !(invalidates && flags & (CL_MAP_READ | CL_MAP_WRITE) != 0)
}

/// Whether the mapped part is written back to the device.
pub fn writes(flags: cl_map_flags) -> bool {
    flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0
}

/// Whether the mapped part is read from the device first.
pub fn reads(flags: cl_map_flags) -> bool {
    flags & CL_MAP_WRITE_INVALIDATE_REGION == 0
}

/// Alignment of the largest types.
#[derive(Clone, Copy)]
#[repr(align(128))]
struct Line(#[expect(dead_code, reason = "only its address is used")] [u8; 128]);

/// Memory that is mapped for the application, aligned for every type.
pub struct Staging {
    pointer: HostMemory,
    lines: Box<[Line]>,
}

impl Staging {
    /// At least `size` bytes of zeros; `None` if there is not enough memory.
    pub fn new(size: usize) -> Option<Arc<Self>> {
        let count = size.div_ceil(size_of::<Line>()).max(1);
        let mut lines: Vec<Line> = Vec::new();
        lines.try_reserve_exact(count).ok()?;
        lines.resize(count, Line([0; 128]));
        let mut lines = lines.into_boxed_slice();
        let pointer = HostMemory::of(lines.as_mut_ptr().cast());
        Some(Arc::new(Staging { pointer, lines }))
    }

    /// Its first byte.
    pub fn pointer(&self) -> HostMemory {
        self.pointer
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        size_of_val(&*self.lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn staging_is_aligned_and_large_enough() {
        for size in [0, 1, 128, 129, 100_000] {
            let staging = Staging::new(size).unwrap();
            assert!(staging.size() >= size.max(1));
            assert_eq!(staging.pointer().pointer() as usize % 128, 0);
        }
        assert!(Staging::new(usize::MAX / 2).is_none());
    }

    #[test]
    fn invalidating_excludes_reading() {
        assert!(flags_are_valid(CL_MAP_READ | CL_MAP_WRITE));
        assert!(flags_are_valid(CL_MAP_WRITE_INVALIDATE_REGION));
        assert!(!flags_are_valid(CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ));
        assert!(!flags_are_valid(1 << 9));
        assert!(writes(CL_MAP_WRITE_INVALIDATE_REGION) && !reads(CL_MAP_WRITE_INVALIDATE_REGION));
    }
}
