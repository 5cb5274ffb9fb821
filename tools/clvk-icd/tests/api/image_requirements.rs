//! What images demand of a buffer, asked before they are created (cl_ext_image_requirements_info).

use crate::buffer_images::{PLANE, Shape, of_device};
use crate::c::*;
use crate::extensions::*;
use opencl_sys::*;
use std::ptr::{null, null_mut};

/// What images demand, of one channel or of all formats.
pub fn requirement(
    session: &Session,
    flags: u64,
    channel: Option<u32>,
    shape: Option<&cl_image_desc>,
    name: u32,
) -> Result<usize, Status> {
    let format = channel.map(|it| cl_image_format { image_channel_order: CL_R, image_channel_data_type: it });
    let format = format.as_ref().map_or(null(), std::ptr::from_ref);
    let shape = shape.map_or(null(), std::ptr::from_ref);
    let (mut bytes, mut size, context) = ([0u8; 8], 0, session.context);
    // SAFETY: the descriptions are whole, and there is room for the answer.
    let status = unsafe {
        let value = bytes.as_mut_ptr().cast();
        clGetImageRequirementsInfoEXT(context, null(), flags, format, shape, name, 8, value, &raw mut size)
    };
    if status == CL_SUCCESS { Ok(usize::from_le_bytes(bytes)) } else { Err(status) }
}

#[test]
fn alignments_are_those_of_the_pixels() {
    let session = Session::new();
    for (name, limit) in [
        (CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT, CL_DEVICE_IMAGE_PITCH_ALIGNMENT),
        (CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT, CL_DEVICE_IMAGE_PITCH_ALIGNMENT),
        (CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT),
    ] {
        let plane = PLANE.description(null_mut());
        for (channel, alignment) in [(CL_UNSIGNED_INT8, 2), (CL_UNSIGNED_INT16, 2), (CL_FLOAT, 4)] {
            assert_eq!(requirement(&session, 0, Some(channel), Some(&plane), name), Ok(alignment));
        }
        let empty = cl_image_desc { image_width: 0, ..plane };
        let refused = requirement(&session, 0, Some(CL_FLOAT), Some(&empty), name);
        assert_eq!(refused, Err(CL_INVALID_IMAGE_DESCRIPTOR));
        // The largest pixels have 16 bytes.
        let any = requirement(&session, 0, None, None, name).unwrap();
        let most = 16 * of_device(&session, limit);
        assert!(any.is_power_of_two() && (16..=most).contains(&any), "{name:#x}: {any}, {most}");
    }
}

#[test]
fn limits_are_those_of_the_shape() {
    let session = Session::new();
    let names = [
        CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT,
        CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT,
        CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT,
        CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT,
    ];
    let [plane, space, layers, texels] = [
        CL_DEVICE_IMAGE2D_MAX_WIDTH,
        CL_DEVICE_IMAGE3D_MAX_WIDTH,
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE,
        CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
    ]
    .map(|name| of_device(&session, name));
    // Zeros are for what a shape does not have.
    for (kind, limits) in [
        (CL_MEM_OBJECT_IMAGE1D, [plane, 0, 0, 0]),
        (CL_MEM_OBJECT_IMAGE1D_BUFFER, [texels, 0, 0, 0]),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, [plane, 0, 0, layers]),
        (CL_MEM_OBJECT_IMAGE2D, [plane, plane, 0, 0]),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, [plane, plane, 0, layers]),
        (CL_MEM_OBJECT_IMAGE3D, [space, space, space, 0]),
        (0, [plane.min(space).min(texels), plane.min(space), space, layers]),
    ] {
        let shape = Shape { kind, ..PLANE }.description(null_mut());
        for (name, limit) in names.into_iter().zip(limits) {
            let expected = if limit == 0 { Err(CL_INVALID_IMAGE_DESCRIPTOR) } else { Ok(limit) };
            let found = requirement(&session, CL_MEM_READ_ONLY, None, Some(&shape), name);
            assert_eq!(found, expected, "{kind:#x} {name:#x}");
        }
    }
}

#[test]
fn requirements_of_nothing_are_refused() {
    let session = Session::new();
    let (plane, channel) = (PLANE.description(null_mut()), Some(CL_FLOAT));
    let (size, pitch) = (CL_IMAGE_REQUIREMENTS_SIZE_EXT, CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT);
    let ask = |flags, channel, shape, name| requirement(&session, flags, channel, shape, name).unwrap_err();
    assert_eq!(ask(0, None, Some(&plane), size), CL_INVALID_VALUE);
    assert_eq!(ask(0, channel, None, size), CL_INVALID_VALUE);
    assert_eq!(ask(0, channel, Some(&plane), 0x1293), CL_INVALID_VALUE);
    assert_eq!(ask(1 << 40, channel, Some(&plane), size), CL_INVALID_VALUE);
    assert_eq!(ask(0, Some(7), Some(&plane), size), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    // A format that the driver lacks is as wrong as one that does not exist.
    assert_eq!(ask(0, Some(CL_UNORM_SHORT_555), Some(&plane), pitch), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    let unknown = Shape { kind: 7, ..PLANE }.description(null_mut());
    assert_eq!(ask(0, channel, Some(&unknown), pitch), CL_INVALID_IMAGE_DESCRIPTOR);
    let narrow = Shape { row: 4, ..PLANE }.description(null_mut());
    assert_eq!(ask(0, channel, Some(&narrow), size), CL_INVALID_IMAGE_DESCRIPTOR);
    let (unknown, context, mut room) = ([1u64, 1, 0], session.context, 0u32);
    let call = |context, properties: &[u64], value| {
        let (list, ret) = (properties.as_ptr(), null_mut());
        // SAFETY: a zero ends the list, and the value has four bytes.
        unsafe { clGetImageRequirementsInfoEXT(context, list, 0, null(), null(), pitch, 4, value, ret) }
    };
    assert_eq!(call(context, &unknown, null_mut()), CL_INVALID_PROPERTY);
    assert_eq!(call(null_mut(), &[0], null_mut()), CL_INVALID_CONTEXT);
    assert_eq!(call(context, &[0], (&raw mut room).cast()), CL_INVALID_VALUE);
    assert_eq!(call(context, &[0], null_mut()), CL_SUCCESS);
}
