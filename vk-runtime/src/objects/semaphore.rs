//! Semaphores: the order of commands of different queues, without events that the application passes on.
//!
//! A signal and the wait for it are paired when they are enqueued: the first wait belongs to the first
//! signal, and so on. So a semaphore may be signalled again as soon as a wait is enqueued, whatever the
//! commands wait for besides, and a wait may be enqueued before its signal. Within one device a pair is an
//! event: the wait depends on what the signal completes. For semaphores that others share see
//! `external_semaphore`.

use crate::engine::command::Command;
use crate::engine::event::{Event, EventStatus, code, code_of};
use crate::engine::followup::Followups;
use crate::engine::semaphore::SharedSemaphore;
use crate::objects::command_queue::CommandQueue;
use crate::objects::device::Device;
use crate::objects::external_semaphore::command;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::lock;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A binary semaphore. Cloning is cheap and gives the same semaphore. When the last handle is dropped, waits
/// that no signal was enqueued for fail.
#[derive(Clone)]
pub struct Semaphore {
    inner: Arc<SemaphoreInner>,
}

struct SemaphoreInner {
    device: Device,
    /// Set if other users of Vulkan may have it too.
    shared: Option<SharedSemaphore>,
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    /// Signals that no wait was enqueued for.
    pub(crate) signals: VecDeque<Event>,
    /// Whether the signal that it was imported with has no wait yet.
    pub(crate) imported_signal: bool,
    /// What waits without a signal depend on.
    pub(crate) promises: VecDeque<Event>,
    /// Signals with their waits, until the waits have ended.
    pub(crate) pairs: Vec<(Option<Event>, Event)>,
}

/// The signal of a wait.
#[derive(Clone)]
pub(crate) enum Claim {
    /// It was enqueued.
    Signal(Event),
    /// It will be.
    Promise(Event),
    /// It was imported.
    Imported,
    /// Another user of the semaphore has submitted it.
    Others,
}

impl Claim {
    /// What completes when the signal takes place, if this side makes it.
    fn event(&self) -> Option<&Event> {
        match self {
            Claim::Signal(event) | Claim::Promise(event) => Some(event),
            Claim::Imported | Claim::Others => None,
        }
    }
}

impl State {
    /// Forgets pairs whose waits have ended.
    pub(crate) fn settle(&mut self) {
        self.pairs.retain(|(_, wait)| !wait.has_ended());
    }
}

impl Semaphore {
    /// A semaphore that is not signalled.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        Semaphore::with(device, None)
    }

    pub(crate) fn with(device: &Device, shared: Option<SharedSemaphore>) -> Self {
        let (device, state) = (device.clone(), Mutex::default());
        Semaphore { inner: Arc::new(SemaphoreInner { device, shared, state }) }
    }

    pub(crate) fn device(&self) -> &Device {
        &self.inner.device
    }

    pub(crate) fn shared(&self) -> Option<&SharedSemaphore> {
        self.inner.shared.as_ref()
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.inner.state)
    }

    /// Whether a signal is complete whose wait is not. Signals and waits of other users are not known.
    #[must_use]
    pub fn is_signalled(&self) -> bool {
        let (signals, pairs) = {
            let mut state = self.state();
            if state.imported_signal {
                return true;
            }
            state.settle();
            (state.signals.clone(), state.pairs.clone())
        };
        let is_complete = |signal: &Event| signal.status() == EventStatus::Complete;
        signals.iter().any(is_complete)
            || pairs.iter().any(|(signal, wait)| {
                signal.as_ref().is_none_or(is_complete) && {
                    // Asks the device.
                    let _ = wait.status();
                    !wait.has_ended()
                }
            })
    }

    /// What a new wait depends on: the first signal that has none yet, or the promise of one.
    fn claim(&self) -> Claim {
        let mut state = self.state();
        if std::mem::take(&mut state.imported_signal) {
            return Claim::Imported;
        }
        if let Some(signal) = state.signals.pop_front() {
            return Claim::Signal(signal);
        }
        if self.file().is_some() {
            return Claim::Others;
        }
        let promise = Event::new();
        state.promises.push_back(promise.clone());
        Claim::Promise(promise)
    }

    /// Notes a wait that was enqueued for a claimed signal.
    fn pair(&self, claim: &Claim, wait: &Event) {
        if !matches!(claim, Claim::Others) {
            let mut state = self.state();
            state.settle();
            state.pairs.push((claim.event().cloned(), wait.clone()));
        }
    }

    /// Takes back a claim whose wait was not enqueued.
    fn unclaim(&self, claim: Claim) {
        let mut state = self.state();
        match claim {
            Claim::Signal(signal) => state.signals.push_front(signal),
            Claim::Promise(promise) => match state.promises.iter().position(|it| it.is(&promise)) {
                Some(position) => drop(state.promises.remove(position)),
                // It was kept meanwhile.
                None => state.signals.push_front(promise),
            },
            Claim::Imported => state.imported_signal = true,
            Claim::Others => {}
        }
    }

    /// Takes a signal that was enqueued: returns the promise that it keeps, or holds it for the next wait.
    fn give(&self, signal: &Event) -> Option<Event> {
        let mut state = self.state();
        let promise = state.promises.pop_front();
        if promise.is_none() {
            if self.file().is_some() {
                // The waits for earlier ones are the others'.
                state.signals.clear();
            }
            state.signals.push_back(signal.clone());
        }
        promise
    }
}

impl CommandQueue {
    /// Enqueues a signal of these semaphores, which takes place when the events of the wait list are
    /// complete, and in an in-order queue everything before.
    ///
    /// # Errors
    /// As for [`CommandQueue::enqueue`].
    pub fn signal(&self, semaphores: &[Semaphore], waits: &[Event]) -> Result<Event> {
        self.check_semaphores(semaphores)?;
        let signal = self.enqueue(command(self.device(), semaphores, true), waits)?;
        for semaphore in semaphores {
            semaphore.note_signal(&signal);
            if let Some(promise) = semaphore.give(&signal) {
                self.keep_promise(&signal, &promise);
            }
        }
        Ok(signal)
    }

    /// Completes a promise with a signal, or fails it.
    fn keep_promise(&self, signal: &Event, promise: &Event) {
        if let Err(error) = self.enqueue_as(Command::point(), std::slice::from_ref(signal), promise) {
            tracing::error!(%error, "a semaphore could not be signalled");
            let mut followups = Followups::default();
            promise.fail(code_of(&error), &mut followups);
            followups.run();
        }
    }

    /// Enqueues a wait for these semaphores and for the events of the wait list. It need not be preceded by
    /// the signals, except by those of other users of Vulkan.
    ///
    /// # Errors
    /// As for [`CommandQueue::enqueue`].
    pub fn wait_for_semaphores(&self, semaphores: &[Semaphore], waits: &[Event]) -> Result<Event> {
        self.check_semaphores(semaphores)?;
        let claims: SmallVec<[Claim; 2]> = semaphores.iter().map(Semaphore::claim).collect();
        let claimed = claims.iter().filter_map(Claim::event).cloned();
        let noted = semaphores.iter().flat_map(Semaphore::noted_signals);
        let waits: SmallVec<[Event; 4]> = waits.iter().cloned().chain(claimed).chain(noted).collect();
        let wait = self.enqueue(command(self.device(), semaphores, false), &waits);
        for (semaphore, claim) in semaphores.iter().zip(claims) {
            match &wait {
                Ok(wait) => semaphore.pair(&claim, wait),
                Err(_) => semaphore.unclaim(claim),
            }
        }
        wait
    }

    fn check_semaphores(&self, semaphores: &[Semaphore]) -> Result<()> {
        let own = |semaphore: &Semaphore| semaphore.inner.device.is(self.device());
        if semaphores.iter().all(own) { Ok(()) } else { Err(Error::OtherDevice { what: "a semaphore" }) }
    }
}

impl Drop for SemaphoreInner {
    /// Nobody can signal it any more.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut followups = Followups::default();
        for promise in state.promises.drain(..) {
            promise.fail(code::INVALID_OPERATION, &mut followups);
        }
        followups.run();
    }
}

impl fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Semaphore(signalled: {})", self.is_signalled())
    }
}
