//! Programs in two forms: buffers through descriptors, and through addresses where arguments need them.
//!
//! What a kernel computes does not depend on the form, so all of this runs in both ways.

use crate::c::*;
use opencl_sys::*;
use std::process::Command;
use std::ptr::{null, null_mut};

const SOURCE: &str = "
kernel void add(global int *to, global const int *from)
{
    size_t i = get_global_id(0);
    to[i] += from ? from[i] : 1000;
}
kernel void last(global int *a, ulong index)
{
    a[index] = 7;
    a[0] = 8;
}
kernel void same(global int *a, global int *b, global int *out)
{
    out[get_global_id(0)] = a == b;
}
kernel void moved(global int *a, global int *b, int count)
{
    global int *to = a + 1;
    if (to <= b)
        for (int i = 0; i < count; i++)
            to[i] = b[i];
    else
        for (int i = count; i-- > 0;)
            to[i] = b[i];
}
kernel void quarters(global int *to, global const int4 *from)
{
    size_t i = get_global_id(0);
    to[i] = from[i].x + from[i].y + from[i].z + from[i].w;
}";

/// One kernel may run in either form, the other has state.
const WITH_STATE: &str = "
global int count;
kernel void counts(global int *a)
{
    a[0] = ++count;
}
kernel void adds(global int4 *a)
{
    a[0] += (int4)(1, 2, 3, 4);
}";

#[test]
fn arguments_decide_the_form_launch_by_launch() {
    let session = Session::new();
    let program = session.built(SOURCE);
    let kernel = session.kernel(program, c"add");
    let (to, from) = (session.buffer_of(&[1, 2, 3, 4]), session.buffer_of(&[10, 20, 30, 40]));
    set(kernel, 0, &to);
    set(kernel, 1, &from);
    ok(session.launch(kernel, 4));
    assert_eq!(session.contents(to, 4), [11, 22, 33, 44]);
    // Null, and a buffer again.
    let none: cl_mem = null_mut();
    set(kernel, 1, &none);
    ok(session.launch(kernel, 4));
    set(kernel, 1, &from);
    ok(session.launch(kernel, 4));
    assert_eq!(session.contents(to, 4), [1021, 1042, 1063, 1084]);
    // One buffer as both, and a copy of the kernel.
    set(kernel, 1, &to);
    // SAFETY: a kernel.
    let copy = created(|e| unsafe { clCloneKernel(kernel, e) });
    ok(session.launch(copy, 4));
    assert_eq!(session.contents(to, 4), [2042, 2084, 2126, 2168]);
    // A part of a buffer.
    let whole = session.buffer_of(&(0..100).collect::<Vec<i32>>());
    let region = cl_buffer_region { origin: 128, size: 64 };
    let start = (&raw const region).cast();
    // SAFETY: the region lies in the buffer.
    let part = created(|e| unsafe {
        clCreateSubBuffer(whole, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, start, e)
    });
    set(kernel, 1, &part);
    ok(session.launch(kernel, 4));
    assert_eq!(session.contents(to, 4), [2074, 2117, 2160, 2203]);
    // SAFETY: the objects are the test's.
    unsafe {
        ok(clReleaseKernel(kernel));
        ok(clReleaseKernel(copy));
        ok(clReleaseProgram(program));
        for buffer in [part, whole, to, from] {
            ok(clReleaseMemObject(buffer));
        }
    }
}

#[test]
fn shared_memory_and_buffers_take_turns() {
    let session = Session::new();
    let program = session.built(SOURCE);
    let kernel = session.kernel(program, c"add");
    let to = session.buffer_of(&[1, 2, 3, 4]);
    set(kernel, 0, &to);
    // SAFETY: no pointers but the context.
    let shared = unsafe { clSVMAlloc(session.context, CL_MEM_READ_WRITE, 64, 0) };
    if shared.is_null() {
        eprintln!("the device has no shared memory");
        return;
    }
    // SAFETY: sizes are those of the memory, which is freed when the kernels are done.
    unsafe {
        let values = [5, 6, 7, 8, 9];
        let source = values.as_ptr().cast();
        ok(clEnqueueSVMMemcpy(session.queue, CL_TRUE, shared, source, 20, 0, null(), null_mut()));
        // Not at the beginning.
        ok(clSetKernelArgSVMPointer(kernel, 1, shared.byte_add(4)));
        ok(session.launch(kernel, 4));
        set(kernel, 1, &to);
        ok(session.launch(kernel, 4));
        assert_eq!(session.contents(to, 4), [14, 18, 22, 26]);
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(to));
        clSVMFree(session.context, shared);
    }
}

/// More than devices must let descriptors reach, and than lavapipe 22.3 does (`maxStorageBufferRange`).
const LARGE: usize = (1 << 27) + 4096;

#[test]
fn large_buffers_are_reached_to_their_end() {
    let session = Session::new();
    let program = session.built(SOURCE);
    let kernel = session.kernel(program, c"last");
    let most = answer(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetDeviceInfo(session.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, size, value, ret) }
    });
    let size = (u64::from_ne_bytes(most.try_into().unwrap()) as usize).min(LARGE);
    let buffer = session.buffer(CL_MEM_READ_WRITE, size);
    let small = session.buffer_of(&[0; 2]);
    for (buffer, size) in [(small, 8), (buffer, size), (small, 8)] {
        let index = (size / 4 - 1) as u64;
        set(kernel, 0, &buffer);
        set(kernel, 1, &index);
        ok(session.launch(kernel, 1));
        let mut read = 0i32;
        let place = (&raw mut read).cast();
        // SAFETY: room for four bytes, which the buffer has there.
        ok(unsafe {
            clEnqueueReadBuffer(session.queue, buffer, CL_TRUE, size - 4, 4, place, 0, null(), null_mut())
        });
        assert_eq!((session.contents(buffer, 1), read), (vec![8], 7));
    }
    // SAFETY: the objects are the test's.
    unsafe {
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(buffer));
        ok(clReleaseMemObject(small));
    }
}

#[test]
fn one_buffer_has_one_address() {
    let session = Session::new();
    let program = session.built(SOURCE);
    let kernel = session.kernel(program, c"same");
    let (a, out) = (session.buffer_of(&[0]), session.buffer_of(&[5]));
    for (first, second, expected) in [(a, a, 1), (a, out, 0)] {
        set(kernel, 0, &first);
        set(kernel, 1, &second);
        set(kernel, 2, &out);
        ok(session.launch(kernel, 1));
        if has_addresses(&session) {
            assert_eq!(session.contents(out, 1), [expected]);
        }
    }
    // SAFETY: the objects are the test's.
    unsafe {
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(a));
        ok(clReleaseMemObject(out));
    }
}

#[test]
fn order_tells_which_way_to_move() {
    let session = Session::new();
    if !has_addresses(&session) {
        return;
    }
    let program = session.built(SOURCE);
    let kernel = session.kernel(program, c"moved");
    let buffer = session.buffer_of(&[1, 2, 3, 4, 5]);
    set(kernel, 0, &buffer);
    set(kernel, 1, &buffer);
    set(kernel, 2, &4i32);
    ok(session.launch(kernel, 1));
    assert_eq!(session.contents(buffer, 5), [1, 1, 2, 3, 4]);
    // SAFETY: the objects are the test's.
    unsafe {
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(buffer));
    }
}

#[test]
fn vectors_are_read_in_either_form() {
    let session = Session::new();
    let program = session.built(SOURCE);
    let kernel = session.kernel(program, c"quarters");
    let (to, from) = (session.buffer_of(&[0; 3]), session.buffer_of(&(1..=12).collect::<Vec<i32>>()));
    set(kernel, 0, &to);
    set(kernel, 1, &from);
    ok(session.launch(kernel, 3));
    assert_eq!(session.contents(to, 3), [10, 26, 42]);
    // SAFETY: the objects are the test's.
    unsafe {
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(to));
        ok(clReleaseMemObject(from));
    }
}

#[test]
fn kernels_with_state_share_it_whatever_the_others_do() {
    let session = Session::new();
    let program = session.built_for_version_three(WITH_STATE);
    let (counts, adds) = (session.kernel(program, c"counts"), session.kernel(program, c"adds"));
    let again = session.kernel(program, c"counts");
    let buffer = session.buffer_of(&[0, 10, 20, 30]);
    for kernel in [counts, adds, again] {
        set(kernel, 0, &buffer);
    }
    for (kernel, expected) in [
        (counts, [1, 10, 20, 30]),
        (adds, [2, 12, 23, 34]),
        (again, [2, 12, 23, 34]),
        (counts, [3, 12, 23, 34]),
        (adds, [4, 14, 26, 38]),
    ] {
        ok(session.launch(kernel, 1));
        assert_eq!(session.contents(buffer, 4), expected);
    }
    // SAFETY: the objects are the test's.
    unsafe {
        for kernel in [counts, adds, again] {
            ok(clReleaseKernel(kernel));
        }
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(buffer));
    }
}

/// Whether kernels can use addresses at all.
fn has_addresses(session: &Session) -> bool {
    let extensions = text(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetDeviceInfo(session.device, CL_DEVICE_EXTENSIONS, size, value, ret) }
    });
    extensions.split(' ').any(|name| name == "cl_ext_buffer_device_address")
}

/// Where memory is reached by pointers, kernels are changed after they are recorded, and these tests.
#[test]
fn both_forms_run_wherever_there_are_two() {
    for form in ["descriptors", "addresses"] {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["forms::", "svm::", "usm::", "mutable::", "--skip", "both_forms_run"])
            .env("CLVK_BUFFERS", form)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && !text.contains(" 0 passed"), "{form}: {text}");
    }
}
