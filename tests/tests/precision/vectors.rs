//! The exact results of geometric functions and of blends.

use crate::exact::{Expected, Math};
use crate::subject::Subject;
use rug::Float;

/// The required result of a geometric function in each lane.
pub fn geometric(math: &Math, subject: &Subject, values: &[f64]) -> Option<Vec<Expected>> {
    let lanes = subject.lanes;
    let (first, second) = values.split_at(lanes.min(values.len()));
    let name = subject.name.strip_prefix("fast_").unwrap_or(subject.name);
    let fast = name != subject.name;
    Some(match name {
        "dot" => vec![dot(math, first, second)],
        "cross" => cross(math, first, second),
        "length" => vec![length(math, &exact(math, first), fast)],
        "distance" => {
            let differences: Vec<Float> = (first.iter().zip(second))
                .map(|(&a, &b)| Float::with_val(2300, a) - Float::with_val(2300, b))
                .collect();
            vec![length(math, &differences, fast)]
        }
        "normalize" => normalize(math, first, fast),
        _ => return None,
    })
}

fn exact(math: &Math, values: &[f64]) -> Vec<Float> {
    values.iter().map(|&value| Float::with_val(math.bits.max(64), value)).collect()
}

fn sum(math: &Math, products: &[(f64, f64)]) -> Float {
    let mut sum = Float::with_val(4400, 0);
    for &(a, b) in products {
        sum += Float::with_val(128, a) * Float::with_val(128, b);
    }
    Float::with_val(math.bits, sum)
}

/// The error is relative to the largest operand's square. Where that, or a sum of such squares, overflows,
/// any result is right.
fn relative(math: &Math, value: Float, operands: &[f64], units: f64) -> Expected {
    let largest = operands.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let square = largest * largest;
    if square * 16.0 >= math.format.largest() || operands.iter().any(|value| value.is_nan()) {
        return Expected::Free;
    }
    // Flushed products add to the error.
    Expected::Within(value, square * units * math.format.epsilon() + 8.0 * math.format.least_normal())
}

fn dot(math: &Math, a: &[f64], b: &[f64]) -> Expected {
    let products: Vec<(f64, f64)> = a.iter().copied().zip(b.iter().copied()).collect();
    let operands: Vec<f64> = a.iter().chain(b).copied().collect();
    relative(math, sum(math, &products), &operands, 2.0 * a.len() as f64 - 1.0)
}

fn cross(math: &Math, a: &[f64], b: &[f64]) -> Vec<Expected> {
    let mut lanes = Vec::new();
    for lane in 0..3 {
        let (next, after) = ((lane + 1) % 3, (lane + 2) % 3);
        let operands = [a[next], b[after], a[after], b[next]];
        let value = sum(math, &[(a[next], b[after]), (-a[after], b[next])]);
        let largest: Vec<f64> = a[..3].iter().chain(&b[..3]).copied().collect();
        let finite = operands.iter().all(|value| value.is_finite());
        lanes.push(if finite { relative(math, value, &largest, 3.0) } else { Expected::Free });
    }
    if a.len() == 4 {
        lanes.push(Expected::OneOf(vec![0.0]));
    }
    lanes
}

fn length(math: &Math, lanes: &[Float], fast: bool) -> Expected {
    let bits = math.bits + 64;
    let infinite = lanes.iter().any(Float::is_infinite);
    let nan = lanes.iter().any(Float::is_nan);
    if nan || infinite {
        // Whether a NaN counts beside an infinity is open.
        return if nan { Expected::Free } else { Expected::OneOf(vec![f64::INFINITY]) };
    }
    let mut square = Float::with_val(bits, 0);
    for lane in lanes {
        square += Float::with_val(bits, lane * lane);
    }
    // The fast form is the plain formula, whose squares may overflow and vanish.
    let outside = |bound: f64| square > bound;
    let tiny = |bound: f64| square < bound;
    if fast
        && (outside(math.format.largest() / 4.0) || tiny(math.format.least_normal() / math.format.epsilon()))
    {
        return if square.is_zero() { Expected::OneOf(vec![0.0]) } else { Expected::Free };
    }
    Expected::Near(Float::with_val(math.bits, square.sqrt()))
}

fn normalize(math: &Math, values: &[f64], fast: bool) -> Vec<Expected> {
    let all = |expected: Expected| vec![expected; values.len()];
    if values.iter().any(|value| value.is_nan()) {
        return all(if fast { Expected::Free } else { Expected::OneOf(vec![f64::NAN]) });
    }
    let infinite = values.iter().any(|value| value.is_infinite());
    if fast && (infinite || values.iter().all(|&value| value == 0.0)) {
        return all(Expected::Free);
    }
    let replaced: Vec<f64> = if infinite {
        values
            .iter()
            .map(|value| if value.is_infinite() { 1.0f64.copysign(*value) } else { 0.0 * value })
            .collect()
    } else {
        values.to_vec()
    };
    if replaced.iter().all(|&value| value == 0.0) {
        return replaced.iter().map(|&value| Expected::OneOf(vec![value])).collect();
    }
    let Expected::Near(length) = length(math, &exact(math, &replaced), fast) else {
        return all(Expected::Free);
    };
    replaced
        .iter()
        .map(|&value| match value == 0.0 {
            true => Expected::OneOf(vec![value]),
            false => Expected::Near(math.real(value) / &length),
        })
        .collect()
}

/// `mix` and `smoothstep`.
pub fn blend(math: &Math, name: &str, x: f64, y: f64, z: f64) -> Expected {
    let moderate = |bound: f64| [x, y, z].iter().all(|value| value.abs() <= bound);
    let (a, b, c) = (math.real(x), math.real(y), math.real(z));
    match name {
        // An absolute error is meaningful only for numbers of the order of 1.
        "mix" if moderate(8.0) && (0.0..=1.0).contains(&z) => {
            Expected::Within(&a + Float::with_val(math.bits, &b - &a) * &c, 1e-3)
        }
        "smoothstep" if moderate(1e9) && x < y && y - x > 1e-9 => {
            let t = Float::with_val(math.bits, &c - &a) / Float::with_val(math.bits, &b - &a);
            let t = t.clamp(&0, &1);
            let square = Float::with_val(math.bits, &t * &t);
            Expected::Within(square * (3 - 2 * t), 1e-5)
        }
        "mix" | "smoothstep" => Expected::Free,
        _ => panic!("`{name}` has no reference"),
    }
}
