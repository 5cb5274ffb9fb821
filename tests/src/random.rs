//! The generator of the inputs: the same values on every machine, each available without the previous ones.
//!
//! A value is SplitMix64's output function (Steele, Lea, Flood 2014) of the seed and the index, so several
//! threads can generate large inputs.

use std::num::NonZero;

/// A sequence of values chosen by a seed.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// The sequence for this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Random { seed: mix(seed.wrapping_mul(GOLDEN_GAMMA)) }
    }

    /// 64 random bits.
    #[must_use]
    pub fn bits(self, index: usize) -> u64 {
        mix(self.seed.wrapping_add((index as u64 + 1).wrapping_mul(GOLDEN_GAMMA)))
    }

    /// 32 random bits.
    #[must_use]
    pub fn word(self, index: usize) -> u32 {
        (self.bits(index) >> 32) as u32
    }

    /// An integer below `bound`.
    #[must_use]
    pub fn below(self, index: usize, bound: u32) -> u32 {
        ((u64::from(self.word(index)) * u64::from(bound)) >> 32) as u32
    }

    /// In `[0, 1)`, a multiple of 2⁻²⁴.
    #[must_use]
    pub fn unit(self, index: usize) -> f32 {
        (self.word(index) >> 8) as f32 / 16_777_216.0
    }

    /// In `[low, high)`, apart from rounding.
    #[must_use]
    pub fn between(self, index: usize, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit(index)
    }

    /// In `[-1, 1)`, a multiple of 2⁻²³.
    #[must_use]
    pub fn signed(self, index: usize) -> f32 {
        2.0 * self.unit(index) - 1.0
    }
}

const GOLDEN_GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

/// Below this number of elements, threads cost more than they save.
const ELEMENTS_WORTH_THREADS: usize = 1 << 14;

/// The values `make(0), make(1), …`, computed by all processors.
pub fn generate<T, F>(count: usize, make: F) -> Vec<T>
where
    T: Copy + Default + Send,
    F: Fn(usize) -> T + Sync,
{
    generate_rows(count, 1, |index, row| row[0] = make(index))
}

/// `count` rows of `width` values, each filled by `fill(index, row)`, computed by all processors.
pub fn generate_rows<T, F>(count: usize, width: usize, fill: F) -> Vec<T>
where
    T: Copy + Default + Send,
    F: Fn(usize, &mut [T]) + Sync,
{
    let mut values = vec![T::default(); count * width];
    let threads = if count * width < ELEMENTS_WORTH_THREADS {
        1
    } else {
        std::thread::available_parallelism().map_or(1, NonZero::get)
    };
    let rows_each = count.div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        for (part, rows) in values.chunks_mut((rows_each * width).max(1)).enumerate() {
            let fill = &fill;
            scope.spawn(move || {
                for (row, values) in rows.chunks_mut(width).enumerate() {
                    fill(part * rows_each + row, values);
                }
            });
        }
    });
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_a_seed_never_change() {
        let random = Random::new(1);
        assert_eq!(
            [random.word(0), random.word(1), random.word(1000)],
            [2_802_244_911, 3_011_683_077, 2_657_284_329]
        );
        assert!((0..1000).all(|i| (-1.0..1.0).contains(&random.signed(i)) && random.below(i, 7) < 7));
    }

    #[test]
    fn rows_come_in_order_whatever_thread_makes_them() {
        let rows = generate_rows(5000, 7, |index, row: &mut [usize]| {
            for (column, value) in row.iter_mut().enumerate() {
                *value = index * 7 + column;
            }
        });
        assert!(rows.iter().copied().eq(0..35_000));
    }
}
