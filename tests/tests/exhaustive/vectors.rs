//! `vloadn` and `vstoren` for every type and width in every address space, at addresses aligned only for
//! elements (OpenCL C §6.15.7).

use crate::conversions::WIDTHS;
use crate::number::{Kind, pragmas};
use crate::{Device, Job};
use clvk_tests::case::{Argument, Case, ResourceKind, UNWRITTEN};
use clvk_tests::random::Random;

const GROUP: usize = 64;

/// The number of elements before the first vector: misaligned for vectors.
const SKIPPED: usize = 1;

/// The kernels, one for each width, and the judge: each space has its own part of the output, which must hold
/// the input.
pub fn job(kind: Kind, generic: bool) -> Job {
    let spaces = if generic { 5 } else { 4 };
    let mut case = Case::new(format!("vectors of {}", kind.name), "vectors.cl");
    case.options.push("-cl-std=CL3.0".to_owned());
    let buffer = || ResourceKind::Buffer { record: vec![kind.scalar] };
    let count = SKIPPED + GROUP * 16;
    let values = values(kind, count);
    let input = case.add("values", buffer(), kind.bytes(values.iter().copied()));
    let mut source = pragmas(&[kind]);
    for width in WIDTHS {
        source += &kernel(kind, width, generic);
        let output = case.add(
            format!("out{width}"),
            buffer(),
            vec![UNWRITTEN; spaces * (SKIPPED + GROUP * width) * kind.size()],
        );
        let resources = [input, input, output].map(Argument::Resource);
        let arguments = resources.into_iter().chain([Argument::value(SKIPPED as u32)]).collect();
        case.launch(format!("copy{width}"), [GROUP], [GROUP], arguments);
    }
    let judge = move |results: &[Vec<u8>], _: &Device| {
        let mut wrong = Vec::new();
        let unwritten = u64::from_ne_bytes([UNWRITTEN; 8]) & kind.mask();
        for (result, width) in results[1..].iter().zip(WIDTHS) {
            let part = SKIPPED + GROUP * width;
            for index in 0..spaces * part {
                let (space, place) = (index / part, index % part);
                let expected = if place < SKIPPED { unwritten } else { values[place] };
                let actual = kind.read(result, index);
                if actual != expected {
                    let name = ["global", "constant", "local", "private", "generic"][space];
                    wrong.push(format!(
                        "{}{width}: element {place} by {name} memory is {actual:#x}, expected {expected:#x}",
                        kind.name
                    ));
                }
            }
        }
        wrong
    };
    Job { source, case, judge: Box::new(judge) }
}

/// Random bits. For floating-point types normal numbers only, because a NaN's payload and subnormal numbers
/// may change.
fn values(kind: Kind, count: usize) -> Vec<u64> {
    let random = Random::new(3);
    let ordinary = |bits: u64| {
        if kind.is_float() { bits & !(3 << (kind.bits - 3)) | 1 << (kind.bits - 3) } else { bits }
    };
    (0..count).map(|index| ordinary(random.bits(index)) & kind.mask()).collect()
}

/// Each work-item moves a vector through each space; through local memory it moves that of another work-item.
fn kernel(kind: Kind, width: usize, generic: bool) -> String {
    let name = kind.name;
    let by_generic = if !generic {
        String::new()
    } else {
        format!(
            "    {name} *either = i % 2 ? ({name} *)mine : ({name} *)(shared + {width} * i);
    x = vload{width}(0, values + skip + {width} * i);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore{width}(x, 0, either + skip);
    vstore{width}(vload{width}(0, either + skip), i, out + 4 * part + skip);
"
        )
    };
    format!(
        "kernel void copy{width}(global const {name} *values, constant {name} *constants, global {name} *out, uint skip)
{{
    local {name} shared[{width} * {GROUP} + 8];
    {name} mine[{width} + 8];
    size_t i = get_local_id(0), other = {GROUP} - 1 - i, part = {width} * {GROUP} + skip;
    vstore{width}(vload{width}(i, values + skip), i, out + skip);
    vstore{width}(vload{width}(i, constants + skip), i, out + part + skip);
    {name}{width} x = vload{width}(i, values + skip);
    vstore{width}(x, i, shared + skip);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore{width}(vload{width}(other, shared + skip), other, out + 2 * part + skip);
    vstore{width}(x, 0, mine + skip);
    mine[0] = x.s0;
    vstore{width}(vload{width}(0, mine + skip), i, out + 3 * part + skip);
{by_generic}}}

"
    )
}
