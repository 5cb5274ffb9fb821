//! A picture of spheres above a floor. The kernel in C++ has classes for vectors, rays, shapes and scenes.

use crate::case::{Argument, Case, NOT_FUSED, Size, Tolerance, Work, round_up};
use crate::random::generate_rows;
use clvk_interface::ScalarType;

const GROUP: [usize; 2] = [8, 8];
const BOUNCES: usize = 3;

/// Centres and radii.
const SPHERES: [[f32; 4]; 5] = [
    [0.0, 1.0, 0.0, 1.0],
    [1.5, 0.5, -1.0, 0.5],
    [-1.75, 0.75, 0.5, 0.75],
    [0.75, 0.25, -1.75, 0.25],
    [-0.75, 0.375, -1.5, 0.375],
];
/// Colours, and how much of the light is reflected.
const COLORS: [[f32; 4]; 5] = [
    [0.75, 0.25, 0.25, 0.5],
    [0.25, 0.75, 0.25, 0.25],
    [0.25, 0.25, 0.75, 0.75],
    [0.875, 0.75, 0.25, 0.125],
    [0.75, 0.75, 0.75, 0.875],
];

type Vector = [f32; 3];

pub fn build(size: Size) -> Case {
    named("ray_tracer", "ray_tracer/ray_tracer.cl", size)
}

/// The same with the kernel in C++.
pub fn build_cxx(size: Size) -> Case {
    named("ray_tracer_cxx", "ray_tracer/ray_tracer.clcpp", size)
}

fn named(name: &str, source: &str, size: Size) -> Case {
    let (width, height) = size.pick((250, 190), (4096, 4096));
    let mut case = Case::new(name, source);
    let picture_id = case.output("picture", ScalarType::U8, width * height * 4);
    let spheres_id = case.input("spheres", ScalarType::F32, SPHERES.as_flattened());
    let colors_id = case.input("colors", ScalarType::F32, COLORS.as_flattened());
    case.launch(
        "trace",
        [round_up(width, GROUP[0]), round_up(height, GROUP[1])],
        GROUP,
        vec![
            Argument::Resource(picture_id),
            Argument::value(width as u32),
            Argument::value(height as u32),
            Argument::Resource(spheres_id),
            Argument::Resource(colors_id),
            Argument::value(SPHERES.len() as u32),
        ],
    );
    let scale = inverse(height as f32);
    let expected: Vec<u8> = generate_rows(height, width * 4, |row, out: &mut [u8]| {
        for (column, pixel) in out.chunks_exact_mut(4).enumerate() {
            let way = [
                (column as f32 - 0.5 * width as f32) * scale,
                (0.5 * height as f32 - row as f32) * scale,
                1.0,
            ];
            let seen = color_of([0.0, 1.0, -4.0], unit(way));
            for (channel, value) in pixel.iter_mut().zip(seen) {
                *channel = (value * 255.0).clamp(0.0, 255.0) as u8;
            }
            pixel[3] = 255;
        }
    });
    case.expect(picture_id, &expected, Tolerance::Exact, NOT_FUSED);
    case.outputs[0].picture = Some((width, height));
    case.work = Work { bytes: 4 * (width * height) as u64, operations: 200 * (width * height) as u64 };
    case
}

fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a + b * k`.
fn along(a: Vector, b: Vector, k: f32) -> Vector {
    std::array::from_fn(|i| a[i] + b[i] * k)
}

fn minus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] - b[i])
}

fn inverse_root(x: f32) -> f32 {
    let mut y = f32::from_bits(0x5f37_59df - (x.to_bits() >> 1));
    for _ in 0..4 {
        y *= 1.5 - 0.5 * x * y * y;
    }
    y
}

fn inverse(x: f32) -> f32 {
    let y = inverse_root(x * x);
    if x < 0.0 { -y } else { y }
}

fn unit(v: Vector) -> Vector {
    let k = inverse_root(dot(v, v));
    v.map(|x| x * k)
}

/// What a ray meets first: distance, normal, colour, and how much of the light is reflected.
fn first(origin: Vector, way: Vector) -> Option<(f32, Vector, Vector, f32)> {
    let mut nearest = 1000.0;
    let mut found = None;
    for (sphere, color) in SPHERES.iter().zip(COLORS) {
        let centre = [sphere[0], sphere[1], sphere[2]];
        let from = minus(origin, centre);
        let b = dot(from, way);
        let c = dot(from, from) - sphere[3] * sphere[3];
        let d = b * b - c;
        if d > 0.0 {
            let t = -b - d * inverse_root(d);
            if t > 0.001 && t < nearest {
                nearest = t;
                let k = inverse(sphere[3]);
                let normal = minus(along(origin, way, t), centre).map(|x| x * k);
                found = Some((t, normal, [color[0], color[1], color[2]], color[3]));
            }
        }
    }
    if way[1] < 0.0 {
        let t = -origin[1] * inverse(way[1]);
        if t > 0.001 && t < nearest {
            let at = along(origin, way, t);
            let dark = (at[0].floor() as i32 + at[2].floor() as i32) & 1 != 0;
            found = Some((t, [0.0, 1.0, 0.0], [if dark { 0.25 } else { 0.75 }; 3], 0.125));
        }
    }
    found
}

fn color_of(mut origin: Vector, mut way: Vector) -> Vector {
    let (mut seen, mut weight) = ([0f32; 3], 1f32);
    for _ in 0..BOUNCES {
        let Some((distance, normal, color, mirror)) = first(origin, way) else {
            let up = if way[1] < 0.0 { 0.0 } else { way[1] };
            return along(seen, [0.5, 0.625, 0.875], weight * (1.0 - 0.5 * up));
        };
        let lit = dot(normal, [0.25, 0.9375, -0.25]);
        let lit = 0.125 + if lit < 0.0 { 0.0 } else { lit };
        seen = along(seen, color, weight * lit * (1.0 - mirror));
        weight *= mirror;
        origin = along(origin, way, distance);
        let back = 2.0 * dot(way, normal);
        way = unit(minus(way, normal.map(|x| x * back)));
    }
    seen
}
