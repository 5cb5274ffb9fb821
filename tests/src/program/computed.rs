//! Expected results that are too long for a header, computed here from what the program's comments say.

/// A function that computes the expected integers.
type Expectation = fn() -> Vec<i128>;

const ALL: &[(&str, Expectation)] = &[("squares", squares)];

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
