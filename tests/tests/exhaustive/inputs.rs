//! The values on which the tests run. For types of 8 and 16 bits these are all values; for the others the
//! edges, the values around midpoints between numbers of narrower types, and random ones.

use crate::number::{Class, Kind};
use clvk_tests::random::Random;

/// The number of values of types that are too large to try all; a whole number of work-groups.
pub const SAMPLES: usize = 8192;

/// The bits of the values, in the type's size.
pub fn of(kind: Kind) -> Vec<u64> {
    let mut values = match kind.class {
        _ if kind.bits <= 16 => return small(kind),
        Class::Float(_) => float_edges(kind),
        _ => integer_edges(),
    };
    let random = Random::new(u64::from(kind.bits));
    while values.len() < SAMPLES {
        let index = values.len();
        let bits = random.bits(index);
        values.push(match (kind.class, index % 4) {
            (Class::Float(_), 0) => bits,
            (Class::Float(_), part) => ordinary(kind, bits, random.below(index, 100), part),
            (_, 0) => bits,
            (_, part) => near_middle(bits, random.below(index, 64), part),
        });
    }
    assert!(values.len() == SAMPLES, "{} edges of {}", values.len(), kind.name);
    values.iter().map(|value| value & kind.mask()).collect()
}

/// All values, edges first, because some kernels look only at the first ones.
fn small(kind: Kind) -> Vec<u64> {
    let all = 1u64 << kind.bits;
    // An odd factor permutes them. Some bytes repeat: the longest vectors of a work-group take more.
    let mut values: Vec<u64> = (0..all.max(1024)).map(|value| value * 0x4cd % all).collect();
    if kind.bits == 16 {
        let edges = [
            0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x7e00, 0x7fff, 0x8000, 0x8001, 0xfbff, 0xfc00,
            0xffff,
        ];
        for (place, edge) in edges.into_iter().enumerate() {
            let other = values.iter().position(|&value| value == edge).expect("all are there");
            values.swap(place, other);
        }
    }
    values
}

fn integer_edges() -> Vec<u64> {
    let mut edges = vec![0, u64::MAX];
    for bit in 0..64 {
        let power = 1u64 << bit;
        edges.extend([power, power - 1, power + 1]);
        edges.extend([power, power - 1, power + 1].map(u64::wrapping_neg));
    }
    edges
}

/// An integer whose bits below the precision of a format are those of a midpoint between two numbers, or next
/// to it.
fn near_middle(bits: u64, length: u32, part: usize) -> u64 {
    let digits = [11, 24, 53][part - 1];
    let value = bits >> length;
    let width = 64 - value.leading_zeros();
    if width <= digits + 1 {
        return value;
    }
    let rest = width - digits;
    let middle = (value >> rest << rest) | 1 << (rest - 1);
    let near = middle.wrapping_add((bits & 3).wrapping_sub(1));
    if bits & 4 == 0 { near } else { near.wrapping_neg() }
}

fn float_edges(kind: Kind) -> Vec<u64> {
    // The limits of the integer types and of the other formats, with the numbers around them.
    let mut centres = vec![0.0f64, 0.5, 1.0, 1.5, 2.5, 3.5];
    for bit in [7, 8, 15, 16, 23, 24, 31, 32, 53, 63, 64] {
        let power = 2f64.powi(bit);
        centres.extend([power, power - 1.0, power - 0.5, power + 0.5, power + 1.0]);
    }
    centres.extend([65504.0, 65519.0, 65520.0, 65536.0]);
    centres.extend([-14, -24, -25, -26, -126, -149, -150, -151].map(|power| 2f64.powi(power)));
    centres.extend([f64::from(f32::MAX), f64::from(f32::MAX) * (1.0 + 2f64.powi(-25)), 2f64.powi(128)]);
    let single = kind.bits == 32;
    let bits = |value: f64| if single { u64::from((value as f32).to_bits()) } else { value.to_bits() };
    let sign = 1 << (kind.bits - 1);
    let mut edges = Vec::new();
    for centre in centres {
        let centre = bits(centre);
        for near in [centre, centre + 1, centre.saturating_sub(1)] {
            edges.extend([near, near | sign]);
        }
    }
    let infinity = bits(f64::INFINITY);
    for special in [infinity, infinity + 1, infinity - 1, bits(f64::NAN), 1] {
        edges.extend([special, special | sign]);
    }
    edges
}

/// A number between 2^-30 and 2^70; in two of three cases next to the midpoint between two numbers of a
/// narrower format or between two integers.
fn ordinary(kind: Kind, bits: u64, exponent: u32, part: usize) -> u64 {
    let Class::Float(format) = kind.class else { unreachable!("called for floating-point types") };
    let fraction_bits = format.digits - 1;
    let bias = (kind.mask() >> 1 >> fraction_bits) / 2;
    let exponent = u64::from(exponent) + bias - 30;
    let mut fraction = bits & ((1 << fraction_bits) - 1);
    let unbiased = exponent as i64 - bias as i64;
    let kept = match part {
        1 => return sign(kind, bits) | exponent << fraction_bits | fraction,
        2 if kind.bits == 64 && bits & 8 == 0 => 23,
        2 => 10,
        _ => u32::try_from(unbiased).unwrap_or(0),
    };
    if kept < fraction_bits {
        let rest = fraction_bits - kept;
        fraction = (fraction >> rest << rest) | 1 << (rest - 1);
    }
    let near = (exponent << fraction_bits | fraction).wrapping_add(bits & 3).wrapping_sub(1);
    sign(kind, bits) | near
}

fn sign(kind: Kind, bits: u64) -> u64 {
    (bits >> 63) << (kind.bits - 1)
}
