//! The text below a command's options in `--help`, taken apart: blocks between empty lines.
//!
//! A block is a table if its first line ends with a colon and the next is indented; `Exit codes: 0 right, …`;
//! `Example:` with command lines; the build options; or paragraphs.

/// What the text consists of.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Help {
    /// Sentences that belong to no table.
    pub paragraphs: Vec<String>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Whether the command takes build options.
    pub has_build_options: bool,
    /// Exit codes.
    pub exit_codes: Vec<Row>,
    /// Command lines.
    pub examples: Vec<String>,
}

/// A table.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// What it is of, for a heading.
    pub title: String,
    /// Its first line.
    pub introduction: String,
    /// Rows.
    pub rows: Vec<Row>,
    /// Sentences below.
    pub paragraphs: Vec<String>,
}

/// A row: a term and what it means.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// Term.
    pub term: String,
    /// What it means.
    pub text: String,
}

/// Lines that are indented further than this continue the row above.
const TERM_INDENT: usize = 4;

/// Takes a text apart.
pub fn read(text: &str) -> Help {
    let mut help = Help::default();
    for block in text.split("\n\n") {
        let lines: Vec<&str> = block.lines().filter(|line| !line.trim().is_empty()).collect();
        let Some((first, rest)) = lines.split_first() else { continue };
        let has_rows = rest.first().is_some_and(|line| line.starts_with(' '));
        if let Some(codes) = first.strip_prefix("Exit codes: ") {
            help.exit_codes = exit_codes(&[&[codes], rest].concat().join(" "));
        } else if first.starts_with("Build options") {
            help.has_build_options = true;
        } else if ["Example:", "Examples:"].contains(first) {
            help.examples = rest.iter().map(|line| line.trim().to_owned()).collect();
        } else if first.ends_with(':') && has_rows {
            help.tables.push(table(first, rest));
        } else {
            help.paragraphs.extend(paragraphs(&lines));
        }
    }
    help
}

/// `0 right, 1 verification failed, 2 usage.`
fn exit_codes(text: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for part in text.trim_end_matches('.').split(", ") {
        match part.split_once(' ') {
            Some((code, text)) if code.parse::<u8>().is_ok() => {
                rows.push(Row { term: code.to_owned(), text: text.to_owned() });
            }
            // A comma within the meaning of the last one.
            _ => {
                if let Some(row) = rows.last_mut() {
                    row.text.push_str(&format!(", {part}"));
                }
            }
        }
    }
    rows
}

fn table(first: &str, rest: &[&str]) -> Table {
    let mut rows: Vec<Row> = Vec::new();
    let below = rest.iter().position(|line| !line.starts_with(' ')).unwrap_or(rest.len());
    for line in &rest[..below] {
        let indent = line.len() - line.trim_start().len();
        match rows.last_mut() {
            Some(row) if indent > TERM_INDENT => {
                let separator = if row.text.is_empty() { "" } else { "; " };
                row.text.push_str(&format!("{separator}{}", line.trim()));
            }
            // Terms have gaps of their own; the last one is before the meaning.
            _ => {
                let (term, text) = line.trim().rsplit_once("  ").unwrap_or((line.trim(), ""));
                rows.push(Row { term: term.trim_end().to_owned(), text: text.to_owned() });
            }
        }
    }
    let title = first.split([',', ':']).next().unwrap_or_default().to_uppercase();
    Table { title, introduction: first.to_string(), rows, paragraphs: paragraphs(&rest[below..]) }
}

/// Lines joined; one that begins with a word in capitals, such as TYPE, begins a paragraph.
fn paragraphs(lines: &[&str]) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    for line in lines {
        let word = line.split(' ').next().unwrap_or_default();
        let is_new = word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase());
        match paragraphs.last_mut() {
            Some(paragraph) if !is_new => paragraph.push_str(&format!(" {}", line.trim())),
            _ => paragraphs.push(line.trim().to_owned()),
        }
    }
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(term: &str, text: &str) -> Row {
        Row { term: term.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn blocks_are_told_apart() {
        let text = "\
A sentence
in two lines.

Arguments, in order:
  2.5f  7u         scalars
  sampler:A|B
                   A: none
                   B: nearest
TYPE is a type,
with more.
FILE is a file.

Exit codes: 0 right, 2 usage,
or worse, 4 the device failed.

Example:
  clvk-run run x -- 1

Build options, as OpenCL spells them:
  -D NAME";
        let help = read(text);
        assert_eq!(help.paragraphs, ["A sentence in two lines."]);
        let [table] = help.tables.as_slice() else { panic!("{help:?}") };
        assert_eq!(
            (table.title.as_str(), table.introduction.as_str()),
            ("ARGUMENTS", "Arguments, in order:")
        );
        assert_eq!(table.rows, [row("2.5f  7u", "scalars"), row("sampler:A|B", "A: none; B: nearest")]);
        assert_eq!(table.paragraphs, ["TYPE is a type, with more.", "FILE is a file."]);
        assert_eq!(
            help.exit_codes,
            [row("0", "right"), row("2", "usage, or worse"), row("4", "the device failed")]
        );
        assert_eq!(help.examples, ["clvk-run run x -- 1"]);
        assert!(help.has_build_options);
        assert_eq!(read(""), Help::default());
    }
}
