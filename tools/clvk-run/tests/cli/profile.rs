//! `profile`: what is counted, which the text says, and that the rest is there. Times are whatever they are.

use crate::harness::Folder;
use serde_json::Value;

const SUMS: &str = "kernel void sums(global const float *in, global float *out, int stride)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int j = 0; j < 4; j++)
        sum += in[i * stride];
    out[i] = sum * 2;
}
";

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let run = folder.good(arguments);
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}", run.out))
}

#[test]
fn bytes_operations_and_lines_are_counted() {
    let folder = Folder::new("profile");
    folder.write("sums.cl", SUMS);
    let arguments = |stride: &'static str| {
        let head = ["profile", "sums.cl", "--json", "--time", "3", "--local", "32", "--global", "1024", "--"];
        [&head[..], &["zero:float[65536]", "zero:float[1024]", stride]].concat()
    };
    let report = json(&folder, &arguments("1"));
    let kernel = &report["kernels"][0];
    let work = &kernel["work"];
    assert_eq!(kernel["kernel"], "sums");
    assert_eq!(kernel["device"]["runs"], 3);
    assert_eq!((work["items"].as_f64(), work["read"].as_f64()), (Some(1024.0), Some(4.0 * 4096.0)));
    assert_eq!(work["written"].as_f64(), Some(4096.0));
    // Four sums and a product.
    assert_eq!(work["floating"].as_f64(), Some(5.0 * 1024.0));
    assert_eq!((work["active"].as_f64(), work["needed_lines"].as_f64()), (Some(1.0), Some(1.0)));
    let lines = &kernel["files"][0]["lines"];
    let runs: Vec<Option<u64>> = (2..7).map(|line| lines[line]["runs"].as_u64()).collect();
    assert_eq!(runs, [1024, 1024, 5 * 1024, 4 * 1024, 1024].map(Some));
    assert_eq!(lines[5]["accesses"][0]["text"], "in[i * stride]");
    assert!(!kernel["limit"].as_str().unwrap().is_empty());
    let peaks = &report["peaks"];
    assert!(peaks["bytes"].as_f64() > Some(1e6) && peaks["operations"].as_f64() > Some(1e6));
    // Each work-item of a sub-group reaches a cache line of its own.
    let work = json(&folder, &arguments("16"))["kernels"][0]["work"].clone();
    let needed = work["needed_lines"].as_f64().unwrap();
    assert!(needed < 0.7, "{needed}");
}

#[test]
fn reports_and_pictures_are_written() {
    let folder = Folder::new("profile-files");
    let run = folder.good(&[
        "profile",
        "saxpy.cl",
        "--lines",
        "--time",
        "3",
        "--svg",
        "r.svg",
        "--html",
        "r.html",
        "--validate",
        "--",
        "2",
        "fill:1:float[256]",
        "zero:float[256]",
    ]);
    for text in ["limited by", "histogram", "of the roof", "RUNS", "y[i] = a * x[i] + y[i];", "wrote r.svg"] {
        assert!(run.out.contains(text), "{text}: {}", run.out);
    }
    let svg = String::from_utf8(folder.read("r.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains("saxpy"), "{svg}");
    let page = String::from_utf8(folder.read("r.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains(&svg) && !page.contains("src="), "{page}");
    let same = folder.good(&[
        "run",
        "saxpy.cl",
        "--profile",
        "--time",
        "3",
        "--",
        "2",
        "fill:1:float[256]",
        "zero:float[256]",
    ]);
    assert!(same.out.contains("limited by"), "{same:?}");
}

#[test]
fn settings_are_swept_and_verified() {
    let folder = Folder::new("profile-sweep");
    folder.write("s.cl", "kernel void s(global int *out) { out[get_global_id(0)] = SCALE; }");
    let sweep = [
        "profile",
        "s.cl",
        "--time",
        "2",
        "--json",
        "--sweep",
        "local=8/16,SCALE=1/1/2",
        "--",
        "zero:int[64]",
    ];
    let tried = json(&folder, &sweep);
    let tried = tried.as_array().unwrap();
    let differences: Vec<f64> = tried.iter().map(|it| it["difference"].as_f64().unwrap()).collect();
    assert_eq!(differences, [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(tried[5]["settings"], "local=16 SCALE=2");
    let text = folder.good(&["profile", "s.cl", "--time", "2", "--sweep", "SCALE=1/2", "--", "zero:int[64]"]);
    assert!(text.out.contains("differs from the first by 1.000e0"), "{text:?}");
    let refused = ["profile", "s.cl", "--sweep", "SCALE=(/x y", "--", "zero:int[64]"];
    let run = folder.run(&refused);
    assert!(run.code == 2 && run.err.contains("no combination runs"), "{run:?}");
}

#[test]
fn kernels_are_compared() {
    let folder = Folder::new("profile-compare");
    folder.write("other.cl", crate::harness::SAXPY.replace("a * x[i] + y[i]", "0"));
    let arguments = ["--", "2", "fill:1:float[64]", "zero:float[64]"];
    let run = folder
        .good(&[&["profile", "saxpy.cl", "--compare", "other.cl", "--time", "5"], &arguments[..]].concat());
    assert!(
        run.out.contains("saxpy.cl") && run.out.contains("other.cl") && run.out.contains("p "),
        "{run:?}"
    );
    let saved = folder.good(&[&["profile", "saxpy.cl", "--json", "--time", "5"], &arguments[..]].concat());
    folder.write("before.json", saved.out);
    let with = ["profile", "saxpy.cl", "--compare-profile", "before.json", "--time", "5"];
    let run = folder.good(&[&with[..], &arguments].concat());
    assert!(run.out.contains("before and now"), "{run:?}");
    folder.write("wrong.json", "{}");
    let with = ["profile", "saxpy.cl", "--compare-profile", "wrong.json", "--time", "5"];
    let run = folder.run(&[&with[..], &arguments].concat());
    assert!(run.code == 2 && run.err.contains("is not what `clvk-run profile --json` prints"), "{run:?}");
}
