//! Images.

use super::external::{MemoryProperties, memory_properties};
use super::memory::{check_flags, check_host_pointer, inherited_flags, with_default_access};
use crate::border::{HostMemory, In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::{creation, status};
use crate::handle::Handle;
use crate::info::{self, Request};
use crate::object::context::Context;
use crate::object::device::Device;
use crate::object::format;
use crate::object::image::{self, Image};
use crate::object::memory::Memory;
use clvk_interface::Feature;
use std::ffi::c_void;
use std::sync::Arc;

/// The devices of a context that have images.
pub fn imaging_devices(context: &Context) -> impl Iterator<Item = &Arc<Device>> {
    context.devices().iter().filter(|device| device.has(Feature::Images))
}

/// The common part of `clCreateImage` and the older functions.
fn create_image(
    context: Handle<Context>,
    properties: In<u64>,
    flags: cl_mem_flags,
    format: In<cl_image_format>,
    description: Option<cl_image_desc>,
    pointer: HostMemory,
) -> Result<Handle<Memory>> {
    let context = context.get()?;
    check_flags(flags)?;
    let MemoryProperties { given, import } = memory_properties(&context, flags, properties, true)?;
    let format = format.get().ok_or(code::INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
    let pixel = format::of(format);
    ensure(pixel != Err(code::INVALID_IMAGE_FORMAT_DESCRIPTOR), code::INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
    let description = description.ok_or(code::INVALID_IMAGE_DESCRIPTOR)?;
    let parent = parent(&context, &description)?;
    let flags = match &parent {
        Some(parent) => inherited_flags(parent.flags(), flags)?,
        None => with_default_access(flags),
    };
    ensure(imaging_devices(&context).next().is_some(), code::INVALID_OPERATION)?;
    ensure(parent.is_none() || pointer.is_null(), code::INVALID_HOST_PTR)?;
    ensure(description.num_mip_levels < 2 || pointer.is_null(), code::INVALID_HOST_PTR)?;
    if import.is_some() {
        ensure(parent.is_none(), code::INVALID_IMAGE_DESCRIPTOR)?;
        ensure(pointer.is_null(), code::INVALID_HOST_PTR)?;
    }
    let home = match parent {
        Some(parent) => Home::Buffer(Some(parent)),
        None if import.is_some() => Home::Buffer(None),
        None if pointer.is_null() => Home::Device,
        None => Home::Host,
    };
    let image = shape(&context, format, pixel?, &description, home)?;
    if let Some(import) = import {
        return Ok(Handle::publish(Memory::imported_image(context, flags, image, import, given)?));
    }
    if image.buffer.is_none() {
        check_host_pointer(flags, pointer)?;
    }
    Ok(Handle::publish(Memory::image_object(context, flags, image, pointer, given)?))
}

/// Where the pixels of an image come from.
pub enum Home {
    /// Nowhere.
    Device,
    /// From the application's memory.
    Host,
    /// They are those of a buffer; of any, if none is given.
    Buffer(Option<Arc<Memory>>),
}

/// The memory object that the image is created from.
fn parent(context: &Arc<Context>, description: &cl_image_desc) -> Result<Option<Arc<Memory>>> {
    let handle: Handle<Memory> = Handle::from_word(description.buffer as usize);
    let parent = handle.optional().map_err(|_| code::INVALID_IMAGE_DESCRIPTOR)?;
    let needs = description.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    match &parent {
        None => ensure(!needs, code::INVALID_IMAGE_DESCRIPTOR)?,
        Some(parent) => {
            // Images made from images are optional, and no device has them.
            let planar = description.image_type == CL_MEM_OBJECT_IMAGE2D;
            ensure(!planar || parent.image().is_none(), code::INVALID_OPERATION)?;
            ensure(parent.is_buffer(), code::INVALID_IMAGE_DESCRIPTOR)?;
            ensure(Arc::ptr_eq(parent.context(), context), code::INVALID_CONTEXT)?;
        }
    }
    Ok(parent)
}

/// Checks the descriptor (OpenCL API §5.3.1.2).
pub fn shape(
    context: &Arc<Context>,
    format: cl_image_format,
    pixel: vk_runtime::ImageFormat,
    description: &cl_image_desc,
    home: Home,
) -> Result<Image> {
    let in_buffer = matches!(home, Home::Buffer(_));
    let has_pitches = in_buffer || matches!(home, Home::Host);
    let buffer = if let Home::Buffer(buffer) = home { buffer } else { None };
    let wrong = code::INVALID_IMAGE_DESCRIPTOR;
    // Multi-sample images come only from OpenGL.
    ensure(description.num_samples == 0, wrong)?;
    let kind = description.image_type;
    let levels = description.num_mip_levels;
    let has_levels = imaging_devices(context).any(|device| device.has(Feature::MipmapImage));
    ensure(levels == 0 || (has_levels && kind != CL_MEM_OBJECT_IMAGE1D_BUFFER), wrong)?;
    ensure(levels < 2 || !in_buffer, wrong)?;
    let (has_height, has_depth, has_layers) = match kind {
        CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_BUFFER => (false, false, false),
        CL_MEM_OBJECT_IMAGE2D => (true, false, false),
        CL_MEM_OBJECT_IMAGE3D => (true, true, false),
        CL_MEM_OBJECT_IMAGE1D_ARRAY => (false, false, true),
        CL_MEM_OBJECT_IMAGE2D_ARRAY => (true, false, true),
        _ => return Err(wrong),
    };
    ensure(image::has_shape(pixel, kind), code::IMAGE_FORMAT_NOT_SUPPORTED)?;
    let given = |size: usize, wanted: bool| if wanted { size } else { 0 };
    let mut image = Image {
        format,
        pixel,
        object_type: kind,
        width: description.image_width,
        height: given(description.image_height, has_height),
        depth: given(description.image_depth, has_depth),
        array_size: given(description.image_array_size, has_layers),
        row_pitch: description.image_row_pitch,
        slice_pitch: description.image_slice_pitch,
        levels,
        buffer,
        imported_on: None,
    };
    let [width, height, depth] = image.extent();
    ensure(width > 0 && height > 0 && depth > 0, code::INVALID_IMAGE_SIZE)?;
    ensure(imaging_devices(context).any(|device| fits_device(device, &image)), code::INVALID_IMAGE_SIZE)?;
    ensure(levels <= image.description().most_levels(), wrong)?;
    let row = width.checked_mul(image.pixel_size()).ok_or(code::INVALID_IMAGE_SIZE)?;
    if !has_pitches {
        ensure(image.row_pitch == 0 && image.slice_pitch == 0, wrong)?;
    }
    if in_buffer {
        check_alignment(&image)?;
    }
    let given_row = image.row_pitch;
    ensure(given_row == 0 || (given_row >= row && given_row.is_multiple_of(image.pixel_size())), wrong)?;
    image.row_pitch = if given_row == 0 { row } else { given_row };
    let rows = if kind == CL_MEM_OBJECT_IMAGE1D_ARRAY { 1 } else { height };
    let plane = image.row_pitch.checked_mul(rows).ok_or(code::INVALID_IMAGE_SIZE)?;
    if has_depth || has_layers {
        let slice = image.slice_pitch;
        ensure(slice == 0 || (slice >= plane && slice.is_multiple_of(image.row_pitch)), wrong)?;
        image.slice_pitch = if slice == 0 { plane } else { slice };
    } else {
        ensure(image.slice_pitch == 0 || image.slice_pitch == plane, wrong)?;
        image.slice_pitch = 0;
    }
    let limit = image.buffer.as_ref().map_or(isize::MAX as usize, |buffer| buffer.size());
    ensure(image.host_size() <= limit, code::INVALID_IMAGE_SIZE)?;
    Ok(image)
}

/// Checks the pitches and the place of an image in a buffer.
fn check_alignment(image: &Image) -> Result<()> {
    let start = image.buffer.as_ref().map_or(0, |buffer| buffer.host().pointer() as usize);
    let alignment = image.pixel_size().max(image::LEAST_ALIGNMENT);
    let aligned = [start, image.row_pitch, image.slice_pitch].iter().all(|it| it.is_multiple_of(alignment));
    ensure(aligned, code::INVALID_IMAGE_FORMAT_DESCRIPTOR)
}

/// Whether a device has images of this size.
fn fits_device(device: &Device, image: &Image) -> bool {
    let facts = device.facts();
    let (planar, spatial) = (facts.max_image_2d as usize, facts.max_image_3d as usize);
    let layers = image.array_size <= facts.max_image_layers as usize;
    match image.object_type {
        CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_ARRAY => {
            image.width <= facts.max_image_1d as usize && layers
        }
        CL_MEM_OBJECT_IMAGE1D_BUFFER => image.width <= facts.max_texel_buffer_elements as usize,
        CL_MEM_OBJECT_IMAGE3D => [image.width, image.height, image.depth].iter().all(|&it| it <= spatial),
        _ => image.width <= planar && image.height <= planar && layers,
    }
}

creation! {
    /// `clCreateImage`.
    fn clCreateImage(
        context: Handle<Context>,
        flags: cl_mem_flags,
        format: In<cl_image_format>,
        description: In<cl_image_desc>,
        pointer: HostMemory,
    ) -> Handle<Memory> {
        create_image(context, In::NULL, flags, format, description.get(), pointer)
    }

    /// `clCreateImageWithProperties`.
    fn clCreateImageWithProperties(
        context: Handle<Context>,
        properties: In<u64>,
        flags: cl_mem_flags,
        format: In<cl_image_format>,
        description: In<cl_image_desc>,
        pointer: HostMemory,
    ) -> Handle<Memory> {
        create_image(context, properties, flags, format, description.get(), pointer)
    }

    /// `clCreateImage2D`.
    fn clCreateImage2D(
        context: Handle<Context>,
        flags: cl_mem_flags,
        format: In<cl_image_format>,
        width: usize,
        height: usize,
        row_pitch: usize,
        pointer: HostMemory,
    ) -> Handle<Memory> {
        let description = legacy(CL_MEM_OBJECT_IMAGE2D, [width, height, 0], [row_pitch, 0]);
        create_image(context, In::NULL, flags, format, Some(description), pointer)
    }

    /// `clCreateImage3D`.
    fn clCreateImage3D(
        context: Handle<Context>,
        flags: cl_mem_flags,
        format: In<cl_image_format>,
        width: usize,
        height: usize,
        depth: usize,
        row_pitch: usize,
        slice_pitch: usize,
        pointer: HostMemory,
    ) -> Handle<Memory> {
        let description = legacy(CL_MEM_OBJECT_IMAGE3D, [width, height, depth], [row_pitch, slice_pitch]);
        create_image(context, In::NULL, flags, format, Some(description), pointer)
    }
}

/// A descriptor from the parameters of OpenCL 1.0.
fn legacy(image_type: cl_mem_object_type, size: [usize; 3], pitches: [usize; 2]) -> cl_image_desc {
    cl_image_desc {
        image_type,
        image_width: size[0],
        image_height: size[1],
        image_depth: size[2],
        image_array_size: 0,
        image_row_pitch: pitches[0],
        image_slice_pitch: pitches[1],
        num_mip_levels: 0,
        num_samples: 0,
        buffer: std::ptr::null_mut(),
    }
}

status! {
    /// `clGetSupportedImageFormats`.
    fn clGetSupportedImageFormats(
        context: Handle<Context>,
        flags: cl_mem_flags,
        image_type: cl_mem_object_type,
        num_entries: u32,
        formats: Out<cl_image_format>,
        num_formats: Out<u32>,
    ) {
        let context = context.get()?;
        check_flags(flags)?;
        let known = matches!(
            image_type,
            CL_MEM_OBJECT_IMAGE1D
                | CL_MEM_OBJECT_IMAGE1D_ARRAY
                | CL_MEM_OBJECT_IMAGE1D_BUFFER
                | CL_MEM_OBJECT_IMAGE2D
                | CL_MEM_OBJECT_IMAGE2D_ARRAY
                | CL_MEM_OBJECT_IMAGE3D
        );
        ensure(known, code::INVALID_VALUE)?;
        let supported: Vec<cl_image_format> = format::all()
            .filter(|(_, pixel)| {
                imaging_devices(&context).any(|device| device.supports(*pixel, image_type, flags))
            })
            .map(|(format, _)| format)
            .collect();
        info::enumerate(&supported, num_entries, formats, num_formats)
    }

    /// `clGetImageInfo`.
    fn clGetImageInfo(
        image: Handle<Memory>,
        name: cl_image_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        let memory = image.get()?;
        let image = memory.image().ok_or(code::INVALID_MEM_OBJECT)?;
        Request { size, value, size_ret }.answer(image.query(name)?)
    }
}
