//! Images with levels of detail (cl_khr_mipmap_image): created, filled, copied, mapped and read level by
//! level.

use crate::c::*;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// Side of the largest level, and levels.
const SIDE: usize = 8;
const LEVELS: u32 = 4;

fn created_with(session: &Session, kind: u32, levels: u32, host: *mut c_void) -> Result<cl_mem, Status> {
    let format = cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_SIGNED_INT32 };
    // SAFETY: numbers and null pointers.
    let mut shape: cl_image_desc = unsafe { std::mem::zeroed() };
    (shape.image_type, shape.image_width, shape.num_mip_levels) = (kind, SIDE, levels);
    (shape.image_height, shape.image_depth) = (SIDE, SIDE);
    let flags = if host.is_null() { 0 } else { CL_MEM_COPY_HOST_PTR };
    let mut status = 1;
    // SAFETY: the descriptions are whole, and refused with host memory.
    let image = unsafe {
        clCreateImage(session.context, flags, &raw const format, &raw const shape, host, &raw mut status)
    };
    if image.is_null() { Err(status) } else { Ok(image) }
}

fn move_level(session: &Session, image: cl_mem, level: usize, data: &mut [i32], write: bool) -> Status {
    let side = SIDE >> level;
    let (origin, region) = ([0, 0, level], [side, side, 1]);
    assert!(data.len() >= side * side);
    // SAFETY: three numbers each, and room for the level.
    unsafe {
        let (origin, region, data) = (origin.as_ptr(), region.as_ptr(), data.as_mut_ptr().cast());
        let (queue, none) = (session.queue, null_mut());
        if write {
            clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, null(), none)
        } else {
            clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, null(), none)
        }
    }
}

fn level_of(session: &Session, image: cl_mem, level: usize) -> Vec<i32> {
    let mut pixels = vec![0; (SIDE >> level).pow(2)];
    ok(move_level(session, image, level, &mut pixels, false));
    pixels
}

fn sampler(session: &Session, mip: u32, first: f32) -> cl_sampler {
    let list = [
        u64::from(CL_SAMPLER_MIP_FILTER_MODE),
        u64::from(mip),
        u64::from(CL_SAMPLER_LOD_MIN),
        u64::from(first.to_bits()),
        0,
    ];
    // SAFETY: a zero ends the list.
    created(|e| unsafe { clCreateSamplerWithProperties(session.context, list.as_ptr(), e) })
}

#[test]
fn levels_are_reached_by_origins_and_kernels() {
    let session = Session::new();
    let image = created_with(&session, CL_MEM_OBJECT_IMAGE2D, LEVELS, null_mut()).unwrap();
    let query = |size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, size, value, ret) }
    };
    assert_eq!(number(query), LEVELS);
    for level in 0..LEVELS as usize {
        let mut pixels: Vec<i32> =
            (0..(SIDE >> level).pow(2) as i32).map(|i| 1000 * level as i32 + i).collect();
        ok(move_level(&session, image, level, &mut pixels, true));
    }
    // A row of the second level is filled, and the corner of the first one goes to the third.
    let color = [77i32, 0, 0, 0];
    let none = null_mut();
    // SAFETY: colour, origins and regions are as long as their numbers say.
    unsafe {
        let (origin, region) = ([0usize, 1, 1], [4usize, 1, 1]);
        ok(clEnqueueFillImage(
            session.queue,
            image,
            color.as_ptr().cast(),
            origin.as_ptr(),
            region.as_ptr(),
            0,
            null(),
            none,
        ));
        let (from, to, region) = ([6usize, 6, 0], [0usize, 0, 2], [2usize, 2, 1]);
        let (from, to, region) = (from.as_ptr(), to.as_ptr(), region.as_ptr());
        ok(clEnqueueCopyImage(session.queue, image, image, from, to, region, 0, null(), none));
    }
    assert_eq!(level_of(&session, image, 1)[2..10], [1002, 1003, 77, 77, 77, 77, 1008, 1009]);
    assert_eq!(level_of(&session, image, 2), [54, 55, 62, 63]);
    assert_eq!(level_of(&session, image, 3), [3000]);

    let program = session.built(
        "#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
         kernel void look(read_only image2d_t image, sampler_t s, global int* out) {
             out[0] = get_image_num_mip_levels(image);
             out[1] = read_imagei(image, s, (float2)(0.1f), 3.0f).x;
             out[2] = read_imagei(image, s, (float2)(0.9f), 0.0f).x;
             out[3] = read_imagei(image, s, (float2)(0.9f)).x;
         }",
    );
    let (look, out) = (session.kernel(program, c"look"), session.buffer_of(&[0; 4]));
    let sampler = sampler(&session, CL_FILTER_NEAREST, 2.0);
    set(look, 0, &image);
    set(look, 1, &sampler);
    set(look, 2, &out);
    ok(session.launch(look, 1));
    // The sampler begins with the third level; a read without a level reads the first one.
    assert_eq!(session.contents(out, 4), [LEVELS as i32, 3000, 63, 63]);
    // SAFETY: the handles are this test's.
    unsafe {
        ok(clReleaseSampler(sampler));
        ok(clReleaseKernel(look));
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(out));
        ok(clReleaseMemObject(image));
    }
}

#[test]
fn levels_that_are_not_there_are_refused() {
    let session = Session::new();
    let mut pixels = [0i32; SIDE * SIDE];
    let refused = |kind, levels, host| created_with(&session, kind, levels, host).unwrap_err();
    assert_eq!(refused(CL_MEM_OBJECT_IMAGE2D, LEVELS + 1, null_mut()), CL_INVALID_IMAGE_DESCRIPTOR);
    assert_eq!(refused(CL_MEM_OBJECT_IMAGE2D, LEVELS, pixels.as_mut_ptr().cast()), CL_INVALID_HOST_PTR);
    let image = created_with(&session, CL_MEM_OBJECT_IMAGE2D, 2, null_mut()).unwrap();
    assert_eq!(move_level(&session, image, 2, &mut pixels, false), CL_INVALID_MIP_LEVEL);
    // For images with three coordinates, the level is the fourth number.
    let spatial = created_with(&session, CL_MEM_OBJECT_IMAGE3D, LEVELS, null_mut()).unwrap();
    let read = |origin: [usize; 4], region: [usize; 3]| {
        let mut pixels = [0i32; SIDE * SIDE];
        // SAFETY: four and three numbers, and room for the region.
        unsafe {
            clEnqueueReadImage(
                session.queue,
                spatial,
                CL_TRUE,
                origin.as_ptr(),
                region.as_ptr(),
                0,
                0,
                pixels.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        }
    };
    ok(read([0, 0, 1, 2], [2, 2, 1]));
    assert_eq!(read([0, 0, 2, 2], [2, 2, 1]), CL_INVALID_VALUE);
    assert_eq!(read([0, 0, 0, LEVELS as usize], [1, 1, 1]), CL_INVALID_MIP_LEVEL);
    // SAFETY: the handles are this test's.
    unsafe {
        ok(clReleaseMemObject(spatial));
        ok(clReleaseMemObject(image));
    }
}

#[test]
fn samplers_tell_their_levels() {
    let session = Session::new();
    let given = sampler(&session, CL_FILTER_LINEAR, 1.5);
    let query = |name| {
        // SAFETY: as much room as the size says.
        number(|size, value, ret| unsafe { clGetSamplerInfo(given, name, size, value, ret) })
    };
    assert_eq!(query(CL_SAMPLER_MIP_FILTER_MODE), CL_FILTER_LINEAR);
    assert_eq!(f32::from_bits(query(CL_SAMPLER_LOD_MIN)), 1.5);
    assert_eq!(f32::from_bits(query(CL_SAMPLER_LOD_MAX)), f32::MAX);
    // SAFETY: the handle is this test's.
    ok(unsafe { clReleaseSampler(given) });
}
