//! The integer functions (OpenCL C §6.15.3): for bytes with all pairs of values, for other types with edges
//! and random values; as scalars, as vectors, and with the scalars that some functions take beside vectors.

use crate::conversions::WIDTHS;
use crate::inputs;
use crate::number::{Class, KINDS, Kind};
use crate::{Device, Job};
use clvk_interface::ScalarType;
use clvk_tests::case::{Argument, Case, ResourceId, ResourceKind, UNWRITTEN};
use clvk_tests::random::Random;
use std::fmt::Write;

const GROUP: usize = 64;

/// A function, or a form of one.
struct Function {
    /// The call on `x`, `y` and `z`.
    call: &'static str,
    /// The number of arguments that it reads.
    arguments: usize,
    /// The call for vectors where it differs; `None` if there is no such form.
    vector: Option<&'static str>,
    /// Its value, in the low bits; `None` where the specification leaves it open.
    value: fn(Kind, [i128; 3]) -> Option<i128>,
    /// The types that have it.
    has: fn(Kind) -> bool,
}

const fn function(
    call: &'static str,
    arguments: usize,
    value: fn(Kind, [i128; 3]) -> Option<i128>,
) -> Function {
    Function { call, arguments, vector: Some(call), value, has: |_| true }
}

static FUNCTIONS: &[Function] = &[
    function("abs(x)", 1, |_, [x, ..]| Some(x.abs())),
    function("abs_diff(x, y)", 2, |_, [x, y, _]| Some((x - y).abs())),
    function("add_sat(x, y)", 2, |kind, [x, y, _]| Some(clamp(kind, x + y))),
    function("sub_sat(x, y)", 2, |kind, [x, y, _]| Some(clamp(kind, x - y))),
    function("hadd(x, y)", 2, |_, [x, y, _]| Some((x + y) >> 1)),
    function("rhadd(x, y)", 2, |_, [x, y, _]| Some((x + y + 1) >> 1)),
    function("max(x, y)", 2, |_, [x, y, _]| Some(x.max(y))),
    function("min(x, y)", 2, |_, [x, y, _]| Some(x.min(y))),
    function("mul_hi(x, y)", 2, |kind, [x, y, _]| Some(high_half(kind, x, y))),
    function("rotate(x, y)", 2, rotate),
    function("clz(x)", 1, |kind, [x, ..]| {
        let zeros = bits(kind, x).leading_zeros();
        Some(i128::from(zeros - (64 - kind.bits)))
    }),
    function("ctz(x)", 1, |kind, [x, ..]| Some(i128::from(bits(kind, x).trailing_zeros().min(kind.bits)))),
    function("popcount(x)", 1, |kind, [x, ..]| Some(i128::from(bits(kind, x).count_ones()))),
    function("bit_reverse(x)", 1, |kind, [x, ..]| {
        Some(i128::from(bits(kind, x).reverse_bits() >> (64 - kind.bits)))
    }),
    function("clamp(x, y, z)", 3, |_, [x, low, high]| (low <= high).then(|| x.max(low).min(high))),
    function("mad_hi(x, y, z)", 3, |kind, [x, y, z]| Some(high_half(kind, x, y) + z)),
    function("mad_sat(x, y, z)", 3, mad_sat),
    Function {
        has: |kind| kind.bits == 32,
        ..function("mul24(x, y)", 2, |kind, [x, y, _]| mad24(kind, x, y, 0))
    },
    Function {
        has: |kind| kind.bits == 32,
        ..function("mad24(x, y, z)", 3, |kind, [x, y, z]| mad24(kind, x, y, z))
    },
    Function {
        vector: None,
        ..function("bitfield_insert(x, y, OFFSET, COUNT)", 3, |kind, [x, y, z]| {
            let (offset, count) = field(kind, z);
            let mask = ((1i128 << count) - 1) << offset;
            Some(x & !mask | y << offset & mask)
        })
    },
    Function {
        vector: None,
        ..function("bitfield_extract_unsigned(x, OFFSET, COUNT)", 3, |kind, [x, _, z]| {
            let (offset, count) = field(kind, z);
            Some(i128::from(bits(kind, x)) >> offset & ((1 << count) - 1))
        })
    },
    Function {
        vector: None,
        ..function("bitfield_extract_signed(x, OFFSET, COUNT)", 3, |kind, [x, _, z]| {
            let (offset, count) = field(kind, z);
            let field = i128::from(bits(kind, x)) >> offset & ((1 << count) - 1);
            let negative = count > 0 && field >> (count - 1) & 1 == 1;
            Some(if negative { field - (1 << count) } else { field })
        })
    },
];

/// Forms with vectors and scalars; the scalars are those of the first lane.
static WITH_SCALARS: &[Function] = &[
    function("max(x, y.s0)", 2, |_, [x, y, _]| Some(x.max(y))),
    function("min(x, y.s0)", 2, |_, [x, y, _]| Some(x.min(y))),
    function("clamp(x, y.s0, z.s0)", 3, |_, [x, low, high]| (low <= high).then(|| x.max(low).min(high))),
];

/// The replacements for `OFFSET` and `COUNT`: a field chosen by `z`.
fn field(kind: Kind, z: i128) -> (u32, u32) {
    let z = bits(kind, z) as u32;
    let offset = z % kind.bits;
    (offset, z / kind.bits % (kind.bits - offset + 1))
}

fn bits(kind: Kind, value: i128) -> u64 {
    value as u64 & kind.mask()
}

fn clamp(kind: Kind, value: i128) -> i128 {
    let (low, high) = kind.range();
    value.clamp(low, high)
}

/// The high half of a product; even that of two `ulong` fits into 128 unsigned bits.
fn high_half(kind: Kind, x: i128, y: i128) -> i128 {
    if kind.class == Class::Unsigned {
        ((x as u128 * y as u128) >> kind.bits) as i128
    } else {
        (x * y) >> kind.bits
    }
}

fn mad_sat(kind: Kind, [x, y, z]: [i128; 3]) -> Option<i128> {
    // The sum may exceed 127 bits for `ulong`; then it saturates.
    let sum = x.checked_mul(y).and_then(|product| product.checked_add(z));
    Some(clamp(kind, sum.unwrap_or(i128::MAX)))
}

fn rotate(kind: Kind, [x, y, _]: [i128; 3]) -> Option<i128> {
    let (value, count) = (bits(kind, x), bits(kind, y) as u32 % kind.bits);
    let wide = u128::from(value) << count;
    Some((wide | wide >> kind.bits) as i128 & i128::from(kind.mask()))
}

fn mad24(kind: Kind, x: i128, y: i128, z: i128) -> Option<i128> {
    let (low, high) =
        if kind.class == Class::Signed { (-(1 << 23), (1 << 23) - 1) } else { (0, (1 << 24) - 1) };
    let inside = |value: i128| (low..=high).contains(&value);
    (inside(x) && inside(y)).then(|| x * y + z)
}

/// Launches of the kernels `two`, `three` and `many`: their functions, and the number of values for each.
struct Part {
    kernel: &'static str,
    functions: Vec<&'static Function>,
    values: usize,
}

/// The kernels for a type, and the judge of their results.
pub fn job(kind: Kind) -> Job {
    let columns = columns(kind);
    let count = columns[0].len();
    let pairs = if kind.bits == 8 { 1 << 16 } else { count };
    let of = |arguments: std::ops::RangeInclusive<usize>| {
        FUNCTIONS.iter().filter(move |it| (it.has)(kind) && arguments.contains(&it.arguments)).collect()
    };
    let vectors: Vec<&Function> =
        FUNCTIONS.iter().filter(|it| (it.has)(kind) && it.vector.is_some()).chain(WITH_SCALARS).collect();
    let parts = [
        Part { kernel: "two", functions: of(1..=2), values: pairs },
        Part { kernel: "three", functions: of(3..=3), values: count },
        Part { kernel: "many", functions: vectors, values: GROUP * 16 },
    ];
    let mut case = Case::new(format!("integer functions of {}", kind.name), "integers.cl");
    case.options.push("-cl-std=CL3.0".to_owned());
    let buffer = |scalar: ScalarType| ResourceKind::Buffer { record: vec![scalar] };
    let inputs: [ResourceId; 3] = std::array::from_fn(|index| {
        case.add(["x", "y", "z"][index], buffer(kind.scalar), kind.bytes(columns[index].iter().copied()))
    });
    let mut source = String::new();
    for part in &parts {
        let size = part.functions.len() * part.values * kind.size();
        let output = case.add(part.kernel, buffer(kind.scalar), vec![UNWRITTEN; size]);
        source += &kernel(kind, part);
        let work_items = if part.kernel == "many" { GROUP } else { part.values };
        let arguments = inputs.into_iter().chain([output]).map(Argument::Resource).collect();
        case.launch(part.kernel, [work_items], [GROUP], arguments);
    }
    let upsampled = upsampled(kind);
    if let Some(to) = upsampled {
        let output = case.add("upsample", buffer(to.scalar), vec![UNWRITTEN; pairs * to.size()]);
        source += &upsampling(kind, to);
        let arguments = [inputs[0], inputs[1], output].map(Argument::Resource).to_vec();
        case.launch("both", [pairs / 16], [GROUP], arguments);
    }
    let judge = move |results: &[Vec<u8>], _: &Device| {
        let mut wrong = Vec::new();
        for (part, result) in parts.iter().zip(&results[3..]) {
            judge_part(kind, part, &columns, result, &mut wrong);
        }
        if let Some(to) = upsampled {
            for (index, (&x, &y)) in columns[0].iter().zip(&columns[1]).take(pairs).enumerate() {
                let (expected, actual) = (x << kind.bits | y, to.read(&results[6], index));
                if actual != expected {
                    wrong.push(format!("upsample({x:#x}, {y:#x}) is {actual:#x}, expected {expected:#x}"));
                }
            }
        }
        wrong
    };
    Job { source, case, judge: Box::new(judge) }
}

/// The values of `x`, `y` and `z`. For bytes, `x` and `y` are all pairs, once for each of some values of `z`.
fn columns(kind: Kind) -> [Vec<u64>; 3] {
    if kind.bits == 8 {
        let third = [0, 1, 5, 0x3f, 0x7f, 0x80, 0xc2, 0xff];
        let all = 0..third.len() as u64 * 0x1_0000;
        return [
            all.clone().map(|index| index & 0xff).collect(),
            all.clone().map(|index| index >> 8 & 0xff).collect(),
            all.map(|index| third[index as usize >> 16]).collect(),
        ];
    }
    let first = inputs::of(kind);
    let random = Random::new(11);
    // Also small numbers, for shifts, fields and products of 24 bits.
    let other = |seed: usize| {
        (0..first.len())
            .map(|index| {
                let bits = random.bits(index * 2 + seed);
                let value = first[random.below(index * 2 + seed, first.len() as u32) as usize];
                match bits % 4 {
                    0 => value >> ((bits >> 8) % u64::from(kind.bits)),
                    1 => value.wrapping_neg() >> ((bits >> 8) % u64::from(kind.bits)),
                    2 => bits >> 3,
                    _ => value,
                }
            })
            .map(|value| value & kind.mask())
            .collect()
    };
    let (second, third) = (other(0), other(1));
    [first, second, third]
}

fn width(kind: Kind, function: usize) -> usize {
    WIDTHS[(function + kind.bits.ilog2() as usize + usize::from(kind.class == Class::Signed)) % WIDTHS.len()]
}

fn kernel(kind: Kind, part: &Part) -> String {
    let Kind { name, bits, .. } = kind;
    let mut text = format!(
        "kernel void {0}(global const {name} *xs, global const {name} *ys, global const {name} *zs, global {name} *out)\n{{
    size_t i = get_global_id(0), n = {1};\n",
        part.kernel, part.values
    );
    if part.kernel != "many" {
        let _ = writeln!(text, "    {name} x = xs[i], y = ys[i], z = zs[i];");
        let _ = writeln!(text, "    uint field = (u{})z;", name.trim_start_matches('u'));
        let _ = writeln!(
            text,
            "    uint offset = field % {bits}, count = field / {bits} % ({bits} - offset + 1);"
        );
        for (index, function) in part.functions.iter().enumerate() {
            let call = function.call.replace("OFFSET", "offset").replace("COUNT", "count");
            let _ = writeln!(text, "    out[{index} * n + i] = ({name}){call};");
        }
        return text + "}\n\n";
    }
    for (index, function) in part.functions.iter().enumerate() {
        let width = width(kind, index);
        let call = function.vector.expect("vectors have it");
        let _ = writeln!(text, "    {{");
        for column in ["x", "y", "z"] {
            let _ = writeln!(text, "        {name}{width} {column} = vload{width}(i, {column}s);");
        }
        let _ =
            writeln!(text, "        vstore{width}(as_{name}{width}({call}), i, out + {index} * n);\n    }}");
    }
    text + "}\n\n"
}

fn judge_part(kind: Kind, part: &Part, columns: &[Vec<u64>; 3], result: &[u8], wrong: &mut Vec<String>) {
    let many = part.kernel == "many";
    for (row, function) in part.functions.iter().enumerate() {
        let width = if many { width(kind, row) } else { 1 };
        let values = if many { GROUP * width } else { part.values };
        let scalars = function.call.contains(".s0");
        for index in 0..values {
            let second = if scalars { index / width * width } else { index };
            let places = [index, second, second];
            let arguments = std::array::from_fn(|column| kind.integer(columns[column][places[column]]));
            let Some(expected) = (function.value)(kind, arguments) else { continue };
            let (expected, actual) = (bits(kind, expected), kind.read(result, row * part.values + index));
            if actual != expected {
                let of = format!("{}, {}{width}, {arguments:?}", function.call, kind.name);
                wrong.push(format!("{of}: {actual:#x}, expected {expected:#x}"));
            }
        }
    }
}

/// The result type of `upsample` for two values.
fn upsampled(kind: Kind) -> Option<Kind> {
    KINDS.into_iter().find(|to| to.bits == 2 * kind.bits && to.class == kind.class)
}

/// Some of the values as scalars, the rest as vectors of every width: of 16 consecutive values one, then 2,
/// 3, 4, 4 and 2 together, or all.
fn upsampling(kind: Kind, to: Kind) -> String {
    let (from, low, to) = (kind.name, format!("u{}", kind.name.trim_start_matches('u')), to.name);
    let mut text = format!(
        "kernel void both(global const {from} *xs, global const {low} *ys, global {to} *out)
{{
    size_t i = 16 * get_global_id(0);
    if (get_global_id(0) % 2) {{
        vstore16(upsample(vload16(0, xs + i), vload16(0, ys + i)), 0, out + i);
        return;
    }}
    out[i] = upsample(xs[i], ys[i]);
"
    );
    let mut place = 1;
    for width in [2, 3, 4, 4, 2] {
        let _ = writeln!(
            text,
            "    vstore{width}(upsample(vload{width}(0, xs + i + {place}), vload{width}(0, ys + i + {place})), 0, out + i + {place});"
        );
        place += width;
    }
    text + "}\n"
}
