//! Launches of kernels and of host functions.

use super::recipe;
use crate::border::callback::{self, Native};
use crate::border::{In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::status;
use crate::handle::{self, Handle};
use crate::object::event::Event;
use crate::object::kernel::Kernel;
use crate::object::launch::{Launch, Sizes, check_arguments, launch_code};
use crate::object::map::Staging;
use crate::object::memory::Memory;
use crate::object::queue::{Order, Queue};
use std::ffi::c_void;
use std::sync::Arc;
use vk_runtime::{Command, EventStatus};

fn launch(
    queue: Handle<Queue>,
    kernel: Handle<Kernel>,
    kind: cl_command_type,
    sizes: &Sizes,
    count: u32,
    waits: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Result<()> {
    let queue = queue.get()?;
    let launch = Launch::new(&queue, kernel.get()?, kind, sizes)?;
    recipe::enqueue(&queue, &launch, count, waits, event)
}

/// The arguments of a native kernel: a copy of the application's, with the addresses of copies of the
/// buffers.
struct NativeCall {
    function: unsafe extern "C" fn(*mut c_void),
    arguments: Vec<u8>,
    buffers: Vec<(Arc<Memory>, Arc<Staging>)>,
}

impl NativeCall {
    fn new(
        queue: &Queue,
        function: Native,
        arguments: (In<c_void>, usize),
        num_objects: u32,
        objects: In<Handle<Memory>>,
        places: In<In<c_void>>,
    ) -> Result<Self> {
        let function = function.ok_or(code::INVALID_VALUE)?;
        let (pointer, size) = arguments;
        ensure(pointer.is_null() == (size == 0), code::INVALID_VALUE)?;
        ensure(!pointer.is_null() || num_objects == 0, code::INVALID_VALUE)?;
        let none = num_objects == 0;
        ensure(none == objects.is_null() && none == places.is_null(), code::INVALID_VALUE)?;
        let mut call = NativeCall {
            function,
            arguments: pointer.bytes(size).unwrap_or_default().into_vec(),
            buffers: Vec::new(),
        };
        if none {
            return Ok(call);
        }
        let places = places.list(num_objects as usize).unwrap_or_default();
        for (memory, place) in handle::list(objects, num_objects)?.into_iter().zip(places) {
            ensure(memory.is_buffer(), code::INVALID_MEM_OBJECT)?;
            memory.check_context(queue.context())?;
            let staging = Staging::new(memory.size()).ok_or(code::OUT_OF_HOST_MEMORY)?;
            let offset = place.distance_from(pointer);
            callback::put_pointer(&mut call.arguments, offset, staging.pointer())
                .ok_or(code::INVALID_VALUE)?;
            call.buffers.push((memory, staging));
        }
        Ok(call)
    }

    /// Reads the buffers, calls the function, and writes the buffers.
    fn enqueue(self, queue: &Arc<Queue>, order: &Order) -> Result<()> {
        let NativeCall { function, mut arguments, buffers } = self;
        let index = queue.device_index();
        let mut events: Vec<vk_runtime::Event> = order.waits.to_vec();
        for (memory, staging) in &buffers {
            let (buffer, base) = memory.buffer_on(index, true)?;
            // SAFETY: the staging memory has the buffer's size and lives until the last event is complete
            // (below).
            let command = unsafe {
                Command::read_buffer(buffer, base, staging.pointer().place()?, memory.size() as u64)
            };
            events.push(queue.core().enqueue(command?, &queue.with_moves(&order.waits)?)?);
        }
        let call = Command::native(move || callback::call_native(function, &mut arguments));
        let called = queue.core().enqueue(call, &events)?;
        let mut last = vec![called.clone()];
        for (memory, staging) in &buffers {
            let (buffer, base) = memory.buffer_on(index, true)?;
            // SAFETY: as above.
            let command = unsafe {
                Command::write_buffer(buffer, base, staging.pointer().place()?, memory.size() as u64)
            };
            last.push(queue.core().enqueue(command?, std::slice::from_ref(&called))?);
        }
        let done =
            if buffers.is_empty() { called } else { queue.core().enqueue(Command::marker(), &last)? };
        done.on_status(EventStatus::Complete, move |_| drop(buffers));
        queue.publish(CL_COMMAND_NATIVE_KERNEL, done, order.event);
        Ok(())
    }
}

status! {
    /// `clEnqueueNDRangeKernel`.
    fn clEnqueueNDRangeKernel(
        queue: Handle<Queue>,
        kernel: Handle<Kernel>,
        work_dim: u32,
        offset: In<usize>,
        global: In<usize>,
        local: In<usize>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let sizes = Sizes { work_dim, offset, global, local };
        launch(queue, kernel, CL_COMMAND_NDRANGE_KERNEL, &sizes, count, waits, event)
    }

    /// `clEnqueueTask`: one work-item.
    fn clEnqueueTask(
        queue: Handle<Queue>,
        kernel: Handle<Kernel>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let one = [1usize];
        let sizes = Sizes { work_dim: 1, offset: In::NULL, global: In::of(&one), local: In::of(&one) };
        launch(queue, kernel, CL_COMMAND_TASK, &sizes, count, waits, event)
    }

    /// `clEnqueueNativeKernel`.
    fn clEnqueueNativeKernel(
        queue: Handle<Queue>,
        function: Native,
        arguments: In<c_void>,
        size: usize,
        num_objects: u32,
        objects: In<Handle<Memory>>,
        places: In<In<c_void>>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue.get()?;
        let call = NativeCall::new(&queue, function, (arguments, size), num_objects, objects, places)?;
        let order = queue.order(count, waits, event)?;
        call.enqueue(&queue, &order)
    }

    /// `clGetKernelSuggestedLocalWorkSize`.
    fn clGetKernelSuggestedLocalWorkSize(
        queue: Handle<Queue>,
        kernel: Handle<Kernel>,
        work_dim: u32,
        offset: In<usize>,
        global: In<usize>,
        suggested: Out<usize>,
    ) {
        let queue = queue.get()?;
        let kernel = kernel.get()?;
        ensure(Arc::ptr_eq(kernel.program().context(), queue.context()), code::INVALID_CONTEXT)?;
        let on_device = kernel.on_device(queue.device())?;
        check_arguments(&kernel)?;
        let sizes = Sizes { work_dim, offset, global, local: In::NULL };
        let config = sizes.check(&queue, &kernel)?.ok_or(code::INVALID_GLOBAL_WORK_SIZE)?;
        ensure(!suggested.is_null(), code::INVALID_VALUE)?;
        let local = on_device.suggested_local_size(&config).map_err(launch_code)?;
        for (axis, &size) in local.iter().take(work_dim as usize).enumerate() {
            suggested.set_at(axis, size as usize);
        }
        Ok(())
    }
}
