//! Reductions and a sort in local memory. The kernels in C++ are templates over their operations.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const GROUP: usize = 256;

pub fn build(size: Size) -> Case {
    named("reduce_and_sort", "reduce_and_sort/reduce_and_sort.cl", size)
}

/// The same with the kernels in C++.
pub fn build_cxx(size: Size) -> Case {
    named("reduce_and_sort_cxx", "reduce_and_sort/reduce_and_sort.clcpp", size)
}

fn named(name: &str, source: &str, size: Size) -> Case {
    let (parts, groups) = size.pick((3, 4), (1 << 15, 2048));
    let count = 2 * GROUP * parts;
    let random = Random::new(91);
    let values: Vec<i32> = generate(count, |i| random.below(i, 1 << 21) as i32 - (1 << 20));
    // The last values are not reduced, so that no work-item has as many as the others.
    let reduced = count - 7;
    let mut case = Case::new(name, source);
    let values_id = case.input("values", ScalarType::I32, &values);
    let partial_id = case.output("partial", ScalarType::I32, 2 * groups);
    case.launch(
        "reduce",
        [GROUP * groups],
        [GROUP],
        vec![Argument::Resource(values_id), Argument::value(reduced as u32), Argument::Resource(partial_id)],
    );
    case.launch("sort_parts", [GROUP * parts], [GROUP], vec![Argument::Resource(values_id)]);

    let mut partial: Vec<i32> = [0, i32::MIN].repeat(groups);
    for (i, &value) in values[..reduced].iter().enumerate() {
        let group = i % (GROUP * groups) / GROUP;
        partial[2 * group] = partial[2 * group].wrapping_add(value);
        partial[2 * group + 1] = partial[2 * group + 1].max(value ^ 0x55);
    }
    let mut sorted = values.clone();
    for part in sorted.chunks_exact_mut(2 * GROUP) {
        part.sort_unstable_by_key(|&value| (value as u32).rotate_left(16));
    }
    case.expect(partial_id, &partial, Tolerance::Exact, "sums of integers do not depend on their order");
    case.expect(values_id, &sorted, Tolerance::Exact, "equal keys are equal values");
    case.work = Work { bytes: 12 * count as u64, operations: 0 };
    case
}
