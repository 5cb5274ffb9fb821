//! Sum of many floats by tree reduction in local memory, in two launches.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const GROUP: usize = 256;

pub fn build(size: Size) -> Case {
    let (vectors, groups) = size.pick((5001, 16), (1 << 26, 2048));
    // Small integers of both signs: every partial sum is an integer far below 2^24, so the order of the
    // additions cannot change the sum.
    let random = Random::new(31);
    let values = generate(vectors * 4, |i| random.below(i, 17) as f32 - 8.0);

    let mut case = Case::new("reduction", "reduction/reduction.cl");
    let in_id = case.input("in", ScalarType::F32, &values);
    let partial_id = case.output("partial", ScalarType::F32, groups);
    let sum_id = case.output("sum", ScalarType::F32, 1);
    case.launch(
        "reduce_sum",
        [GROUP * groups],
        [GROUP],
        vec![
            Argument::Resource(in_id),
            Argument::value(vectors as u32),
            Argument::Resource(partial_id),
            Argument::Local(GROUP * 4),
        ],
    );
    case.launch(
        "reduce_sum",
        [GROUP],
        [GROUP],
        vec![
            Argument::Resource(partial_id),
            Argument::value((groups / 4) as u32),
            Argument::Resource(sum_id),
            Argument::Local(GROUP * 4),
        ],
    );
    let sum: i64 = values.iter().map(|&value| value as i64).sum();
    case.expect(sum_id, &[sum as f32], Tolerance::Exact, "sums of small integers are exact in any order");
    case.work = Work { bytes: 16 * vectors as u64, operations: 0 };
    case
}
