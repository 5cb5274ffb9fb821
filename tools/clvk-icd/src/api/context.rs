//! Contexts.

use super::device::check_kinds;
use crate::border::callback::{ContextNotify, ObjectNotify, OnError, OnObject};
use crate::border::{In, Out, UserData};
use crate::cl;
use crate::code::{self, Result, ensure};
use crate::entry::{creation, status};
use crate::handle::{self, Handle};
use crate::info::Request;
use crate::object::context::Context;
use crate::object::device::Device;
use crate::object::platform::Platform;
use std::ffi::c_void;

/// Checks the properties; returns them unchanged, with the zero at the end.
fn properties(list: In<isize>) -> Result<Vec<isize>> {
    if list.is_null() {
        return Ok(Vec::new());
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
            _ => return Err(code::INVALID_PROPERTY),
        }
    }
    Ok(pairs.into_iter().flat_map(|(name, value)| [name, value]).chain([0]).collect())
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
        ensure(notify.is_some() || user_data.as_input().is_null(), code::INVALID_VALUE)?;
        let devices = handle::list(devices, num_devices)?.into_vec();
        Ok(Handle::publish(Context::new(devices, properties, OnError::new(notify, user_data))?))
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
        ensure(notify.is_some() || user_data.as_input().is_null(), code::INVALID_VALUE)?;
        check_kinds(kinds)?;
        let devices: Vec<_> =
            Platform::get().devices().iter().filter(|device| device.is_of(kinds)).cloned().collect();
        ensure(!devices.is_empty(), code::DEVICE_NOT_FOUND)?;
        Ok(Handle::publish(Context::new(devices, properties, OnError::new(notify, user_data))?))
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
