//! The registry, and a module for each kernel.

use crate::case::Definition;

mod bitonic_sort;
mod black_scholes;
mod blend;
mod convolution;
mod histogram;
mod jacobi;
mod mandelbrot;
mod math_speed;
mod nbody;
mod particles;
mod reduction;
mod saxpy;
mod sgemm;
mod sha256;
mod spmv;
mod transpose;

/// Cases that only measure the speed of math functions.
pub const MATH: &[Definition] = math_speed::ALL;

/// All other cases.
pub const ALL: &[Definition] = &[
    Definition { name: "saxpy", build: saxpy::build },
    Definition { name: "sgemm", build: sgemm::build },
    Definition { name: "transpose", build: transpose::build },
    Definition { name: "reduction", build: reduction::build },
    Definition { name: "histogram", build: histogram::build },
    Definition { name: "nbody", build: nbody::build },
    Definition { name: "mandelbrot", build: mandelbrot::build },
    Definition { name: "black_scholes", build: black_scholes::build },
    Definition { name: "sha256", build: sha256::build },
    Definition { name: "convolution", build: convolution::build },
    Definition { name: "jacobi", build: jacobi::build },
    Definition { name: "bitonic_sort", build: bitonic_sort::build },
    Definition { name: "particles", build: particles::build },
    Definition { name: "spmv", build: spmv::build },
    Definition { name: "blend", build: blend::build },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Size;

    #[test]
    fn every_kernel_has_a_case_and_every_case_a_kernel() {
        let mut folders: Vec<String> = std::fs::read_dir(crate::case::kernel_folder())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        folders.sort();
        let mut names: Vec<&str> = ALL.iter().map(|definition| definition.name).collect();
        names.push("math_speed");
        names.sort_unstable();
        assert_eq!(folders, names);
    }

    #[test]
    fn no_case_is_right_before_it_has_run() {
        for definition in ALL.iter().chain(MATH) {
            let case = (definition.build)(Size::Small);
            assert_eq!(case.name, definition.name);
            assert!(case.source_path().is_file(), "{}", case.source);
            for output in &case.outputs {
                let before = &case.resources[output.resource.0].data;
                assert!(crate::compare::verify(&case, output, before).is_err(), "{}", case.name);
            }
        }
    }
}
