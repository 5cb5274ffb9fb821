//! Command buffers: recorded once, enqueued again and again.

use crate::c::*;
use crate::extensions::*;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

type Handle = *mut c_void;
type Mutable = *mut *mut c_void;

fn buffer_of(session: &Session, flags: u64) -> Handle {
    let list = [CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0];
    // SAFETY: one queue, and a list that a zero ends.
    created(|e| unsafe { clCreateCommandBufferKHR(1, &raw const session.queue, list.as_ptr(), e) })
}

fn state(buffer: Handle) -> u32 {
    number(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_STATE_KHR, size, value, ret) }
    })
}

fn enqueue(buffer: Handle) -> Status {
    // SAFETY: the queue of recording, and no events.
    unsafe { clEnqueueCommandBufferKHR(0, null_mut(), buffer, 0, null(), null_mut()) }
}

const KERNEL: &str =
    "kernel void step(global int *a, int by) { a[get_global_id(0)] = a[get_global_id(0)] * 2 + by; }";

/// Records the kernel for 16 work-items with its current arguments, after the sync points; returns its own
/// sync point.
fn record_kernel(buffer: Handle, kernel: cl_kernel, waits: &[u32]) -> u32 {
    let (global, mut point) = (16usize, 0u32);
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    // SAFETY: the pointers are null or valid, and the list has the elements that it is said to have.
    unsafe {
        ok(clCommandNDRangeKernelKHR(
            buffer,
            null_mut(),
            null(),
            kernel,
            1,
            null(),
            &raw const global,
            null(),
            waits.len() as u32,
            list,
            &raw mut point,
            null_mut(),
        ));
    }
    point
}

/// Records: a fill of `a` with 1, twice the kernel on `a`, a copy to `b`; each waits for the one before.
fn record(buffer: Handle, kernel: cl_kernel, [a, b]: [cl_mem; 2]) -> u32 {
    let one = 1i32;
    let mut point = 0u32;
    // SAFETY: sizes are those of the memory, the wait lists have one element, and kernels keep the arguments
    // of now.
    unsafe {
        let pattern = (&raw const one).cast();
        ok(clCommandFillBufferKHR(
            buffer,
            null_mut(),
            null(),
            a,
            pattern,
            4,
            0,
            64,
            0,
            null(),
            &raw mut point,
            null_mut(),
        ));
        for by in [3, 5] {
            set(kernel, 0, &a);
            set(kernel, 1, &by);
            point = record_kernel(buffer, kernel, &[point]);
        }
        set(kernel, 1, &100);
        ok(clCommandBarrierWithWaitListKHR(buffer, null_mut(), null(), 0, null(), null_mut(), null_mut()));
        ok(clCommandCopyBufferKHR(
            buffer,
            null_mut(),
            null(),
            a,
            b,
            0,
            0,
            64,
            0,
            null(),
            &raw mut point,
            null_mut(),
        ));
    }
    point
}

fn recorded_commands_run_each_time(properties: u64) {
    let session = Session::with(properties);
    let program = session.built(KERNEL);
    let kernel = session.kernel(program, c"step");
    let [a, b] = [session.buffer_of(&[0; 16]), session.buffer_of(&[0; 16])];
    let buffer = buffer_of(&session, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    let last = record(buffer, kernel, [a, b]);
    assert_eq!(last, 5, "points are the commands' positions");
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    assert_eq!(enqueue(buffer), CL_INVALID_OPERATION, "it is not final");
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clFinalizeCommandBufferKHR(buffer));
        assert_eq!(clFinalizeCommandBufferKHR(buffer), CL_INVALID_OPERATION);
        let zero = 0i32;
        for _ in 0..3 {
            let mut done = null_mut();
            ok(clEnqueueFillBuffer(
                session.queue,
                b,
                (&raw const zero).cast(),
                4,
                0,
                64,
                0,
                null(),
                &raw mut done,
            ));
            let mut end = null_mut();
            ok(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 1, &raw const done, &raw mut end));
            ok(clWaitForEvents(1, &raw const end));
            assert_eq!(session.contents(b, 16), [(2 + 3) * 2 + 5; 16]);
            let kind =
                number(|size, value, ret| clGetEventInfo(end, CL_EVENT_COMMAND_TYPE, size, value, ret));
            assert_eq!(kind, CL_COMMAND_COMMAND_BUFFER_KHR);
            ok(clReleaseEvent(done));
            ok(clReleaseEvent(end));
        }
        ok(clReleaseCommandBufferKHR(buffer));
        assert_eq!(clFinalizeCommandBufferKHR(buffer), CL_INVALID_COMMAND_BUFFER_KHR);
        for memory in [a, b] {
            ok(clReleaseMemObject(memory));
        }
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}

#[test]
fn recorded_commands_run_each_time_in_order() {
    recorded_commands_run_each_time(0);
}

#[test]
fn recorded_commands_run_each_time_by_their_points() {
    recorded_commands_run_each_time(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

#[test]
fn wrong_recordings_are_refused() {
    let session = Session::new();
    let other = Session::new();
    let memory = session.buffer(CL_MEM_READ_WRITE, 64);
    let buffer = buffer_of(&session, 0);
    let pattern = 0i32;
    let fill = |count: u32, waits: *const u32, offset: usize, queue: cl_command_queue, mutable: Mutable| {
        let pattern = (&raw const pattern).cast();
        // SAFETY: the pointers are null or valid.
        unsafe {
            clCommandFillBufferKHR(
                buffer,
                queue,
                null(),
                memory,
                pattern,
                4,
                offset,
                64,
                count,
                waits,
                null_mut(),
                mutable,
            )
        }
    };
    let point = 1u32;
    assert_eq!(fill(1, null(), 0, null_mut(), null_mut()), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    assert_eq!(fill(1, &raw const point, 0, null_mut(), null_mut()), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    assert_eq!(fill(0, null(), 4, null_mut(), null_mut()), CL_INVALID_VALUE);
    assert_eq!(fill(0, null(), 0, other.queue, null_mut()), CL_INVALID_CONTEXT);
    let unlisted = session.new_queue(0);
    assert_eq!(fill(0, null(), 0, unlisted, null_mut()), CL_INVALID_COMMAND_QUEUE);
    // SAFETY: the queue is the test's.
    ok(unsafe { clReleaseCommandQueue(unlisted) });
    let mut place = null_mut();
    assert_eq!(fill(0, null(), 0, null_mut(), &raw mut place), CL_INVALID_VALUE);
    ok(fill(0, null(), 0, null_mut(), null_mut()));
    // SAFETY: the pointers are null or valid.
    unsafe {
        ok(clFinalizeCommandBufferKHR(buffer));
        assert_eq!(fill(0, null(), 0, null_mut(), null_mut()), CL_INVALID_OPERATION);
        let mut foreign = other.queue;
        let code = clEnqueueCommandBufferKHR(1, &raw mut foreign, buffer, 0, null(), null_mut());
        assert_eq!(code, CL_INVALID_CONTEXT);
        assert_eq!(clEnqueueCommandBufferKHR(1, null_mut(), buffer, 0, null(), null_mut()), CL_INVALID_VALUE);
        let unknown = [0x1234u64, 1, 0];
        let create = |list: *const u64, count| {
            refused(|e| clCreateCommandBufferKHR(count, &raw const session.queue, list, e))
        };
        assert_eq!(create(unknown.as_ptr(), 1), CL_INVALID_VALUE);
        assert_eq!(create(null(), 0), CL_INVALID_VALUE);
        ok(clReleaseCommandBufferKHR(buffer));
        ok(clReleaseMemObject(memory));
    }
}

#[test]
fn enqueued_twice_the_second_time_waits_for_the_first() {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let session = Session::with(properties);
        let program = session.built(KERNEL);
        let kernel = session.kernel(program, c"step");
        let a = session.buffer_of(&[0; 16]);
        let buffer = buffer_of(&session, 0);
        set(kernel, 0, &a);
        set(kernel, 1, &3i32);
        record_kernel(buffer, kernel, &[]);
        // SAFETY: the pointers are null or valid.
        unsafe {
            ok(clFinalizeCommandBufferKHR(buffer));
            let user = created(|e| clCreateUserEvent(session.context, e));
            ok(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 1, &raw const user, null_mut()));
            for _ in 0..4 {
                ok(enqueue(buffer));
            }
            ok(clSetUserEventStatus(user, CL_COMPLETE));
            ok(clFinish(session.queue));
            // Each time once, one after the other: a = 2a + 3.
            assert_eq!(session.contents(a, 16), [93; 16]);
            ok(clReleaseEvent(user));
            ok(clReleaseCommandBufferKHR(buffer));
            ok(clReleaseMemObject(a));
            ok(clReleaseKernel(kernel));
            ok(clReleaseProgram(program));
        }
    }
}
