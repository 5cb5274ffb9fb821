//! SHA-256 of many messages.

use crate::case::{Argument, Case, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;
use std::sync::LazyLock;

const GROUP: usize = 128;
/// The most words of a message.
const WORDS: usize = 32;

pub fn build(size: Size) -> Case {
    let count = size.pick(1000, 1 << 23);
    let (random_length, random_word) = (Random::new(71), Random::new(72));
    // 0 to 119 bytes: one block or two, with every possible padding.
    let lengths = generate(count, |i| random_length.below(i, 120));
    let words: Vec<u32> = generate_rows(WORDS, count, |word, row: &mut [u32]| {
        for (i, value) in row.iter_mut().enumerate() {
            *value = random_word.word(i * WORDS + word);
        }
    });

    let mut case = Case::new("sha256", "sha256/sha256.cl");
    let words_id = case.input("words", ScalarType::U32, &words);
    let lengths_id = case.input("lengths", ScalarType::U32, &lengths);
    let digests_id = case.output("digests", ScalarType::U32, count * 8);
    case.launch(
        "sha256",
        [round_up(count, GROUP)],
        [GROUP],
        vec![
            Argument::Resource(words_id),
            Argument::Resource(lengths_id),
            Argument::value(count as u32),
            Argument::Resource(digests_id),
        ],
    );
    let digests: Vec<u32> = generate_rows(count, 8, |i, digest: &mut [u32]| {
        let bytes: Vec<u8> = (0..WORDS).flat_map(|word| words[word * count + i].to_le_bytes()).collect();
        digest.copy_from_slice(&hash(&bytes[..lengths[i] as usize]));
    });
    case.expect(digests_id, &digests, Tolerance::Exact, "a hash is right or wrong");
    let read: u64 = lengths.iter().map(|&length| u64::from(length.div_ceil(4) * 4)).sum();
    let blocks: u64 = lengths.iter().map(|&length| u64::from((length + 8) / 64 + 1)).sum();
    case.work = Work { bytes: read + 36 * count as u64, operations: blocks * 64 * 22 };
    case
}

/// SHA-256 of a message, as FIPS 180-4 §6.2 writes it: the whole schedule first, constants derived from
/// primes.
fn hash(message: &[u8]) -> [u32; 8] {
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize(round_up(padded.len() + 8, 64), 0);
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&(8 * message.len() as u64).to_be_bytes());

    let (mut state, constants) = *CONSTANTS;
    for block in padded.chunks_exact(64) {
        compress(&mut state, block, &constants);
    }
    state
}

/// The initial state and the round constants.
static CONSTANTS: LazyLock<([u32; 8], [u32; 64])> = LazyLock::new(|| {
    let primes: Vec<u32> = (2..312).filter(|n| (2..*n).all(|divisor| n % divisor != 0)).collect();
    (
        std::array::from_fn(|i| fraction_of_root(primes[i], 2)),
        std::array::from_fn(|i| fraction_of_root(primes[i], 3)),
    )
});

fn compress(state: &mut [u32; 8], block: &[u8], constants: &[u32; 64]) {
    let mut schedule = [0u32; 64];
    for (word, bytes) in schedule.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_be_bytes(bytes.try_into().expect("four bytes"));
    }
    for t in 16..64 {
        let (before, last) = (schedule[t - 15], schedule[t - 2]);
        let sigma0 = before.rotate_right(7) ^ before.rotate_right(18) ^ (before >> 3);
        let sigma1 = last.rotate_right(17) ^ last.rotate_right(19) ^ (last >> 10);
        schedule[t] =
            schedule[t - 16].wrapping_add(sigma0).wrapping_add(schedule[t - 7]).wrapping_add(sigma1);
    }
    let mut v = *state;
    for t in 0..64 {
        let [a, b, c, d, e, f, g, h] = v;
        let sum1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 =
            h.wrapping_add(sum1).wrapping_add(choice).wrapping_add(constants[t]).wrapping_add(schedule[t]);
        let sum0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        v = [t1.wrapping_add(sum0).wrapping_add(majority), a, b, c, d.wrapping_add(t1), e, f, g];
    }
    for (word, value) in state.iter_mut().zip(v) {
        *word = word.wrapping_add(value);
    }
}

/// The first 32 bits of the fractional part of the `degree`-th root of `n`.
fn fraction_of_root(n: u32, degree: u32) -> u32 {
    // The greatest r with r^degree <= n * 2^(32 * degree), bit by bit; roots of the first 64 primes are below
    // 2^5.
    let target = u128::from(n) << (32 * degree);
    let root = (0..37).rev().fold(0u128, |root, bit| {
        let next = root | 1 << bit;
        if next.pow(degree) <= target { next } else { root }
    });
    root as u32
}

#[cfg(test)]
mod tests {
    use super::hash;

    #[test]
    fn the_reference_agrees_with_the_published_digests() {
        let hex = |message: &[u8]| hash(message).map(|word| format!("{word:08x}")).concat();
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(two_blocks), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    }
}
