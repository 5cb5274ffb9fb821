//! Cooperative matrices (`cl_khr_cooperative_matrix`).

use crate::border::{In, Out};
use crate::cl;
use crate::code::{self, ensure};
use crate::entry::status;
use crate::handle::Handle;
use crate::info::Request;
use crate::object::device::Device;
use std::ffi::c_void;

status! {
    /// `clGetDeviceCooperativeMatrixInfoKHR`.
    fn clGetDeviceCooperativeMatrixInfoKHR(
        device: Handle<Device>,
        name: cl::cl_uint,
        input_size: usize,
        input: In<usize>,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        let device = device.get()?;
        let given = input.get();
        let fits = if given.is_some() { input_size == size_of::<usize>() } else { input_size == 0 };
        ensure(fits, code::INVALID_VALUE)?;
        Request { size, value, size_ret }.answer(device.query_matrices(name, given)?)
    }
}
