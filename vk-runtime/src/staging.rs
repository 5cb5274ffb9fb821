//! Transfers between host memory and memory that the host does not reach.
//!
//! Data goes in pieces through a ring of staging buffers, so that copying on the host and copying by the device
//! overlap. The ring needs no book-keeping of its own: a piece is reused only after the submission that used it,
//! because host access to a buffer waits for that (see `buffer`).

use crate::batch::Op;
use crate::buffer::BufferInner;
use crate::device::Device;
use crate::error::Result;
use crate::handle::lock;
use crate::memory::MemoryUse;
use crate::queue::submit;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of one staging buffer.
pub(crate) const CHUNK: usize = 8 << 20;

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
            device.create_buffer("a staging buffer", CHUNK as u64, self.purpose)?
        } else {
            self.chunks.pop_front().expect("the ring is full")
        };
        self.chunks.push_back(Arc::clone(&chunk));
        Ok(chunk)
    }
}

/// Pieces of `length` bytes that fit a staging buffer and hold whole granules.
fn pieces(length: usize, granule: usize) -> impl Iterator<Item = Range<usize>> {
    assert!((1..=CHUNK).contains(&granule), "a granule of {granule} bytes does not fit a staging buffer");
    let step = CHUNK / granule * granule;
    (0..length).step_by(step).map(move |start| start..length.min(start + step))
}

/// Sends `data` to the device; `operation` copies a range of it from the start of a staging buffer.
///
/// Returns when `data` may be reused, not when the device has copied it.
pub(crate) fn upload(
    device: &Device,
    data: &[u8],
    granule: usize,
    operation: impl Fn(&Arc<BufferInner>, Range<usize>) -> Op,
) -> Result<()> {
    let mut ring = lock(&device.shared.upload);
    for range in pieces(data.len(), granule) {
        let chunk = ring.next(device)?;
        chunk.write_mapped(0, &data[range.clone()], device.timeout())?;
        submit(device, vec![operation(&chunk, range)], false)?;
    }
    Ok(())
}

/// Fetches `data` from the device; `operation` copies a range of it to the start of a staging buffer.
pub(crate) fn download(
    device: &Device,
    data: &mut [u8],
    granule: usize,
    operation: impl Fn(&Arc<BufferInner>, Range<usize>) -> Op,
) -> Result<()> {
    let mut ring = lock(&device.shared.download);
    let mut copying: VecDeque<(Arc<BufferInner>, Range<usize>)> = VecDeque::new();
    for range in pieces(data.len(), granule) {
        if copying.len() == CHUNKS
            && let Some((chunk, range)) = copying.pop_front()
        {
            chunk.read_mapped(0, &mut data[range], device.timeout())?;
        }
        let chunk = ring.next(device)?;
        submit(device, vec![operation(&chunk, range.clone())], false)?;
        copying.push_back((chunk, range));
    }
    for (chunk, range) in copying {
        chunk.read_mapped(0, &mut data[range], device.timeout())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, pieces};

    #[test]
    fn pieces_cover_everything_and_keep_granules_whole() {
        let granule = 1000;
        let all: Vec<_> = pieces(3 * CHUNK, granule).collect();
        assert_eq!(all.first().unwrap().start, 0);
        assert_eq!(all.last().unwrap().end, 3 * CHUNK);
        for pair in all.windows(2) {
            assert_eq!(pair[0].end, pair[1].start);
            assert!(pair[0].len() <= CHUNK && pair[0].len().is_multiple_of(granule));
        }
        assert_eq!(pieces(0, 1).count(), 0);
        assert_eq!(pieces(CHUNK + 1, 1).count(), 2);
    }
}
