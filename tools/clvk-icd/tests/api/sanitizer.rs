//! What kernels report with `CLVK_SANITIZE`, which is read when the driver is loaded: the kernels run in a
//! process of their own.

use crate::c::*;
use opencl_sys::*;
use std::process::Command;

const SOURCE: &str = "kernel void shift(global int *part, global const int *in, int by)
{
    int i = get_global_id(0);
    part[i + by] = in[i] / by;
}
kernel void copy(global const int *from, global int *to) { to[1] = from[2]; }
";

#[test]
fn errors_of_kernels_are_written_with_their_places() {
    if std::env::var_os("CLVK_SANITIZE").is_some() {
        return make_errors();
    }
    let own = std::env::current_exe().unwrap();
    let name = "sanitizer::errors_of_kernels_are_written_with_their_places";
    let run = |kinds: &str| {
        let mut command = Command::new(&own);
        command.args(["--exact", name, "--nocapture"]).env("CLVK_SANITIZE", kinds);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let bounds = "program.cl:4:5: error: write of 4 bytes at byte 64 of the argument `part` (0), which has 64 bytes \
                  [bounds]\n      part[i + by] = in[i] / by;\n      ^~~~";
    let division = "program.cl:4:20: error: division by zero: 6 / 0 [arithmetic]";
    let all = run("all");
    assert_eq!((all.matches(bounds).count(), all.matches(division).count()), (1, 1), "{all}");
    let read = "program.cl:6:68: error: read of 4 bytes at byte 8 of the argument `from` (0), whose buffer is \
                `CL_MEM_WRITE_ONLY` [flags]";
    let write = "program.cl:6:60: error: write of 4 bytes at byte 4 of the argument `to` (1), whose buffer is \
                 `CL_MEM_READ_ONLY` [flags]";
    assert_eq!((all.matches(read).count(), all.matches(write).count()), (1, 1), "{all}");
    let early = "program.cl:6:68: error: read of 4 bytes at byte 8 of the argument `from` (0) before it is written \
                 [uninitialised]";
    assert_eq!(all.matches(early).count(), 1, "{all}");
    let some = run("arithmetic,barriers");
    assert!(!some.contains("[bounds]") && some.contains(division), "{some}");
    assert!(!run("0").contains("error"));
    let wrong = run("bound");
    assert!(wrong.contains("CLVK_SANITIZE has no effect: the sanitizer has no kind `bound`"), "{wrong}");
}

/// Launches a kernel that leaves a sub-buffer, and that divides by zero, twice, and one that does what the
/// flags of its buffers forbid, and reads a buffer that nothing has written.
fn make_errors() {
    let session = Session::new();
    let program = session.built(SOURCE);
    let kernel = session.kernel(program, c"shift");
    let (whole, numbers) = (session.buffer_of(&[7i32; 64]), session.buffer_of(&[6i32; 16]));
    let region = cl_buffer_region { origin: 0, size: 64 };
    let part = created(|e| {
        // SAFETY: the region is what this kind of sub-buffer takes.
        unsafe { clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), e) }
    });
    set(kernel, 0, &part);
    set(kernel, 1, &numbers);
    for by in [0i32, 2, 0, 2] {
        set(kernel, 2, &by);
        ok(session.launch(kernel, 16));
    }
    let (from, to) = (session.buffer(CL_MEM_WRITE_ONLY, 64), session.buffer(CL_MEM_READ_ONLY, 64));
    let copy = session.kernel(program, c"copy");
    set(copy, 0, &from);
    set(copy, 1, &to);
    ok(session.launch(copy, 1));
    let fresh = session.buffer(CL_MEM_READ_WRITE, 64);
    set(copy, 0, &fresh);
    set(copy, 1, &numbers);
    ok(session.launch(copy, 1));
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clFinish(session.queue));
        ok(clReleaseMemObject(part));
        ok(clReleaseMemObject(from));
        ok(clReleaseMemObject(fresh));
        ok(clReleaseMemObject(to));
        ok(clReleaseKernel(copy));
        ok(clReleaseMemObject(whole));
        ok(clReleaseMemObject(numbers));
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}
