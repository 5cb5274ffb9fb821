//! Euler's equations on an unstructured grid: long straight code, and loads through indices.

use crate::case::{Argument, Case, ResourceId, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const GROUP: usize = 128;
const FACES: usize = 4;
const VARIABLES: usize = 5;
/// Stages of a Runge-Kutta step.
const STAGES: usize = 3;
const COURANT: f32 = 0.25;
const WALL: i32 = -1;
const FAR_FIELD: i32 = -2;

type State = [f64; VARIABLES];

pub fn build(size: Size) -> Case {
    let (width, height, steps): (usize, usize, usize) = size.pick((37, 29, 2), (1024, 1024, 2));
    let grid = Grid::new(width, height);
    let cells = grid.volumes.len();
    let random = Random::new(262);
    let far_field = [1.0f32, 0.5, 0.0, 0.125, 2.75];
    let variables = generate(VARIABLES * cells, |i| far_field[i / cells] + 0.1 * random.signed(i));

    let mut case = Case::new("cfd", "cfd/cfd.cl");
    let variables_id = case.input("variables", ScalarType::F32, &variables);
    let neighbours_id = case.input("neighbours", ScalarType::I32, &grid.neighbours);
    let normals_id = case.input("normals", ScalarType::F32, &grid.normals);
    let volumes_id = case.input("volumes", ScalarType::F32, &grid.volumes);
    let far_field_id = case.input("far_field", ScalarType::F32, &far_field);
    let start_id = case.output("start", ScalarType::F32, VARIABLES * cells);
    let factors_id = case.output("factors", ScalarType::F32, cells);
    let fluxes_id = case.output("fluxes", ScalarType::F32, VARIABLES * cells);
    let arguments =
        |ids: &[ResourceId]| -> Vec<Argument> { ids.iter().copied().map(Argument::Resource).collect() };
    let number = || Argument::value(cells as i32);
    let global = [round_up(cells, GROUP)];
    for _ in 0..steps {
        let mut keep = arguments(&[variables_id, start_id]);
        keep.push(Argument::value((VARIABLES * cells) as i32));
        case.launch("keep", [round_up(VARIABLES * cells, GROUP)], [GROUP], keep);
        let mut step_factor = arguments(&[variables_id, volumes_id, factors_id]);
        step_factor.extend([number(), Argument::value(COURANT)]);
        case.launch("step_factor", global, [GROUP], step_factor);
        for stage in 0..STAGES {
            let mut flux = arguments(&[variables_id, neighbours_id, normals_id, fluxes_id]);
            flux.extend([number(), Argument::Resource(far_field_id)]);
            case.launch("flux", global, [GROUP], flux);
            let mut advance = arguments(&[start_id, variables_id, factors_id, fluxes_id]);
            advance.extend([number(), Argument::value(share(stage))]);
            case.launch("advance", global, [GROUP], advance);
        }
    }

    let state = |i: usize| -> State { std::array::from_fn(|it| f64::from(variables[it * cells + i])) };
    let mut states = generate(cells, state);
    for _ in 0..steps {
        states = grid.step(&states, far_field.map(f64::from));
    }
    let expected = generate(VARIABLES * cells, |i| states[i % cells][i / cells] as f32);
    let tolerance = Tolerance::Float { absolute: 2e-6, relative: 0.0 };
    case.expect(variables_id, &expected, tolerance, "some twenty roundings a stage, of values below four");
    // In a stage: states, faces with their normals and neighbours, fluxes twice, the start, the result; in a
    // step: states three times, factors twice, volumes.
    let floats = STAGES * (5 * VARIABLES + 4 * FACES + 1) + 3 * VARIABLES + 2;
    case.work = Work { bytes: (4 * steps * cells * floats) as u64, operations: 0 };
    case
}

fn share(stage: usize) -> f32 {
    1.0 / (STAGES - stage) as f32
}

/// Quadrilaterals, slightly turned; no flow enters a lens of cells in the middle. Cells that lie near each
/// other are shuffled.
struct Grid {
    /// By face, then by cell.
    neighbours: Vec<i32>,
    /// By face and axis, then by cell.
    normals: Vec<f32>,
    volumes: Vec<f32>,
}

impl Grid {
    fn new(width: usize, height: usize) -> Grid {
        let cells = width * height;
        let random = Random::new(261);
        // Within every run of 16 cells, another order for each.
        let shuffled = |i: usize| {
            let first = i / 16 * 16;
            if first + 16 > cells { i } else { first + (i % 16 * 5 + first / 16) % 16 }
        };
        let mut at = vec![0; cells];
        (0..cells).for_each(|i| at[shuffled(i)] = i);
        let is_hole = |x: usize, y: usize| {
            let (x, y) = (x as f32 / width as f32 - 0.5, y as f32 / height as f32 - 0.5);
            x * x + 4.0 * y * y < 0.02
        };
        let neighbour = |i: usize, face: usize| {
            let (x, y) = (at[i] % width, at[i] / width);
            let outside = match face {
                0 => x == 0,
                1 => x == width - 1,
                2 => y == 0,
                _ => y == height - 1,
            };
            if outside {
                return FAR_FIELD;
            }
            let (x, y) = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)][face];
            if is_hole(x, y) { WALL } else { shuffled(y * width + x) as i32 }
        };
        // One of the normals of a face, from the turn of the corner that its sides share.
        let normal = |i: usize, face: usize, axis: usize| {
            let turn = 0.1 * random.signed(4 * i + face);
            let sign = if face.is_multiple_of(2) { -1.0 } else { 1.0 };
            match axis {
                2 => 0.25 * turn,
                axis if axis == face / 2 => sign,
                _ => sign * turn,
            }
        };
        Grid {
            neighbours: generate(FACES * cells, |i| neighbour(i % cells, i / cells)),
            normals: generate(3 * FACES * cells, |i| normal(i % cells, i / cells / 3, i / cells % 3)),
            volumes: generate(cells, |i| 1.0 + random.unit(4 * cells + i)),
        }
    }

    /// A Runge-Kutta step of all cells.
    fn step(&self, start: &[State], far_field: State) -> Vec<State> {
        let factors = generate(start.len(), |i| {
            let (_, _, speed) = motion(&start[i]);
            f64::from(COURANT) / (f64::from(self.volumes[i]).sqrt() * speed)
        });
        let mut states = start.to_vec();
        for stage in 0..STAGES {
            let share = f64::from(share(stage));
            states = generate(start.len(), |i| {
                let flux = self.flux(&states, i, far_field);
                std::array::from_fn(|it| start[i][it] - share * factors[i] * flux[it])
            });
        }
        states
    }

    /// What flows out of a cell.
    fn flux(&self, states: &[State], i: usize, far_field: State) -> State {
        let cells = states.len();
        let mut sum = [0.0; VARIABLES];
        for face in 0..FACES {
            let normal: [f64; 3] =
                std::array::from_fn(|axis| f64::from(self.normals[(3 * face + axis) * cells + i]));
            let neighbour = self.neighbours[face * cells + i];
            let own_part = transport(&states[i], normal);
            let part: State = match neighbour {
                WALL => {
                    let pressure = motion(&states[i]).1;
                    [0.0, normal[0] * pressure, normal[1] * pressure, normal[2] * pressure, 0.0]
                }
                FAR_FIELD => {
                    let other = transport(&far_field, normal);
                    std::array::from_fn(|it| (own_part[it] + other[it]) / 2.0)
                }
                _ => {
                    let other = &states[neighbour as usize];
                    let other_part = transport(other, normal);
                    let size = normal.iter().map(|it| it * it).sum::<f64>().sqrt();
                    let damping = 0.1 * size * (motion(&states[i]).2 + motion(other).2);
                    std::array::from_fn(|it| {
                        (own_part[it] + other_part[it]) / 2.0 + damping * (states[i][it] - other[it])
                    })
                }
            };
            for (sum, part) in sum.iter_mut().zip(part) {
                *sum += part;
            }
        }
        sum
    }
}

/// Velocity, pressure, and the speed of waves.
fn motion(state: &State) -> ([f64; 3], f64, f64) {
    const GAMMA: f64 = 1.4;
    let velocity: [f64; 3] = std::array::from_fn(|axis| state[1 + axis] / state[0]);
    let squared: f64 = velocity.iter().map(|it| it * it).sum();
    let pressure = (GAMMA - 1.0) * (state[4] - state[0] * squared / 2.0);
    (velocity, pressure, squared.sqrt() + (GAMMA * pressure / state[0]).sqrt())
}

/// The fluxes of mass, momentum and energy of a state through a face.
fn transport(state: &State, normal: [f64; 3]) -> State {
    let (velocity, pressure, _) = motion(state);
    let through: f64 = velocity.iter().zip(normal).map(|(velocity, normal)| velocity * normal).sum();
    let mut flux = state.map(|value| value * through);
    for axis in 0..3 {
        flux[1 + axis] += pressure * normal[axis];
    }
    flux[4] += pressure * through;
    flux
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_walls_and_borders_and_faces_agree() {
        let grid = Grid::new(37, 29);
        let cells = grid.volumes.len();
        for kind in [WALL, FAR_FIELD] {
            assert!(grid.neighbours.contains(&kind));
        }
        for i in 0..cells {
            for face in 0..FACES {
                let neighbour = grid.neighbours[face * cells + i];
                if neighbour >= 0 {
                    let back = grid.neighbours[(face ^ 1) * cells + neighbour as usize];
                    assert!(back == i as i32 || back == WALL);
                }
            }
        }
    }
}
