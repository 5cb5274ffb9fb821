//! The thread that waits for a stream's submissions when events depend on them and no other thread may wait.

use crate::engine::followup::Followups;
use crate::engine::stream::Stream;
use crate::vulkan::error::Error;
use crate::vulkan::handle::lock;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

/// See the module.
#[derive(Default)]
pub(crate) struct Watch {
    task: Mutex<Task>,
    changed: Condvar,
}

/// A task of the thread.
#[derive(Default)]
struct Task {
    /// The last submission of interest.
    serial: u64,
    closing: bool,
    thread: Option<JoinHandle<()>>,
}

impl Stream {
    /// Has a thread wait for a submission.
    pub(crate) fn watch(self: &Arc<Self>, serial: u64) {
        if self.finished() >= serial {
            return;
        }
        let mut task = lock(&self.watch.task);
        task.serial = task.serial.max(serial);
        if task.thread.is_none() && !task.closing {
            let stream = Arc::clone(self);
            let thread = std::thread::Builder::new().name("clvk events".to_owned());
            match thread.spawn(move || stream.keep_watch()) {
                Ok(thread) => task.thread = Some(thread),
                Err(error) => tracing::error!(%error, "could not start the thread for events"),
            }
        }
        drop(task);
        self.watch.changed.notify_one();
    }

    /// Waits for submissions of interest one after the other.
    fn keep_watch(&self) {
        loop {
            let task = lock(&self.watch.task);
            let idle = |task: &mut Task| !task.closing && task.serial <= self.finished();
            let task = self.watch.changed.wait_while(task, idle).unwrap_or_else(PoisonError::into_inner);
            if task.closing {
                return;
            }
            let next = task.serial.min(self.finished() + 1);
            drop(task);
            match self.wait_done(next, None) {
                Ok(()) | Err(Error::Timeout { .. }) => {}
                Err(error) => {
                    tracing::error!(%error, "could not wait for the device");
                    let mut followups = Followups::default();
                    self.lose(&mut followups);
                    followups.run();
                }
            }
        }
    }

    /// Waits for everything and stops the thread; called before the device is dropped.
    pub(crate) fn close(&self) {
        let last = self.last();
        if let Err(error) = self.wait(last, None) {
            tracing::error!(%error, "the device did not finish its work");
        }
        let thread = {
            let mut task = lock(&self.watch.task);
            task.closing = true;
            task.thread.take()
        };
        self.watch.changed.notify_all();
        // The last owner of a device may be a command that this very thread has just finished.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id()) {
            drop(thread.join());
        }
    }
}
