//! Half and double precision.

use crate::Program;
use clvk_interface::{DeviceProfile, ScalarType};
use clvk_tests::case::{Argument, Case, Tolerance};
use clvk_tests::judge;
use clvk_tests::pipeline;
use clvk_tests::random::Random;
use half::f16;
use libtest_mimic::Failed;

const HALF: &str = include_str!("half.cl");
const DOUBLE: &str = include_str!("double.cl");

pub static ALL: &[Program] = &[
    Program::new("half-storage", HALF, storage),
    Program::new("half-arithmetic", HALF, arithmetic),
    Program::new("half-conversions", HALF, conversions),
    Program::new("half-rounding", HALF, rounding),
    Program::new("half-vectors", HALF, vectors),
    Program { name: "doubles", source: DOUBLE, case: doubles, needs: |profile| profile.float64 },
    Program {
        name: "double-vectors",
        source: DOUBLE,
        case: double_vectors,
        needs: |profile| profile.float64,
    },
];

const COUNT: usize = 65536;

fn every_half() -> Vec<u16> {
    (0..=u16::MAX).collect()
}

/// Results of arithmetic are compared as floats, so all NaNs are equal, and so are both zeros.
const NUMBERS: (Tolerance, &str) =
    (Tolerance::Float { absolute: 0.0, relative: 0.0 }, "half precision is correctly rounded");

fn storage() -> Case {
    let mut case = Case::new("half-storage", "");
    let halves = every_half();
    let loaded: Vec<f32> = halves.iter().map(|&half| f16::from_bits(half).to_f32()).collect();
    let input = case.input("in", ScalarType::U16, &halves);
    let a = case.output("loaded", ScalarType::F32, COUNT);
    let b = case.output("copied", ScalarType::U16, COUNT);
    let c = case.output("same", ScalarType::U16, COUNT);
    case.launch("storage", [COUNT], [64], [input, a, b, c].map(Argument::Resource).to_vec());
    case.expect(a, &loaded, NUMBERS.0, "every half is a float");
    case.expect(b, &halves, Tolerance::Exact, "bits are bits, of NaNs too");
    case.expect(c, &halves, Tolerance::Exact, "bits are bits, of NaNs too");
    case
}

/// An integer times 2^-48, correctly rounded.
fn rounded(scaled: i128) -> f16 {
    let magnitude = scaled.unsigned_abs();
    let extra = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let lost = magnitude & ((1 << extra) - 1) != 0;
    // Round to odd: 53 bits, with the last one set if more follow.
    let kept = (magnitude >> extra) as u64 | u64::from(lost);
    let value = kept as f64 * f64::from(extra).exp2() * (-48f64).exp2();
    f16::from_f64(if scaled < 0 { -value } else { value })
}

fn fused(a: f16, b: f16, c: f16) -> f16 {
    let plain = a.to_f64() * b.to_f64() + c.to_f64();
    let fixed = |value: f16| (value.to_f64() * 24f64.exp2()) as i128;
    if !plain.is_finite() || plain == 0.0 {
        return f16::from_f64(plain);
    }
    rounded(fixed(a) * fixed(b) + (fixed(c) << 24))
}

/// The bits of a half; all NaNs become one.
fn number(value: f16) -> u16 {
    if value.is_nan() { 0x7e00 } else { value.to_bits() }
}

fn arithmetic() -> Case {
    let mut case = Case::new("half-arithmetic", "");
    let a = every_half();
    let random = Random::new(16);
    // Partners of similar size, so that sums and quotients round in every way; and some of any size.
    let b: Vec<u16> = (0..COUNT)
        .map(|i| match i % 4 {
            0 => random.word(i) as u16,
            1 => (a[i] & 0xfc00).wrapping_sub(random.below(i, 0x1000) as u16) ^ 0x03ff,
            2 => a[i] ^ (random.word(i) as u16 & 0x03ff),
            _ => 0x3c00 + random.below(i, 0x400) as u16,
        })
        .collect();
    let (mut expected, mut ints) = (Vec::new(), Vec::new());
    for i in 0..COUNT {
        let (x, y, z) = (f16::from_bits(a[i]), f16::from_bits(b[i]), f16::from_bits(a[i ^ 1]));
        let (p, q) = (x.to_f64(), y.to_f64());
        let largest = if x.is_nan() || (!y.is_nan() && q > p) { y } else { x };
        let exact = [p + q, p - q, p * q, p / q, p.sqrt()].map(f16::from_f64);
        expected.extend(exact.map(f16::to_f32));
        expected.extend([fused(x, y, z), -x, largest].map(f16::to_f32));
        ints.push(
            i32::from(p < q) | i32::from(p <= q) << 1 | i32::from(p == q) << 2 | i32::from(p != q) << 3,
        );
    }
    let (a, b) = (case.input("a", ScalarType::U16, &a), case.input("b", ScalarType::U16, &b));
    let halves = case.output("results", ScalarType::U16, COUNT * 8);
    let out = case.output("floats", ScalarType::F32, COUNT * 8);
    let compared = case.output("compared", ScalarType::I32, COUNT);
    case.launch("arithmetic", [COUNT], [64], [a, b, halves, compared].map(Argument::Resource).to_vec());
    case.launch("widen", [COUNT * 8], [64], [halves, out].map(Argument::Resource).to_vec());
    case.expect(out, &expected, NUMBERS.0, NUMBERS.1);
    case.expect(compared, &ints, Tolerance::Exact, "comparisons are exact");
    case
}

fn conversions() -> Case {
    let mut case = Case::new("half-conversions", "");
    let expected: Vec<i32> = every_half()
        .into_iter()
        .flat_map(|half| {
            let value = f16::from_bits(half).to_f32();
            let int = if value.is_finite() { value as i32 } else { 0 };
            [int, i32::from(value as i8), i32::from(value as u8), i32::from(value as i16)]
        })
        .collect();
    let input = case.input("in", ScalarType::U16, &every_half());
    let out = case.output("out", ScalarType::I32, expected.len());
    case.launch("conversions", [COUNT], [64], [input, out].map(Argument::Resource).to_vec());
    case.expect(out, &expected, Tolerance::Exact, "conversions to integers are exact");
    case
}

/// The halves below and above a finite float; both are the float itself if it is a half.
fn neighbours(value: f32) -> (f16, f16) {
    let nearest = f16::from_f32(value);
    let step = |half: f16, up: bool| {
        let bits = half.to_bits();
        let away = (bits & 0x8000 == 0) == up;
        match (bits & 0x7fff, up) {
            (0, true) => f16::from_bits(1),
            (0, false) => f16::from_bits(0x8001),
            _ => f16::from_bits(if away { bits + 1 } else { bits - 1 }),
        }
    };
    match nearest.to_f32().partial_cmp(&value) {
        Some(std::cmp::Ordering::Less) => (nearest, step(nearest, true)),
        Some(std::cmp::Ordering::Greater) => (step(nearest, false), nearest),
        _ => (nearest, nearest),
    }
}

fn rounding() -> Case {
    let mut case = Case::new("half-rounding", "");
    let random = Random::new(17);
    let mut values: Vec<f32> = vec![65519.0, 65520.0, 65504.0, 65536.0, 1e30, 5.9e-8, 2.9e-8, 3.0e-8, 1e-20];
    // Halves, their neighbours, and the neighbours of the midpoints between them.
    for half in (0..0x7c00u16).step_by(7) {
        let (value, next) = (f16::from_bits(half).to_f32(), f16::from_bits(half + 1).to_f32());
        let middle = if next.is_finite() { (value + next) / 2.0 } else { 65520.0 };
        values.extend([value, value.next_up(), middle.next_down(), middle, middle.next_up()]);
    }
    values.retain(|value| *value == 0.0 || value.abs() >= f32::MIN_POSITIVE);
    let negative: Vec<f32> = values.iter().map(|value| -value).collect();
    values.extend(negative);
    while !values.len().is_multiple_of(64) || values.len() < 50_000 {
        let bits = random.word(values.len()) & 0x807f_ffff;
        values.push(f32::from_bits(bits | (100 + random.below(values.len() + 100_000, 50)) << 23));
    }
    values[0] = f32::INFINITY;
    values[1] = f32::NEG_INFINITY;
    let expected: Vec<u16> = values
        .iter()
        .flat_map(|&value| {
            let nearest = f16::from_f32(value);
            let (down, up) = if value.is_finite() { neighbours(value) } else { (nearest, nearest) };
            let zero = if value < 0.0 { up } else { down };
            // A number rounded toward zero keeps its sign.
            let signed = |half: f16| half.to_bits() | ((value.to_bits() >> 16) as u16 & 0x8000);
            [
                signed(nearest),
                signed(nearest),
                signed(zero),
                signed(up),
                signed(down),
                number(f16::from_f64(f64::from(value as i32))),
            ]
        })
        .collect();
    let input = case.input("in", ScalarType::F32, &values);
    let out = case.output("out", ScalarType::U16, expected.len());
    case.launch("rounding", [values.len()], [64], [input, out].map(Argument::Resource).to_vec());
    case.expect(out, &expected, Tolerance::Exact, "every rounding is exact");
    case
}

fn vectors() -> Case {
    let mut case = Case::new("half-vectors", "");
    let count = 64usize;
    let values: Vec<u16> = (0..count * 4).map(|i| f16::from_f32(i as f32 * 0.75 - 100.0).to_bits()).collect();
    let mut expected = vec![0xCDCDu16; count * 7];
    for i in 0..count * 4 {
        let swapped = f16::from_bits(values[i / 4 * 4 + 3 - i % 4]);
        expected[i] = f16::from_f32(swapped.to_f32() + (i % 4 + 1) as f32).to_bits();
    }
    expected[count * 4..].copy_from_slice(&values[..count * 3]);
    let input = case.input("in", ScalarType::U16, &values);
    let out = case.output("out", ScalarType::U16, expected.len());
    case.launch("vectors", [count], [32], [input, out].map(Argument::Resource).to_vec());
    case.expect(out, &expected, Tolerance::Exact, "vectors are lanes");
    case
}

fn some_doubles() -> Vec<f64> {
    let random = Random::new(18);
    let mut values =
        vec![0.0, -0.0, 1.0, -1.5, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, 1e18, -1e-5, 1e300];
    while values.len() < 1024 {
        let bits = random.bits(values.len()) & 0x800f_ffff_ffff_ffff;
        values.push(f64::from_bits(bits | u64::from(950 + random.below(values.len() + 5000, 150)) << 52));
    }
    values
}

fn doubles() -> Case {
    let mut case = Case::new("doubles", "");
    let a = some_doubles();
    let b: Vec<f64> = (0..a.len()).map(|i| a[(i * 7 + 3) % a.len()]).collect();
    let (mut expected, mut ints) = (Vec::new(), Vec::new());
    for (&x, &y) in a.iter().zip(&b) {
        expected.extend([x + y, x - y, x * y, -x, f64::from(x as f32), x + y]);
        let compared =
            i64::from(x < y) | i64::from(x <= y) << 1 | i64::from(x == y) << 2 | i64::from(x != y) << 3;
        ints.extend([compared, x.to_bits() as i64, if x.abs() < 9e18 { x as i64 } else { 0 }]);
    }
    let (x, y) = (case.input("a", ScalarType::F64, &a), case.input("b", ScalarType::F64, &b));
    let out = case.output("out", ScalarType::F64, expected.len());
    let integers = case.output("ints", ScalarType::I64, ints.len());
    case.launch("doubles", [a.len()], [64], [x, y, out, integers].map(Argument::Resource).to_vec());
    let exact = Tolerance::Float { absolute: 0.0, relative: 0.0 };
    case.expect(out, &expected, exact, "double precision is correctly rounded");
    case.expect(integers, &ints, Tolerance::Exact, "comparisons, bits and integers are exact");
    case
}

fn double_vectors() -> Case {
    let mut case = Case::new("double-vectors", "");
    let values: Vec<f64> = (0..256).map(|i| f64::from(i) * 0.1).collect();
    let expected: Vec<f64> = (0..256usize)
        .map(|i| {
            let other = if i % 4 == 3 { -5e9 } else { values[i / 4 * 3 + i % 4] };
            values[i / 4 * 4 + 3 - i % 4] + other
        })
        .collect();
    let input = case.input("in", ScalarType::F64, &values);
    let out = case.output("out", ScalarType::F64, 256);
    let k = Argument::value(-5_000_000_000i64);
    case.launch("double_vectors", [64], [32], vec![Argument::Resource(input), Argument::Resource(out), k]);
    case.expect(out, &expected, Tolerance::Exact, "double precision is correctly rounded");
    case
}

/// Without double precision on the device, both the type and the macro are absent.
pub fn double_is_absent() -> Result<(), Failed> {
    let profile = DeviceProfile { float64: false, ..DeviceProfile::preset("lavapipe-22.3")? };
    match pipeline::compile("double.cl", DOUBLE, &[], &profile) {
        Err(error @ clvk::Error::Source(_))
            if ["double", "cl_khr_fp64"].iter().all(|it| pipeline::messages(&error).contains(it)) => {}
        other => return Err(format!("double precision is not refused as such: {other:?}").into()),
    }
    let guarded = "#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)\n#error \"offered\"\n#endif\n\
        __kernel void k(__global int *x) { x[0] = 1; }";
    pipeline::compile("guarded.cl", guarded, &[], &profile)?;
    Ok(())
}

/// Operations on the bits of doubles work without 64-bit integers on the device.
pub fn bits_of_doubles() -> Result<(), Failed> {
    let profile = DeviceProfile { int64: false, ..DeviceProfile::preset("lavapipe-25.0")? };
    let source = "kernel void k(global double3 *x, global int *kind) {\n\
        int i = get_global_id(0);\n\
        kind[i] = isnan(x[i].x) + 2 * isinf(x[i].y) + 4 * signbit(x[i].z);\n\
        x[i] = copysign(exp(x[i]), fmod(x[i], 3.0)) + pow(x[i], x[i].zyx); }";
    let module = pipeline::compile("bits.cl", source, &[], &profile)?;
    judge::validate(&module, &profile)?;
    Ok(())
}
