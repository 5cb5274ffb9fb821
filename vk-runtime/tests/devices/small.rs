//! Small commands, which the host does itself where it can: never before what they must follow, and never
//! unseen by what follows them.

use crate::shaders::{self, step_value, variants};
use crate::{Test, buffer_of, noise, read_words};
use std::ptr::NonNull;
use vk_runtime::{
    Arg, Buffer, Command, CommandQueue, Device, Event, EventStatus, Kernel, LaunchConfig, Program,
    QueueOptions, Rectangle,
};

pub const TESTS: &[Test] = &[
    ("small_commands_are_done_at_once", small_commands_are_done_at_once),
    ("small_commands_wait_for_the_host", small_commands_wait_for_the_host),
    ("small_commands_wait_for_the_device", small_commands_wait_for_the_device),
    (
        "memory_of_the_host_is_written_before_it_is_read_again",
        memory_of_the_host_is_written_before_it_is_read_again,
    ),
    ("other_queues_see_what_is_in_flight", other_queues_see_what_is_in_flight),
    ("small_and_large_commands_keep_their_order", small_and_large_commands_keep_their_order),
    ("times_of_host_and_device_are_in_order", times_of_host_and_device_are_in_order),
    ("opposite_copies_end", opposite_copies_end),
];

const WORDS: u32 = 1024;
const BYTES: u64 = 4 * WORDS as u64;

const ALL_OPTIONS: [QueueOptions; 4] = [
    QueueOptions { out_of_order: false, profiling: false },
    QueueOptions { out_of_order: false, profiling: true },
    QueueOptions { out_of_order: true, profiling: false },
    QueueOptions { out_of_order: true, profiling: true },
];

fn step(device: &Device) -> Kernel {
    let module = shaders::step(*variants(device.profile()).last().unwrap());
    Program::new(device, module).unwrap().kernel("step").unwrap()
}

/// `to = step(from)` with a number.
fn launch(kernel: &Kernel, from: &Buffer, to: &Buffer, number: u32) -> Command {
    let bytes = number.to_le_bytes();
    let arguments = [Arg::Buffer(from), Arg::Buffer(to), Arg::Bytes(&bytes)];
    Command::launch(kernel, &LaunchConfig::linear(from.size() / 4), &arguments).unwrap()
}

/// A write of a slice, which must live until the command is over.
fn write(buffer: &Buffer, offset: u64, data: &[u8]) -> Command {
    // SAFETY: the tests wait for the command before `data` goes.
    unsafe { Command::write_buffer(buffer, offset, NonNull::from(data).cast(), data.len() as u64) }.unwrap()
}

/// A read to a slice, which must live until the command is over.
fn read(buffer: &Buffer, offset: u64, data: &mut [u8]) -> Command {
    let size = data.len() as u64;
    // SAFETY: the tests wait for the command before they look at `data`.
    unsafe { Command::read_buffer(buffer, offset, NonNull::from(data).cast(), size) }.unwrap()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn small_commands_are_done_at_once(device: &Device) {
    let direct = device.has_direct_access();
    for options in ALL_OPTIONS {
        let queue = CommandQueue::new(device, options);
        let (a, b) = (buffer_of(device, 0..WORDS), buffer_of(device, (0..WORDS).map(|_| 9)));
        device.finish().unwrap();
        let enqueue = |command: Command, expected: bool| {
            let what = format!("{command:?} with {options:?}");
            let event = queue.enqueue(command, &[]).unwrap();
            assert_eq!(event.has_ended(), expected, "{what}");
            queue.finish().unwrap();
            assert_eq!(event.status(), EventStatus::Complete, "{what}");
        };
        enqueue(Command::marker(), true);
        enqueue(Command::barrier(), true);
        enqueue(Command::copy_buffer(&a, 400, &b, 8, 800).unwrap(), direct);
        enqueue(Command::fill_buffer(&b, 3, 7, &[1]).unwrap(), direct);
        let data = noise(500, 1);
        enqueue(write(&b, 1001, &data), direct);
        let place = |offset, row_pitch| Rectangle { offset, row_pitch, slice_pitch: 10 * row_pitch };
        let boxes = (place(40, 16), place(2001, 9));
        enqueue(Command::copy_rectangle(&a, &boxes.0, &b, &boxes.1, [8, 10, 2]).unwrap(), direct);
        enqueue(Command::fill_rectangle(&b, &place(3000, 20), [12, 5, 1], &[6, 5, 4, 3]).unwrap(), direct);
        let mut found = vec![0; BYTES as usize];
        enqueue(read(&b, 0, &mut found), direct);

        let source: Vec<u8> = (0..WORDS).flat_map(u32::to_le_bytes).collect();
        let mut expected: Vec<u8> = (0..WORDS).flat_map(|_| 9u32.to_le_bytes()).collect();
        expected[8..808].copy_from_slice(&source[400..1200]);
        expected[3..10].fill(1);
        expected[1001..1501].copy_from_slice(&data);
        for row in 0..20 {
            let (from, to) = (40 + 16 * row, 2001 + 9 * row);
            expected[to..to + 8].copy_from_slice(&source[from..from + 8]);
        }
        for row in 0..5 {
            let at = 3000 + 20 * row;
            expected[at..at + 12].copy_from_slice(&[6, 5, 4, 3].repeat(3));
        }
        assert!(found == expected, "{options:?}");
        // More is not the host's while it enqueues.
        let (large, other) = (Buffer::new(device, 1 << 20).unwrap(), Buffer::new(device, 1 << 20).unwrap());
        enqueue(Command::copy_buffer(&large, 0, &other, 0, 1 << 20).unwrap(), false);
    }
}

fn small_commands_wait_for_the_host(device: &Device) {
    for options in ALL_OPTIONS {
        let queue = CommandQueue::new(device, options);
        let (a, b) = (buffer_of(device, 0..WORDS), buffer_of(device, (0..WORDS).map(|_| 9)));
        let user = Event::user();
        let held = std::slice::from_ref(&user);
        let copied = queue.enqueue(Command::copy_buffer(&a, 0, &b, 0, BYTES).unwrap(), held).unwrap();
        let barrier = queue.enqueue(Command::barrier(), &[]).unwrap();
        let filled = queue.enqueue(Command::fill_buffer(&a, 0, BYTES, &[7]).unwrap(), &[]).unwrap();
        let mut found = vec![0; BYTES as usize];
        let fetched = queue.enqueue(read(&b, 0, &mut found), &[]).unwrap();
        let marker = queue.enqueue(Command::marker(), &[]).unwrap();
        for event in [&copied, &barrier, &filled, &fetched, &marker] {
            assert_eq!(event.status(), EventStatus::Queued, "{options:?}");
        }
        assert!(read_words(&b) == vec![9; WORDS as usize]);
        user.set_status(EventStatus::Complete).unwrap();
        marker.wait().unwrap();
        assert!(words(&found) == (0..WORDS).collect::<Vec<_>>(), "{options:?}");
        assert!(read_words(&a) == vec![0x0707_0707; WORDS as usize]);
        // What waits for a failure fails, though it could be done at once.
        let failure = Event::user();
        failure.set_status(EventStatus::Failed(-9)).unwrap();
        let failed = queue.enqueue(Command::fill_buffer(&a, 0, BYTES, &[1]).unwrap(), &[failure]).unwrap();
        assert!(failed.wait().is_err());
        assert!(read_words(&a) == vec![0x0707_0707; WORDS as usize]);
    }
}

const LARGE: u32 = 1 << 20;
const LAUNCHES: u32 = 11;

/// Enqueues work of some milliseconds, one launch after the other. Returns the buffer of the results, and the
/// event of the last launch.
fn work(device: &Device, queue: &CommandQueue) -> (Buffer, Event) {
    let kernel = step(device);
    let mut from = buffer_of(device, 0..LARGE);
    let mut to = Buffer::new(device, 4 * u64::from(LARGE)).unwrap();
    let mut chain: Vec<Event> = Vec::new();
    for number in 0..LAUNCHES {
        chain = vec![queue.enqueue(launch(&kernel, &from, &to, number), &chain).unwrap()];
        std::mem::swap(&mut from, &mut to);
    }
    queue.flush().unwrap();
    (from, chain.pop().unwrap())
}

/// What the work leaves.
fn result_of_work() -> Vec<u32> {
    let result = |first| (0..LAUNCHES).fold(first, |value, number| step_value(value, number, LARGE, 1));
    (0..LARGE).map(result).collect()
}

/// Small commands must not overtake the device.
fn small_commands_wait_for_the_device(device: &Device) {
    let expected = result_of_work();
    for options in ALL_OPTIONS {
        let queue = CommandQueue::new(device, options);
        let small = Buffer::new(device, BYTES).unwrap();
        let (result, last) = work(device, &queue);
        let waits: &[Event] = if options.out_of_order { std::slice::from_ref(&last) } else { &[] };
        let at = 4 * u64::from(LARGE) - BYTES;
        let copied =
            queue.enqueue(Command::copy_buffer(&result, at, &small, 0, BYTES).unwrap(), waits).unwrap();
        let marker = queue.enqueue(Command::marker(), &[]).unwrap();
        for event in [&copied, &marker] {
            // In this order: the launch may end in between.
            let early = event.has_ended();
            assert!(!early || last.has_ended(), "it overtook what it must follow: {options:?}");
        }
        let barrier = queue.enqueue(Command::barrier(), &[]).unwrap();
        let filled = queue.enqueue(Command::fill_buffer(&result, at, BYTES, &[3]).unwrap(), &[]).unwrap();
        assert!(!filled.has_ended() || barrier.has_ended(), "{options:?}");
        let mut found = vec![0; BYTES as usize];
        queue.run(read(&small, 0, &mut found), std::slice::from_ref(&copied)).unwrap();
        assert!(words(&found) == expected[(LARGE - WORDS) as usize..], "{options:?}");
        queue.finish().unwrap();
        let end = read_words(&result);
        assert!(end[..(LARGE - WORDS) as usize] == expected[..(LARGE - WORDS) as usize], "{options:?}");
        assert!(end[(LARGE - WORDS) as usize..] == vec![0x0303_0303; WORDS as usize], "{options:?}");
    }
}

/// A write must not take what a read before it is still to bring, though it uses another buffer.
fn memory_of_the_host_is_written_before_it_is_read_again(device: &Device) {
    let expected = result_of_work();
    for options in ALL_OPTIONS {
        let queue = CommandQueue::new(device, options);
        let small = Buffer::new(device, BYTES).unwrap();
        let mut data = vec![0; BYTES as usize];
        let place = NonNull::from(&mut data[..]).cast();
        let (result, last) = work(device, &queue);
        // SAFETY: the commands are over before `data` goes, and their order keeps them apart.
        let read = unsafe { Command::read_buffer(&result, 0, place, BYTES) }.unwrap();
        queue.enqueue_silently(read, &[last]).unwrap();
        queue.enqueue_silently(Command::barrier(), &[]).unwrap();
        // SAFETY: as above.
        let write = unsafe { Command::write_buffer(&small, 0, place, BYTES) }.unwrap();
        queue.enqueue_silently(write, &[]).unwrap();
        queue.finish().unwrap();
        assert!(read_words(&small) == expected[..WORDS as usize], "{options:?}");
    }
}

/// OpenCL does not order queues without events, but a device has one order of work.
fn other_queues_see_what_is_in_flight(device: &Device) {
    let expected = result_of_work();
    let (queue, other) =
        (CommandQueue::new(device, ALL_OPTIONS[0]), CommandQueue::new(device, ALL_OPTIONS[0]));
    let small = Buffer::new(device, BYTES).unwrap();
    let (result, _) = work(device, &queue);
    let copy = Command::copy_buffer(&result, 0, &small, 0, BYTES).unwrap();
    other.enqueue_silently(copy, &[]).unwrap();
    other.finish().unwrap();
    assert!(read_words(&small) == expected[..WORDS as usize]);
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % limit
    }
}

/// How commands of a queue that may reorder them are kept in order.
#[derive(Clone, Copy, Debug)]
enum Chain {
    Queue,
    Events,
    Barriers,
}

/// A model of buffers goes through the same random commands.
fn small_and_large_commands_keep_their_order(device: &Device) {
    let kernel = step(device);
    for (seed, chain) in [Chain::Queue, Chain::Events, Chain::Barriers].into_iter().enumerate() {
        let mut random = Random(seed as u64 + 1);
        let out_of_order = !matches!(chain, Chain::Queue);
        let queue = CommandQueue::new(device, QueueOptions { out_of_order, profiling: false });
        let mut model: Vec<Vec<u32>> = (0..3).map(|number| (number..number + WORDS).collect()).collect();
        let buffers: Vec<Buffer> = model.iter().map(|it| buffer_of(device, it.iter().copied())).collect();
        let mut reads: Vec<(Vec<u8>, Vec<u32>)> = Vec::new();
        let mut sources: Vec<Vec<u8>> = Vec::new();
        let mut last: Vec<Event> = Vec::new();
        for round in 0..1500u32 {
            let (a, b) = (random.below(3) as usize, random.below(3) as usize);
            let (first, count) = (random.below(WORDS / 2), 1 + random.below(WORDS / 2));
            let (at, size) = (4 * u64::from(first), 4 * u64::from(count));
            let part = first as usize..(first + count) as usize;
            let command = match random.below(9) {
                0 | 1 if a != b => {
                    let from = model[a].clone();
                    model[b] = from.iter().map(|&word| step_value(word, round, WORDS, 1)).collect();
                    launch(&kernel, &buffers[a], &buffers[b], round)
                }
                2 | 3 if a != b => {
                    let from = model[a][part.clone()].to_vec();
                    model[b][part].copy_from_slice(&from);
                    Command::copy_buffer(&buffers[a], at, &buffers[b], at, size).unwrap()
                }
                4 => {
                    model[a][part].fill(round);
                    Command::fill_buffer(&buffers[a], at, size, &round.to_le_bytes()).unwrap()
                }
                5 => {
                    let data = noise(size as usize, round);
                    model[a][part].copy_from_slice(&words(&data));
                    sources.push(data);
                    write(&buffers[a], at, sources.last().unwrap())
                }
                6 => {
                    reads.push((vec![0; size as usize], model[a][part].to_vec()));
                    read(&buffers[a], at, &mut reads.last_mut().unwrap().0)
                }
                7 => Command::marker(),
                _ => {
                    // Now and then the device has nothing to do.
                    if random.below(3) == 0 {
                        queue.finish().unwrap();
                    }
                    Command::barrier()
                }
            };
            let waits = match chain {
                Chain::Events => std::mem::take(&mut last),
                _ => Vec::new(),
            };
            if matches!(chain, Chain::Barriers) {
                queue.enqueue_silently(Command::barrier(), &[]).unwrap();
            }
            last = if random.below(10) == 0 {
                vec![queue.run(command, &waits).unwrap()]
            } else {
                vec![queue.enqueue(command, &waits).unwrap()]
            };
        }
        queue.finish().unwrap();
        for (found, expected) in &reads {
            assert!(words(found) == *expected, "{chain:?}");
        }
        for (buffer, expected) in buffers.iter().zip(&model) {
            assert!(read_words(buffer) == *expected, "{chain:?}");
        }
    }
}

fn times_of_host_and_device_are_in_order(device: &Device) {
    let queue = CommandQueue::new(device, QueueOptions { out_of_order: false, profiling: true });
    let kernel = step(device);
    let (a, b) = (buffer_of(device, 0..WORDS), Buffer::new(device, BYTES).unwrap());
    let mut before = 0;
    for round in 0..100 {
        let commands = [
            launch(&kernel, &a, &b, round),
            Command::copy_buffer(&b, 0, &a, 0, 256).unwrap(),
            Command::marker(),
            Command::fill_buffer(&a, 0, 64, &[1]).unwrap(),
        ];
        for (number, command) in commands.into_iter().enumerate() {
            let what = format!("{command:?}");
            let event = queue.enqueue(command, &[]).unwrap();
            if !(round as usize + number).is_multiple_of(3) {
                event.wait().unwrap();
                let profile = event.profile().expect("it is complete");
                assert!(before <= profile.started, "{what} began before the end of what it follows");
                assert!(profile.queued <= profile.submitted && profile.submitted <= profile.started);
                assert!(profile.started <= profile.ended && profile.ended <= vk_runtime::host_time());
                before = profile.ended;
            }
        }
    }
}

/// Two threads that need the same buffers in the opposite order.
fn opposite_copies_end(device: &Device) {
    let buffers = [1, 2].map(|word| buffer_of(device, (0..WORDS).map(|_| word)));
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (from, to) = (&buffers[thread], &buffers[1 - thread]);
            scope.spawn(move || {
                let queue = CommandQueue::new(device, QueueOptions::default());
                for round in 0..500 {
                    let copy = Command::copy_buffer(from, 0, to, 0, BYTES).unwrap();
                    queue.enqueue_silently(copy, &[]).unwrap();
                    if round % 5 == 0 {
                        queue.finish().unwrap();
                    }
                }
                queue.finish().unwrap();
            });
        }
    });
    for buffer in &buffers {
        assert!(read_words(buffer).iter().all(|word| [1, 2].contains(word)));
    }
}
