//! `vload_half` and `vstore_half` in all their forms (OpenCL C §6.15.7): loads of every half, and stores of
//! every half, of the midpoints between neighbours and of the numbers next to these, from `float` and
//! `double`, in every rounding and space.

use crate::number::{KINDS, Kind, Mode};
use crate::{Device, Job};
use clvk_tests::case::{Argument, Case, ResourceKind, UNWRITTEN};
use clvk_tests::random::Random;
use std::fmt::Write;

const GROUP: usize = 64;

/// The numbers of lanes of the forms.
pub const LANES: [usize; 6] = [1, 2, 3, 4, 8, 16];

/// Which of the functions.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub lanes: usize,
    /// `vloada_halfn` and `vstorea_halfn`, whose addresses are aligned for the vector.
    pub aligned: bool,
    /// Whether to test generic pointers.
    pub generic: bool,
}

impl Form {
    fn suffix(self) -> String {
        if self.lanes == 1 { String::new() } else { self.lanes.to_string() }
    }

    /// The name of the function that loads.
    pub fn load(self) -> String {
        format!("vload{}_half{}", if self.aligned { "a" } else { "" }, self.suffix())
    }

    /// The name of the function that stores, without its rounding.
    pub fn store(self) -> String {
        format!("vstore{}_half{}", if self.aligned { "a" } else { "" }, self.suffix())
    }

    /// The number of halves from one vector to the next.
    fn stride(self) -> usize {
        if self.aligned { self.lanes.next_power_of_two() } else { self.lanes }
    }

    /// The number of halves before the first vector: misaligned for vectors, where that is allowed.
    fn skipped(self) -> usize {
        usize::from(!self.aligned)
    }

    fn spaces(self) -> &'static [&'static str] {
        if self.generic {
            &["global", "local", "private", "generic"]
        } else {
            &["global", "local", "private"]
        }
    }
}

fn half() -> Kind {
    KINDS[8]
}

fn float() -> Kind {
    KINDS[9]
}

/// Loads of all halves.
pub fn loads(form: Form) -> Job {
    let spaces: Vec<&str> = form.spaces().iter().copied().chain(["constant"]).collect();
    let work_items = (1usize << 16).div_ceil(form.lanes).next_multiple_of(GROUP);
    let halves = form.skipped() + work_items * form.stride();
    let mut case = Case::new(form.load(), "load.cl");
    case.options.push("-cl-std=CL3.0".to_owned());
    let kind = |kind: Kind| ResourceKind::Buffer { record: vec![kind.scalar] };
    let pattern = move |index: usize| (index as u64 * 0x4cd) & 0xffff;
    let input = case.add("halves", kind(half()), half().bytes((0..halves).map(pattern)));
    let output = case.add("out", kind(float()), vec![UNWRITTEN; spaces.len() * work_items * form.lanes * 4]);
    let skip = Argument::value(form.skipped() as u32);
    let arguments = [input, input, output].map(Argument::Resource).into_iter().chain([skip]).collect();
    case.launch("load", [work_items], [GROUP], arguments);
    let source = load_source(form, &spaces);
    let judge = move |results: &[Vec<u8>], _: &Device| {
        let mut wrong = Vec::new();
        for (space, name) in spaces.iter().enumerate() {
            for index in 0..work_items * form.lanes {
                let bits = pattern(form.skipped() + index / form.lanes * form.stride() + index % form.lanes);
                let exact = float().convert(half().number(bits), Mode::Nearest, false).expect("a number");
                let actual = float().read(&results[1], space * work_items * form.lanes + index);
                if actual != exact && !(float().is_nan(exact) && float().is_nan(actual)) {
                    wrong.push(format!(
                        "{} of {bits:#x} in {name} memory is {actual:#x}, expected {exact:#x}",
                        form.load()
                    ));
                }
            }
        }
        wrong
    };
    Job { source, case, judge: Box::new(judge) }
}

fn load_source(form: Form, spaces: &[&str]) -> String {
    let Form { lanes, .. } = form;
    let stride = form.stride();
    let mut text = format!(
        "kernel void load(global const half *values, constant half *constants, global float *out, uint skip)
{{
    local ushort shared[{stride} * {GROUP} + 16] __attribute__((aligned(32)));
    ushort mine[32] __attribute__((aligned(32)));
    size_t i = get_global_id(0), n = get_global_size(0) * {lanes}, me = get_local_id(0);
    global const ushort *bits = (global const ushort *)values;
    for (uint k = 0; k < {stride}; k++) {{
        mine[skip + k] = bits[skip + {stride} * i + k];
        shared[skip + {stride} * me + k] = mine[skip + k];
    }}
    barrier(CLK_LOCAL_MEM_FENCE);
"
    );
    for (index, space) in spaces.iter().enumerate() {
        let (place, pointer) = match *space {
            "global" => ("i", "values + skip"),
            "constant" => ("i", "constants + skip"),
            "local" => ("me", "(local const half *)shared + skip"),
            "private" => ("0", "(private const half *)mine + skip"),
            _ => ("i % 2 ? 0 : me", "(i % 2 ? (const half *)mine : (const half *)shared) + skip"),
        };
        let call = format!("{}({place}, {pointer})", form.load());
        let _ = match lanes {
            1 => writeln!(text, "    out[{index} * n + i] = {call};"),
            _ => writeln!(text, "    vstore{lanes}({call}, i, out + {index} * n);"),
        };
    }
    text + "}\n"
}

/// The roundings with their suffixes.
fn roundings() -> Vec<(&'static str, Mode)> {
    std::iter::once(("", Mode::Nearest)).chain(Mode::SUFFIXES).collect()
}

/// The stores in one kernel: every rounding to global memory, and one in each other space.
fn calls(form: Form) -> Vec<(&'static str, (&'static str, Mode))> {
    let roundings = roundings();
    let mut calls: Vec<_> = roundings.iter().map(|&rounding| ("global", rounding)).collect();
    for (index, &space) in form.spaces()[1..].iter().enumerate() {
        calls.push((space, roundings[(index + form.lanes + usize::from(form.aligned)) % roundings.len()]));
    }
    calls
}

/// Stores of every half and of numbers in between; fewer for vectors.
pub fn stores(form: Form, from: Kind) -> Job {
    let calls = calls(form);
    let all = store_values(from);
    let work_items = if form.lanes == 1 { all.len() / GROUP * GROUP } else { 16 * GROUP };
    // Vectors take values from the whole list.
    let step = if form.lanes == 1 { 1 } else { 7919 };
    let values: Vec<u64> = (0..work_items * form.lanes).map(|index| all[index * step % all.len()]).collect();
    let mut case = Case::new(form.store(), "store.cl");
    case.options.push("-cl-std=CL3.0".to_owned());
    let kind = |kind: Kind| ResourceKind::Buffer { record: vec![kind.scalar] };
    let input = case.add("values", kind(from), from.bytes(values.iter().copied()));
    let part = 2 * (work_items * form.stride()) + 2 * 16;
    for call in 0..calls.len() {
        case.add(format!("out{call}"), kind(half()), vec![UNWRITTEN; part]);
    }
    let mut arguments = vec![Argument::Resource(input)];
    arguments.extend((1..=calls.len()).map(|index| Argument::Resource(clvk_tests::case::ResourceId(index))));
    arguments.push(Argument::value(form.skipped() as u32));
    case.launch("store", [work_items], [GROUP], arguments);
    let source = store_source(form, from, &calls);
    let judge = move |results: &[Vec<u8>], _: &Device| {
        let mut wrong = Vec::new();
        for (&(space, (suffix, mode)), result) in calls.iter().zip(&results[1..]) {
            for (index, &bits) in values.iter().enumerate() {
                let place = form.skipped() + index / form.lanes * form.stride() + index % form.lanes;
                let exact = half().convert(from.number(bits), mode, false).expect("a number");
                let actual = half().read(result, place);
                if actual != exact && !(half().is_nan(exact) && half().is_nan(actual)) {
                    let name = form.store();
                    wrong.push(format!("{name}{suffix} of {} {bits:#x} to {space} memory is {actual:#x}, expected {exact:#x}", from.name));
                }
            }
        }
        wrong
    };
    Job { source, case, judge: Box::new(judge) }
}

/// Each finite half, the midpoint to the next one, and the neighbours of both in the type; then random
/// values.
fn store_values(from: Kind) -> Vec<u64> {
    let sign = 1 << (from.bits - 1);
    let mut values = vec![];
    for bits in 0..0x7c00u64 {
        let exact = from.convert(half().number(bits), Mode::Nearest, false).expect("a number");
        let (value, next) = (half::f16::from_bits(bits as u16), half::f16::from_bits(bits as u16 + 1));
        let next = if next.is_infinite() { 65536.0 } else { next.to_f64() };
        let middle = (value.to_f64() + next) / 2.0;
        let middle = if from.bits == 64 { middle.to_bits() } else { u64::from((middle as f32).to_bits()) };
        for near in [exact, exact + 1, exact.saturating_sub(1), middle - 1, middle, middle + 1] {
            values.extend([near, near | sign]);
        }
    }
    let infinity = from.convert(half().number(0x7c00), Mode::Nearest, false).expect("a number");
    for special in [infinity, infinity - 1, infinity + 1, infinity | infinity >> 1, 1, 2] {
        values.extend([special, special | sign]);
    }
    let random = Random::new(16);
    values.extend((0..1 << 16).map(|index| random.bits(index) & from.mask()));
    values
}

fn store_source(form: Form, from: Kind, calls: &[(&str, (&str, Mode))]) -> String {
    let Form { lanes, .. } = form;
    let (stride, name) = (form.stride(), from.name);
    let parameters: Vec<String> =
        (0..calls.len()).map(|index| format!("global half *out{index}, ")).collect();
    let mut text = crate::number::pragmas(&[from]);
    let _ = write!(
        text,
        "kernel void store(global const {name} *values, {}uint skip)
{{
    local ushort shared[{stride} * {GROUP} + 16] __attribute__((aligned(32)));
    ushort mine[32] __attribute__((aligned(32)));
    size_t i = get_global_id(0), me = get_local_id(0);
",
        parameters.concat()
    );
    let _ = match lanes {
        1 => writeln!(text, "    {name} x = values[i];"),
        _ => writeln!(text, "    {name}{lanes} x = vload{lanes}(i, values);"),
    };
    for (index, (space, (suffix, _))) in calls.iter().enumerate() {
        let (place, pointer, source) = match *space {
            "global" => ("i", format!("out{index} + skip"), None),
            "local" => {
                ("me", "(local half *)shared + skip".to_owned(), Some("shared[skip + k + stride * me]"))
            }
            "private" => ("0", "(private half *)mine + skip".to_owned(), Some("mine[skip + k]")),
            _ => (
                "i % 2 ? 0 : me",
                "(i % 2 ? (half *)mine : (half *)shared) + skip".to_owned(),
                Some("i % 2 ? mine[skip + k] : shared[skip + k + stride * me]"),
            ),
        };
        let _ = writeln!(text, "    {}{suffix}(x, {place}, {pointer});", form.store());
        if let Some(source) = source {
            let source = source.replace("stride", &stride.to_string());
            let _ = writeln!(text, "    for (uint k = 0; k < {lanes}; k++)");
            let _ =
                writeln!(text, "        ((global ushort *)out{index})[skip + {stride} * i + k] = {source};");
        }
    }
    text + "}\n"
}
