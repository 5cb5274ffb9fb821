//! Explicit conversions and casts between all types (OpenCL C §6.4): every rounding, with and without
//! saturation, scalars and vectors of every width, and constants, which the compiler converts.

use crate::inputs;
use crate::number::{Kind, Mode, pragmas};
use crate::{Device, Job};
use clvk_tests::case::{Argument, Case, ResourceKind, UNWRITTEN};
use std::fmt::Write;

/// Work-items of a group.
const GROUP: usize = 64;

/// The widths of vectors.
pub const WIDTHS: [usize; 5] = [2, 3, 4, 8, 16];

/// The number of values that are converted as constants, and the number of values that they are picked from.
const CONSTANTS: usize = 5;
const CONSTANTS_FROM: usize = 300;

/// A way to convert to a type.
#[derive(Clone, Copy, Debug)]
struct Variant {
    saturating: bool,
    /// The suffix, and what it means.
    rounding: (&'static str, Mode),
    /// Written as a cast.
    cast: bool,
}

fn variants(to: Kind) -> Vec<Variant> {
    let default = ("", if to.is_float() { Mode::Nearest } else { Mode::Zero });
    let mut variants = vec![Variant { saturating: false, rounding: default, cast: true }];
    for saturating in [false, true] {
        if saturating && to.is_float() {
            continue;
        }
        for rounding in std::iter::once(default).chain(Mode::SUFFIXES) {
            variants.push(Variant { saturating, rounding, cast: false });
        }
    }
    variants
}

impl Variant {
    /// The call on `operand`; vectors of different types cannot be cast.
    fn call(self, to: Kind, width: usize, operand: &str) -> String {
        let name = if width == 1 { to.name.to_owned() } else { format!("{}{width}", to.name) };
        if self.cast && width == 1 {
            return format!("({name}){operand}");
        }
        let saturation = if self.saturating { "_sat" } else { "" };
        format!("convert_{name}{saturation}{}({operand})", self.rounding.0)
    }
}

/// The width of vectors that a pair of types is tested with: each type meets each of them, from both sides.
fn width(from: usize, to: usize) -> usize {
    WIDTHS[(from + to) % WIDTHS.len()]
}

/// The kernels that convert from one type, and the judge of their results.
pub fn job(from: usize, kinds: &[Kind]) -> Job {
    let kind = kinds[from];
    let values = inputs::of(kind);
    let mut case = Case::new(format!("convert from {}", kind.name), "convert.cl");
    case.options.push("-cl-std=CL3.0".to_owned());
    let input = case.add("values", buffer(kind), kind.bytes(values.iter().copied()));
    let mut source = pragmas(kinds);
    for (index, &to) in kinds.iter().enumerate() {
        source += &kernels(kind, to, width(from, index));
        source += &constants(kind, to, &constant_values(&values));
        let count = variants(to).len() * to.size();
        for (kernel, work_items, values) in [
            ("one", values.len(), values.len()),
            ("many", GROUP, GROUP * width(from, index)),
            ("constants", GROUP, CONSTANTS),
        ] {
            let output =
                case.add(format!("{kernel}_{}", to.name), buffer(to), vec![UNWRITTEN; values * count]);
            let arguments = [input, output].map(Argument::Resource).to_vec();
            case.launch(format!("{kernel}_{}", to.name), [work_items], [GROUP], arguments);
        }
    }
    let all = kinds.to_vec();
    let judge = move |results: &[Vec<u8>], device: &Device| {
        let mut wrong = Vec::new();
        for (index, &to) in all.iter().enumerate() {
            let width = width(from, index);
            let vectors = &values[..GROUP * width];
            let constants = constant_values(&values);
            for (values, width, result) in [(&*values, 1, 1), (vectors, width, 2), (&*constants, 1, 3)] {
                compare(kind, to, width, values, &results[result + 3 * index], device, &mut wrong);
            }
        }
        wrong
    };
    Job { source, case, judge: Box::new(judge) }
}

fn buffer(kind: Kind) -> ResourceKind {
    ResourceKind::Buffer { record: vec![kind.scalar] }
}

fn kernels(from: Kind, to: Kind, width: usize) -> String {
    let (source, target) = (from.name, to.name);
    let mut text =
        format!("kernel void one_{target}(global const {source} *values, global {target} *out)\n{{\n");
    text += "    size_t i = get_global_id(0), n = get_global_size(0);\n";
    let _ = writeln!(text, "    {source} x = values[i];");
    for (index, variant) in variants(to).into_iter().enumerate() {
        let _ = writeln!(text, "    out[{index} * n + i] = {};", variant.call(to, 1, "x"));
    }
    let _ = writeln!(
        text,
        "}}\n\nkernel void many_{target}(global const {source} *values, global {target} *out)\n{{"
    );
    let _ = writeln!(text, "    size_t i = get_global_id(0), n = get_global_size(0) * {width};");
    let _ = writeln!(text, "    {source}{width} x = vload{width}(i, values);");
    for (index, variant) in variants(to).into_iter().enumerate() {
        let call = variant.call(to, width, "x");
        let _ = writeln!(text, "    vstore{width}({call}, i, out + {index} * n);");
    }
    text + "}\n"
}

/// Some of the edges.
fn constant_values(values: &[u64]) -> Vec<u64> {
    (1..=CONSTANTS).map(|index| values[index * CONSTANTS_FROM / CONSTANTS - 1]).collect()
}

/// A kernel that converts constants; every work-item does the same.
fn constants(from: Kind, to: Kind, values: &[u64]) -> String {
    let target = to.name;
    let mut text = format!(
        "kernel void constants_{target}(global const {} *values, global {target} *out)\n{{\n",
        from.name
    );
    for (row, variant) in variants(to).into_iter().enumerate() {
        for (index, value) in values.iter().enumerate() {
            let bits = match from.bits {
                8 => "(uchar)",
                16 => "(ushort)",
                32 => "(uint)",
                _ => "(ulong)",
            };
            let call = variant.call(to, 1, &format!("as_{}({bits}{value:#x}UL)", from.name));
            let _ = writeln!(text, "    out[{}] = {call};", row * values.len() + index);
        }
    }
    text + "}\n\n"
}

fn compare(
    from: Kind,
    to: Kind,
    width: usize,
    values: &[u64],
    results: &[u8],
    device: &Device,
    wrong: &mut Vec<String>,
) {
    for (row, variant) in variants(to).into_iter().enumerate() {
        for (index, &value) in values.iter().enumerate() {
            let Some(expected) = expected(from, to, value, variant) else { continue };
            let actual = to.read(results, row * values.len() + index);
            let right = actual == expected
                || to.is_nan(expected) && to.is_nan(actual)
                || device.flushes_float && flushed(from, to, value, expected, actual, variant);
            if !right {
                let call = variant.call(to, width, &format!("{} {value:#x}", from.name));
                wrong.push(format!("{call} is {actual:#x}, expected {expected:#x}"));
            }
        }
    }
}

/// Integers keep their low bits where they do not saturate (C99 §6.3.1.3); other results depend on the types.
fn expected(from: Kind, to: Kind, value: u64, variant: Variant) -> Option<u64> {
    if !from.is_float() && !to.is_float() && !variant.saturating {
        return Some(from.integer(value) as u64 & to.mask());
    }
    to.convert(from.number(value), variant.rounding.1, variant.saturating)
}

/// Whether the result is that of a device that flushes subnormal numbers in single precision: zero for a
/// subnormal result, or the conversion of zero.
fn flushed(from: Kind, to: Kind, value: u64, right: u64, actual: u64, variant: Variant) -> bool {
    let sign = 1 << (to.bits - 1);
    let zero = actual & !sign == 0 && to.is_float() || actual == 0;
    to.is_subnormal_float(right) && zero
        || from.is_subnormal_float(value) && (zero || expected(from, to, 0, variant) == Some(actual))
}
