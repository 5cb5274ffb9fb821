//! Which objects are live, and the codes for wrong handles.

use crate::c::*;
use opencl_sys::*;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

#[test]
fn a_released_handle_is_an_error_and_no_crash() {
    let session = Session::new();
    let buffer = session.buffer(CL_MEM_READ_WRITE, 64);
    // SAFETY: dead handles are never dereferenced.
    unsafe {
        ok(clReleaseMemObject(buffer));
        assert_eq!(clReleaseMemObject(buffer), CL_INVALID_MEM_OBJECT);
        assert_eq!(clGetMemObjectInfo(buffer, CL_MEM_SIZE, 0, null_mut(), null_mut()), CL_INVALID_MEM_OBJECT);
    }
}

#[test]
fn a_handle_of_another_type_is_an_error() {
    let session = Session::new();
    let buffer = session.buffer(CL_MEM_READ_WRITE, 64);
    // SAFETY: handles of another type, and addresses that are not objects, are never dereferenced.
    unsafe {
        assert_eq!(clFinish(buffer), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(clReleaseKernel(session.queue), CL_INVALID_KERNEL);
        assert_eq!(clReleaseContext(0x1234 as *mut c_void), CL_INVALID_CONTEXT);
        assert_eq!(clReleaseEvent(null_mut()), CL_INVALID_EVENT);
        ok(clReleaseMemObject(buffer));
    }
}

#[test]
fn the_first_word_of_every_object_is_the_same_table() {
    let session = Session::new();
    let buffer = session.buffer(CL_MEM_READ_WRITE, 64);
    // SAFETY: handles point to objects whose first word is the dispatch table, as the loader relies on.
    let word = |handle: *mut c_void| unsafe { handle.cast::<*const c_void>().read() };
    assert!(!word(buffer).is_null());
    assert_eq!(word(buffer), word(session.queue));
    assert_eq!(word(buffer), word(session.device));
    // SAFETY: the handle is the test's.
    unsafe { ok(clReleaseMemObject(buffer)) };
}

#[test]
fn a_context_lives_as_long_as_what_it_holds() {
    let session = Session::new();
    // SAFETY: the device is one.
    let context =
        created(|e| unsafe { clCreateContext(null(), 1, &raw const session.device, None, null_mut(), e) });
    let count = |context| {
        number(|size, value, ret| {
            // SAFETY: as much room as the size says.
            unsafe { clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, size, value, ret) }
        })
    };
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clRetainContext(context));
        assert_eq!(count(context), 2);
        let buffer = created(|e| clCreateBuffer(context, CL_MEM_READ_WRITE, 64, null_mut(), e));
        ok(clReleaseContext(context));
        ok(clReleaseContext(context));
        let of_buffer =
            answer(|size, value, ret| clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, size, value, ret));
        assert_eq!(usize::from_ne_bytes(of_buffer.try_into().unwrap()), context as usize);
        assert_eq!(count(context), 0, "the buffer keeps it");
        ok(clReleaseMemObject(buffer));
        assert_eq!(clRetainContext(context), CL_INVALID_CONTEXT);
    }
}

/// Collects the texts that a context reports.
unsafe extern "C" fn report(text: *const c_char, _: *const c_void, _: usize, list: *mut c_void) {
    // SAFETY: a text with a zero at its end, and the test's list.
    unsafe { (*list.cast::<Vec<String>>()).push(CStr::from_ptr(text).to_string_lossy().into_owned()) }
}

#[test]
fn contexts_report_why_a_launch_is_refused() {
    let mut session = Session::new();
    let mut reports: Vec<String> = Vec::new();
    let list: *mut c_void = (&raw mut reports).cast();
    // SAFETY: the list lives longer than the context.
    unsafe {
        ok(clReleaseCommandQueue(session.queue));
        ok(clReleaseContext(session.context));
        session.context =
            created(|e| clCreateContext(null(), 1, &raw const session.device, Some(report), list, e));
        session.queue =
            created(|e| clCreateCommandQueueWithProperties(session.context, session.device, null(), e));
        let program = session.built("kernel void k(local int *l) { l[0] = 1; }");
        let kernel = session.kernel(program, c"k");
        ok(clSetKernelArg(kernel, 0, 1 << 30, null()));
        assert_eq!(session.launch(kernel, 1), CL_OUT_OF_RESOURCES);
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
    assert!(reports.len() == 1 && reports[0].contains("local memory"), "{reports:?}");
}
