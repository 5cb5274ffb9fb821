//! Semaphores: the order of commands of different queues, without events that the application passes on.
//!
//! A signal and the wait for it are paired when they are enqueued: the first wait belongs to the first signal,
//! and so on. So a semaphore may be signalled again as soon as a wait is enqueued, whatever the commands wait
//! for besides, and a wait may be enqueued before its signal. Within one device a pair is an event: the wait
//! depends on what the signal completes.

use crate::engine::command::Command;
use crate::engine::event::{Event, EventStatus, code, code_of};
use crate::engine::followup::Followups;
use crate::objects::command_queue::CommandQueue;
use crate::objects::device::Device;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::lock;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A binary semaphore. Cloning is cheap and gives the same semaphore. When the last handle is dropped, waits
/// that no signal was enqueued for fail.
#[derive(Clone)]
pub struct Semaphore {
    inner: Arc<SemaphoreInner>,
}

struct SemaphoreInner {
    device: Device,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Signals that no wait was enqueued for.
    signals: VecDeque<Event>,
    /// What waits without a signal depend on.
    promises: VecDeque<Event>,
    /// Signals with their waits, until the waits have ended.
    pairs: Vec<(Event, Event)>,
}

impl State {
    /// Forgets pairs whose waits have ended.
    fn settle(&mut self) {
        self.pairs.retain(|(_, wait)| !wait.has_ended());
    }
}

impl Semaphore {
    /// A semaphore that is not signalled.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        Semaphore { inner: Arc::new(SemaphoreInner { device: device.clone(), state: Mutex::default() }) }
    }

    /// Whether a signal is complete whose wait is not.
    #[must_use]
    pub fn is_signalled(&self) -> bool {
        let (signals, pairs) = {
            let mut state = lock(&self.inner.state);
            state.settle();
            (state.signals.clone(), state.pairs.clone())
        };
        let is_complete = |signal: &Event| signal.status() == EventStatus::Complete;
        signals.iter().any(is_complete)
            || pairs.iter().any(|(signal, wait)| is_complete(signal) && !wait.has_ended())
    }

    /// What a new wait depends on: the first signal that has none yet, or the promise of one.
    fn claim(&self) -> Event {
        let mut state = lock(&self.inner.state);
        state.signals.pop_front().unwrap_or_else(|| {
            let promise = Event::new();
            state.promises.push_back(promise.clone());
            promise
        })
    }

    /// Notes a wait that was enqueued for a claimed signal.
    fn pair(&self, signal: Event, wait: &Event) {
        let mut state = lock(&self.inner.state);
        state.settle();
        state.pairs.push((signal, wait.clone()));
    }

    /// Takes back a claim whose wait was not enqueued.
    fn unclaim(&self, signal: Event) {
        let mut state = lock(&self.inner.state);
        let promised = state.promises.iter().position(|promise| promise.is(&signal));
        match promised {
            Some(position) => drop(state.promises.remove(position)),
            None => state.signals.push_front(signal),
        }
    }

    /// Takes a signal that was enqueued: returns the promise that it keeps, or holds it for the next wait.
    fn give(&self, signal: &Event) -> Option<Event> {
        let mut state = lock(&self.inner.state);
        let promise = state.promises.pop_front();
        if promise.is_none() {
            state.signals.push_back(signal.clone());
        }
        promise
    }
}

impl CommandQueue {
    /// Enqueues a signal of these semaphores, which takes place when the events of the wait list are complete,
    /// and in an in-order queue everything before.
    ///
    /// # Errors
    /// As for [`CommandQueue::enqueue`].
    pub fn signal(&self, semaphores: &[Semaphore], waits: &[Event]) -> Result<Event> {
        self.check_semaphores(semaphores)?;
        let signal = self.enqueue(Command::point(), waits)?;
        for promise in semaphores.iter().filter_map(|semaphore| semaphore.give(&signal)) {
            self.keep_promise(&signal, &promise);
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
    /// the signals.
    ///
    /// # Errors
    /// As for [`CommandQueue::enqueue`].
    pub fn wait_for_semaphores(&self, semaphores: &[Semaphore], waits: &[Event]) -> Result<Event> {
        self.check_semaphores(semaphores)?;
        let claims: SmallVec<[Event; 2]> = semaphores.iter().map(Semaphore::claim).collect();
        let waits: SmallVec<[Event; 4]> = waits.iter().chain(&claims).cloned().collect();
        let wait = self.enqueue(Command::point(), &waits);
        for (semaphore, claim) in semaphores.iter().zip(claims) {
            match &wait {
                Ok(wait) => semaphore.pair(claim, wait),
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
