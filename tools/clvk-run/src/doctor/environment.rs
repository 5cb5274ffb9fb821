//! The environment variables that loaders, drivers and clvk read.

use super::report::{Line, Mark, Section};
use crate::variables::VARIABLES;
use std::ffi::OsString;

/// Beginnings of the names.
const PREFIXES: [&str; 4] = ["VK_", "OCL_", "CLVK_", "MESA_VK_"];

/// The value of a variable that is set and not empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
}

/// The variables that are set.
pub fn judge(variables: impl Iterator<Item = (OsString, OsString)>) -> Section {
    let mut found: Vec<(String, String)> = variables
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .filter(|(name, _)| PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
        .collect();
    found.sort();
    let mut lines: Vec<Line> = found.iter().map(|(name, value)| line(name, value)).collect();
    if lines.is_empty() {
        lines.push(Line::new(Mark::Ok, "no variable of Vulkan, OpenCL or clvk is set"));
    }
    Section { title: "Environment", lines }
}

fn line(name: &str, value: &str) -> Line {
    let text = format!("{name}={value}");
    if name.starts_with("CLVK_") && VARIABLES.iter().all(|(known, _)| *known != name) {
        return Line::new(Mark::Note, format!("{text} (not a variable for users of this clvk)"));
    }
    Line::new(Mark::Note, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_in_force_are_listed_and_others_are_not() {
        let set =
            [("HOME", "/root"), ("VK_DRIVER_FILES", "/x.json"), ("CLVK_LOG", "1"), ("CLVK_ROBUST", "1")];
        let lines = judge(set.into_iter().map(|(name, value)| (name.into(), value.into()))).lines;
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let unknown = "CLVK_LOG=1 (not a variable for users of this clvk)";
        assert_eq!(texts, [unknown, "CLVK_ROBUST=1", "VK_DRIVER_FILES=/x.json"]);
        assert_eq!(judge(std::iter::empty()).lines[0].mark, Mark::Ok);
    }
}
