//! The formats of images that kernels write, in shaders.

use clvk::interface::{ShaderResource, TexelFormat};
use clvk::{Compiler, DeviceProfile, ShaderText, TexelFormats};

fn compiler(formats: &[(&str, TexelFormat)]) -> Compiler {
    let profile = DeviceProfile::preset("webgpu").expect("it is a preset");
    let formats: TexelFormats = formats.iter().map(|&(name, format)| (name.to_owned(), format)).collect();
    Compiler::new(&profile).with_cache(None).with_texel_formats(formats)
}

fn wgsl(source: &str, formats: &[(&str, TexelFormat)]) -> Result<ShaderText, String> {
    let shaders = compiler(formats).compile_shaders("test.cl", source);
    shaders.and_then(|shaders| shaders.to_wgsl()).map_err(|error| error.to_string())
}

/// What the kernel `f` binds as an image that it writes.
fn written(shader: &ShaderText) -> Vec<(String, TexelFormat)> {
    let bindings = shader.interface.entry_points[0].bindings.iter();
    let format = |binding: &clvk::interface::ShaderBinding| match binding.resource {
        ShaderResource::StorageTexture { format } => Some((binding.name.clone(), format)),
        _ => None,
    };
    bindings.filter_map(format).collect()
}

#[test]
fn the_numbers_that_are_written_choose_the_format() {
    let cases = [
        ("write_imagef(to, (int2)(1, 2), (float4)(0.5f))", "rgba8unorm"),
        ("write_imagei(to, (int2)(1, 2), (int4)(-5))", "rgba32sint"),
        ("write_imageui(to, (int2)(1, 2), (uint4)(5))", "rgba32uint"),
    ];
    for (call, name) in cases {
        let shader = wgsl(&format!("kernel void f(write_only image2d_t to) {{ {call}; }}"), &[]).unwrap();
        assert!(shader.text.contains(&format!("texture_storage_2d<{name},write>")), "{}", shader.text);
        assert!(shader.text.contains("textureStore("), "{}", shader.text);
        let [(argument, format)] = &written(&shader)[..] else { panic!("{call} binds one image") };
        assert_eq!((argument.as_str(), format.name()), ("to", name));
    }
}

#[test]
fn images_have_their_dimensions() {
    let cases = [
        ("image1d_t", "3", "texture_storage_1d<"),
        ("image2d_array_t", "(int4)(1, 2, 3, 0)", "texture_storage_2d_array<"),
        ("image3d_t", "(int4)(1, 2, 3, 0)", "texture_storage_3d<"),
    ];
    for (image, place, expected) in cases {
        let source =
            format!("kernel void f(write_only {image} to) {{ write_imagef(to, {place}, (float4)(1)); }}");
        let shader = wgsl(&source, &[]).unwrap();
        assert!(shader.text.contains(expected), "{image}: {}", shader.text);
    }
    let array = "kernel void f(write_only image1d_array_t to) { write_imagef(to, (int2)(0), (float4)(1)); }";
    assert!(wgsl(array, &[]).unwrap_err().contains("one-dimensional"));
}

#[test]
fn a_format_belongs_to_an_argument() {
    let source =
        "kernel void f(read_only image2d_t from, write_only image2d_t one, write_only image2d_t two) {
        int2 at = (int2)(get_global_id(0), 0);
        write_imagef(one, at, read_imagef(from, at));
        write_imagef(two, at, (float4)(2));
    }";
    let shader = wgsl(source, &[("two", TexelFormat::Rgba32Float)]).unwrap();
    let formats = [("one".to_owned(), TexelFormat::Rgba8Unorm), ("two".to_owned(), TexelFormat::Rgba32Float)];
    assert_eq!(written(&shader), formats);
    let refusals = [
        (
            "two",
            TexelFormat::R32Sint,
            "writes floating-point numbers to the image `two`, and r32sint has signed",
        ),
        ("from", TexelFormat::R32Float, "no kernel writes an image `from`"),
        ("three", TexelFormat::R32Float, "no kernel writes an image `three`"),
    ];
    for (name, format, reason) in refusals {
        let error = wgsl(source, &[(name, format)]).unwrap_err();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn every_format_can_be_written_in_every_language() {
    for (name, format) in TexelFormat::ALL {
        assert_eq!(format.name(), name);
        let (function, texel) = match name {
            _ if name.ends_with("uint") => ("write_imageui", "(uint4)(7)"),
            _ if name.ends_with("sint") => ("write_imagei", "(int4)(7)"),
            _ => ("write_imagef", "(float4)(7)"),
        };
        let source =
            format!("kernel void f(write_only image2d_t to) {{ {function}(to, (int2)(0), {texel}); }}");
        let shaders = compiler(&[("to", format)]).compile_shaders("test.cl", &source).unwrap();
        assert!(shaders.to_wgsl().unwrap().text.contains(&format!("<{name},write>")));
        let none = clvk::Overrides::new();
        assert!(shaders.to_msl(&none).unwrap().text.contains(".write("));
        assert!(shaders.to_hlsl(&none).unwrap().text.contains("RWTexture2D"));
        assert!(shaders.to_glsl(&none).unwrap().text.contains("imageStore("));
    }
}
