//! Images and samplers.

use crate::{Test, noise, shaders};
use clvk_interface::ImageDimension;
use vk_runtime::{
    AddressingMode, Arg, ChannelOrder, ChannelType, Device, Error, FilterMode, Image, ImageDescription,
    ImageFormat, LaunchConfig, Program, Sampler, SamplerDescription, SamplerLevels,
};

pub const TESTS: &[Test] = &[
    ("images_come_back", images_come_back),
    ("a_kernel_copies_an_image", a_kernel_copies_an_image),
    ("images_are_checked", images_are_checked),
    ("samplers_are_checked", samplers_are_checked),
];

const RGBA8: ImageFormat = ImageFormat::new(ChannelOrder::Rgba, ChannelType::UnormInt8);

fn round_trip(device: &Device, description: &ImageDescription) {
    let image = Image::new(device, description).unwrap();
    let data = noise(description.byte_size() as usize, description.width);
    image.write(&data).unwrap();
    let mut back = vec![0; data.len()];
    image.read(&mut back).unwrap();
    assert!(data == back, "{description} came back changed");
}

fn images_come_back(device: &Device) {
    use ChannelOrder::{R, Rg, Rgba};
    use ChannelType::{Float, HalfFloat, SignedInt8, UnormInt8, UnsignedInt8, UnsignedInt32};
    let formats = [
        (Rgba, UnormInt8),
        (Rgba, UnsignedInt8),
        (Rgba, SignedInt8),
        (R, UnormInt8),
        (Rgba, HalfFloat),
        (Rgba, Float),
    ];
    for (order, channel) in formats.into_iter().chain([(R, Float), (Rg, Float), (R, UnsignedInt32)]) {
        round_trip(device, &ImageDescription::planar(ImageFormat::new(order, channel), 37, 21));
    }
    // Larger than a staging buffer, so they move row by row and slice by slice.
    round_trip(device, &ImageDescription::planar(ImageFormat::new(Rgba, Float), 1000, 700));
    round_trip(device, &ImageDescription::spatial(RGBA8, 300, 200, 40));
    let shape = |dimension, height, layers| ImageDescription {
        dimension,
        format: RGBA8,
        width: 50,
        height,
        depth: 1,
        layers,
        levels: 1,
    };
    round_trip(device, &shape(ImageDimension::D1, 1, 1));
    round_trip(device, &shape(ImageDimension::D1Array, 1, 5));
    round_trip(device, &shape(ImageDimension::D2Array, 20, 7));
}

fn a_kernel_copies_an_image(device: &Device) {
    let kernel = Program::new(device, shaders::copy_image()).unwrap().kernel("copy_image").unwrap();
    let [width, height] = shaders::COPIED_IMAGE;
    let description = ImageDescription::planar(RGBA8, width, height);
    let data = noise(description.byte_size() as usize, 1);
    let images = [(); 3].map(|()| Image::new(device, &description).unwrap());
    images[0].write(&data).unwrap();
    let sampler = |filter, addressing| {
        let description = SamplerDescription {
            addressing,
            filter,
            normalized_coordinates: false,
            levels: SamplerLevels::default(),
        };
        Sampler::new(device, description).unwrap()
    };
    let nearest = sampler(FilterMode::Nearest, AddressingMode::ClampToEdge);
    // At the centre of a pixel, linear interpolation gives the pixel.
    let linear = sampler(FilterMode::Linear, AddressingMode::Clamp);
    let mut batch = device.batch();
    let config = LaunchConfig::planar(width.into(), height.into());
    batch
        .dispatch(&kernel, &config, &[Arg::Image(&images[0]), Arg::Sampler(&nearest), Arg::Image(&images[1])])
        .unwrap()
        .dispatch(&kernel, &config, &[Arg::Image(&images[1]), Arg::Sampler(&linear), Arg::Image(&images[2])])
        .unwrap();
    batch.submit().unwrap();
    let mut back = vec![0; data.len()];
    images[2].read(&mut back).unwrap();
    assert!(data == back, "the copy differs");
    let error = kernel
        .launch(&config, &[Arg::Sampler(&nearest), Arg::Sampler(&nearest), Arg::Image(&images[1])])
        .unwrap_err()
        .to_string();
    assert!(error.contains("argument 0") && error.contains("an image is needed"), "{error}");
    let spatial = Image::new(device, &ImageDescription::spatial(RGBA8, 4, 4, 4)).unwrap();
    let error = kernel
        .launch(&config, &[Arg::Image(&spatial), Arg::Sampler(&nearest), Arg::Image(&images[1])])
        .unwrap_err()
        .to_string();
    assert!(error.contains("D2") && error.contains("D3"), "{error}");
}

fn images_are_checked(device: &Device) {
    let refuse = |description: ImageDescription| Image::new(device, &description).unwrap_err();
    assert!(matches!(refuse(ImageDescription::planar(RGBA8, 0, 4)), Error::Size { .. }));
    let error = refuse(ImageDescription::planar(RGBA8, u32::MAX, u32::MAX));
    assert!(error.to_string().contains("maxImageDimension2D"), "{error}");
    let layers = ImageDescription { layers: 2, ..ImageDescription::planar(RGBA8, 4, 4) };
    assert!(matches!(refuse(layers), Error::Size { .. }));
    let bgra_float = ImageFormat::new(ChannelOrder::Bgra, ChannelType::Float);
    let error = refuse(ImageDescription::planar(bgra_float, 4, 4));
    assert!(error.to_string().contains("CL_BGRA CL_FLOAT"), "{error}");
    let image = Image::new(device, &ImageDescription::planar(RGBA8, 4, 4)).unwrap();
    let error = image.write(&[0; 63]).unwrap_err();
    assert!(error.to_string().contains("64 bytes") && error.to_string().contains("63"), "{error}");
}

fn samplers_are_checked(device: &Device) {
    for addressing in [AddressingMode::Repeat, AddressingMode::MirroredRepeat] {
        let description = SamplerDescription {
            addressing,
            filter: FilterMode::Nearest,
            normalized_coordinates: false,
            levels: SamplerLevels::default(),
        };
        assert!(matches!(Sampler::new(device, description), Err(Error::Sampler(_))));
        Sampler::new(device, SamplerDescription { normalized_coordinates: true, ..description }).unwrap();
    }
}
