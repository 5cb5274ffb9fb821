//! The registry, and a module for each kernel.

use crate::case::Definition;

mod attention;
mod backprop;
mod bfs;
mod bitonic_sort;
mod black_scholes;
mod blend;
mod cfd;
mod convolution;
mod convolution_product;
mod derivatives;
mod fft;
mod histogram;
mod hotspot;
mod jacobi;
mod kmeans;
mod lava_md;
mod linear_algebra;
mod lud;
mod mandelbrot;
mod math_speed;
mod matrix_product;
mod md;
mod nbody;
mod needle;
mod particles;
mod radix_sort;
mod ray_tracer;
mod reduce_and_sort;
mod reduction;
mod saxpy;
mod sgemm;
mod sha256;
mod spmv;
mod spmv_ell;
mod srad;
mod staged_product;
mod stencil27;
mod tpacf;
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
    Definition { name: "linear_algebra", build: linear_algebra::build },
    Definition { name: "reduce_and_sort", build: reduce_and_sort::build },
    Definition { name: "ray_tracer", build: ray_tracer::build },
    Definition { name: "derivatives", build: derivatives::build },
    Definition { name: "lud", build: lud::build },
    Definition { name: "hotspot", build: hotspot::build },
    Definition { name: "srad", build: srad::build },
    Definition { name: "backprop", build: backprop::build },
    Definition { name: "kmeans", build: kmeans::build },
    Definition { name: "lava_md", build: lava_md::build },
    Definition { name: "cfd", build: cfd::build },
    Definition { name: "bfs", build: bfs::build },
    Definition { name: "needle", build: needle::build },
    Definition { name: "stencil27", build: stencil27::build },
    Definition { name: "spmv_ell", build: spmv_ell::build },
    Definition { name: "tpacf", build: tpacf::build },
    Definition { name: "radix_sort", build: radix_sort::build },
    Definition { name: "fft", build: fft::build },
    Definition { name: "md", build: md::build },
    Definition { name: "matrix_product", build: matrix_product::build },
    Definition { name: "matrix_product_bytes", build: matrix_product::build_bytes },
    Definition { name: "matrix_product_fused", build: matrix_product::build_fused },
    Definition { name: "matrix_product_bfloat16", build: matrix_product::build_bfloat16 },
    Definition { name: "matrix_product_batched", build: staged_product::build_batched },
    Definition { name: "attention", build: attention::build },
    Definition { name: "convolution_product", build: convolution_product::build },
];

/// Cases whose kernels are in C++ for OpenCL. Each does what the case of [`ALL`] with the same name does,
/// whose kernel is written by hand in OpenCL C.
pub const CXX: &[Definition] = &[
    Definition { name: "linear_algebra_cxx", build: linear_algebra::build_cxx },
    Definition { name: "reduce_and_sort_cxx", build: reduce_and_sort::build_cxx },
    Definition { name: "ray_tracer_cxx", build: ray_tracer::build_cxx },
    Definition { name: "derivatives_cxx", build: derivatives::build_cxx },
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
        let folder = |definition: &Definition| {
            let source = (definition.build)(Size::Small).source;
            source.split_once('/').map(|(folder, _)| folder.to_owned()).expect("sources are in folders")
        };
        let mut names: Vec<String> = ALL.iter().map(folder).collect();
        names.push("math_speed".to_owned());
        names.sort_unstable();
        names.dedup();
        assert_eq!(folders, names);
    }

    #[test]
    fn no_case_is_right_before_it_has_run() {
        for definition in ALL.iter().chain(MATH).chain(CXX) {
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
