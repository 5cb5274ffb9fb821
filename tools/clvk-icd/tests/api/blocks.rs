//! Blocks of images (`cl_intel_subgroups`, `_char`, `_short` and `_long`): every work-item has an element of
//! each row, counted in bytes, whatever the image's format.

use crate::c::*;
use crate::spirv::{assemble, create};
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// Formats whose pixels have at most four bytes, with the bytes of a pixel and of a channel.
const FORMATS: &[(u32, u32, usize, usize)] = &[
    (CL_R, CL_UNSIGNED_INT8, 1, 1),
    (CL_R, CL_UNORM_INT8, 1, 1),
    (CL_RG, CL_SNORM_INT8, 2, 1),
    (CL_RG, CL_SIGNED_INT8, 2, 1),
    (CL_R, CL_UNSIGNED_INT16, 2, 2),
    (CL_R, CL_HALF_FLOAT, 2, 2),
    (CL_RGBA, CL_UNSIGNED_INT8, 4, 1),
    (CL_RGBA, CL_SIGNED_INT8, 4, 1),
    (CL_RGBA, CL_UNORM_INT8, 4, 1),
    (CL_BGRA, CL_UNORM_INT8, 4, 1),
    (CL_sRGBA, CL_UNORM_INT8, 4, 1),
    (CL_sBGRA, CL_UNORM_INT8, 4, 1),
    (CL_RG, CL_UNORM_INT16, 4, 2),
    (CL_RG, CL_SNORM_INT16, 4, 2),
    (CL_RG, CL_HALF_FLOAT, 4, 2),
    (CL_R, CL_SIGNED_INT32, 4, 4),
    (CL_R, CL_UNSIGNED_INT32, 4, 4),
    (CL_R, CL_FLOAT, 4, 4),
];

/// The elements of blocks, with their bytes and the end of the functions' names.
const ELEMENTS: &[(&str, usize, &str)] =
    &[("uchar", 1, "_uc"), ("ushort", 2, "_us"), ("uint", 4, ""), ("ulong", 8, "_ul")];

/// Bytes of a row of the images: fewer than some blocks have.
const ROW: usize = 240;
const ROWS: usize = 6;

fn lists(session: &Session) -> bool {
    let extensions = text(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetDeviceInfo(session.device, CL_DEVICE_EXTENSIONS, size, value, ret) }
    });
    let has = |name: &str| extensions.split(' ').any(|listed| listed == name);
    let all = ["cl_intel_subgroups", "cl_intel_subgroups_char", "cl_intel_subgroups_short"];
    let count = all.into_iter().chain(["cl_intel_subgroups_long"]).filter(|name| has(name)).count();
    assert!(count == 0 || count == 4);
    count == 4
}

/// Bytes for pixels of this channel: those of normal numbers where it is a float.
fn bytes(data_type: u32, channel: usize) -> Vec<u8> {
    let float = matches!(data_type, CL_HALF_FLOAT | CL_FLOAT);
    let byte = |index: usize| {
        let value = (index * 89 + index / 7 * 13 + index / ROW * 31) as u8;
        let is_last = index % channel == channel - 1;
        match data_type {
            _ if float && is_last => value & 0x1F | 0x20,
            // The most negative numbers have two forms each.
            CL_SNORM_INT8 | CL_SNORM_INT16 if is_last && value == 0x80 => 0x81,
            _ => value,
        }
    };
    (0..ROW * ROWS).map(byte).collect()
}

fn image(session: &Session, format: (u32, u32, usize, usize), data: &[u8]) -> cl_mem {
    let (image_channel_order, image_channel_data_type, pixel, _) = format;
    let format = cl_image_format { image_channel_order, image_channel_data_type };
    let description = image_2d(ROW / pixel, ROWS);
    let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    let host = data.as_ptr().cast_mut().cast();
    let (format, description) = (&raw const format, &raw const description);
    // SAFETY: the host's memory has all pixels.
    created(|e| unsafe { clCreateImage(session.context, flags, format, description, host, e) })
}

fn pixels(session: &Session, image: cl_mem, pixel: usize) -> Vec<u8> {
    let mut data = vec![0u8; ROW * ROWS];
    let (origin, region) = ([0usize; 3], [ROW / pixel, ROWS, 1]);
    let (queue, place) = (session.queue, data.as_mut_ptr().cast::<c_void>());
    // SAFETY: as much room as all pixels need; the read blocks.
    ok(unsafe {
        let (origin, region) = (origin.as_ptr(), region.as_ptr());
        clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, place, 0, null(), null_mut())
    });
    data
}

/// The kernels for an element: one reads two rows of a block, the others write them.
fn program(session: &Session, (element, _, end): (&str, usize, &str)) -> cl_program {
    session.built_for_version_three(&format!(
        "kernel void read(read_only image2d_t image, int2 at, global {element}2 *out) {{
             out[get_local_id(0)] = intel_sub_group_block_read{end}2(image, at);
         }}
         kernel void write(write_only image2d_t image, int2 at, global const {element}2 *from) {{
             intel_sub_group_block_write{end}2(image, at, from[get_local_id(0)]);
         }}
         #ifdef __opencl_c_read_write_images
         kernel void read_both(read_write image2d_t image, int2 at, global {element} *out) {{
             out[get_local_id(0)] = intel_sub_group_block_read{end}(image, at);
         }}
         kernel void write_both(read_write image2d_t image, int2 at, global const {element} *from) {{
             intel_sub_group_block_write{end}(image, at, from[get_local_id(0)]);
         }}
         #endif"
    ))
}

/// The kernel for images that are read and written, where the device has them.
fn kernel_of_both(session: &Session, program: cl_program, name: &std::ffi::CStr) -> Option<cl_kernel> {
    let count = number(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetDeviceInfo(session.device, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, size, value, ret) }
    });
    (count > 0).then(|| session.kernel(program, name))
}

/// Launches one full sub-group.
fn launch(session: &Session, kernel: cl_kernel, image: cl_mem, at: [i32; 2], buffer: cl_mem, size: usize) {
    set(kernel, 0, &image);
    set(kernel, 1, &at);
    set(kernel, 2, &buffer);
    let (queue, size) = (session.queue, &raw const size);
    // SAFETY: one size each.
    ok(unsafe { clEnqueueNDRangeKernel(queue, kernel, 1, null(), size, size, 0, null(), null_mut()) });
}

/// The work-items of a sub-group.
fn width(session: &Session, kernel: cl_kernel) -> usize {
    let (device, many) = (session.device, 1024usize);
    let bytes = answer(|size, value, ret| {
        let (room, input) = (size_of::<usize>(), (&raw const many).cast());
        // SAFETY: one size, and as much room as the size says.
        unsafe {
            let name = CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
            clGetKernelSubGroupInfo(kernel, device, name, room, input, size, value, ret)
        }
    });
    usize::from_ne_bytes(bytes.try_into().unwrap())
}

fn contents(session: &Session, buffer: cl_mem, size: usize) -> Vec<u8> {
    session.contents(buffer, size.div_ceil(4)).into_iter().flat_map(i32::to_ne_bytes).take(size).collect()
}

#[test]
fn reads_give_the_bytes_of_pixels() {
    let session = Session::new();
    if !lists(&session) {
        return;
    }
    for &element in ELEMENTS {
        let program = program(&session, element);
        let (read, read_both) =
            (session.kernel(program, c"read"), kernel_of_both(&session, program, c"read_both"));
        let (width, size) = (width(&session, read), element.1);
        let out = session.buffer(CL_MEM_READ_WRITE, 2 * size * width);
        for &format in FORMATS {
            let data = bytes(format.1, format.3);
            let source = image(&session, format, &data);
            // A block's row may begin at any byte, and go beyond the edge where pixels have four bytes.
            let last = (ROW as i32) - (size * width) as i32;
            for at in [[0, 0], [4, 2], [5, 4], [7, 1], [last + 9, 5], [-6, -1]] {
                let clamped = format.2 == 4 || (at[0] >= 0 && at[0] <= last);
                if !clamped {
                    continue;
                }
                let byte = |row: usize, at_byte: usize| {
                    let y = (at[1] + row as i32).clamp(0, ROWS as i32 - 1) as usize;
                    let x = at[0] + at_byte as i32;
                    let pixel = x.div_euclid(4).clamp(0, ROW as i32 / 4 - 1);
                    let x = if format.2 == 4 { pixel * 4 + x.rem_euclid(4) } else { x };
                    data[y * ROW + x as usize]
                };
                let row = |row: usize, lane: usize| (0..size).map(move |part| (row, lane * size + part));
                let expected: Vec<u8> = (0..width)
                    .flat_map(|lane| row(0, lane).chain(row(1, lane)))
                    .map(|(row, place)| byte(row, place))
                    .collect();
                launch(&session, read, source, at, out, width);
                let context = format!("{element:?} {format:?} {at:?}");
                assert_eq!(contents(&session, out, expected.len()), expected, "{context}");
                let first: Vec<u8> = (0..width * size).map(|place| byte(0, place)).collect();
                if let Some(read_both) = read_both {
                    launch(&session, read_both, source, at, out, width);
                    assert_eq!(contents(&session, out, first.len()), first, "{context}");
                }
            }
            // SAFETY: the test's own.
            ok(unsafe { clReleaseMemObject(source) });
        }
        release(&[out], &[Some(read), read_both], program);
    }
}

#[test]
fn writes_leave_the_bytes_in_pixels() {
    let session = Session::new();
    if !lists(&session) {
        return;
    }
    for &element in ELEMENTS {
        let program = program(&session, element);
        let (write, both) =
            (session.kernel(program, c"write"), kernel_of_both(&session, program, c"write_both"));
        let (width, size) = (width(&session, write), element.1);
        for &format in FORMATS {
            let (before, new) = (bytes(format.1, format.3), bytes(format.1, format.3));
            let new: Vec<u8> = new.into_iter().rev().collect();
            // The kind of numbers depends on the place of their bytes, so these are turned pixel by pixel.
            let new: Vec<u8> = new.chunks(format.3).flat_map(|c| c.iter().rev().copied()).collect();
            for at in [[0, 0], [4, 3], [ROW as i32 - (size * width) as i32 + 8, 5], [-8, -1]] {
                if format.2 != 4 && (at[0] < 0 || at[0] as usize + size * width > ROW) {
                    continue;
                }
                for (kernel, rows) in [(Some(write), 2), (both, 1)] {
                    let Some(kernel) = kernel else { continue };
                    let target = image(&session, format, &before);
                    let mut expected = before.clone();
                    // Work-items have their elements of all rows beside each other.
                    let mut elements = vec![0u8; (width * size * rows).next_multiple_of(4)];
                    for (row, bytes) in new.chunks(width * size).take(rows).enumerate() {
                        for (place, &byte) in bytes.iter().enumerate() {
                            elements[(place / size * rows + row) * size + place % size] = byte;
                            let (x, y) = (at[0] + place as i32, at[1] + row as i32);
                            if (0..ROW as i32).contains(&x) && (0..ROWS as i32).contains(&y) {
                                expected[y as usize * ROW + x as usize] = byte;
                            }
                        }
                    }
                    let words: Vec<i32> =
                        elements.chunks(4).map(|word| i32::from_ne_bytes(word.try_into().unwrap())).collect();
                    let from = session.buffer_of(&words);
                    launch(&session, kernel, target, at, from, width);
                    let found = pixels(&session, target, format.2);
                    assert_eq!(found, expected, "{element:?} {format:?} {at:?} {rows}");
                    // SAFETY: the test's own.
                    unsafe {
                        ok(clReleaseMemObject(from));
                        ok(clReleaseMemObject(target));
                    }
                }
            }
        }
        release(&[], &[Some(write), both], program);
    }
}

fn release(buffers: &[cl_mem], kernels: &[Option<cl_kernel>], program: cl_program) {
    // SAFETY: the handles are the test's.
    unsafe {
        for &buffer in buffers {
            ok(clReleaseMemObject(buffer));
        }
        for &kernel in kernels.iter().flatten() {
            ok(clReleaseKernel(kernel));
        }
        ok(clReleaseProgram(program));
    }
}

#[test]
fn wrong_images_are_refused() {
    let session = Session::new();
    if !lists(&session) {
        return;
    }
    for (parameters, call, message) in [
        ("write_only image2d_t i", "intel_sub_group_block_read(i, (int2)(0))", "cannot be read"),
        ("read_only image2d_t i", "intel_sub_group_block_write(i, (int2)(0), 1u)", "cannot be written"),
        ("read_only image3d_t i", "intel_sub_group_block_read(i, (int2)(0))", "image2d_t"),
        ("read_only image2d_t i", "intel_sub_group_block_read(i, (float2)(0))", "int2"),
        ("read_only image2d_t i", "intel_sub_group_block_read(i)", "2"),
    ] {
        let program = session.program(&format!("kernel void k({parameters}) {{ {call}; }}"));
        // SAFETY: no pointers but the program.
        let status =
            unsafe { clBuildProgram(program, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut()) };
        assert_eq!(status, CL_BUILD_PROGRAM_FAILURE, "{call}");
        let log = session.log(program);
        assert!(log.contains(message), "{log}");
        // SAFETY: the test's own.
        ok(unsafe { clReleaseProgram(program) });
    }
}

/// Two rows from one image to another, with the instructions of `SPV_INTEL_subgroups`.
const COPY: &str = "
               OpCapability Addresses
               OpCapability Kernel
               OpCapability ImageBasic
               OpCapability SubgroupImageBlockIOINTEL
               OpExtension \"SPV_INTEL_subgroups\"
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %copy \"copy\"
       %void = OpTypeVoid
       %uint = OpTypeInt 32 0
       %pair = OpTypeVector %uint 2
     %source = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
     %target = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
       %type = OpTypeFunction %void %source %target %pair
       %copy = OpFunction %void None %type
       %from = OpFunctionParameter %source
         %to = OpFunctionParameter %target
         %at = OpFunctionParameter %pair
      %entry = OpLabel
       %rows = OpSubgroupImageBlockReadINTEL %pair %from %at
               OpSubgroupImageBlockWriteINTEL %to %at %rows
               OpReturn
               OpFunctionEnd
";

#[test]
fn modules_read_and_write_blocks_of_images() {
    let session = Session::new();
    if !lists(&session) {
        return;
    }
    let program = create(&session, &assemble(COPY));
    // SAFETY: no pointers but the program.
    let status = unsafe { clBuildProgram(program, 0, null(), null(), None, null_mut()) };
    assert_eq!(status, CL_SUCCESS, "{}", session.log(program));
    let copy = session.kernel(program, c"copy");
    let width = width(&session, copy);
    let format = (CL_RGBA, CL_UNSIGNED_INT8, 4, 1);
    let (data, mut expected) = (bytes(format.1, format.3), vec![9; ROW * ROWS]);
    let (from, to) = (image(&session, format, &data), image(&session, format, &expected));
    set(copy, 0, &from);
    set(copy, 1, &to);
    set(copy, 2, &[8i32, 1]);
    let (queue, size) = (session.queue, &raw const width);
    // SAFETY: one size each.
    ok(unsafe { clEnqueueNDRangeKernel(queue, copy, 1, null(), size, size, 0, null(), null_mut()) });
    for start in [ROW + 8, 2 * ROW + 8] {
        let end = start + (4 * width).min(ROW - 8);
        expected[start..end].copy_from_slice(&data[start..end]);
    }
    assert_eq!(pixels(&session, to, 4), expected);
    release(&[from, to], &[Some(copy)], program);
}
