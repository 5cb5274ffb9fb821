//! Speckle-reducing anisotropic diffusion: a reduction and two stencils in each iteration.

use crate::case::{Argument, Case, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;

const GROUP: usize = 256;
const TILE: [usize; 2] = [32, 8];

pub fn build(size: Size) -> Case {
    let (width, height, iterations, groups) = size.pick((141, 67, 3, 5), (4096, 4096, 4, 1024));
    let rate = 0.5f32;
    let random = Random::new(221);
    // Discs of another brightness, times speckle.
    let image = generate(width * height, |i| {
        let (x, y) = ((i % width % 48) as f32 - 24.0, (i / width % 48) as f32 - 24.0);
        let brightness = if x * x + y * y < 256.0 { 2.0 } else { 1.0 };
        brightness * (1.0 + 0.25 * random.signed(i))
    });

    let mut case = Case::new("srad", "srad/srad.cl");
    let image_ids = [
        case.input("image", ScalarType::F32, &image),
        case.output("smoothed", ScalarType::F32, width * height),
    ];
    let partial_id = case.output("partial", ScalarType::F32, 2 * groups);
    let speckle_id = case.output("speckle", ScalarType::F32, 1);
    let coefficients_id = case.output("coefficients", ScalarType::F32, width * height);
    let count = || Argument::value((width * height) as u32);
    let sides = || [Argument::value(width as i32), Argument::value(height as i32)];
    let global = [round_up(width, TILE[0]), round_up(height, TILE[1])];
    for iteration in 0..iterations {
        let (from, to) = (image_ids[iteration % 2], image_ids[(iteration + 1) % 2]);
        let arguments = vec![Argument::Resource(from), count(), Argument::Resource(partial_id)];
        case.launch("srad_sums", [groups * GROUP], [GROUP], arguments);
        let mut arguments = vec![Argument::Resource(partial_id), Argument::value(groups as u32), count()];
        arguments.push(Argument::Resource(speckle_id));
        case.launch("srad_speckle", [GROUP], [GROUP], arguments);
        let mut arguments = [from, speckle_id, coefficients_id].map(Argument::Resource).to_vec();
        arguments.extend(sides());
        case.launch("srad_coefficients", global, TILE, arguments);
        let mut arguments = [from, coefficients_id, to].map(Argument::Resource).to_vec();
        arguments.extend(sides());
        arguments.push(Argument::value(rate));
        case.launch("srad_flow", global, TILE, arguments);
    }

    let mut values: Vec<f64> = image.iter().copied().map(f64::from).collect();
    for _ in 0..iterations {
        values = iterate(&values, width, height, f64::from(rate));
    }
    let expected = generate(values.len(), |i| values[i] as f32);
    let tolerance = Tolerance::Float { absolute: 4e-6, relative: 0.0 };
    let reason = "a dozen roundings an iteration, of values below three; of the variance, a digit cancels";
    case.expect(image_ids[iterations % 2], &expected, tolerance, reason);
    case.work = Work { bytes: (24 * width * height * iterations) as u64, operations: 0 };
    case
}

/// The neighbours of each pixel: indices to the north, south, west and east.
fn neighbours(i: usize, width: usize, height: usize) -> [usize; 4] {
    let (x, y) = (i % width, i / width);
    [
        if y > 0 { i - width } else { i },
        if y < height - 1 { i + width } else { i },
        if x > 0 { i - 1 } else { i },
        if x < width - 1 { i + 1 } else { i },
    ]
}

fn iterate(image: &[f64], width: usize, height: usize, rate: f64) -> Vec<f64> {
    let mean = image.iter().sum::<f64>() / image.len() as f64;
    let variance = image.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / image.len() as f64;
    let speckle = variance / (mean * mean);
    let rows = |make: &(dyn Fn(usize) -> f64 + Sync)| -> Vec<f64> {
        generate_rows(height, width, |y, out: &mut [f64]| {
            for (x, value) in out.iter_mut().enumerate() {
                *value = make(y * width + x);
            }
        })
    };
    let coefficients = rows(&|i| {
        let slopes = neighbours(i, width, height).map(|other| (image[other] - image[i]) / image[i]);
        let squares = slopes.map(|slope| slope * slope).iter().sum::<f64>();
        let laplacian = slopes.iter().sum::<f64>();
        let variation = (squares / 2.0 - laplacian * laplacian / 16.0) / (1.0 + laplacian / 4.0).powi(2);
        let excess = (variation - speckle) / (speckle * (1.0 + speckle));
        (1.0 / (1.0 + excess)).clamp(0.0, 1.0)
    });
    rows(&|i| {
        let [north, south, west, east] = neighbours(i, width, height);
        let flows = [(north, i), (south, south), (west, i), (east, east)]
            .map(|(other, at)| coefficients[at] * (image[other] - image[i]));
        image[i] + rate / 4.0 * flows.iter().sum::<f64>()
    })
}
