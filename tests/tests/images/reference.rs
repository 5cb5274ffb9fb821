//! OpenCL C §8 in plain code: the results of reading an image.

use clvk_interface::ImageDimension;

/// An image: its texels as four numbers each.
pub struct Texels {
    pub dimension: ImageDimension,
    /// Width, height (1 if there is none), and depth or layers.
    pub size: [i32; 3],
    pub texels: Vec<[f64; 4]>,
    /// The colour outside.
    pub border: [f64; 4],
}

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    pub addressing: Addressing,
    pub linear: bool,
    pub normalized: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Addressing {
    None,
    Edge,
    Clamp,
    Repeat,
    Mirrored,
}

impl Sampler {
    /// Every combination that the language defines.
    pub fn all() -> Vec<Sampler> {
        use Addressing::{Clamp, Edge, Mirrored, None, Repeat};
        let mut all = Vec::new();
        for linear in [false, true] {
            for normalized in [false, true] {
                for addressing in [None, Edge, Clamp, Repeat, Mirrored] {
                    if normalized || matches!(addressing, None | Edge | Clamp) {
                        all.push(Sampler { addressing, linear, normalized });
                    }
                }
            }
        }
        all
    }

    /// Its initialiser in a program.
    pub fn source(self) -> String {
        let addressing = match self.addressing {
            Addressing::None => "CLK_ADDRESS_NONE",
            Addressing::Edge => "CLK_ADDRESS_CLAMP_TO_EDGE",
            Addressing::Clamp => "CLK_ADDRESS_CLAMP",
            Addressing::Repeat => "CLK_ADDRESS_REPEAT",
            Addressing::Mirrored => "CLK_ADDRESS_MIRRORED_REPEAT",
        };
        let filter = if self.linear { "LINEAR" } else { "NEAREST" };
        let normalized = if self.normalized { "TRUE" } else { "FALSE" };
        format!("{addressing} | CLK_FILTER_{filter} | CLK_NORMALIZED_COORDS_{normalized}")
    }
}

/// The number of axes that are addressed; the coordinate after them is the layer of an array.
pub fn axes(dimension: ImageDimension) -> usize {
    match dimension {
        ImageDimension::D1 | ImageDimension::D1Array | ImageDimension::D1Buffer => 1,
        ImageDimension::D2 | ImageDimension::D2Array => 2,
        ImageDimension::D3 => 3,
    }
}

/// Whether the image is an array.
pub fn is_array(dimension: ImageDimension) -> bool {
    matches!(dimension, ImageDimension::D1Array | ImageDimension::D2Array)
}

impl Texels {
    /// The sizes along the coordinates: those of the axes, then the layers.
    pub fn sizes(&self) -> Vec<i32> {
        let mut sizes = self.size[..axes(self.dimension)].to_vec();
        if is_array(self.dimension) {
            sizes.push(self.size[2]);
        }
        sizes
    }

    /// The texel at a position, or the border.
    fn texel(&self, place: &[i32]) -> [f64; 4] {
        let mut full = [0; 3];
        let axes = axes(self.dimension);
        full[..axes].copy_from_slice(&place[..axes]);
        if is_array(self.dimension) {
            full[2] = place[axes];
        }
        if full.iter().zip(self.size).any(|(&at, size)| at < 0 || at >= size) {
            return self.border;
        }
        let [x, y, z] = full;
        self.texels[((z * self.size[1] + y) * self.size[0] + x) as usize]
    }

    /// Reads with integer coordinates through a sampler.
    pub fn read_at(&self, sampler: Sampler, coordinates: &[i32]) -> [f64; 4] {
        let mut place = coordinates.to_vec();
        for (axis, (at, size)) in place.iter_mut().zip(self.sizes()).enumerate() {
            if axis >= axes(self.dimension) || sampler.addressing != Addressing::Clamp {
                *at = (*at).clamp(0, size - 1);
            }
        }
        self.texel(&place)
    }

    /// Reads with floating-point coordinates. The positions are computed in single precision, as §8.2 writes
    /// them.
    pub fn read(&self, sampler: Sampler, coordinates: &[f32]) -> [f64; 4] {
        let axes = axes(self.dimension);
        // For each axis, the positions and their weights.
        let mut choices: Vec<Vec<(i32, f64)>> = Vec::new();
        for (axis, (&coordinate, size)) in coordinates.iter().zip(self.sizes()).enumerate() {
            choices.push(if axis >= axes {
                vec![((coordinate.round_ties_even() as i32).clamp(0, size - 1), 1.0)]
            } else if sampler.linear {
                between(sampler, coordinate, size)
            } else {
                vec![(nearest(sampler, coordinate, size), 1.0)]
            });
        }
        let mut sum = [0.0; 4];
        let mut places = vec![(Vec::new(), 1.0)];
        for choice in choices {
            let longer = places.iter().flat_map(|(place, weight)| {
                choice.iter().map(move |&(at, factor)| {
                    let place: Vec<i32> = place.iter().copied().chain([at]).collect();
                    (place, weight * factor)
                })
            });
            places = longer.collect();
        }
        for (place, weight) in places {
            for (sum, part) in sum.iter_mut().zip(self.texel(&place)) {
                *sum += weight * part;
            }
        }
        sum
    }
}

fn nearest(sampler: Sampler, s: f32, size: i32) -> i32 {
    let n = size as f32;
    let u = if sampler.normalized { s * n } else { s };
    match sampler.addressing {
        Addressing::None | Addressing::Edge => (u.floor() as i32).clamp(0, size - 1),
        Addressing::Clamp => (u.floor() as i32).clamp(-1, size),
        Addressing::Repeat => {
            let i = ((s - s.floor()) * n).floor() as i32;
            if i > size - 1 { i - size } else { i }
        }
        Addressing::Mirrored => {
            let s = (s - 2.0 * (0.5 * s).round_ties_even()).abs();
            ((s * n).floor() as i32).min(size - 1)
        }
    }
}

fn between(sampler: Sampler, s: f32, size: i32) -> Vec<(i32, f64)> {
    let n = size as f32;
    let u = match sampler.addressing {
        Addressing::Repeat => (s - s.floor()) * n,
        Addressing::Mirrored => (s - 2.0 * (0.5 * s).round_ties_even()).abs() * n,
        _ if sampler.normalized => s * n,
        _ => s,
    };
    let low = (u - 0.5).floor();
    let weight = f64::from(u - 0.5 - low);
    let (first, second) = (low as i32, low as i32 + 1);
    let (first, second) = match sampler.addressing {
        Addressing::None | Addressing::Edge => (first.clamp(0, size - 1), second.clamp(0, size - 1)),
        Addressing::Clamp => (first.clamp(-1, size), second.clamp(-1, size)),
        Addressing::Repeat => (
            if first < 0 { size + first } else { first },
            if second > size - 1 { second - size } else { second },
        ),
        Addressing::Mirrored => (first.max(0), second.min(size - 1)),
    };
    vec![(first, 1.0 - weight), (second, weight)]
}
