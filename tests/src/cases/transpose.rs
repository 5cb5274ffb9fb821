//! Transposition of a matrix.

use crate::case::{Argument, Case, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;

const TILE: usize = 32;
const ROWS: usize = 8;

pub fn build(size: Size) -> Case {
    let (width, height) = size.pick((100, 70), (16384, 16384));
    let random = Random::new(21);
    let matrix = generate(width * height, |i| random.signed(i));

    let mut case = Case::new("transpose", "transpose/transpose.cl");
    let in_id = case.input("in", ScalarType::F32, &matrix);
    let out_id = case.output("out", ScalarType::F32, width * height);
    case.launch(
        "transpose",
        [round_up(width, TILE), round_up(height, TILE) / (TILE / ROWS)],
        [TILE, ROWS],
        vec![
            Argument::Resource(in_id),
            Argument::Resource(out_id),
            Argument::value(width as u32),
            Argument::value(height as u32),
        ],
    );
    let expected = generate_rows(width, height, |column, out: &mut [f32]| {
        for (row, value) in out.iter_mut().enumerate() {
            *value = matrix[row * width + column];
        }
    });
    case.expect(out_id, &expected, Tolerance::Exact, "values are only moved");
    case.work = Work { bytes: 8 * (width * height) as u64, operations: 0 };
    case
}
