//! Functions of one single-precision number, for all 2^32 numbers: the device judges itself against the
//! double-precision function, which the precision tests measure against exact results. A device that may
//! flush subnormal numbers may do so here.

use clvk_frontend::builtins::{Precision, rows};
use clvk_frontend::testing::ScalarKind;
use clvk_interface::ScalarType;
use clvk_tests::bench::Bench;
use clvk_tests::case::{Argument, Case};
use clvk_tests::run::Prepared;
use clvk_tests::{judge, pipeline};
use libtest_mimic::Failed;
use std::ops::Range;

/// The functions.
pub const FUNCTIONS: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2",
    "exp10", "expm1", "log", "log2", "log10", "log1p", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh",
    "tgamma",
];

/// The numbers that a work-item tries, and the work-items of a launch, which are limited because drivers have
/// time limits.
const STEP: usize = 256;
const COUNT: usize = 1 << 20;
const GROUP: usize = 64;

/// Counts the wrong results, and keeps the bits of an argument that gives one.
const SOURCE: &str = r"
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

// The exact value of a float's bits, even if subnormal.
double value_of(uint bits)
{
    uint magnitude = bits & 0x7fffffff;
    double value = magnitude < 0x800000 ? (double)magnitude * 0x1p-149 : fabs((double)as_float(bits));
    return (bits >> 31) != 0 ? -value : value;
}

// Whether a result is within the bound around the double-precision result.
bool is_right(uint result, double expected)
{
    bool is_nan = (result & 0x7fffffff) > 0x7f800000;
    if (isnan(expected) || is_nan) {
        return isnan(expected) && is_nan;
    }
    double magnitude = fabs(expected);
    int exponent = max((int)(as_ulong(magnitude) >> 52) - 1023, -126);
    double unit = as_double((ulong)(exponent - 23 + 1023) << 52);
    double bound = BOUND * unit;
    if ((result & 0x7fffffff) == 0x7f800000) {
        return (result >> 31) == (as_ulong(expected) >> 63) && magnitude + bound >= 0x1.ffffffp+127;
    }
    bool flushed = MAY_FLUSH && (result << 1) == 0 && magnitude < 0x1p-126 + bound;
    return flushed || fabs(value_of(result) - expected) <= bound;
}

kernel void every(uint first, global uint *wrong, global uint *example)
{
    uint base = first + (uint)get_global_id(0) * STEP;
    uint count = 0, last = 0;
    for (uint step = 0; step < STEP; ++step) {
        uint bits = base + step;
        uint result = as_uint(FUNCTION(as_float(bits)));
        bool right = is_right(result, FUNCTION(value_of(bits)));
        bool subnormal = (bits & 0x7fffffff) < 0x800000;
        if (!right && MAY_FLUSH && subnormal) {
            right = is_right(result, FUNCTION(value_of(bits & 0x80000000)));
        }
        count += right ? 0 : 1;
        last = right ? last : bits;
    }
    if (count != 0) {
        atomic_add(wrong, count);
        *example = last;
    }
}
";

/// The largest error that a function may have in units in the last place (OpenCL C §7.4).
fn bound(function: &str) -> f64 {
    let row = rows().find(|row| row.name == function).expect("it is a built-in function");
    match row.precision_in(ScalarKind::Float) {
        Precision::Ulp(bound) => bound,
        other => panic!("{function} has no bound in units in the last place: {other:?}"),
    }
}

/// Tries all numbers.
pub fn run(bench: &Bench, function: &str) -> Result<(), Failed> {
    let bound = bound(function);
    match wrong(bench, function, bound, 0..1 << 32)? {
        (0, _) => Ok(()),
        (count, example) => Err(format!(
            "{count} results of {function} are more than {bound} ulp off, among them that of {:e} ({example:#010x})",
            f32::from_bits(example)
        )
        .into()),
    }
}

/// Checks that a bound which no device meets is not met.
pub fn can_fail(bench: &Bench) -> Result<(), Failed> {
    let (count, _) = wrong(bench, "exp2", 0.4, 0x3f00_0000..0x4000_0000)?;
    if count == 0 { Err("no result of exp2 is said to be 0.4 ulp off".into()) } else { Ok(()) }
}

/// The number of results that are not within a bound, and the bits of an argument that gives one.
fn wrong(bench: &Bench, function: &str, bound: f64, numbers: Range<u64>) -> Result<(u32, u32), Failed> {
    let profile = bench.device.profile();
    let mut case = Case::new(function, "every.cl");
    case.options = vec![
        format!("-DFUNCTION={function}"),
        format!("-DBOUND={bound:?}"),
        format!("-DSTEP={STEP}"),
        format!("-DMAY_FLUSH={}", !profile.denorm_preserve_f32),
    ];
    let wrong = case.input("wrong", ScalarType::U32, &[0u32]);
    let example = case.input("example", ScalarType::U32, &[0u32]);
    for first in numbers.step_by(COUNT * STEP) {
        let arguments =
            vec![Argument::value(first as u32), Argument::Resource(wrong), Argument::Resource(example)];
        case.launch("every", [COUNT], [GROUP], arguments);
    }
    let module = pipeline::compile("every.cl", SOURCE, &case.options, profile)?;
    judge::validate(&module, profile)?;
    let word = |bytes: Vec<u8>| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let found = bench.exclusively(|| {
        let prepared = Prepared::new(&bench.device, &case, module)?;
        prepared.run()?;
        Ok((word(prepared.read(0)?), word(prepared.read(1)?)))
    })?;
    Ok(found)
}
