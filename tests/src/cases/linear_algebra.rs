//! Points transformed by a matrix and a quaternion. The kernel in C++ is a library of expression templates.

use crate::case::{Argument, Case, NOT_FUSED, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;

const GROUP: usize = 64;
/// The quaternion: its imaginary part and its real part.
const TURN: [f32; 4] = [0.5, 0.25, -0.75, 0.3];

pub fn build(size: Size) -> Case {
    named("linear_algebra", "linear_algebra/linear_algebra.cl", size)
}

/// The same with the kernel in C++.
pub fn build_cxx(size: Size) -> Case {
    named("linear_algebra_cxx", "linear_algebra/linear_algebra.clcpp", size)
}

fn named(name: &str, source: &str, size: Size) -> Case {
    let count = size.pick(1000, 1 << 24);
    let (random_matrix, random_point) = (Random::new(81), Random::new(82));
    let matrix: Vec<f32> = generate(16, |i| random_matrix.signed(i));
    let points: Vec<f32> = generate(4 * count, |i| random_point.signed(i));
    let mut case = Case::new(name, source);
    let matrix_id = case.input("rows", ScalarType::F32, &matrix);
    let points_id = case.input("points", ScalarType::F32, &points);
    let moved_id = case.output("moved", ScalarType::F32, 4 * count);
    case.launch(
        "transform",
        [round_up(count, GROUP)],
        [GROUP],
        vec![
            Argument::Resource(matrix_id),
            Argument::value(TURN),
            Argument::Resource(points_id),
            Argument::Resource(moved_id),
            Argument::value(count as u32),
        ],
    );
    let square = squared(&matrix);
    let expected: Vec<f32> = generate_rows(count, 4, |i, out: &mut [f32]| {
        out.copy_from_slice(&transformed(&square, &points[4 * i..4 * i + 4]));
    });
    case.expect(moved_id, &expected, Tolerance::Exact, NOT_FUSED);
    case.work = Work { bytes: 32 * count as u64, operations: 0 };
    case
}

fn squared(matrix: &[f32]) -> [[f32; 4]; 4] {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            let product = |k: usize| matrix[4 * row + k] * matrix[4 * k + column];
            product(0) + product(1) + product(2) + product(3)
        })
    })
}

fn crossed(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn transformed(square: &[[f32; 4]; 4], point: &[f32]) -> [f32; 4] {
    let dot = |a: &[f32; 4], b: &[f32]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    let v: [f32; 4] = std::array::from_fn(|row| dot(&square[row], point));
    let axis = [TURN[0], TURN[1], TURN[2]];
    let t = crossed(axis, [v[0], v[1], v[2]]).map(|x| 2.0 * x);
    let across = crossed(axis, t);
    let w: [f32; 3] = std::array::from_fn(|i| v[i] + TURN[3] * t[i] + across[i]);
    let turned = [w[0], w[1], w[2], v[3]];
    let sum: [f32; 4] = std::array::from_fn(|i| turned[i] * 0.5 + v[i] - point[i]);
    [sum[0], sum[1], sum[2], dot(&turned, &v)]
}
