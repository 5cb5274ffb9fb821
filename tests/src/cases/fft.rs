//! Fourier transforms of several lengths, of signals that lie side by side.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;

/// The roots of unity in the table.
const ROOTS: usize = 1024;

/// Points of a transform, points of a work-item, work-items of a work-group.
const KERNELS: [(usize, usize, usize); 4] = [(64, 8, 64), (256, 4, 64), (512, 8, 64), (1024, 4, 256)];

type Complex = [f64; 2];

pub fn build(size: Size) -> Case {
    let points: usize = size.pick(4096, 1 << 25);
    let random = Random::new(331);
    let signal = generate(2 * points, |i| random.signed(i));
    let roots: Vec<f32> = (0..ROOTS).flat_map(|k| root(k, ROOTS).map(|part| part as f32)).collect();

    let mut case = Case::new("fft", "fft/fft.cl");
    let signal_id = case.input("signal", ScalarType::F32, &signal);
    let roots_id = case.input("roots", ScalarType::F32, &roots);
    for (length, each, group) in KERNELS {
        let spectrum_id = case.output(format!("spectrum{length}"), ScalarType::F32, 2 * points);
        let arguments = [signal_id, roots_id, spectrum_id].map(Argument::Resource).to_vec();
        case.launch(format!("fft{length}"), [points / each], [group], arguments);

        let expected = generate_rows(points / length, 2 * length, |number, out: &mut [f32]| {
            let samples = signal[2 * number * length..].chunks_exact(2).take(length);
            let samples: Vec<Complex> = samples.map(|it| [f64::from(it[0]), f64::from(it[1])]).collect();
            for (value, exact) in out.iter_mut().zip(transform(&samples).as_flattened()) {
                *value = *exact as f32;
            }
        });
        let tolerance = Tolerance::Float { absolute: 5e-5, relative: 0.0 };
        case.expect(spectrum_id, &expected, tolerance, "ten roundings a stage, of values of some hundred");
        // The usual count, five for each point and stage of radix 2.
        case.work.operations += 5 * points as u64 * u64::from(length.ilog2());
    }
    case.work = Work { bytes: (16 * points * KERNELS.len()) as u64, ..case.work };
    case
}

/// `exp(-2πi k / n)`.
fn root(k: usize, n: usize) -> Complex {
    let angle = -std::f64::consts::TAU * k as f64 / n as f64;
    [angle.cos(), angle.sin()]
}

/// The transform, by halves.
fn transform(samples: &[Complex]) -> Vec<Complex> {
    let n = samples.len();
    if n == 1 {
        return samples.to_vec();
    }
    let half = |odd: usize| -> Vec<Complex> {
        transform(&samples.iter().skip(odd).step_by(2).copied().collect::<Vec<_>>())
    };
    let (even, odd) = (half(0), half(1));
    let mut result = vec![[0.0; 2]; n];
    for k in 0..n / 2 {
        let [cosine, sine] = root(k, n);
        let turned = [odd[k][0] * cosine - odd[k][1] * sine, odd[k][0] * sine + odd[k][1] * cosine];
        result[k] = [even[k][0] + turned[0], even[k][1] + turned[1]];
        result[k + n / 2] = [even[k][0] - turned[0], even[k][1] - turned[1]];
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_the_sum_that_defines_the_transform() {
        let random = Random::new(1);
        let samples: Vec<Complex> =
            (0..16).map(|i| [random.signed(2 * i), random.signed(2 * i + 1)].map(f64::from)).collect();
        for (k, value) in transform(&samples).iter().enumerate() {
            let mut sum = [0f64; 2];
            for (j, sample) in samples.iter().enumerate() {
                let [cosine, sine] = root(j * k, 16);
                sum[0] += sample[0] * cosine - sample[1] * sine;
                sum[1] += sample[0] * sine + sample[1] * cosine;
            }
            assert!((value[0] - sum[0]).abs() < 1e-12 && (value[1] - sum[1]).abs() < 1e-12);
        }
    }
}
