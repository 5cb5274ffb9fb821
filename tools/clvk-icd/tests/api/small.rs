//! Small commands: they end at once where nothing is in the way, and else wait their turn.

use crate::c::*;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

const WORDS: usize = 1 << 18;

/// Slow enough to be overtaken.
const SOURCE: &str = "
    kernel void work(global int *p) {
        int i = get_global_id(0), sum = p[i];
        for (int round = 0; round < 2000; round++) sum = sum * 1103515245 + 12345;
        p[i] = sum;
    }";

fn worked(word: i32) -> i32 {
    (0..2000).fold(word, |sum, _| sum.wrapping_mul(1_103_515_245).wrapping_add(12345))
}

fn status(event: cl_event) -> i32 {
    number(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, size, value, ret) }
    }) as i32
}

/// When a command was enqueued, submitted, begun and ended.
fn times(event: cl_event) -> [u64; 4] {
    let names = [
        CL_PROFILING_COMMAND_QUEUED,
        CL_PROFILING_COMMAND_SUBMIT,
        CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END,
    ];
    names.map(|name| {
        // SAFETY: as much room as the size says.
        let time =
            answer(|size, value, ret| unsafe { clGetEventProfilingInfo(event, name, size, value, ret) });
        u64::from_ne_bytes(time.try_into().expect("eight bytes"))
    })
}

/// The properties of all kinds of queues.
const KINDS: [u64; 4] = [
    0,
    CL_QUEUE_PROFILING_ENABLE,
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
];

#[test]
fn maps_see_what_was_enqueued_before_and_are_seen_by_what_comes_after() {
    let first: Vec<i32> = (0..WORDS as i32).collect();
    let session = Session::new();
    let program = session.built(SOURCE);
    let kernel = session.kernel(program, c"work");
    for blocking in [CL_TRUE, CL_FALSE] {
        let buffer = session.buffer_of(&first);
        set(kernel, 0, &buffer);
        let (at, size) = (4 * (WORDS - 1000), 4000);
        let flags = CL_MAP_READ | CL_MAP_WRITE;
        // SAFETY: the mapped part is accessed while it is mapped.
        unsafe {
            ok(session.launch(kernel, WORDS));
            let mut event = null_mut();
            let mapped = created(|e| {
                let (queue, event) = (session.queue, &raw mut event);
                clEnqueueMapBuffer(queue, buffer, blocking, flags, at, size, 0, null(), event, e)
            });
            ok(clWaitForEvents(1, &raw const event));
            ok(clReleaseEvent(event));
            let words = std::slice::from_raw_parts_mut(mapped.cast::<i32>(), 1000);
            for (word, before) in words.iter_mut().zip(&first[WORDS - 1000..]) {
                assert_eq!(*word, worked(*before));
                *word = 7;
            }
            ok(clEnqueueUnmapMemObject(session.queue, buffer, mapped, 0, null(), null_mut()));
            ok(session.launch(kernel, WORDS));
            let found = session.contents(buffer, WORDS);
            assert!(found[WORDS - 1000..].iter().all(|&word| word == worked(7)));
            assert_eq!(found[..8], std::array::from_fn::<i32, 8, _>(|i| worked(worked(i as i32))));
            ok(clReleaseMemObject(buffer));
        }
    }
    // SAFETY: handles of this test.
    unsafe {
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}

/// Enqueues a marker, a fill, a copy, a map and its unmapping; gives their events.
///
/// # Safety
/// The handles are those of a session; the buffers have 4096 bytes.
unsafe fn small_commands(queue: cl_command_queue, a: cl_mem, b: cl_mem, waits: &[cl_event]) -> [cl_event; 5] {
    let mut events = [null_mut(); 5];
    let [marker, fill, copy, map, unmap] = events.each_mut().map(std::ptr::from_mut);
    let (count, list) = (waits.len() as u32, if waits.is_empty() { null() } else { waits.as_ptr() });
    let five = 5i32;
    let pattern: *const c_void = (&raw const five).cast();
    // SAFETY: as the caller promises; the pattern has four bytes.
    unsafe {
        ok(clEnqueueMarkerWithWaitList(queue, count, list, marker));
        ok(clEnqueueFillBuffer(queue, a, pattern, 4, 0, 4096, count, list, fill));
        ok(clEnqueueCopyBuffer(queue, a, b, 0, 0, 2048, 1, fill, copy));
        let mapped =
            created(|e| clEnqueueMapBuffer(queue, b, CL_FALSE, CL_MAP_READ, 0, 4096, 1, copy, map, e));
        ok(clEnqueueUnmapMemObject(queue, b, mapped, 1, map, unmap));
    }
    events
}

#[test]
fn nothing_in_the_way_ends_them_at_once() {
    let session = Session::new();
    // SAFETY: as much room as the size says.
    let unified = number(|size, value, ret| unsafe {
        clGetDeviceInfo(session.device, CL_DEVICE_HOST_UNIFIED_MEMORY, size, value, ret)
    });
    for kind in KINDS {
        let queue = session.new_queue(kind);
        let (a, b) = (session.buffer_of(&[1; 1024]), session.buffer_of(&[2; 1024]));
        // SAFETY: handles of this test.
        unsafe {
            ok(clFinish(queue));
            let events = small_commands(queue, a, b, &[]);
            if unified != 0 {
                for event in events {
                    assert_eq!(status(event), CL_COMPLETE);
                }
            } else {
                assert_eq!(status(events[0]), CL_COMPLETE, "a marker has nothing to do");
            }
            ok(clFinish(queue));
            let found = session.contents(b, 1024);
            assert!(found[..512] == [5; 512] && found[512..] == [2; 512]);
            if kind & CL_QUEUE_PROFILING_ENABLE != 0 {
                let all = events.map(times);
                assert!(all.iter().all(|times| times.is_sorted()), "{all:?}");
                let ends_before = |first: usize, next: usize| all[first][3] <= all[next][2];
                assert!(ends_before(1, 2) && ends_before(2, 3) && ends_before(3, 4), "{all:?}");
            }
            for event in events {
                ok(clReleaseEvent(event));
            }
            for buffer in [a, b] {
                ok(clReleaseMemObject(buffer));
            }
            ok(clReleaseCommandQueue(queue));
        }
    }
}

unsafe extern "C" fn reached(_: cl_event, status: cl_int, data: *mut c_void) {
    // SAFETY: the test gave a sender that lives until the test has received.
    let sender = unsafe { &*data.cast::<Sender<i32>>() }.clone();
    sender.send(status).expect("the test waits for it");
}

#[test]
fn a_user_event_holds_them_back() {
    let session = Session::new();
    for kind in KINDS {
        let queue = session.new_queue(kind);
        let (a, b) = (session.buffer_of(&[1; 1024]), session.buffer_of(&[2; 1024]));
        let (sender, receiver) = channel::<i32>();
        let data: *mut c_void = (&raw const sender).cast_mut().cast();
        // SAFETY: handles of this test; the sender lives until the callbacks were called.
        unsafe {
            let user = created(|e| clCreateUserEvent(session.context, e));
            let events = small_commands(queue, a, b, &[user]);
            for event in events {
                ok(clSetEventCallback(event, CL_COMPLETE, Some(reached), data));
            }
            ok(clFlush(queue));
            assert!(events.iter().all(|&event| status(event) == CL_QUEUED));
            assert!(session.contents(a, 1024) == [1; 1024] && session.contents(b, 1024) == [2; 1024]);
            assert!(receiver.try_recv().is_err());
            ok(clSetUserEventStatus(user, CL_COMPLETE));
            ok(clWaitForEvents(5, events.as_ptr()));
            for _ in events {
                assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok(CL_COMPLETE));
            }
            assert!(session.contents(a, 1024) == [5; 1024]);
            assert!(session.contents(b, 1024)[..512] == [5; 512]);
            // A callback of what has ended is called, too.
            let done = small_commands(queue, a, b, &[user]);
            for event in done {
                ok(clSetEventCallback(event, CL_COMPLETE, Some(reached), data));
                assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok(CL_COMPLETE));
            }
            for event in events.into_iter().chain(done).chain([user]) {
                ok(clReleaseEvent(event));
            }
            for buffer in [a, b] {
                ok(clReleaseMemObject(buffer));
            }
            ok(clReleaseCommandQueue(queue));
        }
    }
}
