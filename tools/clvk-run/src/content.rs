//! What buffers hold at first that is not read from a file.

use crate::argument::Literal;
use crate::failure::{Failure, Result};
use crate::number::ElementType;
use clvk::Buffer;
use clvk::interface::ScalarType;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The first contents of a buffer.
pub enum Content<'a> {
    /// Zeros.
    Zero,
    /// A value, again and again.
    Value(&'a Literal),
    /// Random values of this seed.
    Random(u64),
}

impl Content<'_> {
    /// Writes it to a buffer of elements of a type; `name` is the parameter's, for messages.
    pub fn write(&self, buffer: &Buffer, element: ElementType, name: &str) -> Result<()> {
        match self {
            Content::Zero => Ok(buffer.fill(0)?),
            Content::Value(value) => fill(buffer, value, element, name),
            Content::Random(seed) => {
                let mut random = ChaCha8Rng::seed_from_u64(*seed);
                write_parts(buffer, |part| randomize(part, &mut random, element.scalar))
            }
        }
    }
}

/// Fills a buffer with one value.
fn fill(buffer: &Buffer, value: &Literal, element: ElementType, name: &str) -> Result<()> {
    let numbers = value.numbers().expect("structures were refused when the argument was read");
    let mut bytes = Vec::new();
    for number in numbers {
        let lane = number
            .to_bytes(element.scalar)
            .map_err(|reason| Failure::usage(format!("{name} cannot be filled with {value}: {reason}")))?;
        bytes.extend(lane);
    }
    if numbers.len() > 1 {
        // A vector of three lanes is as large as one of four.
        bytes.resize(element.size().expect("elements have a size") as usize, 0);
    }
    let words: Vec<u8> = bytes.iter().copied().cycle().take(bytes.len().max(4)).collect();
    match words
        .chunks_exact(4)
        .map(|word| [word[0], word[1], word[2], word[3]])
        .collect::<Vec<_>>()
        .as_slice()
    {
        [word, rest @ ..] if rest.iter().all(|other| other == word) => {
            Ok(buffer.fill(u32::from_le_bytes(*word))?)
        }
        _ => write_parts(buffer, |part| {
            for (byte, value) in part.iter_mut().zip(bytes.iter().cycle()) {
                *byte = *value;
            }
        }),
    }
}

/// Bytes that the host makes at a time: a multiple of every scalar's size.
const PART: u64 = 16 << 20;

/// Writes a buffer from its start to its end; `make` gives the bytes of each part.
fn write_parts(buffer: &Buffer, mut make: impl FnMut(&mut [u8])) -> Result<()> {
    let mut part = vec![0; buffer.size().min(PART) as usize];
    for offset in (0..buffer.size()).step_by(PART as usize) {
        let bytes = &mut part[..(buffer.size() - offset).min(PART) as usize];
        make(bytes);
        buffer.write(offset, bytes)?;
    }
    Ok(())
}

/// Random values: floats in [0, 1), integers over their whole range. The same seed gives the same values
/// everywhere.
fn randomize(bytes: &mut [u8], random: &mut ChaCha8Rng, scalar: ScalarType) {
    let unit = |random: &mut ChaCha8Rng| (random.next_u32() >> 8) as f32 / 16_777_216.0;
    match scalar {
        ScalarType::F16 => {
            for chunk in bytes.chunks_exact_mut(2) {
                // Eleven bits, so that no value rounds up to 1.
                let value = (random.next_u32() >> 21) as f32 / 2048.0;
                chunk.copy_from_slice(&half::f16::from_f32(value).to_le_bytes());
            }
        }
        ScalarType::F32 => {
            for chunk in bytes.chunks_exact_mut(4) {
                chunk.copy_from_slice(&unit(random).to_le_bytes());
            }
        }
        ScalarType::F64 => {
            for chunk in bytes.chunks_exact_mut(8) {
                let value = (random.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0;
                chunk.copy_from_slice(&value.to_le_bytes());
            }
        }
        _ => random.fill_bytes(bytes),
    }
}
