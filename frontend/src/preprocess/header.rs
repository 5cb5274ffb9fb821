//! The headers of the library of OpenCL C++ (`frontend/headers`), which programs in C++ include by name.

use crate::options::Options;

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        /// Name and text, in the order of the names.
        const HEADERS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../headers/", $name)))),*];
    };
}

headers! {
    "opencl_array",
    "opencl_atomic",
    "opencl_common",
    "opencl_convert",
    "opencl_def",
    "opencl_device_queue",
    "opencl_functional",
    "opencl_geometric",
    "opencl_half",
    "opencl_image",
    "opencl_integer",
    "opencl_iterator",
    "opencl_limits",
    "opencl_marker",
    "opencl_math",
    "opencl_math_constants",
    "opencl_memory",
    "opencl_pipe",
    "opencl_printf",
    "opencl_range",
    "opencl_reinterpret",
    "opencl_relational",
    "opencl_spec_constant",
    "opencl_synchronization",
    "opencl_tuple",
    "opencl_type_traits",
    "opencl_utility",
    "opencl_vec",
    "opencl_vector_load_store",
    "opencl_vector_utility",
    "opencl_work_group",
    "opencl_work_item",
}

/// The text of a header of the library; C has none.
pub(super) fn find(name: &str, options: &Options) -> Option<&'static str> {
    let index = HEADERS.binary_search_by(|(header, _)| (*header).cmp(name)).ok()?;
    options.cxx.map(|_| HEADERS[index].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_are_sorted() {
        assert!(HEADERS.is_sorted_by(|(a, _), (b, _)| a < b));
    }
}
