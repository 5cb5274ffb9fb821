//! The functions of extensions that the library exports.

use crate::c::Status;
use opencl_sys::*;
use std::ffi::{c_char, c_void};

unsafe extern "C" {
    pub fn clCreateCommandBufferKHR(
        n: u32,
        q: *const cl_command_queue,
        p: *const u64,
        e: *mut Status,
    ) -> *mut c_void;
    pub fn clReleaseCommandBufferKHR(b: *mut c_void) -> Status;
    pub fn clFinalizeCommandBufferKHR(b: *mut c_void) -> Status;
    pub fn clEnqueueCommandBufferKHR(
        n: u32,
        q: *mut cl_command_queue,
        b: *mut c_void,
        count: u32,
        w: *const cl_event,
        e: *mut cl_event,
    ) -> Status;
    pub fn clGetCommandBufferInfoKHR(
        b: *mut c_void,
        name: u32,
        size: usize,
        value: *mut c_void,
        r: *mut usize,
    ) -> Status;
    pub fn clCommandBarrierWithWaitListKHR(
        b: *mut c_void,
        q: cl_command_queue,
        p: *const u64,
        n: u32,
        w: *const u32,
        point: *mut u32,
        m: *mut *mut c_void,
    ) -> Status;
    pub fn clCommandFillBufferKHR(
        b: *mut c_void,
        q: cl_command_queue,
        p: *const u64,
        memory: cl_mem,
        pattern: *const c_void,
        length: usize,
        offset: usize,
        size: usize,
        n: u32,
        w: *const u32,
        point: *mut u32,
        m: *mut *mut c_void,
    ) -> Status;
    pub fn clCommandCopyBufferKHR(
        b: *mut c_void,
        q: cl_command_queue,
        p: *const u64,
        from: cl_mem,
        to: cl_mem,
        start: usize,
        end: usize,
        size: usize,
        n: u32,
        w: *const u32,
        point: *mut u32,
        m: *mut *mut c_void,
    ) -> Status;
    pub fn clCommandNDRangeKernelKHR(
        b: *mut c_void,
        q: cl_command_queue,
        p: *const u64,
        kernel: cl_kernel,
        dims: u32,
        offset: *const usize,
        global: *const usize,
        local: *const usize,
        n: u32,
        w: *const u32,
        point: *mut u32,
        m: *mut *mut c_void,
    ) -> Status;
    pub fn clCreateBufferWithProperties(
        c: cl_context,
        p: *const u64,
        flags: u64,
        size: usize,
        host: *mut c_void,
        e: *mut Status,
    ) -> cl_mem;
    pub fn clCreateImageWithProperties(
        c: cl_context,
        p: *const u64,
        flags: u64,
        f: *const cl_image_format,
        d: *const cl_image_desc,
        host: *mut c_void,
        e: *mut Status,
    ) -> cl_mem;
    pub fn clEnqueueAcquireExternalMemObjectsKHR(
        q: cl_command_queue,
        n: u32,
        m: *const cl_mem,
        count: u32,
        w: *const cl_event,
        e: *mut cl_event,
    ) -> Status;
    pub fn clEnqueueReleaseExternalMemObjectsKHR(
        q: cl_command_queue,
        n: u32,
        m: *const cl_mem,
        count: u32,
        w: *const cl_event,
        e: *mut cl_event,
    ) -> Status;
    pub fn clGetSemaphoreHandleForTypeKHR(
        s: cl_semaphore_khr,
        d: cl_device_id,
        kind: u32,
        size: usize,
        value: *mut c_void,
        ret: *mut usize,
    ) -> Status;
    pub fn clReImportSemaphoreSyncFdKHR(s: cl_semaphore_khr, p: *const u64, descriptor: i32) -> Status;
    pub fn clGetDeviceCooperativeMatrixInfoKHR(
        d: cl_device_id,
        name: u32,
        input_size: usize,
        input: *const c_void,
        size: usize,
        value: *mut c_void,
        ret: *mut usize,
    ) -> Status;
    pub fn clGetImageRequirementsInfoEXT(
        c: cl_context,
        p: *const u64,
        flags: u64,
        f: *const cl_image_format,
        d: *const cl_image_desc,
        name: u32,
        size: usize,
        value: *mut c_void,
        ret: *mut usize,
    ) -> Status;
    pub fn clUpdateMutableCommandsKHR(
        b: *mut c_void,
        n: u32,
        t: *const u32,
        c: *const *const crate::mutable::Config,
    ) -> Status;
    pub fn clGetMutableCommandInfoKHR(
        c: *mut c_void,
        name: u32,
        size: usize,
        value: *mut c_void,
        r: *mut usize,
    ) -> Status;
    pub fn clCreateSemaphoreWithPropertiesKHR(c: cl_context, p: *const u64, e: *mut Status) -> *mut c_void;
    pub fn clEnqueueWaitSemaphoresKHR(
        q: cl_command_queue,
        n: u32,
        s: *const cl_semaphore_khr,
        payloads: *const u64,
        count: u32,
        w: *const cl_event,
        e: *mut cl_event,
    ) -> Status;
    pub fn clEnqueueSignalSemaphoresKHR(
        q: cl_command_queue,
        n: u32,
        s: *const cl_semaphore_khr,
        payloads: *const u64,
        count: u32,
        w: *const cl_event,
        e: *mut cl_event,
    ) -> Status;
    pub fn clGetSemaphoreInfoKHR(
        s: cl_semaphore_khr,
        name: u32,
        size: usize,
        value: *mut c_void,
        ret: *mut usize,
    ) -> Status;
    pub fn clRetainSemaphoreKHR(s: cl_semaphore_khr) -> Status;
    pub fn clReleaseSemaphoreKHR(s: cl_semaphore_khr) -> Status;
    pub fn clSVMAllocWithPropertiesKHR(
        c: cl_context,
        p: *const u64,
        index: u32,
        size: usize,
        e: *mut Status,
    ) -> *mut c_void;
    pub fn clSVMFreeWithPropertiesKHR(
        c: cl_context,
        p: *const u64,
        flags: u64,
        memory: *mut c_void,
    ) -> Status;
    pub fn clGetSVMPointerInfoKHR(
        c: cl_context,
        d: cl_device_id,
        p: *const c_void,
        name: u32,
        size: usize,
        value: *mut c_void,
        ret: *mut usize,
    ) -> Status;
    pub fn clGetSVMSuggestedTypeIndexKHR(
        c: cl_context,
        required: u64,
        desired: u64,
        p: *const u64,
        size: usize,
        index: *mut u32,
    ) -> Status;
    pub fn clGetExtensionFunctionAddressForPlatform(p: cl_platform_id, name: *const c_char) -> *const c_void;
    pub fn clRemapCommandBufferKHR(
        b: *mut c_void,
        automatic: u32,
        n: u32,
        q: *const cl_command_queue,
        count: u32,
        h: *const *mut c_void,
        ret: *mut *mut c_void,
        e: *mut Status,
    ) -> *mut c_void;
}
