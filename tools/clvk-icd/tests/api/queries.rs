//! Queries.

use crate::c::*;
use opencl_sys::*;
use std::ptr::null_mut;

#[test]
fn a_value_needs_its_room() {
    let session = Session::new();
    let (mut value, mut size) = ([0xffu8; 16], 0);
    let place = value.as_mut_ptr().cast();
    // SAFETY: at most 16 bytes are written.
    unsafe {
        assert_eq!(
            clGetDeviceInfo(session.device, CL_DEVICE_ADDRESS_BITS, 3, place, null_mut()),
            CL_INVALID_VALUE
        );
        ok(clGetDeviceInfo(session.device, CL_DEVICE_ADDRESS_BITS, 16, place, &raw mut size));
        assert_eq!(clGetDeviceInfo(session.device, 0xffff, 16, place, null_mut()), CL_INVALID_VALUE);
    }
    assert_eq!((size, &value[..5]), (4, &[64, 0, 0, 0, 0xff][..]));
}

#[test]
fn devices_tell_what_the_specification_demands() {
    let session = Session::new();
    let raw = |name| {
        answer(|size, value, ret| {
            // SAFETY: as much room as the size says.
            unsafe { clGetDeviceInfo(session.device, name, size, value, ret) }
        })
    };
    let word = |name| u32::from_ne_bytes(raw(name).try_into().unwrap());
    let long = |name| u64::from_ne_bytes(raw(name).try_into().unwrap());
    assert!(word(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS) >= 3);
    assert!(long(CL_DEVICE_MAX_PARAMETER_SIZE) >= 1024);
    assert!(long(CL_DEVICE_LOCAL_MEM_SIZE) >= 32 << 10);
    let (all, one) = (long(CL_DEVICE_GLOBAL_MEM_SIZE), long(CL_DEVICE_MAX_MEM_ALLOC_SIZE));
    assert!(one <= all && one >= (all / 4).min(1 << 30));
    let single = long(CL_DEVICE_SINGLE_FP_CONFIG);
    assert_eq!(single & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN), CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN);
    let extensions = String::from_utf8(raw(CL_DEVICE_EXTENSIONS)).unwrap();
    assert!(extensions.contains("cl_khr_byte_addressable_store"), "{extensions}");
    let features = raw(CL_DEVICE_OPENCL_C_FEATURES);
    assert_eq!(features.len() % size_of::<cl_name_version>(), 0);
    assert!(features.windows(16).any(|part| part == b"__opencl_c_int64"));
}

#[test]
fn depth_images_are_two_dimensional() {
    let session = Session::new();
    let has_depth = |kind| {
        let mut formats = [cl_image_format { image_channel_order: 0, image_channel_data_type: 0 }; 128];
        let mut count = 0;
        // SAFETY: room for as many formats as it says.
        ok(unsafe {
            clGetSupportedImageFormats(
                session.context,
                CL_MEM_READ_ONLY,
                kind,
                formats.len() as u32,
                formats.as_mut_ptr(),
                &raw mut count,
            )
        });
        formats[..count as usize].iter().any(|format| format.image_channel_order == CL_DEPTH)
    };
    assert!(has_depth(CL_MEM_OBJECT_IMAGE2D) && has_depth(CL_MEM_OBJECT_IMAGE2D_ARRAY));
    for kind in [
        CL_MEM_OBJECT_IMAGE1D,
        CL_MEM_OBJECT_IMAGE1D_ARRAY,
        CL_MEM_OBJECT_IMAGE1D_BUFFER,
        CL_MEM_OBJECT_IMAGE3D,
    ] {
        assert!(!has_depth(kind), "{kind:#x}");
    }
}
