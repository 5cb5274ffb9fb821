//! Text in lines of a terminal's width.

/// The text in lines of at most `width` columns where its words allow, each indented by `indent`.
pub fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        let used = indent + line.chars().count();
        if line.is_empty() {
            line.push_str(word);
        } else if used + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.iter().map(|line| format!("{:indent$}{line}", "")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_are_as_long_as_fits_and_indented() {
        assert_eq!(wrapped("one two three", 2, 9), "  one two\n  three");
        assert_eq!(wrapped("a-very-long-word b", 1, 6), " a-very-long-word\n b");
        assert_eq!(wrapped("", 0, 10), "");
    }
}
