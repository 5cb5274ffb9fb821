//! The table of the memory that a launch may reach, for kernels that check each access (robust mode).
//!
//! The host makes the table for each launch. It begins with [`COUNT`] bytes of zeros, which out-of-bounds
//! loads read. The number of ranges, a 64-bit word, follows them. The ranges begin at [`FIRST_RANGE`];
//! each is a 64-bit start and a 64-bit length. The ranges of the arguments come first, in order, then those
//! of the implicit buffers, in the order of
//! [`KernelInterface::implicit_buffers`](crate::KernelInterface::implicit_buffers), then those of the buffers
//! that are reached through addresses in other buffers.
//!
//! A start is an address with physical addressing, and an offset into the descriptor with logical addressing.
//! Starts are rounded down and ends rounded up to whole 32-bit words, because small values may be read and
//! written through such words. A `__local` argument has start 0 and its own length. Null pointers and
//! arguments that are not memory have length 0.

/// Byte offset of the number of ranges, after zeros of the size of the largest access.
pub const COUNT: u32 = 32;

/// Byte offset of the first range.
pub const FIRST_RANGE: u32 = 64;

/// Size of a range in bytes.
pub const RANGE: u32 = 16;

/// The table of these ranges, given as starts and lengths.
pub fn table(ranges: impl ExactSizeIterator<Item = (u64, u64)>) -> impl Iterator<Item = u64> {
    const WORDS: usize = FIRST_RANGE as usize / 8;
    let mut head = [0; WORDS];
    head[COUNT as usize / 8] = ranges.len() as u64;
    head.into_iter().chain(ranges.flat_map(|(start, length)| {
        let (first, end) = (start & !3, start.saturating_add(length).saturating_add(3) & !3);
        if length == 0 { [0, 0] } else { [first, end - first] }
    }))
}

#[cfg(test)]
mod tests {
    #[test]
    fn ranges_are_whole_words_behind_the_count() {
        let words: Vec<u64> = super::table([(0x1006, 5), (7, 0)].into_iter()).collect();
        assert_eq!(words, [0, 0, 0, 0, 2, 0, 0, 0, 0x1004, 8, 0, 0]);
    }
}
