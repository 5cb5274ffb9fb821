//! Two training steps of a small network with a wide layer of inputs.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const HIDDEN: usize = 16;
/// Inputs of a work-group.
const ROWS: usize = 16;
const GROUP: [usize; 2] = [HIDDEN, ROWS];
const RATE: f32 = 0.25;
const MOMENTUM: f32 = 0.5;
const TARGET: f32 = 0.125;
const STEPS: usize = 2;

pub fn build(size: Size) -> Case {
    let (inputs, gatherers): (usize, usize) = size.pick((ROWS * 91, 3), (1 << 22, 512));
    let groups = inputs / ROWS;
    let random: [Random; 3] = std::array::from_fn(|i| Random::new(231 + i as u64));
    // Sums of this many products stay of the order of one.
    let scale = 1.0 / (inputs as f32).sqrt();
    let input = generate(inputs, |i| random[0].unit(i));
    let weights = generate(inputs * HIDDEN, |i| scale * random[1].signed(i));
    let output_weights = generate(HIDDEN, |i| random[2].signed(i));

    let mut case = Case::new("backprop", "backprop/backprop.cl");
    let input_id = case.input("inputs", ScalarType::F32, &input);
    let weights_id = case.input("weights", ScalarType::F32, &weights);
    let changes_id = case.input("changes", ScalarType::F32, &vec![0f32; inputs * HIDDEN]);
    let output_weights_id = case.input("output_weights", ScalarType::F32, &output_weights);
    let partial_id = case.output("partial", ScalarType::F32, groups * HIDDEN);
    let gathered_id = case.output("gathered", ScalarType::F32, gatherers * HIDDEN);
    let sums_id = case.output("sums", ScalarType::F32, HIDDEN);
    let deltas_id = case.output("deltas", ScalarType::F32, HIDDEN);
    let state_id = case.output("state", ScalarType::F32, 2);
    let resource = Argument::Resource;
    for _ in 0..STEPS {
        let arguments = [input_id, weights_id, partial_id].map(resource).to_vec();
        case.launch("forward", [groups * HIDDEN, ROWS], GROUP, arguments);
        for (from, rows, to, by) in
            [(partial_id, groups, gathered_id, gatherers), (gathered_id, gatherers, sums_id, 1)]
        {
            let arguments = vec![resource(from), Argument::value(rows as u32), resource(to)];
            case.launch("gather", [by * HIDDEN, ROWS], GROUP, arguments);
        }
        let mut arguments = [sums_id, output_weights_id].map(resource).to_vec();
        arguments.extend([TARGET, RATE].map(Argument::value));
        arguments.extend([deltas_id, state_id].map(resource));
        case.launch("output_layer", [HIDDEN], [HIDDEN], arguments);
        let mut arguments = [input_id, deltas_id, weights_id, changes_id].map(resource).to_vec();
        arguments.extend([RATE, MOMENTUM].map(Argument::value));
        case.launch("adjust", [groups * HIDDEN, ROWS], GROUP, arguments);
    }

    let mut network = Network {
        weights: weights.iter().copied().map(f64::from).collect(),
        changes: vec![0.0; inputs * HIDDEN],
        output_weights: output_weights.iter().copied().map(f64::from).collect(),
        state: [0.0; 2],
    };
    for _ in 0..STEPS {
        network.train(&input);
    }
    let float = |values: &[f64]| generate(values.len(), |i| values[i] as f32);
    let tolerance = Tolerance::Float { absolute: 3e-8, relative: 2e-6 };
    let reason = "sums of products below one, exponentials of 3 ulp";
    case.expect(weights_id, &float(&network.weights), tolerance, reason);
    case.expect(changes_id, &float(&network.changes), tolerance, reason);
    case.expect(output_weights_id, &float(&network.output_weights), tolerance, reason);
    case.expect(state_id, &float(&network.state), tolerance, reason);
    case.work = Work { bytes: (STEPS * inputs * (20 * HIDDEN + 8)) as u64, operations: 0 };
    case
}

/// What training changes. Weights from one input stand side by side.
struct Network {
    weights: Vec<f64>,
    changes: Vec<f64>,
    output_weights: Vec<f64>,
    /// The output of the last step, and its error.
    state: [f64; 2],
}

impl Network {
    fn train(&mut self, inputs: &[f32]) {
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let mut sums = [0f64; HIDDEN];
        for (&input, weights) in inputs.iter().zip(self.weights.chunks_exact(HIDDEN)) {
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += f64::from(input) * weight;
            }
        }
        let hidden = sums.map(sigmoid);
        let output = sigmoid(hidden.iter().zip(&self.output_weights).map(|(a, b)| a * b).sum());
        let error = output * (1.0 - output) * (f64::from(TARGET) - output);
        self.state = [output, error];
        let mut deltas = [0f64; HIDDEN];
        for (unit, delta) in deltas.iter_mut().enumerate() {
            *delta = hidden[unit] * (1.0 - hidden[unit]) * error * self.output_weights[unit];
            self.output_weights[unit] += f64::from(RATE) * error * hidden[unit];
        }
        for (i, (weight, change)) in self.weights.iter_mut().zip(&mut self.changes).enumerate() {
            let slope = deltas[i % HIDDEN] * f64::from(inputs[i / HIDDEN]);
            *change = f64::from(RATE) * slope + f64::from(MOMENTUM) * *change;
            *weight += *change;
        }
    }
}
