//! Command queues and events.

use crate::shaders::{self, step_value, variants};
use crate::{Test, buffer_of, noise, read_words};
use std::num::NonZeroU32;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;
use vk_runtime::{
    Arg, Buffer, Command, CommandQueue, Device, DeviceOptions, Error, Event, EventStatus, Kernel,
    LaunchConfig, Program, QueueOptions, Record, RecordHandler, host_time,
};

pub const TESTS: &[Test] = &[
    ("an_in_order_queue_keeps_its_order", an_in_order_queue_keeps_its_order),
    ("user_events_hold_commands_back", user_events_hold_commands_back),
    ("failures_go_along_wait_lists", failures_go_along_wait_lists),
    ("a_dropped_user_event_fails_what_waits", a_dropped_user_event_fails_what_waits),
    ("queues_wait_for_each_other", queues_wait_for_each_other),
    ("devices_wait_for_each_other", devices_wait_for_each_other),
    ("callbacks_come_once_and_in_order", callbacks_come_once_and_in_order),
    ("functions_of_the_host_take_their_turn", functions_of_the_host_take_their_turn),
    ("large_transfers_take_their_turn", large_transfers_take_their_turn),
    ("host_memory_is_written_before_it_is_read", host_memory_is_written_before_it_is_read),
    ("barriers_order_everything", barriers_order_everything),
    ("times_are_in_order", times_are_in_order),
    ("threads_share_queues", threads_share_queues),
    ("fences_do_as_well", fences_do_as_well),
    ("waits_may_be_without_limit", waits_may_be_without_limit),
    ("busy_waits_do_as_well", busy_waits_do_as_well),
    ("thousands_of_commands_wait_for_one_event", thousands_of_commands_wait_for_one_event),
    ("launches_come_again", launches_come_again),
    ("labelled_commands_leave_records", labelled_commands_leave_records),
];

const IN_ORDER: QueueOptions = QueueOptions { out_of_order: false, profiling: false };
const OUT_OF_ORDER: QueueOptions = QueueOptions { out_of_order: true, profiling: false };

fn step(device: &Device) -> Kernel {
    Program::new(device, shaders::step(*variants(device.profile()).last().unwrap()))
        .unwrap()
        .kernel("step")
        .unwrap()
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

fn an_in_order_queue_keeps_its_order(device: &Device) {
    const SIZE: u32 = 1000;
    let kernel = step(device);
    for options in [IN_ORDER, QueueOptions { profiling: true, ..IN_ORDER }] {
        let queue = CommandQueue::new(device, options);
        let buffers = [buffer_of(device, 0..SIZE), Buffer::new(device, 4 * u64::from(SIZE)).unwrap()];
        let mut expected: Vec<u32> = (0..SIZE).collect();
        // More than fit one submission.
        let mut last = None;
        for round in 0..400u32 {
            let (from, to) = (&buffers[round as usize % 2], &buffers[(round as usize + 1) % 2]);
            last = Some(queue.enqueue(launch(&kernel, from, to, round), &[]).unwrap());
            expected.iter_mut().for_each(|value| *value = step_value(*value, round, SIZE, 1));
        }
        let mut back = vec![0; 4 * SIZE as usize];
        queue.run(read(&buffers[0], 0, &mut back), &[]).unwrap();
        assert_eq!(last.unwrap().status(), EventStatus::Complete, "the read came behind it");
        let words: Vec<u32> =
            back.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        assert!(words == expected);
    }
}

fn user_events_hold_commands_back(device: &Device) {
    for options in [IN_ORDER, OUT_OF_ORDER] {
        let queue = CommandQueue::new(device, options);
        let buffer = Buffer::with_data(device, &[1; 64]).unwrap();
        let user = Event::user();
        let data = [2; 64];
        let held = queue.enqueue(write(&buffer, 0, &data), std::slice::from_ref(&user)).unwrap();
        let behind = queue.enqueue(Command::fill_buffer(&buffer, 0, 4, &[3]).unwrap(), &[]).unwrap();
        queue.flush().unwrap();
        assert_eq!(held.status(), EventStatus::Queued);
        assert_eq!(user.status(), EventStatus::Submitted);
        assert!(matches!(held.wait_for(Duration::from_millis(20)), Err(Error::Timeout { .. })));
        if options.out_of_order {
            behind.wait().unwrap();
            assert_eq!(read_words(&buffer)[..2], [0x0303_0303, 0x0101_0101]);
        } else {
            assert_eq!(behind.status(), EventStatus::Queued, "it is behind one that waits");
        }
        user.set_status(EventStatus::Complete).unwrap();
        assert!(matches!(user.set_status(EventStatus::Complete), Err(Error::EventIsSet)));
        assert!(matches!(held.set_status(EventStatus::Complete), Err(Error::NotAUserEvent)));
        queue.finish().unwrap();
        assert_eq!(held.status(), EventStatus::Complete);
        let first = if options.out_of_order { 0x0202_0202 } else { 0x0303_0303 };
        assert_eq!(read_words(&buffer)[..2], [first, 0x0202_0202]);
    }
}

fn failures_go_along_wait_lists(device: &Device) {
    let queue = CommandQueue::new(device, OUT_OF_ORDER);
    let buffer = Buffer::with_data(device, &[1; 64]).unwrap();
    let fill = |value: u8| Command::fill_buffer(&buffer, 0, 64, &[value]).unwrap();
    let user = Event::user();
    let first = queue.enqueue(fill(2), std::slice::from_ref(&user)).unwrap();
    let called = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&called);
    let second = queue
        .enqueue(Command::native(move || count.store(1, Ordering::SeqCst)), std::slice::from_ref(&first));
    let second = second.unwrap();
    user.set_status(EventStatus::Failed(-7)).unwrap();
    assert!(matches!(first.wait(), Err(Error::CommandFailed { code: -14 })));
    assert!(matches!(second.wait(), Err(Error::CommandFailed { code: -14 })));
    assert_eq!(user.status(), EventStatus::Failed(-7));
    // What is enqueued later fails at once.
    let third = queue.enqueue(fill(3), &[second]).unwrap();
    assert_eq!(third.status(), EventStatus::Failed(-14));
    assert_eq!(third.profile(), None);
    queue.finish().unwrap();
    assert_eq!(called.load(Ordering::SeqCst), 0);
    assert_eq!(read_words(&buffer)[0], 0x0101_0101, "none of them ran");
    // An in-order queue continues after a failure that is not in any wait list.
    let queue = CommandQueue::new(device, IN_ORDER);
    let failed = queue.enqueue(fill(4), &[user]).unwrap();
    queue.run(fill(5), &[]).unwrap();
    assert_eq!(failed.status(), EventStatus::Failed(-14));
    assert_eq!(read_words(&buffer)[0], 0x0505_0505);
}

fn a_dropped_user_event_fails_what_waits(device: &Device) {
    let queue = CommandQueue::new(device, IN_ORDER);
    let user = Event::user();
    let event = queue.enqueue(Command::marker(), &[user]).unwrap();
    assert!(matches!(event.wait(), Err(Error::CommandFailed { code: -14 })));
    queue.finish().unwrap();
}

fn queues_wait_for_each_other(device: &Device) {
    const SIZE: u32 = 256;
    let kernel = step(device);
    let queues = [IN_ORDER, OUT_OF_ORDER, IN_ORDER].map(|options| CommandQueue::new(device, options));
    let buffers = [buffer_of(device, 0..SIZE), Buffer::new(device, 4 * u64::from(SIZE)).unwrap()];
    let mut expected: Vec<u32> = (0..SIZE).collect();
    let user = Event::user();
    let mut last = user.clone();
    for round in 0..60u32 {
        let (from, to) = (&buffers[round as usize % 2], &buffers[(round as usize + 1) % 2]);
        last = queues[round as usize % 3].enqueue(launch(&kernel, from, to, round), &[last]).unwrap();
        expected.iter_mut().for_each(|value| *value = step_value(*value, round, SIZE, 1));
        if round == 30 {
            user.set_status(EventStatus::Complete).unwrap();
        }
    }
    last.wait().unwrap();
    assert!(read_words(&buffers[0]) == expected);
}

fn devices_wait_for_each_other(device: &Device) {
    let other = Device::new(device.info(), &DeviceOptions::default()).unwrap();
    let (here, there) = (CommandQueue::new(device, IN_ORDER), CommandQueue::new(&other, IN_ORDER));
    let (a, b) = (Buffer::with_data(device, &[1; 64]).unwrap(), Buffer::with_data(&other, &[2; 64]).unwrap());
    let mut between = [0u8; 64];
    let user = Event::user();
    let read_event = here.enqueue(read(&a, 0, &mut between), std::slice::from_ref(&user)).unwrap();
    let written = there.enqueue(write(&b, 0, &between), &[read_event]).unwrap();
    user.set_status(EventStatus::Complete).unwrap();
    written.wait().unwrap();
    assert_eq!(read_words(&b)[15], 0x0101_0101);
    assert!(matches!(here.enqueue(write(&b, 0, &[0; 4]), &[]), Err(Error::OtherDevice { .. })));
    there.finish().unwrap();
}

fn callbacks_come_once_and_in_order(device: &Device) {
    let queue = CommandQueue::new(device, IN_ORDER);
    let (sender, receiver) = channel();
    let user = Event::user();
    let event = queue.enqueue(Command::marker(), std::slice::from_ref(&user)).unwrap();
    for status in [EventStatus::Complete, EventStatus::Submitted, EventStatus::Running] {
        let sender = sender.clone();
        event.on_status(status, move |reached| sender.send(reached).unwrap());
    }
    assert!(receiver.recv_timeout(Duration::from_millis(20)).is_err(), "nothing has happened yet");
    user.set_status(EventStatus::Complete).unwrap();
    // Nothing waits for the event or flushes, and the callbacks still come.
    let order: Vec<_> = (0..3).map(|_| receiver.recv_timeout(Duration::from_secs(20)).unwrap()).collect();
    assert_eq!(order, [EventStatus::Submitted, EventStatus::Running, EventStatus::Complete]);
    let late = sender.clone();
    event.on_status(EventStatus::Complete, move |reached| late.send(reached).unwrap());
    assert_eq!(receiver.recv_timeout(Duration::from_secs(20)).unwrap(), EventStatus::Complete);
    let failed = Event::user();
    failed.on_status(EventStatus::Complete, move |reached| sender.send(reached).unwrap());
    failed.set_status(EventStatus::Failed(-9)).unwrap();
    assert_eq!(receiver.recv_timeout(Duration::from_secs(20)).unwrap(), EventStatus::Failed(-9));
}

fn functions_of_the_host_take_their_turn(device: &Device) {
    let queue = CommandQueue::new(device, IN_ORDER);
    let buffer = Buffer::with_data(device, &[0; 64]).unwrap();
    let seen = Arc::new(AtomicU32::new(0));
    queue.enqueue(Command::fill_buffer(&buffer, 0, 64, &[7]).unwrap(), &[]).unwrap();
    let (copy, result) = (buffer.clone(), Arc::clone(&seen));
    let look = move || {
        std::thread::sleep(Duration::from_millis(10));
        result.store(read_words(&copy)[3], Ordering::SeqCst);
    };
    let event = queue.enqueue(Command::native(look), &[]).unwrap();
    queue.enqueue(Command::fill_buffer(&buffer, 0, 64, &[8]).unwrap(), &[]).unwrap();
    queue.finish().unwrap();
    assert_eq!(event.status(), EventStatus::Complete);
    assert_eq!(seen.load(Ordering::SeqCst), 0x0707_0707, "it ran between the fills");
    assert_eq!(read_words(&buffer)[3], 0x0808_0808);
    let event = queue.enqueue(Command::native(|| panic!("on purpose")), &[]).unwrap();
    assert!(matches!(event.wait(), Err(Error::CommandFailed { .. })));
}

fn large_transfers_take_their_turn(device: &Device) {
    const SIZE: usize = 20 << 20;
    for options in [IN_ORDER, OUT_OF_ORDER] {
        let queue = CommandQueue::new(device, options);
        let buffer = Buffer::new(device, SIZE as u64).unwrap();
        let data = noise(SIZE, 9);
        let mut back = vec![0; SIZE];
        let mut again = vec![0; SIZE];
        let written = queue.enqueue(write(&buffer, 0, &data), &[]).unwrap();
        let fetched = queue.enqueue(read(&buffer, 0, &mut back), &[written]).unwrap();
        let fill = Command::fill_buffer(&buffer, 4, SIZE as u64 - 8, &[5]).unwrap();
        let filled = queue.enqueue(fill, &[fetched]).unwrap();
        let last = queue.enqueue(read(&buffer, 0, &mut again), &[filled]).unwrap();
        last.wait().unwrap();
        assert!(back == data);
        assert!(again[..4] == data[..4] && again[SIZE - 4..] == data[SIZE - 4..]);
        assert!(again[4..SIZE - 4].iter().all(|&byte| byte == 5));
    }
}

fn host_memory_is_written_before_it_is_read(device: &Device) {
    for options in [IN_ORDER, OUT_OF_ORDER] {
        let queue = CommandQueue::new(device, options);
        let (a, b) =
            (Buffer::with_data(device, &noise(4096, 3)).unwrap(), Buffer::new(device, 4096).unwrap());
        let mut between = vec![0u8; 4096];
        let fetched = queue.enqueue(read(&a, 0, &mut between), &[]).unwrap();
        let event = queue.enqueue(write(&b, 0, &between), &[fetched]).unwrap();
        event.wait().unwrap();
        let mut back = vec![0; 4096];
        b.read(0, &mut back).unwrap();
        assert!(back == noise(4096, 3), "{options:?}");
    }
    // In order, without a wait list.
    let queue = CommandQueue::new(device, IN_ORDER);
    let (a, b) = (Buffer::with_data(device, &noise(4096, 4)).unwrap(), Buffer::new(device, 4096).unwrap());
    let mut between = vec![0u8; 4096];
    queue.enqueue(read(&a, 0, &mut between), &[]).unwrap();
    queue.enqueue(write(&b, 0, &between), &[]).unwrap();
    queue.finish().unwrap();
    let mut back = vec![0; 4096];
    b.read(0, &mut back).unwrap();
    assert!(back == noise(4096, 4));
}

fn barriers_order_everything(device: &Device) {
    let queue = CommandQueue::new(device, OUT_OF_ORDER);
    let buffer = Buffer::with_data(device, &[0; 64]).unwrap();
    let user = Event::user();
    let fill = |value: u8| Command::fill_buffer(&buffer, 0, 64, &[value]).unwrap();
    let held = queue.enqueue(fill(1), std::slice::from_ref(&user)).unwrap();
    let marker = queue.enqueue(Command::marker(), &[]).unwrap();
    let free = queue.enqueue(Command::marker(), &[]).unwrap();
    let barrier = queue.enqueue(Command::barrier(), &[]).unwrap();
    let behind = queue.enqueue(fill(2), &[]).unwrap();
    queue.flush().unwrap();
    for event in [&held, &marker, &free, &barrier, &behind] {
        assert_eq!(event.status(), EventStatus::Queued);
    }
    user.set_status(EventStatus::Complete).unwrap();
    behind.wait().unwrap();
    assert_eq!(barrier.status(), EventStatus::Complete);
    assert_eq!(read_words(&buffer)[0], 0x0202_0202);
}

fn times_are_in_order(device: &Device) {
    const SIZE: u32 = 1 << 16;
    let queue = CommandQueue::new(device, QueueOptions { profiling: true, ..IN_ORDER });
    let kernel = step(device);
    let (a, b) = (buffer_of(device, 0..SIZE), Buffer::new(device, 4 * u64::from(SIZE)).unwrap());
    let before = host_time();
    let mut data = vec![0; 4096];
    let events = [
        queue.enqueue(launch(&kernel, &a, &b, 1), &[]).unwrap(),
        queue.enqueue(launch(&kernel, &b, &a, 2), &[]).unwrap(),
        queue.enqueue(read(&a, 0, &mut data), &[]).unwrap(),
        queue.enqueue(Command::native(|| {}), &[]).unwrap(),
        queue.enqueue(Command::marker(), &[]).unwrap(),
    ];
    queue.finish().unwrap();
    let after = host_time();
    let profiles = events.map(|event| event.profile().expect("it is complete"));
    for profile in &profiles {
        assert!(before <= profile.queued && profile.queued <= profile.submitted, "{profile:?}");
        assert!(profile.submitted <= profile.started && profile.started <= profile.ended, "{profile:?}");
        // The clocks are compared, not the same.
        assert!(profile.ended <= after + 50_000_000, "{profile:?} ends after {after}");
    }
    assert!(profiles[0].ended <= profiles[1].ended, "{profiles:?}");
    assert!(profiles[0].ended > profiles[0].started, "a kernel of this size takes time: {:?}", profiles[0]);
    if let Some((device_time, host)) = device.times() {
        assert!(device_time.abs_diff(host) < 50_000_000 && host >= after, "{device_time} {host} {after}");
    }
}

fn threads_share_queues(device: &Device) {
    const THREADS: u32 = 4;
    const SIZE: u32 = 64;
    let kernel = step(device);
    let shared = [CommandQueue::new(device, IN_ORDER), CommandQueue::new(device, OUT_OF_ORDER)];
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (kernel, shared) = (&kernel, &shared);
            scope.spawn(move || {
                let buffers = [(); 2].map(|()| buffer_of(device, (0..SIZE).map(|i| i + thread)));
                let mut expected: Vec<u32> = (0..SIZE).map(|i| i + thread).collect();
                let mut last: Vec<Event> = Vec::new();
                for round in 0..100u32 {
                    let (from, to) = (&buffers[round as usize % 2], &buffers[(round as usize + 1) % 2]);
                    let queue = &shared[(round + thread) as usize % 2];
                    let waits = if round % 10 == 9 {
                        let user = Event::user();
                        let (set, previous) = (user.clone(), std::mem::take(&mut last));
                        scope.spawn(move || set.set_status(EventStatus::Complete).unwrap());
                        previous.into_iter().chain([user]).collect()
                    } else {
                        std::mem::take(&mut last)
                    };
                    let event = queue.enqueue(launch(kernel, from, to, round), &waits).unwrap();
                    expected.iter_mut().for_each(|value| *value = step_value(*value, round, SIZE, 1));
                    if round % 7 == 0 {
                        event.wait().unwrap();
                    }
                    last.push(event);
                }
                let mut back = vec![0; 4 * SIZE as usize];
                shared[1].run(read(&buffers[0], 0, &mut back), &last).unwrap();
                let words: Vec<u32> =
                    back.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
                assert!(words == expected, "thread {thread}");
            });
        }
    });
}

fn fences_do_as_well(device: &Device) {
    let options = DeviceOptions { never_timeline: true, ..DeviceOptions::default() };
    let device = Device::new(device.info(), &options).unwrap();
    an_in_order_queue_keeps_its_order(&device);
    queues_wait_for_each_other(&device);
    callbacks_come_once_and_in_order(&device);
    threads_share_queues(&device);
    device.finish().unwrap();
}

fn waits_may_be_without_limit(device: &Device) {
    for never_timeline in [false, true] {
        let options =
            DeviceOptions { never_timeline, wait_timeout: Duration::MAX, ..DeviceOptions::default() };
        let device = Device::new(device.info(), &options).unwrap();
        an_in_order_queue_keeps_its_order(&device);
        let queue = CommandQueue::new(&device, QueueOptions::default());
        let buffer = Buffer::with_data(&device, &[1; 64]).unwrap();
        let user = Event::user();
        let held = queue.enqueue(write(&buffer, 0, &[2; 64]), std::slice::from_ref(&user)).unwrap();
        queue.flush().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| user.set_status(EventStatus::Complete).unwrap());
            held.wait_for(Duration::MAX).unwrap();
        });
        assert_eq!(read_words(&buffer), [0x0202_0202; 16]);
        device.finish().unwrap();
    }
}

/// Waits that poll until the device is done, and waits that sleep after polling for a while.
fn busy_waits_do_as_well(device: &Device) {
    for (never_timeline, busy_wait) in [(false, 1_000_000), (true, 1_000_000), (false, 1), (true, 1)] {
        let busy_wait = Some(Duration::from_micros(busy_wait));
        let options = DeviceOptions { never_timeline, busy_wait, ..DeviceOptions::default() };
        let device = Device::new(device.info(), &options).unwrap();
        an_in_order_queue_keeps_its_order(&device);
        queues_wait_for_each_other(&device);
        device.finish().unwrap();
    }
}

fn thousands_of_commands_wait_for_one_event(device: &Device) {
    let queue = CommandQueue::new(device, IN_ORDER);
    let buffer = Buffer::with_data(device, &[0; 64]).unwrap();
    let user = Event::user();
    queue.enqueue(Command::marker(), std::slice::from_ref(&user)).unwrap();
    for value in 0..5000u32 {
        let fill = Command::fill_buffer(&buffer, 0, 64, &value.to_le_bytes()).unwrap();
        queue.enqueue_silently(fill, &[]).unwrap();
    }
    user.set_status(EventStatus::Complete).unwrap();
    queue.finish().unwrap();
    assert_eq!(read_words(&buffer), [4999; 16]);
}

/// Submissions of a single launch are submitted again unchanged: the same ones, others, more than are kept,
/// two at once, with other commands between and after them, with other buffers, and timed.
fn launches_come_again(device: &Device) {
    for options in variants(device.profile()) {
        let kernel = Program::new(device, shaders::step(options)).unwrap().kernel("step").unwrap();
        for profiling in [false, true] {
            let queue = CommandQueue::new(device, QueueOptions { profiling, ..IN_ORDER });
            launches_of_a_kernel_come_again(device, &queue, &kernel, profiling);
        }
    }
}

fn launches_of_a_kernel_come_again(device: &Device, queue: &CommandQueue, kernel: &Kernel, timed: bool) {
    const SIZE: u32 = 1 << 10;
    let mut buffers = [buffer_of(device, 0..SIZE), Buffer::new(device, 4 * u64::from(SIZE)).unwrap()];
    let mut expected: Vec<u32> = (0..SIZE).collect();
    let mut current = 0;
    let mut ended = 0;
    for round in 0..300u32 {
        // The same two in turn, then as many different ones, then two without waiting for the first.
        let numbers: &[u32] = match round / 100 {
            0 => &[3],
            1 => &[round % 13],
            _ => &[3, 4][..(1 + round as usize % 2)],
        };
        let mut last = None;
        for &number in numbers {
            let (from, to) = (&buffers[current], &buffers[1 - current]);
            last = Some(queue.enqueue(launch(kernel, from, to, number), &[]).unwrap());
            current = 1 - current;
            for value in &mut expected {
                *value = step_value(*value, number, SIZE, 1);
            }
        }
        let last = last.unwrap();
        last.wait().unwrap();
        if timed && let Some(times) = last.known_profile() {
            assert!(times.submitted <= times.started && times.started <= times.ended, "{round}: {times:?}");
            assert!(ended < times.ended, "in round {round} after {ended}: {times:?}");
            ended = times.ended;
        }
        if round % 17 == 0 {
            let mut found = vec![0u32; SIZE as usize];
            queue.run(read(&buffers[current], 0, bytemuck::cast_slice_mut(&mut found)), &[]).unwrap();
            assert!(found == expected, "in round {round}");
        }
        if round % 29 == 0 {
            let bytes: &[u8] = bytemuck::cast_slice(&expected);
            queue.run(write(&buffers[1 - current], 0, bytes), &[]).unwrap();
            current = 1 - current;
        }
        if round % 23 == 0 {
            // The old one goes first, so that the new one may take its place in the host's memory.
            let same = buffers[current].clone();
            drop(std::mem::replace(&mut buffers[1 - current], same));
            buffers[1 - current] = Buffer::new(device, 4 * u64::from(SIZE)).unwrap();
        }
    }
    assert!(read_words(&buffers[current]) == expected);
}

/// Whatever way a command goes, it is counted once, with times that follow each other.
fn labelled_commands_leave_records(device: &Device) {
    const LAUNCHES: u32 = 700;
    let (sender, receiver) = channel();
    let sender = std::sync::Mutex::new(sender);
    let record_handler = RecordHandler::new(move |records| {
        sender.lock().unwrap().send(records.to_vec()).unwrap();
    });
    let options = DeviceOptions { record_handler, ..DeviceOptions::default() };
    let device = Device::new(device.info(), &options).unwrap();
    let kernel = step(&device);
    let labelled = |mut command: Command, name: u32| {
        command.set_label(5, NonZeroU32::new(name).unwrap());
        command
    };
    let began = host_time();
    for options in [IN_ORDER, OUT_OF_ORDER, QueueOptions { profiling: true, ..IN_ORDER }] {
        let queue = CommandQueue::new(&device, options);
        let (a, b) = (buffer_of(&device, 0..1000), Buffer::new(&device, 4000).unwrap());
        for number in 0..LAUNCHES {
            let waits = Vec::from_iter((number == 400).then(Event::user));
            let command = labelled(launch(&kernel, &a, &b, number), 1);
            match number % 3 {
                0 => drop(queue.enqueue(command, &waits).unwrap()),
                _ => queue.enqueue_silently(command, &waits).unwrap(),
            }
            if number % 100 == 99 {
                // Not labelled, so it is not counted.
                queue.enqueue_silently(Command::fill_buffer(&b, 0, 4000, &[1]).unwrap(), &[]).unwrap();
            }
            // Those behind it wait too.
            waits.iter().for_each(|user| user.set_status(EventStatus::Complete).unwrap());
        }
        queue.enqueue_silently(labelled(Command::native(|| {}), 2), &[]).unwrap();
        let mut data = vec![0; 4 << 20];
        let large = Buffer::with_data(&device, &data).unwrap();
        queue.run(labelled(read(&large, 0, &mut data), 3), &[]).unwrap();
        queue.run(labelled(write(&a, 0, &[1; 16]), 4), &[]).unwrap();
        queue.finish().unwrap();
    }
    device.finish().unwrap();
    let ended = host_time();
    drop((kernel, device));
    let records: Vec<Record> = receiver.try_iter().flatten().collect();
    let count = |name: u32| {
        let of_name = records.iter().filter(|record| record.name.get() == name);
        of_name.map(|record| record.count).sum::<u32>()
    };
    assert_eq!([1, 2, 3, 4].map(count), [3 * LAUNCHES, 3, 3, 3]);
    assert!(records.iter().any(|record| record.count > 8), "short launches are one record");
    for record in &records {
        let times = [began, record.queued, record.submitted, record.started, record.ended, ended];
        assert!(times.is_sorted() && record.queue == 5, "{record:?} between {began} and {ended}");
    }
}
