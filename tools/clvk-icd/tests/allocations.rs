//! Counts the allocations of a thread: setting arguments and enqueuing must not allocate in the steady state.
//!
//! A separate test binary, because other tests would use the same device and grow the structures that all of
//! its commands share.

#[path = "api/c.rs"]
#[expect(dead_code, reason = "shared with the other tests, which use all of it")]
mod c;

#[path = "../../../vk-runtime/tests/devices/counting.rs"]
mod counting;

use c::*;

#[test]
fn launches_do_not_allocate() {
    let session = Session::new();
    let program = session.built("kernel void add(global int *x, int by) { x[get_global_id(0)] += by; }");
    let kernel = session.kernel(program, c"add");
    let buffer = session.buffer_of(&[0; 64]);
    set(kernel, 0, &buffer);
    let run = |rounds: i32| {
        let before = counting::allocations();
        for round in 0..rounds {
            set(kernel, 1, &(round % 3));
            ok(session.launch(kernel, 64));
        }
        // SAFETY: the queue is one.
        ok(unsafe { clFinish(session.queue) });
        counting::allocations() - before
    };
    // Warms up until every submission that may be in flight at once has been made. A list may also grow
    // later, when the device is further behind than ever before; a call that allocates would do so in every
    // round.
    run(4_500);
    let allocated: Vec<u64> = (0..5).map(|_| run(3_000)).collect();
    assert_eq!(session.contents(buffer, 64), [19_500; 64]);
    assert!(allocated.contains(&0), "allocations of 3,000 launches: {allocated:?}");
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clReleaseMemObject(buffer));
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}
