//! Mistakes of users: each is told, none crashes.

use crate::harness::Folder;

#[test]
fn every_error_of_a_source_is_shown_in_its_place() {
    let folder = Folder::new("errors");
    folder.write(
        "bad.cl",
        "__kernel void a(__global int *x) {\n    x[0] = missing;\n    float y = x;\n    unknown(3);\n}\n",
    );
    for arguments in [&["run", "bad.cl", "--", "zero:int[1]"][..], &["compile", "bad.cl", "-o", "bad.spv"]] {
        let run = folder.run(arguments);
        assert_eq!(run.code, 3, "{run:?}");
        for (place, line, what) in [
            ("bad.cl:2:12", "x[0] = missing;", "undeclared identifier 'missing'"),
            ("bad.cl:3:", "float y = x;", "float"),
            ("bad.cl:4:5", "unknown(3);", "'unknown'"),
        ] {
            for text in [place, line, what] {
                assert!(run.err.contains(text), "{text}: {}", run.err);
            }
        }
        let marked = run.err.lines().filter(|line| line.contains('^')).count();
        assert_eq!(marked, 3, "{}", run.err);
        assert!(run.err.contains("3 errors generated"), "{}", run.err);
    }
    assert!(!folder.path("bad.spv").exists());
}

#[test]
fn messages_have_the_format_and_the_number_that_are_asked_for() {
    let folder = Folder::new("message_format");
    let lines: String = (0..30).map(|line| format!("    x[0] = missing_{line};\n")).collect();
    folder.write("bad.cl", format!("__kernel void f(__global int *x) {{\n{lines}}}\n"));
    let compile = |options: &[&str]| {
        let run = folder.run(&[&["compile", "bad.cl", "-o", "bad.spv"], options].concat());
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{run:?}");
        run.err
    };
    let short = compile(&["--message-format", "short"]);
    let lines: Vec<&str> = short.lines().collect();
    assert_eq!(lines.len(), 21, "{short}");
    assert_eq!(lines[0], "bad.cl:2:12: error: use of undeclared identifier 'missing_0'");
    assert_eq!(lines[20], "and 10 more errors; show all with --error-limit 0");

    let all = compile(&["--message-format=short", "--error-limit", "0"]);
    assert_eq!(all.lines().count(), 30, "{all}");

    let pretty = compile(&["--error-limit", "1"]);
    assert!(
        pretty.starts_with("error: use of undeclared identifier 'missing_0'\n --> bad.cl:2:12\n"),
        "{pretty}"
    );
    assert!(
        pretty.ends_with("and 29 more errors; show all with --error-limit 0\n30 errors generated\n"),
        "{pretty}"
    );

    let json = compile(&["--message-format", "json"]);
    let messages: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).expect("each line is an object")).collect();
    assert_eq!(messages.len(), 30, "{json}");
    assert_eq!(messages[1]["severity"], "error");
    assert_eq!(messages[1]["text"], "use of undeclared identifier 'missing_1'");
    assert_eq!(messages[1]["place"]["line"], 3);
    let usage = folder.run(&["run", "absent.cl", "--message-format", "json"]);
    let message: serde_json::Value = serde_json::from_str(&usage.err).expect("an object");
    assert_eq!(message["place"], serde_json::Value::Null);
    assert!(message["text"].as_str().is_some_and(|text| text.contains("absent.cl")), "{message}");
}

#[test]
fn files_that_are_no_sources_are_refused() {
    let folder = Folder::new("no_sources");
    folder.write("latin.cl", b"// caf\xe9\n__kernel void f(__global int *x) {}");
    folder.write("empty.cl", "");
    std::fs::create_dir(folder.path("folder.cl")).unwrap();
    for (file, expected) in [
        ("missing.cl", "cannot read `missing.cl`: No such file or directory"),
        ("folder.cl", "cannot read `folder.cl`: Is a directory"),
        ("latin.cl", "cannot read `latin.cl`: it is not valid UTF-8 text (at byte 6)"),
    ] {
        folder.refused(2, &["run", file, "--", "zero:int[1]"], &[expected]);
        folder.refused(2, &["compile", file, "-o", "x.spv"], &[expected]);
    }
    folder.refused(3, &["run", "empty.cl", "--", "zero:int[1]"], &["`empty.cl` has no kernels"]);
    folder.refused(
        3,
        &["compile", "empty.cl", "-o", "empty.spv"],
        &["`empty.cl` compiles, but has no kernels"],
    );
    let endless = folder.run(&["compile", "/dev/zero", "-o", "x.spv"]);
    assert_eq!(endless.code, 3, "{endless:?}");
    assert!(endless.err.contains("64 MiB"), "{endless:?}");
}

#[test]
fn the_number_of_arguments_must_be_right() {
    let folder = Folder::new("counts");
    let signature = "kernel `saxpy` has 3 parameters (float a, float* x, float* y)";
    for (arguments, count) in [
        (&["run", "saxpy.cl"][..], "but 0 arguments"),
        (&["run", "saxpy.cl", "--"], "but 0 arguments"),
        (&["run", "saxpy.cl", "--", "1", "zero:float[4]"], "but 2 arguments"),
        (&["run", "saxpy.cl", "--", "1", "zero:float[4]", "zero:float[4]", "2"], "but 4 arguments"),
    ] {
        let example = "write for example `-- 1 zero:float[N] zero:float[N]`";
        folder.refused(2, arguments, &[signature, count, "after `--`", example]);
    }
}

#[test]
fn buffers_that_are_too_large_are_refused_at_once() {
    let folder = Folder::new("large");
    for argument in [
        "zero:float[9999999999999]",
        "fill:1:float[9999999999999]",
        "fill:1.5:float[9999999999999]",
        "rand:1:float[9999999999999]",
        "out:y.npy:float[9999999999999]",
        "out:y.bin:float[9999999,999999]",
        "zero:float[4611686018427387903]",
    ] {
        folder.refused(2, &["run", "saxpy.cl", "--", "1", "zero:float[4]", argument], &["bytes"]);
    }
    folder.refused(
        2,
        &["run", "saxpy.cl", "--", "1", "zero:float[4]", "zero:float[99999999999,99999999999]"],
        &["larger than 2^64 bytes"],
    );
    // A file with a hole: long, but nothing on disk.
    std::fs::File::create(folder.path("hole.bin")).unwrap().set_len(1 << 42).unwrap();
    folder.refused(
        2,
        &["run", "saxpy.cl", "--", "1", "zero:float[4]", "in:hole.bin"],
        &["cannot read `hole.bin`: it holds 4398046511104 bytes, and at most"],
    );
}

#[test]
fn a_command_line_that_is_wrong_is_explained() {
    let folder = Folder::new("usage");
    for (arguments, expected) in [
        (&[][..], "Usage: clvk-run [OPTIONS] <COMMAND>"),
        (&["nonsense"], "nonsense"),
        (&["run"], "<FILE>"),
        (&["run", "saxpy.cl", "2.0f", "zero:float[4]"], "[-- <ARGS>...]"),
        (&["run", "saxpy.cl", "2.0f", "zero:float[4]"], "tip: kernel arguments follow `--`: `-- 2.0f ...`"),
        (&["run", "saxpy.cl", "-3"], "tip: kernel arguments follow `--`: `-- -3 ...`"),
        (&["run", "saxpy.cl", "--nonsense", "--", "1"], "--nonsense"),
        (&["run", "saxpy.cl", "--global", "0", "--", "1"], "a size of zero runs nothing"),
        (&["run", "saxpy.cl", "--global", "1,2,3,4", "--", "1"], "at most three numbers"),
        (&["run", "saxpy.cl", "--local", "x", "--", "1"], "`x` is not a whole number"),
        (&["run", "saxpy.cl", "--offset", "-1", "--", "1"], "-1"),
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {run:?}");
        assert!(run.err.contains(expected), "{arguments:?}: {run:?}");
    }
    let help = folder.good(&["run", "--help"]).out;
    for text in ["out:FILE.png:uchar4[H,W]", "sampler:ADDRESSING,FILTER", "Exit codes", "-cl-std="] {
        assert!(help.contains(text), "{text}");
    }
}
