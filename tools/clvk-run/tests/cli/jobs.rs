//! Job files, and `--watch`.

use crate::harness::Folder;
use ndarray::Array2;
use ndarray_npy::{read_npy, write_npy};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A Jacobi iteration without a source, on the host.
fn jacobi(grid: &Array2<f32>) -> Array2<f32> {
    let (rows, columns) = grid.dim();
    Array2::from_shape_fn((rows, columns), |(y, x)| {
        if x == 0 || y == 0 || x == columns - 1 || y == rows - 1 {
            return grid[[y, x]];
        }
        0.25 * (grid[[y, x - 1]] + grid[[y, x + 1]] + grid[[y - 1, x]] + grid[[y + 1, x]])
    })
}

const JACOBI: &str = r#"
file = "jacobi.cl"

[arguments]
grid = "in:grid.npy"
next = "out:next.npy:float[6,5]"
source = "zero:float[6,5]"

[[steps]]
repeat = 7
steps = [
    { kernel = "jacobi", global = [5, 6], arguments = ["grid", "source", "next", 5, 6] },
    { swap = ["grid", "next"] },
]

[[steps]]
verify = "grid=expected.npy:1e-6"

[[steps]]
print = "grid:2"
"#;

fn jacobi_folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels/jacobi/jacobi.cl");
    std::fs::create_dir(folder.path("job")).unwrap();
    std::fs::copy(source, folder.path("job/jacobi.cl")).unwrap();
    let grid = Array2::from_shape_fn((6, 5), |(y, x)| (y * 7 + x * x) as f32);
    let mut states = vec![grid];
    for _ in 0..7 {
        states.push(jacobi(states.last().unwrap()));
    }
    write_npy(folder.path("job/grid.npy"), &states[0]).unwrap();
    write_npy(folder.path("job/expected.npy"), &states[7]).unwrap();
    write_npy(folder.path("job/before.npy"), &states[6]).unwrap();
    folder.write("job/jacobi.toml", JACOBI);
    folder
}

#[test]
fn launches_share_and_swap_buffers() {
    let folder = jacobi_folder("job");
    // Its files are relative to the job, wherever it is run.
    let run = folder.good(&["run", "job/jacobi.toml"]);
    let lines: Vec<&str> = run.out.lines().collect();
    assert!(lines[0].starts_with("jacobi on ") && lines[0].ends_with(", 7 times"), "{run:?}");
    assert!(lines[0].contains("global 5,6, local "), "{run:?}");
    assert_eq!(lines[1..3], ["grid: 0 1", "wrote job/next.npy"]);
    assert!(lines[3].starts_with("grid: verified, 30 elements"), "{run:?}");
    // After an odd number of swaps, `next` has what the last launch read.
    let before: Array2<f32> = read_npy(folder.path("job/before.npy")).unwrap();
    let next: Array2<f32> = read_npy(folder.path("job/next.npy")).unwrap();
    assert!((next - before).iter().all(|difference| difference.abs() < 1e-5));
    let report = json(&folder.good(&["run", "job/jacobi.toml", "--json", "--time", "2"]).out);
    assert_eq!((&report["kernel"], &report["runs"]), (&"jacobi".into(), &7.into()));
    assert_eq!(report["times"]["runs"], 2);
    assert_eq!(report["verified"][0]["passed"], true);
}

#[test]
fn steps_are_in_order_and_may_have_other_sources() {
    let folder = Folder::new("job_sources");
    folder.write("add.cl", "kernel void add(global int *x) { x[get_global_id(0)] += N; }");
    folder.write(
        "twice.cl",
        "kernel void other(global int *x) {} kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }",
    );
    folder.write(
        "job.toml",
        r#"
            options = "-DN=3"
            arguments.x = "fill:1:int[2]"
            [[steps]]
            file = "add.cl"
            arguments = ["x"]
            [[steps]]
            print = "x"
            [[steps]]
            file = "twice.cl"
            kernel = "twice"
            global = 1
            arguments = ["x"]
            [[steps]]
            file = "add.cl"
            options = "-DN=10"
            arguments = ["x"]
        "#,
    );
    let report = json(&folder.good(&["run", "job.toml", "--print", "x", "--json"]).out);
    let printed: Vec<_> =
        report["printed"].as_array().unwrap().iter().map(|it| it["values"].clone()).collect();
    assert_eq!(printed, [serde_json::json!([4, 4]), serde_json::json!([18, 14])]);
    let kernels: Vec<_> =
        report["launches"].as_array().unwrap().iter().map(|it| it["kernel"].clone()).collect();
    assert_eq!(kernels, ["add", "twice", "add"]);
}

#[test]
fn many_launches_need_no_waiting() {
    let folder = Folder::new("job_many");
    folder.write("add.cl", "kernel void add(global int *x) { x[get_global_id(0)] += 1; }");
    folder.write(
        "job.toml",
        "file = \"add.cl\"\n[[steps]]\nrepeat = 50\nsteps = [{ repeat = 21, steps = [{ arguments = [\"out:x.npy:int[3]\"] }] }]\n",
    );
    assert!(folder.good(&["run", "job.toml"]).out.contains(", 1050 times"));
    assert_eq!(
        read_npy::<_, ndarray::Array1<i32>>(folder.path("x.npy")).unwrap(),
        ndarray::array![1050, 1050, 1050]
    );
}

#[test]
fn wrong_jobs_are_refused() {
    let folder = jacobi_folder("job_wrong");
    let refused = |from: &str, to: &str, expected: &[&str]| {
        folder.write("job/wrong.toml", JACOBI.replacen(from, to, 1));
        folder.refused(2, &["run", "job/wrong.toml"], expected);
    };
    refused("file =", "flie =", &["`job/wrong.toml` is not a job, line 2: unknown field `flie`"]);
    refused("[6,5]\"\nsource", "[30]\"\nsource", &["`grid` and `next` cannot be swapped"]);
    refused("kernel = \"jacobi\"", "kernel = \"jacoby\"", &["there is no kernel `jacoby`", "jacobi"]);
    refused("5, 6] }", "5] }", &["5 parameters", "but 4 arguments", "`arguments = [\"zero:float[N]\", "]);
    refused("print = \"grid:2\"", "print = \"gird\"", &["there is no argument `gird`; the arguments are "]);
    refused(
        "zero:float[6,5]",
        "zero:int[6,5]",
        &["`source` (`float*`) needs elements of type `float`, but `int`"],
    );
    folder.refused(2, &["run", "missing.toml"], &["cannot read `missing.toml`"]);
    folder.refused(2, &["run", "job/jacobi.toml", "--global", "4"], &["is a job file", "`--global`"]);
    folder.refused(2, &["run", "job/jacobi.toml", "--", "4"], &["is a job file", "arguments after `--`"]);
}

#[test]
fn the_job_of_the_guide_works() {
    let folder = Folder::new("job_guide");
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    let job = std::fs::read_to_string(guide.join("jacobi.toml")).unwrap();
    let page = std::fs::read_to_string(guide.join("command-line.md")).unwrap();
    let indented: String =
        job.lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect();
    assert!(page.contains(&indented), "the guide shows another jacobi.toml");
    let out = folder.good(&["run", guide.join("jacobi.toml").to_str().unwrap()]).out;
    assert!(out.contains(", 100 times") && out.contains("\ngrid: 0.5493782 "), "{out}");
}

#[test]
fn watching_runs_again_when_a_file_changes() {
    let folder = Folder::new("watch");
    folder.write("step.h", "#define STEP 1\n");
    folder.write("w.cl", "#include \"step.h\"\nkernel void w(global int *x) { x[0] = STEP; }");
    let arguments = ["run", "w.cl", "--watch", "--global", "1", "--print", "x", "--", "out:x.npy:int[1]"];
    let mut child = folder.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut err = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(out.find(|line| line.starts_with("x: ")).unwrap(), "x: 1");
    assert_eq!(err.next().unwrap(), "watching w.cl; Ctrl-C ends");
    // A header beside it, then the source: wrong, and right again.
    folder.write("step.h", "#define STEP 2\n");
    assert_eq!(out.find(|line| line.starts_with("x: ")).unwrap(), "x: 2");
    assert_eq!(err.next().unwrap(), "watching w.cl; Ctrl-C ends");
    folder.write("w.cl", "kernel void w(global int *x) { x[0] = missing; }");
    assert!(err.any(|line| line.contains("undeclared identifier 'missing'")));
    assert!(err.any(|line| line.starts_with("watching")));
    folder.write("w.cl", "kernel void w(global int *x) { x[0] = 3; }");
    assert_eq!(out.find(|line| line.starts_with("x: ")).unwrap(), "x: 3");
    child.kill().unwrap();
    child.wait().unwrap();
    folder.refused(2, &["run", "-", "--watch", "--", "zero:int[1]"], &["cannot be watched"]);
}
