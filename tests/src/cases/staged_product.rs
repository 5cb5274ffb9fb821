//! C = A B for a batch of matrices, with two tiles of each input in local memory. The elements are small
//! whole numbers, whose sums are exact in every order.

use super::matrix_product::whole;
use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;
use half::f16;

/// Side of the tile of C that a work-group computes.
const TILE: usize = 128;
/// Work-items in a work-group.
const ITEMS: usize = 128;

pub fn build_batched(size: Size) -> Case {
    let [batch, m, n, k]: [usize; 4] = size.pick([3, 128, 128, 64], [128, 512, 512, 512]);
    let (random_a, random_b) = (Random::new(31), Random::new(32));
    let a = generate(batch * m * k, |i| whole(random_a, i, 8));
    let b = generate(batch * k * n, |i| whole(random_b, i, 8));
    // At most 4096 * 8 * 8, which single precision represents.
    let sums = generate_rows(batch * m, n, |row, out: &mut [f32]| {
        let mut sums = vec![0i32; n];
        for (step, &factor) in a[row * k..][..k].iter().enumerate() {
            for (sum, &value) in sums.iter_mut().zip(&b[(row / m * k + step) * n..][..n]) {
                *sum += factor * value;
            }
        }
        for (value, sum) in out.iter_mut().zip(sums) {
            *value = sum as f32;
        }
    });

    let mut case = Case::new("matrix_product_batched", "staged_product/staged_product.cl");
    // Software drivers have half of the local memory of GPUs.
    let depth = size.pick(16, 32);
    case.options = vec![format!("-DDEPTH={depth}")];
    let bits = |value: i32| f16::from_f32(value as f32).to_bits();
    let (a, b): (Vec<u16>, Vec<u16>) = (a.into_iter().map(bits).collect(), b.into_iter().map(bits).collect());
    let a_id = case.input("a", ScalarType::F16, &a);
    let b_id = case.input("b", ScalarType::F16, &b);
    let c_id = case.output("c", ScalarType::F32, batch * m * n);
    case.launch(
        "staged_product",
        [n / TILE * ITEMS, m / TILE, batch],
        [ITEMS, 1, 1],
        vec![
            Argument::value(m as u32),
            Argument::value(n as u32),
            Argument::value(k as u32),
            Argument::Resource(a_id),
            Argument::Resource(b_id),
            Argument::Resource(c_id),
        ],
    );
    case.expect(c_id, &sums, Tolerance::Exact, "all sums are whole numbers that the types represent");
    let bytes = batch * (2 * (m * k + k * n) + 4 * m * n);
    case.work = Work { bytes: bytes as u64, operations: 2 * (batch * m * n * k) as u64 };
    case
}
