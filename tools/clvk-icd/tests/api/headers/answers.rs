//! Every query of the table, asked of live objects: each answer has the size of its C type.

use super::khronos::Headers;
use super::table::{Row, Table};
use crate::c::*;
use crate::extensions;
use crate::semaphores;
use clvk_icd::cl::*;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

unsafe extern "C" {
    fn clGetPipeInfo(m: cl_mem, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clGetKernelInfo(k: cl_kernel, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clGetKernelWorkGroupInfo(
        k: cl_kernel,
        d: cl_device_id,
        name: u32,
        size: usize,
        value: *mut c_void,
        ret: *mut usize,
    ) -> Status;
    fn clGetEventProfilingInfo(
        e: cl_event,
        name: u32,
        size: usize,
        value: *mut c_void,
        ret: *mut usize,
    ) -> Status;
}

/// A query of some object: name, size, place of the value, place of its size.
type Query<'a> = &'a dyn Fn(u32, usize, *mut c_void, *mut usize) -> Status;

/// The table, with the headers' values and sizes for it.
struct Expected {
    table: Table,
    sizes: BTreeMap<String, usize>,
    values: BTreeMap<String, i64>,
    extensions: Vec<String>,
}

impl Expected {
    fn new(session: &Session) -> Self {
        let (headers, table) = (Headers::find(), Table::read());
        let types: Vec<&str> =
            table.rows().filter_map(|row| row.ty.as_ref()).map(|answer| answer.ty.as_str()).collect();
        let names: Vec<&str> = table.rows().map(|row| row.name.as_str()).collect();
        let (sizes, values) = (headers.sizes(&types), headers.values(&names));
        let extensions = text(|size, value, ret| {
            // SAFETY: as much room as the size says.
            unsafe { clGetDeviceInfo(session.device, CL_DEVICE_EXTENSIONS, size, value, ret) }
        });
        let extensions = extensions.split(' ').map(str::to_owned).collect();
        Expected { table, sizes, values, extensions }
    }

    /// Asks all queries of a group but the `others`.
    fn check(&self, group: &str, others: &[&str], query: Query<'_>) {
        for row in &self.table.groups[group] {
            let value = self.values.get(&row.name).copied().or(row.value.map(i64::from));
            if let (Some(value), false) = (value, others.contains(&row.name.as_str())) {
                self.check_row(row, value as u32, query);
            }
        }
    }

    fn check_row(&self, row: &Row, value: u32, query: Query<'_>) {
        let offered = row.extension.as_ref().is_none_or(|name| self.extensions.contains(name));
        let name = &row.name;
        let mut size = usize::MAX;
        let Some(expected) = row.ty.as_ref().filter(|_| offered) else {
            assert_eq!(query(value, 0, null_mut(), &raw mut size), CL_INVALID_VALUE, "{name}");
            return;
        };
        let unit = self.sizes[&expected.ty];
        // One query of sub-groups answers as many numbers as there is room for.
        let room = if expected.list { 0 } else { unit };
        assert_eq!(query(value, room, null_mut(), &raw mut size), CL_SUCCESS, "{name}");
        if expected.list {
            assert!(size.is_multiple_of(unit), "{name}: {size} bytes are not a list of {}", expected.ty);
        } else {
            assert_eq!(size, unit, "{name} is a {}", expected.ty);
        }
        let mut bytes = vec![0u8; size];
        if name == "CL_PROGRAM_BINARIES" {
            return; // The value is pointers to where the binaries go.
        }
        assert_eq!(query(value, size, bytes.as_mut_ptr().cast(), null_mut()), CL_SUCCESS, "{name}");
        if expected.ty == "char" && size > 0 {
            assert_eq!(bytes.iter().position(|&byte| byte == 0), Some(size - 1), "{name} is a text");
        }
    }
}

#[test]
fn platforms_and_devices_answer_in_the_sizes_of_the_headers() {
    let session = Session::new();
    let expected = Expected::new(&session);
    let device = session.device;
    // SAFETY: as much room as the size says, here and below.
    unsafe {
        expected.check("cl_platform_info", &[], &|name, size, value, ret| {
            clGetPlatformInfo(null_mut(), name, size, value, ret)
        });
        expected.check("cl_device_info", &[], &|name, size, value, ret| {
            clGetDeviceInfo(device, name, size, value, ret)
        });
        expected.check("cl_context_info", &[], &|name, size, value, ret| {
            clGetContextInfo(session.context, name, size, value, ret)
        });
    }
}

#[test]
fn queues_and_events_answer_in_the_sizes_of_the_headers() {
    let session = Session::with(CL_QUEUE_PROFILING_ENABLE);
    let expected = Expected::new(&session);
    let mut event = null_mut();
    // SAFETY: as much room as the size says; the handles are the test's.
    unsafe {
        // Only on-device queues have a size.
        expected.check("cl_command_queue_info", &["CL_QUEUE_SIZE"], &|name, size, value, ret| {
            clGetCommandQueueInfo(session.queue, name, size, value, ret)
        });
        ok(clEnqueueMarkerWithWaitList(session.queue, 0, null(), &raw mut event));
        ok(clWaitForEvents(1, &raw const event));
        expected.check("cl_event_info", &[], &|name, size, value, ret| {
            clGetEventInfo(event, name, size, value, ret)
        });
        expected.check("cl_profiling_info", &[], &|name, size, value, ret| {
            clGetEventProfilingInfo(event, name, size, value, ret)
        });
        ok(clReleaseEvent(event));
        let semaphore = semaphores::semaphore(&session);
        expected.check("cl_semaphore_info_khr", &[], &|name, size, value, ret| {
            extensions::clGetSemaphoreInfoKHR(semaphore, name, size, value, ret)
        });
        ok(extensions::clReleaseSemaphoreKHR(semaphore));
        let buffer =
            created(|e| extensions::clCreateCommandBufferKHR(1, &raw const session.queue, null(), e));
        expected.check("cl_command_buffer_info_khr", &[], &|name, size, value, ret| {
            extensions::clGetCommandBufferInfoKHR(buffer, name, size, value, ret)
        });
        let program = session.built("kernel void nothing() {}");
        let kernel = session.kernel(program, c"nothing");
        let (global, mut command) = (1usize, null_mut());
        ok(extensions::clCommandNDRangeKernelKHR(
            buffer,
            null_mut(),
            null(),
            kernel,
            1,
            null(),
            &raw const global,
            null(),
            0,
            null(),
            null_mut(),
            &raw mut command,
        ));
        expected.check("cl_mutable_command_info_khr", &[], &|name, size, value, ret| {
            extensions::clGetMutableCommandInfoKHR(command, name, size, value, ret)
        });
        ok(extensions::clReleaseCommandBufferKHR(buffer));
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}

#[test]
fn queues_on_devices_answer_in_the_sizes_of_the_headers() {
    let session = Session::new();
    let expected = Expected::new(&session);
    let properties = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let list = [u64::from(CL_QUEUE_PROPERTIES), properties, 0];
    let mut status = CL_SUCCESS;
    // SAFETY: a zero ends the list, and there is as much room as the sizes say.
    unsafe {
        let queue = clCreateCommandQueueWithProperties(
            session.context,
            session.device,
            list.as_ptr(),
            &raw mut status,
        );
        if queue.is_null() {
            // The device has no on-device queues.
            assert_eq!(status, CL_INVALID_QUEUE_PROPERTIES);
            return;
        }
        expected.check("cl_command_queue_info", &[], &|name, size, value, ret| {
            clGetCommandQueueInfo(queue, name, size, value, ret)
        });
        ok(clReleaseCommandQueue(queue));
    }
}

#[test]
fn memory_objects_and_samplers_answer_in_the_sizes_of_the_headers() {
    let session = Session::new();
    let expected = Expected::new(&session);
    let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_FLOAT };
    // SAFETY: null and 0 are valid for all that is not set.
    let mut shape: cl_image_desc = unsafe { std::mem::zeroed() };
    (shape.image_type, shape.image_width, shape.image_height) = (CL_MEM_OBJECT_IMAGE2D, 4, 4);
    let buffer = session.buffer(CL_MEM_READ_WRITE, 64);
    // SAFETY: as much room as the size says; the handles are the test's.
    unsafe {
        let (flags, host) = (CL_MEM_READ_ONLY, null_mut());
        let image =
            created(|e| clCreateImage(session.context, flags, &raw const format, &raw const shape, host, e));
        let pipe = created(|e| clCreatePipe(session.context, 0, 4, 4, null(), e));
        // Only buffers that are made for it have an address.
        for memory in [buffer, image, pipe] {
            expected.check("cl_mem_info", &["CL_MEM_DEVICE_ADDRESS_EXT"], &|name, size, value, ret| {
                clGetMemObjectInfo(memory, name, size, value, ret)
            });
        }
        expected.check("cl_image_info", &[], &|name, size, value, ret| {
            clGetImageInfo(image, name, size, value, ret)
        });
        // No type of images has both slices and layers, so the limits are asked without a type.
        expected.check("cl_image_requirements_info_ext", &[], &|name, size, value, ret| {
            let whole = !(CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT..=CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT)
                .contains(&name);
            let open = cl_image_desc { image_type: if whole { shape.image_type } else { 0 }, ..shape };
            let (format, shape) = (&raw const format, &raw const open);
            extensions::clGetImageRequirementsInfoEXT(
                session.context,
                null(),
                0,
                format,
                shape,
                name,
                size,
                value,
                ret,
            )
        });
        expected.check("cl_pipe_info", &[], &|name, size, value, ret| {
            clGetPipeInfo(pipe, name, size, value, ret)
        });
        let (addressing, filter) = (CL_ADDRESS_CLAMP, CL_FILTER_LINEAR);
        let sampler = created(|e| clCreateSampler(session.context, CL_TRUE, addressing, filter, e));
        expected.check("cl_sampler_info", &[], &|name, size, value, ret| {
            clGetSamplerInfo(sampler, name, size, value, ret)
        });
        ok(clReleaseSampler(sampler));
        for memory in [buffer, image, pipe] {
            ok(clReleaseMemObject(memory));
        }
    }
}

#[test]
fn programs_and_kernels_answer_in_the_sizes_of_the_headers() {
    let session = Session::new();
    let expected = Expected::new(&session);
    let device = session.device;
    let program = session.built(
        "kernel void k(const global int *restrict a, local volatile int *b, float c, read_only image2d_t d) {
            b[0] = a[0] + (int)c + get_image_width(d);
        }",
    );
    let kernel = session.kernel(program, c"k");
    let inputs = [4usize];
    // SAFETY: as much room as the size says; the handles are the test's.
    unsafe {
        expected.check("cl_program_info", &[], &|name, size, value, ret| {
            clGetProgramInfo(program, name, size, value, ret)
        });
        expected.check("cl_program_build_info", &[], &|name, size, value, ret| {
            clGetProgramBuildInfo(program, device, name, size, value, ret)
        });
        expected.check("cl_kernel_info", &[], &|name, size, value, ret| {
            clGetKernelInfo(kernel, name, size, value, ret)
        });
        for index in 0..4 {
            expected.check("cl_kernel_arg_info", &[], &|name, size, value, ret| {
                clGetKernelArgInfo(kernel, index, name, size, value, ret)
            });
        }
        expected.check("cl_kernel_work_group_info", &[], &|name, size, value, ret| {
            clGetKernelWorkGroupInfo(kernel, device, name, size, value, ret)
        });
        expected.check("cl_kernel_sub_group_info", &[], &|name, size, value, ret| {
            let bytes = size_of_val(&inputs);
            clGetKernelSubGroupInfo(kernel, device, name, bytes, inputs.as_ptr().cast(), size, value, ret)
        });
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}
