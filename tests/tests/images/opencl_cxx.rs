//! The image classes of OpenCL C++ 1.0 (§3.11): methods, subscripts, references, samplers of the program.

use crate::{Bench, Numbers, Test, random_texels};
use clvk_interface::{ImageDimension, SamplerLevels};
use clvk_tests::applicable::not_applicable;
use clvk_tests::pipeline;
use libtest_mimic::Failed;
use vk_runtime::{
    AddressingMode, Arg, Buffer, ChannelOrder, ChannelType, FilterMode, Image, ImageDescription, ImageFormat,
    LaunchConfig, Program, Sampler, SamplerDescription,
};

const SOURCE: &str = r"
#include <opencl_image>
#include <opencl_memory>
#include <opencl_work_item>
using namespace cl;

sampler nearest = make_sampler<addressing_mode::clamp, normalized_coordinates::unnormalized, filtering_mode::nearest>();

float4 by_reference(const image2d<float4, image_access::sample> &img, const sampler &s, int2 at) {
  return img.sample(s, float2(at.x + 0.5f, at.y + 0.5f));
}
template <class T, image_access A> int area(image2d<T, A> img) { return img.width() * img.height(); }

kernel void flat(image2d<float4, image_access::sample> from, image2d<float4, image_access::write> to,
                 global_ptr<int[]> facts) {
  int2 at = int2((int)get_global_id(0), (int)get_global_id(1));
  float4 x = at.x % 2 ? by_reference(from, nearest, at) : from.read(at);
  if (at.y % 2)
    to[at] = x;
  else
    to.write(at, x);
  facts[0] = area(to) + from.size().x;
  facts[1] = from.order() == image_channel_order::rgba && from.data_type() == image_channel_type::fp32;
}
kernel void deep(image3d<uint4, image_access::read> from, image3d<uint4, image_access::write> to) {
  int3 at = int3((int)get_global_id(0), (int)get_global_id(1), (int)get_global_id(2));
  to.write(at, from[at]);
}
kernel void layers(image2d_array<int4> from, image2d_array<int4, image_access::write> to, global_ptr<int> count) {
  int3 at = int3((int)get_global_id(0), (int)get_global_id(1), (int)get_global_id(2));
  to[at] = from.read(at);
  *count = from.array_size();
}
";

/// Kernels on an image of whole numbers in its red channel, which write what they find to a buffer.
const SAMPLES: &str = r"
#include <opencl_image>
#include <opencl_memory>
#include <opencl_work_item>
using namespace cl;

// Beyond the edge, from the other one.
kernel void repeated(image1d<float4, image_access::sample> from, sampler s, global_ptr<float[]> out) {
  int at = (int)get_global_id(0);
  out[at] = from.sample(s, ((float)at + 0.5f) / (float)from.width() + 2.0f).x;
}
// Between four texels: their mean.
kernel void between(image2d<float4, image_access::sample> from, sampler s, global_ptr<float[]> out) {
  int2 at((int)get_global_id(0) + 1, (int)get_global_id(1) + 1);
  out[(at.y - 1) * (from.width() - 1) + at.x - 1] = from.sample(s, float2((float)at.x, (float)at.y)).x;
}
// Rows of an array, the last one first.
kernel void turned(image1d_array<uint4> from, global_ptr<uint[]> out) {
  int2 size = from.size(), at((int)get_global_id(0), (int)get_global_id(1));
  uint4 texel = from[at];
  out[(size.y - 1 - at.y) * size.x + at.x] = texel.x;
}
";

/// The same for an image that is read and written, which not every device can.
const CHANGES: &str = r"
#include <opencl_atomic>
#include <opencl_image>
#include <opencl_memory>
#include <opencl_work_item>
using namespace cl;

// Each work-item changes its texel twice, and reads in between what it wrote.
kernel void changed(image2d<int4, image_access::read_write> image, global_ptr<int[]> out) {
  int2 at((int)get_global_id(0), (int)get_global_id(1));
  image.write(at, image.read(at) * 2);
  atomic_fence(mem_fence::image, memory_order_acq_rel, memory_scope_work_item);
  image[at] = image[at] + int4(1, 0, 0, 0);
  atomic_fence(mem_fence::image, memory_order_acq_rel, memory_scope_work_item);
  out[at.y * image.width() + at.x] = image.read(at).x;
}
";

pub fn tests() -> Vec<(String, Test)> {
    vec![("opencl_cxx".to_owned(), Box::new(copies)), ("opencl_cxx_samples".to_owned(), Box::new(samples))]
}

/// A kernel, its image, its sampler, and what it must write.
type Look<'a> = (&'a str, ImageDimension, ChannelType, Option<&'a Sampler>, [u32; 2], Vec<u32>);

/// Reads through samplers, images that are read and written, and arrays of rows.
fn samples(bench: &Bench) -> Result<(), Failed> {
    if pipeline::through_spirv().1 {
        not_applicable("images", "clang", "it has no OpenCL C++ 1.0");
        return Ok(());
    }
    let texel = |x: u32, y: u32| (x * 7 + y * 13) % 32;
    let sampler = |addressing, filter, normalized_coordinates| {
        let levels = SamplerLevels::default();
        let description = SamplerDescription { addressing, filter, normalized_coordinates, levels };
        Sampler::new(&bench.device, description)
    };
    let float = |value: f32| value.to_bits();
    let mean = |x: u32, y: u32| {
        let sum = texel(x, y) + texel(x + 1, y) + texel(x, y + 1) + texel(x + 1, y + 1);
        float(sum as f32 / 4.0)
    };
    let repeat = sampler(AddressingMode::Repeat, FilterMode::Nearest, true)?;
    let linear = sampler(AddressingMode::ClampToEdge, FilterMode::Linear, false)?;
    let grid = |width: u32, height: u32| (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
    let (d1, rows, d2) = (ImageDimension::D1, ImageDimension::D1Array, ImageDimension::D2);
    let (reals, signed, unsigned) =
        (ChannelType::Float, ChannelType::SignedInt32, ChannelType::UnsignedInt32);
    let cases: [Look; 4] = [
        (
            "repeated",
            d1,
            reals,
            Some(&repeat),
            [6, 1],
            grid(6, 1).map(|(x, y)| float(texel(x, y) as f32)).collect(),
        ),
        ("between", d2, reals, Some(&linear), [5, 4], grid(4, 3).map(|(x, y)| mean(x, y)).collect()),
        ("changed", d2, signed, None, [5, 4], grid(5, 4).map(|(x, y)| texel(x, y) * 2 + 1).collect()),
        ("turned", rows, unsigned, None, [5, 3], grid(5, 3).map(|(x, y)| texel(x, 2 - y)).collect()),
    ];
    for (kernel, dimension, channel, sampler, [width, height], expected) in cases {
        let source = if kernel == "changed" { CHANGES } else { SAMPLES };
        if source == CHANGES && !bench.device.profile().image_read_without_format {
            not_applicable("images", "changed", "the device cannot read images that it writes");
            continue;
        }
        let program = Program::new(&bench.device, bench.compile_as(source, "-cl-std=c++")?)?;
        let (lines, layers) = if dimension == rows { (1, height) } else { (height, 1) };
        let format = ImageFormat { order: ChannelOrder::Rgba, channel };
        let description =
            ImageDescription { dimension, format, width, height: lines, depth: 1, layers, levels: 1 };
        let image = Image::new(&bench.device, &description)?;
        let red = grid(width, height).map(|(x, y)| texel(x, y));
        let red = red.map(|number| if channel == reals { float(number as f32) } else { number });
        let words: Vec<u32> = red.flat_map(|word| [word, 0, 0, 0]).collect();
        image.write(bytemuck::cast_slice(&words))?;
        let out = Buffer::with_data(&bench.device, &vec![0; expected.len() * 4])?;
        let mut arguments = vec![Arg::Image(&image)];
        arguments.extend(sampler.map(Arg::Sampler));
        arguments.push(Arg::Buffer(&out));
        let less = u64::from(kernel == "between");
        let sizes = LaunchConfig::spatial(u64::from(width) - less, u64::from(height) - less, 1);
        program.kernel(kernel)?.launch(&sizes, &arguments)?.wait()?;
        let mut found = vec![0u32; expected.len()];
        out.read(0, bytemuck::cast_slice_mut(&mut found))?;
        if found != expected {
            return Err(format!("{kernel}: {found:?}, expected {expected:?}").into());
        }
    }
    Ok(())
}

/// Each kernel copies an image; what it says about it goes to a buffer.
fn copies(bench: &Bench) -> Result<(), Failed> {
    if pipeline::through_spirv().1 {
        not_applicable("images", "clang", "it has no OpenCL C++ 1.0");
        return Ok(());
    }
    let module = bench.compile_as(SOURCE, "-cl-std=c++")?;
    let program = Program::new(&bench.device, module)?;
    for (kernel, dimension, channel, [width, height, last], facts) in [
        ("flat", ImageDimension::D2, ChannelType::Float, [5, 8, 1], vec![45, 1]),
        ("deep", ImageDimension::D3, ChannelType::UnsignedInt32, [4, 3, 2], vec![]),
        ("layers", ImageDimension::D2Array, ChannelType::SignedInt16, [3, 4, 5], vec![5]),
    ] {
        let (depth, layers) = if dimension == ImageDimension::D2Array { (1, last) } else { (last, 1) };
        let format = ImageFormat { order: ChannelOrder::Rgba, channel };
        let description = ImageDescription { dimension, format, width, height, depth, layers, levels: 1 };
        let from = Image::new(&bench.device, &description)?;
        let to = Image::new(&bench.device, &description)?;
        let count = (width * height * last) as usize;
        let (bytes, _) = random_texels(&mut Numbers::new(7), ChannelOrder::Rgba, channel, count);
        from.write(&bytes)?;
        let said = Buffer::with_data(&bench.device, &[0; 8])?;
        let mut arguments = vec![Arg::Image(&from), Arg::Image(&to)];
        if !facts.is_empty() {
            arguments.push(Arg::Buffer(&said));
        }
        let sizes = LaunchConfig::spatial(width.into(), height.into(), last.into());
        program.kernel(kernel)?.launch(&sizes, &arguments)?.wait()?;
        let mut result = vec![0; bytes.len()];
        to.read(&mut result)?;
        if result != bytes {
            return Err(format!("{kernel}: {result:?}, expected {bytes:?}").into());
        }
        let mut words = vec![0; facts.len() * 4];
        said.read(0, &mut words)?;
        let words: Vec<i32> =
            words.chunks(4).map(|word| i32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
        if words != facts {
            return Err(format!("{kernel}: it says {words:?}, expected {facts:?}").into());
        }
    }
    Ok(())
}
