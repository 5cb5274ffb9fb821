//! What `CLVK_PROFILE` writes, which is read when the driver is loaded: the kernels run in a process of their
//! own.

use crate::c::*;
use clvk_icd::object::platform::Platform;
use opencl_sys::*;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "kernel void add(global int *sum, int much) { sum[get_global_id(0)] += much; }";

/// More than are kept before they are written.
const LAUNCHES: usize = 1500;

#[test]
fn commands_are_recorded_with_their_times() {
    if std::env::var_os("CLVK_PROFILE").is_some() {
        return work();
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("timeline.json");
    let name = "timeline::commands_are_recorded_with_their_times";
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--nocapture"]).env("CLVK_PROFILE", &file);
    command.env("CLVK_COMPILE_THREADS", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let table = String::from_utf8(output.stderr).unwrap();
    let row = table.lines().find(|line| line.ends_with("  add")).unwrap_or_else(|| panic!("{table}"));
    let column = |number: usize| row.split_whitespace().nth(number).unwrap();
    assert_eq!(column(2), "1500", "{table}");
    let events: Vec<Value> = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let slices = |name: &str| -> Vec<&Value> {
        events.iter().filter(|event| event["ph"] == "X" && event["name"] == name).collect()
    };
    let launches = slices("add");
    assert_eq!(launches.len(), LAUNCHES);
    // The queue is in order: the launches do not overlap, and none is before the write.
    let times = |event: &Value| (event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap());
    for pair in launches.windows(2) {
        let ((began, took), (next, _)) = (times(pair[0]), times(pair[1]));
        assert!(began + took <= next + 0.01, "{pair:?}");
        assert_eq!((&pair[0]["tid"], &pair[0]["cat"]), (&pair[1]["tid"], &Value::from("kernel")));
    }
    // Some launches are measured and the others estimated: the table says how many, and has the sum of all.
    let measured = launches.iter().filter(|launch| launch["args"]["estimated"].is_null()).count();
    assert!(measured > 0 && column(3) == measured.to_string(), "{measured} in {table}");
    let sum: f64 = launches.iter().map(|launch| times(launch).1 / 1e3).sum();
    let in_table: f64 = column(1).parse().unwrap();
    assert!(sum > 0.0 && (sum - in_table).abs() < 0.01, "{sum} ms in {table}");
    for launch in &launches {
        assert!(launch["args"]["queued"].as_f64().unwrap() <= times(launch).0 + 0.01, "{launch}");
    }
    assert_eq!((slices("write buffer").len(), slices("read buffer").len()), (1, 1));
    assert!(times(slices("write buffer")[0]).0 <= times(launches[0]).0);
    let built = slices("build program");
    assert!(built.iter().any(|event| event["cat"] == "compilation" && event["dur"].as_f64() > Some(0.0)));
    // The kernel is compiled by a thread as soon as it exists.
    let compiled = slices("pipeline of add");
    assert!(compiled.iter().any(|event| event["cat"] == "compilation" && event["tid"] != built[0]["tid"]));
}

/// Writes, launches, and reads.
fn work() {
    let session = Session::new();
    let program = session.built(SOURCE);
    let kernel = session.kernel(program, c"add");
    Platform::get().devices()[0].open().unwrap().finish_compiling();
    let sums = session.buffer_of(&[0i32; 16]);
    let mut numbers = [1i32; 16];
    // SAFETY: the calls block, and the numbers are as large as the buffer.
    unsafe {
        let (queue, size) = (session.queue, size_of_val(&numbers));
        let null = std::ptr::null_mut();
        ok(clEnqueueWriteBuffer(queue, sums, CL_TRUE, 0, size, numbers.as_ptr().cast(), 0, null, null));
        set(kernel, 0, &sums);
        set(kernel, 1, &2i32);
        for _ in 0..LAUNCHES {
            ok(session.launch(kernel, 16));
        }
        ok(clEnqueueReadBuffer(queue, sums, CL_TRUE, 0, size, numbers.as_mut_ptr().cast(), 0, null, null));
    }
    assert_eq!(numbers, [1 + 2 * LAUNCHES as i32; 16]);
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clReleaseMemObject(sums));
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}
