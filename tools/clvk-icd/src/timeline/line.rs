//! Text of the file.

use std::fmt::Write as _;

/// A line of the file. There are many, and formatting is slow.
#[derive(Default)]
pub struct Line(pub Vec<u8>);

impl Line {
    /// Adds text as it is.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// Adds a number.
    pub fn number(&mut self, mut number: u64) -> &mut Self {
        let mut digits = [b'0'; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] += (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.0.extend_from_slice(&digits[first..]);
        self
    }

    /// Nanoseconds as microseconds.
    pub fn micros(&mut self, time: u64) -> &mut Self {
        let part = (time % 1000) as u32;
        let digits = [100, 10, 1].map(|place| b'0' + (part / place % 10) as u8);
        self.number(time / 1000).text(".").0.extend_from_slice(&digits);
        self
    }
}

/// A text in a string of JSON.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\\' => escaped.extend(['\\', character]),
            character if character < ' ' => {
                let _ = write!(escaped, "\\u{:04x}", character as u32);
            }
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_microseconds() {
        let mut line = Line::default();
        line.micros(0).text(" ").micros(1_002_003).text(" ").micros(u64::MAX);
        assert_eq!(line.0.as_slice(), b"0.000 1002.003 18446744073709551.615");
    }

    #[test]
    fn names_become_strings_of_json() {
        assert_eq!(escaped("a\"b\\c\n\u{d7}"), "a\\\"b\\\\c\\u000a\u{d7}");
    }
}
