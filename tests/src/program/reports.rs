//! What the sanitizer must report, in comments of the program: `//~ KIND COUNT \`CODE\` TEXT` at the end of a
//! line means that this code in it is reported so often, with a message that contains the text. `*` is any
//! count, and `?` any count and none, for what depends on the order of work-groups. Several comments may
//! follow each other.

use clvk_interface::sanitize::Kind;

/// A report that must come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedReport {
    /// The kind of error.
    pub kind: Kind,
    /// The line, from 1.
    pub line: u32,
    /// The code at the place.
    pub code: String,
    /// How often; `None` if that is open.
    pub count: Option<u64>,
    /// It may also not come.
    pub optional: bool,
    /// What the message contains.
    pub text: String,
}

/// The reports that the comments of a program demand.
///
/// # Errors
/// A comment that is wrong: its line, and why.
pub fn expected_reports(text: &str) -> Result<Vec<ExpectedReport>, String> {
    let mut reports = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        for comment in line.split("//~").skip(1) {
            let report = parse(comment.trim(), number);
            reports.push(report.ok_or_else(|| format!("line {number}: `{comment}` is not a report"))?);
        }
    }
    Ok(reports)
}

fn parse(comment: &str, line: u32) -> Option<ExpectedReport> {
    let (kind, rest) = comment.split_once(' ')?;
    let (count, rest) = rest.trim_start().split_once(' ')?;
    let optional = count == "?";
    let count = if count == "*" || optional { None } else { Some(count.parse().ok()?) };
    let (code, text) = rest.trim_start().strip_prefix('`')?.split_once('`')?;
    let (code, text) = (code.to_owned(), text.trim().to_owned());
    Some(ExpectedReport { kind: Kind::from_name(kind)?, line, code, count, optional, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_say_what_is_reported_at_their_line() {
        let text = "a;\nb[1]; //~ bounds 3 `b[1]` read of //~ alignment * `b` x //~ races ? `b` y\n";
        let bounds = ExpectedReport {
            kind: Kind::Bounds,
            line: 2,
            code: "b[1]".to_owned(),
            count: Some(3),
            optional: false,
            text: "read of".to_owned(),
        };
        let found = expected_reports(text).unwrap();
        assert_eq!((found.len(), &found[0]), (3, &bounds));
        assert_eq!(found.iter().map(|report| report.optional).collect::<Vec<_>>(), [false, false, true]);
        assert_eq!((found[1].kind, found[1].count), (Kind::Alignment, None));
        assert_eq!(
            expected_reports("x //~ bound 1 `x` y").unwrap_err(),
            "line 1: ` bound 1 `x` y` is not a report"
        );
    }
}
