//! `clvk-run view` without a window: frames in files. `tests/clients/view.sh` tests the window.

use crate::harness::{Folder, finish};
use image::{AnimationDecoder, GenericImageView, codecs::png::PngDecoder};
use std::io::Cursor;

/// Shows the coordinates, the time and the frame.
const GRADIENT: &str = "
kernel void gradient(write_only image2d_t out, float time, int frame, int2 size) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, at, (float4)(at.x / 255.0f, (size.y - at.y) / 255.0f, time, (frame + 100) / 255.0f));
}
";

/// The game of life, on a torus.
const LIFE: &str = include_str!("../../../../docs/guide/life.cl");

#[test]
fn parameters_get_what_they_are_named_after() {
    let folder = Folder::new("view_names");
    folder.write("g.cl", GRADIENT);
    let run = folder.run(&[
        "view",
        "g.cl",
        "--size",
        "20x10",
        "--frames",
        "3",
        "--fps",
        "4",
        "--save",
        "g-%02d.png",
    ]);
    assert_eq!((run.code, run.err.trim_end()), (0, "wrote 3 frames to g-%02d.png"));
    for frame in 0..3u8 {
        let picture = image::load_from_memory(&folder.read(&format!("g-{frame:02}.png"))).unwrap();
        assert_eq!(picture.dimensions(), (20, 10));
        // A quarter of a second is 63.75 of 255.
        let blue = (f64::from(frame) * 63.75).round() as u8;
        let [red, green, shown, alpha] = picture.get_pixel(7, 4).0;
        assert_eq!((red, green, alpha), (7, 6, 100 + frame));
        assert!(shown.abs_diff(blue) <= 1, "{shown} is not {blue}");
    }
}

#[test]
fn states_live_from_frame_to_frame() {
    let folder = Folder::new("view_states");
    folder.write("life.cl", LIFE);
    // A glider, of white cells.
    let (width, height) = (8u32, 6u32);
    let glider = [(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)];
    let mut cells = image::RgbaImage::from_pixel(width, height, image::Rgba([0, 0, 0, 255]));
    for (x, y) in glider {
        cells.put_pixel(x, y, image::Rgba([255; 4]));
    }
    cells.save(folder.path("cells.png")).unwrap();
    let run = folder.run(&[
        "view",
        "life.cl",
        "--size",
        "8x6",
        "--global",
        "8,6",
        "--frames",
        "4",
        "--save",
        "life.apng",
        "--",
        "pingpong:in:cells.png",
        "pingpong:",
        "size:",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    let decoder = PngDecoder::new(Cursor::new(folder.read("life.apng"))).unwrap().apng().unwrap();
    let frames = decoder.into_frames().collect_frames().unwrap();
    assert_eq!(frames.len(), 4);
    let alive = |frame: usize| {
        let picture = frames[frame].buffer();
        let mut cells: Vec<(u32, u32)> =
            picture.enumerate_pixels().filter(|(.., pixel)| pixel[0] > 127).map(|(x, y, _)| (x, y)).collect();
        cells.sort_unstable_by_key(|&(x, y)| (y, x));
        cells
    };
    // After four generations a glider has moved by one in both directions.
    let moved: Vec<(u32, u32)> = glider.iter().map(|&(x, y)| (x + 1, y + 1)).collect();
    assert_eq!(alive(3), moved);
    assert_eq!(alive(0), [(0, 1), (2, 1), (1, 2), (2, 2), (1, 3)]);
}

#[test]
fn films_have_a_head_and_all_frames() {
    let folder = Folder::new("view_film");
    folder.write("g.cl", GRADIENT);
    let run =
        folder.run(&["view", "g.cl", "--size", "6x4", "--frames", "2", "--fps", "25", "--save", "g.y4m"]);
    assert_eq!(run.code, 0, "{run:?}");
    let film = folder.read("g.y4m");
    let head = b"YUV4MPEG2 W6 H4 F25:1 Ip A1:1 C444\n";
    assert!(film.starts_with(head));
    assert_eq!(film.len(), head.len() + 2 * (b"FRAME\n".len() + 3 * 6 * 4));
}

#[test]
fn job_files_run_all_their_kernels_for_each_frame() {
    let folder = Folder::new("view_job");
    folder.write(
        "two.cl",
        "kernel void ramp(global float4 *p, int2 size) { int i = get_global_id(0); p[i] = (float4)(i % size.x / 255.0f); }
         kernel void invert(global float4 *p) { int i = get_global_id(0); p[i] = 1.0f - p[i]; }",
    );
    folder.write(
        "two.toml",
        "file = \"two.cl\"\n[arguments]\npicture = \"screen:16x4\"\n\
         [[steps]]\nkernel = \"ramp\"\nglobal = 64\narguments = [\"picture\", \"size:\"]\n\
         [[steps]]\nkernel = \"invert\"\nglobal = 64\narguments = [\"picture\"]\n",
    );
    let run = folder.run(&["view", "two.toml", "--save", "two.exr"]);
    assert_eq!(run.code, 0, "{run:?}");
    let picture = image::load_from_memory(&folder.read("two.exr")).unwrap().to_rgba32f();
    assert_eq!(picture.dimensions(), (16, 4));
    for (x, _, pixel) in picture.enumerate_pixels() {
        assert!((pixel[0] - (1.0 - x as f32 / 255.0)).abs() < 1e-6, "{x}: {pixel:?}");
    }
}

#[test]
fn mistakes_are_explained() {
    let folder = Folder::new("view_mistakes");
    folder.write("g.cl", GRADIENT);
    folder.write("life.cl", LIFE);
    folder
        .write("ui.cl", "kernel void k(write_only image2d_t o) { write_imageui(o, (int2)(0), (uint4)(1)); }");
    folder.write("none.cl", "kernel void k(int time) { }");
    for (arguments, expected) in [
        (&["view", "life.cl", "--save", "a.png"][..], "parameter `cells`"),
        (&["view", "g.cl", "--save", "a.txt"], "FILE.apng"),
        (&["view", "g.cl", "--frames", "2", "--save", "a.png"], "FILE-%04d.png"),
        (&["view", "g.cl", "--show", "x", "--save", "a.png"], "the pictures are out"),
        (&["view", "ui.cl", "--save", "a.png"], "write_imagef"),
        (&["view", "none.cl", "--global", "1", "--save", "a.png"], "nothing to show"),
        (
            &["view", "life.cl", "--save", "a.png", "--", "pingpong:zero:uchar4[4,4]", "null", "size:"],
            "needs a partner",
        ),
        (
            &["view", "saxpy.cl", "--save", "a.png", "--", "mouse:", "zero:float[4]", "zero:float[4]"],
            "two or four lanes",
        ),
        (&["run", "saxpy.cl", "--", "time:", "zero:float[4]", "zero:float[4]"], "`clvk-run view`"),
    ] {
        folder.refused(2, arguments, &[expected]);
    }
    let mut command = folder.command(&["view", "g.cl"]);
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    let run = finish(command, &["view"]);
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.err.contains("no display") && run.err.contains("--save FILE.apng"), "{}", run.err);
}
