//! What changes of events trigger, to be run when no lock is held.

use crate::engine::event::{Callback, Dependent, EventStatus};
use crate::engine::stream::Stream;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};

/// Callbacks to call, dependents to release, submissions to watch.
#[derive(Default)]
#[must_use = "commands would wait for ever"]
pub(crate) struct Followups {
    callbacks: Vec<(Callback, EventStatus)>,
    ready: Vec<Arc<dyn Dependent>>,
    watched: Vec<(Arc<Stream>, u64)>,
}

impl Followups {
    pub(crate) fn call(&mut self, callback: Callback, status: EventStatus) {
        self.callbacks.push((callback, status));
    }

    /// Notes that one thing that `dependent` waits for has ended.
    pub(crate) fn release(&mut self, dependent: Arc<dyn Dependent>, failed: bool) {
        if dependent.release(failed) {
            self.ready.push(dependent);
        }
    }

    /// Has a thread wait for a submission, since no other thread may.
    pub(crate) fn watch(&mut self, stream: &Arc<Stream>, serial: u64) {
        match self.watched.iter_mut().find(|(known, _)| Arc::ptr_eq(known, stream)) {
            Some((_, latest)) => *latest = serial.max(*latest),
            None => self.watched.push((Arc::clone(stream), serial)),
        }
    }

    /// Does it all, and what follows from it.
    pub(crate) fn run(self) {
        if !(self.callbacks.is_empty() && self.ready.is_empty() && self.watched.is_empty()) {
            self.run_all();
        }
    }

    fn run_all(mut self) {
        loop {
            for (callback, status) in self.callbacks.drain(..) {
                call_later(callback, status);
            }
            if self.ready.is_empty() {
                break;
            }
            for dependent in std::mem::take(&mut self.ready) {
                dependent.go(&mut self);
            }
        }
        for (stream, serial) in self.watched {
            stream.watch(serial);
        }
    }
}

/// Calls a callback from the one callback thread, so that neither the thread that waits for a command nor the
/// locks that it holds can block it.
fn call_later(callback: Callback, status: EventStatus) {
    static THREAD: OnceLock<Sender<(Callback, EventStatus)>> = OnceLock::new();
    let sender = THREAD.get_or_init(|| {
        let (sender, receiver) = channel::<(Callback, EventStatus)>();
        let body = move || {
            for (callback, status) in receiver {
                let called = std::panic::AssertUnwindSafe(|| callback(status));
                if std::panic::catch_unwind(called).is_err() {
                    tracing::error!("a callback of an event panicked");
                }
            }
        };
        if let Err(error) = std::thread::Builder::new().name("clvk callbacks".to_owned()).spawn(body) {
            tracing::error!(%error, "could not start the thread for event callbacks");
        }
        sender
    });
    // Without the thread the callback is lost, which is logged above.
    drop(sender.send((callback, status)));
}
