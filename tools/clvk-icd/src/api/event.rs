//! Events, markers and barriers.

use crate::border::callback::{EventNotify, OnEvent};
use crate::border::{In, Out, UserData};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::{creation, status};
use crate::handle::{self, Handle};
use crate::info::Request;
use crate::object::context::Context;
use crate::object::event::Event;
use crate::object::queue::Queue;
use std::ffi::c_void;
use std::sync::Arc;
use vk_runtime::Command;

/// Flushes the queues of these events.
fn flush_queues_of(events: &[Arc<Event>]) -> Result<()> {
    events.iter().flat_map(|event| event.queues()).try_for_each(|queue| Ok(queue.core().flush()?))
}

/// Enqueues a marker or a barrier.
fn synchronize(
    queue: Handle<Queue>,
    kind: cl_command_type,
    command: Command,
    count: u32,
    waits: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Result<()> {
    let queue = queue.get()?;
    let order = queue.order(count, waits, event)?;
    queue.enqueue(kind, command, &order, false, &[]).map(drop)
}

creation! {
    /// `clCreateUserEvent`.
    fn clCreateUserEvent(context: Handle<Context>) -> Handle<Event> {
        Ok(Handle::publish(Event::user(context.get()?)))
    }
}

status! {
    /// `clWaitForEvents`.
    fn clWaitForEvents(count: u32, events: In<Handle<Event>>) {
        ensure(count > 0 && !events.is_null(), code::INVALID_VALUE)?;
        let events = handle::list(events, count)?;
        let same = events.iter().all(|event| Arc::ptr_eq(event.context(), events[0].context()));
        ensure(same, code::INVALID_CONTEXT)?;
        flush_queues_of(&events)?;
        let mut result = Ok(());
        for event in &events {
            if event.core().wait().is_err() {
                result = Err(code::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            }
        }
        result
    }

    /// `clGetEventInfo`.
    fn clGetEventInfo(
        event: Handle<Event>,
        name: cl_event_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(event.get()?.query(name)?)
    }

    /// `clRetainEvent`.
    fn clRetainEvent(event: Handle<Event>) {
        event.retain()
    }

    /// `clReleaseEvent`.
    fn clReleaseEvent(event: Handle<Event>) {
        event.release()
    }

    /// `clSetUserEventStatus`.
    fn clSetUserEventStatus(event: Handle<Event>, execution_status: cl_int) {
        event.get()?.set_status(execution_status)
    }

    /// `clSetEventCallback`.
    fn clSetEventCallback(
        event: Handle<Event>,
        status: cl_int,
        notify: EventNotify,
        user_data: UserData,
    ) {
        let event = event.get()?;
        event.on_status(status, OnEvent::new(notify, user_data).ok_or(code::INVALID_VALUE)?)
    }

    /// `clGetEventProfilingInfo`.
    fn clGetEventProfilingInfo(
        event: Handle<Event>,
        name: cl_profiling_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(event.get()?.query_profile(name)?)
    }

    /// `clEnqueueMarkerWithWaitList`.
    fn clEnqueueMarkerWithWaitList(
        queue: Handle<Queue>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        synchronize(queue, CL_COMMAND_MARKER, Command::marker(), count, waits, event)
    }

    /// `clEnqueueBarrierWithWaitList`.
    fn clEnqueueBarrierWithWaitList(
        queue: Handle<Queue>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        synchronize(queue, CL_COMMAND_BARRIER, Command::barrier(), count, waits, event)
    }

    /// `clEnqueueMarker`.
    fn clEnqueueMarker(queue: Handle<Queue>, event: Out<Handle<Event>>) {
        let queue_object = queue.get()?;
        ensure(!event.is_null(), code::INVALID_VALUE)?;
        drop(queue_object);
        synchronize(queue, CL_COMMAND_MARKER, Command::marker(), 0, In::NULL, event)
    }

    /// `clEnqueueWaitForEvents`.
    fn clEnqueueWaitForEvents(queue: Handle<Queue>, count: u32, events: In<Handle<Event>>) {
        let queue_object = queue.get()?;
        ensure(count > 0 && !events.is_null(), code::INVALID_VALUE)?;
        for event in events.list(count as usize).unwrap_or_default() {
            let event = event.get()?;
            ensure(Arc::ptr_eq(event.context(), queue_object.context()), code::INVALID_CONTEXT)?;
        }
        synchronize(queue, CL_COMMAND_BARRIER, Command::barrier(), count, events, Out::NULL)
    }

    /// `clEnqueueBarrier`.
    fn clEnqueueBarrier(queue: Handle<Queue>) {
        synchronize(queue, CL_COMMAND_BARRIER, Command::barrier(), 0, In::NULL, Out::NULL)
    }
}
