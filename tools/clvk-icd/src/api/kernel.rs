//! Kernels and their arguments.

use crate::border::{In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::{creation, status};
use crate::handle::Handle;
use crate::info::Request;
use crate::object::device::Device;
use crate::object::kernel::Kernel;
use crate::object::program::Program;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

creation! {
    /// `clCreateKernel`.
    fn clCreateKernel(program: Handle<Program>, name: In<c_char>) -> Handle<Kernel> {
        let program = program.get()?;
        program.any_executable().ok_or(code::INVALID_PROGRAM_EXECUTABLE)?;
        let name = name.text().ok_or(code::INVALID_VALUE)?;
        Ok(Handle::publish(Kernel::new(program, &name)?))
    }

    /// `clCloneKernel`.
    fn clCloneKernel(source: Handle<Kernel>) -> Handle<Kernel> {
        Ok(Handle::publish(source.get()?.duplicate()))
    }
}

/// The device that a query is about: if none is named, the program's only one.
fn device_of(kernel: &Kernel, device: Handle<Device>) -> Result<Arc<Device>> {
    match device.optional()? {
        Some(device) => Ok(device),
        None => match kernel.program().devices() {
            [only] => Ok(Arc::clone(only)),
            _ => Err(code::INVALID_DEVICE),
        },
    }
}

/// Answers a question about the sub-groups of a kernel.
fn answer_about_sub_groups(
    kernel: Handle<Kernel>,
    device: Handle<Device>,
    name: cl_kernel_sub_group_info,
    sizes: Vec<usize>,
    request: Request,
) -> Result<()> {
    let kernel = kernel.get()?;
    let device = device_of(&kernel, device)?;
    let answer = kernel.query_sub_group(&device, name, sizes, request.size)?;
    request.answer(answer)
}

status! {
    /// `clCreateKernelsInProgram`.
    fn clCreateKernelsInProgram(
        program: Handle<Program>,
        num_kernels: u32,
        kernels: Out<Handle<Kernel>>,
        num_kernels_ret: Out<u32>,
    ) {
        let program = program.get()?;
        let output = program.any_executable().ok_or(code::INVALID_PROGRAM_EXECUTABLE)?;
        let names = output.kernel_names();
        ensure(kernels.is_null() || num_kernels as usize >= names.len(), code::INVALID_VALUE)?;
        num_kernels_ret.set(names.len() as u32);
        if !kernels.is_null() {
            for (index, name) in names.iter().enumerate() {
                let kernel = Kernel::new(Arc::clone(&program), name)?;
                kernels.set_at(index, Handle::publish(kernel));
            }
        }
        Ok(())
    }

    /// `clRetainKernel`.
    fn clRetainKernel(kernel: Handle<Kernel>) {
        kernel.retain()
    }

    /// `clReleaseKernel`.
    fn clReleaseKernel(kernel: Handle<Kernel>) {
        kernel.release()
    }

    /// `clSetKernelArg`.
    fn clSetKernelArg(kernel: Handle<Kernel>, index: u32, size: usize, value: In<c_void>) {
        kernel.get()?.set_argument(index, size, value)
    }

    /// `clSetKernelArgDevicePointerEXT`.
    fn clSetKernelArgDevicePointerEXT(kernel: Handle<Kernel>, index: u32, address: u64) {
        kernel.get()?.set_address_argument(index, address)
    }

    /// `clSetKernelExecInfo`.
    fn clSetKernelExecInfo(
        kernel: Handle<Kernel>,
        name: cl_kernel_exec_info,
        size: usize,
        value: In<c_void>,
    ) {
        kernel.get()?.set_execution_info(name, size, value)
    }

    /// `clGetKernelInfo`.
    fn clGetKernelInfo(
        kernel: Handle<Kernel>,
        name: cl_kernel_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(kernel.get()?.query(name)?)
    }

    /// `clGetKernelArgInfo`.
    fn clGetKernelArgInfo(
        kernel: Handle<Kernel>,
        index: u32,
        name: cl_kernel_arg_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(kernel.get()?.query_argument(index, name)?)
    }

    /// `clGetKernelWorkGroupInfo`.
    fn clGetKernelWorkGroupInfo(
        kernel: Handle<Kernel>,
        device: Handle<Device>,
        name: cl_kernel_work_group_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        let kernel = kernel.get()?;
        let device = device_of(&kernel, device)?;
        Request { size, value, size_ret }.answer(kernel.query_work_group(&device, name)?)
    }

    /// `clGetKernelSubGroupInfo`.
    fn clGetKernelSubGroupInfo(
        kernel: Handle<Kernel>,
        device: Handle<Device>,
        name: cl_kernel_sub_group_info,
        input_size: usize,
        input: In<c_void>,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        let sizes = input.list_of_sizes(input_size);
        answer_about_sub_groups(kernel, device, name, sizes, Request { size, value, size_ret })
    }

    /// `clGetKernelSubGroupInfoKHR`.
    fn clGetKernelSubGroupInfoKHR(
        kernel: Handle<Kernel>,
        device: Handle<Device>,
        name: cl_kernel_sub_group_info,
        input_size: usize,
        input: In<c_void>,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        let sizes = input.list_of_sizes(input_size);
        answer_about_sub_groups(kernel, device, name, sizes, Request { size, value, size_ret })
    }
}
