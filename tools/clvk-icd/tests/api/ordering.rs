//! Events: what waits for what.

use crate::c::*;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

fn status(event: cl_event) -> i32 {
    number(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, size, value, ret) }
    }) as i32
}

#[test]
fn commands_wait_for_user_events() {
    let session = Session::with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let buffer = session.buffer_of(&[1]);
    let value = 2i32;
    // SAFETY: four bytes each, which live until the commands are complete.
    unsafe {
        let user = created(|e| clCreateUserEvent(session.context, e));
        let mut written = null_mut();
        let data: *const c_void = (&raw const value).cast();
        ok(clEnqueueWriteBuffer(
            session.queue,
            buffer,
            CL_FALSE,
            0,
            4,
            data,
            1,
            &raw const user,
            &raw mut written,
        ));
        ok(clFlush(session.queue));
        assert!(status(written) > CL_COMPLETE);
        assert_eq!(session.contents(buffer, 1), [1], "another command overtakes it");
        ok(clSetUserEventStatus(user, CL_COMPLETE));
        assert_eq!(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
        ok(clWaitForEvents(1, &raw const written));
        assert_eq!(session.contents(buffer, 1), [2]);
        for event in [user, written] {
            ok(clReleaseEvent(event));
        }
        ok(clReleaseMemObject(buffer));
    }
}

#[test]
fn what_waits_for_a_failure_fails() {
    let session = Session::with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let buffer = session.buffer_of(&[1]);
    let value = 2i32;
    // SAFETY: as above.
    unsafe {
        let user = created(|e| clCreateUserEvent(session.context, e));
        let mut written = null_mut();
        let data: *const c_void = (&raw const value).cast();
        ok(clEnqueueWriteBuffer(
            session.queue,
            buffer,
            CL_FALSE,
            0,
            4,
            data,
            1,
            &raw const user,
            &raw mut written,
        ));
        ok(clSetUserEventStatus(user, -5));
        assert_eq!(clWaitForEvents(1, &raw const written), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        assert!(status(written) < 0);
        assert_eq!(session.contents(buffer, 1), [1]);
        for event in [user, written] {
            ok(clReleaseEvent(event));
        }
        ok(clReleaseMemObject(buffer));
    }
}

unsafe extern "C" fn reached(_: cl_event, status: cl_int, data: *mut c_void) {
    // SAFETY: the test gave a sender, which lives until the test has received. Sending continues a little
    // after that, so it uses its own clone of the sender.
    let sender = unsafe { &*data.cast::<Sender<i32>>() }.clone();
    sender.send(status).expect("the test waits for it");
}

#[test]
fn callbacks_come_once_with_the_status() {
    let session = Session::new();
    let buffer = session.buffer_of(&[1]);
    let (sender, receiver) = channel::<i32>();
    let mut value = 0i32;
    // SAFETY: the sender and the value live until the callback was called.
    unsafe {
        let mut event = null_mut();
        let place: *mut c_void = (&raw mut value).cast();
        ok(clEnqueueReadBuffer(session.queue, buffer, CL_FALSE, 0, 4, place, 0, null(), &raw mut event));
        let data: *mut c_void = (&raw const sender).cast_mut().cast();
        assert_eq!(clSetEventCallback(event, CL_QUEUED, Some(reached), data), CL_INVALID_VALUE);
        ok(clSetEventCallback(event, CL_COMPLETE, Some(reached), data));
        ok(clFlush(session.queue));
        let status = receiver.recv_timeout(Duration::from_secs(60)).expect("the callback is called");
        assert_eq!((status, value), (CL_COMPLETE, 1));
        assert!(receiver.try_recv().is_err());
        ok(clReleaseEvent(event));
        ok(clReleaseMemObject(buffer));
    }
}

#[test]
fn wait_lists_are_checked() {
    let session = Session::new();
    let buffer = session.buffer_of(&[1]);
    let mut value = 0i32;
    let dead = 0x40 as cl_event;
    // SAFETY: four bytes; invalid handles are never dereferenced.
    unsafe {
        let place: *mut c_void = (&raw mut value).cast();
        let read = |count, list| {
            clEnqueueReadBuffer(session.queue, buffer, CL_TRUE, 0, 4, place, count, list, null_mut())
        };
        assert_eq!(read(1, null()), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(read(0, &raw const dead), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(read(1, &raw const dead), CL_INVALID_EVENT_WAIT_LIST);
        ok(read(0, null()));
        assert_eq!(clWaitForEvents(0, null()), CL_INVALID_VALUE);
        ok(clReleaseMemObject(buffer));
    }
}
