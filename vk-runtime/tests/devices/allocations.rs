//! Counts the allocations of a thread: a launch must not allocate in the steady state.

use crate::counting;
use crate::shaders::{self, step_value, variants};
use crate::{Test, buffer_of, read_words};
use vk_runtime::{Arg, Buffer, Command, CommandQueue, Device, LaunchConfig, Program, QueueOptions};

pub const TESTS: &[Test] = &[
    ("launches_do_not_allocate", launches_do_not_allocate),
    ("buffers_and_images_come_and_go", buffers_and_images_come_and_go),
];

fn launches_do_not_allocate(device: &Device) {
    const SIZE: u32 = 64;
    for options in variants(device.profile()) {
        let kernel = Program::new(device, shaders::step(options)).unwrap().kernel("step").unwrap();
        let queue = CommandQueue::new(device, QueueOptions::default());
        let buffers = [buffer_of(device, 0..SIZE), Buffer::new(device, 4 * u64::from(SIZE)).unwrap()];
        let config = LaunchConfig::linear(SIZE.into());
        let mut expected: Vec<u32> = (0..SIZE).collect();
        let mut run = |rounds: u32| {
            let before = counting::allocations();
            for round in 0..rounds {
                let (from, to) = (&buffers[round as usize % 2], &buffers[(round as usize + 1) % 2]);
                let bytes = round.to_le_bytes();
                let arguments = [Arg::Buffer(from), Arg::Buffer(to), Arg::Bytes(&bytes)];
                queue.enqueue_silently(Command::launch(&kernel, &config, &arguments).unwrap(), &[]).unwrap();
            }
            queue.finish().unwrap();
            let allocated = counting::allocations() - before;
            for round in 0..rounds {
                expected.iter_mut().for_each(|value| *value = step_value(*value, round, SIZE, 1));
            }
            allocated
        };
        // Warms up until every submission that may be in flight at once has been made. A list may also grow
        // later, when the device is further behind than ever before; a launch that allocates would do so in
        // every round.
        run(4_500);
        let allocated: Vec<u64> = (0..5).map(|_| run(2_000)).collect();
        assert!(allocated.contains(&0), "allocations of 2,000 launches ({options:?}): {allocated:?}");
        assert!(read_words(&buffers[0]) == expected);
    }
}

fn buffers_and_images_come_and_go(device: &Device) {
    // Together, these are many times the device's memory.
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
