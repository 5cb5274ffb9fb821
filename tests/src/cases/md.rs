//! Molecular dynamics: the forces of a Lennard-Jones fluid, with lists of neighbours.

use crate::case::{Argument, Case, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;

const GROUP: usize = 128;
/// Neighbours in each list.
const LISTED: usize = 92;
const CUT_OFF: f32 = 2.5;
/// The coefficients of the repulsion and the attraction, of a potential with depth and radius 1.
const REPULSION: f32 = 48.0;
const ATTRACTION: f32 = 24.0;

pub fn build(size: Size) -> Case {
    let side: usize = size.pick(11, 104);
    let atoms = side * side * side;
    let random = Random::new(341);
    // Atoms of a liquid, each near its place in a lattice. Coordinates are multiples of 2⁻⁸, so distances
    // near the cut-off are exact, and no atom is on its other side.
    let positions = generate_rows(atoms, 4, |i, position: &mut [f32]| {
        for (axis, value) in position[..3].iter_mut().enumerate() {
            *value = 1.125 * place(i, side)[axis] as f32 + random.below(4 * i + axis, 64) as f32 / 256.0;
        }
        position[3] = f32::NAN;
    });
    let lists = generate_rows(atoms, LISTED, |i, list: &mut [u32]| list_near(i, side, list));
    let neighbours = generate(LISTED * atoms, |at| lists[at % atoms * LISTED + at / atoms]);

    let mut case = Case::new("md", "md/md.cl");
    let positions_id = case.input("positions", ScalarType::F32, &positions);
    let neighbours_id = case.input("neighbours", ScalarType::U32, &neighbours);
    let forces_id = case.output("forces", ScalarType::F32, 4 * atoms);
    let mut arguments = vec![Argument::Resource(positions_id), Argument::value(atoms as u32)];
    arguments.extend([Argument::Resource(neighbours_id), Argument::value(LISTED as u32)]);
    arguments.extend([CUT_OFF * CUT_OFF, REPULSION, ATTRACTION].map(Argument::value));
    arguments.push(Argument::Resource(forces_id));
    case.launch("md", [round_up(atoms, GROUP)], [GROUP], arguments);

    let expected = generate_rows(atoms, 4, |i, force: &mut [f32]| {
        force.copy_from_slice(&force_on(i, &positions, &lists[i * LISTED..(i + 1) * LISTED]));
    });
    let tolerance = Tolerance::Float { absolute: 2e-4, relative: 1e-5 };
    case.expect(
        forces_id,
        &expected,
        tolerance,
        "the repulsion of near atoms is in the hundreds, and cancels",
    );
    let bytes = atoms * (4 * LISTED + 32);
    case.work = Work { bytes: bytes as u64, operations: 0 };
    case
}

fn place(i: usize, side: usize) -> [usize; 3] {
    [i % side, i / side % side, i / side / side]
}

/// Atoms whose places are near that of atom `i`: the nearest first, and without end at the border, where
/// some are listed that are far away.
fn list_near(i: usize, side: usize, list: &mut [u32]) {
    let own = place(i, side);
    let mut offsets: Vec<[isize; 3]> = (0..125)
        .map(|it| [it % 5 - 2, it / 5 % 5 - 2, it / 25 - 2])
        .filter(|offset| *offset != [0; 3])
        .collect();
    offsets.sort_by_key(|offset| offset.iter().map(|it| it * it).sum::<isize>());
    for (entry, offset) in list.iter_mut().zip(offsets) {
        let [x, y, z]: [usize; 3] = std::array::from_fn(|axis| {
            (own[axis] as isize + offset[axis]).rem_euclid(side as isize) as usize
        });
        *entry = ((z * side + y) * side + x) as u32;
    }
}

fn force_on(i: usize, positions: &[f32], list: &[u32]) -> [f32; 4] {
    let position = |i: usize| -> [f64; 3] { std::array::from_fn(|axis| f64::from(positions[4 * i + axis])) };
    let own = position(i);
    let mut result = [0f64; 4];
    for other in list.iter().map(|&other| position(other as usize)) {
        let way: [f64; 3] = std::array::from_fn(|axis| own[axis] - other[axis]);
        let squared: f64 = way.iter().map(|it| it * it).sum();
        if squared < f64::from(CUT_OFF).powi(2) {
            let (repulsion, attraction) = (squared.powi(-6), squared.powi(-3));
            let slope = 48.0 * repulsion - 24.0 * attraction;
            for (force, way) in result.iter_mut().zip(way) {
                *force += way * slope / squared;
            }
            result[3] += 2.0 * (repulsion - attraction);
        }
    }
    result.map(|value| value as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_atoms_are_on_both_sides_of_the_cut_off() {
        let case = build(Size::Small);
        let positions: &[f32] = bytemuck::cast_slice(&case.resources[0].data);
        let neighbours: &[u32] = bytemuck::cast_slice(&case.resources[1].data);
        let atoms = positions.len() / 4;
        let squared = |i: usize, j: usize| -> f32 {
            (0..3).map(|axis| (positions[4 * i + axis] - positions[4 * j + axis]).powi(2)).sum()
        };
        let is_near = |at: &usize| squared(at % atoms, neighbours[*at] as usize) < CUT_OFF * CUT_OFF;
        let near = (0..neighbours.len()).filter(is_near).count();
        assert!(near > neighbours.len() / 4 && near < neighbours.len() * 3 / 4, "{near}");
        assert!((0..neighbours.len()).all(|at| squared(at % atoms, neighbours[at] as usize) > 0.5));
    }
}
