//! Rectangles, fills, parts of buffers and images, and mappings, compared with the same on the host.

use crate::{Test, noise};
use clvk_interface::ImageDimension;
use std::ptr::NonNull;
use vk_runtime::{
    Buffer, ChannelOrder, ChannelType, Command, CommandQueue, Device, DeviceOptions, Error, Image,
    ImageDescription, ImageFormat, ImageRegion, Mapping, QueueOptions, Rectangle,
};

pub const TESTS: &[Test] = &[
    ("rectangles_move_in_every_direction", rectangles_move_in_every_direction),
    ("boxes_that_overlap_are_refused", boxes_that_overlap_are_refused),
    ("fills_take_any_pattern", fills_take_any_pattern),
    ("parts_of_buffers_share_memory", parts_of_buffers_share_memory),
    ("parts_of_images_move_in_every_direction", parts_of_images_move_in_every_direction),
    ("images_of_other_shapes_exchange_pixels", images_of_other_shapes_exchange_pixels),
    ("mappings_reach_buffers_and_images", mappings_reach_buffers_and_images),
    ("large_amounts_move_by_kernels", large_amounts_move_by_kernels),
];

/// Large copies and fills, as if the driver's own were slow.
fn large_amounts_move_by_kernels(device: &Device) {
    let options = DeviceOptions { always_move: true, ..DeviceOptions::default() };
    let device = &Device::new(device.info(), &options).unwrap();
    const SIZE: usize = 5 << 20;
    let queue = queue(device);
    let (source, target) = (noise(SIZE, 1), noise(SIZE, 2));
    let a = Buffer::with_data(device, &source).unwrap();
    let check = |command: Command, b: &Buffer, expected: &[u8], what: &str| {
        queue.run(command, &[]).unwrap();
        assert!(contents(b) == expected, "{what}");
    };
    for (from, to, size) in
        [(0, 0, SIZE), (16, 48, 3 << 20), (4, 8, (2 << 20) + 4), (1, 2, 2 << 20), (0, 5, 100)]
    {
        let b = Buffer::with_data(device, &target).unwrap();
        let mut expected = target.clone();
        expected[to..to + size].copy_from_slice(&source[from..from + size]);
        let copy = Command::copy_buffer(&a, from as u64, &b, to as u64, size as u64).unwrap();
        check(copy, &b, &expected, &format!("{size} bytes from {from} to {to}"));
    }
    for (unit, region) in [(16, [1024, 64, 20]), (4, [1028, 33, 40]), (1, [1001, 64, 20])] {
        let pitch = 1024 + 16 * unit;
        let from = Rectangle { offset: 3 * unit, row_pitch: pitch, slice_pitch: pitch * 70 };
        let to = Rectangle { offset: unit, row_pitch: 2048, slice_pitch: 2048 * (region[1] + 1) };
        let b = Buffer::with_data(device, &target).unwrap();
        let mut expected = target.clone();
        copy_box(&source, &from, &mut expected, &to, region);
        let copy = Command::copy_rectangle(&a, &from, &b, &to, region).unwrap();
        check(copy, &b, &expected, &format!("a box of {region:?}"));
    }
    for (length, offset, size) in
        [(16, 32, 4 << 20), (8, 16, 2 << 20), (1, 48, 2 << 20), (2, 6, 2 << 20), (128, 0, 2 << 20)]
    {
        let pattern = noise(length, 5);
        let b = Buffer::with_data(device, &target).unwrap();
        let mut expected = target.clone();
        expected[offset..offset + size]
            .chunks_exact_mut(length)
            .for_each(|part| part.copy_from_slice(&pattern));
        let fill = Command::fill_buffer(&b, offset as u64, size as u64, &pattern).unwrap();
        check(fill, &b, &expected, &format!("{size} bytes of {length} at {offset}"));
    }
}

fn queue(device: &Device) -> CommandQueue {
    CommandQueue::new(device, QueueOptions::default())
}

fn contents(buffer: &Buffer) -> Vec<u8> {
    let mut bytes = vec![0; buffer.size() as usize];
    buffer.read(0, &mut bytes).unwrap();
    bytes
}

/// Copies a box on the host.
fn copy_box(from: &[u8], a: &Rectangle, to: &mut [u8], b: &Rectangle, region: [u64; 3]) {
    for slice in 0..region[2] {
        for row in 0..region[1] {
            let at = |place: &Rectangle| {
                (place.offset + slice * place.slice_pitch + row * place.row_pitch) as usize
            };
            let length = region[0] as usize;
            to[at(b)..at(b) + length].copy_from_slice(&from[at(a)..at(a) + length]);
        }
    }
}

fn rectangles_move_in_every_direction(device: &Device) {
    const SIZE: usize = 20_000;
    let queue = queue(device);
    let places = [
        Rectangle { offset: 0, row_pitch: 16, slice_pitch: 160 },
        Rectangle { offset: 3, row_pitch: 17, slice_pitch: 200 },
        Rectangle { offset: 1, row_pitch: 100, slice_pitch: 1700 },
    ];
    for region in [[16, 10, 3], [5, 3, 7], [16, 1, 4], [1, 9, 1]] {
        for from in &places {
            for to in &places {
                let (source, target) = (noise(SIZE, 1), noise(SIZE, 2));
                let mut expected = target.clone();
                copy_box(&source, from, &mut expected, to, region);
                let (a, b) = (
                    Buffer::with_data(device, &source).unwrap(),
                    Buffer::with_data(device, &target).unwrap(),
                );
                queue.run(Command::copy_rectangle(&a, from, &b, to, region).unwrap(), &[]).unwrap();
                assert!(contents(&b) == expected, "copy of {region:?} from {from:?} to {to:?}");
                for blocking in [false, true] {
                    let b = Buffer::with_data(device, &target).unwrap();
                    let mut back = target.clone();
                    let (host, out) =
                        (NonNull::from(&source[..]).cast(), NonNull::from(&mut back[..]).cast());
                    // SAFETY: both vectors hold all boxes and live until the commands are complete.
                    let (write, read) = unsafe {
                        let write = Command::write_rectangle(&b, to, host, from, region).unwrap();
                        (write, Command::read_rectangle(&a, from, out, to, region).unwrap())
                    };
                    if blocking {
                        queue.run(write, &[]).unwrap();
                        queue.run(read, &[]).unwrap();
                    } else {
                        queue.enqueue(write, &[]).unwrap();
                        queue.enqueue(read, &[]).unwrap();
                        queue.finish().unwrap();
                    }
                    assert!(contents(&b) == expected, "write of {region:?} from {from:?} to {to:?}");
                    assert!(back == expected, "read of {region:?} from {from:?} to {to:?}");
                }
            }
        }
    }
}

fn boxes_that_overlap_are_refused(device: &Device) {
    let buffer = Buffer::with_data(device, &noise(1000, 5)).unwrap();
    let place = |offset, row_pitch| Rectangle { offset, row_pitch, slice_pitch: row_pitch * 10 };
    let copy =
        |from: &Rectangle, to: &Rectangle| Command::copy_rectangle(&buffer, from, &buffer, to, [8, 10, 1]);
    // Side by side in the same rows.
    let mut expected = contents(&buffer);
    let original = expected.clone();
    copy_box(&original, &place(0, 32), &mut expected, &place(8, 32), [8, 10, 1]);
    queue(device).run(copy(&place(0, 32), &place(8, 32)).unwrap(), &[]).unwrap();
    assert!(contents(&buffer) == expected);
    assert!(matches!(copy(&place(0, 32), &place(7, 32)), Err(Error::OverlappingCopy)));
    assert!(matches!(copy(&place(0, 32), &place(0, 32)), Err(Error::OverlappingCopy)));
    assert!(matches!(copy(&place(3, 32), &place(64, 32)), Err(Error::OverlappingCopy)));
    let beyond = |result: Result<Command, Error>| assert!(matches!(result, Err(Error::OutOfRange { .. })));
    beyond(copy(&place(0, 32), &place(705, 32)));
    beyond(copy(&Rectangle { row_pitch: u64::MAX / 10, ..place(0, 32) }, &place(0, 32)));
    assert!(matches!(copy(&place(0, 7), &place(500, 32)), Err(Error::Pitch(_))));
}

fn fills_take_any_pattern(device: &Device) {
    const SIZE: usize = 400_000;
    let queue = queue(device);
    let buffer = Buffer::new(device, SIZE as u64).unwrap();
    for length in [1usize, 2, 4, 8, 16, 32, 64, 128] {
        for (first, count) in
            [(0, SIZE / length), (1, 1), (3, 2), (5, 1000 / length + 1), (1, SIZE / length - 2)]
        {
            let pattern = noise(length, length as u32);
            let data = noise(SIZE, 7);
            buffer.write(0, &data).unwrap();
            let mut expected = data;
            let range = first * length..((first + count) * length).min(SIZE / length * length);
            expected[range.clone()].chunks_mut(length).for_each(|chunk| chunk.copy_from_slice(&pattern));
            let (offset, size) = (range.start as u64, range.len() as u64);
            queue.run(Command::fill_buffer(&buffer, offset, size, &pattern).unwrap(), &[]).unwrap();
            assert!(contents(&buffer) == expected, "{count} patterns of {length} bytes from {first} on");
        }
    }
    assert!(matches!(Command::fill_buffer(&buffer, 0, 9, &[0; 3]), Err(Error::Pattern(_))));
}

fn parts_of_buffers_share_memory(device: &Device) {
    let whole = Buffer::with_data(device, &noise(4096, 1)).unwrap();
    let part = whole.part(1024, 512).unwrap();
    let inner = part.part(128, 64).unwrap();
    drop(part);
    inner.write(4, &[9; 8]).unwrap();
    let mut expected = noise(4096, 1);
    expected[1024 + 128 + 4..][..8].fill(9);
    assert!(contents(&whole) == expected);
    assert_eq!(contents(&inner), expected[1152..1216]);
    assert_eq!(inner.address().zip(whole.address()).map(|(a, b)| a - b), whole.address().map(|_| 1152));
    assert!(matches!(inner.write(60, &[0; 5]), Err(Error::OutOfRange { length: 64, .. })));
    assert!(whole.part(4000, 97).is_err() && whole.part(0, 0).is_err());
    drop(whole);
    inner.fill(0x0101_0101).unwrap();
    assert_eq!(contents(&inner), [1; 64]);
}

const RGBA8: ImageFormat = ImageFormat::new(ChannelOrder::Rgba, ChannelType::UnormInt8);

/// Images of every shape, with a part of each.
fn images(device: &Device) -> Vec<(Image, ImageRegion)> {
    let shape = |dimension, width, height, depth, layers| ImageDescription {
        dimension,
        format: RGBA8,
        width,
        height,
        depth,
        layers,
        levels: 1,
    };
    let region = |origin, extent| ImageRegion { origin, extent, level: 0 };
    let shapes = [
        (shape(ImageDimension::D1, 40, 1, 1, 1), region([3, 0, 0], [20, 1, 1])),
        (shape(ImageDimension::D2, 40, 30, 1, 1), region([3, 5, 0], [20, 6, 1])),
        (shape(ImageDimension::D3, 40, 30, 7, 1), region([3, 5, 2], [20, 6, 4])),
        (shape(ImageDimension::D1Array, 40, 1, 1, 9), region([3, 2, 0], [20, 6, 1])),
        (shape(ImageDimension::D2Array, 40, 30, 1, 7), region([3, 5, 2], [20, 6, 4])),
    ];
    // The second level of an image of twice the size has the same places.
    let of_level = |(shape, region): (ImageDescription, ImageRegion)| {
        let twice = |size: u32| if size == 1 { 1 } else { 2 * size + 1 };
        let [width, height, depth] = [shape.width, shape.height, shape.depth].map(twice);
        (ImageDescription { width, height, depth, levels: 4, ..shape }, ImageRegion { level: 1, ..region })
    };
    let images = shapes.into_iter().chain(shapes.map(of_level));
    images.map(|(shape, region)| (Image::new(device, &shape).unwrap(), region)).collect()
}

/// The place of a part of an image among all of its pixels.
fn place_in(image: &Image, region: &ImageRegion) -> Rectangle {
    let [width, rows, _] = image.level(region.level).extent.map(u64::from);
    let start: u64 = (0..region.level).map(|level| image.description().level_size(level)).sum();
    let [x, y, z] = region.origin.map(u64::from);
    let pitches = [4 * width, 4 * width * rows];
    Rectangle {
        offset: start + 4 * x + y * pitches[0] + z * pitches[1],
        row_pitch: pitches[0],
        slice_pitch: pitches[1],
    }
}

fn pixels(image: &Image) -> Vec<u8> {
    let mut bytes = vec![0; image.description().byte_size() as usize];
    image.read(&mut bytes).unwrap();
    bytes
}

fn parts_of_images_move_in_every_direction(device: &Device) {
    let queue = queue(device);
    for (image, region) in images(device) {
        let size = image.description().byte_size() as usize;
        let [width, rows, slices] = region.extent.map(u64::from);
        let bytes = [4 * width, rows, slices];
        let packed = Rectangle { offset: 0, row_pitch: 4 * width, slice_pitch: 4 * width * rows };
        let before = noise(size, 3);
        image.write(&before).unwrap();
        // Host memory with padding, to a part of the image and back.
        let is_array_of_rows = image.description().dimension == ImageDimension::D1Array;
        let (row_pitch, slice_pitch) = (4 * width + 12, if is_array_of_rows { 4 * width + 12 } else { 2000 });
        let host = Rectangle { offset: 0, row_pitch: 4 * width + 12, slice_pitch: 2000 };
        let data = noise(10_000, 4);
        let mut expected = before.clone();
        copy_box(&data, &host, &mut expected, &place_in(&image, &region), bytes);
        let mut back = noise(10_000, 5);
        let mut expected_back = back.clone();
        copy_box(&expected, &place_in(&image, &region), &mut expected_back, &host, bytes);
        let (from, to) = (NonNull::from(&data[..]).cast(), NonNull::from(&mut back[..]).cast());
        // SAFETY: both vectors hold the box and live until the commands are complete.
        let (write, read) = unsafe {
            let write = Command::write_image(&image, &region, from, row_pitch, slice_pitch).unwrap();
            (write, Command::read_image(&image, &region, to, row_pitch, slice_pitch).unwrap())
        };
        queue.enqueue(write, &[]).unwrap();
        queue.enqueue(read, &[]).unwrap();
        queue.finish().unwrap();
        assert!(pixels(&image) == expected, "write to {:?}", image.description());
        assert!(back == expected_back, "read from {:?}", image.description());
        // To a buffer and back, at an offset that suits no pixel.
        let buffer = Buffer::with_data(device, &noise(10_000, 6)).unwrap();
        let mut expected_buffer = noise(10_000, 6);
        copy_box(&expected, &place_in(&image, &region), &mut expected_buffer[5..], &packed, bytes);
        queue.run(Command::copy_image_to_buffer(&image, &region, &buffer, 5).unwrap(), &[]).unwrap();
        assert!(contents(&buffer) == expected_buffer, "copy from {:?}", image.description());
        copy_box(&expected_buffer[7..], &packed, &mut expected, &place_in(&image, &region), bytes);
        queue.run(Command::copy_buffer_to_image(&buffer, 7, &image, &region).unwrap(), &[]).unwrap();
        assert!(pixels(&image) == expected, "copy to {:?}", image.description());
        // A fill.
        queue.run(Command::fill_image(&image, &region, &[1, 2, 3, 4]).unwrap(), &[]).unwrap();
        let filled: Vec<u8> = [1, 2, 3, 4].repeat(expected_buffer.len());
        copy_box(&filled, &packed, &mut expected, &place_in(&image, &region), bytes);
        assert!(pixels(&image) == expected, "fill of {:?}", image.description());
        let beyond = ImageRegion { origin: [21, 0, 0], ..region };
        assert!(matches!(Command::fill_image(&image, &beyond, &[0; 4]), Err(Error::ImageRegion(_))));
    }
}

fn images_of_other_shapes_exchange_pixels(device: &Device) {
    let queue = queue(device);
    let (sources, targets) = (images(device), images(device));
    for (source, from) in &sources {
        for (target, to) in &targets {
            let extent = [0, 1, 2].map(|d| from.extent[d].min(to.extent[d]));
            let (from, to) = (ImageRegion { extent, ..*from }, ImageRegion { extent, ..*to });
            let (data, mut expected) = (
                noise(source.description().byte_size() as usize, 1),
                noise(target.description().byte_size() as usize, 2),
            );
            source.write(&data).unwrap();
            target.write(&expected).unwrap();
            let bytes = [4 * u64::from(extent[0]), extent[1].into(), extent[2].into()];
            copy_box(&data, &place_in(source, &from), &mut expected, &place_in(target, &to), bytes);
            queue.run(Command::copy_image(source, &from, target, to.origin, to.level).unwrap(), &[]).unwrap();
            assert!(pixels(target) == expected, "{:?} to {:?}", source.description(), target.description());
        }
    }
    let (image, region) = &sources[1];
    let error = Command::copy_image(image, region, image, [4, 6, 0], 0);
    assert!(matches!(error, Err(Error::OverlappingCopy)));
    let wide = ImageFormat::new(ChannelOrder::Rgba, ChannelType::Float);
    let other = Image::new(device, &ImageDescription::planar(wide, 40, 30)).unwrap();
    assert!(matches!(Command::copy_image(image, region, &other, [0; 3], 0), Err(Error::ImageRegion(_))));
}

fn mappings_reach_buffers_and_images(device: &Device) {
    let queue = queue(device);
    let buffer = Buffer::with_data(device, &noise(5000, 1)).unwrap();
    let mut expected = noise(5000, 1);
    for round in 0..3u8 {
        let mapping = Mapping::of_buffer(&buffer, 1001, 300).unwrap();
        queue.run(mapping.map(true), &[]).unwrap();
        // SAFETY: the mapping has 300 bytes, and the device does not use them until they are unmapped.
        let bytes = unsafe { std::slice::from_raw_parts_mut(mapping.pointer().as_ptr(), 300) };
        assert!(bytes == &expected[1001..1301], "round {round}");
        bytes[7..20].fill(round);
        expected[1008..1021].fill(round);
        queue.enqueue(mapping.unmap(true), &[]).unwrap();
    }
    assert!(contents(&buffer) == expected);
    for (image, region) in images(device) {
        let mut expected = noise(image.description().byte_size() as usize, 8);
        image.write(&expected).unwrap();
        let mapping = Mapping::of_image(&image, &region).unwrap();
        queue.run(mapping.map(true), &[]).unwrap();
        let bytes = [4 * u64::from(region.extent[0]), region.extent[1].into(), region.extent[2].into()];
        let size = bytes.iter().product::<u64>() as usize;
        let packed = Rectangle { offset: 0, row_pitch: bytes[0], slice_pitch: bytes[0] * bytes[1] };
        let is_array_of_rows = image.description().dimension == ImageDimension::D1Array;
        let slice_pitch = if is_array_of_rows { packed.row_pitch } else { packed.slice_pitch };
        assert_eq!((mapping.row_pitch(), mapping.slice_pitch()), (packed.row_pitch, slice_pitch));
        let mut part = vec![0; size];
        copy_box(&expected, &place_in(&image, &region), &mut part, &packed, bytes);
        // SAFETY: the mapping has these bytes, and the device does not use them until they are unmapped.
        let mapped = unsafe { std::slice::from_raw_parts_mut(mapping.pointer().as_ptr(), size) };
        assert!(mapped == part);
        mapped.fill(77);
        copy_box(&vec![77; size], &packed, &mut expected, &place_in(&image, &region), bytes);
        queue.run(mapping.unmap(true), &[]).unwrap();
        assert!(pixels(&image) == expected);
        // Without storing, nothing changes.
        queue.run(mapping.map(true), &[]).unwrap();
        queue.run(mapping.unmap(false), &[]).unwrap();
        assert!(pixels(&image) == expected);
    }
    assert!(matches!(Mapping::of_buffer(&buffer, 4999, 2), Err(Error::OutOfRange { .. })));
}
