//! A stencil of 27 points, twice.

use crate::case::{Argument, Case, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;

/// Points of a work-group's tile.
const TILE: [usize; 3] = [32, 8, 1];

/// Of the centre, a face, an edge and a corner.
const WEIGHTS: [f32; 4] = [-2.0, 0.25, 0.0625, 0.03125];

pub fn build(size: Size) -> Case {
    let (sides, slab): ([usize; 3], usize) = size.pick(([45, 21, 13], 4), ([512, 512, 512], 32));
    let [width, height, depth] = sides;
    let count = width * height * depth;
    let random = Random::new(291);
    let values = generate(count, |i| random.signed(i));

    let mut case = Case::new("stencil27", "stencil27/stencil27.cl");
    case.options = vec![format!("-DSLAB={slab}")];
    let even_id = case.input("even", ScalarType::F32, &values);
    let odd_id = case.output("odd", ScalarType::F32, count);
    let global = [round_up(width, TILE[0]), round_up(height, TILE[1]), depth.div_ceil(slab)];
    for (from, to) in [(even_id, odd_id), (odd_id, even_id)] {
        let mut arguments = [from, to].map(Argument::Resource).to_vec();
        arguments.extend(sides.map(|side| Argument::value(side as i32)));
        arguments.push(Argument::value(WEIGHTS));
        case.launch("stencil27", global, TILE, arguments);
    }

    let start: Vec<f64> = values.iter().copied().map(f64::from).collect();
    let once = apply(&start, sides);
    let twice = apply(&once, sides);
    let tolerance = Tolerance::Float { absolute: 5e-6, relative: 0.0 };
    for (id, values) in [(odd_id, once), (even_id, twice)] {
        let expected = generate(count, |i| values[i] as f32);
        case.expect(id, &expected, tolerance, "thirty roundings of values below twelve, twice");
    }
    case.work = Work { bytes: 16 * count as u64, operations: 0 };
    case
}

fn apply(values: &[f64], [width, height, depth]: [usize; 3]) -> Vec<f64> {
    let weights = WEIGHTS.map(f64::from);
    let is_inner = |i: usize, side: usize| i > 0 && i < side - 1;
    generate_rows(height * depth, width, |row, out: &mut [f64]| {
        let (y, z) = (row % height, row / height);
        for (x, value) in out.iter_mut().enumerate() {
            if !(is_inner(x, width) && is_inner(y, height) && is_inner(z, depth)) {
                *value = values[row * width + x];
                continue;
            }
            for offset in 0..27 {
                let (dx, dy, dz) = (offset % 3, offset / 3 % 3, offset / 9);
                let away = [dx, dy, dz].into_iter().filter(|&it| it != 1).count();
                *value += weights[away] * values[((z + dz - 1) * height + y + dy - 1) * width + x + dx - 1];
            }
        }
    })
}
