//! Queries about cooperative matrices (the draft of cl_khr_cooperative_matrix).

use crate::c::*;
use crate::extensions::clGetDeviceCooperativeMatrixInfoKHR;
use opencl_sys::*;
use std::ptr::{null, null_mut};

const DEFAULT_VARIANTS: u32 = 0x1078;
const VARIANTS: u32 = 0x1079;

/// The variants, eight words each.
fn variants(session: &Session, name: u32, sub_group: Option<usize>) -> Result<Vec<[u32; 8]>, Status> {
    let (input, input_size) = match &sub_group {
        Some(size) => (std::ptr::from_ref(size), size_of::<usize>()),
        None => (null(), 0),
    };
    let (device, mut size) = (session.device, 0);
    let mut words = [[0u32; 8]; 256];
    let room = size_of_val(&words);
    // SAFETY: there is room for the answer.
    let status = unsafe {
        let value = words.as_mut_ptr().cast();
        clGetDeviceCooperativeMatrixInfoKHR(
            device,
            name,
            input_size,
            input.cast(),
            room,
            value,
            &raw mut size,
        )
    };
    if status != CL_SUCCESS {
        return Err(status);
    }
    assert_eq!(size % 32, 0);
    Ok(words[..size / 32].to_vec())
}

#[test]
fn every_device_has_variants_of_halves_and_bytes() {
    let session = Session::new();
    let found = variants(&session, DEFAULT_VARIANTS, None).unwrap();
    assert!(!found.is_empty());
    for [m, n, k, a, b, c, result, saturating] in found {
        assert!(m > 0 && n > 0 && k > 0 && [a, b, c, result].iter().all(|&element| element <= 10));
        // CL_FALSE.
        assert_eq!(saturating, 0);
    }
}

#[test]
fn sub_groups_of_other_sizes_have_none() {
    let session = Session::new();
    // No device's sub-groups have that many work-items.
    assert_eq!(variants(&session, VARIANTS, Some(4096)), Ok(Vec::new()));
    assert_eq!(variants(&session, VARIANTS, None), Err(CL_INVALID_VALUE));
    assert_eq!(variants(&session, DEFAULT_VARIANTS, Some(8)), Err(CL_INVALID_VALUE));
    assert_eq!(variants(&session, 0x107A, None), Err(CL_INVALID_VALUE));
    // SAFETY: nothing is written.
    let status = unsafe {
        clGetDeviceCooperativeMatrixInfoKHR(
            null_mut(),
            DEFAULT_VARIANTS,
            0,
            null(),
            0,
            null_mut(),
            null_mut(),
        )
    };
    assert_eq!(status, CL_INVALID_DEVICE);
}
