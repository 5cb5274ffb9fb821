//! A picture of the Mandelbrot set.

use crate::case::{Argument, Case, NOT_FUSED, Size, Tolerance, Work, round_up};
use crate::random::generate_rows;
use clvk_interface::ScalarType;
use std::sync::atomic::{AtomicU64, Ordering};

const GROUP: [usize; 2] = [16, 16];

const PALETTE: [[u32; 4]; 8] = [
    [9, 12, 48, 255],
    [22, 52, 120, 255],
    [60, 130, 190, 255],
    [190, 226, 235, 255],
    [250, 238, 190, 255],
    [244, 170, 50, 255],
    [160, 66, 26, 255],
    [58, 16, 40, 255],
];

pub fn build(size: Size) -> Case {
    let (width, height, limit) = size.pick((250, 190, 200), (8192, 8192, 1024));
    let centre = [-0.65f32, 0.0];
    let pixel = 2.6 / height as f32;

    let mut case = Case::new("mandelbrot", "mandelbrot/mandelbrot.cl");
    let picture_id = case.output("picture", ScalarType::U8, width * height * 4);
    case.launch(
        "mandelbrot",
        [round_up(width, GROUP[0]), round_up(height, GROUP[1])],
        GROUP,
        vec![
            Argument::Resource(picture_id),
            Argument::value(width as u32),
            Argument::value(height as u32),
            Argument::value(centre),
            Argument::value(pixel),
            Argument::value(limit),
        ],
    );

    let all_steps = AtomicU64::new(0);
    let expected: Vec<u8> = generate_rows(height, width * 4, |row, out: &mut [u8]| {
        let imaginary = centre[1] + (0.5 * height as f32 - row as f32) * pixel;
        let mut row_steps = 0;
        for (column, colour) in out.chunks_exact_mut(4).enumerate() {
            let real = centre[0] + (column as f32 - 0.5 * width as f32) * pixel;
            let steps = escape_steps(real, imaginary, limit);
            row_steps += u64::from(steps);
            colour.copy_from_slice(&if steps == limit { [0, 0, 0, 255] } else { shade(steps) });
        }
        all_steps.fetch_add(row_steps, Ordering::Relaxed);
    });
    case.expect(picture_id, &expected, Tolerance::Exact, NOT_FUSED);
    case.outputs[0].picture = Some((width, height));
    case.work = Work { bytes: 4 * (width * height) as u64, operations: 8 * all_steps.into_inner() };
    case
}

/// Steps of z ← z² + c until |z|² exceeds 16. In `f32`, with each operation rounded, as in the kernel.
fn escape_steps(real: f32, imaginary: f32, limit: u32) -> u32 {
    let (mut x, mut y) = (0f32, 0f32);
    for steps in 0..limit {
        if x * x + y * y > 16.0 {
            return steps;
        }
        (x, y) = (x * x - y * y + real, 2.0 * x * y + imaginary);
    }
    limit
}

fn shade(steps: u32) -> [u8; 4] {
    let entry = (steps / 8 % 8) as usize;
    let (from, to) = (PALETTE[entry], PALETTE[(entry + 1) % 8]);
    std::array::from_fn(|channel| ((from[channel] * (8 - steps % 8) + to[channel] * (steps % 8)) / 8) as u8)
}
