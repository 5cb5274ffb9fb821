//! Sparse matrix times vector, ELLPACK with lengths of rows.

use crate::case::{Argument, Case, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const GROUP: usize = 128;
/// Places of a row.
const WIDTH: usize = 40;
/// The largest distance of a row's entries from the diagonal.
const BAND: u32 = 4096;
/// A column that does not exist, in the places that are not used.
const UNUSED: u32 = u32::MAX;

pub fn build(size: Size) -> Case {
    let rows: usize = size.pick(2051, 1 << 22);
    let pitch = round_up(rows, 32);
    let random: [Random; 4] = std::array::from_fn(|i| Random::new(301 + i as u64));
    // Neighbouring rows have similar lengths.
    let length = |row: usize| random[0].below(row / 64, WIDTH as u32 - 8) + random[0].below(row + rows, 9);
    let lengths = generate(rows, length);
    let is_used = |i: usize| i % pitch < rows && ((i / pitch) as u32) < lengths[i % pitch];
    let columns = generate(WIDTH * pitch, |i| {
        let column = (i % pitch) as i64 + i64::from(random[1].below(i, 2 * BAND)) - i64::from(BAND);
        if is_used(i) { column.rem_euclid(rows as i64) as u32 } else { UNUSED }
    });
    let values = generate(WIDTH * pitch, |i| if is_used(i) { random[2].signed(i) } else { f32::NAN });
    let x = generate(rows, |i| random[3].signed(i));

    let mut case = Case::new("spmv_ell", "spmv_ell/spmv_ell.cl");
    let lengths_id = case.input("lengths", ScalarType::U32, &lengths);
    let columns_id = case.input("columns", ScalarType::U32, &columns);
    let values_id = case.input("values", ScalarType::F32, &values);
    let x_id = case.input("x", ScalarType::F32, &x);
    let y_id = case.output("y", ScalarType::F32, rows);
    let mut arguments = vec![Argument::value(rows as u32), Argument::value(pitch as u32)];
    arguments.extend([lengths_id, columns_id, values_id, x_id, y_id].map(Argument::Resource));
    case.launch("spmv_ell", [round_up(rows, GROUP)], [GROUP], arguments);

    let expected = generate(rows, |row| {
        let places = (0..lengths[row] as usize).map(|entry| entry * pitch + row);
        places.map(|at| f64::from(values[at]) * f64::from(x[columns[at] as usize])).sum::<f64>() as f32
    });
    let tolerance = Tolerance::Float { absolute: 1e-5, relative: 0.0 };
    case.expect(y_id, &expected, tolerance, "sums of up to 40 products below one");
    let entries: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
    case.work = Work { bytes: 8 * entries + 12 * rows as u64, operations: 0 };
    case
}
