//! Sparse matrix times vector, compressed rows.

use crate::case::{Argument, Case, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const GROUP: usize = 256;
/// Work-items that share a row.
const LANES: usize = 16;
/// The largest distance of a row's entries from the diagonal.
const BAND: u32 = 4096;

pub fn build(size: Size) -> Case {
    let rows: usize = size.pick(1003, 1 << 22);
    let (random_length, random_column) = (Random::new(121), Random::new(122));
    let (random_value, random_x) = (Random::new(123), Random::new(124));
    // Rows of 0 to 63 entries.
    let mut first = vec![0u32; rows + 1];
    for row in 0..rows {
        first[row + 1] = first[row] + random_length.below(row, 64);
    }
    let entries = first[rows] as usize;
    let columns = generate(entries, |entry| {
        let row = first.partition_point(|&start| start as usize <= entry) - 1;
        let column = row as i64 + i64::from(random_column.below(entry, 2 * BAND)) - i64::from(BAND);
        column.rem_euclid(rows as i64) as u32
    });
    let values = generate(entries, |entry| random_value.signed(entry));
    let x = generate(rows, |i| random_x.signed(i));

    let mut case = Case::new("spmv", "spmv/spmv.cl");
    case.options = vec![format!("-DLANES={LANES}")];
    let first_id = case.input("first", ScalarType::U32, &first);
    let columns_id = case.input("columns", ScalarType::U32, &columns);
    let values_id = case.input("values", ScalarType::F32, &values);
    let x_id = case.input("x", ScalarType::F32, &x);
    let y_id = case.output("y", ScalarType::F32, rows);
    let mut arguments = vec![Argument::value(rows as u32)];
    arguments.extend([first_id, columns_id, values_id, x_id, y_id].map(Argument::Resource));
    case.launch("spmv", [round_up(rows * LANES, GROUP)], [GROUP], arguments);

    let expected = generate(rows, |row| {
        let entries = first[row] as usize..first[row + 1] as usize;
        entries.map(|entry| f64::from(values[entry]) * f64::from(x[columns[entry] as usize])).sum::<f64>()
            as f32
    });
    let tolerance = Tolerance::Float { absolute: 1e-5, relative: 0.0 };
    case.expect(y_id, &expected, tolerance, "sums of up to 63 products below one");
    case.work = Work { bytes: (8 * entries + 12 * rows) as u64, operations: 0 };
    case
}
