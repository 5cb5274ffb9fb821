//! Moving boxes of bytes between host memory and buffers or images.
//!
//! A box has rows and slices. In a staging buffer it has no padding, on the host and in a buffer it has the
//! pitches that the user gives, and in an image the driver chooses its layout. [`Transfer::parts`] cuts a
//! large box into parts that fit a staging buffer.

use crate::engine::arena::Piece;
use crate::engine::buffer::BufferInner;
use crate::engine::hazard::Access;
use crate::engine::image::{ImageInner, ImageRegion};
use ash::vk;
use smallvec::SmallVec;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

/// Size of a box: bytes of a row, rows of a slice, slices. None of them is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) row: u64,
    pub(crate) rows: u64,
    pub(crate) slices: u64,
}

impl Shape {
    /// One row.
    pub(crate) fn linear(size: u64) -> Self {
        Shape { row: size, rows: 1, slices: 1 }
    }

    pub(crate) fn size(self) -> u64 {
        self.row * self.rows * self.slices
    }
}

/// How the rows and slices of a box lie in linear memory: distances in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pitches {
    pub(crate) row: u64,
    pub(crate) slice: u64,
}

impl Pitches {
    /// No padding.
    pub(crate) fn packed(shape: Shape) -> Self {
        Pitches { row: shape.row, slice: shape.row * shape.rows }
    }

    /// Bytes from the start of a box to its end, with padding inside it.
    pub(crate) fn extent(self, shape: Shape) -> u64 {
        (shape.slices - 1) * self.slice + (shape.rows - 1) * self.row + shape.row
    }

    fn offset(self, x: u64, row: u64, slice: u64) -> u64 {
        slice * self.slice + row * self.row + x
    }

    /// The box as runs without gaps: length of a run, and the number of runs in a slice and of slices.
    fn runs(self, shape: Shape) -> (u64, u64, u64) {
        match (
            self.row == shape.row || shape.rows == 1,
            self.slice == shape.row * shape.rows || shape.slices == 1,
        ) {
            (true, true) => (shape.size(), 1, 1),
            (true, false) => (shape.row * shape.rows, 1, shape.slices),
            _ => (shape.row, shape.rows, shape.slices),
        }
    }

    /// Whether the box has no gaps.
    pub(crate) fn is_packed(self, shape: Shape) -> bool {
        self.runs(shape).0 == shape.size()
    }
}

/// The host's memory. Its maker guarantees that it is valid until the command that uses it is complete.
#[derive(Clone, Copy)]
pub(crate) struct HostMemory {
    pub(crate) pointer: NonNull<u8>,
    pub(crate) pitches: Pitches,
}

impl HostMemory {
    /// Where a part of the box begins.
    fn at(self, part: Part) -> Self {
        let offset = self.pitches.offset(part.x, part.row, part.slice) as usize;
        // SAFETY: inside the box, which lies in the memory that the maker vouches for.
        HostMemory { pointer: unsafe { self.pointer.add(offset) }, ..self }
    }
}

// SAFETY: a pointer to memory that the maker of the command vouches for, whatever thread runs it.
unsafe impl Send for HostMemory {}
// SAFETY: as above; nothing is accessed through a shared reference.
unsafe impl Sync for HostMemory {}

/// The device's memory.
#[derive(Clone)]
pub(crate) enum DeviceMemory {
    Buffer { buffer: Arc<BufferInner>, offset: u64, pitches: Pitches },
    Image { image: Arc<ImageInner>, region: ImageRegion },
}

/// A box that exists on both sides.
#[derive(Clone)]
pub(crate) struct Transfer {
    pub(crate) host: HostMemory,
    pub(crate) device: DeviceMemory,
    pub(crate) shape: Shape,
}

/// Where a part of a box begins, in bytes of a row, rows and slices, and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    x: u64,
    row: u64,
    slice: u64,
    shape: Shape,
}

/// The parts of a box, of at most `limit` bytes each, unless a row that cannot be split (a row of pixels) is
/// longer.
pub(crate) fn parts(shape: Shape, limit: u64, split_rows: bool) -> impl Iterator<Item = Part> {
    let slice_size = shape.row * shape.rows;
    let step = if slice_size <= limit {
        Shape { slices: (limit / slice_size).min(shape.slices), ..shape }
    } else if shape.row <= limit || !split_rows {
        Shape { rows: (limit / shape.row).clamp(1, shape.rows), slices: 1, ..shape }
    } else {
        Shape { row: limit, rows: 1, slices: 1 }
    };
    let along = |size: u64, step: u64| {
        (0..size.div_ceil(step)).map(move |index| (index * step, step.min(size - index * step)))
    };
    along(shape.slices, step.slices).flat_map(move |(slice, slices)| {
        along(shape.rows, step.rows).flat_map(move |(row, rows)| {
            along(shape.row, step.row).map(move |(x, bytes)| Part {
                x,
                row,
                slice,
                shape: Shape { row: bytes, rows, slices },
            })
        })
    })
}

impl Transfer {
    /// The parts of at most `limit` bytes each (a row of an image may have more).
    pub(crate) fn parts(&self, limit: u64) -> impl Iterator<Item = Transfer> {
        let split_rows = matches!(self.device, DeviceMemory::Buffer { .. });
        let whole = self.clone();
        parts(self.shape, limit, split_rows).map(move |part| whole.part(part))
    }

    fn part(&self, part: Part) -> Transfer {
        let device = match &self.device {
            DeviceMemory::Buffer { buffer, offset, pitches } => DeviceMemory::Buffer {
                buffer: Arc::clone(buffer),
                offset: offset + pitches.offset(part.x, part.row, part.slice),
                pitches: *pitches,
            },
            DeviceMemory::Image { image, region } => {
                let [x, y, z] = region.origin;
                let [width, ..] = region.extent;
                // Below the size of the image, which has 32 bits.
                let (row, slice) = (part.row as u32, part.slice as u32);
                let extent = [width, part.shape.rows as u32, part.shape.slices as u32];
                let region = ImageRegion { origin: [x, y + row, z + slice], extent, level: region.level };
                DeviceMemory::Image { image: Arc::clone(image), region }
            }
        };
        Transfer { host: self.host.at(part), device, shape: part.shape }
    }

    /// What the device accesses.
    pub(crate) fn access(&self, write: bool) -> Access {
        match &self.device {
            DeviceMemory::Buffer { buffer, offset, pitches } => {
                buffer.access(*offset..offset + pitches.extent(self.shape), write)
            }
            DeviceMemory::Image { image, .. } => image.access(write),
        }
    }

    /// The buffer, if the host can access its memory, with the place in it.
    pub(crate) fn direct(&self) -> Option<(&Arc<BufferInner>, u64, Pitches)> {
        match &self.device {
            DeviceMemory::Buffer { buffer, offset, pitches } if buffer.is_shared() => {
                Some((buffer, *offset, *pitches))
            }
            _ => None,
        }
    }

    /// Copies the box from the host to a staging buffer.
    ///
    /// # Safety
    /// `staging` has room for the box without padding, and nothing else accesses it.
    pub(crate) unsafe fn pack(&self, staging: NonNull<u8>) {
        let packed = Pitches::packed(self.shape);
        // SAFETY: both sides hold the box, the one by the caller's promise, the other by the maker's.
        unsafe { copy_box(self.host.pointer, self.host.pitches, staging, packed, self.shape) }
    }
}

/// A box in a staging buffer that is to go to the host.
pub(crate) struct Unpack {
    pub(crate) staging: Piece,
    pub(crate) host: HostMemory,
    pub(crate) shape: Shape,
}

impl Unpack {
    /// Copies it; the device must be done with the staging buffer.
    pub(crate) fn run(&self) {
        let packed = Pitches::packed(self.shape);
        // SAFETY: the staging buffer holds the box and nothing else uses it; the maker of the command vouches
        // for the host's side until the command is complete, which it is not yet.
        unsafe { copy_box(self.staging.pointer(), packed, self.host.pointer, self.host.pitches, self.shape) }
    }
}

/// Most threads that copy a box between two linear memories: a few use the whole memory bandwidth.
const COPYING_THREADS: u64 = 4;

/// Bytes that justify another thread: starting one takes a tenth of the time of copying this many.
const WORTH_A_THREAD: u64 = 1 << 20;

/// How many threads copy a box of this size.
fn copying_threads(size: u64) -> u64 {
    static PROCESSORS: OnceLock<u64> = OnceLock::new();
    let count = || std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    (size / WORTH_A_THREAD).min(COPYING_THREADS).min(*PROCESSORS.get_or_init(count)).max(1)
}

/// Copies a box between two linear memories, a large one by several threads.
///
/// # Safety
/// Both hold the box with these pitches, and nothing else accesses them. If they overlap without being the
/// same, the result is undefined. They may be the same because buffers may use the host's own memory.
pub(crate) unsafe fn copy_box(
    from: NonNull<u8>,
    source: Pitches,
    to: NonNull<u8>,
    destination: Pitches,
    shape: Shape,
) {
    let threads = copying_threads(shape.size());
    let from = HostMemory { pointer: from, pitches: source };
    let to = HostMemory { pointer: to, pitches: destination };
    if threads == 1 {
        // SAFETY: the caller's promise.
        return unsafe { copy_runs(from, to, shape) };
    }
    let mut parts = parts(shape, shape.size().div_ceil(threads), true);
    let own = parts.next();
    std::thread::scope(|scope| {
        for part in parts {
            // SAFETY: a part of the box, which no other thread copies.
            let copy = move || unsafe { copy_runs(from.at(part), to.at(part), part.shape) };
            let thread = std::thread::Builder::new().name("clvk copy".to_owned());
            if thread.spawn_scoped(scope, copy).is_err() {
                copy();
            }
        }
        if let Some(part) = own {
            // SAFETY: as above.
            unsafe { copy_runs(from.at(part), to.at(part), part.shape) };
        }
    });
}

/// Copies a box run by run.
///
/// # Safety
/// As for [`copy_box`].
unsafe fn copy_runs(from: HostMemory, to: HostMemory, shape: Shape) {
    let (a, b) = (from.pitches.runs(shape), to.pitches.runs(shape));
    let (length, rows, slices) = if a.0 <= b.0 { a } else { b };
    for slice in 0..slices {
        for row in 0..rows {
            let at = from.pitches.offset(0, row, slice) as usize;
            let into = to.pitches.offset(0, row, slice) as usize;
            // SAFETY: a run of a row, of a slice or of the box, which the caller says is there.
            unsafe {
                std::ptr::copy(from.pointer.as_ptr().add(at), to.pointer.as_ptr().add(into), length as usize);
            }
        }
    }
}

/// The copies that move a box between two buffers.
pub(crate) fn buffer_regions(
    (from, source): (u64, Pitches),
    (to, destination): (u64, Pitches),
    shape: Shape,
) -> SmallVec<[vk::BufferCopy; 1]> {
    let (a, b) = (source.runs(shape), destination.runs(shape));
    let (length, rows, slices) = if a.0 <= b.0 { a } else { b };
    let mut regions = SmallVec::new();
    for slice in 0..slices {
        for row in 0..rows {
            regions.push(vk::BufferCopy {
                src_offset: from + source.offset(0, row, slice),
                dst_offset: to + destination.offset(0, row, slice),
                size: length,
            });
        }
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of a box at these pitches, in order.
    fn bytes(memory: &[u8], pitches: Pitches, shape: Shape) -> Vec<u8> {
        let mut found = Vec::new();
        for slice in 0..shape.slices {
            for row in 0..shape.rows {
                let start = (slice * pitches.slice + row * pitches.row) as usize;
                found.extend_from_slice(&memory[start..start + shape.row as usize]);
            }
        }
        found
    }

    fn start_of(memory: &mut [u8]) -> NonNull<u8> {
        NonNull::new(memory.as_mut_ptr()).expect("vectors are somewhere")
    }

    #[test]
    fn boxes_keep_their_bytes_whatever_the_pitches() {
        let shape = Shape { row: 5, rows: 3, slices: 2 };
        let mut source: Vec<u8> = (0..200).collect();
        let all = [
            Pitches { row: 5, slice: 15 },
            Pitches { row: 5, slice: 40 },
            Pitches { row: 9, slice: 27 },
            Pitches { row: 9, slice: 50 },
        ];
        for from in all {
            for to in all {
                let mut destination = vec![0u8; 200];
                let (a, b) = (start_of(&mut source), start_of(&mut destination));
                // SAFETY: the vectors hold 200 bytes, more than any of the boxes.
                unsafe { copy_box(a, from, b, to, shape) };
                assert_eq!(bytes(&destination, to, shape), bytes(&source, from, shape), "{from:?} {to:?}");
                let mut regions = [0u8; 200];
                for region in buffer_regions((0, from), (3, to), shape) {
                    let (at, into, size) =
                        (region.src_offset as usize, region.dst_offset as usize, region.size as usize);
                    regions[into..into + size].copy_from_slice(&source[at..at + size]);
                }
                assert_eq!(bytes(&regions[3..], to, shape), bytes(&source, from, shape), "{from:?} {to:?}");
            }
        }
        assert_eq!(buffer_regions((0, all[0]), (0, all[0]), shape).len(), 1);
        assert_eq!(buffer_regions((0, all[0]), (0, all[1]), shape).len(), 2);
        assert_eq!(buffer_regions((0, all[0]), (0, all[2]), shape).len(), 6);
    }

    #[test]
    fn large_boxes_keep_their_bytes_too() {
        let mut source: Vec<u8> =
            (0..9 << 20).map(|index: u32| (index.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let linear = Shape::linear((9 << 20) - 5);
        let padded = Shape { row: 1000, rows: 1021, slices: 8 };
        let planes = Shape { row: 1000, rows: 3, slices: 2900 };
        for (shape, pitches) in [
            (linear, Pitches::packed(linear)),
            (padded, Pitches { row: 1024, slice: 1024 * 1022 }),
            (planes, Pitches { row: 1000, slice: 3002 }),
        ] {
            let mut destination = vec![0u8; 9 << 20];
            let (a, b) = (start_of(&mut source), start_of(&mut destination));
            // SAFETY: the vectors hold more than the boxes.
            unsafe { copy_box(a, pitches, b, Pitches::packed(shape), shape) };
            let size = shape.size() as usize;
            assert!(destination[..size] == bytes(&source, pitches, shape), "{shape:?}");
            assert!(destination[size..].iter().all(|&byte| byte == 0), "{shape:?}: written behind the box");
        }
    }

    #[test]
    fn parts_cover_a_box_once() {
        let shape = Shape { row: 7, rows: 5, slices: 3 };
        for limit in [1, 6, 7, 20, 34, 35, 36, 70, 105, 1000] {
            let mut seen = vec![0u8; shape.size() as usize];
            for part in parts(shape, limit, true) {
                assert!(part.shape.size() <= limit, "{part:?} has more than {limit} bytes");
                for slice in part.slice..part.slice + part.shape.slices {
                    for row in part.row..part.row + part.shape.rows {
                        for x in part.x..part.x + part.shape.row {
                            seen[((slice * 5 + row) * 7 + x) as usize] += 1;
                        }
                    }
                }
            }
            assert!(seen.iter().all(|&count| count == 1), "limit {limit}: {seen:?}");
        }
        assert!(parts(shape, 3, false).all(|part| part.shape.row == 7), "rows of images are kept whole");
    }
}
