//! Levels of detail (cl_khr_mipmap_image, cl_khr_mipmap_image_writes): reads of a given level or of the one
//! that gradients select, through every filter and range of a sampler, writes to each level, and queries. In
//! OpenCL C, and as methods of OpenCL C++ 1.0 (§3.11).

use crate::reference::{Addressing, Sampler, Texels, axes, is_array};
use crate::{Bench, Numbers, Test, interpolates_exactly, random_texels};
use clvk_interface::{Feature, FeatureSet, ImageDimension};
use clvk_tests::applicable::not_applicable;
use clvk_tests::pipeline;
use libtest_mimic::Failed;
use vk_runtime::{
    AddressingMode, Arg, Buffer, ChannelOrder, ChannelType, FilterMode, Image, ImageDescription, ImageFormat,
    LaunchConfig, Program, SamplerDescription, SamplerLevels,
};

/// Shape, type, sizes, and numbers of lanes of coordinates and gradients in the language.
type Shape = (ImageDimension, &'static str, [u32; 3], [&'static str; 2]);

const SHAPES: [Shape; 5] = [
    (ImageDimension::D1, "image1d_t", [21, 1, 1], ["x", "x"]),
    (ImageDimension::D1Array, "image1d_array_t", [16, 1, 3], ["xy", "x"]),
    (ImageDimension::D2, "image2d_t", [13, 22, 1], ["xy", "xy"]),
    (ImageDimension::D2Array, "image2d_array_t", [8, 5, 3], ["xyzw", "xy"]),
    (ImageDimension::D3, "image3d_t", [6, 9, 11], ["xyzw", "xyzw"]),
];

const DEPTH: Shape = (ImageDimension::D2, "image2d_depth_t", [13, 22, 1], ["xy", "xy"]);

/// Function, type of a texel in the language, and its format.
type Texel = (&'static str, &'static str, ChannelOrder, ChannelType);

const TEXELS: [Texel; 4] = [
    ("f", "float4", ChannelOrder::Rgba, ChannelType::UnormInt8),
    ("f", "float4", ChannelOrder::Rgba, ChannelType::Float),
    ("i", "int4", ChannelOrder::Rgba, ChannelType::SignedInt32),
    ("ui", "uint4", ChannelOrder::Rgba, ChannelType::UnsignedInt8),
];

/// The language that kernels are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    C,
    Cxx,
}

pub fn tests() -> Vec<(String, Test)> {
    let mut tests: Vec<(String, Test)> = Vec::new();
    let depth: [Texel; 1] = [("f", "float", ChannelOrder::Depth, ChannelType::Float)];
    for (language, prefix) in [(Language::C, "levels"), (Language::Cxx, "opencl_cxx_levels")] {
        for shape in SHAPES {
            tests.push((
                format!("{prefix}/read/{}", shape.1),
                Box::new(move |bench| reads(bench, shape, &TEXELS, language)),
            ));
            tests.push((
                format!("{prefix}/write/{}", shape.1),
                Box::new(move |bench| writes(bench, shape, &TEXELS[1..], language)),
            ));
        }
        tests.push((
            format!("{prefix}/read/depth"),
            Box::new(move |bench| reads(bench, DEPTH, &depth, language)),
        ));
        tests.push((
            format!("{prefix}/write/depth"),
            Box::new(move |bench| writes(bench, DEPTH, &depth, language)),
        ));
    }
    tests
}

impl Language {
    /// A program, if the pipeline of the tests can compile the language.
    fn program(self, bench: &Bench, source: &str) -> Result<Option<Program>, Failed> {
        if self == Language::Cxx && pipeline::through_spirv().1 {
            not_applicable("images", "clang", "it has no OpenCL C++ 1.0");
            return Ok(None);
        }
        let standard = if self == Language::C { "-cl-std=CL3.0" } else { "-cl-std=c++" };
        Ok(Some(Program::new(&bench.device, bench.compile_as(source, standard)?)?))
    }

    /// The filters that are tried: all, or one of each kind.
    fn filters(self, interpolates: bool) -> Vec<Filters> {
        let mut all = filters(interpolates);
        if self == Language::Cxx {
            all.retain(|filters| filters.sampler.addressing == Addressing::Edge);
        }
        all
    }
}

/// What programs in OpenCL C++ begin with.
const CXX_HEADERS: &str = "#include <opencl_convert>\n#include <opencl_image>\n#include <opencl_memory>\n\
                           #include <opencl_work_item>\nusing namespace cl;\n";

/// The class of an image of OpenCL C++, but for its arguments.
fn class_name(image_type: &str) -> &str {
    image_type.strip_suffix("_t").expect("a type of images")
}

/// Two filters and a range of levels.
#[derive(Clone, Copy, Debug)]
struct Filters {
    sampler: Sampler,
    between_levels: bool,
    range: (f32, f32),
}

fn filters(interpolates: bool) -> Vec<Filters> {
    let mut all = Vec::new();
    for addressing in [Addressing::Edge, Addressing::Clamp, Addressing::Repeat, Addressing::Mirrored] {
        for (linear, between_levels) in [(false, false), (false, true), (true, false), (true, true)] {
            // What does not depend on the addressing is tested with one mode only.
            let ranges = [(0.0, f32::MAX), (0.75, 2.25)];
            for &range in &ranges[..if addressing == Addressing::Edge { 2 } else { 1 }] {
                let sampler = Sampler { addressing, linear, normalized: true };
                all.push(Filters { sampler, between_levels, range });
            }
        }
    }
    all.retain(|filters| interpolates || !filters.sampler.linear && !filters.between_levels);
    all
}

impl Filters {
    fn object(&self, bench: &Bench) -> Result<vk_runtime::Sampler, Failed> {
        let description = SamplerDescription {
            addressing: match self.sampler.addressing {
                Addressing::None => AddressingMode::None,
                Addressing::Edge => AddressingMode::ClampToEdge,
                Addressing::Clamp => AddressingMode::Clamp,
                Addressing::Repeat => AddressingMode::Repeat,
                Addressing::Mirrored => AddressingMode::MirroredRepeat,
            },
            filter: if self.sampler.linear { FilterMode::Linear } else { FilterMode::Nearest },
            normalized_coordinates: self.sampler.normalized,
            levels: SamplerLevels::new(self.between_levels, self.range.0, self.range.1),
        };
        Ok(vk_runtime::Sampler::new(&bench.device, description)?)
    }

    /// The levels that are read, and the weight of the second one; `None` where rounding decides.
    fn levels(&self, wanted: f64, count: usize) -> Option<(usize, usize, f64)> {
        let (first, last) = (f64::from(self.range.0), f64::from(self.range.1));
        let level = wanted.clamp(first, last).clamp(0.0, (count - 1) as f64);
        if self.between_levels {
            let low = level.floor() as usize;
            return Some((low, (low + 1).min(count - 1), level - low as f64));
        }
        let is_undecided = (level - level.floor() - 0.5).abs() < 0.01;
        let nearest = level.round() as usize;
        (!is_undecided).then_some((nearest, nearest, 0.0))
    }
}

/// An image with all possible levels, and their contents.
struct Case {
    image: Image,
    levels: Vec<Texels>,
    order: ChannelOrder,
    channel: ChannelType,
}

fn description((dimension, _, [width, height, last], _): Shape, format: ImageFormat) -> ImageDescription {
    let (depth, layers) = if is_array(dimension) { (1, last) } else { (last, 1) };
    let mut description = ImageDescription { dimension, format, width, height, depth, layers, levels: 1 };
    description.levels = description.most_levels();
    description
}

/// Width, height, and depth or layers of a level.
fn level_size((dimension, _, [width, height, last], _): Shape, level: u32) -> [u32; 3] {
    let half = |size: u32| (size >> level).max(1);
    [half(width), half(height), if is_array(dimension) { last } else { half(last) }]
}

impl Case {
    fn new(bench: &Bench, shape: Shape, order: ChannelOrder, channel: ChannelType) -> Result<Self, Failed> {
        let description = description(shape, ImageFormat { order, channel });
        let image = Image::new(&bench.device, &description)?;
        let (mut bytes, mut levels, mut random) = (Vec::new(), Vec::new(), Numbers::new(3));
        for level in 0..description.levels {
            let size = level_size(shape, level);
            let count = size.iter().product::<u32>() as usize;
            let (part, texels) = random_texels(&mut random, order, channel, count);
            bytes.extend(part);
            let size = size.map(u32::cast_signed);
            let border = [0.0, 0.0, 0.0, if order == ChannelOrder::Depth { 1.0 } else { 0.0 }];
            levels.push(Texels { dimension: shape.0, size, texels, border });
        }
        image.write(&bytes)?;
        Ok(Case { image, levels, order, channel })
    }

    /// The texel at a coordinate in the levels that are read.
    fn expected(&self, filters: &Filters, at: &[f32], wanted: f64) -> Option<[f64; 4]> {
        let (first, second, weight) = filters.levels(wanted, self.levels.len())?;
        let [first, second] = [first, second].map(|level| self.levels[level].read(filters.sampler, at));
        Some(std::array::from_fn(|lane| (1.0 - weight) * first[lane] + weight * second[lane]))
    }

    fn tolerance(&self, bench: &Bench, filters: &Filters) -> f64 {
        let exact = interpolates_exactly(bench, self.order, self.channel);
        if filters.sampler.linear && !exact { 0.02 } else { 2e-5 }
    }
}

const SAMPLES: usize = 120;

/// The kernels of [`reads`] in OpenCL C++.
fn reading_methods(shape: Shape, ty: &str) -> String {
    // Places and gradients have no unused lanes there.
    let [place, slope] = shape.3.map(|lanes| if lanes == "xyzw" { "xyz" } else { lanes });
    let out = if ty == "float" { "float4(texel, 0.0f, 0.0f, 1.0f)" } else { "convert_cast<float4>(texel)" };
    let head = format!(
        "({}<{ty}, image_access::sample> image, sampler s, global_ptr<float4[]> at,",
        class_name(shape.1)
    );
    let read = |name: &str, parameters: &str, how: &str| {
        format!(
            "kernel void {name}{head} {parameters}, global_ptr<float4[]> out) {{ size_t i = get_global_id(0);\n\
             {ty} texel = image.sample(s, at[i].{place}, {how}); out[i] = {out}; }}\n"
        )
    };
    let given = read("given", "global_ptr<float[]> level", "level[i]");
    let slopes = read(
        "slopes",
        "global_ptr<float4[]> x, global_ptr<float4[]> y",
        &format!("x[i].{slope}, y[i].{slope}"),
    );
    format!("{CXX_HEADERS}{given}{slopes}")
}

fn reads(bench: &Bench, shape: Shape, texels: &[Texel], language: Language) -> Result<(), Failed> {
    for &(function, ty, order, channel) in texels {
        let [place, slope] = shape.3;
        let out = if ty == "float" { "(float4)(texel, 0.0f, 0.0f, 1.0f)" } else { "convert_float4(texel)" };
        let head = format!("(read_only {} image, sampler_t s, global const float4 *at,", shape.1);
        let read = |name: &str, parameters: &str, how: &str| {
            format!(
                "kernel void {name}{head} {parameters}, global float4 *out) {{ size_t i = get_global_id(0);\n\
                 {ty} texel = read_image{function}(image, s, at[i].{place}, {how}); out[i] = {out}; }}\n"
            )
        };
        let given = read("given", "global const float *level", "level[i]");
        let slopes = read(
            "slopes",
            "global const float4 *x, global const float4 *y",
            &format!("x[i].{slope}, y[i].{slope}"),
        );
        let source = match language {
            Language::C => format!("{given}{slopes}"),
            Language::Cxx => reading_methods(shape, ty),
        };
        let Some(program) = language.program(bench, &source)? else { return Ok(()) };
        let case = Case::new(bench, shape, order, channel)?;
        for filters in language.filters(function == "f") {
            read_given(bench, &program, &case, &filters)?;
            read_slopes(bench, &program, &case, &filters)?;
        }
    }
    Ok(())
}

fn coordinates(case: &Case) -> Vec<[f32; 4]> {
    let (mut random, axes, layers) =
        (Numbers::new(11), axes(case.levels[0].dimension), case.levels[0].size[2]);
    (0..SAMPLES)
        .map(|_| {
            std::array::from_fn(|lane| match lane {
                _ if lane < axes => random.unit() * 2.4 - 0.7,
                _ if lane == axes => random.unit() * layers as f32,
                _ => 0.0,
            })
        })
        .collect()
}

fn compare(
    bench: &Bench,
    case: &Case,
    filters: &Filters,
    (at, wanted): (&[[f32; 4]], &[f64]),
    found: &[[f32; 4]],
) -> Result<(), Failed> {
    let lanes = case.levels[0].sizes().len();
    let mut decided = 0;
    for ((at, &wanted), found) in at.iter().zip(wanted).zip(found) {
        let Some(expected) = case.expected(filters, &at[..lanes], wanted) else { continue };
        let tolerance = case.tolerance(bench, filters);
        if expected.iter().zip(found).any(|(a, &b)| (a - f64::from(b)).abs() > tolerance * a.abs().max(1.0)) {
            let format = (case.order, case.channel);
            return Err(format!(
                "{format:?} with {filters:?}, level {wanted} at {at:?}: {found:?}, expected {expected:?}"
            )
            .into());
        }
        decided += 1;
    }
    if decided > SAMPLES / 2 { Ok(()) } else { Err("too few of the levels are decided".into()) }
}

fn run(
    bench: &Bench,
    program: &Program,
    kernel: &str,
    (case, filters): (&Case, &Filters),
    buffers: &[&[u8]],
) -> Result<Vec<[f32; 4]>, Failed> {
    let device = &bench.device;
    let buffers =
        buffers.iter().map(|bytes| Buffer::with_data(device, bytes)).collect::<Result<Vec<_>, _>>()?;
    let (out, object) = (Buffer::new(device, SAMPLES as u64 * 16)?, filters.object(bench)?);
    let mut arguments = vec![Arg::Image(&case.image), Arg::Sampler(&object)];
    arguments.extend(buffers.iter().map(Arg::Buffer));
    arguments.push(Arg::Buffer(&out));
    program.kernel(kernel)?.launch(&LaunchConfig::linear(SAMPLES as u64), &arguments)?.wait()?;
    let mut found = vec![[0.0f32; 4]; SAMPLES];
    out.read(0, bytemuck::cast_slice_mut(&mut found))?;
    Ok(found)
}

/// Levels inside and outside of the existing ones.
fn read_given(bench: &Bench, program: &Program, case: &Case, filters: &Filters) -> Result<(), Failed> {
    let (at, mut random) = (coordinates(case), Numbers::new(5));
    let levels: Vec<f32> = (0..SAMPLES)
        .map(|index| match index % 3 {
            0 => (index / 3 % 7) as f32 - 1.0,
            _ => random.unit() * (case.levels.len() as f32 + 1.0) - 1.0,
        })
        .collect();
    let bytes = [bytemuck::cast_slice(&at), bytemuck::cast_slice(&levels)];
    let found = run(bench, program, "given", (case, filters), &bytes)?;
    let wanted: Vec<f64> = levels.iter().map(|&level| f64::from(level)).collect();
    compare(bench, case, filters, (&at, &wanted), &found)
}

/// Gradients; the longer one, in texels, determines the level.
fn read_slopes(bench: &Bench, program: &Program, case: &Case, filters: &Filters) -> Result<(), Failed> {
    let (at, mut random) = (coordinates(case), Numbers::new(6));
    let whole = &case.levels[0];
    let axes = axes(whole.dimension);
    let mut slopes = || -> Vec<[f32; 4]> {
        let mut slope = |index: usize| {
            let length = ((index % 9) as f32 - 2.0).exp2();
            std::array::from_fn(|lane| match lane {
                _ if lane < axes => (random.unit() - 0.5) * length / whole.size[lane] as f32,
                _ => 0.0,
            })
        };
        (0..SAMPLES).map(&mut slope).collect()
    };
    let [x, y] = [slopes(), slopes()];
    let length = |slope: &[f32; 4]| {
        let texels =
            slope[..axes].iter().zip(whole.size).map(|(&part, size)| f64::from(part) * f64::from(size));
        texels.map(|part| part * part).sum::<f64>().sqrt()
    };
    let wanted: Vec<f64> = x.iter().zip(&y).map(|(x, y)| length(x).max(length(y)).log2()).collect();
    let bytes = [bytemuck::cast_slice(&at), bytemuck::cast_slice(&x), bytemuck::cast_slice(&y)];
    let found = run(bench, program, "slopes", (case, filters), &bytes)?;
    compare(bench, case, filters, (&at, &wanted), &found)
}

/// One launch writes every texel of every level, and the first level also without naming it.
fn writes(bench: &Bench, shape: Shape, texels: &[Texel], language: Language) -> Result<(), Failed> {
    if !FeatureSet::of(bench.device.profile()).contains(Feature::MipmapImageWrites) {
        let device = &bench.device.profile().name;
        not_applicable("images/writes to levels", device, "it has no cl_khr_mipmap_image_writes");
        return Ok(());
    }
    let (dimension, image_type, ..) = shape;
    let place = match (axes(dimension), is_array(dimension)) {
        (1, false) => "x",
        (1, true) => "(int2)(x, z)",
        (2, false) => "(int2)(x, y)",
        _ => "(int4)(x, y, z, 0)",
    };
    for &(function, ty, order, channel) in texels {
        let lanes = if ty == "float" { "n" } else { "n, n + 1, n + 2, n + 3" };
        let in_c = format!(
            "kernel void put(write_only {image_type} image, global int *out) {{\n\
             int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n\
             int levels = get_image_num_mip_levels(image);\n\
             if (x + y + z == 0) {{ out[0] = levels; out[1] = get_image_width(image); }}\n\
             for (int level = 0; level < levels; level++) {{\n\
             int n = 100 * level + 10 * x + 5 * y + 3 * z + 1;\n\
             if (x < max({width} >> level, 1) && y < max({height} >> level, 1) && z < ({is_array} ? {last} : max({last} >> level, 1)))\n\
             write_image{function}(image, {place}, level, ({ty})({lanes})); }}\n\
             if (x + y + z == 0) write_image{function}(image, {place}, ({ty})(7)); }}",
            width = shape.2[0],
            height = shape.2[1],
            last = shape.2[2],
            is_array = u8::from(is_array(dimension)),
        );
        let source = if language == Language::C { in_c } else { writing_methods(shape, ty) };
        let Some(program) = language.program(bench, &source)? else { return Ok(()) };
        let description = description(shape, ImageFormat { order, channel });
        let image = Image::new(&bench.device, &description)?;
        let out = Buffer::new(&bench.device, 8)?;
        let [x, y, z] = shape.2.map(u64::from);
        program
            .kernel("put")?
            .launch(&LaunchConfig::spatial(x, y, z), &[Arg::Image(&image), Arg::Buffer(&out)])?
            .wait()?;
        let mut answers = [0u32; 2];
        out.read(0, bytemuck::cast_slice_mut(&mut answers))?;
        if answers != [description.levels, shape.2[0]] {
            return Err(format!("levels and width are {answers:?} of {description}").into());
        }
        let mut bytes = vec![0; description.byte_size() as usize];
        image.read(&mut bytes)?;
        let expected = written(shape, description.levels, order, channel);
        if bytes != expected {
            return Err(format!("{order:?} {channel:?}: {bytes:?}, expected {expected:?}").into());
        }
    }
    Ok(())
}

/// The kernel of [`writes`] in OpenCL C++, which asks the image for the sizes of its levels.
fn writing_methods((dimension, image_type, ..): Shape, ty: &str) -> String {
    let class = class_name(image_type);
    let (place, last) = match (axes(dimension), is_array(dimension)) {
        (1, false) => ("x", "1"),
        (1, true) => ("int2(x, z)", "image.array_size(level)"),
        (2, false) => ("int2(x, y)", "1"),
        (2, true) => ("int3(x, y, z)", "image.array_size(level)"),
        _ => ("int3(x, y, z)", "image.depth(level)"),
    };
    let height = if axes(dimension) == 1 { "1" } else { "image.height(level)" };
    let color = match ty {
        "float" => "(float)n".to_owned(),
        _ => format!("convert_cast<{ty}>(int4(n, n + 1, n + 2, n + 3))"),
    };
    format!(
        "{CXX_HEADERS}kernel void put({class}<{ty}, image_access::write> image, global_ptr<int[]> out) {{\n\
         int x = (int)get_global_id(0), y = (int)get_global_id(1), z = (int)get_global_id(2);\n\
         int levels = image.miplevels();\n\
         if (x + y + z == 0) {{ out[0] = levels; out[1] = image.width(0); }}\n\
         for (int level = 0; level < levels; level++) {{\n\
         int n = 100 * level + 10 * x + 5 * y + 3 * z + 1;\n\
         if (x < image.width(level) && y < {height} && z < {last}) image.write({place}, {color}, level); }}\n\
         if (x + y + z == 0) image[{place}] = ({ty})(7); }}"
    )
}

/// The texels that the kernel of [`writes`] leaves.
fn written(shape: Shape, levels: u32, order: ChannelOrder, channel: ChannelType) -> Vec<u8> {
    let mut bytes = Vec::new();
    for level in 0..levels {
        let [width, height, last] = level_size(shape, level);
        for (z, y, x) in
            (0..last).flat_map(|z| (0..height).flat_map(move |y| (0..width).map(move |x| (z, y, x))))
        {
            let n = 100 * level + 10 * x + 5 * y + 3 * z + 1;
            let is_first = level + x + y + z == 0;
            for lane in 0..if order == ChannelOrder::Depth { 1 } else { 4 } {
                let value = if is_first { 7 } else { n + lane };
                match channel {
                    ChannelType::Float => bytes.extend((value as f32).to_le_bytes()),
                    ChannelType::UnsignedInt8 => bytes.push(value.min(255) as u8),
                    _ => bytes.extend(value.to_le_bytes()),
                }
            }
        }
    }
    bytes
}
