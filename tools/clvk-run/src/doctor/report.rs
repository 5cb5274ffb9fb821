//! What the doctor says: sections of lines, each with a mark and, where something is wrong, a remedy.

use crate::wrap::wrapped;
use serde::Serialize;

/// How a fact is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// As it should be.
    Ok,
    /// Worth knowing, and nothing to do about.
    Note,
    /// It limits something.
    Warn,
    /// What it is for does not work.
    Missing,
}

/// A fact and its judgement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Judgement.
    pub mark: Mark,
    /// Fact.
    pub text: String,
    /// What to do: a command or a sentence.
    pub remedy: Option<String>,
}

impl Line {
    /// A fact that needs nothing done.
    pub fn new(mark: Mark, text: impl Into<String>) -> Self {
        Line { mark, text: text.into(), remedy: None }
    }

    /// The same with what to do.
    pub fn remedy(self, remedy: impl Into<String>) -> Self {
        Line { remedy: Some(remedy.into()), ..self }
    }
}

/// The lines of a topic.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// Topic.
    pub title: &'static str,
    /// Lines.
    pub lines: Vec<Line>,
}

/// Everything.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Of this program.
    pub version: &'static str,
    /// Devices that kernels can run on.
    pub usable_devices: usize,
    /// Topics.
    pub sections: Vec<Section>,
}

/// Columns before a line's text.
const INDENT: usize = 10;

impl Report {
    /// The report for a terminal of this many columns.
    pub fn text(&self, width: usize) -> String {
        let devices = match self.usable_devices {
            0 => "\u{1b}[1;31mno device can be used\u{1b}[0m".to_owned(),
            1 => "1 device can be used".to_owned(),
            several => format!("{several} devices can be used"),
        };
        let mut lines = vec![format!("clvk-run {}: {devices}", self.version)];
        for section in &self.sections {
            lines.push(format!("\n\u{1b}[1m{}\u{1b}[0m", section.title));
            for line in &section.lines {
                let text = wrapped(&breakable(&line.text, width - INDENT), INDENT, width);
                lines.push(format!("{}{}", mark(line.mark), text.trim_start()));
                if let Some(remedy) = &line.remedy {
                    let text = wrapped(&format!("→ {remedy}"), INDENT, width);
                    lines.push(format!("\u{1b}[36m{text}\u{1b}[0m"));
                }
            }
        }
        lines.join("\n")
    }
}

/// The text with spaces in words that are longer than a line, such as lists of paths: after a colon or comma,
/// else after a slash, if there is one.
fn breakable(text: &str, columns: usize) -> String {
    let words: Vec<String> = text.split(' ').map(|word| broken(word, columns.max(1))).collect();
    words.join(" ")
}

fn broken(word: &str, columns: usize) -> String {
    let (mut parts, mut rest) = (Vec::new(), word);
    while let Some((end, _)) = rest.char_indices().nth(columns) {
        let head = &rest[..end];
        let end = head.rfind([':', ',']).or_else(|| head.rfind('/')).map_or(end, |separator| separator + 1);
        let (part, tail) = rest.split_at(end);
        parts.push(part);
        rest = tail;
    }
    parts.push(rest);
    parts.join(" ")
}

fn mark(mark: Mark) -> String {
    let (colour, word) = match mark {
        Mark::Ok => (32, "ok"),
        Mark::Note => (2, "note"),
        Mark::Warn => (33, "warn"),
        Mark::Missing => (31, "missing"),
    };
    format!("  \u{1b}[{colour}m{word:<0$}\u{1b}[0m", INDENT - 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_longer_than_a_line_are_broken_at_separators() {
        assert_eq!(breakable("A=/usr/x.json:/usr/y.json is", 16), "A=/usr/x.json: /usr/y.json is");
        assert_eq!(breakable("ääääää b", 4), "ääää ää b");
        assert_eq!(breakable("short words", 5), "short words");
    }

    #[test]
    fn lines_are_aligned_wrapped_and_followed_by_their_remedies() {
        let line = Line::new(Mark::Missing, "one two three four").remedy("sudo apt-get install five");
        let lines = vec![Line::new(Mark::Ok, "fine"), line];
        let sections = vec![Section { title: "Topic", lines }];
        let text = Report { version: "1", usable_devices: 1, sections }.text(24);
        let plain = anstream::adapter::strip_str(&text).to_string();
        let expected = "clvk-run 1: 1 device can be used\n\nTopic\n  ok      fine\n  missing one two three\n          four\n          → sudo apt-get\n          install five";
        assert_eq!(plain, expected);
    }
}
