//! Kernels that leave their memory.

use crate::harness::Folder;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Each work-item writes 400 MB behind the one before: a driver on the CPU dies of it, a GPU may lose the
/// device.
const OUTSIDE: &str = "kernel void outside(global int *x) { x[get_global_id(0) * 100000000ul] = 1; }\n";

#[test]
fn a_kernel_that_leaves_its_memory_is_a_failure_of_the_device() {
    let folder = Folder::new("crash");
    folder.write("o.cl", OUTSIDE);
    let arguments = ["--global", "64", "--", "zero:int[4]"];
    let run = folder.run(&[&["run", "o.cl"], &arguments[..]].concat());
    if run.code == 0 {
        // The device ignores such accesses.
        return;
    }
    assert_eq!((run.code, run.out.as_str()), (4, ""), "{run:?}");
    assert!(run.err.contains("left its memory") && run.err.contains("`--robust`"), "{run:?}");
    assert!(run.err.starts_with("error: ") && run.err.trim_end().lines().count() == 1, "{run:?}");
    let run = folder.run(&[&["run", "o.cl", "--json"], &arguments[..]].concat());
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((run.code, &report["error"]["kind"]), (4, &"device".into()), "{run:?}");
    let robust = ["run", "o.cl", "--robust", "--print", "x"];
    assert_eq!(folder.printed(&[&robust[..], &arguments].concat()), ["1", "0", "0", "0"]);
}

#[test]
fn ending_the_program_ends_the_kernel() {
    let folder = Folder::new("ended");
    // A source that never comes: the program waits for its end.
    let mut child = folder
        .command(&["run", "/dev/stdin", "--", "zero:int[4]"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let own_children = format!("/proc/{0}/task/{0}/children", child.id());
    let second = wait_for(|| {
        let list = std::fs::read_to_string(&own_children).unwrap_or_default();
        list.split_whitespace().next().map(str::to_owned)
    });
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    let state = format!("/proc/{second}/stat");
    wait_for(|| match std::fs::read_to_string(&state) {
        Ok(text) if !text.contains(") Z ") => None,
        _ => Some(()),
    });
}

fn wait_for<T>(mut condition: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "waited in vain");
        std::thread::sleep(Duration::from_millis(10));
    }
}
