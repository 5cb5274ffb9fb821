//! Damages SPIR-V modules instruction by instruction, so that much of the result is still well formed.
//!
//! Instructions are deleted, doubled, moved, and taken from other modules; ids are exchanged for others, and
//! words for numbers that are special somewhere. An empty input becomes one of the modules of
//! `tests/programs/spirv`, so a fuzzer needs no other seeds.

use crate::generator::choice::Choice;
use crate::{program, spirv};

/// Words of the header (SPIR-V §2.3).
const HEADER: usize = 5;

/// The modules of this repository, from which inputs are made.
#[derive(Debug)]
pub struct Modules {
    modules: Vec<Vec<u32>>,
}

impl Modules {
    /// The modules of at most this many bytes.
    ///
    /// # Panics
    /// If they cannot be read, or SPIRV-Tools is not installed.
    #[must_use]
    pub fn read(size: usize) -> Self {
        let programs = program::all().expect("the programs of this repository can be read");
        let texts = programs.into_iter().filter(|program| program.file.ends_with(".spvasm"));
        let modules = texts.map(|it| spirv::assemble(&it.text).expect("the modules are right"));
        let modules: Vec<Vec<u32>> = modules.filter(|words| 4 * words.len() < size).collect();
        assert!(!modules.is_empty(), "there are no seeds");
        Modules { modules }
    }

    /// An input similar to `input`, of at most `size` bytes; the same for the same seed.
    #[must_use]
    pub fn mutate(&self, input: &[u8], size: usize, seed: u64) -> Vec<u8> {
        let mut random = Choice::new(seed);
        let (selector, words) = match input.split_first() {
            Some((&selector, bytes)) if bytes.len() > 4 * HEADER && random.below(64) > 0 => {
                let words = bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word));
                (selector, words.collect())
            }
            _ => (random.below(256) as u8, random.pick(&self.modules).clone()),
        };
        let other = random.pick(&self.modules);
        let mut words = damaged(&words, other, &mut random);
        words.truncate((size - 1) / 4);
        [&[selector], spirv::bytes(&words).as_slice()].concat()
    }
}

/// The words of each instruction; what follows a wrong length is one piece.
fn instructions(words: &[u32]) -> Vec<Vec<u32>> {
    let (mut rest, mut pieces) = (words.get(HEADER..).unwrap_or_default(), Vec::new());
    while let Some(&first) = rest.first() {
        let length = ((first >> 16) as usize).max(1).min(rest.len());
        let (piece, tail) = rest.split_at(length);
        pieces.push(piece.to_vec());
        rest = tail;
    }
    pieces
}

fn damaged(words: &[u32], other: &[u32], random: &mut Choice) -> Vec<u32> {
    let mut pieces = instructions(words);
    let other = instructions(other);
    let bound = words.get(3).map_or(1, |&bound| (bound as usize).clamp(1, 1 << 16));
    for _ in 0..=random.below(4) {
        let at = random.below(pieces.len().max(1));
        let to = random.below(pieces.len().max(1));
        match random.below(8) {
            0 if !pieces.is_empty() => drop(pieces.remove(at)),
            1 if !pieces.is_empty() => pieces.insert(to, pieces[at].clone()),
            2 if !pieces.is_empty() => pieces.swap(at, to),
            3 => pieces.insert(to, random.pick(&other).clone()),
            4 => change(&mut pieces, at, random, |word, random| word ^ (1 << random.below(32))),
            5 => change(&mut pieces, at, random, |_, random| {
                *random.pick(&[0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 63, 64, 0x7FFF_FFFF, 0x8000_0000, u32::MAX])
            }),
            _ => change(&mut pieces, at, random, |_, random| random.below(bound) as u32 + 1),
        }
    }
    words.iter().take(HEADER).copied().chain(pieces.into_iter().flatten()).collect()
}

/// Changes a word of an instruction, seldom the first, which holds its length.
fn change(pieces: &mut [Vec<u32>], at: usize, random: &mut Choice, new: impl Fn(u32, &mut Choice) -> u32) {
    let Some(piece) = pieces.get_mut(at) else { return };
    let first = usize::from(piece.len() > 1 && random.below(16) > 0);
    let position = random.between(first, piece.len() - 1);
    piece[position] = new(piece[position], random);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::{Target, feed};

    #[test]
    fn inputs_keep_to_their_size_and_repeat_and_do_no_harm() {
        let modules = Modules::read(4096);
        let (mut input, mut read) = (Vec::new(), 0);
        for seed in 0..1500 {
            let next = modules.mutate(&input, 4096, seed);
            assert!(next.len() <= 4096 && next.len() % 4 == 1);
            assert_eq!(next, modules.mutate(&input, 4096, seed));
            feed(Target::Spirv, &next);
            read += usize::from(next.len() > 1 && clvk::SpirvModule::new("fuzzed.spv", &next[1..]).is_ok());
            // Damage adds up, but not so much that nothing is right any more.
            input = if seed % 8 == 0 { Vec::new() } else { next };
        }
        assert!((300..1400).contains(&read), "{read} of 1500 modules are read");
    }
}
