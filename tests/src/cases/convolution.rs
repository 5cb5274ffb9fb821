//! Convolution of a picture through `image2d_t` and a sampler.

use crate::case::{
    Addressing, Argument, Case, ResourceKind, Sampler, Size, Tolerance, UNWRITTEN, Work, round_up,
};
use crate::picture::landscape;
use crate::random::generate_rows;
use clvk_interface::ScalarType;

const GROUP: [usize; 2] = [16, 16];
const RADIUS: usize = 2;
const SIDE: usize = 2 * RADIUS + 1;

/// Sharpens: the picture minus its surroundings. The weights sum to one.
const WEIGHTS: [f32; SIDE * SIDE] = [
    0.0, 0.0, -0.25, 0.0, 0.0, //
    0.0, -0.25, -0.5, -0.25, 0.0, //
    -0.25, -0.5, 5.0, -0.5, -0.25, //
    0.0, -0.25, -0.5, -0.25, 0.0, //
    0.0, 0.0, -0.25, 0.0, 0.0, //
];

pub fn build(size: Size) -> Case {
    let (width, height) = size.pick((201, 150), (8192, 8192));
    let pixels = landscape(width, height, 81);

    let mut case = Case::new("convolution", "convolution/convolution.cl");
    case.options = vec![format!("-DRADIUS={RADIUS}")];
    let in_id = case.add("in", ResourceKind::ImageRgba8 { width, height, written: false }, pixels.clone());
    let blank = vec![UNWRITTEN; pixels.len()];
    let out_id = case.add("out", ResourceKind::ImageRgba8 { width, height, written: true }, blank);
    let weights_id = case.input("weights", ScalarType::F32, &WEIGHTS);
    case.launch(
        "convolution",
        [round_up(width, GROUP[0]), round_up(height, GROUP[1])],
        GROUP,
        vec![
            Argument::Resource(in_id),
            Argument::Resource(out_id),
            Argument::Sampler(Sampler {
                addressing: Addressing::ClampToEdge,
                linear: false,
                normalized: false,
            }),
            Argument::Resource(weights_id),
        ],
    );

    let expected: Vec<u8> = generate_rows(height, width * 4, |row, out: &mut [u8]| {
        for (column, pixel) in out.chunks_exact_mut(4).enumerate() {
            for (channel, value) in pixel.iter_mut().take(3).enumerate() {
                let sum = weighted_sum(&pixels, width, height, [column, row], channel);
                *value = (sum * 255.0).round_ties_even().clamp(0.0, 255.0) as u8;
            }
            pixel[3] = 255;
        }
    });
    case.expect(
        out_id,
        &expected,
        Tolerance::Steps(1),
        "a sum near the middle of two steps may round to either",
    );
    case.outputs[0].picture = Some((width, height));
    case.work =
        Work { bytes: 8 * (width * height) as u64, operations: (8 * SIDE * SIDE * width * height) as u64 };
    case
}

fn weighted_sum(
    pixels: &[u8],
    width: usize,
    height: usize,
    [column, row]: [usize; 2],
    channel: usize,
) -> f64 {
    let mut sum = 0.0;
    for (index, &weight) in WEIGHTS.iter().enumerate() {
        let x = (column + index % SIDE).saturating_sub(RADIUS).min(width - 1);
        let y = (row + index / SIDE).saturating_sub(RADIUS).min(height - 1);
        sum += f64::from(weight) * f64::from(pixels[(y * width + x) * 4 + channel]) / 255.0;
    }
    sum
}
