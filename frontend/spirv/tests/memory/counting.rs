//! An allocator that counts the bytes that are live, and how often it is called.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

fn change(bytes: i64) {
    CALLS.set(CALLS.get() + u64::from(bytes > 0));
    let live = LIVE.get() + bytes;
    LIVE.set(live);
    PEAK.set(PEAK.get().max(live));
}

/// The system's allocator, which counts. What grows is there twice for a moment, as where it must move.
struct Counting;

// SAFETY: all work is the system allocator's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        change(layout.size() as i64);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        change(-(layout.size() as i64));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        change(size as i64);
        change(-(layout.size() as i64));
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that this thread had at once while a function ran, beyond those that it had before, and
/// what the function gives.
pub fn peak_of<R>(run: impl FnOnce() -> R) -> (u64, R) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = run();
    ((PEAK.get() - before) as u64, result)
}

/// How often this thread allocated while a function ran. What grows counts each time.
pub fn allocations_of(run: impl FnOnce()) -> u64 {
    let before = CALLS.get();
    run();
    CALLS.get() - before
}
