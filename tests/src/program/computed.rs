//! Expected results that are too long for a header, computed here from what the program's comments say.

use half::bf16;

/// A function that computes the expected integers.
type Expectation = fn() -> Vec<i128>;

const ALL: &[(&str, Expectation)] = &[
    ("squares", squares),
    ("matrix_rows", matrix_rows),
    ("matrix_rows_as_bfloat16", matrix_rows_as_bfloat16),
    ("matrix_rows_through_bfloat16", matrix_rows_through_bfloat16),
];

/// The values that the function with this name computes, as words of a header.
pub fn words(name: &str) -> Result<String, String> {
    let (_, compute) = ALL
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(|| format!("no function `{name}` in program/computed.rs"))?;
    Ok(compute().iter().map(i128::to_string).collect::<Vec<_>>().join(" "))
}

/// Squares of 0 to 255.
fn squares() -> Vec<i128> {
    (0..256).map(|value| value * value).collect()
}

/// Half the sum of a row of the numbers 0 to 255, 16 in a row, and the number itself.
fn matrix_rows() -> Vec<i128> {
    (0..256).map(|number| ((number / 16 * 16)..(number / 16 * 16 + 16)).sum::<i128>() / 2 + number).collect()
}

/// The same as the bits of bfloat16 numbers.
fn matrix_rows_as_bfloat16() -> Vec<i128> {
    matrix_rows().into_iter().map(|sum| i128::from(bf16::from_f32(sum as f32).to_bits())).collect()
}

/// The same, rounded to bfloat16, which leaves whole numbers.
fn matrix_rows_through_bfloat16() -> Vec<i128> {
    matrix_rows().into_iter().map(|sum| bf16::from_f32(sum as f32).to_f32() as i128).collect()
}
