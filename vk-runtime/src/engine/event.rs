//! Events: the state of a command, and what waits for it.
//!
//! An event goes from pending to issued (its commands are recorded on a [`Stream`]) to complete or failed,
//! and never back. A change of state can trigger callbacks and commands that waited. They go into a
//! [`Followups`], which the caller runs when it holds no lock.
//!
//! Lock order: a stream's state before an event's. No other lock is taken while an event's state is locked.

use crate::engine::followup::Followups;
use crate::engine::stream::Stream;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::lock;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Execution status of a command, as in OpenCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventStatus {
    /// Enqueued.
    Queued,
    /// Given to the device.
    Submitted,
    /// The device works on it.
    Running,
    /// Done.
    Complete,
    /// It ended with this code, which is negative; its effects are undefined.
    Failed(i32),
}

impl EventStatus {
    /// How far along it is: a smaller rank is later, as OpenCL numbers them.
    fn rank(self) -> u8 {
        match self {
            EventStatus::Queued => 3,
            EventStatus::Submitted => 2,
            EventStatus::Running => 1,
            EventStatus::Complete | EventStatus::Failed(_) => 0,
        }
    }
}

/// Codes of failed events, those of OpenCL.
pub(crate) mod code {
    pub(crate) const MEM_OBJECT_ALLOCATION_FAILURE: i32 = -4;
    pub(crate) const OUT_OF_RESOURCES: i32 = -5;
    pub(crate) const EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: i32 = -14;
    pub(crate) const INVALID_OPERATION: i32 = -59;
}

/// The code for an event whose command could not be given to the device.
pub(crate) fn code_of(error: &Error) -> i32 {
    match error {
        Error::OutOfMemory { .. } => code::MEM_OBJECT_ALLOCATION_FAILURE,
        Error::CommandFailed { code } => *code,
        _ => code::OUT_OF_RESOURCES,
    }
}

/// When the stages of a command were reached, in nanoseconds of the host clock ([`crate::host_time`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// It was enqueued.
    pub queued: u64,
    /// It was given to the device.
    pub submitted: u64,
    /// The device began.
    pub started: u64,
    /// The device was done.
    pub ended: u64,
    /// The device was also done with its descendants: the kernels that it enqueued.
    pub completed: u64,
}

/// When a command began and ended, and when its last descendant ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) started: u64,
    pub(crate) ended: u64,
    pub(crate) completed: u64,
}

/// What an event calls when its status is reached.
pub(crate) type Callback = Box<dyn FnOnce(EventStatus) + Send>;

/// Where on a stream a command is recorded.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) stream: Arc<Stream>,
    /// Number of its submission.
    pub(crate) serial: u64,
    /// Barriers before it in that submission.
    pub(crate) epoch: u32,
}

/// What a command demands of another one that it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// That it is recorded earlier on the same stream.
    Order,
    /// That it is complete.
    Completion,
}

/// What waits for events: a command that cannot be recorded yet.
pub(crate) trait Dependent: Send + Sync {
    /// Whether it will be recorded on this stream.
    fn is_on(&self, stream: &Arc<Stream>) -> bool;

    /// Notes that one thing that it waits for has ended; true for the last one.
    fn release(&self, failed: bool) -> bool;

    /// Continues: nothing is left to wait for.
    fn go(self: Arc<Self>, followups: &mut Followups);
}

/// A dependent of an event.
struct Waiting {
    dependent: Arc<dyn Dependent>,
    needs: Needs,
    /// Whether the command fails with the event.
    inherits: bool,
}

enum Stage {
    Pending,
    Issued(Place),
    Complete,
    Failed(i32),
}

struct State {
    stage: Stage,
    profile: Profile,
    /// Threads blocked on `changed`.
    waiters: u32,
    callbacks: Vec<(EventStatus, Callback)>,
    dependents: Vec<Waiting>,
}

struct EventInner {
    state: Mutex<State>,
    /// Whether the stage is [`Stage::Complete`], readable without the lock.
    complete: AtomicBool,
    changed: Condvar,
    user: bool,
}

/// The state of an enqueued command, or one that the user sets. Cloning is cheap and gives the same event.
#[derive(Clone)]
pub struct Event {
    inner: Arc<EventInner>,
}

/// The state of an event for a command that is to wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    Ready,
    /// It failed, with an inheritable failure.
    Failed,
    /// The command was added to the event's dependents.
    Blocked,
}

impl Event {
    /// An event that is complete when [`Event::set_status`] says so. If the last handle is dropped before
    /// that, what waits for it fails.
    #[must_use]
    pub fn user() -> Self {
        Event::with(true, Stage::Pending)
    }

    pub(crate) fn new() -> Self {
        Event::with(false, Stage::Pending)
    }

    fn with(user: bool, stage: Stage) -> Self {
        let now = crate::vulkan::clock::host_time();
        let profile = Profile { queued: now, submitted: now, started: now, ended: now, completed: now };
        let state = State { stage, profile, waiters: 0, callbacks: Vec::new(), dependents: Vec::new() };
        let (state, complete, changed) = (Mutex::new(state), AtomicBool::new(false), Condvar::new());
        Event { inner: Arc::new(EventInner { state, complete, changed, user }) }
    }

    /// Completes a user event, or fails it. Only the first call has an effect.
    ///
    /// # Errors
    /// [`Error::NotAUserEvent`]; [`Error::EventIsSet`] after the first call.
    pub fn set_status(&self, status: EventStatus) -> Result<()> {
        if !self.inner.user {
            return Err(Error::NotAUserEvent);
        }
        let mut followups = Followups::default();
        let set = match status {
            EventStatus::Complete => self.complete(None, &mut followups),
            EventStatus::Failed(code) => self.fail(code, &mut followups),
            _ => true,
        };
        followups.run();
        if set { Ok(()) } else { Err(Error::EventIsSet) }
    }

    /// Whether it is a user event.
    #[must_use]
    pub fn is_user(&self) -> bool {
        self.inner.user
    }

    /// Whether both are the same event.
    #[must_use]
    pub fn is(&self, other: &Event) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Its current status. If the command is recorded but not submitted, the call submits it.
    #[must_use]
    pub fn status(&self) -> EventStatus {
        if let Some(place) = self.place() {
            let reached = place.stream.poll(place.serial);
            if reached != EventStatus::Complete {
                return reached;
            }
        }
        match &lock(&self.inner.state).stage {
            Stage::Pending if self.inner.user => EventStatus::Submitted,
            Stage::Pending => EventStatus::Queued,
            Stage::Issued(_) => EventStatus::Running,
            Stage::Complete => EventStatus::Complete,
            Stage::Failed(code) => EventStatus::Failed(*code),
        }
    }

    /// Waits until it is complete.
    ///
    /// # Errors
    /// [`Error::CommandFailed`] with its code; [`Error::DeviceLost`]; [`Error::Timeout`] when the device does
    /// not finish within [`crate::DeviceOptions::wait_timeout`]. There is no limit on waiting for the host,
    /// for example for a user event.
    pub fn wait(&self) -> Result<()> {
        self.wait_until(None)
    }

    /// Waits until it is complete, at most this long.
    ///
    /// # Errors
    /// As for [`Event::wait`].
    pub fn wait_for(&self, timeout: Duration) -> Result<()> {
        // An instant cannot be as far away as a duration is long.
        const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
        self.wait_until(Some((timeout, Instant::now() + timeout.min(CENTURY))))
    }

    fn wait_until(&self, limit: Option<(Duration, Instant)>) -> Result<()> {
        while !self.inner.complete.load(Ordering::Acquire) {
            let place = {
                let mut state = lock(&self.inner.state);
                match &state.stage {
                    Stage::Complete => return Ok(()),
                    Stage::Failed(code) => return Err(Error::CommandFailed { code: *code }),
                    Stage::Issued(place) => place.clone(),
                    Stage::Pending => {
                        state.waiters += 1;
                        let left = limit.map(|(_, end)| end.saturating_duration_since(Instant::now()));
                        let mut state = match left {
                            None => self.inner.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                            Some(left) => {
                                let waited = self.inner.changed.wait_timeout(state, left);
                                waited.unwrap_or_else(PoisonError::into_inner).0
                            }
                        };
                        state.waiters -= 1;
                        let pending = matches!(state.stage, Stage::Pending);
                        if let Some((timeout, end)) = limit
                            && pending
                            && Instant::now() >= end
                        {
                            return Err(Error::Timeout { seconds: timeout.as_secs_f64() });
                        }
                        continue;
                    }
                }
            };
            let left = limit.map(|(_, end)| end.saturating_duration_since(Instant::now()));
            place.stream.wait(place.serial, left)?;
        }
        Ok(())
    }

    /// Calls `callback` once, from a thread of the runtime, when the command has reached `status` or failed;
    /// at once if it has. Callbacks may enqueue commands but must not wait for them.
    pub fn on_status(&self, status: EventStatus, callback: impl FnOnce(EventStatus) + Send + 'static) {
        let mut followups = Followups::default();
        {
            let mut state = lock(&self.inner.state);
            let reached = match &state.stage {
                Stage::Pending if self.inner.user => Some(EventStatus::Submitted),
                Stage::Pending => Some(EventStatus::Queued),
                Stage::Issued(place) => {
                    followups.watch(&place.stream, place.serial);
                    None
                }
                Stage::Complete => Some(EventStatus::Complete),
                Stage::Failed(code) => Some(EventStatus::Failed(*code)),
            };
            match reached {
                Some(reached) if reached.rank() <= status.rank() => {
                    let now = if let EventStatus::Failed(_) = reached { reached } else { status };
                    followups.call(Box::new(callback), now);
                }
                _ => state.callbacks.push((status, Box::new(callback))),
            }
        }
        followups.run();
    }

    /// When its stages were reached; `None` until it is complete, and for user events. The times are the
    /// device's if the queue measures them ([`crate::QueueOptions::profiling`]). Otherwise they are the
    /// host's, which are later.
    #[must_use]
    pub fn profile(&self) -> Option<Profile> {
        // Asks the device.
        let _ = self.status();
        self.known_profile()
    }

    /// The same, but `None` also if it is not known to be complete: the device is not asked.
    #[must_use]
    pub fn known_profile(&self) -> Option<Profile> {
        let state = lock(&self.inner.state);
        let complete = matches!(state.stage, Stage::Complete) && !self.inner.user;
        complete.then_some(state.profile)
    }

    /// When the command was enqueued.
    pub(crate) fn queued(&self) -> u64 {
        lock(&self.inner.state).profile.queued
    }

    /// Where it is recorded, while it is neither pending nor ended.
    pub(crate) fn place(&self) -> Option<Place> {
        match &lock(&self.inner.state).stage {
            Stage::Issued(place) => Some(place.clone()),
            _ => None,
        }
    }

    /// Whether it is neither recorded nor ended.
    pub(crate) fn is_pending(&self) -> bool {
        matches!(lock(&self.inner.state).stage, Stage::Pending)
    }

    /// Whether it is known to be complete or to have failed, without asking the device.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(lock(&self.inner.state).stage, Stage::Complete | Stage::Failed(_))
    }

    /// Whether it has failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        matches!(lock(&self.inner.state).stage, Stage::Failed(_))
    }

    /// Whether it is recorded in this submission after this many barriers.
    pub(crate) fn is_at(&self, stream: &Arc<Stream>, serial: u64, epoch: u32) -> bool {
        match &lock(&self.inner.state).stage {
            Stage::Issued(place) => {
                place.serial == serial && place.epoch == epoch && Arc::ptr_eq(&place.stream, stream)
            }
            _ => false,
        }
    }

    /// Makes `dependent` wait for the event, if it must.
    pub(crate) fn block(
        &self,
        dependent: Arc<dyn Dependent>,
        needs: Needs,
        inherits: bool,
        followups: &mut Followups,
    ) -> Readiness {
        let mut state = lock(&self.inner.state);
        match &state.stage {
            Stage::Complete => return Readiness::Ready,
            Stage::Failed(_) if inherits => return Readiness::Failed,
            Stage::Failed(_) => return Readiness::Ready,
            Stage::Issued(place) if needs == Needs::Order && dependent.is_on(&place.stream) => {
                return Readiness::Ready;
            }
            Stage::Issued(place) => followups.watch(&place.stream, place.serial),
            Stage::Pending => {}
        }
        state.dependents.push(Waiting { dependent, needs, inherits });
        Readiness::Blocked
    }

    /// Whether this event allows a command on `stream` to be recorded now.
    pub(crate) fn readiness(&self, stream: &Arc<Stream>, needs: Needs, inherits: bool) -> Readiness {
        match &lock(&self.inner.state).stage {
            Stage::Complete => Readiness::Ready,
            Stage::Failed(_) if inherits => Readiness::Failed,
            Stage::Failed(_) => Readiness::Ready,
            Stage::Issued(place) if needs == Needs::Order && Arc::ptr_eq(&place.stream, stream) => {
                Readiness::Ready
            }
            _ => Readiness::Blocked,
        }
    }

    /// Notes that the command is recorded.
    pub(crate) fn issued(&self, place: Place, followups: &mut Followups) {
        let mut state = lock(&self.inner.state);
        let mut kept = Vec::new();
        for waiting in std::mem::take(&mut state.dependents) {
            if waiting.needs == Needs::Order && waiting.dependent.is_on(&place.stream) {
                followups.release(waiting.dependent, false);
            } else {
                kept.push(waiting);
            }
        }
        if !kept.is_empty() || !state.callbacks.is_empty() {
            followups.watch(&place.stream, place.serial);
        }
        state.dependents = kept;
        state.stage = Stage::Issued(place);
        self.notify(&state);
    }

    /// Notes that the command was given to the device.
    pub(crate) fn submitted(&self, time: u64, followups: &mut Followups) {
        let mut state = lock(&self.inner.state);
        state.profile.submitted = time;
        call_reached(&mut state, EventStatus::Submitted, followups);
    }

    /// Completes it, with its start and end times if the device gave them; false if it had already ended.
    pub(crate) fn complete(&self, times: Option<(u64, u64)>, followups: &mut Followups) -> bool {
        let mut state = lock(&self.inner.state);
        if matches!(state.stage, Stage::Complete | Stage::Failed(_)) {
            return false;
        }
        let profile = &mut state.profile;
        let (started, ended) =
            times.unwrap_or_else(|| (profile.submitted, crate::vulkan::clock::host_time()));
        profile.started = started.max(profile.submitted);
        profile.ended = ended.max(profile.started);
        profile.completed = profile.ended;
        state.stage = Stage::Complete;
        self.inner.complete.store(true, Ordering::Release);
        for status in [EventStatus::Submitted, EventStatus::Running, EventStatus::Complete] {
            call_reached(&mut state, status, followups);
        }
        for waiting in std::mem::take(&mut state.dependents) {
            followups.release(waiting.dependent, false);
        }
        self.notify(&state);
        true
    }

    /// Completes a launch whose kernel enqueued others.
    pub(crate) fn complete_family(&self, times: Times, followups: &mut Followups) {
        if self.complete(Some((times.started, times.ended)), followups) {
            let profile = &mut lock(&self.inner.state).profile;
            profile.completed = times.completed.max(profile.ended);
        }
    }

    /// Fails it with an error; false if it had already ended.
    pub(crate) fn fail(&self, code: i32, followups: &mut Followups) -> bool {
        let mut state = lock(&self.inner.state);
        if matches!(state.stage, Stage::Complete | Stage::Failed(_)) {
            return false;
        }
        state.stage = Stage::Failed(code);
        for (_, callback) in std::mem::take(&mut state.callbacks) {
            followups.call(callback, EventStatus::Failed(code));
        }
        for waiting in std::mem::take(&mut state.dependents) {
            followups.release(waiting.dependent, waiting.inherits);
        }
        self.notify(&state);
        true
    }

    fn notify(&self, state: &State) {
        if state.waiters > 0 {
            self.inner.changed.notify_all();
        }
    }
}

/// Moves the callbacks of a status to the follow-ups.
fn call_reached(state: &mut State, status: EventStatus, followups: &mut Followups) {
    let mut index = 0;
    while index < state.callbacks.len() {
        if state.callbacks[index].0.rank() >= status.rank() {
            let (wanted, callback) = state.callbacks.remove(index);
            followups.call(callback, wanted);
        } else {
            index += 1;
        }
    }
}

impl Drop for EventInner {
    /// Nobody can complete it any more.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !self.user || state.dependents.is_empty() {
            return;
        }
        let mut followups = Followups::default();
        for waiting in std::mem::take(&mut state.dependents) {
            followups.release(waiting.dependent, waiting.inherits);
        }
        followups.run();
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({:?})", self.status())
    }
}
