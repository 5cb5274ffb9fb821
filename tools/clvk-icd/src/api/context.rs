//! Contexts.

use super::device::check_kinds;
use crate::border::callback::{ContextNotify, ObjectNotify, OnError, OnObject, PrintNotify};
use crate::border::{In, Out, UserData};
use crate::cl;
use crate::code::{self, Result, ensure};
use crate::entry::{creation, status};
use crate::handle::{self, Handle};
use crate::info::Request;
use crate::object::context::Context;
use crate::object::device::Device;
use crate::object::platform::Platform;
use clvk_interface::print::DEFAULT_PRINT_BUFFER;
use std::ffi::c_void;
use std::sync::Arc;
use vk_runtime::{PrintHandler, PrintOptions};

/// The properties of `cl_arm_printf`, as names.
const PRINTF_CALLBACK: isize = cl::CL_PRINTF_CALLBACK_ARM as isize;
const PRINTF_BUFFER_SIZE: isize = cl::CL_PRINTF_BUFFERSIZE_ARM as isize;

/// The largest size of a print buffer, in bytes, that an application gets. Each launch that prints has one.
const LARGEST_PRINT_BUFFER: u32 = 256 << 20;

/// The properties of a context.
#[derive(Default)]
struct Properties {
    /// As the application gave them, with the zero at the end; empty if it gave none.
    given: Vec<isize>,
    /// Receives what kernels print.
    print: Option<PrintNotify>,
    /// Bytes of the buffer for that.
    print_buffer: Option<usize>,
}

/// Reads and checks the properties.
fn properties(list: In<isize>) -> Result<Properties> {
    let mut properties = Properties::default();
    if list.is_null() {
        return Ok(properties);
    }
    let pairs = list.properties();
    let mut seen = Vec::new();
    for &(name, value) in &pairs {
        ensure(!seen.contains(&name), code::INVALID_PROPERTY)?;
        seen.push(name);
        match name {
            cl::CL_CONTEXT_PLATFORM => {
                Handle::<Platform>::from_word(value as usize).get()?;
            }
            cl::CL_CONTEXT_INTEROP_USER_SYNC => {
                ensure(value == 0 || value == 1, code::INVALID_PROPERTY)?;
            }
            PRINTF_CALLBACK => properties.print = PrintNotify::from_word(value),
            PRINTF_BUFFER_SIZE => properties.print_buffer = Some(value.cast_unsigned()),
            _ => return Err(code::INVALID_PROPERTY),
        }
    }
    properties.given = pairs.into_iter().flat_map(|(name, value)| [name, value]).chain([0]).collect();
    Ok(properties)
}

impl Properties {
    /// A context with them.
    fn create(
        self,
        devices: Vec<Arc<Device>>,
        notify: ContextNotify,
        user_data: UserData,
    ) -> Result<Handle<Context>> {
        // Both functions take the data.
        let is_used = notify.is_some() || self.print.is_some();
        ensure(is_used || user_data.as_input().is_null(), code::INVALID_VALUE)?;
        let printing = self.printing(user_data);
        let notify = OnError::new(notify, user_data);
        Ok(Handle::publish(Context::new(devices, self.given, notify, printing)?))
    }

    /// How kernels print, where the application says it.
    fn printing(&self, user_data: UserData) -> Option<PrintOptions> {
        if self.print.is_none() && self.print_buffer.is_none() {
            return None;
        }
        let handler = self.print.map_or_else(PrintHandler::default, |notify| {
            PrintHandler::new(move |printed| {
                if !printed.text.is_empty() {
                    notify.call(printed.text, user_data);
                }
                if let Some(loss) = printed.loss() {
                    eprintln!("warning: {loss}");
                }
            })
        });
        let size =
            self.print_buffer.filter(|&size| size > 0).map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        let buffer_size = size.map_or(DEFAULT_PRINT_BUFFER, |size| size.min(LARGEST_PRINT_BUFFER));
        Some(PrintOptions { buffer_size, handler })
    }
}

creation! {
    /// `clCreateContext`.
    fn clCreateContext(
        list: In<isize>,
        num_devices: u32,
        devices: In<Handle<Device>>,
        notify: ContextNotify,
        user_data: UserData,
    ) -> Handle<Context> {
        Platform::get();
        let properties = properties(list)?;
        ensure(num_devices > 0 && !devices.is_null(), code::INVALID_VALUE)?;
        let devices = handle::list(devices, num_devices)?.into_vec();
        properties.create(devices, notify, user_data)
    }

    /// `clCreateContextFromType`.
    fn clCreateContextFromType(
        list: In<isize>,
        kinds: cl::cl_device_type,
        notify: ContextNotify,
        user_data: UserData,
    ) -> Handle<Context> {
        Platform::get();
        let properties = properties(list)?;
        check_kinds(kinds)?;
        let devices: Vec<_> =
            Platform::get().devices().iter().filter(|device| device.is_of(kinds)).cloned().collect();
        ensure(!devices.is_empty(), code::DEVICE_NOT_FOUND)?;
        properties.create(devices, notify, user_data)
    }
}

status! {
    /// `clRetainContext`.
    fn clRetainContext(context: Handle<Context>) {
        context.retain()
    }

    /// `clReleaseContext`.
    fn clReleaseContext(context: Handle<Context>) {
        context.release()
    }

    /// `clGetContextInfo`.
    fn clGetContextInfo(
        context: Handle<Context>,
        name: cl::cl_context_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(context.get()?.query(name)?)
    }

    /// `clSetContextDestructorCallback`.
    fn clSetContextDestructorCallback(
        context: Handle<Context>,
        notify: ObjectNotify,
        user_data: UserData,
    ) {
        let context = context.get()?;
        context.on_destruction(OnObject::new(notify, user_data).ok_or(code::INVALID_VALUE)?);
        Ok(())
    }
}
