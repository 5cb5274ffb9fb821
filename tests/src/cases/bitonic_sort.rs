//! Bitonic sort in many launches over one buffer.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

/// Keys that a work-group sorts in local memory.
const BLOCK: usize = 1024;
const GROUP: usize = 256;

pub fn build(size: Size) -> Case {
    let count: usize = size.pick(1 << 13, 1 << 26);
    let random = Random::new(101);
    // Some keys are equal, and the extremes occur.
    let mut keys = generate(count, |i| if i % 16 == 0 { random.below(i, 8) } else { random.word(i) });
    keys[1] = u32::MAX;
    keys[2] = 0;

    let mut case = Case::new("bitonic_sort", "bitonic_sort/bitonic_sort.cl");
    case.options = vec![format!("-DBLOCK={BLOCK}")];
    let keys_id = case.input("keys", ScalarType::U32, &keys);
    let data = || Argument::Resource(keys_id);
    case.launch("sort_blocks", [count / 2], [BLOCK / 2], vec![data()]);
    let mut run = 2 * BLOCK;
    while run <= count {
        let mut distance = run / 2;
        while distance >= BLOCK {
            let arguments = vec![data(), Argument::value(run as u32), Argument::value(distance as u32)];
            case.launch("merge_step", [count / 2], [GROUP], arguments);
            distance /= 2;
        }
        case.launch("merge_blocks", [count / 2], [BLOCK / 2], vec![data(), Argument::value(run as u32)]);
        run *= 2;
    }
    keys.sort_unstable();
    case.expect(keys_id, &keys, Tolerance::Exact, "there is one sorted order");
    case.work = Work { bytes: 8 * (count * case.launches.len()) as u64, operations: 0 };
    case
}
