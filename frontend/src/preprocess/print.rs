//! Preprocessed text (`-E`), and the date for `__DATE__` and `__TIME__`.

use super::Preprocessor;
use super::pp_token::{PpKind, PpToken};
use super::scan;
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::source::Location;
use crate::token::{Pragma, Punct};
use std::fmt::Write;

/// Most empty lines that are written instead of a `#line`.
const BLANK_LINES: u32 = 8;

impl Preprocessor<'_> {
    /// The preprocessed text; compiles to the same program.
    pub(super) fn print_all(&mut self) -> String {
        let mut printer = Printer { out: String::new(), place: None, last: None };
        loop {
            let token = self.next_expanded();
            if token.is_end() {
                break;
            }
            if printer.out.len() > limits::FILE_SIZE {
                let message = format!("the preprocessed text is larger than {} MiB", limits::FILE_SIZE >> 20);
                self.stop(Diagnostic::error(token.span, message));
                break;
            }
            self.print(&mut printer, token);
        }
        if !printer.out.is_empty() {
            printer.out.push('\n');
        }
        printer.out
    }

    fn print(&mut self, printer: &mut Printer, token: PpToken) {
        let starts_line = token.flags.line_start || printer.place.is_none();
        // A token after one that ends the line also begins a line.
        if begins_directive(token.kind) && (starts_line || printer.out.ends_with('\n')) {
            printer.stay();
        } else if starts_line {
            printer.go_to(self.sources.location(token.span));
        } else if token.flags.space {
            printer.out.push(' ');
        }
        let mut text = String::new();
        match token.kind {
            PpKind::Pragma(index) => text = self.pragma_text(self.pragmas[index as usize]),
            kind => kind.write(&mut text, self.interner),
        }
        if printer.joins(&text) {
            printer.out.push(' ');
        }
        printer.out.push_str(&text);
        printer.last = Some(text);
        // An unclosed quote takes the rest of its line, and a macro argument may have joined that line with
        // others.
        if matches!(token.kind, PpKind::Pragma(_) | PpKind::Unterminated(_)) {
            printer.out.push('\n');
            printer.last = None;
            if let Some(place) = &mut printer.place {
                place.line += 1;
            }
        }
    }

    fn pragma_text(&self, pragma: Pragma) -> String {
        match pragma {
            Pragma::FpContract(Some(true)) => "#pragma OPENCL FP_CONTRACT ON".to_owned(),
            Pragma::FpContract(Some(false)) => "#pragma OPENCL FP_CONTRACT OFF".to_owned(),
            Pragma::FpContract(None) => "#pragma OPENCL FP_CONTRACT DEFAULT".to_owned(),
            Pragma::Extension { name, enable } => {
                let behaviour = if enable { "enable" } else { "disable" };
                format!("#pragma OPENCL EXTENSION {} : {behaviour}", self.interner.text(name))
            }
            Pragma::Pack(None) => "#pragma pack()".to_owned(),
            Pragma::Pack(Some(align)) => format!("#pragma pack({align})"),
            Pragma::Unroll(None) => "#pragma unroll".to_owned(),
            Pragma::Unroll(Some(count)) => format!("#pragma unroll {count}"),
        }
    }
}

/// Whether a token at the start of a line would look like the beginning of a directive.
fn begins_directive(kind: PpKind) -> bool {
    matches!(kind, PpKind::Punct(Punct::Hash))
}

/// The highest number that `#line` may give (C99 §6.10.4).
const LAST_LINE: u32 = i32::MAX as u32;

/// A file name as the inside of a string literal.
fn quoted(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        match character {
            '\\' | '"' => text.extend(['\\', character]),
            _ if character.is_ascii_control() => {
                let _ = write!(text, "\\{:03o}", u32::from(character));
            }
            _ => text.push(character),
        }
    }
    text
}

/// An empty macro, written before tokens that must not be first on their line.
const NOTHING: &str = "__clvk_nothing";

struct Printer {
    out: String,
    /// The place that a reader assumes for the current line.
    place: Option<Location>,
    /// The token that was written last; `None` at the start of a line.
    last: Option<String>,
}

impl Printer {
    /// Starts the line that a place names.
    fn go_to(&mut self, to: Location) {
        let from = self.place.take();
        let lines = from.as_ref().filter(|from| from.file == to.file && from.line <= to.line);
        match lines.map(|from| to.line - from.line).filter(|&lines| lines <= BLANK_LINES) {
            Some(lines) => self.out.extend(std::iter::repeat_n('\n', lines as usize)),
            None => {
                if !self.out.is_empty() && !self.out.ends_with('\n') {
                    self.out.push('\n');
                }
                let _ = writeln!(self.out, "#line {} \"{}\"", to.line.min(LAST_LINE), quoted(&to.file));
            }
        }
        if !self.out.ends_with('\n') {
            self.out.push(' ');
        } else {
            let indent = to.column.saturating_sub(1).min(40);
            self.out.extend(std::iter::repeat_n(' ', indent as usize));
        }
        self.last = None;
        self.place = Some(to);
    }

    /// Makes sure that the next token is not the first on its line.
    fn stay(&mut self) {
        let line = self.out.rsplit('\n').next().unwrap_or_default();
        if !line.trim().is_empty() {
            self.out.push(' ');
            return;
        }
        let _ = write!(self.out, "\n#define {NOTHING}\n{NOTHING} ");
        self.place = None;
    }

    /// Whether a token directly after the last one would form another token with it.
    fn joins(&self, text: &str) -> bool {
        let Some(last) = self.last.as_ref().filter(|last| self.out.ends_with(last.as_str())) else {
            return false;
        };
        if last.is_empty() || text.is_empty() {
            return false;
        }
        let head: String = text.chars().take(3).collect();
        let both = format!("{last}{head}");
        let (kind, end) = scan::token(&both, 0, true);
        end != last.len() || matches!(kind, scan::Scanned::LineComment | scan::Scanned::BlockComment)
    }
}

/// The current date and time in the forms of `__DATE__` and `__TIME__` (C99 §6.10.8), in UTC. Where there is
/// no clock it is the start of 1970, because the standard wants a valid date then.
pub(super) fn date_and_time() -> (String, String) {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
    let now = has_clock.then(|| std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok());
    let seconds = now.flatten().map_or(0, |now| now.as_secs());
    let (year, month, day) = civil_date(seconds / 86_400);
    let date = format!("{} {day:2} {year}", MONTHS[month]);
    let time = format!("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    (date, time)
}

/// Year, month from 0 and day of the month of a day after 1 January 1970.
fn civil_date(mut days: u64) -> (u64, usize, u64) {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 0;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn dates_follow_the_calendar() {
        assert_eq!(super::civil_date(0), (1970, 0, 1));
        assert_eq!(super::civil_date(11_016), (2000, 1, 29));
        assert_eq!(super::civil_date(19_782), (2024, 1, 29));
        assert_eq!(super::civil_date(20_088), (2024, 11, 31));
    }
}
