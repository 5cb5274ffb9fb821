//! Jacobi iterations for the Poisson equation.

use crate::case::{Argument, Case, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;

const GROUP: [usize; 2] = [64, 4];

pub fn build(size: Size) -> Case {
    let (width, height, iterations) = size.pick((130, 77, 10), (16384, 16384, 4));
    let (random_grid, random_source) = (Random::new(91), Random::new(92));
    let grid = generate(width * height, |i| random_grid.signed(i));
    let source = generate(width * height, |i| 0.1 * random_source.signed(i));

    let mut case = Case::new("jacobi", "jacobi/jacobi.cl");
    let grid_id = case.input("grid", ScalarType::F32, &grid);
    let source_id = case.input("source", ScalarType::F32, &source);
    let other_id = case.output("other", ScalarType::F32, width * height);
    for iteration in 0..iterations {
        let (from, to) = if iteration % 2 == 0 { (grid_id, other_id) } else { (other_id, grid_id) };
        case.launch(
            "jacobi",
            [round_up(width, GROUP[0]), round_up(height, GROUP[1])],
            GROUP,
            vec![
                Argument::Resource(from),
                Argument::Resource(source_id),
                Argument::Resource(to),
                Argument::value(width as i32),
                Argument::value(height as i32),
            ],
        );
    }

    let mut values: Vec<f64> = grid.iter().copied().map(f64::from).collect();
    for _ in 0..iterations {
        values = iterate(&values, &source, width, height);
    }
    let expected = generate(values.len(), |i| values[i] as f32);
    let tolerance = Tolerance::Float { absolute: 2e-6, relative: 0.0 };
    case.expect(grid_id, &expected, tolerance, "four roundings an iteration, of values below four");
    let bytes_each = 12 * (width * height) as u64;
    case.work = Work { bytes: bytes_each * iterations as u64, operations: 0 };
    case
}

fn iterate(values: &[f64], source: &[f32], width: usize, height: usize) -> Vec<f64> {
    generate_rows(height, width, |row, out: &mut [f64]| {
        let here = row * width;
        out.copy_from_slice(&values[here..here + width]);
        if row == 0 || row == height - 1 {
            return;
        }
        for (column, value) in out[..width - 1].iter_mut().enumerate().skip(1) {
            let i = here + column;
            let neighbours = values[i - 1] + values[i + 1] + values[i - width] + values[i + width];
            *value = (neighbours - f64::from(source[i])) / 4.0;
        }
    })
}
