//! Radix sort of pairs, four bits in each of eight passes.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const GROUP: usize = 256;
/// Pairs that a work-group moves at once.
const TILE: usize = 1024;
const DIGIT: usize = 4;

pub fn build(size: Size) -> Case {
    let (count, groups): (usize, usize) = size.pick((9001, 3), (1 << 24, 1024));
    let tiles = count.div_ceil(TILE * groups);
    let random = Random::new(321);
    // Many keys are equal, and the extremes occur.
    let mut keys = generate(count, |i| if i % 4 == 0 { random.below(i, 64) } else { random.word(i) });
    keys[1] = u32::MAX;
    keys[2] = u32::MAX;
    let values = generate(count, |i| i as u32);

    let mut case = Case::new("radix_sort", "radix_sort/radix_sort.cl");
    let keys_id = case.input("keys", ScalarType::U32, &keys);
    let values_id = case.input("values", ScalarType::U32, &values);
    let other_keys_id = case.output("other_keys", ScalarType::U32, count);
    let other_values_id = case.output("other_values", ScalarType::U32, count);
    let counts = groups << DIGIT;
    let counts_id = case.output("counts", ScalarType::U32, counts);
    let number = |value: usize| Argument::value(value as u32);
    let (mut from, mut to) = ([keys_id, values_id], [other_keys_id, other_values_id]);
    for shift in (0..32).step_by(DIGIT) {
        let numbers = [number(count), number(tiles), number(shift)];
        let mut arguments = vec![Argument::Resource(from[0])];
        arguments.extend(numbers.clone());
        arguments.push(Argument::Resource(counts_id));
        case.launch("count_digits", [groups * GROUP], [GROUP], arguments);
        case.launch("sum_counts", [GROUP], [GROUP], vec![Argument::Resource(counts_id), number(counts)]);
        let mut arguments = [from[0], from[1], counts_id, to[0], to[1]].map(Argument::Resource).to_vec();
        arguments.extend(numbers);
        case.launch("scatter", [groups * GROUP], [GROUP], arguments);
        std::mem::swap(&mut from, &mut to);
    }

    let mut pairs: Vec<(u32, u32)> = keys.into_iter().zip(values).collect();
    pairs.sort_by_key(|&(key, _)| key);
    let (keys, values): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
    case.expect(keys_id, &keys, Tolerance::Exact, "there is one sorted order");
    case.expect(values_id, &values, Tolerance::Exact, "pairs with equal keys keep their order");
    case.work = Work { bytes: (20 * count * 32 / DIGIT) as u64, operations: 0 };
    case
}
