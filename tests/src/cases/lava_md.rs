//! Forces between particles in neighbouring boxes.

use crate::case::{Argument, Case, ResourceKind, Size, Tolerance, Work};
use crate::random::{Random, generate_rows};
use bytemuck::{Pod, Zeroable};
use clvk_interface::ScalarType;

/// Particles of a box.
const PARTICLES: usize = 100;
const GROUP: usize = 128;
const NEIGHBOURS: usize = 26;
const ALPHA: f32 = 0.5;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct CellBox {
    first: u32,
    count: u32,
    neighbours: [u32; NEIGHBOURS],
}

pub fn build(size: Size) -> Case {
    let sides: [usize; 3] = size.pick([3, 2, 2], [24, 24, 24]);
    let boxes = boxes(sides);
    let count = boxes.len() * PARTICLES;
    let random = Random::new(251);
    let particles = generate_rows(count, 4, |i, particle: &mut [f32]| {
        let place = place(box_of(i, boxes.len()), sides);
        for (axis, value) in particle[..3].iter_mut().enumerate() {
            *value = place[axis] as f32 + random.unit(4 * i + axis);
        }
        particle[3] = random.signed(4 * i + 3);
    });

    let mut case = Case::new("lava_md", "lava_md/lava_md.cl");
    case.options = vec![format!("-DPARTICLES={PARTICLES}")];
    let kind = ResourceKind::Buffer { record: vec![ScalarType::U32] };
    let boxes_id = case.add("boxes", kind, bytemuck::cast_slice(&boxes).to_vec());
    let particles_id = case.input("particles", ScalarType::F32, &particles);
    let forces_id = case.output("forces", ScalarType::F32, 4 * count);
    let mut arguments = [boxes_id, particles_id].map(Argument::Resource).to_vec();
    arguments.extend([Argument::value(ALPHA), Argument::Resource(forces_id)]);
    case.launch("lava_md", [boxes.len() * GROUP], [GROUP], arguments);

    let expected = generate_rows(count, 4, |i, force: &mut [f32]| {
        force.copy_from_slice(&force_on(i, &boxes, &particles));
    });
    let tolerance = Tolerance::Float { absolute: 3e-4, relative: 1e-5 };
    case.expect(
        forces_id,
        &expected,
        tolerance,
        "2,700 roundings of sums of up to seventy, exponentials of 3 ulp",
    );
    let pairs: usize = boxes.iter().map(|it| (it.count as usize + 1) * PARTICLES * PARTICLES).sum();
    let bytes = count * 32 + boxes.len() * size_of::<CellBox>();
    case.work = Work { bytes: bytes as u64, operations: 18 * pairs as u64 };
    case
}

fn place(number: usize, sides: [usize; 3]) -> [usize; 3] {
    [number % sides[0], number / sides[0] % sides[1], number / sides[0] / sides[1]]
}

fn boxes(sides: [usize; 3]) -> Vec<CellBox> {
    let count = sides.iter().product();
    let is_near =
        |a: usize, b: usize| (0..3).all(|axis| place(a, sides)[axis].abs_diff(place(b, sides)[axis]) <= 1);
    let layer = sides[0] * sides[1];
    let make = |number: usize| {
        // They are at most a layer, a row and a box away.
        let reach = layer + sides[0] + 1;
        let nearby = (number.saturating_sub(reach)..(number + reach + 1).min(count))
            .filter(|&other| other != number && is_near(number, other));
        // Particles are not in the order of their boxes.
        let first = ((number + count / 2) % count * PARTICLES) as u32;
        let mut result = CellBox { first, ..CellBox::default() };
        for other in nearby {
            result.neighbours[result.count as usize] = other as u32;
            result.count += 1;
        }
        result
    };
    (0..count).map(make).collect()
}

/// The box of a particle.
fn box_of(i: usize, boxes: usize) -> usize {
    (i / PARTICLES + boxes - boxes / 2) % boxes
}

fn force_on(i: usize, boxes: &[CellBox], particles: &[f32]) -> [f32; 4] {
    let particle = |i: usize| -> [f64; 4] { std::array::from_fn(|axis| f64::from(particles[4 * i + axis])) };
    let home = &boxes[box_of(i, boxes.len())];
    let near = home.neighbours[..home.count as usize].iter().map(|&other| boxes[other as usize].first);
    let own = particle(i);
    let alpha_squared = f64::from(ALPHA).powi(2);
    let mut result = [0f64; 4];
    for first in near.chain([home.first]) {
        for other in (first as usize..first as usize + PARTICLES).map(particle) {
            let way: [f64; 3] = std::array::from_fn(|axis| own[axis] - other[axis]);
            let squared: f64 = way.iter().map(|it| it * it).sum();
            let potential = other[3] * (-alpha_squared * squared).exp();
            for (force, way) in result.iter_mut().zip(way) {
                *force += 2.0 * alpha_squared * potential * way;
            }
            result[3] += potential;
        }
    }
    result.map(|value| value as f32)
}
