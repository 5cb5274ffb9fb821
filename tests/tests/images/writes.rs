//! Writes, reads without a sampler, and queries.

use crate::reference::{axes, is_array};
use crate::{Bench, Numbers, Test, random_texels};
use clvk_interface::ImageDimension;
use libtest_mimic::Failed;
use vk_runtime::{
    Arg, Buffer, BufferImage, ChannelOrder, ChannelType, Image, ImageDescription, ImageFormat, LaunchConfig,
    Program,
};

const SHAPES: [(ImageDimension, &str, [u32; 3]); 5] = [
    (ImageDimension::D1, "image1d_t", [9, 1, 1]),
    (ImageDimension::D1Array, "image1d_array_t", [6, 1, 4]),
    (ImageDimension::D2, "image2d_t", [5, 8, 1]),
    (ImageDimension::D2Array, "image2d_array_t", [5, 4, 3]),
    (ImageDimension::D3, "image3d_t", [4, 5, 6]),
];

pub fn tests() -> Vec<(String, Test)> {
    let mut tests: Vec<(String, Test)> = Vec::new();
    for shape in SHAPES {
        tests.push((format!("copy/{}", shape.1), Box::new(move |bench| copy(bench, shape))));
        tests.push((format!("queries/{}", shape.1), Box::new(move |bench| queries(bench, shape))));
    }
    tests.push(("copy/image1d_buffer_t".to_owned(), Box::new(buffers)));
    tests.push(("saturation".to_owned(), Box::new(saturation)));
    tests.push(("rounding".to_owned(), Box::new(rounding)));
    tests.push(("depth".to_owned(), Box::new(depth)));
    tests.push(("read_write".to_owned(), Box::new(read_write)));
    tests
}

fn image(
    bench: &Bench,
    (dimension, _, [width, height, last]): (ImageDimension, &str, [u32; 3]),
    order: ChannelOrder,
    channel: ChannelType,
) -> Result<Image, vk_runtime::Error> {
    let (depth, layers) = if is_array(dimension) { (1, last) } else { (last, 1) };
    let format = ImageFormat { order, channel };
    Image::new(
        &bench.device,
        &ImageDescription { dimension, format, width, height, depth, layers, levels: 1 },
    )
}

/// The coordinates of a work-item in three dimensions.
fn place(dimension: ImageDimension) -> &'static str {
    let id = ["(int)get_global_id(0)", "(int)get_global_id(1)", "(int)get_global_id(2)"];
    match (axes(dimension), is_array(dimension)) {
        (1, false) => id[0],
        (1, true) => "(int2)(get_global_id(0), get_global_id(2))",
        (2, false) => "(int2)(get_global_id(0), get_global_id(1))",
        _ => "(int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0)",
    }
}

fn spatial([x, y, z]: [u32; 3]) -> LaunchConfig {
    LaunchConfig::spatial(x.into(), y.into(), z.into())
}

/// Reads every texel without a sampler and writes it to an image of the same format.
fn copy(bench: &Bench, shape: (ImageDimension, &'static str, [u32; 3])) -> Result<(), Failed> {
    use ChannelOrder::{Bgra, R, Rg, Rgba};
    use ChannelType as T;
    let formats = [
        ("f", Rgba, T::UnormInt8),
        ("f", Bgra, T::UnormInt8),
        ("f", Rgba, T::Float),
        ("f", R, T::HalfFloat),
        ("f", Rg, T::UnormInt16),
        ("f", Rgba, T::SnormInt8),
        ("h", Rgba, T::HalfFloat),
        ("i", Rgba, T::SignedInt16),
        ("i", R, T::SignedInt32),
        ("ui", Rg, T::UnsignedInt8),
        ("ui", Rgba, T::UnsignedInt32),
    ];
    for (function, order, channel) in formats {
        let place = place(shape.0);
        let source = format!(
            "kernel void copy(read_only {ty} from, write_only {ty} to) {{\n\
             write_image{function}(to, {place}, read_image{function}(from, {place})); }}",
            ty = shape.1
        );
        let pair = image(bench, shape, order, channel)
            .and_then(|from| Ok((from, image(bench, shape, order, channel)?)));
        let (from, to) = match pair {
            Ok(pair) => pair,
            // Formats that a device need not support.
            Err(vk_runtime::Error::ImageFormat { .. }) if order != Rgba => continue,
            Err(error) => return Err(error.into()),
        };
        let count = shape.2.iter().product::<u32>() as usize;
        let (bytes, _) = random_texels(&mut Numbers::new(5), order, channel, count);
        from.write(&bytes)?;
        let program = Program::new(&bench.device, bench.compile(&source)?)?;
        let launch = program.kernel("copy")?.launch(&spatial(shape.2), &[Arg::Image(&from), Arg::Image(&to)]);
        match launch {
            Ok(submission) => submission.wait()?,
            // Some devices cannot write some formats.
            Err(error) if order != Rgba && error.to_string().contains("cannot write") => continue,
            Err(error) => return Err(error.into()),
        }
        let mut result = vec![0; bytes.len()];
        to.read(&mut result)?;
        // -128 and -127 are the same number.
        let same = |a: u8, b: u8| a == b || channel == T::SnormInt8 && a.max(b) == 0x81 && a.min(b) == 0x80;
        if !result.iter().zip(&bytes).all(|(&a, &b)| same(a, b)) {
            return Err(format!("{order:?} {channel:?}: {result:?}, expected {bytes:?}").into());
        }
    }
    Ok(())
}

/// Pixels in buffers, and in parts of buffers.
fn buffers(bench: &Bench) -> Result<(), Failed> {
    use ChannelOrder::{R, Rgba};
    use ChannelType as T;
    const COUNT: usize = 100;
    for (function, order, channel) in [
        ("f", Rgba, T::UnormInt8),
        ("f", R, T::Float),
        ("f", Rgba, T::HalfFloat),
        ("i", Rgba, T::SignedInt32),
        ("ui", R, T::UnsignedInt32),
        ("ui", Rgba, T::UnsignedInt8),
    ] {
        let source = format!(
            "kernel void copy(read_only image1d_buffer_t from, write_only image1d_buffer_t to, global int *width) {{\n\
             int x = get_global_id(0); *width = get_image_width(from);\n\
             write_image{function}(to, x, read_image{function}(from, x)); }}"
        );
        let program = Program::new(&bench.device, bench.compile(&source)?)?;
        let (bytes, _) = random_texels(&mut Numbers::new(6), order, channel, COUNT);
        let format = ImageFormat { order, channel };
        let before = [vec![0; 256], bytes.clone()].concat();
        let whole = Buffer::with_data(&bench.device, &before)?;
        let part = whole.part(256, bytes.len() as u64)?;
        let to = Buffer::new(&bench.device, bytes.len() as u64)?;
        let width = Buffer::new(&bench.device, 4)?;
        let pixels = [&part, &to].map(|buffer| BufferImage::new(buffer, format, COUNT as u32));
        let [from_pixels, to_pixels] = pixels;
        let (from_pixels, to_pixels) = (from_pixels?, to_pixels?);
        let arguments = [Arg::BufferImage(&from_pixels), Arg::BufferImage(&to_pixels), Arg::Buffer(&width)];
        program.kernel("copy")?.launch(&LaunchConfig::linear(COUNT as u64), &arguments)?.wait()?;
        let mut result = vec![0; bytes.len()];
        to.read(0, &mut result)?;
        let mut size = [0u32];
        width.read(0, bytemuck::cast_slice_mut(&mut size))?;
        if result != bytes || size[0] as usize != COUNT {
            return Err(
                format!("{order:?} {channel:?}: {result:?}, expected {bytes:?}, width {size:?}").into()
            );
        }
    }
    let source = "kernel void width(write_only image1d_buffer_t image, global int *out) { *out = get_image_width(image); }";
    let program = Program::new(&bench.device, bench.compile(source)?)?;
    let buffer = Buffer::new(&bench.device, 64)?;
    let width = Buffer::new(&bench.device, 4)?;
    for (channel, pixels) in [(T::Float, 4), (T::SignedInt32, 3), (T::UnsignedInt8, 15)] {
        let image = BufferImage::new(&buffer, ImageFormat { order: Rgba, channel }, pixels)?;
        let arguments = [Arg::BufferImage(&image), Arg::Buffer(&width)];
        program.kernel("width")?.launch(&LaunchConfig::linear(1), &arguments)?.wait()?;
        let mut found = [0u32];
        width.read(0, bytemuck::cast_slice_mut(&mut found))?;
        if found != [pixels] {
            return Err(format!("{channel:?}: {found:?} pixels, not {pixels}").into());
        }
    }
    let format = ImageFormat { order: Rgba, channel: T::Float };
    match BufferImage::new(&buffer, format, 5) {
        Err(vk_runtime::Error::Size { .. }) => Ok(()),
        other => Err(format!("five pixels of 16 bytes are in 64 bytes: {other:?}").into()),
    }
}

fn queries(bench: &Bench, shape: (ImageDimension, &'static str, [u32; 3])) -> Result<(), Failed> {
    let (dimension, ty, [width, height, last]) = shape;
    let (mut queries, mut expected) = (vec!["get_image_width(image)"], vec![width]);
    if axes(dimension) >= 2 {
        queries.push("get_image_height(image)");
        expected.push(height);
    }
    match dimension {
        ImageDimension::D2 | ImageDimension::D2Array => {
            queries.extend(["get_image_dim(image).x", "get_image_dim(image).y"]);
            expected.extend([width, height]);
        }
        ImageDimension::D3 => {
            queries.extend(["get_image_depth(image)", "get_image_dim(image).z", "get_image_dim(image).w"]);
            expected.extend([last, last, 0]);
        }
        _ => {}
    }
    if is_array(dimension) {
        queries.push("(int)get_image_array_size(image)");
        expected.push(last);
    }
    queries.extend(["get_image_channel_order(image)", "get_image_channel_data_type(image)"]);
    for access in ["read_only", "write_only", "read_write"] {
        if access == "read_write" && !bench.device.profile().image_read_without_format {
            continue;
        }
        let list = queries.join(",");
        let source = format!(
            "kernel void query({access} {ty} image, global int *out) {{ int list[] = {{ {list} }};\n\
             for (int i = 0; i < {}; i++) out[i] = list[i]; }}",
            queries.len()
        );
        let out = Buffer::new(&bench.device, queries.len() as u64 * 4)?;
        let program = Program::new(&bench.device, bench.compile(&source)?)?;
        let mut answered = 0;
        for (order, order_number, channel, channel_number) in formats() {
            let image = match image(bench, shape, order, channel) {
                Err(vk_runtime::Error::ImageFormat { .. }) => continue,
                image => image?,
            };
            let arguments = [Arg::Image(&image), Arg::Buffer(&out)];
            match program.kernel("query")?.launch(&LaunchConfig::linear(1), &arguments) {
                Ok(submission) => submission.wait()?,
                Err(error) if error.to_string().contains("cannot write") => continue,
                Err(error) => return Err(error.into()),
            }
            let mut found = vec![0u32; queries.len()];
            out.read(0, bytemuck::cast_slice_mut(&mut found))?;
            let expected = [&expected[..], &[order_number, channel_number]].concat();
            if found != expected {
                let format = format!("{order:?} {channel:?}");
                return Err(format!("{access} {format}: {list} are {found:?}, not {expected:?}").into());
            }
            answered += 1;
        }
        // Every device reads and writes 18 of them (Vulkan, Mandatory Format Support).
        if answered < 18 {
            return Err(format!("only {answered} formats of {access} images").into());
        }
    }
    Ok(())
}

/// Formats, with the numbers of the OpenCL headers.
fn formats() -> Vec<(ChannelOrder, u32, ChannelType, u32)> {
    use ChannelType as T;
    let orders = [
        (ChannelOrder::R, 0x10B0),
        (ChannelOrder::Rg, 0x10B2),
        (ChannelOrder::Rgba, 0x10B5),
        (ChannelOrder::Bgra, 0x10B6),
        (ChannelOrder::Srgba, 0x10C1),
    ];
    let channels = [
        (T::SnormInt8, 0x10D0),
        (T::SnormInt16, 0x10D1),
        (T::UnormInt8, 0x10D2),
        (T::UnormInt16, 0x10D3),
        (T::SignedInt8, 0x10D7),
        (T::SignedInt16, 0x10D8),
        (T::SignedInt32, 0x10D9),
        (T::UnsignedInt8, 0x10DA),
        (T::UnsignedInt16, 0x10DB),
        (T::UnsignedInt32, 0x10DC),
        (T::HalfFloat, 0x10DD),
        (T::Float, 0x10DE),
    ];
    let of = |(order, number)| channels.map(|(channel, other)| (order, number, channel, other));
    orders.into_iter().flat_map(of).collect()
}

/// Writes one colour to an image of one texel.
fn written(
    bench: &Bench,
    function: &str,
    ty: &str,
    channel: ChannelType,
    color: &[u8],
) -> Result<Vec<u8>, Failed> {
    let shape = (ImageDimension::D2, "image2d_t", [1, 1, 1]);
    let image = image(bench, shape, ChannelOrder::Rgba, channel)?;
    let source = format!(
        "kernel void put(write_only image2d_t image, {ty} color) {{ write_image{function}(image, (int2)(0), color); }}"
    );
    let program = Program::new(&bench.device, bench.compile(&source)?)?;
    let arguments = [Arg::Image(&image), Arg::Bytes(color)];
    program.kernel("put")?.launch(&LaunchConfig::linear(1), &arguments)?.wait()?;
    let mut bytes = vec![0; image.description().byte_size() as usize];
    image.read(&mut bytes)?;
    Ok(bytes)
}

/// OpenCL C §8.3.4.
fn saturation(bench: &Bench) -> Result<(), Failed> {
    let ints = |values: [i32; 4]| bytemuck::cast_slice::<i32, u8>(&values).to_vec();
    let shorts = |values: [i16; 4]| bytemuck::cast_slice::<i16, u8>(&values).to_vec();
    let (low, high) = (i32::MIN, i32::MAX);
    let cases = [
        ("i", "int4", ChannelType::SignedInt8, ints([low, -129, 128, -5]), vec![0x80, 0x80, 0x7f, 0xfb]),
        (
            "i",
            "int4",
            ChannelType::SignedInt16,
            ints([low, high, 40_000, -7]),
            shorts([-32_768, 32_767, 32_767, -7]),
        ),
        ("i", "int4", ChannelType::SignedInt32, ints([low, high, 0, -1]), ints([low, high, 0, -1])),
        ("ui", "uint4", ChannelType::UnsignedInt8, ints([-1, 256, 255, 7]), vec![255, 255, 255, 7]),
        ("ui", "uint4", ChannelType::UnsignedInt16, ints([-1, 65_536, 65_534, 7]), shorts([-1, -1, -2, 7])),
        ("ui", "uint4", ChannelType::UnsignedInt32, ints([-1, 0, 1, 2]), ints([-1, 0, 1, 2])),
    ];
    for (function, ty, channel, color, expected) in cases {
        let found = written(bench, function, ty, channel, &color)?;
        if found != expected {
            return Err(format!("{channel:?}: {found:?}, expected {expected:?}").into());
        }
    }
    Ok(())
}

/// OpenCL C §8.3.1.3: within 0.6 of the exact value, saturated.
fn rounding(bench: &Bench) -> Result<(), Failed> {
    for color in [[0.0f32, 1.0, 0.5, 0.25], [-1.0, 2.0, 1e30, -1e30], [0.1, 0.2, 0.3, 0.999]] {
        for (channel, low, scale) in
            [(ChannelType::UnormInt8, 0.0f64, 255.0f64), (ChannelType::SnormInt8, -127.0, 127.0)]
        {
            let found = written(bench, "f", "float4", channel, bytemuck::cast_slice(&color))?;
            for (value, &byte) in color.iter().zip(&found) {
                let exact = (f64::from(*value) * scale).clamp(low, scale);
                let byte = if low < 0.0 { f64::from(byte.cast_signed()) } else { f64::from(byte) };
                if (byte - exact).abs() > 0.6 {
                    return Err(format!("{channel:?}: {value} became {byte}, exactly {exact}").into());
                }
            }
        }
    }
    Ok(())
}

fn depth(bench: &Bench) -> Result<(), Failed> {
    let shape = (ImageDimension::D2, "", [3, 1, 1]);
    let image = image(bench, shape, ChannelOrder::Depth, ChannelType::Float)?;
    let source = "kernel void put(write_only image2d_depth_t image) {\n\
                  write_imagef(image, (int2)(get_global_id(0), 0), 0.25f * get_global_id(0)); }\n\
                  kernel void get(read_only image2d_depth_t image, global float *out) {\n\
                  int x = get_global_id(0);\n\
                  out[x] = read_imagef(image, (int2)(x, 0)) + get_image_width(image);\n\
                  if (get_image_channel_order(image) != CLK_DEPTH) out[x] = -1.0f; }";
    let program = Program::new(&bench.device, bench.compile(source)?)?;
    let out = Buffer::new(&bench.device, 12)?;
    program.kernel("put")?.launch(&LaunchConfig::linear(3), &[Arg::Image(&image)])?.wait()?;
    let arguments = [Arg::Image(&image), Arg::Buffer(&out)];
    program.kernel("get")?.launch(&LaunchConfig::linear(3), &arguments)?.wait()?;
    let mut found = [0.0f32; 3];
    out.read(0, bytemuck::cast_slice_mut(&mut found))?;
    if found == [3.0, 3.25, 3.5] { Ok(()) } else { Err(format!("{found:?}").into()) }
}

/// Work-items of a group read what others have written to the image.
fn read_write(bench: &Bench) -> Result<(), Failed> {
    if !bench.device.profile().image_read_without_format {
        return Ok(());
    }
    let shape = (ImageDimension::D2, "image2d_t", [16, 4, 1]);
    let image = image(bench, shape, ChannelOrder::Rgba, ChannelType::UnsignedInt32)?;
    let count = 16 * 4;
    let before: Vec<u32> = (0..count * 4).collect();
    image.write(bytemuck::cast_slice(&before))?;
    let source = "kernel void shift(read_write image2d_t image) {\n\
                  int2 at = (int2)(get_global_id(0), get_global_id(1));\n\
                  uint4 mine = read_imageui(image, at);\n\
                  barrier(CLK_IMAGE_MEM_FENCE);\n\
                  write_imageui(image, at, mine + 1000u);\n\
                  barrier(CLK_IMAGE_MEM_FENCE);\n\
                  uint4 other = read_imageui(image, (int2)((at.x + 1) % 16, at.y));\n\
                  barrier(CLK_IMAGE_MEM_FENCE);\n\
                  write_imageui(image, at, other); }";
    let program = Program::new(&bench.device, bench.compile(source)?)?;
    let config = LaunchConfig::planar(16, 4).with_local([16, 1, 1]);
    program.kernel("shift")?.launch(&config, &[Arg::Image(&image)])?.wait()?;
    let mut found = vec![0u32; before.len()];
    image.read(bytemuck::cast_slice_mut(&mut found))?;
    let expected = |index: usize| {
        let (row, x, channel) = (index / 64, index / 4 % 16, index % 4);
        before[row * 64 + (x + 1) % 16 * 4 + channel] + 1000
    };
    match (0..found.len()).find(|&index| found[index] != expected(index)) {
        None => Ok(()),
        Some(index) => Err(format!("at {index}: {}, expected {}", found[index], expected(index)).into()),
    }
}
