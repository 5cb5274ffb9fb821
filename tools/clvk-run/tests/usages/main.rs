//! Wrong usages, each with its exit code and the one message that it gets: the Markdown files of this folder
//! are run as they stand.
//!
//! After a change of a message, `TRYCMD=overwrite cargo test --workspace --test usages` writes the files
//! again; read the difference as a user would. `[..]` stands where the text depends on the device. The
//! commands run in `files`, which none of them may change.

use std::path::Path;

/// A command of the files, with what is expected.
struct Usage {
    line: String,
    code: Option<String>,
    output: Vec<String>,
}

/// The commands of the Markdown files: name of the file, and its commands.
fn usages() -> Vec<(String, Vec<Usage>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/usages");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let pages = entries.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages
        .map(|path| {
            let mut usages: Vec<Usage> = Vec::new();
            for line in std::fs::read_to_string(&path).unwrap().lines() {
                if let Some(command) = line.strip_prefix("$ ") {
                    usages.push(Usage { line: command.to_owned(), code: None, output: Vec::new() });
                } else if let Some(usage) = usages.last_mut() {
                    match line.strip_prefix("? ") {
                        Some(code) => usage.code = Some(code.to_owned()),
                        None => usage.output.push(line.to_owned()),
                    }
                }
            }
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), usages)
        })
        .collect()
}

#[test]
fn every_usage_gets_its_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/usages");
    // The other test names its files in full.
    std::env::set_current_dir(folder.join("files")).unwrap();
    trycmd::TestCases::new()
        .register_bin("clvk-run", Path::new(env!("CARGO_BIN_EXE_clvk-run")))
        .case(folder.join("*.md"));
}

#[test]
fn every_message_is_one_and_says_what_is_wrong() {
    let usages = usages();
    for (page, usage) in usages.iter().flat_map(|(page, usages)| usages.iter().map(move |it| (page, it))) {
        let Usage { line, code, output } = usage;
        assert!(line.starts_with("clvk-run"), "{page}: {line}");
        let code = code.as_deref().unwrap_or_else(|| panic!("{page}: {line} succeeds"));
        assert!(["1", "2", "3", "4"].contains(&code), "{page}: {line} ends with {code}");
        let says_what = |text: &&String| {
            text.starts_with("error: ")
                || text.contains(": error: ")
                || text.contains(": WRONG")
                || text.starts_with("  cannot run")
        };
        let messages = output.iter().filter(says_what).count();
        // Without a command, all there is to say is what commands there are.
        let is_help = output.iter().any(|text| text.starts_with("Usage:")) && messages == 0;
        assert!(messages == 1 || is_help, "{page}: {line} gets {messages} messages: {output:#?}");
        assert!(!output.iter().any(|text| text.contains("panicked")), "{page}: {line}");
    }
    assert!(usages.iter().map(|(_, usages)| usages.len()).sum::<usize>() >= 95);
}
