//! A convolution of pictures with many channels, as a matrix product: small whole numbers, whose sums are
//! exact in every order.

use super::matrix_product::whole;
use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;
use half::f16;

/// Channels of the pictures.
const INPUTS: usize = 64;
/// Channels of the results.
const OUTPUTS: usize = 64;
/// Pixels of a work-group.
const TILE: usize = 128;
/// Work-items in a work-group.
const ITEMS: usize = 128;

pub fn build(size: Size) -> Case {
    // The small pictures have rows that do not divide the tile.
    let (pictures, width, height) = size.pick((2, 24, 16), (32, 128, 128));
    let pixels = pictures * width * height;
    let (random_input, random_weights) = (Random::new(51), Random::new(52));
    let input = generate(pixels * INPUTS, |i| whole(random_input, i, 8));
    let weights = generate(9 * INPUTS * OUTPUTS, |i| whole(random_weights, i, 8));
    // At most 9 * 64 * 8 * 8, which single precision represents.
    let expected = generate_rows(pixels, OUTPUTS, |pixel, out: &mut [f32]| {
        let (x, y) = (pixel % width, pixel / width % height);
        let picture = pixel - y * width - x;
        let mut sums = [0i32; OUTPUTS];
        for window in 0..9 {
            let (at_x, at_y) = ((x + window % 3).wrapping_sub(1), (y + window / 3).wrapping_sub(1));
            if at_x >= width || at_y >= height {
                continue;
            }
            let from = &input[(picture + at_y * width + at_x) * INPUTS..][..INPUTS];
            for (channel, &value) in from.iter().enumerate() {
                for (sum, &weight) in sums.iter_mut().zip(&weights[(window * INPUTS + channel) * OUTPUTS..]) {
                    *sum += value * weight;
                }
            }
        }
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = sum as f32;
        }
    });

    let halves = |from: &[i32]| -> Vec<u16> {
        from.iter().map(|&value| f16::from_f32(value as f32).to_bits()).collect()
    };
    let mut case = Case::new("convolution_product", "convolution_product/convolution_product.cl");
    let input_id = case.input("input", ScalarType::F16, &halves(&input));
    let weights_id = case.input("weights", ScalarType::F16, &halves(&weights));
    let output_id = case.output("output", ScalarType::F32, pixels * OUTPUTS);
    case.launch(
        "convolution_product",
        [pixels / TILE * ITEMS],
        [ITEMS],
        vec![
            Argument::value(width as i32),
            Argument::value(height as i32),
            Argument::Resource(input_id),
            Argument::Resource(weights_id),
            Argument::Resource(output_id),
        ],
    );
    case.expect(
        output_id,
        &expected,
        Tolerance::Exact,
        "all sums are whole numbers that the types represent",
    );
    let bytes = 2 * pixels * INPUTS + 2 * 9 * INPUTS * OUTPUTS + 4 * pixels * OUTPUTS;
    let operations = 2 * 9 * INPUTS * OUTPUTS * pixels;
    case.work = Work { bytes: bytes as u64, operations: operations as u64 };
    case
}
