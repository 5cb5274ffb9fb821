//! Reads through samplers.

use crate::reference::{Addressing, Sampler, Texels, axes, is_array};
use crate::{Bench, Numbers, Test, interpolates_exactly, random_texels};
use clvk_interface::{ArgumentKind, CompiledModule, ImageDimension, ImageQuery, Preference};
use libtest_mimic::Failed;
use vk_runtime::{
    AddressingMode, Arg, Buffer, ChannelOrder, ChannelType, FilterMode, Image, ImageDescription, ImageFormat,
    LaunchConfig, Program, SamplerDescription, SamplerLevels,
};

const SHAPES: [(ImageDimension, &str, [i32; 3]); 5] = [
    (ImageDimension::D1, "image1d_t", [7, 1, 1]),
    (ImageDimension::D1Array, "image1d_array_t", [6, 1, 4]),
    (ImageDimension::D2, "image2d_t", [5, 8, 1]),
    (ImageDimension::D2Array, "image2d_array_t", [5, 4, 3]),
    (ImageDimension::D3, "image3d_t", [4, 5, 6]),
];

/// Function, type of the texels in memory, and formats that it reads.
type Read = (&'static str, &'static str, &'static [(ChannelOrder, ChannelType)]);

const READS: [Read; 4] = {
    use ChannelOrder::{Bgra, R, Rg, Rgba, Srgba};
    use ChannelType as T;
    [
        (
            "f",
            "float4",
            &[
                (Rgba, T::UnormInt8),
                (Rgba, T::Float),
                (Rg, T::HalfFloat),
                (R, T::Float),
                (Bgra, T::UnormInt8),
                (Rgba, T::SnormInt8),
                (R, T::UnormInt16),
                (Srgba, T::UnormInt8),
            ],
        ),
        ("h", "float4", &[(Rgba, T::HalfFloat), (R, T::UnormInt8)]),
        ("i", "int4", &[(Rgba, T::SignedInt8), (R, T::SignedInt32), (Rg, T::SignedInt16)]),
        ("ui", "uint4", &[(Rgba, T::UnsignedInt16), (Rg, T::UnsignedInt32), (R, T::UnsignedInt8)]),
    ]
};

pub fn tests() -> Vec<(String, Test)> {
    let mut tests: Vec<(String, Test)> = Vec::new();
    for shape in SHAPES {
        for (function, ty, formats) in READS {
            let name = format!("read_image{function}/{}", shape.1);
            tests.push((name, Box::new(move |bench| read(bench, shape, function, ty, formats))));
        }
    }
    for shape in SHAPES {
        tests.push((format!("read_centres/{}", shape.1), Box::new(move |bench| centres(bench, shape))));
    }
    tests.push(("read_depth/image2d_depth_t".to_owned(), Box::new(depth)));
    for shape in SHAPES {
        tests.push((format!("sampled_texels/{}", shape.1), Box::new(move |bench| texels(bench, shape))));
    }
    tests.push(("sampled_texels/levels".to_owned(), Box::new(levels)));
    tests
}

/// Where a kernel gets its sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Given {
    Argument,
    Constant,
    /// As an argument, and the kernel is not told that the device interpolates.
    WithoutDevice,
}

fn read(
    bench: &Bench,
    shape: (ImageDimension, &'static str, [i32; 3]),
    function: &str,
    ty: &str,
    formats: &[(ChannelOrder, ChannelType)],
) -> Result<(), Failed> {
    let interpolates = matches!(function, "f" | "h");
    // What does not depend on the shape is tested with one shape.
    let all = shape.0 == ImageDimension::D2;
    let formats = if all { formats } else { &formats[..1] };
    let argument = Program::new(&bench.device, bench.compile(&source(shape, function, ty, None))?)?;
    let mut blind = bench.compile(&source(shape, function, ty, None))?;
    forget_formats(&mut blind);
    let blind = Program::new(&bench.device, blind)?;
    for sampler in Sampler::all().into_iter().filter(|sampler| interpolates || !sampler.linear) {
        let constant = match function {
            "f" if all => {
                let module = bench.compile(&source(shape, function, ty, Some(sampler)))?;
                Some(Program::new(&bench.device, module)?)
            }
            _ => None,
        };
        for (seed, &(order, channel)) in formats.iter().enumerate() {
            let Some(case) = Case::new(bench, shape, order, channel, seed as u64)? else { continue };
            case.check(&argument, sampler, Given::Argument, function)?;
            if let (Some(constant), 0) = (&constant, seed) {
                case.check(constant, sampler, Given::Constant, function)?;
            }
            if sampler.linear && order == ChannelOrder::Rgba {
                case.check(&blind, sampler, Given::WithoutDevice, function)?;
            }
        }
    }
    Ok(())
}

/// Clears the word about the image, so that the kernel does not use the device's interpolation.
fn forget_formats(module: &mut CompiledModule) {
    for argument in module.interface.kernels.iter_mut().flat_map(|kernel| &mut kernel.arguments) {
        if let ArgumentKind::Image { words, .. } = &mut argument.kind {
            words.retain(|(query, _)| *query != ImageQuery::Format);
        }
    }
}

fn source(
    (dimension, image, _): (ImageDimension, &str, [i32; 3]),
    function: &str,
    ty: &str,
    sampler: Option<Sampler>,
) -> String {
    let swizzle = swizzle(dimension);
    let convert = if function == "h" { "convert_float4" } else { "" };
    let (parameter, declaration) = match sampler {
        None => ("sampler_t s, ", String::new()),
        Some(sampler) => ("", format!("constant sampler_t s = {};\n", sampler.source())),
    };
    let head = format!("(read_only {image} image, {parameter}global const");
    format!(
        "{declaration}kernel void floats{head} float4 *at, global {ty} *out) {{ size_t i = get_global_id(0);\n\
         out[i] = {convert}(read_image{function}(image, s, at[i].{swizzle})); }}\n\
         kernel void ints{head} int4 *at, global {ty} *out) {{ size_t i = get_global_id(0);\n\
         out[i] = {convert}(read_image{function}(image, s, at[i].{swizzle})); }}\n"
    )
}

/// The lanes that are coordinates.
fn swizzle(dimension: ImageDimension) -> &'static str {
    ["x", "xy", "xyzw"][axes(dimension) + usize::from(is_array(dimension)) - 1]
}

/// An image of a format.
struct Case<'b> {
    bench: &'b Bench,
    image: Image,
    texels: Texels,
    order: ChannelOrder,
    channel: ChannelType,
}

impl<'b> Case<'b> {
    /// `None` if the device has no such images.
    fn new(
        bench: &'b Bench,
        (dimension, _, size): (ImageDimension, &str, [i32; 3]),
        order: ChannelOrder,
        channel: ChannelType,
        seed: u64,
    ) -> Result<Option<Self>, Failed> {
        let count = size.iter().product::<i32>() as usize;
        let texels = random_texels(&mut Numbers::new(seed + 1), order, channel, count);
        Self::of(bench, (dimension, size), order, channel, texels)
    }

    fn of(
        bench: &'b Bench,
        (dimension, size): (ImageDimension, [i32; 3]),
        order: ChannelOrder,
        channel: ChannelType,
        (bytes, texels): (Vec<u8>, Vec<[f64; 4]>),
    ) -> Result<Option<Self>, Failed> {
        let [width, height, last] = size.map(i32::cast_unsigned);
        let (depth, layers) = if is_array(dimension) { (1, last) } else { (last, 1) };
        let format = ImageFormat { order, channel };
        let description = ImageDescription { dimension, format, width, height, depth, layers, levels: 1 };
        let image = match Image::new(&bench.device, &description) {
            Ok(image) => image,
            // Formats that a device need not support.
            Err(vk_runtime::Error::ImageFormat { .. }) if order != ChannelOrder::Rgba => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        image.write(&bytes)?;
        let alpha = f64::from(u8::from(matches!(order, ChannelOrder::R | ChannelOrder::Rg)));
        let border = [0.0, 0.0, 0.0, alpha];
        Ok(Some(Case { bench, image, texels: Texels { dimension, size, texels, border }, order, channel }))
    }

    fn check(&self, program: &Program, sampler: Sampler, given: Given, function: &str) -> Result<(), Failed> {
        let context = |what: &str| {
            format!("{what} of {:?} {:?} with {sampler:?} as {given:?}", self.order, self.channel)
        };
        let coordinates = self.coordinates(sampler);
        let found = self.run(program, "floats", sampler, given, bytemuck::cast_slice(&coordinates))?;
        let lanes = self.texels.sizes().len();
        for (at, found) in coordinates.iter().zip(found) {
            let expected = self.texels.read(sampler, &at[..lanes]);
            let tolerance = self.tolerance(sampler, given, function);
            compare(&context("a read"), &format!("{at:?}"), expected, self.decode(found), tolerance)?;
        }
        if sampler.linear || sampler.normalized {
            return Ok(());
        }
        let places = self.places(sampler);
        let found = self.run(program, "ints", sampler, given, bytemuck::cast_slice(&places))?;
        for (at, found) in places.iter().zip(found) {
            let expected = self.texels.read_at(sampler, &at[..lanes]);
            let tolerance = self.tolerance(sampler, given, function);
            compare(
                &context("a read of integers"),
                &format!("{at:?}"),
                expected,
                self.decode(found),
                tolerance,
            )?;
        }
        Ok(())
    }

    /// The allowed error of a result. Devices interpolate with weights of at least 8 bits.
    fn tolerance(&self, sampler: Sampler, given: Given, function: &str) -> f64 {
        let decoding = match self.channel {
            ChannelType::UnormInt8 | ChannelType::SnormInt8
                if matches!(self.order, ChannelOrder::Srgba | ChannelOrder::Sbgra) =>
            {
                0.003
            }
            ChannelType::UnormInt8
            | ChannelType::UnormInt16
            | ChannelType::SnormInt8
            | ChannelType::SnormInt16 => 1e-6,
            _ => 0.0,
        };
        let rounding = if function == "h" { 0.0005 } else { 0.0 };
        let exact = interpolates_exactly(self.bench, self.order, self.channel);
        let weights = match (sampler.linear, given) {
            (false, _) => 0.0,
            (true, given) if exact || given == Given::WithoutDevice => 1e-5,
            (true, _) => 0.02,
        };
        decoding + rounding + weights
    }

    /// Coordinates inside, on edges and outside.
    fn coordinates(&self, sampler: Sampler) -> Vec<[f32; 4]> {
        let mut random = Numbers::new(7);
        let inside_only = sampler.addressing == Addressing::None;
        let mut all = Vec::new();
        for _ in 0..200 {
            let mut at = [0.0; 4];
            for (axis, (at, size)) in at.iter_mut().zip(self.texels.sizes()).enumerate() {
                let size = size as f32;
                let place = match random.next_u32() % 4 {
                    // The corners and centres of texels, which are exact.
                    0 => (random.next_u32() % (2 * size as u32)) as f32 / 2.0,
                    1 if !inside_only => random.unit() * 6.0 * size - 3.0 * size,
                    _ => random.unit() * size,
                };
                // Interpolation at the edge looks outside.
                let margin = if inside_only && sampler.linear { 0.5 } else { 0.0 };
                let place = if inside_only { place.clamp(margin, size - 0.01 - margin) } else { place };
                let is_layer = axis >= axes(self.texels.dimension);
                *at = if sampler.normalized && !is_layer { place / size } else { place };
            }
            all.push(at);
        }
        all
    }

    /// Coordinates of texels, and some outside where the sampler defines the result.
    fn places(&self, sampler: Sampler) -> Vec<[i32; 4]> {
        let mut random = Numbers::new(9);
        let around = if sampler.addressing == Addressing::None { 0 } else { 3 };
        let mut place = |size: i32| match random.next_u32() % 16 {
            far @ 0..=3 if around > 0 => {
                let far_away =
                    [i32::MIN, -(1 << 24) - 1, -(1 << 16), 1 << 16, (1 << 24) + 1, i32::MAX - 1, i32::MAX];
                far_away[(random.next_u32() as usize + far as usize) % far_away.len()]
            }
            _ => (random.next_u32() % (size + 2 * around).cast_unsigned()).cast_signed() - around,
        };
        (0..100)
            .map(|_| {
                let mut at = [0; 4];
                for (at, size) in at.iter_mut().zip(self.texels.sizes()) {
                    *at = place(size);
                }
                at
            })
            .collect()
    }

    fn run(
        &self,
        program: &Program,
        kernel: &str,
        sampler: Sampler,
        given: Given,
        coordinates: &[u8],
    ) -> Result<Vec<[u32; 4]>, Failed> {
        let device = &self.bench.device;
        let (at, out) =
            (Buffer::with_data(device, coordinates)?, Buffer::new(device, coordinates.len() as u64)?);
        let object = vk_runtime::Sampler::new(device, description(sampler))?;
        let mut arguments = vec![Arg::Image(&self.image)];
        if given != Given::Constant {
            arguments.push(Arg::Sampler(&object));
        }
        arguments.extend([Arg::Buffer(&at), Arg::Buffer(&out)]);
        let count = coordinates.len() / 16;
        program.kernel(kernel)?.launch(&LaunchConfig::linear(count as u64), &arguments)?.wait()?;
        let mut words = vec![[0u32; 4]; count];
        out.read(0, bytemuck::cast_slice_mut(&mut words))?;
        Ok(words)
    }

    /// The numbers of a texel as the kernels write them.
    fn decode(&self, texel: [u32; 4]) -> [f64; 4] {
        texel.map(|word| match self.channel {
            ChannelType::SignedInt8 | ChannelType::SignedInt16 | ChannelType::SignedInt32 => {
                f64::from(word.cast_signed())
            }
            ChannelType::UnsignedInt8 | ChannelType::UnsignedInt16 | ChannelType::UnsignedInt32 => {
                f64::from(word)
            }
            _ => f64::from(f32::from_bits(word)),
        })
    }
}

fn description(sampler: Sampler) -> SamplerDescription {
    SamplerDescription {
        addressing: match sampler.addressing {
            Addressing::None => AddressingMode::None,
            Addressing::Edge => AddressingMode::ClampToEdge,
            Addressing::Clamp => AddressingMode::Clamp,
            Addressing::Repeat => AddressingMode::Repeat,
            Addressing::Mirrored => AddressingMode::MirroredRepeat,
        },
        filter: if sampler.linear { FilterMode::Linear } else { FilterMode::Nearest },
        normalized_coordinates: sampler.normalized,
        levels: SamplerLevels::default(),
    }
}

fn compare(what: &str, at: &str, expected: [f64; 4], found: [f64; 4], tolerance: f64) -> Result<(), Failed> {
    let is_right = expected.iter().zip(found).all(|(expected, found)| (expected - found).abs() <= tolerance);
    if is_right {
        return Ok(());
    }
    Err(format!("{what} at {at}: {found:?}, expected {expected:?}").into())
}

/// At the centre of a texel, interpolation gives exactly that texel, even where its neighbours are
/// incomparably larger.
fn centres(
    bench: &Bench,
    shape @ (dimension, _, size): (ImageDimension, &'static str, [i32; 3]),
) -> Result<(), Failed> {
    let program = Program::new(&bench.device, bench.compile(&source(shape, "f", "float4", None))?)?;
    // With these widths most centres are not multiples of 1 / width.
    for (width, channel) in [11, 13].into_iter().flat_map(|width| FLOATING.map(|channel| (width, channel))) {
        let size = [width, size[1], size[2]];
        let texels = uneven_texels(size.iter().product::<i32>() as usize, channel);
        let order = ChannelOrder::Rgba;
        let Some(case) = Case::of(bench, (dimension, size), order, channel, texels)? else { continue };
        let sizes = case.texels.sizes();
        let mut places = vec![[0.0f32; 4]];
        for (axis, &size) in sizes.iter().enumerate() {
            let middle = if axis < axes(dimension) { 0.5 } else { 0.0 };
            let along = |mut at: [f32; 4], place: i32| {
                at[axis] = place as f32 + middle;
                at
            };
            places = places.iter().flat_map(|&at| (0..size).map(move |place| along(at, place))).collect();
        }
        for addressing in [Addressing::None, Addressing::Edge, Addressing::Clamp] {
            let sampler = Sampler { addressing, linear: true, normalized: false };
            let found =
                case.run(&program, "floats", sampler, Given::Argument, bytemuck::cast_slice(&places))?;
            for (at, found) in places.iter().zip(found) {
                let expected = case.texels.read(sampler, &at[..sizes.len()]);
                let what = format!("the centre of a texel of {channel:?} with {sampler:?}");
                compare(&what, &format!("{at:?}"), expected, case.decode(found), 0.0)?;
            }
        }
    }
    Ok(())
}

const FLOATING: [ChannelType; 2] = [ChannelType::Float, ChannelType::HalfFloat];

/// Texels with huge and tiny numbers, alternating.
fn uneven_texels(count: usize, channel: ChannelType) -> (Vec<u8>, Vec<[f64; 4]>) {
    let mut bytes = Vec::new();
    let texels = (0..count).map(|index| {
        std::array::from_fn(|lane| {
            let sizes: [f32; 2] = if channel == ChannelType::Float { [1e-9, 1e20] } else { [1e-4, 5e4] };
            let value = sizes[(index + lane) % 2] * (1.0 + (index % 7) as f32 / 64.0);
            match channel {
                ChannelType::Float => {
                    bytes.extend(value.to_le_bytes());
                    f64::from(value)
                }
                _ => {
                    let value = half::f16::from_f32(value);
                    bytes.extend(value.to_le_bytes());
                    value.to_f64()
                }
            }
        })
    });
    let texels = texels.collect();
    (bytes, texels)
}

/// Reads of depth images give single numbers.
fn depth(bench: &Bench) -> Result<(), Failed> {
    let shape = (ImageDimension::D2, "image2d_depth_t", [5, 8, 1]);
    for sampler in Sampler::all().into_iter().filter(|sampler| sampler.normalized) {
        let source = format!(
            "constant sampler_t s = {};\n\
             kernel void floats(read_only image2d_depth_t image, global const float4 *at, global float4 *out) {{\n\
             size_t i = get_global_id(0); out[i] = (float4)(read_imagef(image, s, at[i].xy), 0.0f, 0.0f, 1.0f); }}\n\
             kernel void ints(read_only image2d_depth_t image, global const int4 *at, global float4 *out) {{\n\
             size_t i = get_global_id(0); out[i] = (float4)(read_imagef(image, s, at[i].xy), 0.0f, 0.0f, 1.0f); }}\n",
            sampler.source()
        );
        let program = Program::new(&bench.device, bench.compile(&source)?)?;
        for channel in [ChannelType::Float, ChannelType::UnormInt16] {
            let Some(mut case) = Case::new(bench, shape, ChannelOrder::Depth, channel, 3)? else { continue };
            case.texels.border[3] = 1.0;
            case.check(&program, sampler, Given::Constant, "f")?;
        }
    }
    Ok(())
}

/// Kernels that read integer coordinates through the device's samplers give the same as others, also where
/// they read other coordinates through the same sampler.
fn texels(bench: &Bench, shape: (ImageDimension, &'static str, [i32; 3])) -> Result<(), Failed> {
    use ChannelOrder::{Bgra, R, Rgba, Srgba};
    use ChannelType::{Float, HalfFloat, UnormInt8};
    let takes_texels = matches!(shape.0, ImageDimension::D1 | ImageDimension::D2);
    for sampler in Sampler::all().into_iter().filter(|sampler| !sampler.linear && !sampler.normalized) {
        for constant in [None, Some(sampler)] {
            let source = source(shape, "f", "float4", constant);
            let (start, ints) = source.split_once("kernel void ints").expect("the second kernel");
            // The same in the middle of the texel, for every other work-item.
            let read = format!("read_imagef(image, s, at[i].{})", swizzle(shape.0));
            let middle = match shape.0 {
                ImageDimension::D1 => "(float)at[i].x + 0.5f",
                ImageDimension::D1Array => "(float2)(at[i].x + 0.5f, at[i].y)",
                ImageDimension::D2 => "convert_float2(at[i].xy) + 0.5f",
                ImageDimension::D2Array => "convert_float4(at[i]) + (float4)(0.5f, 0.5f, 0.0f, 0.0f)",
                _ => "convert_float4(at[i]) + 0.5f",
            };
            let both = ints.replace(&read, &format!("i % 2 ? read_imagef(image, s, {middle}) : {read}"));
            assert_ne!(both, ints, "the read was found");
            for ints in [ints, &both] {
                let module = bench.compile_preferring(
                    &format!("{start}kernel void ints{ints}"),
                    Preference::SampledTexels,
                )?;
                let [_, kernel] = &module.interface.kernels[..] else { return Err("two kernels".into()) };
                if kernel.texel_samplers.len() != usize::from(takes_texels) {
                    return Err(format!("the samplers for texels are {:?}", kernel.texel_samplers).into());
                }
                let program = Program::new(&bench.device, module)?;
                let formats =
                    [(Rgba, UnormInt8), (Rgba, Float), (R, HalfFloat), (Bgra, UnormInt8), (Srgba, UnormInt8)];
                for (seed, (order, channel)) in formats.into_iter().enumerate() {
                    let Some(case) = Case::new(bench, shape, order, channel, seed as u64)? else { continue };
                    let given = if constant.is_some() { Given::Constant } else { Given::Argument };
                    case.check(&program, sampler, given, "f")?;
                }
            }
        }
    }
    Ok(())
}

/// Images with several levels of detail are read in the first one at integer coordinates, also by kernels of
/// programs that read other levels.
fn levels(bench: &Bench) -> Result<(), Failed> {
    let shape @ (dimension, ..) = SHAPES[2];
    let ints = source(shape, "f", "float4", None);
    let other = "\n#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable\n\
                 kernel void other(read_only image2d_t image, sampler_t s, global float4 *out) {\n\
                 out[0] = read_imagef(image, s, (float2)(0.5f), 1.0f); }\n";
    let size = [5u32, 8, 1];
    let (bytes, texels) = random_texels(&mut Numbers::new(5), ChannelOrder::Rgba, ChannelType::Float, 40);
    let format = ImageFormat { order: ChannelOrder::Rgba, channel: ChannelType::Float };
    let description = ImageDescription {
        dimension,
        format,
        width: size[0],
        height: size[1],
        depth: 1,
        layers: 1,
        levels: 3,
    };
    let image = Image::new(&bench.device, &description)?;
    // The other levels are different everywhere.
    let rest = usize::try_from(description.byte_size())? - bytes.len();
    image.write(&[bytes, 7.0f32.to_le_bytes().repeat(rest / 4)].concat())?;
    let texels = Texels { dimension, size: shape.2, texels, border: [0.0; 4] };
    let case = Case { bench, image, texels, order: format.order, channel: format.channel };
    for reads_others in [false, true] {
        let source = if reads_others { format!("{ints}{other}") } else { ints.clone() };
        let module = bench.compile_preferring(&source, Preference::SampledTexels)?;
        let is_without = module.interface.kernels.iter().all(|kernel| kernel.texel_samplers.is_empty());
        if is_without != reads_others {
            return Err("only images that are read in one level have samplers for texels".into());
        }
        let program = Program::new(&bench.device, module)?;
        for addressing in [Addressing::None, Addressing::Edge, Addressing::Clamp] {
            let sampler = Sampler { addressing, linear: false, normalized: false };
            case.check(&program, sampler, Given::Argument, "f")?;
        }
    }
    Ok(())
}
