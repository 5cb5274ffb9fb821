//! Commands that cannot be recorded yet, because they wait for the host or for another device.

use crate::engine::command::Command;
use crate::engine::event::{Dependent, Event, Needs, Readiness, code, code_of};
use crate::engine::followup::Followups;
use crate::engine::stream::Stream;
use crate::objects::command_queue::{QueueInner, needs};
use crate::vulkan::handle::lock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A command that waits. The events that it waits for keep it alive; it keeps its own event and its queue
/// alive.
pub(crate) struct Pending {
    queue: Arc<QueueInner>,
    /// Taken when it is recorded.
    command: Mutex<Option<Command>>,
    event: Event,
    /// The wait list, without user events: this must not hold their last handle (see [`Event::user`]), and
    /// barriers do not order anything after them.
    waits: Vec<Event>,
    /// Number of events that it still waits for, plus one while it is being set up.
    remaining: AtomicUsize,
    failed: AtomicBool,
    /// Whether its dependencies must be complete, not only recorded.
    needs_completion: AtomicBool,
}

impl Pending {
    pub(crate) fn new(
        queue: &Arc<QueueInner>,
        command: Command,
        event: &Event,
        waits: &[Event],
        needs: Needs,
    ) -> Arc<Self> {
        Arc::new(Pending {
            queue: Arc::clone(queue),
            command: Mutex::new(Some(command)),
            event: event.clone(),
            waits: waits.iter().filter(|wait| !wait.is_user()).cloned().collect(),
            remaining: AtomicUsize::new(1),
            failed: AtomicBool::new(false),
            needs_completion: AtomicBool::new(needs == Needs::Completion),
        })
    }

    /// Makes it wait for an event.
    pub(crate) fn wait_for(
        self: &Arc<Self>,
        event: &Event,
        needs: Needs,
        inherits: bool,
        followups: &mut Followups,
    ) {
        self.remaining.fetch_add(1, Ordering::Relaxed);
        match event.block(self.clone(), needs, inherits, followups) {
            Readiness::Blocked => {}
            Readiness::Ready => followups.release(self.clone(), false),
            Readiness::Failed => followups.release(self.clone(), true),
        }
    }

    /// Makes it wait until everything recorded so far is complete.
    fn catch_up(self: &Arc<Self>, followups: &mut Followups) {
        let marker = Event::new();
        let issued = self.queue.stream().issue(Command::marker(), &[], Some(&marker), false, followups);
        self.remaining.store(1, Ordering::Relaxed);
        match issued {
            Ok(_) => self.wait_for(&marker, Needs::Completion, false, followups),
            Err(_) => self.failed.store(true, Ordering::Relaxed),
        }
        followups.release(self.clone(), false);
    }
}

impl Dependent for Pending {
    fn is_on(&self, stream: &Arc<Stream>) -> bool {
        Arc::ptr_eq(self.queue.stream(), stream)
    }

    fn release(&self, failed: bool) -> bool {
        if failed {
            self.failed.store(true, Ordering::Relaxed);
        }
        self.remaining.fetch_sub(1, Ordering::AcqRel) == 1
    }

    fn go(self: Arc<Self>, followups: &mut Followups) {
        let Some(command) = lock(&self.command).take() else { return };
        // A dependency may have been recorded since then, and may make the host write the data that this
        // command reads from the host.
        let stream = self.queue.stream();
        let first = !self.needs_completion.swap(true, Ordering::Relaxed);
        if first && !self.failed.load(Ordering::Relaxed) && needs(&command, stream) == Needs::Completion {
            *lock(&self.command) = Some(command);
            return self.catch_up(followups);
        }
        if self.failed.load(Ordering::Relaxed) {
            self.event.fail(code::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, followups);
            return;
        }
        if let Err(error) = QueueInner::start(&self.queue, command, &self.waits, &self.event, followups) {
            tracing::error!(%error, "a delayed command could not be submitted to the device");
            self.event.fail(code_of(&error), followups);
        }
    }
}
