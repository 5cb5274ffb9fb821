//! Attention: the values of a head, weighted by the softmax of how well keys suit a query.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;
use half::f16;

/// Columns of all matrices.
const WIDTH: usize = 64;
/// Work-items in a work-group.
const ITEMS: usize = 128;

pub fn build(size: Size) -> Case {
    let (heads, rows) = size.pick((2, 128), (32, 4096));
    let count = heads * rows * WIDTH;
    let halves = |seed, scale: f32| {
        let random = Random::new(seed);
        generate(count, |i| f16::from_f32(scale * random.signed(i)))
    };
    let (query, key, value) = (halves(41, 2.0), halves(42, 2.0), halves(43, 1.0));
    let scale = 1.0 / (WIDTH as f32).sqrt();

    let wide = |from: &[f16]| -> Vec<f64> { from.iter().map(|value| value.to_f64()).collect() };
    let (queries, keys, values) = (wide(&query), wide(&key), wide(&value));
    let expected = generate_rows(heads * rows, WIDTH, |row, out: &mut [f32]| {
        let head = row / rows * rows * WIDTH..(row / rows + 1) * rows * WIDTH;
        let query = &queries[row * WIDTH..][..WIDTH];
        let scores: Vec<f64> = keys[head.clone()]
            .chunks_exact(WIDTH)
            .map(|key| f64::from(scale) * query.iter().zip(key).map(|(a, b)| a * b).sum::<f64>())
            .collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        let mut result = [0.0; WIDTH];
        for (score, value) in scores.iter().zip(values[head].chunks_exact(WIDTH)) {
            let weight = (score - most).exp();
            sum += weight;
            for (result, value) in result.iter_mut().zip(value) {
                *result += weight * value;
            }
        }
        for (out, result) in out.iter_mut().zip(result) {
            *out = (result / sum) as f32;
        }
    });

    let bits = |from: &[f16]| -> Vec<u16> { from.iter().map(|value| value.to_bits()).collect() };
    let mut case = Case::new("attention", "attention/attention.cl");
    let query_id = case.input("query", ScalarType::F16, &bits(&query));
    let key_id = case.input("key", ScalarType::F16, &bits(&key));
    let value_id = case.input("value", ScalarType::F16, &bits(&value));
    let out_id = case.output("out", ScalarType::F32, count);
    // Many rows and keys at once are faster on GPUs; few are compiled sooner.
    let (tall, keys) = size.pick((1, 16), (2, 32));
    case.options = vec![format!("-DTALL={tall}"), format!("-DKEYS={keys}")];
    case.launch(
        "attention",
        [rows / (64 * tall) * ITEMS, heads],
        [ITEMS, 1],
        vec![
            Argument::value(rows as u32),
            Argument::value(scale),
            Argument::Resource(query_id),
            Argument::Resource(key_id),
            Argument::Resource(value_id),
            Argument::Resource(out_id),
        ],
    );
    // Each weight is rounded to half precision, by 2^-11 of itself, and values are at most 1. Weights below
    // 2^-14 of the largest are rounded by 2^-25 of it, which for 4096 of them is at most 2^-13.
    let tolerance = Tolerance::Float { absolute: 1e-3, relative: 0.0 };
    case.expect(out_id, &expected, tolerance, "weights are rounded to half precision");
    let operations = 4 * heads * rows * rows * WIDTH;
    case.work = Work { bytes: (count * (3 * 2 + 4)) as u64, operations: operations as u64 };
    case
}
