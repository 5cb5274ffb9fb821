//! The image classes of OpenCL C++ 1.0 (§3.11): methods, subscripts, references, samplers of the program.

use crate::{Bench, Numbers, Test, random_texels};
use clvk_interface::ImageDimension;
use clvk_tests::applicable::not_applicable;
use clvk_tests::pipeline;
use libtest_mimic::Failed;
use vk_runtime::{
    Arg, Buffer, ChannelOrder, ChannelType, Image, ImageDescription, ImageFormat, LaunchConfig, Program,
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

pub fn tests() -> Vec<(String, Test)> {
    vec![("opencl_cxx".to_owned(), Box::new(copies))]
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
