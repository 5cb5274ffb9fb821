//! `run --sanitize`: errors of kernels, with their places.

use crate::harness::Folder;
use serde_json::{Value, json};

const SHIFT: &str = "kernel void shift(global const int *in, global int *out, int by)
{
    int i = get_global_id(0);
    out[i] = in[i + by];
    if (by > 1)
        out[i] /= by - 2;
}
";

#[test]
fn errors_are_reported_with_their_places_and_the_exit_code_1() {
    let folder = Folder::new("sanitizer");
    folder.write("shift.cl", SHIFT);
    let arguments = ["--", "fill:3:int[32]", "zero:int[32]"];
    let run = folder.run(&[&["run", "shift.cl", "--sanitize"], &arguments[..], &["2"]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    let first = "error: read of 4 bytes at byte 128 of the argument `in` (0), which has 128 bytes [bounds]\n \
                 --> shift.cl:4:14\n4 |     out[i] = in[i + by];\n  |              ^^^^^^^^^^\n  = kernel `shift`, 2 times; first in the \
                 work-item (30, 0, 0), which is (30, 0, 0) in the work-group (0, 0, 0)\n";
    assert!(run.err.contains(first), "{}", run.err);
    assert!(run.err.contains("error: division by zero: "), "{}", run.err);
    assert!(run.err.contains(" / 0 [arithmetic]\n --> shift.cl:6:9\n"), "{}", run.err);
    assert!(run.err.ends_with("2 errors generated\n"), "{}", run.err);

    let one = ["run", "shift.cl", "--sanitize=arithmetic", "--json"];
    let run = folder.run(&[&one[..], &arguments, &["2"]].concat());
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let found = report["sanitizer"].as_array().unwrap();
    assert_eq!((run.code, found.len()), (1, 1), "{run:?}");
    let place = json!({ "file": "shift.cl", "line": 6, "column": 9, "end_line": 6, "end_column": 25 });
    assert_eq!(
        (&found[0]["kind"], &found[0]["place"], &found[0]["count"]),
        (&"arithmetic".into(), &place, &32.into())
    );

    let good = folder.good(&[&["run", "shift.cl", "--sanitize"], &arguments[..], &["0"]].concat());
    assert!(good.out.ends_with("the sanitizer found no errors\n"), "{good:?}");
    let plain = folder.good(&[&["run", "shift.cl", "--json"], &arguments[..], &["0"]].concat());
    assert!(!plain.out.contains("sanitizer"), "{plain:?}");
    let run = folder.run(&[&["run", "shift.cl", "--sanitize=bound"], &arguments[..], &["0"]].concat());
    assert!(run.code == 2 && run.err.contains("no kind `bound`; choose among bounds, alignment"), "{run:?}");
}

#[test]
fn variables_are_shown_where_they_are_declared() {
    let folder = Folder::new("sanitizer-variable");
    let source = "kernel void k(global int *out)\n{\n    int own[2] = { 1, 2 };\n    out[0] = own[get_global_id(0)];\n}\n";
    folder.write("k.cl", source);
    let run = folder.run(&["run", "k.cl", "--sanitize", "--global", "3", "--", "zero:int[1]"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("of the variable `own`, which has 8 bytes [bounds]"), "{}", run.err);
    assert!(
        run.err.contains("::: k.cl:3:9: the variable is declared here\n3 |     int own[2] = { 1, 2 };\n"),
        "{}",
        run.err
    );
}

#[test]
fn calls_that_lead_to_an_error_are_shown() {
    let folder = Folder::new("sanitizer-calls");
    let source = "int quotient(int a, int b)
{
    return a / b;
}

int twice(int a, int b)
{
    return 2 * quotient(a, b);
}

kernel void k(global int *out, int b)
{
    out[0] = quotient(3, b - 1);
    out[1] = 1 + twice(5, b);
    out[out[2] + 8] = twice(5, 1);
    out[0] += quotient(4, b - 1);
}
";
    folder.write("k.cl", source);
    let arguments = ["--global", "1", "--", "zero:int[3]", "1"];
    let run = folder.run(&[&["run", "k.cl", "--sanitize"], &arguments[..]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    let division = "kernel `k`, 2 times; first in the work-item (0, 0, 0), which is (0, 0, 0) in the work-group (0, 0, 0)\n  \
                    = called from k.cl:13:14\n  = the same happens after other calls\n\n";
    assert!(run.err.contains(division), "{}", run.err);
    assert_eq!(run.err.matches("called from").count(), 1, "{}", run.err);

    let arguments = ["--global", "1", "--", "zero:int[9]", "0"];
    let json = folder.run(&[&["run", "k.cl", "--sanitize", "--json"], &arguments[..]].concat());
    let report: Value = serde_json::from_str(&json.out).unwrap();
    let found = report["sanitizer"].as_array().unwrap();
    assert_eq!((found.len(), &found[0]["kind"], &found[0]["count"]), (1, &"arithmetic".into(), &1.into()));
    let lines: Vec<&Value> = found[0]["calls"].as_array().unwrap().iter().map(|call| &call["line"]).collect();
    assert_eq!(lines, [8, 14]);
}

#[test]
fn promises_about_buffers_are_checked() {
    let folder = Folder::new("sanitizer-promises");
    folder.write(
        "copy.cl",
        "kernel void copy(global int *from, global int *to)\n{\n    int i = get_global_id(0);\n    to[i] = from[i];\n}\n",
    );
    let run = |from, to| folder.run(&["run", "copy.cl", "--sanitize", "--global", "4", "--", from, to]);
    for (from, to, kind, text) in [
        ("write-only:zero:int[4]", "zero:int[4]", "flags", "from[i]"),
        ("zero:int[4]", "read-only:zero:int[4]", "flags", "to[i] = from[i]"),
        ("undefined:int[4]", "zero:int[4]", "uninitialised", "from[i]"),
    ] {
        let run = run(from, to);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.err.contains(&format!("[{kind}]\n --> copy.cl:4:")), "{}", run.err);
        assert!(run.err.contains(text) && run.err.ends_with("1 error generated\n"), "{}", run.err);
    }
    let right = run("read-only:fill:3:int[4]", "write-only:zero:int[4]");
    assert_eq!(right.code, 0, "{right:?}");
    let right = run("zero:int[4]", "undefined:int[4]");
    assert_eq!(right.code, 0, "{right:?}");
}

/// lavapipe 22.3 ends loops of that length, and then the launch fails.
#[test]
fn what_was_found_is_shown_though_the_launch_fails() {
    let folder = Folder::new("sanitizer-of-a-failure");
    folder.write(
        "long.cl",
        "kernel void longer(global int *out, int n)\n{\n    out[n] = 1;\n    \
         for (int i = 0; i < 100000; i++)\n        out[i & 3] ^= i;\n}\n",
    );
    let run = folder.run(&["run", "long.cl", "--sanitize", "--global", "1", "--", "zero:int[4]", "9"]);
    assert!(run.code == 1 || run.code == 4, "{run:?}");
    assert!(run.err.contains("write of 4 bytes at byte 36") && run.err.contains("long.cl:3:5"), "{run:?}");
}
