//! Heat on a chip: a stencil that makes several steps in a launch, on overlapping tiles in local memory.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate, generate_rows};
use bytemuck::{Pod, Zeroable};
use clvk_interface::ScalarType;

/// Side of a work-group's tile.
const SIDE: usize = 16;
/// Steps of a launch.
const STEPS: usize = 2;

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Settings {
    along_x: f32,
    along_y: f32,
    to_ambient: f32,
    ambient: f32,
    step: f32,
}

pub fn build(size: Size) -> Case {
    let (width, height, launches) = size.pick((133, 78, 3), (4096, 4096, 8));
    let (random_start, random_power) = (Random::new(211), Random::new(212));
    let start = generate(width * height, |i| 10.0 * random_start.unit(i));
    // One block of cells in eight is busy.
    let power = generate(width * height, |i| match (i % width / 16 + i / width / 16) % 8 {
        0 => 10.0 * random_power.unit(i),
        _ => 0.1,
    });
    let settings = Settings { along_x: 0.5, along_y: 0.25, to_ambient: 0.0625, ambient: 5.0, step: 0.375 };

    let mut case = Case::new("hotspot", "hotspot/hotspot.cl");
    case.options = vec![format!("-DSTEPS={STEPS}")];
    let power_id = case.input("power", ScalarType::F32, &power);
    let even_id = case.input("even", ScalarType::F32, &start);
    let odd_id = case.output("odd", ScalarType::F32, width * height);
    let groups = |cells: usize| cells.div_ceil(SIDE - 2 * STEPS) * SIDE;
    for launch in 0..launches {
        let (from, to) = if launch % 2 == 0 { (even_id, odd_id) } else { (odd_id, even_id) };
        let mut arguments = [power_id, from, to].map(Argument::Resource).to_vec();
        arguments.extend([Argument::value(width as i32), Argument::value(height as i32)]);
        arguments.push(Argument::value(settings));
        case.launch("hotspot", [groups(width), groups(height)], [SIDE, SIDE], arguments);
    }

    let mut values: Vec<f64> = start.iter().copied().map(f64::from).collect();
    for _ in 0..launches * STEPS {
        values = step(&values, &power, width, height, settings);
    }
    let expected = generate(values.len(), |i| values[i] as f32);
    let last = if launches % 2 == 0 { even_id } else { odd_id };
    let tolerance = Tolerance::Float { absolute: 2e-5, relative: 0.0 };
    case.expect(last, &expected, tolerance, "ten roundings a step, of values of up to forty");
    case.work = Work { bytes: (12 * width * height * launches) as u64, operations: 0 };
    case
}

fn step(values: &[f64], power: &[f32], width: usize, height: usize, settings: Settings) -> Vec<f64> {
    let [along_x, along_y, to_ambient, ambient, step] =
        [settings.along_x, settings.along_y, settings.to_ambient, settings.ambient, settings.step]
            .map(f64::from);
    generate_rows(height, width, |y, out: &mut [f64]| {
        let row = |y: usize| &values[y * width..(y + 1) * width];
        let (north, here, south) = (row(y.saturating_sub(1)), row(y), row((y + 1).min(height - 1)));
        for (x, value) in out.iter_mut().enumerate() {
            let (west, east) = (here[x.saturating_sub(1)], here[(x + 1).min(width - 1)]);
            let flow = f64::from(power[y * width + x])
                + (east - here[x] + (west - here[x])) * along_x
                + (south[x] - here[x] + (north[x] - here[x])) * along_y
                + (ambient - here[x]) * to_ambient;
            *value = here[x] + step * flow;
        }
    })
}
