//! LU decomposition by blocks, three launches for each step along the diagonal.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

/// Side of a block.
const BLOCK: usize = 32;
const GROUP: [usize; 2] = [BLOCK, 8];

pub fn build(size: Size) -> Case {
    let n: usize = size.pick(4 * BLOCK, 2048);
    let random = Random::new(201);
    // Each diagonal element is larger than the rest of its row together, so no pivots are needed, and the
    // elements of L are below one.
    let matrix = generate(n * n, |i| match i / n == i % n {
        true => n as f32 + random.unit(i),
        false => random.signed(i),
    });

    let mut case = Case::new("lud", "lud/lud.cl");
    let matrix_id = case.input("matrix", ScalarType::F32, &matrix);
    for step in (0..n).step_by(BLOCK) {
        let arguments =
            || vec![Argument::Resource(matrix_id), Argument::value(n as u32), Argument::value(step as u32)];
        let rest = (n - step) / BLOCK - 1;
        case.launch("lud_diagonal", GROUP, GROUP, arguments());
        if rest > 0 {
            case.launch("lud_perimeter", [rest * GROUP[0], 2 * GROUP[1]], GROUP, arguments());
            case.launch("lud_internal", [rest * GROUP[0], rest * GROUP[1]], GROUP, arguments());
        }
    }

    let decomposed = decompose(&matrix, n);
    let expected = generate(n * n, |i| decomposed[i] as f32);
    let tolerance = Tolerance::Float { absolute: 2e-6, relative: 4e-6 };
    case.expect(
        matrix_id,
        &expected,
        tolerance,
        "an element is rounded once for each block before it, and for each column of its own",
    );
    // Every step reads and writes what is left.
    let bytes = (1..=n / BLOCK).map(|left| 8 * (left * BLOCK).pow(2) as u64).sum();
    case.work = Work { bytes, operations: 2 * (n as u64).pow(3) / 3 };
    case
}

/// Row by row: L to the left of the diagonal, U from it on.
fn decompose(matrix: &[f32], n: usize) -> Vec<f64> {
    let mut values: Vec<f64> = matrix.iter().copied().map(f64::from).collect();
    for row in 1..n {
        let (above, current) = values.split_at_mut(row * n);
        for (k, pivots) in above.chunks_exact(n).enumerate() {
            let factor = current[k] / pivots[k];
            current[k] = factor;
            for column in k + 1..n {
                current[column] -= factor * pivots[column];
            }
        }
    }
    values
}
