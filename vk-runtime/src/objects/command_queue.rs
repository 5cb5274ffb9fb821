//! Command queues: the order that OpenCL demands of commands, on top of the order of a stream.
//!
//! Most commands are recorded at once: "recorded later on the same stream" is all the order that they need. A
//! command that must wait for the host (a user event, a host function, a large transfer, a kernel that
//! enqueues others) or for another device becomes a [`Pending`]. In an in-order queue, so does everything
//! enqueued after it, until it is recorded. Enqueuing never waits for a dependency.
//!
//! Commands that read host memory when they are recorded (small writes) must not overtake commands that write
//! it when they are finished (reads). As long as any such read is in flight, they need the completion of
//! their dependencies, not only their order.
//!
//! Where everything that a small command must follow is complete, the host may do it at once (`host_work`).

use crate::engine::command::{Command, Kind};
use crate::engine::device_enqueue;
use crate::engine::event::{Event, Needs, Readiness, code, code_of};
use crate::engine::followup::Followups;
use crate::engine::host_work;
use crate::engine::label::Label;
use crate::engine::stream::Stream;
use crate::objects::device::Device;
use crate::objects::pending::Pending;
use crate::objects::transfer_kernels::TransferKernels;
use crate::objects::worker::{Job, Worker};
use crate::vulkan::clock::host_time;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::lock;
use smallvec::SmallVec;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

/// Properties of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueOptions {
    /// Whether commands may overtake each other where no event and no barrier orders them.
    pub out_of_order: bool,
    /// Whether the device measures when commands begin and end.
    pub profiling: bool,
}

/// Larger transfers go through a thread of the queue, piece by piece.
const INLINE_TRANSFER: u64 = 1 << 20;

/// Takes commands for a device. Any number of queues, and of threads using them, share a device. Cloning is
/// cheap and gives the same queue.
#[derive(Clone)]
pub struct CommandQueue {
    inner: Arc<QueueInner>,
}

pub(crate) struct QueueInner {
    device: Device,
    stream: Arc<Stream>,
    order: Mutex<Order>,
    worker: Worker,
    /// The transfer kernels, if the device should use them.
    transfer_kernels: OnceLock<Option<Arc<TransferKernels>>>,
}

/// The queue's state: its order, and what it remembers of earlier commands.
#[derive(Default)]
struct Order {
    options: QueueOptions,
    /// Events of commands that were not recorded at once and may still be pending.
    outstanding: Vec<Event>,
    /// The last submission with a command of this queue.
    last: u64,
    /// The last barrier, while it is pending.
    barrier: Option<Event>,
    /// The last submission with a barrier of this queue.
    barred: u64,
}

impl Order {
    /// Forgets commands that have been recorded by now.
    fn settle(&mut self) {
        let last = &mut self.last;
        self.outstanding.retain(|event| {
            let pending = event.is_pending();
            if !pending && let Some(place) = event.place() {
                *last = place.serial.max(*last);
            }
            pending
        });
        if let Some(barrier) = self.barrier.take_if(|event| !event.is_pending())
            && let Some(place) = barrier.place()
        {
            self.barred = place.serial.max(self.barred);
        }
    }

    /// The last submission with a command of the queue that a new one must follow.
    fn behind(&self, kind: &Kind, waits: &[Event]) -> u64 {
        if !self.options.out_of_order || is_for_everything(kind, waits) { self.last } else { self.barred }
    }

    /// The pending commands that must precede a new one.
    fn predecessors(&self, kind: &Kind, waits: &[Event]) -> SmallVec<[Event; 2]> {
        if !self.options.out_of_order {
            // Each of them waits for the one before.
            self.outstanding.last().cloned().into_iter().collect()
        } else if is_for_everything(kind, waits) {
            self.outstanding.iter().cloned().collect()
        } else {
            self.barrier.clone().into_iter().collect()
        }
    }
}

/// Whether a command waits for all earlier ones of its queue.
fn is_for_everything(kind: &Kind, waits: &[Event]) -> bool {
    matches!(kind, Kind::Marker | Kind::Barrier) && waits.is_empty()
}

impl CommandQueue {
    /// A queue for a device.
    #[must_use]
    pub fn new(device: &Device, options: QueueOptions) -> Self {
        let inner = QueueInner {
            device: device.clone(),
            stream: Arc::clone(device.stream()),
            order: Mutex::new(Order { options, ..Order::default() }),
            worker: Worker::default(),
            transfer_kernels: OnceLock::new(),
        };
        CommandQueue { inner: Arc::new(inner) }
    }

    /// Its device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// Its properties.
    #[must_use]
    pub fn options(&self) -> QueueOptions {
        lock(&self.inner.order).options
    }

    /// Changes its properties, after everything enqueued so far is complete or has failed.
    ///
    /// # Errors
    /// As for [`CommandQueue::finish`]. In that case the properties do not change.
    pub fn set_options(&self, options: QueueOptions) -> Result<()> {
        loop {
            self.finish()?;
            let mut order = lock(&self.inner.order);
            order.settle();
            // Commands that another thread has enqueued meanwhile must not wait any more either; recorded
            // ones already have their order.
            if order.outstanding.is_empty() {
                order.options = options;
                return Ok(());
            }
        }
    }

    /// Enqueues a command, which begins when the events of the wait list are complete; if one fails, it fails
    /// too. Does not wait for anything.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], [`Error::OutOfMemory`], [`Error::DeviceLost`]. The command is not enqueued
    /// then.
    pub fn enqueue(&self, command: Command, waits: &[Event]) -> Result<Event> {
        let event = Event::new();
        self.put(command, waits, Some(&event))?;
        Ok(event)
    }

    /// The same with an event that was there before.
    pub(crate) fn enqueue_as(&self, command: Command, waits: &[Event], event: &Event) -> Result<()> {
        self.put(command, waits, Some(event))
    }

    /// Enqueues a command without an event.
    ///
    /// # Errors
    /// As for [`CommandQueue::enqueue`].
    pub fn enqueue_silently(&self, command: Command, waits: &[Event]) -> Result<()> {
        self.put(command, waits, None)
    }

    /// Enqueues a command and waits for it.
    ///
    /// # Errors
    /// As for [`CommandQueue::enqueue`] and [`Event::wait`].
    pub fn run(&self, command: Command, waits: &[Event]) -> Result<Event> {
        if let Some(event) = self.run_directly(&command, waits)? {
            return Ok(event);
        }
        let event = self.enqueue(command, waits)?;
        event.wait()?;
        Ok(event)
    }

    /// Submits everything enqueued so far that can begin.
    ///
    /// # Errors
    /// A failure of the device.
    pub fn flush(&self) -> Result<()> {
        self.inner.stream.flush()
    }

    /// Waits until everything enqueued so far is complete or has failed.
    ///
    /// # Errors
    /// [`Error::Timeout`] or [`Error::DeviceLost`].
    pub fn finish(&self) -> Result<()> {
        let outstanding = {
            let mut order = lock(&self.inner.order);
            order.settle();
            order.outstanding.clone()
        };
        for event in outstanding {
            match event.wait() {
                Ok(()) | Err(Error::CommandFailed { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let last = {
            let mut order = lock(&self.inner.order);
            order.settle();
            order.last
        };
        self.inner.stream.wait(last, None)
    }

    fn put(&self, mut command: Command, waits: &[Event], event: Option<&Event>) -> Result<()> {
        if command.device.is_some_and(|device| device != self.inner.device.id()) {
            return Err(Error::OtherDevice { what: "what the command uses" });
        }
        if let Some(mut launch) = self.by_kernel(&command) {
            launch.label = command.label;
            command = launch;
        }
        let mut followups = Followups::default();
        let result = QueueInner::put(&self.inner, command, waits, event, &mut followups);
        followups.run();
        result
    }

    /// A launch that replaces a transfer within the device, where that is faster.
    fn by_kernel(&self, command: &Command) -> Option<Command> {
        if !matches!(command.kind, Kind::CopyBuffer { .. } | Kind::FillBuffer { .. }) {
            return None;
        }
        let kernels = self.inner.transfer_kernels.get_or_init(|| TransferKernels::of(&self.inner.device));
        kernels.as_ref()?.launch(command)
    }

    /// Waits for what a command must follow, and does it on the host, if the host can and nothing has to wait
    /// for the host before.
    fn run_directly(&self, command: &Command, waits: &[Event]) -> Result<Option<Event>> {
        let (inner, kind) = (&self.inner, &command.kind);
        let transfer = match kind {
            Kind::Write(transfer) | Kind::Read(transfer) => transfer.direct().map(|_| transfer),
            _ => None,
        };
        let elsewhere = command.device.is_some_and(|device| device != inner.device.id());
        if elsewhere || inner.stream.is_lost() || transfer.is_none() && !kind.suits_host() {
            return Ok(None);
        }
        let event = Event::new();
        let last = {
            let mut order = lock(&inner.order);
            order.settle();
            let ready = |wait: &Event| wait.readiness(&inner.stream, Needs::Order, true) == Readiness::Ready;
            if !order.outstanding.is_empty() || !waits.iter().all(ready) {
                return Ok(None);
            }
            order.behind(kind, waits)
        };
        for wait in waits {
            wait.wait()?;
        }
        inner.stream.wait(last, None)?;
        let started = host_time();
        match transfer {
            Some(transfer) => inner.device.transfer(transfer, matches!(kind, Kind::Write(_)))?,
            None if kind.do_on_host(&inner.stream) => {}
            None => return Ok(None),
        }
        let mut followups = Followups::default();
        inner.complete_now(Some(&event), command, started, &mut followups);
        followups.run();
        Ok(Some(event))
    }
}

impl fmt::Debug for CommandQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CommandQueue({:?} on {:?})", self.options(), self.inner.device)
    }
}

impl QueueInner {
    pub(crate) fn stream(&self) -> &Arc<Stream> {
        &self.stream
    }

    /// Records a command, or makes it pending.
    fn put(
        queue: &Arc<QueueInner>,
        mut command: Command,
        waits: &[Event],
        event: Option<&Event>,
        followups: &mut Followups,
    ) -> Result<()> {
        let stream = &queue.stream;
        let mut order = lock(&queue.order);
        order.settle();
        let predecessors = order.predecessors(&command.kind, waits);
        if predecessors.is_empty() && queue.do_on_host(&order, &command, waits, event, followups) {
            return Ok(());
        }
        let needs = needs(&command, stream);
        let (mut blocked, mut failed) = (false, false);
        for wait in waits {
            match wait.readiness(stream, needs, true) {
                Readiness::Ready => {}
                Readiness::Blocked => blocked = true,
                Readiness::Failed => failed = true,
            }
        }
        let on_worker = is_for_worker(&command.kind);
        if !blocked && !failed && predecessors.is_empty() && needs == Needs::Order && !on_worker {
            let bars = matches!(command.kind, Kind::Barrier);
            order.last = stream.issue(command, waits, event, order.options.profiling, followups)?;
            if bars {
                order.barred = order.last;
            }
            return Ok(());
        }
        let owned;
        let event = match event {
            Some(event) => event,
            None => {
                owned = Event::new();
                &owned
            }
        };
        if failed {
            event.fail(code::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, followups);
            return Ok(());
        }
        command.note_queued();
        // Where order alone is not enough, what it must follow on this queue must be complete too.
        let behind = order.behind(&command.kind, waits);
        let lacks = needs == Needs::Completion && predecessors.is_empty() && !stream.is_finished(behind);
        let caught_up = if lacks {
            let marker = Event::new();
            order.last = stream.issue(Command::marker(), &[], Some(&marker), false, followups)?;
            Some(marker)
        } else {
            None
        };
        if matches!(command.kind, Kind::Barrier) {
            order.barrier = Some(event.clone());
        }
        let pending = Pending::new(queue, command, event, waits, needs);
        for wait in waits {
            pending.wait_for(wait, needs, true, followups);
        }
        for earlier in predecessors.iter().chain(&caught_up) {
            pending.wait_for(earlier, needs, false, followups);
        }
        order.outstanding.push(event.clone());
        drop(order);
        followups.release(pending, false);
        Ok(())
    }

    /// Does a small command on the host, if everything that it must follow is known to be complete. The
    /// queue is locked, so no command overtakes it. False if nothing was done.
    fn do_on_host(
        &self,
        order: &Order,
        command: &Command,
        waits: &[Event],
        event: Option<&Event>,
        followups: &mut Followups,
    ) -> bool {
        let (stream, kind) = (&self.stream, &command.kind);
        if !kind.suits_host() || !stream.is_finished(order.behind(kind, waits)) || stream.is_lost() {
            return false;
        }
        let complete = |wait: &Event| wait.readiness(stream, Needs::Completion, true) == Readiness::Ready;
        if !waits.iter().all(complete) {
            return false;
        }
        let started = host_time();
        if !kind.do_on_host(stream) {
            return false;
        }
        self.complete_now(event, command, started, followups);
        true
    }

    /// Completes a command that the host has just done.
    fn complete_now(
        &self,
        event: Option<&Event>,
        command: &Command,
        started: u64,
        followups: &mut Followups,
    ) {
        if event.is_none() && command.label.is_none() {
            return;
        }
        let times = (started, host_time());
        if let Some(event) = event {
            event.submitted(started, followups);
            event.complete(Some(times), followups);
        }
        self.stream.records.done_by_host(command.label, times);
    }

    /// Continues with a command whose wait has ended.
    pub(crate) fn start(
        queue: &Arc<QueueInner>,
        command: Command,
        waits: &[Event],
        event: &Event,
        followups: &mut Followups,
    ) -> Result<()> {
        if is_for_worker(&command.kind) {
            return queue.worker.send(Job {
                queue: Arc::clone(queue),
                kind: command.kind,
                label: command.label,
                event: event.clone(),
            });
        }
        let timed = lock(&queue.order).options.profiling;
        queue.stream.issue(command, waits, Some(event), timed, followups).map(drop)
    }

    /// Runs a job on the queue's thread.
    pub(crate) fn work(&self, kind: Kind, label: Option<Label>, event: &Event) {
        let started = host_time();
        let mut followups = Followups::default();
        event.submitted(started, &mut followups);
        let result = match kind {
            Kind::Native(function) => std::panic::catch_unwind(std::panic::AssertUnwindSafe(function))
                .map(|()| None)
                .map_err(|_| {
                    tracing::error!("a function enqueued as a command panicked");
                    Error::CommandFailed { code: code::INVALID_OPERATION }
                }),
            Kind::Launch(launch) => match device_enqueue::run(&self.stream, launch) {
                Ok(times) => {
                    event.complete_family(times, &mut followups);
                    Ok(Some((times.started, times.ended)))
                }
                Err(error) => Err(error),
            },
            Kind::Write(transfer) => self.device.transfer(&transfer, true).map(|()| None),
            Kind::Read(transfer) => self.device.transfer(&transfer, false).map(|()| None),
            other => unreachable!("{other:?} is not for the queue's thread"),
        };
        match result {
            Ok(times) => {
                let times = times.unwrap_or_else(|| (started, host_time()));
                self.stream.records.done_by_host(label, times);
                event.complete(Some(times), &mut followups)
            }
            Err(error) => {
                tracing::error!(%error, "a command failed");
                event.fail(code_of(&error), &mut followups)
            }
        };
        followups.run();
    }
}

/// What a command demands of the commands that it waits for.
pub(crate) fn needs(command: &Command, stream: &Stream) -> Needs {
    match &command.kind {
        Kind::Native(_) => Needs::Completion,
        Kind::Write(_) if stream.writes_host() || stream.writes_pinned() => Needs::Completion,
        Kind::CopyBuffer { .. } if command.pinned.is_some() && stream.writes_host() => Needs::Completion,
        Kind::Write(transfer) | Kind::Read(transfer)
            if is_for_worker(&command.kind) && transfer.direct().is_some() =>
        {
            Needs::Completion
        }
        _ => Needs::Order,
    }
}

fn is_for_worker(kind: &Kind) -> bool {
    match kind {
        Kind::Native(_) => true,
        Kind::Launch(launch) => launch.founder.is_some(),
        Kind::Write(transfer) | Kind::Read(transfer) => {
            let limit = if transfer.direct().is_some() { host_work::MOST_BYTES } else { INLINE_TRANSFER };
            transfer.shape.size() > limit
        }
        _ => false,
    }
}
