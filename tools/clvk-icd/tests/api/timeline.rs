//! What `CLVK_PROFILE` writes, which is read when the driver is loaded: the kernels run in a process of their
//! own.

use crate::c::*;
use clvk_icd::object::platform::Platform;
use opencl_sys::*;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::ptr::{null, null_mut};

const SOURCE: &str = "kernel void add(global int *sum, int much) { sum[get_global_id(0)] += much; }
    kernel void twice(global int *sum) { sum[get_global_id(0)] *= 2; }";

/// What a process recorded.
struct Recording {
    /// The size of the file in bytes.
    size: usize,
    events: Vec<Value>,
    table: String,
}

/// Runs a test of this module in another process, which records its commands.
fn recorded(test: &str) -> Recording {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}.json"));
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("timeline::{test}"), "--nocapture"]).env("CLVK_PROFILE", &file);
    command.env("CLVK_COMPILE_THREADS", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = std::fs::read(&file).unwrap();
    let events = serde_json::from_slice(&text).unwrap();
    Recording { size: text.len(), events, table: String::from_utf8(output.stderr).unwrap() }
}

fn is_recorded() -> bool {
    std::env::var_os("CLVK_PROFILE").is_some()
}

/// When a slice begins, and how long it takes, in microseconds.
fn times(slice: &Value) -> (f64, f64) {
    (slice["ts"].as_f64().unwrap(), slice["dur"].as_f64().unwrap())
}

/// How many commands a slice is; its name says so too.
fn count(slice: &Value) -> u64 {
    let count = slice["args"]["count"].as_u64().unwrap_or(1);
    let name = slice["name"].as_str().unwrap();
    assert_eq!(name.ends_with(&format!(" \u{d7}{count}")), count > 1, "{slice}");
    count
}

impl Recording {
    /// The slices of a name, each of one or more commands.
    fn slices(&self, name: &str) -> Vec<&Value> {
        let is_named = |event: &&Value| {
            event["ph"] == "X" && event["name"].as_str().unwrap().split(" \u{d7}").next() == Some(name)
        };
        self.events.iter().filter(is_named).collect()
    }

    fn count(&self, name: &str) -> u64 {
        self.slices(name).into_iter().map(count).sum()
    }

    /// A column of a kernel's row of the table.
    fn column(&self, kernel: &str, column: usize) -> &str {
        let is_its = |line: &&str| line.ends_with(&format!("  {kernel}"));
        let row = self.table.lines().find(is_its).unwrap_or_else(|| panic!("{}", self.table));
        row.split_whitespace().nth(column).unwrap()
    }

    /// The table has the numbers of the slices.
    fn check_table(&self, kernel: &str) {
        let (slices, table) = (self.slices(kernel), &self.table);
        assert_eq!(self.column(kernel, 2), self.count(kernel).to_string(), "{table}");
        let sum: f64 = slices.iter().map(|slice| times(slice).1 / 1e3).sum();
        let in_table: f64 = self.column(kernel, 1).parse().unwrap();
        assert!(sum > 0.0 && (sum - in_table).abs() < 0.01, "{sum} ms in {table}");
        let is_measured = |slice: &&&Value| slice["args"]["estimated"].is_null();
        let measured: u64 = slices.iter().filter(is_measured).map(|slice| count(slice)).sum();
        assert!(measured > 0 && self.column(kernel, 3) == measured.to_string(), "{measured} in {table}");
    }
}

#[test]
fn commands_are_recorded_with_their_times() {
    const LAUNCHES: u64 = 1500;
    if is_recorded() {
        return work(|session, [add, _]| (0..LAUNCHES).for_each(|_| ok(session.launch(add, 16))));
    }
    let recording = recorded("commands_are_recorded_with_their_times");
    let launches = recording.slices("add");
    assert_eq!(recording.count("add"), LAUNCHES);
    recording.check_table("add");
    // Launches that cannot be told apart are one slice.
    assert!(launches.len() < LAUNCHES as usize / 8, "{} slices", launches.len());
    let long = launches.iter().max_by_key(|slice| count(slice)).unwrap();
    let (mean, took) = (long["args"]["mean_us"].as_f64().unwrap(), times(long).1);
    assert!((mean - took / count(long) as f64).abs() < 0.002, "{long}");
    // The queue is in order: the launches do not overlap, and none is before the write.
    for pair in launches.windows(2) {
        let ((began, took), (next, _)) = (times(pair[0]), times(pair[1]));
        assert!(began + took <= next + 0.01, "{pair:?}");
        assert_eq!((&pair[0]["tid"], &pair[0]["cat"]), (&pair[1]["tid"], &Value::from("kernel")));
    }
    for launch in &launches {
        assert!(launch["args"]["queued"].as_f64().unwrap() <= times(launch).0 + 0.01, "{launch}");
    }
    assert_eq!((recording.count("write buffer"), recording.count("read buffer")), (1, 1));
    assert!(times(recording.slices("write buffer")[0]).0 <= times(launches[0]).0);
    let built = recording.slices("build program");
    assert!(built.iter().any(|event| event["cat"] == "compilation" && event["dur"].as_f64() > Some(0.0)));
    // The kernel is compiled by a thread as soon as it exists.
    let compiled = recording.slices("pipeline of add");
    assert!(compiled.iter().any(|event| event["cat"] == "compilation" && event["tid"] != built[0]["tid"]));
}

#[test]
fn kernels_that_take_turns_are_few_slices() {
    const ROUNDS: u64 = 2000;
    if is_recorded() {
        return work(|session, [add, twice]| {
            for _ in 0..ROUNDS {
                ok(session.launch(add, 16));
                ok(session.launch(twice, 16));
            }
        });
    }
    let recording = recorded("kernels_that_take_turns_are_few_slices");
    for kernel in ["add", "twice"] {
        assert_eq!(recording.count(kernel), ROUNDS);
        assert_eq!(recording.column(kernel, 2), ROUNDS.to_string());
        let slices = recording.slices(kernel);
        assert!(slices.len() < ROUNDS as usize / 2, "{} slices of {kernel}", slices.len());
        assert!(slices.iter().any(|slice| slice["args"]["interleaved"] == true), "{kernel}");
    }
}

/// Nobody waits for the launches, some are on a queue of their own, and others have events.
#[test]
fn every_command_is_counted() {
    if is_recorded() {
        return work(|session, [add, twice]| {
            let size = 16;
            // SAFETY: the handles are the session's, and each event is released.
            unsafe {
                let (context, device) = (session.context, session.device);
                let other = created(|e| clCreateCommandQueueWithProperties(context, device, null(), e));
                let launch = |queue, kernel, event| {
                    ok(clEnqueueNDRangeKernel(
                        queue,
                        kernel,
                        1,
                        null(),
                        &raw const size,
                        null(),
                        0,
                        null(),
                        event,
                    ));
                };
                for _ in 0..300 {
                    let mut event = null_mut();
                    launch(session.queue, add, &raw mut event);
                    launch(other, twice, null_mut());
                    ok(clReleaseEvent(event));
                    ok(clFinish(session.queue));
                }
                // What is not waited for is done when the process ends.
                ok(clFinish(other));
                launch(other, twice, null_mut());
                ok(clFlush(other));
                Platform::get().devices()[0].open().unwrap().finish().unwrap();
            }
        });
    }
    let recording = recorded("every_command_is_counted");
    assert_eq!((recording.count("add"), recording.count("twice")), (300, 301));
    for kernel in ["add", "twice"] {
        recording.check_table(kernel);
    }
}

#[test]
fn many_launches_make_a_small_file() {
    const LAUNCHES: u64 = 30_000;
    /// Bytes of the file for each launch at most. A line has some 190; how many launches share one depends on
    /// how fast the device is beside the host, which other work may hold up.
    const MOST: u64 = 100;
    if is_recorded() {
        return work(|session, [add, _]| (0..LAUNCHES).for_each(|_| ok(session.launch(add, 1))));
    }
    let recording = recorded("many_launches_make_a_small_file");
    assert_eq!(recording.count("add"), LAUNCHES);
    assert!(recording.size < (LAUNCHES * MOST) as usize, "{} bytes", recording.size);
}

/// Writes, launches, and reads.
fn work(launch: impl FnOnce(&Session, [cl_kernel; 2])) {
    let session = Session::new();
    let program = session.built(SOURCE);
    let kernels = [c"add", c"twice"].map(|name| session.kernel(program, name));
    Platform::get().devices()[0].open().unwrap().finish_compiling();
    let sums = session.buffer_of(&[0i32; 16]);
    let mut numbers = [1i32; 16];
    // SAFETY: the calls block, and the numbers are as large as the buffer.
    unsafe {
        let (queue, size) = (session.queue, size_of_val(&numbers));
        ok(clEnqueueWriteBuffer(
            queue,
            sums,
            CL_TRUE,
            0,
            size,
            numbers.as_ptr().cast(),
            0,
            null(),
            null_mut(),
        ));
        set(kernels[0], 0, &sums);
        set(kernels[0], 1, &2i32);
        set(kernels[1], 0, &sums);
        launch(&session, kernels);
        ok(clEnqueueReadBuffer(
            queue,
            sums,
            CL_TRUE,
            0,
            size,
            numbers.as_mut_ptr().cast(),
            0,
            null(),
            null_mut(),
        ));
    }
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clReleaseMemObject(sums));
        for kernel in kernels {
            ok(clReleaseKernel(kernel));
        }
        ok(clReleaseProgram(program));
    }
}
