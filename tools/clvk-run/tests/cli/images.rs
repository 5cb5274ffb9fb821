//! Images, samplers, and pictures in buffers.

use crate::harness::Folder;
use image::{Rgba, RgbaImage};

const COPY: &str = "\
__kernel void copy(__read_only image2d_t in, __write_only image2d_t out, sampler_t s) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, p, read_imagef(in, s, p + SHIFT));
}
";

fn picture() -> RgbaImage {
    RgbaImage::from_fn(7, 5, |x, y| Rgba([x as u8 * 30, y as u8 * 50, (x * y) as u8, 255 - x as u8]))
}

fn sample(x: u32, y: u32) -> Rgba<u8> {
    *picture().get_pixel(x, y)
}

#[test]
fn pictures_go_through_images_unchanged() {
    let folder = Folder::new("images");
    folder.write("c.cl", COPY);
    picture().save(folder.path("in.png")).unwrap();
    for format in ["", ":rgba8", ":rgba16f", ":rgba32f"] {
        let (input, output) = (format!("image:in.png{format}"), format!("image-out:out.png:7x5{format}"));
        let run = folder.good(&[
            "run",
            "c.cl",
            "-DSHIFT=0",
            "--global",
            "7,5",
            "--",
            &input,
            &output,
            "sampler:clamp-to-edge,nearest,unnormalized",
        ]);
        assert!(run.out.contains("wrote out.png"), "{}", run.out);
        assert_eq!(image::open(folder.path("out.png")).unwrap().to_rgba8(), picture(), "{format}");
        std::fs::remove_file(folder.path("out.png")).unwrap();
    }
}

#[test]
fn samplers_are_what_they_are_called() {
    let folder = Folder::new("samplers");
    folder.write("c.cl", COPY);
    picture().save(folder.path("in.png")).unwrap();
    let shifted = |sampler| {
        folder.good(&[
            "run",
            "c.cl",
            "-DSHIFT=100",
            "--global",
            "7,5",
            "--",
            "image:in.png",
            "image-out:out.png:7x5",
            sampler,
        ]);
        *image::open(folder.path("out.png")).unwrap().to_rgba8().get_pixel(0, 0)
    };
    assert_eq!(shifted("sampler:clamp-to-edge,nearest,unnormalized"), sample(6, 4));
    assert_eq!(shifted("sampler:clamp,nearest,unnormalized"), Rgba([0; 4]));
}

#[test]
fn buffers_of_pixels_are_written_as_pictures() {
    let folder = Folder::new("pictures");
    folder.write(
        "p.cl",
        "__kernel void p(__global uchar4 *out) {
            uint x = get_global_id(0), y = get_global_id(1);
            out[y * 7 + x] = (uchar4)(x * 30, y * 50, x * y, 255 - x);
        }",
    );
    let run = folder.good(&["run", "p.cl", "--global", "7,5", "--", "out:out.png:uchar4[5,7]"]);
    assert!(run.out.contains("wrote out.png"), "{}", run.out);
    assert_eq!(image::open(folder.path("out.png")).unwrap().to_rgba8(), picture());
    for wrong in
        ["out:a.png:uchar4[35]", "out:a.png:uchar[5,7,2]", "out:a.png:uint[5,7]", "out:a.PNG:uchar4[1,5,7]"]
    {
        folder.refused(2, &["run", "p.cl", "--", wrong], &[wrong, "`out:FILE.png:uchar4[HEIGHT,WIDTH]`"]);
    }
    folder.refused(
        2,
        &["run", "p.cl", "--", "out:no/folder/a.png:uchar4[5,7]"],
        &["cannot write `no/folder/a.png`"],
    );
}

#[test]
fn wrong_images_are_refused() {
    let folder = Folder::new("wrong_images");
    folder.write("c.cl", COPY);
    folder.write("text.png", "no picture");
    picture().save(folder.path("in.png")).unwrap();
    let right = ["image:in.png", "image-out:out.png:7x5", "sampler:clamp,nearest,unnormalized"];
    for (index, wrong, expected) in [
        (0, "image:missing.png", "cannot read `missing.png`"),
        (0, "image:text.png", "cannot read `text.png`"),
        (0, "image:in.png:bgra", "`bgra` is not an image format; the formats are rgba8"),
        (0, "zero:float[4]", "`in` (`image2d_t`) was given a buffer, but it needs an image"),
        (0, "in:in.png", "did you mean `image:in.png`?"),
        (0, "image:text.png", "it is not a PNG picture, or is damaged"),
        (1, "image-out:out.png", "`image-out:FILE.png:WxH[:FORMAT]`"),
        (1, "image-out:out.png:0x5", "`image-out:out.png:0x5` is empty: every size must be at least 1"),
        (1, "image-out:out.xyz:7x5", "`out.xyz` cannot hold an image: let the name end in .npy, .png"),
        (1, "image-out:out.png:4000000000x4000000000", "parameter `out` (`image2d_t`)"),
        (1, "image-out:out.png:7x5x1", "`out` (`image2d_t`) has the size WxH, but 7x5x1 was given"),
        (
            1,
            "image-out:out.png:7x5:rgba8ui",
            "the format `rgba8ui` has unsigned integers; use for example `rgba8`",
        ),
        (0, "image:in.png:rgba32i", "the format `rgba32i` has signed integers"),
        (2, "sampler:clamp,nearest", "sampler:ADDRESSING,FILTER,normalized|unnormalized"),
        (2, "sampler:mirrored,nearest,unnormalized", "sampler"),
        (2, "1", "`s` (`sampler_t`) was given a number, but it needs a `sampler:`"),
    ] {
        let mut arguments = right;
        arguments[index] = wrong;
        let head = ["run", "c.cl", "-DSHIFT=0", "--global", "7,5", "--"];
        folder.refused(2, &[&head[..], &arguments].concat(), &[expected]);
    }
}

#[test]
fn samplers_of_the_program_need_no_argument() {
    let folder = Folder::new("program_samplers");
    folder.write(
        "c.cl",
        "__constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        float4 sample(__read_only image2d_t in, sampler_t s, int2 p) { return read_imagef(in, s, p); }
        __kernel void copy(__read_only image2d_t in, __write_only image2d_t out, sampler_t given) {
            const sampler_t border = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            float4 texel = p.x == 0 ? sample(in, edge, p + 100) : sample(in, border, p + 100);
            if (p.x == 2) texel = sample(in, given, p);
            write_imagef(out, p, texel);
        }",
    );
    picture().save(folder.path("in.png")).unwrap();
    folder.good(&[
        "run",
        "c.cl",
        "--global",
        "7,5",
        "--",
        "image:in.png",
        "image-out:out.png:7x5",
        "sampler:clamp-to-edge,nearest,unnormalized",
    ]);
    let out = image::open(folder.path("out.png")).unwrap().to_rgba8();
    assert_eq!(*out.get_pixel(0, 3), sample(6, 4));
    assert_eq!(*out.get_pixel(1, 3), Rgba([0; 4]));
    assert_eq!(*out.get_pixel(2, 3), sample(2, 3));
}

#[test]
fn an_image_kernel_takes_the_size_of_its_output() {
    let folder = Folder::new("image_global");
    folder.write("c.cl", COPY);
    picture().save(folder.path("in.png")).unwrap();
    let arguments = ["--", "image:in.png", "image-out:out.png:7x5", "sampler:clamp,nearest,unnormalized"];
    let run = folder.good(&[&["run", "c.cl", "-DSHIFT=0", "--print", "out:2"], &arguments[..]].concat());
    assert!(run.out.contains("global 7,5,"), "{}", run.out);
    assert!(run.out.contains("\nout: (0, 0, 0, 255) (30, 0, 0, 254)\n"), "{}", run.out);
    assert_eq!(image::open(folder.path("out.png")).unwrap().to_rgba8(), picture());
}

#[test]
fn formats_follow_the_kernel_and_the_file() {
    let folder = Folder::new("image_formats");
    // Runs a kernel that copies what it reads as `name`, with an expression added.
    let copy = |name: &str, texel: &str, input: &str, output: &str| {
        let source = format!(
            "kernel void copy(read_only image2d_t in, write_only image2d_t out) {{
                int2 p = (int2)(get_global_id(0), get_global_id(1));
                write_image{name}(out, p, read_image{name}(in, p) {texel});
            }}"
        );
        folder.write("c.cl", source);
        let (input, output) = (format!("image:{input}"), format!("image-out:{output}"));
        folder.good(&["run", "c.cl", "-cl-std=CL2.0", "--", &input, &output]);
    };
    picture().save(folder.path("in.png")).unwrap();
    // Unsigned integers: the bytes of the file.
    copy("ui", "^ 255u", "in.png", "inverted.png:7x5");
    let inverted = image::open(folder.path("inverted.png")).unwrap().to_rgba8();
    let expected = RgbaImage::from_fn(7, 5, |x, y| Rgba(sample(x, y).0.map(|byte| !byte)));
    assert_eq!(inverted, expected);
    // Floating point: what lossless formats hold comes back.
    for ending in ["exr", "bmp", "pam", "png"] {
        copy("f", "", "in.png", &format!("a.{ending}:7x5"));
        copy("f", "", &format!("a.{ending}"), "back.png:7x5");
        assert_eq!(image::open(folder.path("back.png")).unwrap().to_rgba8(), picture(), "{ending}");
    }
    // 16 bits, in gray.
    let deep = image::ImageBuffer::from_fn(7, 5, |x, y| image::Luma([(x * 9000 + y * 7) as u16]));
    deep.save(folder.path("deep.png")).unwrap();
    copy("f", "", "deep.png", "deep.pgm:7x5:rgba16");
    assert_eq!(image::open(folder.path("deep.pgm")).unwrap(), image::DynamicImage::ImageLuma16(deep.clone()));
    copy("ui", "", "deep.pgm", "again.png:7x5:rgba16ui");
    assert_eq!(image::open(folder.path("again.png")).unwrap().to_luma16(), deep);
    // PFM: three floats a pixel, the lowest row first.
    copy("f", "* 2.0f", "in.png", "a.pfm:7x5");
    let pfm = folder.read("a.pfm");
    assert!(pfm.starts_with(b"PF\n7 5\n-1.0\n") && pfm.len() == 12 + 7 * 5 * 12);
    let red_of_second = f32::from_le_bytes(pfm[24..28].try_into().unwrap());
    assert!((red_of_second - 60.0 / 255.0).abs() < 1e-6, "{red_of_second}");
    // JPEG loses, but little.
    copy("f", "", "in.png", "a.jpg:7x5");
    assert_eq!(image::open(folder.path("a.jpg")).unwrap().width(), 7);
}

#[test]
fn images_have_one_to_three_dimensions() {
    use ndarray_npy::{read_npy, write_npy};
    let folder = Folder::new("image_dimensions");
    let run = |source: &str, arguments: &[&str]| {
        folder.write("k.cl", source);
        folder.good(&[&["run", "k.cl", "-cl-std=CL2.0", "--"], arguments].concat()).out
    };
    let volume = ndarray::Array3::<f32>::from_shape_fn((2, 3, 4), |(z, y, x)| (z * 100 + y * 10 + x) as f32);
    write_npy(folder.path("v.npy"), &volume).unwrap();
    let out = run(
        "kernel void k(read_only image3d_t in, write_only image2d_array_t out) {
            int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
            write_imagef(out, p, read_imagef(in, p) + 1.0f);
        }",
        &["image:v.npy", "image-out:w.npy:4x3x2:r32f"],
    );
    assert!(out.contains("global 4,3,2,"), "{out}");
    assert_eq!(read_npy::<_, ndarray::Array3<f32>>(folder.path("w.npy")).unwrap(), volume + 1.0);
    let line = ndarray::array![[1u32, 2, 3, 4], [5, 6, 7, 8]];
    write_npy(folder.path("l.npy"), &line).unwrap();
    run(
        "kernel void k(read_only image1d_t in, write_only image1d_t out) {
            write_imageui(out, (int)get_global_id(0), read_imageui(in, (int)get_global_id(0)) * 3u);
        }",
        &["image:l.npy", "image-out:m.npy:2"],
    );
    assert_eq!(read_npy::<_, ndarray::Array2<u32>>(folder.path("m.npy")).unwrap(), line.clone() * 3);
    run(
        "kernel void k(read_only image1d_buffer_t in, write_only image1d_array_t out) {
            write_imageui(out, (int2)(get_global_id(0), get_global_id(1)), read_imageui(in, (int)get_global_id(0)));
        }",
        &["image:l.npy", "image-out:n.npy:2x3"],
    );
    let layers = read_npy::<_, ndarray::Array3<u32>>(folder.path("n.npy")).unwrap();
    assert_eq!((layers.shape(), layers[[2, 1, 3]]), (&[3, 2, 4][..], 8));
    folder.refused(
        2,
        &["run", "k.cl", "-cl-std=CL2.0", "--", "image:v.npy", "image-out:n.npy:2x3"],
        &["cannot read `v.npy`: its elements are `float`, which does not suit parameter `in` (`image1d_buffer_t`)"],
    );
    folder.write(
        "d.cl",
        "kernel void d(write_only image3d_t out) { write_imagef(out, (int4)(0), (float4)(1)); }",
    );
    folder.refused(2, &["run", "d.cl", "--", "image-out:d.png:2x2x2"], &["with its 2 slices", "`.npy`"]);
}

#[test]
fn pictures_are_verified_within_a_tolerance() {
    let folder = Folder::new("image_verify");
    folder.write("c.cl", COPY);
    picture().save(folder.path("in.png")).unwrap();
    let mut near = picture();
    near.put_pixel(
        2,
        3,
        Rgba([sample(2, 3).0[0] + 5, sample(2, 3).0[1], sample(2, 3).0[2], sample(2, 3).0[3]]),
    );
    near.save(folder.path("near.png")).unwrap();
    let run = |check: &str| {
        let arguments = ["--", "image:in.png", "image-zero:7x5:rgba8", "sampler:clamp,nearest,unnormalized"];
        folder.run(&[&["run", "c.cl", "-DSHIFT=0", "--verify", check], &arguments[..]].concat())
    };
    for right in ["out=in.png", "out=near.png:0.02"] {
        let run = run(right);
        assert!(run.code == 0 && run.out.contains("out: verified, 35 elements"), "{run:?}");
        assert!(!folder.path("out.difference.png").exists());
    }
    let wrong = run("out=near.png:0.01");
    assert_eq!(wrong.code, 1, "{wrong:?}");
    assert!(wrong.out.contains("out: WRONG, 1 of 35 elements differ, by up to 1.961e-2"), "{wrong:?}");
    assert!(wrong.out.contains("out[2, 3] is (60, 150, 6, 253), expected (65, 150, 6, 253)"), "{wrong:?}");
    assert!(wrong.out.contains("wrote out.difference.png"), "{wrong:?}");
    let difference = image::open(folder.path("out.difference.png")).unwrap().to_rgb8();
    let expected = |x, y| if (x, y) == (2, 3) { [255, 0, 0] } else { [0; 3] };
    assert!(difference.enumerate_pixels().all(|(x, y, pixel)| pixel.0 == expected(x, y)));
    RgbaImage::new(4, 4).save(folder.path("small.png")).unwrap();
    let other = run("out=small.png");
    assert!(other.code == 2 && other.err.contains("`small.png` is 4×4 of"), "{other:?}");
}

#[test]
fn buffers_take_pictures() {
    let folder = Folder::new("picture_buffers");
    picture().save(folder.path("in.png")).unwrap();
    let run = |source: &str, arguments: &[&str]| {
        folder.write("b.cl", source);
        folder.good(&[&["run", "b.cl"], arguments].concat());
    };
    let invert = "kernel void b(global T *in, global T *out) { uint i = get_global_id(0); out[i] = (T)(ONE) - in[i]; }";
    run(invert, &["-DT=uchar4", "-DONE=255", "--", "in:in.png", "out:out.png:uchar4[5,7]"]);
    let expected = RgbaImage::from_fn(7, 5, |x, y| Rgba(sample(x, y).0.map(|byte| !byte)));
    assert_eq!(image::open(folder.path("out.png")).unwrap().to_rgba8(), expected);
    // A scalar is a channel of the file; floating point is from 0 to 1.
    run(invert, &["-DT=float", "-DONE=1.0f", "--", "in:in.png", "out:out.exr:float[5,7,4]"]);
    let floats = image::open(folder.path("out.exr")).unwrap().to_rgba32f();
    assert!((floats.get_pixel(1, 0).0[0] - (1.0 - 30.0 / 255.0)).abs() < 1e-6);
    run(invert, &["-DT=uchar", "-DONE=255", "--", "in:in.png", "out:gray.pgm:uchar[5,28]"]);
    let gray = image::open(folder.path("gray.pgm")).unwrap().to_luma8();
    assert_eq!((gray.dimensions(), gray.get_pixel(4, 0).0[0]), ((28, 5), 255 - 30));
    folder.write("i.cl", "kernel void i(global int *x) { x[get_global_id(0)] = 0; }");
    folder.refused(
        2,
        &["run", "i.cl", "--", "in:in.png"],
        &["it is a picture, whose pixels suit", "needs `int`"],
    );
}

#[test]
fn images_are_read_and_written_back() {
    let folder = Folder::new("image_inout");
    folder.write(
        "i.cl",
        "kernel void half_of_it(write_only image2d_t image) {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            if (p.x < 3) write_imagef(image, p, (float4)(1.0f, 0.0f, 0.0f, 1.0f));
        }",
    );
    picture().save(folder.path("a.png")).unwrap();
    let run = folder.good(&["run", "i.cl", "--", "image-inout:a.png"]);
    assert!(run.out.contains("wrote a.png"), "{run:?}");
    let expected = |x, y| if x < 3 { Rgba([255, 0, 0, 255]) } else { sample(x, y) };
    assert_eq!(image::open(folder.path("a.png")).unwrap().to_rgba8(), RgbaImage::from_fn(7, 5, expected));
}
