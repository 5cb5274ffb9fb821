//! Moving data between host and device.

use crate::{Test, noise, read_words};
use std::ptr::NonNull;
use vk_runtime::{
    Buffer, ChannelOrder, ChannelType, Command, CommandQueue, Device, DeviceOptions, Error, ErrorKind, Event,
    EventStatus, Image, ImageDescription, ImageFormat, ImageRegion, PinnedMemory, QueueOptions,
};

pub const TESTS: &[Test] = &[
    ("transfers_of_any_size_come_back", transfers_of_any_size_come_back),
    ("parts_are_written_and_read_in_order", parts_are_written_and_read_in_order),
    ("fills_and_copies", fills_and_copies),
    ("memory_of_the_host_is_worked_in", memory_of_the_host_is_worked_in),
    ("pinned_buffers_are_the_hosts_memory", pinned_buffers_are_the_hosts_memory),
    ("memory_of_the_host_is_pinned", memory_of_the_host_is_pinned),
    ("transfers_from_pinned_memory_keep_their_order", transfers_from_pinned_memory_keep_their_order),
    ("writes_take_what_reads_before_them_bring", writes_take_what_reads_before_them_bring),
    ("ranges_are_checked", ranges_are_checked),
    ("impossible_sizes_are_errors", impossible_sizes_are_errors),
    ("objects_of_two_devices_do_not_mix", objects_of_two_devices_do_not_mix),
    ("threads_share_a_device", threads_share_a_device),
    ("a_device_may_be_dropped_while_it_works", a_device_may_be_dropped_while_it_works),
];

/// Bytes of a staging buffer; sizes around it and around the whole ring matter.
const CHUNK: usize = 8 << 20;

fn transfers_of_any_size_come_back(device: &Device) {
    for size in [1, 3, 4, 4097, CHUNK - 1, CHUNK, CHUNK + 5, 5 * CHUNK + 3] {
        let data = noise(size, size as u32);
        let buffer = Buffer::with_data(device, &data).unwrap();
        let mut back = vec![0; size];
        buffer.read(0, &mut back).unwrap();
        assert!(data == back, "{size} bytes came back changed");
    }
}

fn parts_are_written_and_read_in_order(device: &Device) {
    let buffer = Buffer::with_data(device, &[0; 1000]).unwrap();
    buffer.write(10, &[1; 100]).unwrap();
    buffer.write(50, &[2; 10]).unwrap();
    buffer.write(999, &[3]).unwrap();
    buffer.write(500, &[]).unwrap();
    let mut part = [9; 6];
    buffer.read(57, &mut part).unwrap();
    assert_eq!(part, [2, 2, 2, 1, 1, 1]);
    buffer.read(994, &mut part).unwrap();
    assert_eq!(part, [0, 0, 0, 0, 0, 3]);
}

fn fills_and_copies(device: &Device) {
    let (a, b) = (Buffer::new(device, 4096).unwrap(), Buffer::new(device, 4095).unwrap());
    a.fill(0x0102_0304).unwrap();
    b.fill(0).unwrap();
    a.copy_to(4, &b, 1000, 8).unwrap();
    let mut bytes = vec![0xff; 4095];
    b.read(0, &mut bytes).unwrap();
    let mut expected = vec![0; 4095];
    expected[1000..1008].copy_from_slice(&[4, 3, 2, 1, 4, 3, 2, 1]);
    assert_eq!(bytes, expected);
    // Within one buffer, and in one batch where each operation depends on the one before.
    let mut batch = device.batch();
    batch.fill(&a, 7).unwrap().copy(&b, 1000, &a, 0, 8).unwrap().copy(&a, 0, &a, 8, 8).unwrap();
    batch.submit().unwrap();
    assert_eq!(read_words(&a)[..5], [0x0102_0304, 0x0102_0304, 0x0102_0304, 0x0102_0304, 7]);
}

fn memory_of_the_host_is_worked_in(device: &Device) {
    #[repr(align(4096))]
    struct Pages([u8; 3 * 4096]);
    let mut pages = Box::new(Pages([7; 3 * 4096]));
    // In the middle of pages, not at their ends.
    let place = NonNull::from(&mut pages.0[256..8448]);
    // SAFETY: the pages live longer than the buffers, and are accessed only when nothing is under way.
    let over = |size| unsafe { Buffer::over_host_memory(device, place.cast(), size) }.unwrap();
    let Some(buffer) = over(8192) else {
        // SAFETY: as above.
        let offered = unsafe { Buffer::over_host_memory(device, place.cast(), 4096) }.unwrap();
        assert!(offered.is_none(), "it depends on the place");
        return;
    };
    assert!(over(8191).is_none(), "not whole words");
    let mut back = [0; 4];
    buffer.read(8188, &mut back).unwrap();
    assert_eq!(back, [7; 4]);
    buffer.fill(0x0101_0101).unwrap();
    let other = Buffer::with_data(device, &[9; 64]).unwrap();
    other.copy_to(0, &buffer, 64, 64).unwrap();
    device.finish().unwrap();
    drop(buffer);
    let mut expected = [7; 3 * 4096];
    expected[256..8448].fill(1);
    expected[320..384].fill(9);
    assert!(pages.0 == expected, "the memory holds something else");
}

fn pinned_buffers_are_the_hosts_memory(device: &Device) {
    let pinned = Buffer::pinned(device, 4096).unwrap();
    let pointer = pinned.host_pointer().expect("software devices have no memory of their own");
    // SAFETY: the memory has 4096 bytes, and no command uses it.
    unsafe { pointer.write_bytes(5, 4096) };
    let mut back = [0; 8];
    pinned.read(100, &mut back).unwrap();
    assert_eq!(back, [5; 8]);
    let (queue, other) = (queue_of(device), Buffer::new(device, 64).unwrap());
    // SAFETY: the memory lives longer than the commands, and is accessed when they are complete.
    unsafe {
        let place = pointer.add(7);
        queue.enqueue(Command::write_buffer(&other, 1, place, 62).unwrap(), &[]).unwrap();
        queue.enqueue(Command::fill_buffer(&other, 8, 8, &[9]).unwrap(), &[]).unwrap();
        let read = Command::read_buffer(&other, 4, pointer.add(1000), 16).unwrap();
        queue.enqueue(read, &[]).unwrap().wait().unwrap();
        let expected = [5, 5, 5, 5, 9, 9, 9, 9, 9, 9, 9, 9, 5, 5, 5, 5];
        assert_eq!(pointer.add(1000).cast::<[u8; 16]>().read(), expected);
        // Beyond its end it is memory like any other.
        assert_eq!(pointer.add(1016).read(), 5);
        // To itself.
        queue.enqueue(Command::write_buffer(&pinned, 2000, pointer.add(1004), 8).unwrap(), &[]).unwrap();
    }
    queue.finish().unwrap();
    pinned.read(2000, &mut back).unwrap();
    assert_eq!(back, [9; 8]);
}

/// Transfers to and from it at odd places are right, also if it is unpinned before the commands are done.
fn memory_of_the_host_is_pinned(device: &Device) {
    let mut memory = noise(3 << 20, 5);
    let mut expected = memory.clone();
    let size = (2 << 20) + 3;
    let start = NonNull::from(&mut memory[4099..]).cast::<u8>();
    let (buffer, queue) = (Buffer::new(device, size as u64).unwrap(), queue_of(device));
    // SAFETY: the vector lives longer than the commands, which alone access it until they are complete.
    unsafe {
        let pinned = PinnedMemory::new(device, start, size as u64).unwrap();
        assert!(pinned.is_none() || !device.has_direct_access(), "there is nothing to pin");
        let write = Command::write_buffer(&buffer, 1, start.add(7), (size - 8) as u64).unwrap();
        queue.enqueue(write, &[]).unwrap();
        queue.enqueue(Command::fill_buffer(&buffer, 500, 8, &[9]).unwrap(), &[]).unwrap();
        let read = Command::read_buffer(&buffer, 401, start.add(9), 100_000).unwrap();
        queue.enqueue(read, &[]).unwrap();
        drop(pinned);
    }
    queue.finish().unwrap();
    let mut sent = expected[4106..4106 + size - 8].to_vec();
    sent[499..507].fill(9);
    let mut back = vec![0; size - 8];
    buffer.read(1, &mut back).unwrap();
    assert!(back == sent, "the buffer has something else");
    expected[4108..104_108].copy_from_slice(&sent[400..100_400]);
    assert!(memory == expected, "the memory has something else");
}

/// Transfers by the host and by the device to and from the same place, in order, without a wait between them.
fn transfers_from_pinned_memory_keep_their_order(device: &Device) {
    let pinned = Buffer::pinned(device, 256).unwrap();
    let pointer = pinned.host_pointer().expect("software devices have no memory of their own");
    let format = ImageFormat::new(ChannelOrder::Rgba, ChannelType::UnormInt8);
    let image = Image::new(device, &ImageDescription::planar(format, 16, 4)).unwrap();
    let region = ImageRegion { origin: [0; 3], extent: [16, 4, 1], level: 0 };
    let (a, b) = (Buffer::new(device, 256).unwrap(), Buffer::new(device, 256).unwrap());
    for round in 0..20u8 {
        let queue = queue_of(device);
        let enqueue = |command: vk_runtime::Result<Command>| queue.enqueue(command.unwrap(), &[]).unwrap();
        a.fill(u32::from_le_bytes([round; 4])).unwrap();
        // SAFETY: the memory lives longer than the commands, and only they access it until they are complete.
        unsafe {
            // The device fills the place; the host writes an image from it and fills it again from the image;
            // then the device reads it.
            enqueue(Command::read_buffer(&a, 0, pointer, 256));
            enqueue(Command::write_image(&image, &region, pointer, 0, 0));
            enqueue(Command::fill_buffer(&a, 0, 256, &[100]));
            enqueue(Command::read_buffer(&a, 0, pointer, 256));
            enqueue(Command::read_image(&image, &region, pointer, 0, 0));
            enqueue(Command::write_buffer(&b, 0, pointer, 256));
        }
        queue.finish().unwrap();
        let mut back = [0; 256];
        b.read(0, &mut back).unwrap();
        assert_eq!(back, [round; 256], "round {round}");
    }
}

/// Writes from host memory to another buffer while the read that fills that memory still waits.
fn writes_take_what_reads_before_them_bring(device: &Device) {
    let (a, b) = (Buffer::with_data(device, &[6; 64]).unwrap(), Buffer::new(device, 64).unwrap());
    let mut place = [0u8; 64];
    let pointer = NonNull::from(&mut place).cast();
    for out_of_order in [false, true] {
        // SAFETY: only the commands access the place until they are complete.
        unsafe { pointer.write_bytes(0, 64) };
        let queue = CommandQueue::new(device, QueueOptions { out_of_order, ..QueueOptions::default() });
        let user = Event::user();
        // SAFETY: as above.
        let (read, write) = unsafe {
            (
                Command::read_buffer(&a, 0, pointer, 64).unwrap(),
                Command::write_buffer(&b, 0, pointer, 64).unwrap(),
            )
        };
        let read = queue.enqueue(read, std::slice::from_ref(&user)).unwrap();
        let written = queue.enqueue(write, &[read]).unwrap();
        user.set_status(EventStatus::Complete).unwrap();
        written.wait().unwrap();
        let mut back = [0; 64];
        b.read(0, &mut back).unwrap();
        assert_eq!(back, [6; 64], "out of order: {out_of_order}");
        b.fill(0).unwrap();
    }
}

fn queue_of(device: &Device) -> CommandQueue {
    CommandQueue::new(device, QueueOptions::default())
}

fn ranges_are_checked(device: &Device) {
    let buffer = Buffer::new(device, 100).unwrap();
    let beyond = |result: Result<(), Error>| {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::OutOfRange { length: 100, .. }), "{error}");
        assert_eq!(error.kind(), ErrorKind::Usage);
    };
    beyond(buffer.write(99, &[0; 2]));
    beyond(buffer.write(u64::MAX, &[0; 2]));
    beyond(buffer.read(101, &mut []));
    beyond(buffer.copy_to(0, &buffer, 60, 50));
    beyond(buffer.copy_to(u64::MAX, &buffer, 0, 50));
    assert!(matches!(buffer.copy_to(0, &buffer, 10, 20), Err(Error::OverlappingCopy)));
}

fn impossible_sizes_are_errors(device: &Device) {
    assert!(matches!(Buffer::new(device, 0), Err(Error::Size { .. })));
    let error = Buffer::new(device, u64::MAX).unwrap_err();
    assert!(matches!(error, Error::Size { .. }), "{error}");
    assert!(error.to_string().contains("maxBufferSize") || error.to_string().contains("memory"), "{error}");
    let memory = device.info().memory().unwrap();
    let error = Buffer::new(device, memory + 4).unwrap_err();
    assert!(matches!(error, Error::Size { .. } | Error::OutOfMemory { .. }), "{error}");
    // The device still works.
    Buffer::with_data(device, &[1, 2, 3]).unwrap();
}

fn objects_of_two_devices_do_not_mix(device: &Device) {
    let other = Device::new(device.info(), &DeviceOptions::default()).unwrap();
    let (here, there) = (Buffer::new(device, 16).unwrap(), Buffer::new(&other, 16).unwrap());
    assert!(matches!(here.copy_to(0, &there, 0, 16), Err(Error::OtherDevice { .. })));
    assert!(matches!(other.batch().fill(&here, 0), Err(Error::OtherDevice { .. })));
}

fn threads_share_a_device(device: &Device) {
    let shared = Buffer::new(device, 1 << 16).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            let shared = &shared;
            scope.spawn(move || {
                let own = Buffer::new(device, 1 << 16).unwrap();
                let place = u64::from(thread) << 14;
                for round in 0..10 {
                    let data = noise(1 << 14, thread * 100 + round);
                    own.write(0, &data).unwrap();
                    own.copy_to(0, shared, place, 1 << 14).unwrap();
                    let mut back = vec![0; 1 << 14];
                    shared.read(place, &mut back).unwrap();
                    assert!(data == back, "thread {thread}, round {round}");
                }
            });
        }
    });
}

fn a_device_may_be_dropped_while_it_works(device: &Device) {
    let own = Device::new(device.info(), &DeviceOptions::default()).unwrap();
    let buffer = Buffer::new(&own, 16 << 20).unwrap();
    let mut batch = own.batch();
    for value in 0..8 {
        batch.fill(&buffer, value).unwrap();
    }
    let submission = batch.submit().unwrap();
    drop((buffer, submission));
    // The last owner waits, then frees everything; validation would report anything left over or still in
    // use.
    drop(own);
}
