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
        ["out:a.png:uchar4[35]", "out:a.png:uchar[5,28]", "out:a.png:uint[5,7]", "out:a.PNG:uchar4[1,5,7]"]
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
        (1, "image-out:out.png", "`image-out:FILE.png:WxH[:FORMAT]`"),
        (1, "image-out:out.png:0x5", "`image-out:FILE.png:WxH[:FORMAT]`"),
        (1, "image-out:out.xyz:7x5", "`image-out:FILE.png:WxH[:FORMAT]`"),
        (1, "image-out:out.png:4000000000x4000000000", "image"),
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
