//! Histogram of bytes with local and global atomics.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const GROUP: usize = 256;

pub fn build(size: Size) -> Case {
    let (vectors, groups) = size.pick((3001, 8), (1 << 26, 2048));
    // The smaller of two bytes: small values are frequent, so work-items often meet in a bin.
    let random = Random::new(41);
    let words = generate(vectors * 4, |i| {
        let bits = random.bits(i).to_le_bytes();
        u32::from_le_bytes(std::array::from_fn(|byte| bits[byte].min(bits[byte + 4])))
    });

    let mut case = Case::new("histogram", "histogram/histogram.cl");
    let data_id = case.input("data", ScalarType::U32, &words);
    let bins_id = case.input("bins", ScalarType::U32, &[0u32; 256]);
    case.launch(
        "histogram",
        [GROUP * groups],
        [GROUP],
        vec![Argument::Resource(data_id), Argument::value(vectors as u32), Argument::Resource(bins_id)],
    );
    let mut counts = [0u32; 256];
    for word in &words {
        for byte in word.to_le_bytes() {
            counts[usize::from(byte)] += 1;
        }
    }
    case.expect(bins_id, &counts, Tolerance::Exact, "counts are exact");
    case.work = Work { bytes: 16 * vectors as u64, operations: 0 };
    case
}
