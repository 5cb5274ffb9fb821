//! Unified SVM (`cl_khr_unified_svm`).

use crate::border::{HostMemory, In, Out};
use crate::cl::*;
use crate::code::{self, ensure};
use crate::entry::{creation, status};
use crate::handle::Handle;
use crate::info::Request;
use crate::object::context::Context;
use crate::object::device::Device;
use crate::object::svm::Allocation;
use crate::object::unified_svm::Given;
use std::ffi::c_void;

creation! {
    /// `clSVMAllocWithPropertiesKHR`.
    fn clSVMAllocWithPropertiesKHR(
        context: Handle<Context>,
        properties: In<u64>,
        svm_type_index: u32,
        size: usize,
    ) -> *mut c_void {
        let (context, list) = (context.get()?, properties.properties());
        let given = Given { list: &list, is_list: !properties.is_null() };
        Ok(context.allocate_svm_type(given, svm_type_index, size)?.pointer().cast())
    }
}

status! {
    /// `clSVMFreeWithPropertiesKHR`. There are no properties and flags yet.
    fn clSVMFreeWithPropertiesKHR(
        context: Handle<Context>,
        properties: In<u64>,
        flags: cl_svm_free_flags_khr,
        pointer: HostMemory,
    ) {
        let context = context.get()?;
        ensure(properties.properties().is_empty(), code::INVALID_PROPERTY)?;
        ensure(flags == 0, code::INVALID_VALUE)?;
        if pointer.is_null() {
            return Ok(());
        }
        context.svm().free(pointer, Allocation::is_svm)
    }

    /// `clGetSVMPointerInfoKHR`.
    fn clGetSVMPointerInfoKHR(
        context: Handle<Context>,
        device: Handle<Device>,
        pointer: HostMemory,
        name: cl_svm_pointer_info_khr,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        let (context, device) = (context.get()?, device.optional()?);
        Request { size, value, size_ret }.answer(context.query_svm(device, pointer, name)?)
    }

    /// `clGetSVMSuggestedTypeIndexKHR`.
    fn clGetSVMSuggestedTypeIndexKHR(
        context: Handle<Context>,
        required: cl_svm_capabilities_khr,
        desired: cl_svm_capabilities_khr,
        properties: In<u64>,
        _size: usize,
        suggested: Out<u32>,
    ) {
        let context = context.get()?;
        ensure(!suggested.is_null(), code::INVALID_VALUE)?;
        suggested.set(context.suggested_svm_type(required, desired, &properties.properties())?);
        Ok(())
    }
}
