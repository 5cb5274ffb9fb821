//! The options of `run`, and `devices`.

use crate::harness::{Folder, finish};
use serde_json::Value;

const TWO: &str = "\
__kernel void one(__global int *x) { x[get_global_id(0)] = 1; }
__kernel void two(__global int *x) { x[get_global_id(0)] = 2; }
";

/// Records the launch as every work-item sees it.
const SHAPE: &str = "\
__kernel void shape(__global uint *x) {
    size_t n = get_global_size(0);
    size_t i = (get_global_id(1) - get_global_offset(1)) * n + get_global_id(0) - get_global_offset(0);
    x[i] = get_global_id(0) * 1000 + get_global_id(1) * 100 + get_local_size(0) * 10 + get_local_size(1);
}
";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn the_kernel_may_be_left_out_where_there_is_only_one() {
    let folder = Folder::new("kernel");
    folder.write("two.cl", TWO);
    let values =
        |kernel| folder.printed(&["run", "two.cl", "--kernel", kernel, "--print", "0", "--", "zero:int[2]"]);
    assert_eq!(values("one"), ["1", "1"]);
    assert_eq!(values("two"), ["2", "2"]);
    folder.refused(2, &["run", "two.cl", "--", "zero:int[2]"], &["choose one with `--kernel`: one, two"]);
    folder.refused(
        2,
        &["run", "two.cl", "--kernel", "three", "--", "zero:int[2]"],
        &["there is no kernel `three`; the kernels are one, two"],
    );
    folder.write("none.cl", "int f(int x) { return x; }");
    folder.refused(3, &["run", "none.cl", "--"], &["`none.cl` has no kernel", "marked `__kernel`"]);
}

#[test]
fn sizes_and_offsets_reach_the_kernel() {
    let folder = Folder::new("sizes");
    folder.write("s.cl", SHAPE);
    let run = |options: &[&str]| {
        folder.printed(&[&["run", "s.cl"], options, &["--print", "x:4", "--", "zero:uint[4]"]].concat())
    };
    // One work-item for each element of the first buffer.
    let ids =
        |values: Vec<String>| values.iter().map(|v| v.parse::<u32>().unwrap() / 100).collect::<Vec<_>>();
    assert_eq!(ids(run(&[])), [0, 10, 20, 30]);
    assert_eq!(run(&["--local", "2"]), ["21", "1021", "2021", "3021"]);
    assert_eq!(run(&["--global", "2", "--local", "1"]), ["11", "1011", "0", "0"]);
    assert_eq!(run(&["--global", "2,2", "--local", "1,2"]), ["12", "1012", "112", "1112"]);
    assert_eq!(run(&["--global", "4", "--local", "4", "--offset", "5"]), ["5041", "6041", "7041", "8041"]);
    assert_eq!(
        run(&["--global", "2,2", "--local", "2,2", "--offset", "1,3"]),
        ["1322", "2322", "1422", "2422"]
    );
}

#[test]
fn the_global_size_comes_from_the_first_buffer() {
    let folder = Folder::new("derived");
    let run = folder.good(&["run", "saxpy.cl", "--json", "--", "1", "zero:float[4,8]", "zero:float[50]"]);
    assert_eq!(json(&run.out)["global"], serde_json::json!([32]));
    folder.write("n.cl", "__kernel void nothing(int x) {}");
    folder.refused(2, &["run", "n.cl", "--", "1"], &["there is no buffer", "give `--global`"]);
    folder.good(&["run", "n.cl", "--global", "1", "--", "1"]);
}

#[test]
fn sizes_that_do_not_suit_are_refused() {
    let folder = Folder::new("wrong_sizes");
    let run = |options: &[&str], expected: &[&str]| {
        let arguments = ["--", "1", "zero:float[8]", "zero:float[8]"];
        folder.refused(2, &[&["run", "saxpy.cl"], options, &arguments].concat(), expected);
    };
    run(&["--local", "1048576", "--global", "1048576"], &["exceeds the device's limit"]);
    run(&["--local", "99999999999"], &["larger than any device allows"]);
    run(&["--global", "99999999999"], &["32-bit range"]);
    run(&["--offset", "4294967295"], &["32-bit range"]);
    folder.write("r.cl", "__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void r(__global int *x) { x[get_global_id(0)] = get_local_size(0); }");
    assert_eq!(folder.printed(&["run", "r.cl", "--print", "x:2", "--", "zero:int[8]"]), ["4", "4"]);
    folder.refused(
        2,
        &["run", "r.cl", "--local", "2", "--", "zero:int[8]"],
        &["requires work-groups of 4×1×1"],
    );
    folder.refused(
        2,
        &["run", "r.cl", "--global", "6", "--", "zero:int[8]"],
        &["does not divide the global size 6", "round the global size up to 8"],
    );
    folder.write("s.cl", "kernel void s(global int *x) { x[get_global_id(0)] = get_local_size(0); }");
    let sizes = folder.printed(&["run", "s.cl", "--local", "3", "--print", "x:8", "--", "zero:int[8]"]);
    assert_eq!(sizes, ["3", "3", "3", "3", "3", "3", "2", "2"]);
}

#[test]
fn times_have_a_minimum_and_a_median() {
    let folder = Folder::new("time");
    let arguments = ["--", "1", "zero:float[64]", "zero:float[64]"];
    let run = folder.good(&[&["run", "saxpy.cl", "--time", "5", "--json"], &arguments[..]].concat());
    let times = &json(&run.out)["times"];
    assert_eq!(times["runs"], 5);
    for clock in ["device", "host"] {
        let time =
            |name: &str| times[clock][name].as_f64().unwrap_or_else(|| panic!("{clock} {name}: {times}"));
        assert!(0.0 < time("min_ns") && time("min_ns") <= time("median_ns"), "{times}");
    }
    let text = folder.good(&[&["run", "saxpy.cl", "--time", "5"], &arguments[..]].concat()).out;
    for clock in ["device min ", "host   min "] {
        let line = text.lines().find(|line| line.starts_with(clock)).unwrap_or_else(|| panic!("{text}"));
        assert!(line.contains("median") && line.ends_with("of 5 runs"), "{line}");
    }
    let run = folder.run(&[&["run", "saxpy.cl", "--time", "0"], &arguments[..]].concat());
    assert!(run.code == 2 && run.err.contains("--time"), "{run:?}");
}

#[test]
fn a_launch_that_takes_too_long_is_given_up() {
    let folder = Folder::new("timeout");
    folder.write(
        "slow.cl",
        "kernel void slow(global uint *x) {
            uint value = get_global_id(0);
            for (int i = 0; i < 20000; i++) value = value * 1664525u + (value >> 7);
            x[get_global_id(0)] = value;
        }",
    );
    let run = |timeout| ["run", "slow.cl", "--timeout", timeout, "--", "zero:uint[262144]"];
    folder.refused(4, &run("0.001"), &["did not finish within 0.001 s", "`--timeout`"]);
    folder.good(&run("100"));
    for wrong in ["0", "-1", "nan", "x"] {
        let run = folder.run(&run(wrong));
        assert!(run.code == 2 && run.err.contains("--timeout"), "{run:?}");
    }
}

#[test]
fn timing_does_not_change_what_is_written_and_verified() {
    let folder = Folder::new("time_once");
    folder.good(&["run", "saxpy.cl", "--time", "3", "--", "1", "fill:2:float[4]", "out:y.bin:float[4]"]);
    assert_eq!(folder.read("y.bin"), 2f32.to_le_bytes().repeat(4));
}

#[test]
fn results_are_verified_within_the_tolerance() {
    let folder = Folder::new("verify");
    let file = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
    folder.write("right.bin", file(&[3.0; 4]));
    folder.write("near.bin", file(&[3.0, 3.0, 3.03, 3.0]));
    folder.write("short.bin", file(&[3.0; 3]));
    ndarray_npy::write_npy(folder.path("right.npy"), &ndarray::array![3f32, 3.0, 3.0, 3.0]).unwrap();
    let run = |check: &str, option: &str| {
        folder.run(&[
            "run",
            "saxpy.cl",
            "--verify",
            check,
            option,
            "--",
            "1",
            "fill:1:float[4]",
            "fill:2:float[4]",
        ])
    };
    for right in ["y=right.bin", "2=right.bin", "y=right.npy", "y=near.bin:0.011", "y=near.bin:1.1e-2"] {
        let run = run(right, "-w");
        assert!(run.code == 0 && run.out.contains("y: verified, 4 elements"), "{right}: {run:?}");
    }
    for wrong in ["y=near.bin", "y=near.bin:0.009", "y=near.bin:0"] {
        let run = run(wrong, "-w");
        assert_eq!(run.code, 1, "{wrong}: {run:?}");
        assert!(run.out.contains("y: WRONG, 1 of 4 elements differ"), "{run:?}");
        assert!(run.out.contains("y[2] is 3, expected 3.03"), "{run:?}");
    }
    let run = run("y=near.bin", "--json");
    assert_eq!(run.code, 1);
    let verified = &json(&run.out)["verified"][0];
    assert_eq!((&verified["argument"], &verified["passed"]), (&"y".into(), &false.into()));
    assert_eq!((&verified["elements"], &verified["wrong"]), (&4.into(), &1.into()));
    for (check, expected) in [
        ("y=missing.bin", "cannot read `missing.bin`"),
        ("y=short.bin", "`short.bin` holds 12 bytes, but the result of parameter `y` has 16"),
        ("z=right.bin", "no argument `z`; the arguments are a, x, y"),
        ("7=right.bin", "no argument `7`"),
        ("a=right.bin", "`a` is not a buffer"),
        (
            "y=right.bin:1e",
            "`1e` in `--verify y=right.bin:1e` is not a tolerance: write a number of at least 0",
        ),
        ("y=right.bin:-1", "is not a tolerance"),
        ("right.bin", "`ARG=FILE[:TOLERANCE]`"),
    ] {
        let run = folder.run(&[
            "run",
            "saxpy.cl",
            "--verify",
            check,
            "--",
            "1",
            "fill:1:float[4]",
            "fill:2:float[4]",
        ]);
        assert!(run.code == 2 && run.err.contains(expected), "{check}: {run:?}");
    }
}

#[test]
fn elements_are_printed() {
    let folder = Folder::new("print");
    let arguments = ["--", "1", "fill:1:float[20]", "fill:2:float[20]"];
    let run = |options: &[&str]| folder.good(&[&["run", "saxpy.cl"], options, &arguments].concat()).out;
    assert!(run(&["--print", "y:3"]).contains("\ny: 3 3 3\n"));
    assert!(run(&["--print", "2:3", "--print", "x:1"]).contains("\ny: 3 3 3\nx: 1\n"));
    assert!(run(&["--print", "y"]).contains(&format!("\ny:{}\n", " 3".repeat(16))));
    assert!(run(&["--print", "y:999999999999999999"]).contains(&format!("\ny:{}\n", " 3".repeat(20))));
    let report = json(&run(&["--print", "y:2", "--json"]));
    assert_eq!(report["printed"][0], serde_json::json!({"argument": "y", "values": [3, 3]}));
    for (wrong, expected) in
        [("q", "no argument `q`"), ("y:x", "`ARG[:COUNT]`"), ("a", "only buffers and images")]
    {
        folder.refused(2, &[&["run", "saxpy.cl", "--print", wrong], &arguments[..]].concat(), &[expected]);
    }
}

#[test]
fn json_says_what_was_done() {
    let folder = Folder::new("json");
    let run = folder.good(&[
        "run",
        "saxpy.cl",
        "--json",
        "--local",
        "2",
        "--",
        "1",
        "zero:float[4]",
        "out:y.npy:float[4]",
    ]);
    let report = json(&run.out);
    assert_eq!((&report["kernel"], &report["times"]), (&"saxpy".into(), &Value::Null));
    assert_eq!((&report["global"], &report["local"]), (&serde_json::json!([4]), &serde_json::json!([2])));
    assert_eq!(report["local_is_chosen"], false);
    assert_eq!(report["written"], serde_json::json!(["y.npy"]));
    assert!(report["device"].as_str().is_some_and(|name| !name.is_empty()));
}

#[test]
fn the_chosen_work_group_size_is_told() {
    let folder = Folder::new("chosen");
    folder.write("s.cl", "kernel void s(global int *x) { x[get_global_id(0)] = get_local_size(0); }");
    let arguments = ["--print", "x:1", "--", "zero:int[1024]"];
    let text = folder.good(&[&["run", "s.cl"], &arguments[..]].concat()).out;
    let used: u32 = text.lines().nth(1).unwrap().strip_prefix("x: ").unwrap().parse().unwrap();
    assert!(
        text.lines().next().unwrap().ends_with(&format!(", global 1024, local {used} (chosen)")),
        "{text}"
    );
    let report = json(&folder.good(&[&["run", "s.cl", "--json"], &arguments[..]].concat()).out);
    assert_eq!((&report["local"], &report["local_is_chosen"]), (&serde_json::json!([used]), &true.into()));
    let given = folder.good(&[&["run", "s.cl", "--local", "8"], &arguments[..]].concat()).out;
    assert!(given.lines().next().unwrap().ends_with(", local 8"), "{given}");
}

#[test]
fn failures_are_json_where_results_are() {
    let folder = Folder::new("json_failures");
    folder.write("bad.cl", "kernel void bad(global int *x) { *x = missing; }");
    let run = folder.run(&["run", "bad.cl", "--json", "--", "zero:int[1]"]);
    let error = &json(&run.out)["error"];
    assert_eq!((run.code, &error["kind"], &error["exit_code"]), (3, &"source".into(), &3.into()), "{run:?}");
    assert_eq!(error["message"], "use of undeclared identifier 'missing'");
    assert_eq!(error["messages"][0]["place"]["column"], 39);
    let run = folder.run(&["run", "saxpy.cl", "--json", "--", "1", "zero:float[4]"]);
    let error = &json(&run.out)["error"];
    assert_eq!((run.code, &error["kind"], &error["exit_code"]), (2, &"usage".into(), &2.into()), "{run:?}");
    assert!(run.err.contains(error["message"].as_str().unwrap()), "{run:?}");
}

#[test]
fn vectors_are_printed_without_padding() {
    let folder = Folder::new("print_vectors");
    folder.write(
        "v.cl",
        "kernel void v(global float3 *three, global int4 *four) {
            three[get_global_id(0)] = (float3)(1, 2.5f, get_global_id(0));
            four[get_global_id(0)] = (int4)(1, 2, 3, get_global_id(0));
        }",
    );
    let run = |option: &[&str]| {
        let arguments = ["--print", "three:2", "--print", "four:1", "--", "zero:float3[3]", "zero:int[12]"];
        folder.good(&[&["run", "v.cl"], option, &arguments].concat()).out
    };
    assert!(run(&[]).contains("\nthree: (1, 2.5, 0) (1, 2.5, 1)\nfour: (1, 2, 3, 0)\n"), "{}", run(&[]));
    let report = json(&run(&["--json"]));
    assert_eq!(report["printed"][0]["values"], serde_json::json!([[1, 2.5, 0], [1, 2.5, 1]]));
    assert_eq!(report["printed"][1]["values"], serde_json::json!([[1, 2, 3, 0]]));
}

#[test]
fn the_validation_layer_is_silent() {
    let folder = Folder::new("validate");
    folder.good(&["run", "saxpy.cl", "--validate", "--", "1", "zero:float[4]", "rand:1:float[4]"]);
}

#[test]
fn devices_are_listed_and_chosen() {
    let folder = Folder::new("devices");
    let list = json(&folder.good(&["devices", "--json"]).out);
    let usable = list
        .as_array()
        .unwrap()
        .iter()
        .find(|device| device["unusable"].is_null())
        .expect("no usable device");
    let name = usable["name"].as_str().unwrap();
    let table = folder.good(&["devices"]).out;
    let row = table.lines().find(|line| line.starts_with(&format!("{}  ", usable["index"])));
    assert!(table.starts_with("#  NAME ") && row.is_some_and(|row| row.contains(name)), "{table}");
    assert!(!table.contains("cl_khr_"), "{table}");
    let verbose = folder.good(&["devices", "--verbose"]).out;
    let features = usable["features"].as_array().unwrap();
    for feature in features {
        assert!(verbose.contains(feature.as_str().unwrap()), "{feature}: {verbose}");
    }
    let index = usable["index"].to_string();
    let part = name.split(' ').next().unwrap().to_lowercase();
    for device in [index.as_str(), &part] {
        let run = folder.good(&[
            "run",
            "saxpy.cl",
            "--device",
            device,
            "--json",
            "--",
            "1",
            "zero:float[4]",
            "zero:float[4]",
        ]);
        assert_eq!(json(&run.out)["device"].as_str().unwrap().split(' ').next(), name.split(' ').next());
    }
    for wrong in ["no such device", "99"] {
        let arguments = ["run", "saxpy.cl", "--device", wrong, "--", "1", "zero:float[4]", "zero:float[4]"];
        folder.refused(2, &arguments, &[wrong, "the devices are: ", name]);
    }
    let presets = folder.good(&["devices", "--presets"]).out;
    assert!(
        presets.lines().any(|line| line.starts_with("nvidia-h200 ") && line.contains("NVIDIA")),
        "{presets}"
    );
}

#[test]
fn without_a_device_it_says_what_to_install() {
    let folder = Folder::new("no_device");
    let run = |arguments: &[&str]| {
        let mut command = folder.command(arguments);
        command.env("VK_DRIVER_FILES", "/no/driver.json").env("VK_ICD_FILENAMES", "/no/driver.json");
        finish(command, arguments)
    };
    for arguments in [&["devices"][..], &["run", "saxpy.cl", "--", "1", "zero:float[4]", "zero:float[4]"]] {
        let run = run(arguments);
        assert_eq!(run.code, 4, "{run:?}");
        assert!(run.err.starts_with("error: no Vulkan device was found; install"), "{run:?}");
        assert!(run.err.contains("mesa-vulkan-drivers") && run.err.contains("VK_"), "{run:?}");
    }
    // What needs no device does not miss it.
    assert_eq!(run(&["compile", "saxpy.cl", "-o", "saxpy.spv"]).code, 0);
}

#[test]
fn build_options_are_spelled_as_in_opencl() {
    let folder = Folder::new("build_options");
    std::fs::create_dir(folder.path("include")).unwrap();
    folder.write("include/factor.h", "#define FACTOR 3\n");
    folder.write(
        "b.cl",
        "#include \"factor.h\"
        __kernel void b(__global int *x) { x[0] = N; x[1] = FACTOR; x[2] = __OPENCL_C_VERSION__; }",
    );
    let run = |options: &[&str]| {
        folder.printed(
            &[&["run", "b.cl"], options, &["--global", "1", "--print", "x", "--", "zero:int[3]"]].concat(),
        )
    };
    assert_eq!(run(&["-DN=7", "-Iinclude", "-cl-std=CL1.2"]), ["7", "3", "120"]);
    assert_eq!(run(&["-D", "N=8", "-I", "include", "-cl-std=CL3.0", "-cl-mad-enable"]), ["8", "3", "300"]);
    assert_eq!(run(&["-D", "N", "-I", "include", "-cl-std=CL1.2"])[0], "1");
    let missing = folder.run(&["run", "b.cl", "-DN=1", "--", "zero:int[3]"]);
    assert!(missing.code == 3 && missing.err.contains("factor.h"), "{missing:?}");
    for (option, expected) in [
        ("-cl-std=CL9.9", "unknown language version `CL9.9`"),
        ("-cl-nonsense", "unknown build option `-cl-nonsense`"),
        ("-D", "-D"),
        ("-D1x", "1x"),
    ] {
        folder.refused(2, &["run", "b.cl", option, "--", "zero:int[3]"], &[expected]);
    }
}

#[test]
fn warnings_are_shown_and_may_be_errors() {
    let folder = Folder::new("warnings");
    folder.write("w.cl", "#warning look here\n__kernel void w(__global int *x) { x[0] = 1; }\n");
    let run = |option| folder.run(&["run", "w.cl", option, "--", "zero:int[1]"]);
    let shown = run("-cl-mad-enable");
    assert!(shown.code == 0 && shown.err.contains("look here"), "{shown:?}");
    let error = run("-Werror");
    assert!(error.code == 3 && error.err.contains("look here"), "{error:?}");
    let silent = run("-w");
    assert_eq!((silent.code, silent.err.as_str()), (0, ""));
}

#[test]
fn options_of_other_vendors_are_ignored_with_a_warning() {
    let folder = Folder::new("vendor_options");
    for (options, named) in [
        (&["-fno-bin-llvmir"][..], "`-fno-bin-llvmir`"),
        (&["-qcom-accelerate"], "`-qcom-accelerate`"),
        (&["-cl-nv-maxrregcount", "64"], "`-cl-nv-maxrregcount 64`"),
    ] {
        let run = folder.run(&[&["compile"], options, &["saxpy.cl", "-o", "saxpy.spv"]].concat());
        assert!(run.code == 0 && run.err.contains(named), "{options:?}: {run:?}");
        let silent = folder.run(&[&["compile", "-w"], options, &["saxpy.cl", "-o", "saxpy.spv"]].concat());
        assert!(silent.code == 0 && !silent.err.contains(named), "{options:?}: {silent:?}");
    }
    let unknown = folder.run(&["compile", "-fnonsense", "saxpy.cl", "-o", "saxpy.spv"]);
    assert!(unknown.code == 2 && unknown.err.contains("unexpected argument '-f'"), "{unknown:?}");
}

#[test]
fn what_kernels_print_comes_before_the_results() {
    let folder = Folder::new("printf");
    folder.write("p.cl", "kernel void p(global int *x) { printf(\"item %d of %s\\n\", *x, \"p\"); *x = 4; }");
    let run = |options: &[&str]| {
        folder.run(&[&["run", "p.cl"], options, &["--print", "x", "--", "fill:3:int[1]"]].concat())
    };
    assert!(run(&[]).out.starts_with("item 3 of p\n"), "{:?}", run(&[]));
    let small = run(&["--print-buffer", "20"]);
    assert!(small.err.contains("calls of printf lost: 1") && !small.out.contains("item"), "{small:?}");
    let structured = run(&["--json"]);
    json(&structured.out);
    assert_eq!(structured.err, "item 3 of p\n");
}
