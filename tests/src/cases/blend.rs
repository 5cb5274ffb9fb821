//! vload4, vstore4 and saturating conversion.

use crate::case::{Argument, Case, Size, Tolerance, UNWRITTEN, Work};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const GROUP: usize = 256;

pub fn build(size: Size) -> Case {
    let vectors = size.pick(4096, 1 << 26);
    // The small size shifts the bytes so that no wider access is aligned.
    let skip = size.pick(3, 0);
    let count = vectors * 4;
    let gain = 1.25f32;
    let (random_picture, random_layer) = (Random::new(131), Random::new(132));
    let picture = generate(count + skip, |i| random_picture.word(i) as u8);
    let layer = generate(count, |i| layer_value(random_layer, i));

    let mut case = Case::new("blend", "blend/blend.cl");
    let picture_id = case.input("picture", ScalarType::U8, &picture);
    let layer_id = case.input("layer", ScalarType::F32, &layer);
    // A few bytes more than the kernel may write, so that a store outside of its range shows.
    let out_id = case.output("out", ScalarType::U8, skip + count + skip);
    case.launch(
        "blend",
        [vectors],
        [GROUP],
        vec![
            Argument::Resource(picture_id),
            Argument::Resource(layer_id),
            Argument::Resource(out_id),
            Argument::value(skip as u32),
            Argument::value(gain),
        ],
    );
    let mut expected = vec![UNWRITTEN; skip + count + skip];
    let blended = generate(count, |i| {
        let sum = f64::from(picture[skip + i]) * f64::from(gain) + f64::from(layer[i]);
        sum.trunc().clamp(0.0, 255.0) as u8
    });
    expected[skip..skip + count].copy_from_slice(&blended);
    case.expect(out_id, &expected, Tolerance::Exact, "every sum is a multiple of a quarter, so it is exact");
    case.work = Work { bytes: 6 * count as u64, operations: 0 };
    case
}

/// A multiple of a quarter in `[-300, 300)`, or sometimes far out of a byte's range.
fn layer_value(random: Random, i: usize) -> f32 {
    match random.below(i, 1024) {
        0 => f32::INFINITY,
        1 => f32::NEG_INFINITY,
        2 => 3e9,
        3 => -3e9,
        _ => (random.bits(i) as u32 % 2400) as f32 / 4.0 - 300.0,
    }
}
