//! The inputs of a function: edges, and a random sample over all exponents.

use crate::number::{Format, power_of_two};
use crate::subject::{Slot, Subject};
use clvk_interface::fnv1a;
use clvk_tests::random::Random;

/// An argument, or one lane of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Real(f64),
    Int(i64),
}

/// The arguments of one call: parameter by parameter, lane by lane.
pub type Call = Vec<Value>;

/// The calls on which a function is measured: `samples` random ones, and the edges; for a function of one
/// argument all half-precision numbers.
pub fn calls(subject: &Subject, samples: usize) -> Vec<Call> {
    let mut calls = edges(subject);
    let random = Sampler { random: Random::new(fnv1a(subject.label().as_bytes())), subject };
    calls.extend((0..samples).map(|index| random.call(index)));
    calls
}

fn edges(subject: &Subject) -> Vec<Call> {
    let format = subject.format;
    match (subject.params.as_slice(), subject.lanes) {
        ([Slot::Real], 1) if format == Format::Half => {
            let numbers = (0..=u16::MAX).map(|bits| format.value(u64::from(bits)));
            // The device may change a signalling NaN into another NaN; one is enough.
            numbers.map(|value| vec![Value::Real(value)]).collect()
        }
        ([Slot::Real], 1) => {
            let mut numbers = short_list(format);
            numbers.extend(long_list(format));
            both_signs(numbers).into_iter().map(|value| vec![Value::Real(value)]).collect()
        }
        ([Slot::Code], 1) => (0..64).map(|bit| vec![Value::Int(1i64 << bit)]).collect(),
        ([Slot::Real, second], 1) => {
            let mut calls = Vec::new();
            for first in both_signs(short_list(format)) {
                for second in slot_edges(*second, format) {
                    calls.push(vec![Value::Real(first), second]);
                }
            }
            calls
        }
        // Each lane and argument separately: edges among random numbers.
        _ => {
            let random = Random::new(fnv1a(subject.label().as_bytes()) ^ 1);
            let lists: Vec<Vec<Value>> =
                subject.params.iter().map(|&slot| slot_edges(slot, format)).collect();
            let one = |call: usize| -> Call {
                (0..subject.arity())
                    .map(|position| {
                        let list = &lists[position / subject.lanes];
                        list[random.below(call * 64 + position, list.len() as u32) as usize]
                    })
                    .collect()
            };
            (0..1500).map(one).collect()
        }
    }
}

fn slot_edges(slot: Slot, format: Format) -> Vec<Value> {
    match slot {
        Slot::Real => both_signs(short_list(format)).into_iter().map(Value::Real).collect(),
        Slot::Int => {
            let mut list: Vec<i64> = vec![0, i64::from(i32::MIN), i64::from(i32::MAX), 0x7fff_ff80];
            for value in
                [1, 2, 3, 4, 5, 7, 10, 15, 16, 24, 25, 126, 127, 128, 149, 150, 151, 277, 1022, 1023, 1074]
            {
                list.extend([value, -value]);
            }
            list.extend([1075, 2098, 2200, 16_777_217, -16_777_217, 0x4000_0001, -0x4000_0001]);
            list.into_iter().map(Value::Int).collect()
        }
        Slot::Code => [0, 1, 2, 3, 0x5555, -1, i64::MIN].into_iter().map(Value::Int).collect(),
    }
}

/// A list with the negatives of its numbers.
fn both_signs(list: Vec<f64>) -> Vec<f64> {
    list.into_iter().flat_map(|value| [value, -value]).collect()
}

/// The edges of a format and a few plain numbers; short enough for all pairs.
fn short_list(format: Format) -> Vec<f64> {
    let least = format.neighbour(0.0, true);
    let normal = format.least_normal();
    let one = format.epsilon();
    let mut list =
        vec![0.0, least, 3.0 * least, format.neighbour(normal, false), normal, f64::NAN, f64::INFINITY];
    list.extend([format.largest(), format.largest() / 2.0 + least, format.neighbour(normal, true)]);
    list.extend([0.5, 1.0 - one / 2.0, 1.0, 1.0 + one, 1.5, 2.0, 2.5, 3.0, 10.0, 1.0 + 3.0 * one]);
    list.extend([std::f64::consts::PI, std::f64::consts::FRAC_1_SQRT_2, 0.25, 1e-3, 77.0]);
    list.extend([2.0 / one - 1.0, 1.0 / one + 1.0, 4.0 / one, normal.sqrt(), format.largest().sqrt()]);
    list.into_iter().map(|value| nearest(format, value)).collect()
}

/// The numbers at which reductions, series and results change, for functions of one argument.
fn long_list(format: Format) -> Vec<f64> {
    let mut list = Vec::new();
    // Multiples of quarter turns and of logarithms, integers and half-integers.
    for count in 1..200 {
        let count = f64::from(count);
        list.extend([count * std::f64::consts::FRAC_PI_4, count * std::f64::consts::LN_2 / 2.0]);
        list.extend([count, count + 0.5, count * 0.25, count / 128.0, 1.0 + count / 256.0]);
    }
    // Arguments at which exponentials, gamma and the error function overflow or vanish.
    list.extend([11.0898, 16.6355, 88.7228, 103.2789, 103.9721, 87.3365, 709.7827, 745.1332, 708.3964]);
    list.extend([
        128.0, 149.0, 150.0, 126.0, 1024.0, 1022.0, 1074.0, 1075.0, 38.5318, 45.1544, 308.2547, 323.3062,
    ]);
    list.extend([
        34.0, 35.04, 35.05, 36.0, 171.62, 171.63, 170.5, 9.19, 9.2, 9.3, 10.05, 10.06, 26.54, 27.22, 5.86,
        3.92,
    ]);
    list.extend([
        4.8, 5.06, 7.75, 1.4616321, 2.4024, 0.46875, 0.84375, 6.0, 28.0, 0.6, 0.9, 19.06, 9.01, 22.0,
    ]);
    // Roots of lgamma and of other functions' series.
    list.extend([
        2.457_024_738_220_800_6,
        2.747_682_646_727_413,
        3.143_580_888_349_980_4,
        0.293,
        0.414_213_562_373_095,
    ]);
    for exponent in -1074i32..1024 {
        if exponent % 7 == 0 || exponent.abs() < 64 {
            let power = power_of_two(exponent);
            list.extend([power, 1.5 * power]);
        }
    }
    // Numbers near 1, where logarithms cancel, and near multiples of quarter turns.
    for step in 0..12 {
        list.extend([1.0 + power_of_two(-step * 4), 1.0 - power_of_two(-step * 4 - 1)]);
    }
    list.extend([
        16_367_173.0 * 1.0,
        6_381_956_970_095_103.0 * power_of_two(797),
        5.319_372_648_326_541e255,
        1e22,
    ]);
    let representable = |value: f64| nearest(format, value);
    let mut around = Vec::new();
    for value in list.into_iter().map(representable).filter(|value| value.is_finite()) {
        around.extend([value, format.neighbour(value, true), format.neighbour(value, false)]);
    }
    around.sort_by(f64::total_cmp);
    around.dedup();
    around
}

/// The nearest number of a format; infinity beyond its range.
fn nearest(format: Format, value: f64) -> f64 {
    format.value(format.bits(value))
}

struct Sampler<'a> {
    random: Random,
    subject: &'a Subject,
}

impl Sampler<'_> {
    fn call(&self, index: usize) -> Call {
        let base = index * 64;
        let subject = self.subject;
        // The common magnitude of the arguments, if they have one.
        let common = self.exponent(base + 60, index);
        let mut call = Vec::with_capacity(subject.arity());
        for position in 0..subject.arity() {
            let at = base + 4 * position;
            call.push(match subject.params[position / subject.lanes] {
                Slot::Real => {
                    let exponent = match index % 4 {
                        0 => self.exponent(at + 1, index),
                        1 => common + self.random.below(at + 1, 3) as i32 - 1,
                        2 => common + self.random.below(at + 1, 60) as i32 - 30,
                        _ => self.random.below(at + 1, 24) as i32 - 16,
                    };
                    Value::Real(self.real(at, exponent))
                }
                Slot::Int => {
                    let bits = self.random.below(at + 1, 12);
                    Value::Int(i64::from(self.random.word(at) as i32 >> (31 - bits)))
                }
                Slot::Code => Value::Int(self.random.bits(at) as i64),
            });
        }
        call
    }

    /// Any exponent of the format, or one that most programs use.
    fn exponent(&self, at: usize, index: usize) -> i32 {
        let (low, high) = match (self.subject.format, index % 8 < 4) {
            (Format::Half, _) => (-24, 16),
            (Format::Single, true) => (-149, 128),
            (Format::Double, true) => (-1074, 1024),
            (_, false) => (-20, 12),
        };
        low + self.random.below(at, (high - low) as u32) as i32
    }

    fn real(&self, at: usize, exponent: i32) -> f64 {
        let format = self.subject.format;
        let bits = self.random.bits(at);
        let exponent = exponent.clamp(-1074, 1023);
        let mantissa = 1.0 + (bits >> 12) as f64 * power_of_two(-52);
        let value = nearest(format, mantissa * power_of_two(exponent));
        let value = if value.is_finite() { value } else { format.largest() };
        if bits & 1 == 0 { value } else { -value }
    }
}
