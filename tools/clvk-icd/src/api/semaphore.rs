//! Semaphores (`cl_khr_semaphore`, `cl_khr_external_semaphore` with `cl_khr_external_semaphore_opaque_fd` and
//! `cl_khr_external_semaphore_sync_fd`).
//!
//! No semaphore needs a payload, so the lists of payloads are not looked at.

use crate::border::{In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::{creation, status};
use crate::handle::{self, Handle};
use crate::info::Request;
use crate::object::context::Context;
use crate::object::device::Device;
use crate::object::event::Event;
use crate::object::queue::Queue;
use crate::object::semaphore::{self, Semaphore, Sharing};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::sync::Arc;
use vk_runtime::CommandQueue;

const TYPE: u64 = CL_SEMAPHORE_TYPE_KHR as u64;
const EXPORTS: u64 = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;
const DEVICES: u64 = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as u64;

/// The properties of a semaphore.
struct Properties {
    /// As the application gave them, with the zero at the end.
    given: Vec<u64>,
    device: Arc<Device>,
    sharing: Sharing,
}

/// Reads the properties of a semaphore.
fn properties(context: &Context, list: In<u64>) -> Result<Properties> {
    ensure(!list.is_null(), code::INVALID_VALUE)?;
    let has_list = |name| name == DEVICES || name == EXPORTS;
    let list = list.properties_with_lists(has_list);
    let mut names: Vec<u64> = list.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    ensure(names.len() == list.len(), code::INVALID_PROPERTY)?;
    let (mut given, mut devices) = (Vec::new(), None);
    let (mut exports, mut imports) = (None, Vec::new());
    for (name, values) in &list {
        match (*name, values.as_slice()) {
            (TYPE, [value]) => {
                ensure(*value == u64::from(CL_SEMAPHORE_TYPE_BINARY_KHR), code::INVALID_PROPERTY)?;
            }
            (DEVICES, handles) => {
                let device = |&word: &u64| Handle::<Device>::from_word(word as usize).get();
                devices = Some(handles.iter().map(device).collect::<Result<Vec<_>>>()?);
            }
            (EXPORTS, []) => {}
            (EXPORTS, [name]) => {
                exports = Some(semaphore::handle_named(*name).ok_or(code::INVALID_PROPERTY)?);
            }
            (EXPORTS, _) => return Err(code::INVALID_VALUE),
            (name, [value]) => {
                let handle = semaphore::handle_named(name).ok_or(code::INVALID_PROPERTY)?;
                imports.push((handle, descriptor_in(*value).ok_or(code::INVALID_PROPERTY)?));
            }
            _ => return Err(code::INVALID_PROPERTY),
        }
        given.push(*name);
        given.extend(values);
        if has_list(*name) {
            given.push(0);
        }
    }
    given.push(0);
    ensure(names.contains(&TYPE), code::INVALID_VALUE)?;
    let device = match (devices.as_deref(), context.devices()) {
        (Some([device]), _) => device,
        (Some(_), _) => return Err(code::INVALID_DEVICE),
        (None, [device]) => device,
        (None, _) => return Err(code::INVALID_PROPERTY),
    };
    context.check_device(device)?;
    let sharing = match (exports, imports.as_slice()) {
        (None, []) => Sharing::Own,
        (Some(handle), []) => {
            ensure(device.semaphore_handles().contains(&handle), code::INVALID_PROPERTY)?;
            Sharing::Exportable(handle)
        }
        (None, [(handle, number)]) => {
            ensure(device.semaphore_handles().contains(handle), code::INVALID_DEVICE)?;
            Sharing::Imported(*handle, *number)
        }
        (Some(_), _) => return Err(code::INVALID_OPERATION),
        (None, _) => return Err(code::INVALID_PROPERTY),
    };
    Ok(Properties { given, device: Arc::clone(device), sharing })
}

/// A descriptor as the value of a property: a number of 32 bits, extended with or without its sign.
fn descriptor_in(value: u64) -> Option<i32> {
    let number = value as i32;
    (value == u64::from(number as u32) || value == i64::from(number) as u64).then_some(number)
}

/// Enqueues a wait or a signal.
fn enqueue(
    queue: Handle<Queue>,
    (number, semaphores): (u32, In<Handle<Semaphore>>),
    (count, waits): (u32, In<Handle<Event>>),
    event: Out<Handle<Event>>,
    kind: cl_command_type,
    action: fn(
        &CommandQueue,
        &[vk_runtime::Semaphore],
        &[vk_runtime::Event],
    ) -> vk_runtime::Result<vk_runtime::Event>,
) -> Result<()> {
    let queue = queue.get()?;
    queue.check_host()?;
    ensure(number > 0, code::INVALID_VALUE)?;
    let semaphores = handle::list(semaphores, number)?;
    semaphores.iter().try_for_each(|semaphore| semaphore.check_queue(&queue))?;
    let order = queue.order(count, waits, event)?;
    let failed = order.waits.iter().any(vk_runtime::Event::has_failed);
    ensure(!failed, code::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)?;
    let cores: SmallVec<[vk_runtime::Semaphore; 4]> =
        semaphores.iter().map(|semaphore| semaphore.core()).collect();
    let core = action(queue.core(), &cores, &order.waits)?;
    queue.publish(kind, core, order.event);
    Ok(())
}

creation! {
    /// `clCreateSemaphoreWithPropertiesKHR`.
    fn clCreateSemaphoreWithPropertiesKHR(context: Handle<Context>, list: In<u64>) -> Handle<Semaphore> {
        let context = context.get()?;
        let Properties { given, device, sharing } = properties(&context, list)?;
        Ok(Handle::publish(Semaphore::new(context, device, given, sharing)?))
    }
}

status! {
    /// `clEnqueueWaitSemaphoresKHR`.
    fn clEnqueueWaitSemaphoresKHR(
        queue: Handle<Queue>,
        number: u32,
        semaphores: In<Handle<Semaphore>>,
        _payloads: In<u64>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let kind = CL_COMMAND_SEMAPHORE_WAIT_KHR;
        let action = CommandQueue::wait_for_semaphores;
        enqueue(queue, (number, semaphores), (count, waits), event, kind, action)
    }

    /// `clEnqueueSignalSemaphoresKHR`.
    fn clEnqueueSignalSemaphoresKHR(
        queue: Handle<Queue>,
        number: u32,
        semaphores: In<Handle<Semaphore>>,
        _payloads: In<u64>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let kind = CL_COMMAND_SEMAPHORE_SIGNAL_KHR;
        enqueue(queue, (number, semaphores), (count, waits), event, kind, CommandQueue::signal)
    }

    /// `clGetSemaphoreInfoKHR`.
    fn clGetSemaphoreInfoKHR(
        semaphore: Handle<Semaphore>,
        name: cl_semaphore_info_khr,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(semaphore.get()?.query(name)?)
    }

    /// `clGetSemaphoreHandleForTypeKHR`.
    fn clGetSemaphoreHandleForTypeKHR(
        semaphore: Handle<Semaphore>,
        device: Handle<Device>,
        handle_type: cl_external_semaphore_handle_type_khr,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        let (semaphore, device) = (semaphore.get()?, device.get()?);
        semaphore.export(&device, handle_type, Request { size, value, size_ret })
    }

    /// `clReImportSemaphoreSyncFdKHR`.
    fn clReImportSemaphoreSyncFdKHR(semaphore: Handle<Semaphore>, list: In<u64>, descriptor: i32) {
        let semaphore = semaphore.get()?;
        // There are no properties yet.
        ensure(list.until_zero().is_empty(), code::INVALID_VALUE)?;
        semaphore.import_again(descriptor)
    }

    /// `clRetainSemaphoreKHR`.
    fn clRetainSemaphoreKHR(semaphore: Handle<Semaphore>) {
        semaphore.retain()
    }

    /// `clReleaseSemaphoreKHR`.
    fn clReleaseSemaphoreKHR(semaphore: Handle<Semaphore>) {
        semaphore.release()
    }
}
