//! Command queues.

use super::context::Context;
use super::device::Device;
use super::event::Event;
use super::memory::Memory;
use super::moves;
use crate::border::{In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::handle::{self, Handle, Header, object};
use crate::info::{self, Answer};
use crate::timeline::{self, Timeline};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use vk_runtime::{Command, CommandQueue, EventStatus, QueueOptions};

/// The number of on-device queues that is reported. More are possible, but all of them share the events of a
/// launch.
pub const QUEUES: u32 = 8;

/// Bytes of a queue on the device that is made without a size.
pub const PREFERRED_QUEUE_SIZE: u32 = 256 << 10;

/// A command queue.
#[repr(C)]
pub struct Queue {
    header: Header<Queue>,
    context: Arc<Context>,
    device: Arc<Device>,
    /// Position of the device in the context.
    index: usize,
    properties: AtomicU64,
    /// As the application gave them, with the zero at the end; empty if it gave none.
    given: Vec<u64>,
    /// Set for a queue on the device.
    on_device: Option<OnDevice>,
    core: CommandQueue,
    /// Its number in the timeline, if its commands are recorded.
    timeline: Option<u32>,
}

/// A queue for what kernels enqueue.
#[derive(Clone, Copy)]
struct OnDevice {
    /// The number by which kernels know it; not zero.
    number: u32,
    /// Bytes.
    size: u32,
}

object!(Queue, code::INVALID_COMMAND_QUEUE);

/// What a command waits for, and where its event goes: the last three parameters of every enqueue.
pub struct Order {
    /// Events to wait for.
    pub waits: SmallVec<[vk_runtime::Event; 4]>,
    /// Receives the command's event.
    pub event: Out<Handle<Event>>,
}

impl Queue {
    /// A queue on a device of the context.
    pub fn new(
        context: Arc<Context>,
        device: Arc<Device>,
        properties: cl_command_queue_properties,
        given: Vec<u64>,
    ) -> Result<Arc<Self>> {
        let index = context.index_of(&device).ok_or(code::INVALID_DEVICE)?;
        let core = CommandQueue::new(device.open()?, options(properties));
        let timeline = timeline::get().map(|timeline| timeline.queue(device.info().name()));
        let properties = AtomicU64::new(properties);
        let (header, on_device) = (Header::new(), None);
        Ok(Arc::new(Queue { header, context, device, index, properties, given, on_device, core, timeline }))
    }

    /// A queue on the device, of a size in bytes. What kernels of the context enqueue on any of them goes the
    /// same way.
    pub fn new_on_device(
        context: Arc<Context>,
        device: Arc<Device>,
        properties: cl_command_queue_properties,
        given: Vec<u64>,
        size: u32,
    ) -> Result<Arc<Self>> {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1).max(1);
        let mut queue = Queue::new(context, device, properties, given)?;
        Arc::get_mut(&mut queue).expect("nobody else has it yet").on_device = Some(OnDevice { number, size });
        Ok(queue)
    }

    /// The number by which kernels know it, if it is on the device.
    pub fn number_on_device(&self) -> Option<u32> {
        self.on_device.map(|queue| queue.number)
    }

    /// The number of the default queue on its device; zero if there is none.
    pub fn default_on_device(&self) -> u32 {
        let queue = self.context.default_queue(self.index);
        queue.and_then(|queue| queue.number_on_device()).unwrap_or(0)
    }

    /// Whether the host can enqueue on it; else `CL_INVALID_COMMAND_QUEUE`.
    pub fn check_host(&self) -> Result<()> {
        ensure(self.on_device.is_none(), code::INVALID_COMMAND_QUEUE)
    }

    /// Its context.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Its device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Position of the device in the context.
    pub fn device_index(&self) -> usize {
        self.index
    }

    /// The runtime's queue.
    pub fn core(&self) -> &CommandQueue {
        &self.core
    }

    /// Changes the properties, after everything enqueued so far is done.
    pub fn set_properties(&self, properties: cl_command_queue_properties) -> Result<()> {
        self.core.set_options(options(properties))?;
        self.properties.store(properties, Ordering::Relaxed);
        Ok(())
    }

    /// Whether its events have profiling times.
    pub fn measures(&self) -> bool {
        self.properties.load(Ordering::Relaxed) & CL_QUEUE_PROFILING_ENABLE != 0
    }

    /// Its properties.
    pub fn properties(&self) -> cl_command_queue_properties {
        self.properties.load(Ordering::Relaxed)
    }

    /// Reads a wait list. The events must be of the queue's context.
    pub fn order(&self, count: u32, events: In<Handle<Event>>, event: Out<Handle<Event>>) -> Result<Order> {
        self.check_host()?;
        if self.shares_context() {
            // The command that follows begins with no moves.
            moves::settle();
        }
        ensure((count == 0) == events.is_null(), code::INVALID_EVENT_WAIT_LIST)?;
        let mut waits = SmallVec::new();
        for handle in events.list(count as usize).unwrap_or_default() {
            let event = handle.find().map_err(|_| code::INVALID_EVENT_WAIT_LIST)?;
            ensure(Arc::ptr_eq(event.context(), &self.context), code::INVALID_CONTEXT)?;
            waits.push(event.core().clone());
        }
        Ok(Order { waits, event })
    }

    /// Enqueues a command, returns its event to the application if it wants one, and waits if the command
    /// blocks.
    pub fn enqueue(
        self: &Arc<Self>,
        kind: cl_command_type,
        mut command: Command,
        order: &Order,
        blocking: bool,
        uses: &[&Arc<Memory>],
    ) -> Result<vk_runtime::Event> {
        if blocking {
            return self.run(kind, command, order);
        }
        self.label(&mut command, kind, None);
        let core = self.core().enqueue(command, &self.with_moves(&order.waits)?)?;
        self.watch(&core, uses);
        self.publish(kind, core.clone(), order.event);
        Ok(core)
    }

    /// Whether its context has other devices, with which it shares memory objects.
    fn shares_context(&self) -> bool {
        self.context.devices().len() > 1
    }

    /// What a command waits for: these events, and the moves that it needs, which this enqueues.
    pub fn with_moves<'a>(&self, waits: &'a [vk_runtime::Event]) -> Result<Cow<'a, [vk_runtime::Event]>> {
        Ok(match self.shares_context() {
            true => Cow::Owned(moves::waits(self, waits)?.into_vec()),
            false => Cow::Borrowed(waits),
        })
    }

    /// Enqueues a command that does not block, and whose event only the application may need. If the
    /// application does not want it, the command has no event. `kernel` is the label of the one that it
    /// launches.
    pub fn give(
        self: &Arc<Self>,
        (kind, kernel): (cl_command_type, Option<NonZeroU32>),
        mut command: Command,
        order: &Order,
        uses: &[&Arc<Memory>],
    ) -> Result<()> {
        self.label(&mut command, kind, kernel);
        if order.event.is_null() && !uses.iter().any(|memory| memory.is_watched()) {
            return Ok(self.core().enqueue_silently(command, &self.with_moves(&order.waits)?)?);
        }
        let core = self.core().enqueue(command, &self.with_moves(&order.waits)?)?;
        self.watch(&core, uses);
        self.publish(kind, core, order.event);
        Ok(())
    }

    /// Labels a command, if commands are recorded.
    fn label(&self, command: &mut Command, kind: cl_command_type, kernel: Option<NonZeroU32>) {
        if let Some(queue) = self.timeline {
            command.set_label(queue, Timeline::label(kind, kernel));
        }
    }

    /// Keeps memory objects with destruction callbacks until a command is done.
    pub fn watch(&self, core: &vk_runtime::Event, uses: &[&Arc<Memory>]) {
        for memory in uses.iter().filter(|memory| memory.is_watched()) {
            let kept = Arc::clone(memory);
            core.on_status(EventStatus::Complete, move |_| drop(kept));
        }
    }

    /// The same, and waits. Until then only the caller keeps what the command uses alive.
    fn run(
        self: &Arc<Self>,
        kind: cl_command_type,
        mut command: Command,
        order: &Order,
    ) -> Result<vk_runtime::Event> {
        self.label(&mut command, kind, None);
        let core = self.core().run(command, &self.with_moves(&order.waits)?)?;
        self.publish(kind, core.clone(), order.event);
        Ok(core)
    }

    /// Returns the event of a command to the application, if it wants one.
    pub fn publish(
        self: &Arc<Self>,
        kind: cl_command_type,
        core: vk_runtime::Event,
        place: Out<Handle<Event>>,
    ) {
        if !place.is_null() {
            place.set(Handle::publish(Event::of_command(self, kind, core)));
        }
    }

    /// Answers a query.
    pub fn query(&self, name: cl_command_queue_info) -> Result<Answer> {
        match name {
            CL_QUEUE_CONTEXT => info::value(Handle::of(&self.context)),
            CL_QUEUE_DEVICE => info::value(Handle::of(&self.device)),
            CL_QUEUE_REFERENCE_COUNT => info::value(handle::references(self)),
            CL_QUEUE_PROPERTIES => info::value(self.properties()),
            CL_QUEUE_PROPERTIES_ARRAY => info::list(&self.given),
            CL_QUEUE_DEVICE_DEFAULT => {
                let queue = self.context.default_queue(self.index);
                info::value(queue.map_or(Handle::NULL, |queue| Handle::of(&queue)))
            }
            CL_QUEUE_SIZE => match self.on_device {
                Some(queue) => info::value(queue.size),
                None => Err(code::INVALID_COMMAND_QUEUE),
            },
            _ => Err(code::INVALID_VALUE),
        }
    }
}

/// These properties as the runtime's options.
fn options(properties: cl_command_queue_properties) -> QueueOptions {
    QueueOptions {
        out_of_order: properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0,
        profiling: properties & CL_QUEUE_PROFILING_ENABLE != 0,
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Releasing a queue flushes it. An error cannot be returned here, so it is only logged.
        if let Err(error) = self.core().flush() {
            tracing::error!("{error}");
        }
    }
}
