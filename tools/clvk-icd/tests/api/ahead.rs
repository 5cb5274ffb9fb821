//! Kernels are compiled in the background as soon as they exist. The device's counters tell who compiled.
//! They count for the whole process, so each test has one of its own.

use crate::c::*;
use clvk_icd::object::platform::Platform;
use opencl_sys::*;
use std::ffi::CString;
use std::process::{Command, Output};
use std::ptr::{null, null_mut};
use vk_runtime::Device;

/// Set for the second process.
const CHILD: &str = "CLVK_TESTS_AHEAD";

/// Runs a test in a process of its own, with two threads that compile. False in that process.
#[track_caller]
fn elsewhere(name: &str, variables: &[(&str, &str)]) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return false;
    }
    let output = run(name, variables);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{output:?}");
    true
}

fn run(name: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([&format!("ahead::{name}"), "--exact", "--nocapture"]).env(CHILD, "1");
    command.env("CLVK_COMPILE_THREADS", "2").env("CLVK_CACHE", "0").envs(variables.iter().copied());
    command.output().unwrap()
}

fn device() -> &'static Device {
    Platform::get().devices()[0].open().unwrap()
}

/// Compiled pipelines, those of them that were compiled ahead, and launches that found theirs, once the
/// threads have nothing to do.
fn counts() -> [u64; 3] {
    device().finish_compiling();
    let now = device().pipeline_statistics();
    [now.compiled, now.ahead, now.reused]
}

/// Launches 128 work-items that add 1 to as many numbers, in work-groups of this size.
#[track_caller]
fn add_one(session: &Session, kernel: cl_kernel, local: Option<usize>) {
    let buffer = session.buffer_of(&[6; 128]);
    set(kernel, 0, &buffer);
    let (global, local) = (128usize, local.as_ref().map_or(null(), std::ptr::from_ref));
    // SAFETY: one dimension.
    ok(unsafe {
        let (queue, global) = (session.queue, &raw const global);
        clEnqueueNDRangeKernel(queue, kernel, 1, null(), global, local, 0, null(), null_mut())
    });
    assert_eq!(session.contents(buffer, 128), [7; 128]);
    // SAFETY: the handle is the test's.
    ok(unsafe { clReleaseMemObject(buffer) });
}

const SIZES: &str = "
    #define BODY (global int *p) { p[get_global_id(0)] += 1; }
    kernel __attribute__((reqd_work_group_size(32, 1, 1))) void required BODY
    kernel __attribute__((work_group_size_hint(16, 1, 1))) void hinted BODY
    kernel void chosen BODY
    kernel void unused BODY";

#[test]
fn kernels_are_compiled_when_they_are_created() {
    if elsewhere("kernels_are_compiled_when_they_are_created", &[]) {
        return;
    }
    let session = Session::new();
    let program = session.built(SIZES);
    assert_eq!(counts(), [0; 3], "nothing is compiled for kernels that are not created");
    let required = session.kernel(program, c"required");
    assert_eq!(counts(), [1, 1, 0]);
    add_one(&session, required, None);
    assert_eq!(counts(), [1, 1, 1]);
    let hinted = session.kernel(program, c"hinted");
    assert_eq!(counts(), [2, 2, 1]);
    add_one(&session, hinted, Some(16));
    assert_eq!(counts(), [2, 2, 2]);
    // The hint was wrong.
    add_one(&session, hinted, Some(64));
    assert_eq!(counts(), [3, 2, 2]);
    let chosen = session.kernel(program, c"chosen");
    assert_eq!(counts(), [4, 3, 2], "for many work-items");
    // There are few.
    add_one(&session, chosen, None);
    assert_eq!(counts(), [5, 3, 2]);
    // Once it was launched, nothing is guessed any more.
    let again = session.kernel(program, c"chosen");
    assert_eq!(counts(), [5, 3, 2]);
    for kernel in [required, hinted, chosen, again] {
        // SAFETY: the handles are the test's.
        ok(unsafe { clReleaseKernel(kernel) });
    }
    release_program(program);
}

#[test]
fn a_launch_tells_the_size_of_the_other_kernels() {
    if elsewhere("a_launch_tells_the_size_of_the_other_kernels", &[]) {
        return;
    }
    let session = Session::new();
    let program = session.built(
        "kernel void first(global int *p) { p[get_global_id(0)] += 1; }
         kernel void second(global int *p) { p[get_global_id(0)] += 1; }
         kernel void plane(global int *p) { p[get_global_id(0) + 64 * get_global_id(1)] += 1; }",
    );
    let [first, second, plane] = [c"first", c"second", c"plane"].map(|name| session.kernel(program, name));
    assert_eq!(counts(), [3, 3, 0]);
    add_one(&session, first, Some(4));
    assert_eq!(counts(), [5, 4, 0], "the one with as many dimensions is compiled for that size, too");
    add_one(&session, second, Some(4));
    assert_eq!(counts(), [5, 4, 1]);
    for kernel in [first, second, plane] {
        // SAFETY: the handles are the test's.
        ok(unsafe { clReleaseKernel(kernel) });
    }
    release_program(program);
}

#[test]
fn kernels_with_local_arguments_are_compiled_when_these_are_set() {
    if elsewhere("kernels_with_local_arguments_are_compiled_when_these_are_set", &[]) {
        return;
    }
    let session = Session::new();
    let program = session.built(
        "kernel __attribute__((reqd_work_group_size(8, 1, 1)))
         void add(global int *p, local int *a, local int *b) {
             size_t i = get_local_id(0);
             a[i] = p[get_global_id(0)];
             b[i] = a[i] + 1;
             p[get_global_id(0)] = b[i];
         }",
    );
    let kernel = session.kernel(program, c"add");
    // SAFETY: local memory has no value.
    let local = |index, size| ok(unsafe { clSetKernelArg(kernel, index, size, null()) });
    local(1, 32);
    assert_eq!(counts(), [0; 3]);
    local(2, 64);
    assert_eq!(counts(), [1, 1, 0]);
    // Set again to the same sizes, and to others.
    local(1, 32);
    assert_eq!(counts(), [1, 1, 0]);
    local(2, 32);
    assert_eq!(counts(), [2, 2, 0]);
    add_one(&session, kernel, Some(8));
    assert_eq!(counts(), [2, 2, 1]);
    // SAFETY: the handle is the test's.
    ok(unsafe { clReleaseKernel(kernel) });
    release_program(program);
}

#[test]
fn zero_threads_compile_nothing() {
    if elsewhere("zero_threads_compile_nothing", &[("CLVK_COMPILE_THREADS", "0")]) {
        return;
    }
    let session = Session::new();
    let program = session.built(SIZES);
    let kernel = session.kernel(program, c"required");
    assert_eq!(counts(), [0; 3]);
    add_one(&session, kernel, None);
    assert_eq!(counts(), [1, 0, 0]);
    // SAFETY: the handle is the test's.
    ok(unsafe { clReleaseKernel(kernel) });
    release_program(program);
}

/// A program with many kernels. Each takes the driver's compiler a while.
fn many_kernels(count: usize) -> String {
    let kernel = |number| {
        format!(
            "kernel void k{number}(global float *p) {{
                 float x = p[get_global_id(0)];
                 for (int i = 0; i < {number} + 3; i++)
                     x = pow(sin(x) + {number}, cos(x)) * tan(x) + lgamma(x);
                 p[get_global_id(0)] = x;
             }}\n"
        )
    };
    (0..count).map(kernel).collect()
}

fn create(session: &Session, program: cl_program, count: usize) -> Vec<cl_kernel> {
    let names = (0..count).map(|number| CString::new(format!("k{number}")).unwrap());
    names.map(|name| session.kernel(program, &name)).collect()
}

#[test]
fn everything_may_be_released_while_kernels_are_compiled() {
    const KERNELS: usize = 8;
    if std::env::var_os(CHILD).is_none() {
        let name = "everything_may_be_released_while_kernels_are_compiled";
        for variables in [&[][..], &[("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation")]] {
            let output = run(name, variables);
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && text.contains("1 passed"), "{output:?}");
            let found = ["Validation Error", "Validation Warning", "VUID-"];
            assert!(!found.iter().any(|word| text.contains(word)), "{text}");
        }
        return;
    }
    for round in 0..6 {
        let session = Session::new();
        let program = session.built(&many_kernels(KERNELS));
        let kernels = create(&session, program, KERNELS);
        if round % 2 == 0 {
            let buffer = session.buffer_of(&[0; 64]);
            set(kernels[round], 0, &buffer);
            ok(session.launch(kernels[round], 64));
            // SAFETY: the handle is the test's.
            ok(unsafe { clReleaseMemObject(buffer) });
        }
        for kernel in kernels {
            // SAFETY: as above.
            ok(unsafe { clReleaseKernel(kernel) });
        }
        release_program(program);
    }
    let [compiled, ..] = counts();
    assert!(compiled <= 6 * (2 * KERNELS as u64), "{compiled}");
}

#[test]
fn a_process_may_exit_while_kernels_are_compiled() {
    let name = "a_process_may_exit_while_kernels_are_compiled";
    if std::env::var_os(CHILD).is_none() {
        for _ in 0..4 {
            let output = run(name, &[]);
            assert_eq!(output.status.code(), Some(17), "{output:?}");
        }
        return;
    }
    let session = Session::new();
    let program = session.built(&many_kernels(8));
    create(&session, program, 8);
    // Nothing is released, and the threads have more to do.
    std::process::exit(17);
}
