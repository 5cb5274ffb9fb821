//! What images in buffers demand of the buffer, before they are created (`cl_ext_image_requirements_info`).

use super::image::{Home, imaging_devices, shape};
use super::memory::check_flags;
use crate::border::{In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::status;
use crate::handle::Handle;
use crate::info::{self, Answer, Request};
use crate::object::context::Context;
use crate::object::format;
use crate::object::image;
use std::ffi::c_void;
use std::sync::Arc;
use vk_runtime::ImageFormat;

/// All types of images.
const TYPES: [cl_mem_object_type; 6] = [
    CL_MEM_OBJECT_IMAGE1D,
    CL_MEM_OBJECT_IMAGE1D_BUFFER,
    CL_MEM_OBJECT_IMAGE1D_ARRAY,
    CL_MEM_OBJECT_IMAGE2D,
    CL_MEM_OBJECT_IMAGE2D_ARRAY,
    CL_MEM_OBJECT_IMAGE3D,
];

/// Types with several rows, with several slices, and with several layers.
const HIGH: &[cl_mem_object_type] =
    &[CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D];
const DEEP: &[cl_mem_object_type] = &[CL_MEM_OBJECT_IMAGE3D];
const LAYERED: &[cl_mem_object_type] = &[CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY];

/// The images that a query is about.
struct Subject {
    context: Arc<Context>,
    /// One format, or all of them.
    format: Option<(cl_image_format, ImageFormat)>,
    description: Option<cl_image_desc>,
}

impl Subject {
    fn new(
        context: Handle<Context>,
        properties: In<u64>,
        flags: cl_mem_flags,
        format: In<cl_image_format>,
        description: In<cl_image_desc>,
    ) -> Result<Self> {
        let context = context.get()?;
        ensure(properties.properties().is_empty(), code::INVALID_PROPERTY)?;
        check_flags(flags)?;
        let wrong = code::INVALID_IMAGE_FORMAT_DESCRIPTOR;
        let format = match format.get() {
            Some(given) => Some((given, format::of(given).map_err(|_| wrong)?)),
            None => None,
        };
        let description = description.get();
        if let Some(description) = &description {
            let kind = description.image_type;
            ensure(kind == 0 || TYPES.contains(&kind), code::INVALID_IMAGE_DESCRIPTOR)?;
            let suits = format.is_none_or(|(_, pixel)| kind == 0 || image::has_shape(pixel, kind));
            ensure(suits, wrong)?;
        }
        ensure(imaging_devices(&context).next().is_some(), code::INVALID_OPERATION)?;
        Ok(Subject { context, format, description })
    }

    /// The types among these that it may have: one, or all of them.
    fn types<'a>(&self, all: &'a [cl_mem_object_type]) -> Result<&'a [cl_mem_object_type]> {
        let Some(kind) = self.description.map(|it| it.image_type).filter(|&kind| kind != 0) else {
            return Ok(all);
        };
        let place = all.iter().position(|&other| other == kind).ok_or(code::INVALID_IMAGE_DESCRIPTOR)?;
        Ok(&all[place..=place])
    }

    /// Alignment of pixels and pitches. If there is a description, it must be whole.
    fn alignment(&self) -> Result<usize> {
        if let Some(it) = &self.description {
            let kind = it.image_type;
            let whole = kind != 0
                && it.image_width > 0
                && (it.image_height > 0 || !HIGH.contains(&kind))
                && (it.image_depth > 0 || !DEEP.contains(&kind))
                && (it.image_array_size > 0 || !LAYERED.contains(&kind));
            ensure(whole, code::INVALID_IMAGE_DESCRIPTOR)?;
        }
        let sizes = format::all().map(|(_, pixel)| pixel.pixel_size());
        let pixel = self.format.map_or_else(|| sizes.max().unwrap_or(1), |(_, pixel)| pixel.pixel_size());
        Ok((pixel as usize).max(image::LEAST_ALIGNMENT))
    }

    /// The lowest of a limit that depends on type and device.
    fn limit(
        &self,
        types: &[cl_mem_object_type],
        limit: fn(cl_mem_object_type, &vk_runtime::DeviceFacts) -> u32,
    ) -> Result<Answer> {
        let devices = imaging_devices(&self.context);
        let limits = devices.flat_map(|device| types.iter().map(|&kind| limit(kind, device.facts())));
        info::value(limits.min().unwrap_or(0))
    }

    /// Bytes of a buffer for it.
    fn size(&self) -> Result<usize> {
        let ((format, pixel), description) = self.format.zip(self.description).ok_or(code::INVALID_VALUE)?;
        let image = shape(&self.context, format, pixel, &description, Home::Buffer(None))?;
        Ok(image.host_size())
    }

    /// Alignment of the first pixel.
    fn base(&self) -> Result<usize> {
        let texels = self.types(&TYPES)?.contains(&CL_MEM_OBJECT_IMAGE1D_BUFFER);
        let devices = imaging_devices(&self.context).filter(|_| texels);
        let texel = devices.map(|device| device.facts().min_texel_buffer_alignment as usize).max();
        Ok(self.alignment()?.max(texel.unwrap_or(1)))
    }

    fn query(&self, name: cl_image_requirements_info_ext) -> Result<Answer> {
        match name {
            CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT => info::value(self.base()?),
            CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT
            | CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT => info::value(self.alignment()?),
            CL_IMAGE_REQUIREMENTS_SIZE_EXT => info::value(self.size()?),
            CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT => {
                self.limit(self.types(&TYPES)?, |kind, facts| match kind {
                    CL_MEM_OBJECT_IMAGE1D_BUFFER => facts.max_texel_buffer_elements,
                    CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_ARRAY => {
                        facts.max_image_1d.min(facts.max_image_2d)
                    }
                    CL_MEM_OBJECT_IMAGE3D => facts.max_image_3d,
                    _ => facts.max_image_2d,
                })
            }
            CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT => self.limit(self.types(HIGH)?, |kind, facts| match kind {
                CL_MEM_OBJECT_IMAGE3D => facts.max_image_3d,
                _ => facts.max_image_2d,
            }),
            CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT => {
                self.limit(self.types(DEEP)?, |_, facts| facts.max_image_3d)
            }
            CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT => {
                self.limit(self.types(LAYERED)?, |_, facts| facts.max_image_layers)
            }
            _ => Err(code::INVALID_VALUE),
        }
    }
}

status! {
    /// `clGetImageRequirementsInfoEXT`.
    fn clGetImageRequirementsInfoEXT(
        context: Handle<Context>,
        properties: In<u64>,
        flags: cl_mem_flags,
        format: In<cl_image_format>,
        description: In<cl_image_desc>,
        name: cl_image_requirements_info_ext,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        let subject = Subject::new(context, properties, flags, format, description)?;
        Request { size, value, size_ret }.answer(subject.query(name)?)
    }
}
