//! `--where`: a condition on a variable.

use clvk::interface::measure::{Condition, Relation};

/// A variable, and what its value is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The variable's name.
    pub variable: String,
    /// What holds of its value.
    pub condition: Condition,
    /// As it was written.
    pub text: String,
}

const RELATIONS: [(&str, Relation); 6] = [
    ("==", Relation::Equal),
    ("!=", Relation::Different),
    ("<=", Relation::LessOrEqual),
    (">=", Relation::GreaterOrEqual),
    ("<", Relation::Less),
    (">", Relation::Greater),
];

fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|it| it.is_ascii_alphabetic() || it == '_')
        && characters.all(|it| it.is_ascii_alphanumeric() || it == '_')
}

impl Wanted {
    /// Reads `VARIABLE RELATION NUMBER`, `isnan(VARIABLE)` or `isinf(VARIABLE)`.
    ///
    /// # Errors
    /// A sentence that says what is expected.
    pub fn parse(text: &str) -> Result<Wanted, String> {
        let wrong = || {
            "a variable, a relation (==, !=, <, <=, >, >=) and a number are expected, such as `x > 1.5`, or \
             `isnan(x)`, `isinf(x)`"
                .to_owned()
        };
        let wanted = |variable: &str, relation, float: f64, int| {
            let (variable, condition) =
                (variable.trim(), Condition { relation, float: float.to_bits(), int });
            let text = text.trim().to_owned();
            is_name(variable)
                .then(|| Wanted { variable: variable.to_owned(), condition, text })
                .ok_or_else(wrong)
        };
        for (name, relation) in [("isnan(", Relation::IsNan), ("isinf(", Relation::IsInfinite)] {
            let inner = text.trim().strip_prefix(name).and_then(|rest| rest.strip_suffix(')'));
            if let Some(variable) = inner {
                return wanted(variable, relation, 0.0, None);
            }
        }
        let found = RELATIONS.iter().find_map(|(word, relation)| Some((text.split_once(word)?, *relation)));
        let ((variable, number), relation) = found.ok_or_else(wrong)?;
        let number = number.trim().trim_end_matches(['f', 'F', 'u', 'U', 'l', 'L']);
        let int = match number.strip_prefix("0x").or(number.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(digits, 16).ok().map(|it| it as i64),
            None => number.parse::<i64>().ok().or(number.parse::<u64>().ok().map(|it| it as i64)),
        };
        let float = number.parse::<f64>().ok().or(int.map(|it| it as f64)).ok_or_else(wrong)?;
        let int = int.or((float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64));
        wanted(variable, relation, float, int)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        let read = |text: &str| Wanted::parse(text).map(|it| (it.variable, it.condition));
        let condition = |relation, float: f64, int| Condition { relation, float: float.to_bits(), int };
        assert_eq!(read("x > 1.5f"), Ok(("x".to_owned(), condition(Relation::Greater, 1.5, None))));
        assert_eq!(read("i<=-3"), Ok(("i".to_owned(), condition(Relation::LessOrEqual, -3.0, Some(-3)))));
        assert_eq!(read("i == 0x10"), Ok(("i".to_owned(), condition(Relation::Equal, 16.0, Some(16)))));
        assert_eq!(read(" isnan(sum) "), Ok(("sum".to_owned(), condition(Relation::IsNan, 0.0, None))));
        for wrong in ["x", "x > ", "3 > x", "isnan()", "x = 3", "a[1] == 2", ""] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
