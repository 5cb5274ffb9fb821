//! Particles in a box: structures, pointers to them, a switch, loops that break and continue.

use crate::case::{Argument, Case, NOT_FUSED, ResourceKind, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate};
use bytemuck::{Pod, Zeroable};
use clvk_interface::ScalarType;

const GROUP: usize = 128;

const DUST: u32 = 0;
const BALL: u32 = 1;
const SPARK: u32 = 2;
const GHOST: u32 = 3;
/// A kind that the kernel does not know.
const UNKNOWN: u32 = 4;

const ASLEEP: u32 = 1;
const REBORN: u32 = 2;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Particle {
    position: [f32; 3],
    velocity: [f32; 3],
    mass: f32,
    kind: u32,
    age: i32,
    bounces: u32,
    random: u32,
    flags: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Well {
    centre: [f32; 3],
    squared_radius: f32,
    strength: f32,
    kinds: u32,
    pad: [u32; 2],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Settings {
    time_step: f32,
    bound: f32,
    gravity: f32,
    drag: f32,
    steps: u32,
    wells: u32,
}

pub fn build(size: Size) -> Case {
    let count = size.pick(3000, 1 << 23);
    let wells = wells();
    let settings = Settings {
        time_step: 0.125,
        bound: 2.0,
        gravity: 9.5,
        drag: 0.99,
        steps: 24,
        wells: wells.len() as u32,
    };
    let random = Random::new(111);
    let particles = generate(count, |i| make_particle(random, i));

    let mut case = Case::new("particles", "particles/particles.cl");
    let mut record = vec![ScalarType::F32; 7];
    record.extend([ScalarType::U32, ScalarType::I32, ScalarType::U32, ScalarType::U32, ScalarType::U32]);
    let bytes = bytemuck::cast_slice(&particles).to_vec();
    let particles_id = case.add("particles", ResourceKind::Buffer { record }, bytes);
    let mut record = vec![ScalarType::F32; 5];
    record.extend([ScalarType::U32; 3]);
    let bytes = bytemuck::cast_slice(&wells).to_vec();
    let wells_id = case.add("wells", ResourceKind::Buffer { record }, bytes);
    case.launch(
        "particles",
        [round_up(count, GROUP)],
        [GROUP],
        vec![
            Argument::Resource(particles_id),
            Argument::Resource(wells_id),
            Argument::value(settings),
            Argument::value(count as u32),
        ],
    );
    let expected = generate(count, |i| simulate(particles[i], &wells, &settings));
    case.expect(particles_id, &expected, Tolerance::Exact, NOT_FUSED);
    case.work = Work { bytes: 96 * count as u64, operations: 0 };
    case
}

fn wells() -> Vec<Well> {
    let random = Random::new(112);
    (0..6)
        .map(|i| Well {
            centre: std::array::from_fn(|axis| 2.0 * random.signed(8 * i + axis)),
            squared_radius: random.between(8 * i + 3, 0.5, 6.0),
            strength: random.between(8 * i + 4, -1.0, 3.0),
            kinds: random.below(8 * i + 5, 16),
            pad: [0; 2],
        })
        .collect()
}

fn make_particle(random: Random, i: usize) -> Particle {
    let at = 16 * i;
    Particle {
        position: std::array::from_fn(|axis| 2.0 * random.signed(at + axis)),
        velocity: std::array::from_fn(|axis| 4.0 * random.signed(at + 3 + axis)),
        mass: random.unit(at + 6),
        kind: [DUST, BALL, SPARK, GHOST, BALL, DUST, SPARK, UNKNOWN][random.below(at + 7, 8) as usize],
        age: random.below(at + 8, 40) as i32,
        bounces: random.below(at + 9, 4),
        random: random.word(at + 10) | 1,
        flags: u32::from(random.below(at + 11, 32) == 0),
    }
}

/// All the steps of one particle. In `f32`, with each operation rounded, as in the kernel.
fn simulate(mut particle: Particle, wells: &[Well], settings: &Settings) -> Particle {
    for _ in 0..settings.steps {
        if particle.flags & ASLEEP == 0 {
            step(&mut particle, wells, settings);
        }
    }
    particle
}

fn step(particle: &mut Particle, wells: &[Well], settings: &Settings) {
    if particle.kind >= UNKNOWN {
        particle.flags |= ASLEEP;
        return;
    }
    if particle.kind == SPARK {
        particle.velocity[1] += 0.25 * random_float(&mut particle.random);
        particle.age += 1;
        if particle.age > 40 {
            for axis in 0..3 {
                particle.position[axis] = random_float(&mut particle.random) * settings.bound;
                particle.velocity[axis] = random_float(&mut particle.random);
            }
            particle.age = 0;
            particle.flags |= REBORN;
            return;
        }
    }
    let kept = match particle.kind {
        BALL => {
            particle.velocity[1] -= settings.gravity * settings.time_step;
            0.875
        }
        GHOST => 1.0,
        _ => {
            particle.velocity = particle.velocity.map(|value| value * settings.drag);
            0.5
        }
    };
    if particle.kind != BALL {
        attract(particle, wells, settings);
    }
    for axis in 0..3 {
        particle.position[axis] += particle.velocity[axis] * settings.time_step;
        if particle.kind != GHOST && particle.position[axis].abs() > settings.bound {
            let wall = settings.bound.copysign(particle.position[axis]);
            particle.position[axis] = 2.0 * wall - particle.position[axis];
            particle.velocity[axis] *= -kept;
            particle.bounces += 1;
        }
    }
    if particle.bounces > 12 {
        particle.flags |= ASLEEP;
    }
}

fn attract(particle: &mut Particle, wells: &[Well], settings: &Settings) {
    let kind = particle.kind;
    let mut reached = 0;
    for well in wells.iter().filter(|well| well.kinds >> kind & 1 == 1) {
        let way: [f32; 3] = std::array::from_fn(|axis| well.centre[axis] - particle.position[axis]);
        if way[0] * way[0] + way[1] * way[1] + way[2] * way[2] > well.squared_radius {
            continue;
        }
        reached += 1;
        if kind == GHOST && reached > 1 {
            return;
        }
        for (velocity, way) in particle.velocity.iter_mut().zip(way) {
            *velocity += way * (well.strength * settings.time_step);
        }
    }
}

fn random_float(state: &mut u32) -> f32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    (*state >> 16) as f32 / 32768.0 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inputs_reach_every_branch() {
        let case = build(Size::Small);
        let after: Vec<Particle> = bytemuck::pod_collect_to_vec(&case.outputs[0].expected);
        let some = |test: fn(&Particle) -> bool| assert!(after.iter().any(test) && !after.iter().all(test));
        some(|particle| particle.flags & REBORN != 0);
        some(|particle| particle.flags & ASLEEP != 0 && particle.bounces > 12);
        some(|particle| particle.kind == GHOST && particle.position.iter().any(|x| x.abs() > 2.0));
        assert!(wells().iter().any(|well| well.kinds >> GHOST & 1 == 1));
    }
}
