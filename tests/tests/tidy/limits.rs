//! Sizes of files and lengths of comments.

use crate::tree::{File, files, report};

/// The most lines of a source file.
const FILE_LINES: usize = 600;

/// The most columns of a line that is a comment, or prose in a document's paragraph.
const COMMENT_COLUMNS: usize = 110;

/// Longer files, with the lines that they may have. Only remove rows, or lower their numbers.
const LONG_FILES: &[(&str, usize)] = &[];

#[test]
fn files_stay_short() {
    let mut findings = Vec::new();
    for file in files().iter().filter(|file| file.is_code()) {
        let lines = file.text.lines().count();
        let exception = LONG_FILES.iter().find(|(path, _)| *path == file.path);
        match exception {
            None if lines > FILE_LINES => {
                findings.push(format!("{}: {lines} lines; split it", file.path));
            }
            Some((_, most)) if lines > *most => {
                findings.push(format!("{}: grew to {lines} lines; split it", file.path));
            }
            Some(_) if lines <= FILE_LINES => {
                findings.push(format!("{}: {lines} lines; take it off the list", file.path));
            }
            _ => {}
        }
    }
    for (path, _) in LONG_FILES {
        if !files().iter().any(|file| file.path == *path) {
            findings.push(format!("{path} does not exist; take it off the list"));
        }
    }
    report("source files have at most 600 lines", findings);
}

#[test]
fn comments_stay_narrow() {
    let mut findings = Vec::new();
    for file in files().iter().filter(|file| file.is_code()) {
        for (number, line) in file.lines() {
            let columns = line.chars().count();
            if columns > COMMENT_COLUMNS && is_comment(file, line) {
                findings.push(format!("{}:{number}: {columns} columns", file.path));
            }
        }
    }
    report("comments have at most 110 columns", findings);
}

/// Files with lines that look like comments but are contents of strings.
const STRINGS: &[&str] = &["tests/src/program/header.rs"];

/// Whether a line is only a comment. Rows of a table, and data in the header of a test program, do not count,
/// because they cannot be broken.
fn is_comment(file: &File, line: &str) -> bool {
    let text = line.trim_start();
    let is_data = file.has_extension(&["cl"]) && (text.starts_with("//!") || text.starts_with("//#"));
    if is_data || STRINGS.contains(&file.path.as_str()) {
        return false;
    }
    let rest = if file.has_extension(&["rs", "cl", "c", "js"]) {
        text.strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']))
    } else {
        text.strip_prefix('#')
    };
    rest.is_some_and(|rest| !rest.trim_start().starts_with('|'))
}
