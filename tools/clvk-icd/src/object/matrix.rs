//! The products of cooperative matrices that a device offers (`cl_khr_cooperative_matrix`).

use super::device::Device;
use crate::cl::*;
use crate::code::{self, Result};
use crate::info::{self, Answer};
use clvk_interface::Feature;

/// Vulkan's matrix engines want pointers and strides to be multiples of this many bytes.
const ENGINE_ALIGNMENT: cl_uint = 16;

impl Device {
    /// The answer to a query about cooperative matrices; `size` is the sub-groups', if the query has one.
    pub fn query_matrices(&self, name: cl_uint, size: Option<usize>) -> Result<Answer> {
        let fits = match name {
            CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR => size.is_none(),
            CL_DEVICE_COOPERATIVE_MATRIX_SUB_GROUP_VARIANTS_KHR => size.is_some(),
            _ => false,
        };
        if !fits {
            return Err(code::INVALID_VALUE);
        }
        let has = size.is_none_or(|size| size == self.profile().sub_group_size() as usize);
        let products = if has { self.profile().matrix_products() } else { Vec::new() };
        // `cl_device_cooperative_matrix_variant_khr`: eight words.
        let variants: Vec<cl_uint> = products
            .into_iter()
            .filter_map(|product| {
                let numbers = product.elements.map(|element| element.opencl_number());
                let [Some(a), Some(b), Some(c), Some(result)] = numbers else { return None };
                Some([product.m, product.n, product.k, a, b, c, result, CL_FALSE])
            })
            .flatten()
            .collect();
        info::list(&variants)
    }

    /// The answer to a query of the device about cooperative matrices.
    pub(super) fn query_matrix_memory(&self, name: cl_device_info) -> Option<Result<Answer>> {
        let is_known = matches!(
            name,
            CL_DEVICE_COOPERATIVE_MATRIX_POINTER_ALIGNMENT_KHR
                | CL_DEVICE_COOPERATIVE_MATRIX_STRIDE_MULTIPLE_KHR
        );
        let alignment = if self.profile().matrices.is_empty() { 1 } else { ENGINE_ALIGNMENT };
        (is_known && self.has(Feature::CooperativeMatrix)).then(|| info::value(alignment))
    }
}
