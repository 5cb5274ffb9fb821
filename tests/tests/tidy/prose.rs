//! Plain English: phrases that a native technical editor would strike out.

use crate::tree::{File, files, report};
use regex::Regex;

/// Phrases that must not occur, with what to write instead.
const BANNED: &[(&str, &str)] = &[
    (r"(?i)\bof which\b", "\"whose\", or two sentences"),
    (r"(?i)\bso many\b", "\"that many\", \"this many\""),
    (r"(?i)\bstands? for\b", "\"represents\", \"means\""),
    (r"(?i)\bmended\b|\bmends\b", "\"fixed\""),
    (r"(?i)\bnobody has at hand\b", "\"that is not available\""),
    (
        r"(?i)\bwho (?:asks|calls|enqueues|looks|needs|reads|uses|waits|wants|writes)\b",
        "name the caller, the thread ...",
    ),
];

/// "X is no Y" for "X is not a Y": the words before and after it distinguish it from "there is no", "is no
/// longer".
const IS_NO: &str = r"(?i)(?:\b(\w+)\W+)?\b(?:is|are|was|were) no (\w+)";

/// Words that may come before [`IS_NO`].
const BEFORE_NO: &[&str] = &["there", "here", "where"];

/// Words that may come after it.
const AFTER_NO: &[&str] = &[
    "longer", "more", "less", "better", "worse", "larger", "smaller", "later", "faster", "slower", "fewer",
    "other", "such",
];

/// Files that quote the phrases.
const QUOTING: &[&str] = &["tests/tests/tidy/prose.rs"];

#[test]
fn banned_phrases_do_not_occur() {
    let banned: Vec<(Regex, &str)> = BANNED
        .iter()
        .map(|(pattern, instead)| {
            (Regex::new(pattern).expect("the patterns are regular expressions"), *instead)
        })
        .collect();
    let is_no = Regex::new(IS_NO).expect("the pattern is a regular expression");
    let mut findings = Vec::new();
    for file in files().iter().filter(|file| is_prose(file)) {
        for (number, line) in file.lines() {
            for found in is_no.captures_iter(line) {
                let may = |group: usize, words: &[&str]| {
                    found
                        .get(group)
                        .is_some_and(|word| words.contains(&word.as_str().to_lowercase().as_str()))
                };
                if !may(1, BEFORE_NO) && !may(2, AFTER_NO) {
                    findings
                        .push(format!("{}:{number}: \"{}\"; write \"is not a ...\"", file.path, &found[0]));
                }
            }
            for (pattern, instead) in &banned {
                if let Some(found) = pattern.find(line) {
                    let found = found.as_str().trim();
                    findings.push(format!("{}:{number}: \"{found}\"; write {instead}", file.path));
                }
            }
        }
    }
    report("banned phrases do not occur", findings);
}

/// Our own prose: documents, and source code with its comments and messages.
fn is_prose(file: &File) -> bool {
    let quotes = QUOTING.contains(&file.path.as_str());
    !quotes && !file.path.starts_with("LICENSE") && (file.has_extension(&["md"]) || file.is_code())
}
