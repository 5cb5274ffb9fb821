//! Pixels in buffers with padding between rows and slices, compared with the same on the host.

use crate::{Test, noise, shaders};
use clvk_interface::ImageDimension;
use vk_runtime::{
    AddressingMode, Arg, Buffer, ChannelOrder, ChannelType, Command, CommandQueue, Device, Error, FilterMode,
    Image, ImageDescription, ImageFormat, LaunchConfig, PitchedImage, Program, QueueOptions, Rectangle,
    Sampler, SamplerDescription, SamplerLevels,
};

pub const TESTS: &[Test] = &[
    ("kernels_use_images_in_buffers", kernels_use_images_in_buffers),
    ("images_in_buffers_are_checked", images_in_buffers_are_checked),
    ("pixels_move_with_any_pitch", pixels_move_with_any_pitch),
    ("boxes_are_filled", boxes_are_filled),
];

const RGBA8: ImageFormat = ImageFormat::new(ChannelOrder::Rgba, ChannelType::UnormInt8);

fn contents(buffer: &Buffer) -> Vec<u8> {
    let mut bytes = vec![0; buffer.size() as usize];
    buffer.read(0, &mut bytes).unwrap();
    bytes
}

/// Where the rows of a box begin.
fn rows(place: &Rectangle, [_, rows, slices]: [u64; 3]) -> impl Iterator<Item = usize> + use<> {
    let place = *place;
    (0..slices).flat_map(move |slice| {
        (0..rows).map(move |row| (place.offset + slice * place.slice_pitch + row * place.row_pitch) as usize)
    })
}

/// Copies a box of bytes.
fn copy_box(from: &[u8], source: &Rectangle, to: &mut [u8], target: &Rectangle, region: [u64; 3]) {
    let length = region[0] as usize;
    for (start, end) in rows(source, region).zip(rows(target, region)) {
        to[end..end + length].copy_from_slice(&from[start..start + length]);
    }
}

fn kernels_use_images_in_buffers(device: &Device) {
    let kernel = Program::new(device, shaders::copy_image()).unwrap().kernel("copy_image").unwrap();
    let [width, height] = shaders::COPIED_IMAGE;
    let region = [4 * u64::from(width), height.into(), 1];
    let description = ImageDescription::planar(RGBA8, width, height);
    let places = [(16, 4), (64, 20), (0, 0)].map(|(offset, padding)| {
        let row_pitch = region[0] + padding;
        Rectangle { offset, row_pitch, slice_pitch: row_pitch * region[1] }
    });
    let size = |place: &Rectangle| (place.offset + place.slice_pitch) as usize;
    let mut bytes: Vec<Vec<u8>> =
        places.iter().zip(0..).map(|(place, seed)| noise(size(place), seed)).collect();
    let buffers: Vec<Buffer> = bytes.iter().map(|data| Buffer::with_data(device, data).unwrap()).collect();
    let views = buffers.iter().zip(&places);
    let images: Vec<PitchedImage> =
        views.map(|(buffer, place)| PitchedImage::new(buffer, place, &description).unwrap()).collect();
    let sampler = SamplerDescription {
        addressing: AddressingMode::ClampToEdge,
        filter: FilterMode::Nearest,
        normalized_coordinates: false,
        levels: SamplerLevels::default(),
    };
    let sampler = Sampler::new(device, sampler).unwrap();
    let mut batch = device.batch();
    let config = LaunchConfig::planar(width.into(), height.into());
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        let (from, to) = (Arg::PitchedImage(&images[from]), Arg::PitchedImage(&images[to]));
        batch.dispatch(&kernel, &config, &[from, Arg::Sampler(&sampler), to]).unwrap();
        // What is in the buffer between two launches reaches the second one.
        batch.fill(&buffers[0], 0x0403_0201).unwrap();
    }
    batch.submit().unwrap();
    let (first, rest) = bytes.split_at_mut(1);
    for (target, place) in rest.iter_mut().zip(&places[1..]) {
        copy_box(&first[0], &places[0], target, place, region);
    }
    first[0].iter_mut().enumerate().for_each(|(index, byte)| *byte = (index % 4) as u8 + 1);
    for (number, (buffer, expected)) in buffers.iter().zip(&bytes).enumerate() {
        assert!(contents(buffer) == *expected, "buffer {number} differs");
    }
}

fn images_in_buffers_are_checked(device: &Device) {
    let buffer = Buffer::new(device, 256).unwrap();
    let description = ImageDescription::planar(RGBA8, 4, 4);
    let refused = |offset, row_pitch| {
        let place = Rectangle { offset, row_pitch, slice_pitch: 0 };
        PitchedImage::new(&buffer, &place, &description).unwrap_err()
    };
    assert!(matches!(refused(2, 16), Error::Pitch(_)));
    assert!(matches!(refused(0, 18), Error::Pitch(_)));
    assert!(matches!(refused(0, 12), Error::Pitch(_)));
    assert!(matches!(refused(196, 16), Error::OutOfRange { .. }));
    assert!(matches!(refused(0, 84), Error::OutOfRange { .. }));
    let place = Rectangle { offset: 0, row_pitch: 16, slice_pitch: 0 };
    let levels = ImageDescription { levels: 2, ..description };
    assert!(matches!(PitchedImage::new(&buffer, &place, &levels), Err(Error::Pitch(_))));
    PitchedImage::new(&buffer, &Rectangle { offset: 192, ..place }, &description).unwrap();
}

fn pixels_move_with_any_pitch(device: &Device) {
    let queue = CommandQueue::new(device, QueueOptions::default());
    let shape = |dimension, height, depth, layers| ImageDescription {
        dimension,
        format: RGBA8,
        width: 5,
        height,
        depth,
        layers,
        levels: 1,
    };
    let shapes = [
        shape(ImageDimension::D1, 1, 1, 1),
        shape(ImageDimension::D1Array, 1, 1, 3),
        shape(ImageDimension::D2, 4, 1, 1),
        shape(ImageDimension::D2Array, 3, 1, 4),
        shape(ImageDimension::D2Array, 1, 1, 4),
        shape(ImageDimension::D3, 3, 2, 1),
    ];
    for description in shapes {
        let image = Image::new(device, &description).unwrap();
        let whole = image.whole();
        let [width, rows, slices] = whole.extent.map(u64::from);
        let region = [4 * width, rows, slices];
        let packed = Rectangle { offset: 0, row_pitch: region[0], slice_pitch: region[0] * rows };
        // Without padding, with whole rows between slices, with parts of rows, and at an odd byte.
        for (offset, row_pitch, more) in [(8, 20, 0), (4, 28, 56), (12, 24, 8), (3, 32, 32), (1, 20, 0)] {
            let place = Rectangle { offset, row_pitch, slice_pitch: row_pitch * rows + more };
            let size = (offset + place.slice_pitch * slices) as usize;
            let (data, before) = (noise(size, 3), noise(size, 4));
            let source = Buffer::with_data(device, &data).unwrap();
            let target = Buffer::with_data(device, &before).unwrap();
            let there = Command::copy_rectangle_to_image(&source, &place, &image, &whole).unwrap();
            let back = Command::copy_image_to_rectangle(&image, &whole, &target, &place).unwrap();
            queue.enqueue_silently(there, &[]).unwrap();
            queue.enqueue_silently(back, &[]).unwrap();
            queue.finish().unwrap();
            let (mut pixels, mut expected) = (vec![0; description.byte_size() as usize], before);
            copy_box(&data, &place, &mut pixels, &packed, region);
            copy_box(&data, &place, &mut expected, &place, region);
            let mut read = vec![0; pixels.len()];
            image.read(&mut read).unwrap();
            assert!(read == pixels, "{description}: {place:?} to the image");
            assert!(contents(&target) == expected, "{description}: the image to {place:?}");
        }
        if rows > 1 {
            let buffer = Buffer::new(device, 1 << 12).unwrap();
            let odd = Rectangle { offset: 0, row_pitch: 22, slice_pitch: 22 * rows };
            let refused = Command::copy_rectangle_to_image(&buffer, &odd, &image, &whole);
            assert!(matches!(refused, Err(Error::Pitch(_))), "{description}");
        }
    }
}

fn boxes_are_filled(device: &Device) {
    let queue = CommandQueue::new(device, QueueOptions::default());
    for (pattern, region, offset, row_pitch, slice_pitch) in [
        (1, [3, 4, 2], 5, 7, 30),
        (4, [8, 3, 1], 4, 12, 0),
        (16, [48, 2, 3], 16, 64, 144),
        (2, [6, 1, 3], 2, 6, 10),
        (8, [16, 3, 2], 8, 16, 48),
    ] {
        let place = Rectangle { offset, row_pitch, slice_pitch };
        let (pattern, mut expected) = (noise(pattern, 1), noise(1 << 10, 2));
        let buffer = Buffer::with_data(device, &expected).unwrap();
        queue.run(Command::fill_rectangle(&buffer, &place, region, &pattern).unwrap(), &[]).unwrap();
        for start in rows(&place, region) {
            let row = &mut expected[start..start + region[0] as usize];
            row.chunks_exact_mut(pattern.len()).for_each(|place| place.copy_from_slice(&pattern));
        }
        assert!(contents(&buffer) == expected, "{place:?} {region:?}");
    }
    let buffer = Buffer::new(device, 64).unwrap();
    let place = Rectangle { offset: 0, row_pitch: 24, slice_pitch: 0 };
    let refused =
        |region, pattern: &[u8]| Command::fill_rectangle(&buffer, &place, region, pattern).unwrap_err();
    assert!(matches!(refused([18, 2, 1], &[0; 4]), Error::Pattern(_)));
    assert!(matches!(refused([28, 2, 1], &[0; 4]), Error::Pitch(_)));
    assert!(matches!(refused([20, 3, 1], &[0; 4]), Error::OutOfRange { .. }));
}
