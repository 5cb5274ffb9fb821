//! A Vulkan queue: the one order in which a device executes commands.
//!
//! Commands of all [`crate::CommandQueue`]s of a device are recorded here, in the order in which they became
//! ready, and submitted to Vulkan many at a time. Submissions have serial numbers; a timeline semaphore (or
//! fences) tells which are done. A barrier separates consecutive submissions, and commands within one where a
//! command depends on an earlier one (`hazard`). So "recorded later" is all the order that a command on the
//! same stream needs.
//!
//! The thread that learns that submissions are done finishes them ([`Stream::reap`]): data goes to the host,
//! events complete, and the slots become free. If no caller waits but something depends on a submission, a
//! separate thread waits (`watch`).
//!
//! Lock order: `reaping`, then `state`, then those of buffers and events. Only `reaping` is held while memory
//! is copied, and no lock while a thread waits for the device.

mod finish;

use self::finish::fail_entries;
use crate::engine::buffer::BufferInner;
use crate::engine::command::{Command, Kind};
use crate::engine::event::{Event, EventStatus, Place};
use crate::engine::faults::Faults;
use crate::engine::followup::Followups;
use crate::engine::label::RecordHandler;
use crate::engine::runs::{Labelled, Plan};
use crate::engine::sampling::{Likeness, Pass, Sampling};
use crate::engine::signal::Signal;
use crate::engine::slot::{Entry, Keep, Slot};
use crate::engine::watch::Watch;
use crate::vulkan::clock::{Clock, host_time};
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::lock;
use crate::vulkan::memory::Heap;
use crate::vulkan::physical_device::{DeviceInfo, DeviceKind};
use ash::vk;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Most commands in a submission.
const MOST_COMMANDS: u32 = 120;

/// Recorded commands after which an idle device gets them.
const EAGER_COMMANDS: u32 = 16;

/// Most submissions in flight; further ones wait for the oldest.
const MOST_IN_FLIGHT: usize = 32;

/// Most slots that are kept because their launch may come again ([`crate::engine::repeat`]); the oldest
/// beyond that are reused for other commands.
const MOST_REPEATABLE: usize = 4;

/// Most bytes of data for the device in one submission, which limits the memory in flight.
const MOST_UPLOAD: u64 = 8 << 20;

/// See the module.
pub(crate) struct Stream {
    state: Mutex<State>,
    reaping: Mutex<()>,
    /// Serial of the last submission so far, including the open one; of the last one submitted to Vulkan; and
    /// of the last finished one.
    last: AtomicU64,
    submitted: AtomicU64,
    finished: AtomicU64,
    in_flight: AtomicUsize,
    /// Commands recorded and not finished that will write host memory.
    host_writes: AtomicUsize,
    /// The same for commands whose writes the device itself makes to pinned buffers.
    pinned_writes: AtomicUsize,
    /// Serial of the last submission with a launch that may access any memory.
    reached_anything: AtomicU64,
    lost: AtomicBool,
    faults: Faults,
    pub(crate) watch: Watch,
    pub(crate) clock: Clock,
    /// Whether commands can be timed.
    pub(crate) has_time_stamps: bool,
    /// Gets records of labelled commands.
    pub(crate) records: RecordHandler,
    sampling: Mutex<Sampling>,
    /// Host time at which the last submission with labelled commands ended.
    recorded_until: AtomicU64,
    signal: Signal,
    timeout: Duration,
    pub(crate) heap: Arc<Heap>,
}

/// Slots are large and change hands often.
#[expect(clippy::vec_box, reason = "it is the boxes that are handed on")]
struct State {
    raw: vk::Queue,
    /// Being recorded.
    open: Option<Box<Slot>>,
    in_flight: VecDeque<Box<Slot>>,
    /// Ready to be recorded into.
    free: Vec<Box<Slot>>,
    /// Released slots that are still to be renewed; separately, those with a launch that may come again, the
    /// oldest first.
    spent: Vec<Box<Slot>>,
    repeatable: VecDeque<Box<Slot>>,
    /// Whether the last submission ended without a barrier.
    open_ended: bool,
    /// Says how to time the next commands, if they are like the last one.
    pass: Pass,
}

impl State {
    /// A slot that holds just this command.
    fn take_repeatable(&mut self, command: &Command, timed: bool) -> Option<Box<Slot>> {
        let position = self.repeatable.iter().position(|slot| {
            slot.recording.as_ref().is_some_and(|recording| recording.suits(command, timed, self.open_ended))
        })?;
        let mut slot = self.repeatable.remove(position)?;
        slot.repeat();
        Some(slot)
    }

    /// The oldest submission in flight, if it is among those up to `done`, with which the device is done.
    fn take_done(&mut self, done: u64) -> Option<Box<Slot>> {
        let is_done = self.in_flight.front().is_some_and(|slot| slot.serial <= done);
        if is_done { self.in_flight.pop_front() } else { None }
    }

    /// Puts a slot back whose commands the device is done with.
    fn put_back(&mut self, slot: Box<Slot>) {
        if slot.recording.is_none() {
            return self.spent.push(slot);
        }
        self.repeatable.push_back(slot);
        if self.repeatable.len() > MOST_REPEATABLE {
            self.spent.extend(self.repeatable.pop_front());
        }
    }
}

/// How a stream is made.
pub(crate) struct StreamOptions {
    /// See [`crate::DeviceOptions::busy_wait`].
    pub(crate) busy_wait: Option<Duration>,
    pub(crate) timeout: Duration,
    pub(crate) never_timeline: bool,
    pub(crate) records: RecordHandler,
}

/// How long waits poll before they sleep, unless the options say so.
fn busy_wait(kind: DeviceKind) -> Duration {
    match kind {
        DeviceKind::Cpu => Duration::ZERO,
        _ => Duration::from_micros(100),
    }
}

impl Stream {
    /// The stream of a device that was opened.
    pub(crate) fn new(heap: &Arc<Heap>, info: &DeviceInfo, options: &StreamOptions) -> Result<Arc<Self>> {
        let (usable, logical) = (info.usable()?, &heap.logical);
        let timeline = usable.capabilities.has_timeline() && !options.never_timeline;
        let busy_wait = options.busy_wait.unwrap_or_else(|| busy_wait(info.kind()));
        let state = State {
            raw: logical.queue(),
            open: None,
            in_flight: VecDeque::with_capacity(MOST_IN_FLIGHT + 1),
            free: Vec::with_capacity(MOST_IN_FLIGHT + 1),
            spent: Vec::with_capacity(MOST_IN_FLIGHT + 1),
            repeatable: VecDeque::with_capacity(MOST_REPEATABLE + 1),
            open_ended: false,
            pass: Pass::default(),
        };
        Ok(Arc::new(Stream {
            state: Mutex::new(state),
            reaping: Mutex::new(()),
            last: AtomicU64::new(0),
            submitted: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            in_flight: AtomicUsize::new(0),
            host_writes: AtomicUsize::new(0),
            pinned_writes: AtomicUsize::new(0),
            reached_anything: AtomicU64::new(0),
            lost: AtomicBool::new(false),
            faults: Faults::default(),
            watch: Watch::default(),
            clock: Clock::new(logical, usable),
            has_time_stamps: logical.timestamp_bits() > 0,
            records: options.records.clone(),
            sampling: Mutex::default(),
            recorded_until: AtomicU64::new(0),
            signal: Signal::new(logical, timeline, busy_wait)?,
            timeout: options.timeout,
            heap: Arc::clone(heap),
        }))
    }

    /// Records a command; returns the serial number of its submission. The command must come after the events
    /// in `waits`.
    pub(crate) fn issue(
        self: &Arc<Self>,
        command: Command,
        waits: &[Event],
        event: Option<&Event>,
        timed: bool,
        followups: &mut Followups,
    ) -> Result<u64> {
        self.throttle(followups)?;
        let timed = timed && event.is_some() && self.has_time_stamps;
        let labelled = command.label.map(|mut label| {
            let likeness = Likeness::of(&command);
            if let Some(event) = event.filter(|_| timed && label.queued == 0) {
                label.queued = event.queued();
            }
            Labelled { label, likeness, timed }
        });
        let reads = matches!(command.kind, Kind::Read(_));
        // A submission waits before its first command, and signals after its last one.
        let waits_first = matches!(command.kind, Kind::WaitSemaphores(_));
        let signals_last = matches!(command.kind, Kind::SignalSemaphores(_));
        let reaches_anything = command.reaches_anything();
        let mut state = lock(&self.state);
        let in_the_way = |slot: &Slot| slot.repeats || waits_first || timed && !slot.has_room();
        if state.open.as_deref().is_some_and(in_the_way) {
            self.submit(&mut state, followups)?;
        }
        let plan = match &labelled {
            None => Plan::Unlabelled,
            Some(labelled) => self.plan(&mut state, labelled),
        };
        let may_repeat = !(plan.begins() || timed && labelled.is_some());
        let slot = self.open(&mut state, may_repeat.then_some((&command, timed)))?;
        if waits.iter().any(|wait| wait.is_at(self, slot.serial, slot.epoch)) {
            slot.barrier();
        }
        if plan.begins() || slot.runs.in_span() && !plan.joins() {
            slot.before_labelled(&plan, &mut lock(&self.sampling))?;
        }
        let recorded = slot.record(command, timed)?;
        slot.count += 1;
        if reaches_anything {
            self.reached_anything.store(slot.serial, Ordering::Release);
        }
        if reads {
            self.host_writes.fetch_add(1, Ordering::Relaxed);
        }
        if recorded.writes_pinned {
            self.pinned_writes.fetch_add(1, Ordering::Relaxed);
        }
        let (serial, epoch) = (slot.serial, slot.epoch);
        if let Some(labelled) = &labelled {
            slot.after_labelled(&plan, labelled, recorded.stamps, &self.sampling);
        }
        if event.is_some() || recorded.is_for_host() {
            slot.entries.push(Entry { event: event.cloned(), recorded });
        }
        if let Some(event) = event {
            event.issued(Place { stream: Arc::clone(self), serial, epoch }, followups);
        }
        let full = signals_last
            || slot.count >= MOST_COMMANDS
            || slot.upload.total() >= MOST_UPLOAD
            || slot.download.total() >= MOST_UPLOAD;
        let eager = slot.count % EAGER_COMMANDS == 0;
        let idle = |state: &State| -> Result<bool> {
            Ok(self.signal.done(&state.in_flight)? >= self.submitted.load(Ordering::Relaxed))
        };
        if full || eager && idle(&state)? {
            self.submit(&mut state, followups)?;
        }
        Ok(serial)
    }

    /// How a labelled command is to be timed.
    fn plan(&self, state: &mut State, labelled: &Labelled) -> Plan {
        if labelled.timed {
            return Plan::Timed;
        }
        if let Some(run) = state.open.as_deref().and_then(|slot| slot.runs.find_short(labelled)) {
            return Plan::Join(run);
        }
        Plan::Sampled(state.pass.take(labelled.likeness).unwrap_or_else(|| {
            let mut sampling = lock(&self.sampling);
            let mut sample = sampling.sample_with_pass(labelled.likeness, &mut state.pass);
            sample.begins &= self.has_time_stamps;
            sample
        }))
    }

    /// Records a command of the runtime itself, without an event.
    pub(crate) fn issue_silently(self: &Arc<Self>, command: Command) -> Result<()> {
        let mut followups = Followups::default();
        let result = self.issue(command, &[], None, false, &mut followups);
        followups.run();
        result.map(drop)
    }

    /// Submits what is recorded, and then lets `submit` submit something of its own to the queue. Later
    /// commands wait for that.
    pub(crate) fn submit_apart<T>(&self, submit: impl FnOnce(vk::Queue) -> Result<T>) -> Result<T> {
        let mut followups = Followups::default();
        let mut state = lock(&self.state);
        let submitted = self.submit(&mut state, &mut followups);
        let result = submitted.and_then(|()| submit(state.raw));
        state.open_ended = true;
        drop(state);
        followups.run();
        result
    }

    /// The slot to record into, or one that already holds exactly the command to be recorded, timed or not.
    fn open<'s>(&self, state: &'s mut State, command: Option<(&Command, bool)>) -> Result<&'s mut Slot> {
        if self.lost.load(Ordering::Relaxed) {
            return Err(Error::DeviceLost { operation: "submit work" });
        }
        if state.open.is_none() {
            let mut slot = match command.and_then(|(command, timed)| state.take_repeatable(command, timed)) {
                Some(slot) => slot,
                None => self.fresh(state)?,
            };
            slot.serial = self.submitted.load(Ordering::Relaxed) + 1;
            self.last.store(slot.serial, Ordering::Release);
            state.open = Some(slot);
        }
        Ok(state.open.as_mut().expect("just opened"))
    }

    /// A slot to record anything into.
    fn fresh(&self, state: &mut State) -> Result<Box<Slot>> {
        let mut slot = if let Some(slot) = state.free.pop() {
            slot
        } else if let Some(mut slot) = state.spent.pop() {
            slot.renew()?;
            slot
        } else {
            Box::new(Slot::new(&self.heap)?)
        };
        slot.begin_behind(state.open_ended);
        Ok(slot)
    }

    /// Submits the open slot to Vulkan.
    fn submit(&self, state: &mut State, followups: &mut Followups) -> Result<()> {
        let Some(mut slot) = state.open.take() else { return Ok(()) };
        let serial = slot.serial;
        if !slot.runs.is_empty() {
            slot.end_runs(&self.sampling);
        }
        slot.submitted = host_time();
        let result = slot.end().and_then(|()| self.signal.submit(state.raw, &mut slot));
        // The number is used up in any case, because events refer to it.
        self.submitted.store(serial, Ordering::Release);
        state.open_ended = result.is_err() || !slot.for_host;
        if let Err(error) = result {
            let skipped = self.signal.skip(serial, &state.in_flight, self.timeout);
            if skipped.is_err() || matches!(error, Error::DeviceLost { .. }) {
                self.lost.store(true, Ordering::Relaxed);
            }
            fail_entries(&slot, followups);
            self.forget_host_writes(&slot);
            return Err(error);
        }
        for entry in &slot.entries {
            if let Some(event) = &entry.event {
                event.submitted(slot.submitted, followups);
            }
        }
        state.in_flight.push_back(slot);
        self.in_flight.store(state.in_flight.len(), Ordering::Relaxed);
        Ok(())
    }

    /// Submits everything recorded to the device.
    pub(crate) fn flush(&self) -> Result<()> {
        if self.submitted.load(Ordering::Acquire) >= self.last() {
            return Ok(());
        }
        let mut followups = Followups::default();
        let result = self.submit(&mut lock(&self.state), &mut followups);
        followups.run();
        result
    }

    /// Submits everything up to this submission to the device.
    fn flush_to(&self, serial: u64, followups: &mut Followups) -> Result<()> {
        if self.submitted.load(Ordering::Acquire) >= serial {
            return Ok(());
        }
        let mut state = lock(&self.state);
        if state.open.as_ref().is_some_and(|slot| slot.serial <= serial) {
            self.submit(&mut state, followups)?;
        }
        Ok(())
    }

    /// Waits until the device is done with a submission, and finishes it.
    pub(crate) fn wait(&self, serial: u64, limit: Option<Duration>) -> Result<()> {
        self.wait_done(serial, limit)?;
        self.faults.take(serial)
    }

    /// The same, but ignores whether the results are wrong.
    pub(crate) fn wait_done(&self, serial: u64, limit: Option<Duration>) -> Result<()> {
        let mut followups = Followups::default();
        let result = self.wait_and_collect(serial, limit, &mut followups);
        followups.run();
        result
    }

    fn wait_and_collect(
        &self,
        serial: u64,
        limit: Option<Duration>,
        followups: &mut Followups,
    ) -> Result<()> {
        if self.finished.load(Ordering::Acquire) >= serial {
            return Ok(());
        }
        self.flush_to(serial, followups)?;
        self.renew_one();
        let limit = limit.unwrap_or(self.timeout);
        let done = self.signal.wait(serial, limit, || {
            let state = lock(&self.state);
            state.in_flight.iter().find(|slot| slot.serial >= serial).and_then(|slot| slot.fence.clone())
        });
        if let Err(Error::DeviceLost { .. }) = done {
            self.lose(followups);
        }
        self.reap(done?, followups);
        Ok(())
    }

    /// Makes a slot ready while the device works, so that the next recording need not.
    fn renew_one(&self) {
        let spent = {
            let mut state = lock(&self.state);
            if state.free.is_empty() { state.spent.pop() } else { None }
        };
        let Some(mut slot) = spent else { return };
        match slot.renew() {
            Ok(()) => lock(&self.state).free.push(slot),
            Err(error) => tracing::debug!(%error, "a submission's resources are not reused"),
        }
    }

    /// The status of a submission.
    pub(crate) fn poll(&self, serial: u64) -> EventStatus {
        let mut followups = Followups::default();
        let polled = self.flush_to(serial, &mut followups).and_then(|()| self.ask_and_reap(&mut followups));
        followups.run();
        if let Err(error) = polled {
            tracing::debug!(%error, "the device does not report its progress");
        }
        match self.finished.load(Ordering::Acquire) {
            finished if finished >= serial => EventStatus::Complete,
            finished if finished + 1 == serial => EventStatus::Running,
            _ => EventStatus::Submitted,
        }
    }

    /// Serial of the last submission that is finished.
    pub(crate) fn finished(&self) -> u64 {
        self.finished.load(Ordering::Acquire)
    }

    /// Whether a submission is known to be done, without asking the device.
    pub(crate) fn is_finished(&self, serial: u64) -> bool {
        self.finished.load(Ordering::Acquire) >= serial
    }

    /// Whether the device was lost.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Whether the device is done with a submission.
    pub(crate) fn is_done(&self, serial: u64) -> Result<bool> {
        if self.poll(serial) == EventStatus::Complete {
            return if self.lost.load(Ordering::Relaxed) {
                Err(Error::DeviceLost { operation: "report whether its work is done" })
            } else {
                Ok(true)
            };
        }
        Ok(false)
    }

    /// Serial of the last submission with a launch that may access any memory, 0 if there is none.
    pub(crate) fn reached_anything(&self) -> u64 {
        self.reached_anything.load(Ordering::Acquire)
    }

    /// Keeps a buffer until the launches so far that may access any memory are done.
    pub(crate) fn retire(&self, buffer: Arc<BufferInner>) {
        let serial = self.reached_anything();
        if self.is_finished(serial) {
            return;
        }
        let mut state = lock(&self.state);
        let State { open, in_flight, .. } = &mut *state;
        let mut slots = in_flight.iter_mut().chain(open.as_mut());
        if let Some(slot) = slots.find(|slot| slot.serial >= serial) {
            slot.keeps.push(Keep::Buffer(Arc::clone(&buffer)));
        }
        // If this is the last owner, the lock must not be held.
        drop(state);
        drop(buffer);
    }

    /// Whether commands in flight will still write host memory.
    pub(crate) fn writes_host(&self) -> bool {
        self.host_writes.load(Ordering::Acquire) > 0
    }

    /// Whether the device will still write the host's side of pinned buffers.
    pub(crate) fn writes_pinned(&self) -> bool {
        self.pinned_writes.load(Ordering::Acquire) > 0
    }

    /// Serial of the last submission so far, the open one included.
    pub(crate) fn last(&self) -> u64 {
        self.last.load(Ordering::Acquire)
    }

    /// Waits for the oldest submissions if too many are in flight.
    fn throttle(&self, followups: &mut Followups) -> Result<()> {
        if self.in_flight.load(Ordering::Relaxed) < MOST_IN_FLIGHT {
            return Ok(());
        }
        self.ask_and_reap(followups)?;
        if self.in_flight.load(Ordering::Relaxed) < MOST_IN_FLIGHT {
            return Ok(());
        }
        // Half of them, so that the device and this thread do not run in step.
        let serial = self.finished.load(Ordering::Acquire) + MOST_IN_FLIGHT as u64 / 2;
        self.wait_and_collect(serial, None, followups)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = state.in_flight.pop_front() {
            // The device did not finish in time, so the objects that it still uses and the logical device are
            // leaked.
            tracing::error!("the device still works; what it uses is not freed");
            std::mem::forget(slot);
            std::mem::take(&mut state.in_flight).into_iter().for_each(std::mem::forget);
            std::mem::forget(self.signal.leak());
        }
    }
}
