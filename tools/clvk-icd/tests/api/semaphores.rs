//! Semaphores (`cl_khr_semaphore`) between queues of a context.

use crate::c::*;
use crate::extensions::*;
use opencl_sys::*;
use std::ptr::{null, null_mut};

pub const TYPE: u64 = CL_SEMAPHORE_TYPE_KHR as u64;
pub const BINARY: u64 = CL_SEMAPHORE_TYPE_BINARY_KHR as u64;
pub const DEVICES: u64 = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as u64;
const OUT_OF_ORDER: u64 = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

pub fn create(session: &Session, properties: &[u64], e: *mut Status) -> cl_semaphore_khr {
    // SAFETY: a zero ends the properties.
    unsafe { clCreateSemaphoreWithPropertiesKHR(session.context, properties.as_ptr(), e) }
}

pub fn semaphore(session: &Session) -> cl_semaphore_khr {
    created(|e| create(session, &[TYPE, BINARY, 0], e))
}

/// A function that enqueues a wait or a signal.
type Action = unsafe extern "C" fn(
    cl_command_queue,
    u32,
    *const cl_semaphore_khr,
    *const u64,
    u32,
    *const cl_event,
    *mut cl_event,
) -> Status;

/// Enqueues a wait or a signal after some events; returns its event.
fn enqueue(
    action: Action,
    queue: cl_command_queue,
    semaphores: &[cl_semaphore_khr],
    waits: &[cl_event],
) -> cl_event {
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    let mut event = null_mut();
    // SAFETY: the lists have as many elements as is said, and there is room for an event.
    ok(unsafe {
        let (number, count) = (semaphores.len() as u32, waits.len() as u32);
        action(queue, number, semaphores.as_ptr(), null(), count, list, &raw mut event)
    });
    event
}

pub fn signal(queue: cl_command_queue, semaphores: &[cl_semaphore_khr], waits: &[cl_event]) -> cl_event {
    enqueue(clEnqueueSignalSemaphoresKHR, queue, semaphores, waits)
}

pub fn wait(queue: cl_command_queue, semaphores: &[cl_semaphore_khr], waits: &[cl_event]) -> cl_event {
    enqueue(clEnqueueWaitSemaphoresKHR, queue, semaphores, waits)
}

pub fn flush(queue: cl_command_queue) {
    // SAFETY: the queue is the test's.
    ok(unsafe { clFlush(queue) });
}

pub fn finish(queue: cl_command_queue) {
    // SAFETY: the queue is the test's.
    ok(unsafe { clFinish(queue) });
}

pub fn status(event: cl_event) -> cl_int {
    // SAFETY: as much room as the size says.
    number(|size, value, ret| unsafe {
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, size, value, ret)
    }) as cl_int
}

fn payload(semaphore: cl_semaphore_khr) -> u64 {
    // SAFETY: as much room as the size says.
    let bytes = answer(|size, value, ret| unsafe {
        clGetSemaphoreInfoKHR(semaphore, CL_SEMAPHORE_PAYLOAD_KHR, size, value, ret)
    });
    u64::from_ne_bytes(bytes.try_into().unwrap())
}

pub fn wait_for(event: cl_event) -> Status {
    // SAFETY: the list has one element.
    unsafe { clWaitForEvents(1, &raw const event) }
}

pub fn user_event(session: &Session) -> cl_event {
    // SAFETY: the context lives.
    created(|e| unsafe { clCreateUserEvent(session.context, e) })
}

pub fn set_status(event: cl_event, status: cl_int) {
    // SAFETY: the event is the test's.
    ok(unsafe { clSetUserEventStatus(event, status) });
}

pub fn fill(queue: cl_command_queue, buffer: cl_mem, value: i32, waits: &[cl_event]) {
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    let pattern = (&raw const value).cast();
    // SAFETY: the pattern has four bytes, the buffer 64, and the list as many elements as is said.
    ok(unsafe {
        clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, 64, waits.len() as u32, list, null_mut())
    });
}

pub fn copy(queue: cl_command_queue, from: cl_mem, to: cl_mem, waits: &[cl_event]) {
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    // SAFETY: the buffers have 64 bytes, and the list has as many elements as is said.
    ok(unsafe { clEnqueueCopyBuffer(queue, from, to, 0, 0, 64, waits.len() as u32, list, null_mut()) });
}

/// Releases what a test has made.
pub fn release(
    events: &[cl_event],
    buffers: &[cl_mem],
    semaphores: &[cl_semaphore_khr],
    queues: &[cl_command_queue],
) {
    // SAFETY: the handles are the test's.
    unsafe {
        events.iter().for_each(|event| ok(clReleaseEvent(*event)));
        buffers.iter().for_each(|buffer| ok(clReleaseMemObject(*buffer)));
        semaphores.iter().for_each(|semaphore| ok(clReleaseSemaphoreKHR(*semaphore)));
        queues.iter().for_each(|queue| ok(clReleaseCommandQueue(*queue)));
    }
}

fn command_type(event: cl_event) -> u32 {
    // SAFETY: as much room as the size says.
    number(|size, value, ret| unsafe { clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, size, value, ret) })
}

#[test]
fn a_semaphore_orders_two_queues() {
    let session = Session::new();
    let other = session.new_queue(0);
    let [from, to] = [0, 1].map(|_| session.buffer_of(&[1; 16]));
    let semaphore = semaphore(&session);
    assert_eq!(payload(semaphore), 0);
    let gate = user_event(&session);
    // Used again and again, and signalled again as soon as the wait is enqueued.
    let mut last = (null_mut(), null_mut());
    for round in 0..3 {
        fill(session.queue, from, 10 + round, if round == 0 { std::slice::from_ref(&gate) } else { &[] });
        let signal = signal(session.queue, &[semaphore], &[]);
        let wait = wait(other, &[semaphore], &[]);
        copy(other, from, to, &[]);
        let back = self::signal(other, &[semaphore], &[]);
        let again = self::wait(session.queue, &[semaphore], &[]);
        assert_eq!(command_type(signal), CL_COMMAND_SEMAPHORE_SIGNAL_KHR);
        assert_eq!(command_type(wait), CL_COMMAND_SEMAPHORE_WAIT_KHR);
        if round > 0 {
            release(&[last.0, last.1], &[], &[], &[]);
        }
        last = (back, again);
        release(&[signal, wait], &[], &[], &[]);
    }
    flush(session.queue);
    flush(other);
    assert!(status(last.0) > CL_COMPLETE && status(last.1) > CL_COMPLETE);
    set_status(gate, CL_COMPLETE);
    finish(other);
    finish(session.queue);
    assert_eq!((status(last.0), status(last.1)), (CL_COMPLETE, CL_COMPLETE));
    assert_eq!(session.contents(to, 16), [12; 16]);
    assert_eq!(payload(semaphore), 0);
    release(&[gate, last.0, last.1], &[from, to], &[semaphore], &[other]);
}

#[test]
fn the_payload_says_whether_it_is_signalled() {
    let session = Session::with(OUT_OF_ORDER);
    let semaphore = semaphore(&session);
    let gates = [0, 1].map(|_| user_event(&session));
    let first = signal(session.queue, &[semaphore], &gates[..1]);
    assert_eq!(payload(semaphore), 0, "the signal waits");
    set_status(gates[0], CL_COMPLETE);
    ok(wait_for(first));
    assert_eq!(payload(semaphore), 1);
    let second = wait(session.queue, &[semaphore], &gates[1..]);
    assert_eq!(payload(semaphore), 1, "the wait waits");
    set_status(gates[1], CL_COMPLETE);
    ok(wait_for(second));
    assert_eq!(payload(semaphore), 0);
    release(&[gates[0], gates[1], first, second], &[], &[semaphore], &[]);
}

#[test]
fn a_wait_may_come_before_its_signal() {
    let session = Session::new();
    let other = session.new_queue(0);
    let [from, to] = [0, 1].map(|_| session.buffer_of(&[1; 16]));
    let semaphores = [0, 1].map(|_| semaphore(&session));
    let wait = wait(other, &semaphores, &[]);
    copy(other, from, to, &[]);
    flush(other);
    assert_eq!(status(wait), CL_QUEUED);
    fill(session.queue, from, 7, &[]);
    let first = signal(session.queue, &semaphores[..1], &[]);
    finish(session.queue);
    assert_eq!(status(first), CL_COMPLETE);
    assert_eq!(status(wait), CL_QUEUED, "one of two is signalled");
    assert_eq!(semaphores.map(payload), [1, 0]);
    let second = signal(session.queue, &semaphores[1..], &[]);
    ok(wait_for(wait));
    finish(other);
    assert_eq!(semaphores.map(payload), [0, 0]);
    assert_eq!(session.contents(to, 16), [7; 16]);
    release(&[wait, first, second], &[from, to], &semaphores, &[other]);
}

#[test]
fn waits_belong_to_signals_in_the_order_of_enqueuing() {
    let session = Session::with(OUT_OF_ORDER);
    let semaphore = semaphore(&session);
    let gates = [0, 1].map(|_| user_event(&session));
    let mut events = Vec::new();
    for gate in &gates {
        events.push(signal(session.queue, &[semaphore], std::slice::from_ref(gate)));
        events.push(wait(session.queue, &[semaphore], &[]));
    }
    set_status(gates[1], CL_COMPLETE);
    ok(wait_for(events[3]));
    assert_eq!(status(events[2]), CL_COMPLETE);
    assert!(status(events[0]) > CL_COMPLETE && status(events[1]) > CL_COMPLETE);
    set_status(gates[0], CL_COMPLETE);
    ok(wait_for(events[1]));
    release(&[&gates[..], &events].concat(), &[], &[semaphore], &[]);
}

#[test]
fn in_an_out_of_order_queue_only_the_wait_list_counts() {
    let session = Session::with(OUT_OF_ORDER);
    let semaphore = semaphore(&session);
    let buffer = session.buffer_of(&[1; 16]);
    let gate = user_event(&session);
    fill(session.queue, buffer, 2, &[gate]);
    let signal = signal(session.queue, &[semaphore], &[]);
    let wait = wait(session.queue, &[semaphore], &[]);
    ok(wait_for(wait));
    assert_eq!(status(signal), CL_COMPLETE);
    assert_eq!(session.contents(buffer, 16), [1; 16]);
    set_status(gate, CL_COMPLETE);
    finish(session.queue);
    assert_eq!(session.contents(buffer, 16), [2; 16]);
    release(&[gate, signal, wait], &[buffer], &[semaphore], &[]);
}

#[test]
fn what_waits_for_a_failed_signal_fails() {
    let session = Session::with(OUT_OF_ORDER);
    let semaphore = semaphore(&session);
    let gate = user_event(&session);
    let early = wait(session.queue, &[semaphore], &[]);
    let signals = [0, 1].map(|_| signal(session.queue, &[semaphore], &[gate]));
    let late = wait(session.queue, &[semaphore], &[]);
    set_status(gate, -5);
    for event in [signals[0], signals[1], early, late] {
        assert_eq!(wait_for(event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        assert_eq!(status(event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
    // The semaphore can still be used.
    let signal = signal(session.queue, &[semaphore], &[]);
    let wait = wait(session.queue, &[semaphore], &[]);
    ok(wait_for(wait));
    // A failure that is known is reported at once.
    let refused = |action: Action| {
        // SAFETY: the lists have one element.
        unsafe { action(session.queue, 1, &raw const semaphore, null(), 1, &raw const gate, null_mut()) }
    };
    let failure = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    assert_eq!(refused(clEnqueueSignalSemaphoresKHR), failure);
    assert_eq!(refused(clEnqueueWaitSemaphoresKHR), failure);
    assert_eq!(payload(semaphore), 0);
    release(&[gate, early, signals[0], signals[1], late, signal, wait], &[], &[semaphore], &[]);
}

#[test]
fn waits_for_a_semaphore_that_is_gone_fail() {
    let session = Session::new();
    let semaphore = semaphore(&session);
    // SAFETY: the handle is the test's.
    ok(unsafe { clRetainSemaphoreKHR(semaphore) });
    let wait = wait(session.queue, &[semaphore], &[]);
    release(&[], &[], &[semaphore], &[]);
    assert_eq!(status(wait), CL_QUEUED);
    release(&[], &[], &[semaphore], &[]);
    assert_eq!(wait_for(wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    finish(session.queue);
    // SAFETY: handles that are not live are not followed.
    assert_eq!(unsafe { clReleaseSemaphoreKHR(semaphore) }, CL_INVALID_SEMAPHORE_KHR);
    release(&[wait], &[], &[], &[]);
}

#[test]
fn two_threads_take_turns() {
    const ROUNDS: i32 = 200;
    struct Shared(cl_command_queue, [cl_semaphore_khr; 2], cl_mem, cl_mem);
    // SAFETY: OpenCL's handles may be used by any thread.
    unsafe impl Sync for Shared {}
    let session = Session::new();
    let other = session.new_queue(0);
    let semaphores = [0, 1].map(|_| semaphore(&session));
    let [from, to] = [0, 1].map(|_| session.buffer_of(&[0; 16]));
    let shared = Shared(other, semaphores, from, to);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let Shared(other, semaphores, from, to) = *{ &shared };
            for _ in 0..ROUNDS {
                let a = wait(other, &semaphores[..1], &[]);
                copy(other, from, to, &[]);
                let b = signal(other, &semaphores[1..], &[]);
                release(&[a, b], &[], &[], &[]);
            }
            flush(other);
        });
        for round in 1..=ROUNDS {
            fill(session.queue, from, round, &[]);
            let a = signal(session.queue, &semaphores[..1], &[]);
            let b = wait(session.queue, &semaphores[1..], &[]);
            fill(session.queue, from, -1, &[]);
            release(&[a, b], &[], &[], &[]);
            flush(session.queue);
        }
    });
    finish(session.queue);
    finish(other);
    assert_eq!(session.contents(to, 16), [ROUNDS; 16]);
    assert_eq!(semaphores.map(payload), [0, 0]);
    release(&[], &[from, to], &semaphores, &[other]);
}

#[test]
fn queries_say_what_was_given() {
    let session = Session::new();
    let properties = [TYPE, BINARY, DEVICES, session.device as u64, 0, 0];
    let semaphore = created(|e| create(&session, &properties, e));
    let query = |name| {
        // SAFETY: as much room as the size says.
        answer(|size, value, ret| unsafe { clGetSemaphoreInfoKHR(semaphore, name, size, value, ret) })
    };
    let words: Vec<u8> = properties.iter().flat_map(|word| word.to_ne_bytes()).collect();
    assert_eq!(query(CL_SEMAPHORE_PROPERTIES_KHR), words);
    assert_eq!(query(CL_SEMAPHORE_CONTEXT_KHR), (session.context as usize).to_ne_bytes());
    assert_eq!(query(CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR), (session.device as usize).to_ne_bytes());
    assert_eq!(query(CL_SEMAPHORE_TYPE_KHR), CL_SEMAPHORE_TYPE_BINARY_KHR.to_ne_bytes());
    assert_eq!(query(CL_SEMAPHORE_REFERENCE_COUNT_KHR), 1u32.to_ne_bytes());
    // SAFETY: as much room as the size says; the handles are the test's.
    unsafe {
        ok(clRetainSemaphoreKHR(semaphore));
        assert_eq!(query(CL_SEMAPHORE_REFERENCE_COUNT_KHR), 2u32.to_ne_bytes());
        ok(clReleaseSemaphoreKHR(semaphore));
        let mut room = [0u8; 4];
        let (name, place) = (CL_SEMAPHORE_PAYLOAD_KHR, room.as_mut_ptr().cast());
        assert_eq!(clGetSemaphoreInfoKHR(semaphore, name, 4, place, null_mut()), CL_INVALID_VALUE);
        assert_eq!(clGetSemaphoreInfoKHR(semaphore, 0, 4, place, null_mut()), CL_INVALID_VALUE);
        let types = answer(|size, value, ret| {
            clGetDeviceInfo(session.device, CL_DEVICE_SEMAPHORE_TYPES_KHR, size, value, ret)
        });
        assert_eq!(types, CL_SEMAPHORE_TYPE_BINARY_KHR.to_ne_bytes());
        let types = answer(|size, value, ret| {
            clGetPlatformInfo(null_mut(), CL_PLATFORM_SEMAPHORE_TYPES_KHR, size, value, ret)
        });
        assert_eq!(types, CL_SEMAPHORE_TYPE_BINARY_KHR.to_ne_bytes());
    }
    release(&[], &[], &[semaphore], &[]);
}

#[test]
fn wrong_properties_are_refused() {
    let session = Session::new();
    let code = |properties: &[u64]| refused(|e| create(&session, properties, e));
    let device = session.device as u64;
    assert_eq!(code(&[0]), CL_INVALID_VALUE, "no type");
    assert_eq!(code(&[DEVICES, device, 0, 0]), CL_INVALID_VALUE, "no type");
    assert_eq!(code(&[TYPE, 2, 0]), CL_INVALID_PROPERTY, "another type");
    assert_eq!(code(&[TYPE, BINARY, TYPE, BINARY, 0]), CL_INVALID_PROPERTY);
    assert_eq!(code(&[TYPE, BINARY, 0x2052, 1, 0]), CL_INVALID_PROPERTY, "another property");
    assert_eq!(code(&[TYPE, BINARY, DEVICES, 0, 0]), CL_INVALID_DEVICE, "no device");
    assert_eq!(code(&[TYPE, BINARY, DEVICES, device, device, 0, 0]), CL_INVALID_DEVICE, "two devices");
    assert_eq!(code(&[TYPE, BINARY, DEVICES, 1, 0, 0]), CL_INVALID_DEVICE, "not a device");
    // SAFETY: null is refused; other handles are not followed.
    unsafe {
        let null_list = refused(|e| clCreateSemaphoreWithPropertiesKHR(session.context, null(), e));
        assert_eq!(null_list, CL_INVALID_VALUE);
        let list = [TYPE, BINARY, 0];
        let no_context = refused(|e| clCreateSemaphoreWithPropertiesKHR(null_mut(), list.as_ptr(), e));
        assert_eq!(no_context, CL_INVALID_CONTEXT);
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let (session, other) = (Session::new(), Session::new());
    let semaphore = semaphore(&session);
    let (own, foreign) = (user_event(&session), user_event(&other));
    for action in [clEnqueueWaitSemaphoresKHR as Action, clEnqueueSignalSemaphoresKHR] {
        let code = |queue, number, semaphores: *const cl_semaphore_khr, count, waits: *const cl_event| {
            // SAFETY: the lists have as many elements, or are null; handles are not followed.
            unsafe { action(queue, number, semaphores, null(), count, waits, null_mut()) }
        };
        let (queue, one) = (session.queue, &raw const semaphore);
        let not_one = session.context;
        assert_eq!(code(null_mut(), 1, one, 0, null()), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(code(queue, 0, one, 0, null()), CL_INVALID_VALUE);
        assert_eq!(code(queue, 1, null(), 0, null()), CL_INVALID_VALUE);
        assert_eq!(code(queue, 1, (&raw const not_one).cast(), 0, null()), CL_INVALID_SEMAPHORE_KHR);
        assert_eq!(code(other.queue, 1, one, 0, null()), CL_INVALID_CONTEXT);
        assert_eq!(code(queue, 1, one, 1, &raw const foreign), CL_INVALID_CONTEXT);
        assert_eq!(code(queue, 1, one, 1, null()), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(code(queue, 1, one, 0, &raw const own), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(code(queue, 1, one, 1, (&raw const not_one).cast()), CL_INVALID_EVENT_WAIT_LIST);
    }
    // SAFETY: handles that are not live are not followed.
    unsafe {
        let mut size = 0;
        let code = clGetSemaphoreInfoKHR(null_mut(), CL_SEMAPHORE_TYPE_KHR, 0, null_mut(), &raw mut size);
        assert_eq!(code, CL_INVALID_SEMAPHORE_KHR);
        assert_eq!(clRetainSemaphoreKHR(null_mut()), CL_INVALID_SEMAPHORE_KHR);
    }
    // What was refused left nothing behind.
    let signal = signal(session.queue, &[semaphore], &[]);
    let wait = wait(session.queue, &[semaphore], &[]);
    ok(wait_for(wait));
    release(&[own, foreign, signal, wait], &[], &[semaphore], &[]);
}
