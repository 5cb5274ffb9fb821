//! The speed of single math functions, for comparison with other OpenCL drivers: one case for each function
//! and type.

use crate::case::{Argument, Case, Definition, Size, Tolerance, Work};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const GROUP: usize = 256;

/// The number of different inputs; longer buffers repeat them.
const INPUTS: usize = 4096;

/// What a case measures.
struct Speed {
    name: &'static str,
    function: &'static str,
    /// The second argument, if there is one.
    second: Option<f64>,
    double: bool,
    /// Range of the inputs; 2 may be added to them.
    low: f32,
    high: f32,
    reference: fn(f64) -> f64,
}

macro_rules! speeds {
    ($($module:ident: $name:literal, $function:literal, $second:expr, $double:literal, $low:literal, $high:literal, $reference:expr;)*) => {
        $(mod $module {
            pub fn build(size: super::Size) -> super::Case {
                super::build(&super::Speed {
                    name: $name, function: $function, second: $second, double: $double,
                    low: $low, high: $high, reference: $reference,
                }, size)
            }
        })*
        /// A case for each function and type.
        pub const ALL: &[Definition] = &[$(Definition { name: $name, build: $module::build }),*];
    };
}

speeds! {
    sin_float: "sin_float", "sin", None, false, -30.0, 30.0, libm::sin;
    cos_float: "cos_float", "cos", None, false, -30.0, 30.0, libm::cos;
    tan_float: "tan_float", "tan", None, false, -0.7, -0.6, libm::tan;
    exp_float: "exp_float", "exp", None, false, -2.0, 2.0, libm::exp;
    exp2_float: "exp2_float", "exp2", None, false, -2.0, 2.0, libm::exp2;
    log_float: "log_float", "log", None, false, 2.0, 50.0, libm::log;
    log2_float: "log2_float", "log2", None, false, 2.0, 50.0, libm::log2;
    pow_float: "pow_float", "pow", Some(1.75), false, 0.5, 4.0, |x| libm::pow(x, 1.75);
    sqrt_float: "sqrt_float", "sqrt", None, false, 0.5, 50.0, libm::sqrt;
    rsqrt_float: "rsqrt_float", "rsqrt", None, false, 0.5, 50.0, |x| 1.0 / libm::sqrt(x);
    erf_float: "erf_float", "erf", None, false, -3.0, 3.0, libm::erf;
    tgamma_float: "tgamma_float", "tgamma", None, false, 1.0, 5.0, libm::tgamma;
    atan2_float: "atan2_float", "atan2", Some(0.625), false, -3.0, 3.0, |x| libm::atan2(x, 0.625);
    sin_double: "sin_double", "sin", None, true, -30.0, 30.0, libm::sin;
    cos_double: "cos_double", "cos", None, true, -30.0, 30.0, libm::cos;
    exp_double: "exp_double", "exp", None, true, -2.0, 2.0, libm::exp;
    exp2_double: "exp2_double", "exp2", None, true, -2.0, 2.0, libm::exp2;
    log_double: "log_double", "log", None, true, 2.0, 50.0, libm::log;
    log2_double: "log2_double", "log2", None, true, 2.0, 50.0, libm::log2;
    pow_double: "pow_double", "pow", Some(1.75), true, 0.5, 4.0, |x| libm::pow(x, 1.75);
    sqrt_double: "sqrt_double", "sqrt", None, true, 0.5, 50.0, libm::sqrt;
    rsqrt_double: "rsqrt_double", "rsqrt", None, true, 0.5, 50.0, |x| 1.0 / libm::sqrt(x);
    erf_double: "erf_double", "erf", None, true, -3.0, 3.0, libm::erf;
    tgamma_double: "tgamma_double", "tgamma", None, true, 1.0, 5.0, libm::tgamma;
    atan2_double: "atan2_double", "atan2", Some(0.625), true, -3.0, 3.0, |x| libm::atan2(x, 0.625);
}

fn build(speed: &Speed, size: Size) -> Case {
    let count = size.pick(INPUTS, 1 << if speed.double { 20 } else { 22 });
    let steps = size.pick(16u32, 256);
    let random = Random::new(1);
    // Multiples of 2^-10, so that sums with the steps are exact.
    let input = |index: usize| (random.between(index, speed.low, speed.high) * 1024.0).round() / 1024.0;
    let sums = generate(INPUTS, |index| {
        (0..steps)
            .map(|step| (speed.reference)(f64::from(input(index)) + f64::from(step) * 0.007_812_5))
            .sum::<f64>()
    });
    let kind = if speed.double { "double" } else { "float" };
    let mut case = Case::new(speed.name, "math_speed/math_speed.cl");
    case.options = vec![format!("-DTYPE={kind}"), format!("-DFUNCTION={}", speed.function)];
    case.options.extend(speed.second.map(|second| format!("-DSECOND={second}")));
    let reason = "some units in the last place of each of the summands, and of the sum";
    let tolerance = |epsilon: f64| Tolerance::Float {
        absolute: f64::from(steps) * 8.0 * epsilon,
        relative: f64::from(steps) * epsilon,
    };
    let (input_id, output_id) = if speed.double {
        let data = generate(count, |index| f64::from(input(index % INPUTS)));
        (case.input("in", ScalarType::F64, &data), case.output("out", ScalarType::F64, count))
    } else {
        let data = generate(count, |index| input(index % INPUTS));
        (case.input("in", ScalarType::F32, &data), case.output("out", ScalarType::F32, count))
    };
    let arguments =
        vec![Argument::Resource(input_id), Argument::Resource(output_id), Argument::value(steps as i32)];
    case.launch("math_speed", [count], [GROUP], arguments);
    if speed.double {
        let expected = generate(count, |index| sums[index % INPUTS]);
        case.expect(output_id, &expected, tolerance(f64::EPSILON), reason);
    } else {
        let expected = generate(count, |index| sums[index % INPUTS] as f32);
        case.expect(output_id, &expected, tolerance(f64::from(f32::EPSILON)), reason);
    }
    case.work = Work { bytes: 0, operations: count as u64 * u64::from(steps) };
    case
}
