//! C = alpha A B + beta C.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;

/// Columns of the tile of C that a work-group computes.
const COLUMNS: usize = 128;
/// A work-group's size.
const LOCAL: [usize; 2] = [16, 8];

pub fn build(size: Size) -> Case {
    let (m, n, k) = size.pick((256, 128, 48), (4096, 4096, 4096));
    let (alpha, beta) = (1.5f32, -0.5f32);
    let (random_a, random_b, random_c) = (Random::new(11), Random::new(12), Random::new(13));
    let a = generate(m * k, |i| random_a.signed(i));
    let b = generate(k * n, |i| random_b.signed(i));
    let c = generate(m * n, |i| random_c.signed(i));

    let mut case = Case::new("sgemm", "sgemm/sgemm.cl");
    let a_id = case.input("a", ScalarType::F32, &a);
    let b_id = case.input("b", ScalarType::F32, &b);
    let c_id = case.input("c", ScalarType::F32, &c);
    // Large tiles are faster on GPUs; small ones are compiled sooner.
    let (down, depth) = size.pick((1, 16), (4, 8));
    case.options = vec![format!("-DDOWN={down}"), format!("-DDEPTH={depth}")];
    case.launch(
        "sgemm",
        [n / COLUMNS * LOCAL[0], m / (32 * down) * LOCAL[1]],
        LOCAL,
        vec![
            Argument::value(m as u32),
            Argument::value(n as u32),
            Argument::value(k as u32),
            Argument::value(alpha),
            Argument::value(beta),
            Argument::Resource(a_id),
            Argument::Resource(b_id),
            Argument::Resource(c_id),
        ],
    );
    let expected = generate_rows(m, n, |row, out: &mut [f32]| {
        let mut sums = vec![0f64; n];
        for (step, &factor) in a[row * k..][..k].iter().enumerate() {
            for (sum, &value) in sums.iter_mut().zip(&b[step * n..][..n]) {
                *sum += f64::from(factor) * f64::from(value);
            }
        }
        for (column, value) in out.iter_mut().enumerate() {
            *value =
                (f64::from(alpha) * sums[column] + f64::from(beta) * f64::from(c[row * n + column])) as f32;
        }
    });
    // A sum of j terms of standard deviation 1/3 is near sqrt(j) / 3, and the largest of millions of such
    // sums four times that. Each addition rounds the sum by up to 2^-24 of itself, so after k additions the
    // largest error is near k * 1e-7.
    let tolerance = Tolerance::Float { absolute: k as f64 * 2.5e-7, relative: 0.0 };
    case.expect(c_id, &expected, tolerance, "k roundings of a growing sum");
    case.work = Work { bytes: 4 * (m * k + k * n + 2 * m * n) as u64, operations: 2 * (m * n * k) as u64 };
    case
}
