//! Command queues.

use crate::border::{In, Out};
use crate::cl::*;
use crate::code::{self, Code, Result, ensure};
use crate::entry::{creation, status};
use crate::handle::Handle;
use crate::info::Request;
use crate::object::context::Context;
use crate::object::device::Device;
use crate::object::queue::Queue;
use std::ffi::c_void;

const HOST_PROPERTIES: u64 = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
const DEVICE_PROPERTIES: u64 = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

/// Checks the bits of queue properties.
fn check_properties(properties: u64) -> Result<()> {
    ensure(properties & !(HOST_PROPERTIES | DEVICE_PROPERTIES) == 0, code::INVALID_VALUE)?;
    // No device has queues of its own.
    ensure(properties & DEVICE_PROPERTIES == 0, code::INVALID_QUEUE_PROPERTIES)
}

creation! {
    /// `clCreateCommandQueueWithProperties`.
    fn clCreateCommandQueueWithProperties(
        context: Handle<Context>,
        device: Handle<Device>,
        list: In<u64>,
    ) -> Handle<Queue> {
        let context = context.get()?;
        let device = device.get()?;
        context.check_device(&device)?;
        let given = list.properties();
        let mut properties = 0;
        for &(name, value) in &given {
            match u32::try_from(name) {
                Ok(CL_QUEUE_PROPERTIES) => properties = value,
                // Only queues on the device have a size.
                Ok(CL_QUEUE_SIZE) => return Err(code::INVALID_QUEUE_PROPERTIES),
                _ => return Err(code::INVALID_VALUE),
            }
        }
        check_properties(properties)?;
        let kept = if list.is_null() {
            Vec::new()
        } else {
            given.into_iter().flat_map(|(name, value)| [name, value]).chain([0]).collect()
        };
        Ok(Handle::publish(Queue::new(context, device, properties, kept)?))
    }

    /// `clCreateCommandQueue`.
    fn clCreateCommandQueue(
        context: Handle<Context>,
        device: Handle<Device>,
        properties: cl_command_queue_properties,
    ) -> Handle<Queue> {
        let context = context.get()?;
        let device = device.get()?;
        context.check_device(&device)?;
        ensure(properties & !HOST_PROPERTIES == 0, code::INVALID_VALUE)?;
        Ok(Handle::publish(Queue::new(context, device, properties, Vec::new())?))
    }
}

status! {
    /// `clRetainCommandQueue`.
    fn clRetainCommandQueue(queue: Handle<Queue>) {
        queue.retain()
    }

    /// `clReleaseCommandQueue`.
    fn clReleaseCommandQueue(queue: Handle<Queue>) {
        let kept = queue.get()?;
        queue.release()?;
        Ok(kept.core().flush()?)
    }

    /// `clGetCommandQueueInfo`.
    fn clGetCommandQueueInfo(
        queue: Handle<Queue>,
        name: cl_command_queue_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(queue.get()?.query(name)?)
    }

    /// `clSetCommandQueueProperty`, which OpenCL 1.1 removed.
    fn clSetCommandQueueProperty(
        queue: Handle<Queue>,
        properties: cl_command_queue_properties,
        enable: cl_bool,
        old_properties: Out<cl_command_queue_properties>,
    ) {
        let queue = queue.get()?;
        ensure(properties & !HOST_PROPERTIES == 0, code::INVALID_VALUE)?;
        let now = queue.properties();
        old_properties.set(now);
        let wanted = if enable != CL_FALSE { now | properties } else { now & !properties };
        if wanted == now { Ok(()) } else { queue.set_properties(wanted) }
    }

    /// `clSetDefaultDeviceCommandQueue`: no device has queues of its own.
    fn clSetDefaultDeviceCommandQueue(
        context: Handle<Context>,
        device: Handle<Device>,
        _queue: Handle<Queue>,
    ) {
        context.get()?.check_device(&device.get()?)?;
        Err(code::INVALID_OPERATION)
    }

    /// `clFlush`.
    fn clFlush(queue: Handle<Queue>) {
        queue.get()?.core().flush().map_err(Code::from)
    }

    /// `clFinish`.
    fn clFinish(queue: Handle<Queue>) {
        queue.get()?.core().finish().map_err(Code::from)
    }
}
