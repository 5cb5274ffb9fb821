//! Counts the allocations of a thread: a launch must not allocate in the steady state.

use crate::shaders::{self, step_value, variants};
use crate::{Test, buffer_of, read_words};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use vk_runtime::{Arg, Buffer, Command, CommandQueue, Device, LaunchConfig, Program, QueueOptions};

pub const TESTS: &[Test] = &[
    ("launches_do_not_allocate", launches_do_not_allocate),
    ("buffers_and_images_come_and_go", buffers_and_images_come_and_go),
];

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, which counts.
struct Counting;

// SAFETY: all work is the system allocator's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn launches_do_not_allocate(device: &Device) {
    const SIZE: u32 = 64;
    for options in variants(device.profile()) {
        let kernel = Program::new(device, shaders::step(options)).unwrap().kernel("step").unwrap();
        let queue = CommandQueue::new(device, QueueOptions::default());
        let buffers = [buffer_of(device, 0..SIZE), Buffer::new(device, 4 * u64::from(SIZE)).unwrap()];
        let config = LaunchConfig::linear(SIZE.into());
        let mut expected: Vec<u32> = (0..SIZE).collect();
        let mut run = |rounds: u32| {
            let before = COUNT.with(Cell::get);
            for round in 0..rounds {
                let (from, to) = (&buffers[round as usize % 2], &buffers[(round as usize + 1) % 2]);
                let bytes = round.to_le_bytes();
                let arguments = [Arg::Buffer(from), Arg::Buffer(to), Arg::Bytes(&bytes)];
                queue.enqueue_silently(Command::launch(&kernel, &config, &arguments).unwrap(), &[]).unwrap();
            }
            queue.finish().unwrap();
            let allocated = COUNT.with(Cell::get) - before;
            for round in 0..rounds {
                expected.iter_mut().for_each(|value| *value = step_value(*value, round, SIZE, 1));
            }
            allocated
        };
        // Until every submission that may be under way at once has been made.
        run(4_500);
        assert_eq!(run(2_000), 0, "allocations of 2,000 launches ({options:?})");
        assert!(read_words(&buffers[0]) == expected);
    }
}

fn buffers_and_images_come_and_go(device: &Device) {
    // Together many times what the device has.
    let memory = device.info().memory().unwrap();
    let size = (memory / 16).clamp(1 << 20, 256 << 20);
    for round in 0..40u8 {
        let buffer = Buffer::new(device, size).unwrap();
        buffer.write(0, &[round; 16]).unwrap();
        let queue = CommandQueue::new(device, QueueOptions::default());
        queue.enqueue_silently(Command::fill_buffer(&buffer, 16, 16, &[round]).unwrap(), &[]).unwrap();
        let mut back = [0; 32];
        queue.flush().unwrap();
        buffer.read(0, &mut back).unwrap();
        assert_eq!(back, [round; 32]);
    }
}
