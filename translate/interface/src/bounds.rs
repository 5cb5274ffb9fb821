//! The table of what a launch may reach, for kernels that check each access (robust mode).
//!
//! The host makes it for each launch. It begins with [`ZEROS`] bytes of zeros, from which loads outside of
//! everything read; at [`COUNT`] is the number of ranges, a word of 64 bits; at [`FIRST_RANGE`] begin the
//! ranges, each a start and a length of 64 bits. First come those of the arguments, in order, then those of
//! the implicit buffers, in the order of
//! [`KernelInterface::implicit_buffers`](crate::KernelInterface::implicit_buffers), then those of the buffers
//! that are reached through addresses in other buffers.
//!
//! The start is an address with physical addressing and an offset in the descriptor with logical addressing;
//! starts are rounded down and ends rounded up to whole words of 32 bits, by which small values may be read
//! and written. A `__local` argument has the start 0 and its length. What is not memory, and a null pointer,
//! has no length.

/// Bytes of zeros at the start of the table: as many as the largest access has.
pub const ZEROS: u32 = 32;

/// Where the number of ranges is.
pub const COUNT: u32 = 32;

/// Where the first range is.
pub const FIRST_RANGE: u32 = 64;

/// Bytes of a range.
pub const RANGE: u32 = 16;

/// The table with these ranges: starts and lengths.
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
