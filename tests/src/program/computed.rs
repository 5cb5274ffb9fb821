//! Expected results that are too long for a header, computed here from what the program's comments say.

/// A function that computes the expected integers.
type Expectation = fn() -> Vec<i128>;

const ALL: &[(&str, Expectation)] = &[("squares", squares), ("matrix_rows", matrix_rows)];

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
