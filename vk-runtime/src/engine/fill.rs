//! Patterns to fill memory with.

use crate::vulkan::error::{Error, Result};
use smallvec::SmallVec;

/// Longest pattern in bytes: a vector of 16 numbers of 8 bytes.
const LONGEST: usize = 128;

/// Bytes to repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    bytes: SmallVec<[u8; 16]>,
}

impl Pattern {
    /// A pattern for `size` bytes at `offset` of a buffer.
    pub(crate) fn of_buffer(bytes: &[u8], offset: u64, size: u64) -> Result<Self> {
        let length = bytes.len();
        if !length.is_power_of_two() || length > LONGEST {
            return Err(Error::Pattern(format!("it has {length} bytes, not 1, 2, 4, 8, … or {LONGEST}")));
        }
        if !offset.is_multiple_of(length as u64) || !size.is_multiple_of(length as u64) {
            return Err(Error::Pattern(format!(
                "the size {size} and the offset {offset} must be multiples of its length, {length} bytes"
            )));
        }
        Ok(Pattern { bytes: SmallVec::from_slice(bytes) })
    }

    /// A 32-bit word, little-endian.
    pub(crate) fn of_word(word: u32) -> Self {
        Pattern { bytes: SmallVec::from_slice(&word.to_le_bytes()) }
    }

    /// One pixel.
    pub(crate) fn of_image(bytes: &[u8], pixel: u32) -> Result<Self> {
        if bytes.len() != pixel as usize {
            return Err(Error::Pattern(format!("it has {} bytes, but a pixel has {pixel}", bytes.len())));
        }
        Ok(Pattern { bytes: SmallVec::from_slice(bytes) })
    }

    /// The 32-bit word that has the same effect at a multiple of 4, if there is one.
    pub(crate) fn word(&self) -> Option<u32> {
        let first: [u8; 4] = std::array::from_fn(|index| self.bytes[index % self.bytes.len()]);
        let repeats = self.bytes.len() < 4 || self.bytes.chunks_exact(4).all(|chunk| chunk == first);
        repeats.then(|| u32::from_ne_bytes(first))
    }

    /// The pattern repeated to `N` bytes, unless it is longer than that.
    pub(crate) fn repeated<const N: usize>(&self) -> Option<[u8; N]> {
        let fits = N.is_multiple_of(self.bytes.len());
        fits.then(|| std::array::from_fn(|index| self.bytes[index % self.bytes.len()]))
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Repeats it over memory, beginning with its first byte.
    pub(crate) fn repeat(&self, memory: &mut [u8]) {
        let mut done = self.bytes.len().min(memory.len());
        memory[..done].copy_from_slice(&self.bytes[..done]);
        while done < memory.len() {
            let next = done.min(memory.len() - done);
            memory.copy_within(..next, done);
            done += next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_patterns_and_repeated_words_are_words() {
        let word = |bytes: &[u8]| Pattern::of_buffer(bytes, 0, 0).unwrap().word().map(u32::to_ne_bytes);
        assert_eq!(word(&[7]), Some([7; 4]));
        assert_eq!(word(&[1, 2]), Some([1, 2, 1, 2]));
        assert_eq!(word(&[1, 2, 3, 4]), Some([1, 2, 3, 4]));
        assert_eq!(word(&[1, 2, 3, 4, 1, 2, 3, 4]), Some([1, 2, 3, 4]));
        assert_eq!(word(&[1, 2, 3, 4, 1, 2, 3, 5]), None);
    }

    #[test]
    fn patterns_repeat_from_their_first_byte() {
        for (length, size) in [(1, 0), (1, 1), (1, 1000), (4, 7), (8, 3), (16, 100), (128, 1000), (3, 50)] {
            let bytes: Vec<u8> = (1..=length).collect();
            let mut memory = vec![0; size];
            Pattern { bytes: SmallVec::from_slice(&bytes) }.repeat(&mut memory);
            let expected: Vec<u8> = bytes.into_iter().cycle().take(size).collect();
            assert_eq!(memory, expected, "{length} bytes over {size}");
        }
    }

    #[test]
    fn patterns_are_checked() {
        assert!(Pattern::of_buffer(&[0; 3], 0, 3).is_err());
        assert!(Pattern::of_buffer(&[], 0, 0).is_err());
        assert!(Pattern::of_buffer(&[0; 256], 0, 256).is_err());
        assert!(Pattern::of_buffer(&[0; 8], 4, 8).is_err());
        assert!(Pattern::of_buffer(&[0; 8], 8, 12).is_err());
        assert!(Pattern::of_image(&[0; 4], 16).is_err());
    }
}
