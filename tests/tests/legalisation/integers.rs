//! Integers of 8, 16 and 64 bits.

use crate::Program;
use clvk_interface::ScalarType;
use clvk_tests::case::{Argument, Case, Tolerance};
use clvk_tests::random::Random;

const SOURCE: &str = include_str!("integers.cl");
const EXACT: (Tolerance, &str) = (Tolerance::Exact, "integers are exact");

pub static ALL: &[Program] = &[
    Program::new("bytes", SOURCE, bytes),
    Program::new("shorts", SOURCE, shorts),
    Program::new("longs", SOURCE, longs),
    Program::new("longs-by-constants", SOURCE, longs_by_constants),
    Program::new("long-vectors", SOURCE, long_vectors),
    Program::new("long-switch", SOURCE, long_switch),
    Program::new("long-to-float", SOURCE, long_to_float),
    Program::new("float-to-long", SOURCE, float_to_long),
];

macro_rules! unsigned_reference {
    ($name:ident, $ty:ty, $wide:ty) => {
        fn $name(a: $ty, b: $ty) -> [$ty; 16] {
            let bits = <$ty>::BITS;
            let d = b.max(1);
            let count = b as u32 % bits;
            [
                a.wrapping_add(b),
                a.wrapping_sub(b),
                a.wrapping_mul(b),
                a / d,
                a % d,
                a << count,
                a >> count,
                a.min(b),
                a.max(b),
                ((a as $wide * b as $wide) >> bits) as $ty,
                a.leading_zeros() as $ty,
                a.count_ones() as $ty,
                <$ty>::from(a < b) | <$ty>::from(a <= b) << 1 | <$ty>::from(a == b) << 2,
                a.wrapping_neg() ^ !b,
                a.max(b),
                a.rotate_left(count),
            ]
        }
    };
}

macro_rules! signed_reference {
    ($name:ident, $ty:ty, $wide:ty) => {
        fn $name(a: $ty, b: $ty) -> [$ty; 8] {
            let bits = <$ty>::BITS;
            let d = if b == 0 || (b == -1 && a == <$ty>::MIN) { 1 } else { b };
            [
                a / d,
                a % d,
                a >> (b as u32 % bits),
                a.min(b),
                a.max(b),
                ((a as $wide * b as $wide) >> bits) as $ty,
                <$ty>::from(a < b) | <$ty>::from(a <= b) << 1 | <$ty>::from(a != b) << 2,
                a.saturating_add(b),
            ]
        }
    };
}

unsigned_reference!(unsigned_8, u8, u32);
unsigned_reference!(unsigned_16, u16, u32);
unsigned_reference!(unsigned_64, u64, u128);
signed_reference!(signed_8, i8, i32);
signed_reference!(signed_16, i16, i32);
signed_reference!(signed_64, i64, i128);

/// Adds a launch over pairs of numbers, with its expected results.
fn pairs<T: bytemuck::NoUninit, const N: usize>(
    case: &mut Case,
    kernel: &'static str,
    element: ScalarType,
    pairs: &[(T, T)],
    reference: fn(T, T) -> [T; N],
) where
    [T; N]: bytemuck::NoUninit,
{
    let (a, b): (Vec<T>, Vec<T>) = pairs.iter().copied().unzip();
    let expected: Vec<T> = pairs.iter().flat_map(|&(a, b)| reference(a, b)).collect();
    let (a, b) = (case.input("a", element, &a), case.input("b", element, &b));
    let out = case.output(kernel, element, expected.len());
    let arguments = [a, b, out].map(Argument::Resource).to_vec();
    case.launch(kernel, [pairs.len()], [64], arguments);
    case.expect(out, &expected, EXACT.0, EXACT.1);
}

fn bytes() -> Case {
    let mut case = Case::new("bytes", "");
    let all: Vec<(u8, u8)> = (0..=u16::MAX).map(|pair| (pair as u8, (pair >> 8) as u8)).collect();
    pairs(&mut case, "unsigned_uchar", ScalarType::U8, &all, unsigned_8);
    let all: Vec<(i8, i8)> = all.iter().map(|&(a, b)| (a as i8, b as i8)).collect();
    pairs(&mut case, "signed_char", ScalarType::I8, &all, signed_8);
    case
}

/// All pairs of edges, then random numbers; a whole number of work-groups.
fn edge_pairs() -> Vec<(u64, u64)> {
    let mut edges = vec![0u64, 1, 2, 3, 5, 7, 10, 100, 1000, 0x5555_5555_5555_5555];
    for bit in [7, 8, 15, 16, 23, 24, 31, 32, 33, 47, 53, 62, 63] {
        let power = 1u64 << bit;
        edges.extend([power, power - 1, power + 1, power.wrapping_neg()]);
    }
    edges.push(u64::MAX);
    let mut pairs: Vec<(u64, u64)> = edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))).collect();
    let random = Random::new(64);
    let shifted = |index: usize| random.bits(index) >> random.below(index + 100_000, 64);
    while pairs.len() < 6144 {
        let index = pairs.len();
        pairs.push((shifted(2 * index), shifted(2 * index + 1)));
    }
    pairs
}

fn shorts() -> Case {
    let mut case = Case::new("shorts", "");
    let unsigned: Vec<(u16, u16)> = edge_pairs().iter().map(|&(a, b)| (a as u16, b as u16)).collect();
    pairs(&mut case, "unsigned_ushort", ScalarType::U16, &unsigned, unsigned_16);
    let signed: Vec<(i16, i16)> = unsigned.iter().map(|&(a, b)| (a as i16, b as i16)).collect();
    pairs(&mut case, "signed_short", ScalarType::I16, &signed, signed_16);
    case
}

fn longs() -> Case {
    let mut case = Case::new("longs", "");
    let unsigned = edge_pairs();
    pairs(&mut case, "unsigned_ulong", ScalarType::U64, &unsigned, unsigned_64);
    let signed: Vec<(i64, i64)> = unsigned.iter().map(|&(a, b)| (a as i64, b as i64)).collect();
    pairs(&mut case, "signed_long", ScalarType::I64, &signed, signed_64);
    case
}

fn longs_by_constants() -> Case {
    const UNSIGNED: [u64; 10] = [
        3,
        7,
        10,
        1_000_000_007,
        u32::MAX as u64,
        (1 << 32) + 1,
        u64::MAX >> 1,
        (1 << 63) + 1,
        u64::MAX,
        1 << 32,
    ];
    const SIGNED: [i64; 6] = [3, -7, 1000, -(1 << 32) - 1, i64::MAX, i64::MIN];
    let mut case = Case::new("longs-by-constants", "");
    let mut a: Vec<u64> = edge_pairs().iter().map(|pair| pair.0).collect();
    // Multiples and their neighbours, where an estimate goes wrong first.
    let multiples = UNSIGNED.iter().flat_map(|&by| (1..=64).map(move |n| u64::MAX / by / n * by));
    for (place, multiple) in
        a.iter_mut().skip(2000).zip(multiples.flat_map(|m| [m.wrapping_sub(1), m, m.wrapping_add(1)]))
    {
        *place = multiple;
    }
    let expected: Vec<u64> = a
        .iter()
        .flat_map(|&a| {
            let unsigned = UNSIGNED.iter().flat_map(move |by| [a / by, a % by]);
            let signed = SIGNED.iter().flat_map(move |&by| [a as i64 / by, a as i64 % by]);
            unsigned.chain(signed.map(|number| number as u64))
        })
        .collect();
    let count = a.len();
    let (a, out) =
        (case.input("a", ScalarType::U64, &a), case.output("out", ScalarType::U64, expected.len()));
    case.launch("by_constants", [count], [64], [a, out].map(Argument::Resource).to_vec());
    case.expect(out, &expected, EXACT.0, EXACT.1);
    case
}

fn long_vectors() -> Case {
    let mut case = Case::new("long-vectors", "");
    let (a, b): (Vec<u64>, Vec<u64>) = edge_pairs()[..1024].iter().copied().unzip();
    let expected: Vec<u64> = (0..a.len())
        .map(|i| {
            let (divisor, other) = (b[i] | 1, b[i / 4 * 4 + 3 - i % 4] | 1);
            (a[i] / divisor).wrapping_add((a[i] % divisor).wrapping_mul(other))
        })
        .collect();
    let (a, b) = (case.input("a", ScalarType::U64, &a), case.input("b", ScalarType::U64, &b));
    let out = case.output("out", ScalarType::U64, expected.len());
    case.launch("vectors_ulong", [256], [64], [a, b, out].map(Argument::Resource).to_vec());
    case.expect(out, &expected, EXACT.0, EXACT.1);
    case
}

fn long_switch() -> Case {
    let mut case = Case::new("long-switch", "");
    let values: Vec<i64> =
        (0..64).map(|i| [0, -1, 1 << 32, 1, 2, -(1 << 32), (1 << 32) + 1, 0xffff_ffff][i % 8]).collect();
    let expected: Vec<i64> = values
        .iter()
        .map(|&value| match value {
            0 => 10,
            -1 => 11,
            0x1_0000_0000 => 12,
            1 => 13,
            other => other,
        })
        .collect();
    let a = case.input("a", ScalarType::I64, &values);
    let out = case.output("out", ScalarType::I64, values.len());
    case.launch("choose", [64], [64], [a, out].map(Argument::Resource).to_vec());
    case.expect(out, &expected, EXACT.0, EXACT.1);
    case
}

/// The floats around an exact integer: rounded down, up, and to nearest even.
fn around(value: i128) -> (f32, f32, f32) {
    let nearest = value as f32;
    let exact = nearest as i128;
    let (below, above) = match exact.cmp(&value) {
        std::cmp::Ordering::Equal => (nearest, nearest),
        std::cmp::Ordering::Less => (nearest, nearest.next_up()),
        std::cmp::Ordering::Greater => (nearest.next_down(), nearest),
    };
    (below, above, nearest)
}

fn toward_zero(value: i128) -> f32 {
    let (below, above, _) = around(value);
    if value < 0 { above } else { below }
}

fn long_to_float() -> Case {
    let mut case = Case::new("long-to-float", "");
    let values: Vec<i64> = edge_pairs().iter().map(|&(a, b)| (a ^ b.rotate_left(32)) as i64).collect();
    let expected: Vec<f32> = values
        .iter()
        .flat_map(|&value| {
            let (signed, unsigned) = (i128::from(value), i128::from(value as u64));
            let (down, up, nearest) = around(signed);
            let (udown, uup, unearest) = around(unsigned);
            let (int, uint) = (i128::from(value as i32), i128::from(value as u32));
            [
                nearest,
                unearest,
                toward_zero(signed),
                up,
                down,
                udown,
                uup,
                udown,
                toward_zero(int),
                around(uint).1,
            ]
        })
        .collect();
    let a = case.input("a", ScalarType::I64, &values);
    let out = case.output("out", ScalarType::F32, expected.len());
    case.launch("to_float", [values.len()], [64], [a, out].map(Argument::Resource).to_vec());
    case.expect(out, &expected, EXACT.0, "rounding is exact");
    case
}

fn float_to_long() -> Case {
    let mut case = Case::new("float-to-long", "");
    let mut values =
        vec![0.0f32, -0.0, 0.5, -0.5, -0.99, 1.0, -1.0, 1.5, 4294967296.0, 4294967040.0, 9.1e18, -9.1e18];
    values.extend([
        1.7e19,
        1.0e30,
        -1.0e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        9.223372e18,
        -9.223372e18,
    ]);
    let random = Random::new(65);
    while values.len() < 4096 {
        let bits = random.word(values.len());
        // Exponents of numbers from 1/4 to 2^65.
        let exponent = 125 + random.below(values.len() + 100_000, 67);
        values.push(f32::from_bits(bits & 0x807f_ffff | exponent << 23));
    }
    let expected: Vec<i64> = values
        .iter()
        .flat_map(|&value| {
            [
                if value.abs() < 9.2e18 { value as i64 } else { 0 },
                if value > -1.0 && value < 1.8e19 { value as u64 as i64 } else { 0 },
                value as i64,
                value as u64 as i64,
            ]
        })
        .collect();
    let a = case.input("a", ScalarType::F32, &values);
    let out = case.output("out", ScalarType::I64, expected.len());
    case.launch("from_float", [values.len()], [64], [a, out].map(Argument::Resource).to_vec());
    case.expect(out, &expected, EXACT.0, EXACT.1);
    case
}
