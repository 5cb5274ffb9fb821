//! Tests that do not apply to a device, because it lacks what they need. They are counted and named, never
//! omitted silently.

use std::fs::OpenOptions;
use std::io::Write as _;

/// File in which the tests of one run record what did not apply, one line each: device, test and reason,
/// separated by tabs.
const RECORD: &str = "CLVK_TESTS_NOT_APPLICABLE";

/// Records that a test does not apply to a device in the file that `CLVK_TESTS_NOT_APPLICABLE` names, if any,
/// and returns the reason in one line.
pub fn not_applicable(test: &str, device: &str, reason: &str) -> String {
    let reason = first_reason(reason);
    if let Some(path) = std::env::var_os(RECORD) {
        // A single write, so that lines of concurrent tests stay whole.
        let line = format!("{device}\t{test}\t{reason}\n");
        let written = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(line.as_bytes()));
        if let Err(error) = written {
            eprintln!("cannot record in {}: {error}", path.display());
        }
    }
    reason
}

/// The first line of a message, without the position and the kernel, which the test's name tells.
fn first_reason(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let text = line.split_once(" error: ").map_or(line, |(_, text)| text);
    let text = match text.strip_prefix("kernel `").and_then(|rest| rest.split_once("` ")) {
        Some((_, text)) => text,
        None => text,
    };
    text.to_owned()
}

/// Tests that need long for each program or kernel run one in this number of them; all if `CLVK_TESTS_ALL`
/// is 1.
#[must_use]
pub fn sample_step() -> usize {
    let all = std::env::var_os("CLVK_TESTS_ALL").is_some_and(|all| all == "1");
    if all { 1 } else { 16 }
}

/// Words of SPIR-V with added checks or counters for which lavapipe's compiler takes minutes.
const LARGEST_SAMPLED: usize = 60_000;

/// The reason why a module to which the compiler added code is not in the sample of [`sample_step`], if it is
/// not. Where all are run, it is.
#[must_use]
pub fn too_large_for_sample(spirv: &[u32]) -> Option<String> {
    let words = spirv.len();
    (sample_step() > 1 && words > LARGEST_SAMPLED)
        .then(|| format!("it becomes {words} words of SPIR-V, too many for the sample"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_one_line_without_place_and_kernel() {
        let message = "a/b.cl:17:5: error: kernel `link` keeps a pointer in a buffer; the device cannot\na/b.cl:1:1: more";
        assert_eq!(first_reason(message), "keeps a pointer in a buffer; the device cannot");
        assert_eq!(first_reason("it needs cl_khr_fp64"), "it needs cl_khr_fp64");
    }
}
