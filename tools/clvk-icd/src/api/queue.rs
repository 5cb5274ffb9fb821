//! Command queues.

use crate::border::{In, Out};
use crate::cl::*;
use crate::code::{self, Code, Result, ensure};
use crate::entry::{creation, status};
use crate::handle::Handle;
use crate::info::Request;
use crate::object::context::Context;
use crate::object::device::Device;
use crate::object::queue::{PREFERRED_QUEUE_SIZE, Queue};
use clvk_interface::enqueue::DEFAULT_QUEUE_SIZE;
use std::ffi::c_void;
use std::sync::Arc;

const HOST_PROPERTIES: u64 = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
const DEVICE_PROPERTIES: u64 = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

/// The names of properties, as lists of properties have them.
const PROPERTIES: u64 = CL_QUEUE_PROPERTIES as u64;
const SIZE: u64 = CL_QUEUE_SIZE as u64;

/// Checks a hint of `cl_khr_priority_hints` or `cl_khr_throttle_hints`, whose values are the same: high,
/// medium or low. The hints have no effect.
fn check_hint(value: u64) -> Result<()> {
    let values = [CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PRIORITY_LOW_KHR];
    ensure(values.iter().any(|&known| u64::from(known) == value), code::INVALID_VALUE)
}

/// Checks the bits of queue properties.
fn check_properties(device: &Device, properties: u64) -> Result<()> {
    ensure(properties & !(HOST_PROPERTIES | DEVICE_PROPERTIES) == 0, code::INVALID_VALUE)?;
    if properties & DEVICE_PROPERTIES == 0 {
        return Ok(());
    }
    // A queue on the device must be out of order, and only such a queue can be the default.
    let demanded = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    ensure(properties & demanded == demanded, code::INVALID_VALUE)?;
    ensure(device.enqueues(), code::INVALID_QUEUE_PROPERTIES)
}

/// A queue on the device. There is one default queue, which is returned again if it exists.
fn on_device(
    context: Arc<Context>,
    device: Arc<Device>,
    properties: u64,
    size: Option<u64>,
    given: Vec<u64>,
) -> Result<Handle<Queue>> {
    let size = size.unwrap_or(PREFERRED_QUEUE_SIZE.into());
    let fits = (1..=u64::from(DEFAULT_QUEUE_SIZE)).contains(&size);
    ensure(fits, code::INVALID_QUEUE_PROPERTIES)?;
    let is_default = properties & CL_QUEUE_ON_DEVICE_DEFAULT != 0;
    let index = context.index_of(&device).ok_or(code::INVALID_DEVICE)?;
    if let Some(known) = context.default_queue(index).filter(|_| is_default) {
        return Handle::publish_again(&known);
    }
    let queue = Queue::new_on_device(Arc::clone(&context), device, properties, given, size as u32)?;
    if is_default {
        context.set_default_queue(&queue);
    }
    Ok(Handle::publish(queue))
}

/// A queue of the host.
fn of_host(
    context: Arc<Context>,
    device: Arc<Device>,
    properties: u64,
    given: Vec<u64>,
) -> Result<Handle<Queue>> {
    let queue = Queue::new(context, device, properties, given)?;
    queue.context().add_queue(&queue);
    Ok(Handle::publish(queue))
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
        let (mut properties, mut queue_size) = (0, None);
        let mut hinted = false;
        for &(name, value) in &given {
            match name {
                PROPERTIES => properties = value,
                SIZE => queue_size = Some(value),
                CL_QUEUE_PRIORITY_KHR | CL_QUEUE_THROTTLE_KHR => {
                    check_hint(value)?;
                    hinted = true;
                }
                _ => return Err(code::INVALID_VALUE),
            }
        }
        check_properties(&device, properties)?;
        // Only queues of the host have hints.
        ensure(!hinted || properties & CL_QUEUE_ON_DEVICE == 0, code::INVALID_QUEUE_PROPERTIES)?;
        let kept = if list.is_null() {
            Vec::new()
        } else {
            given.into_iter().flat_map(|(name, value)| [name, value]).chain([0]).collect()
        };
        if properties & CL_QUEUE_ON_DEVICE != 0 {
            return on_device(context, device, properties, queue_size, kept);
        }
        // Only queues on the device have a size.
        ensure(queue_size.is_none(), code::INVALID_QUEUE_PROPERTIES)?;
        of_host(context, device, properties, kept)
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
        of_host(context, device, properties, Vec::new())
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
        queue.check_host()?;
        ensure(properties & !HOST_PROPERTIES == 0, code::INVALID_VALUE)?;
        let now = queue.properties();
        old_properties.set(now);
        let wanted = if enable != CL_FALSE { now | properties } else { now & !properties };
        if wanted == now { Ok(()) } else { queue.set_properties(wanted) }
    }

    /// `clSetDefaultDeviceCommandQueue`.
    fn clSetDefaultDeviceCommandQueue(
        context: Handle<Context>,
        device: Handle<Device>,
        queue: Handle<Queue>,
    ) {
        let (context, device) = (context.get()?, device.get()?);
        context.check_device(&device)?;
        ensure(device.enqueues(), code::INVALID_OPERATION)?;
        let queue = queue.get()?;
        let fits = queue.number_on_device().is_some()
            && Arc::ptr_eq(queue.context(), &context)
            && Arc::ptr_eq(queue.device(), &device);
        ensure(fits, code::INVALID_COMMAND_QUEUE)?;
        context.set_default_queue(&queue);
        Ok(())
    }

    /// `clFlush`.
    fn clFlush(queue: Handle<Queue>) {
        let queue = queue.get()?;
        queue.check_host()?;
        queue.core().flush().map_err(Code::from)
    }

    /// `clFinish`.
    fn clFinish(queue: Handle<Queue>) {
        let queue = queue.get()?;
        queue.check_host()?;
        queue.core().finish().map_err(Code::from)
    }
}
