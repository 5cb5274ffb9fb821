//! The thread of a queue: host functions, large transfers, and kernels that enqueue others.

use crate::engine::command::Kind;
use crate::engine::event::Event;
use crate::engine::label::Label;
use crate::objects::command_queue::QueueInner;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::lock;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

/// Something to do for a queue.
pub(crate) struct Job {
    pub(crate) queue: Arc<QueueInner>,
    pub(crate) kind: Kind,
    pub(crate) label: Option<Label>,
    pub(crate) event: Event,
}

/// A thread that begins with the first job and ends when its queue does.
#[derive(Default)]
pub(crate) struct Worker {
    sender: Mutex<Option<Sender<Job>>>,
}

impl Worker {
    /// Hands a job over.
    pub(crate) fn send(&self, job: Job) -> Result<()> {
        let mut sender = lock(&self.sender);
        let sender = match &*sender {
            Some(sender) => sender,
            None => {
                let (new, receiver) = channel::<Job>();
                let body = move || {
                    for Job { queue, kind, label, event } in receiver {
                        queue.work(kind, label, &event);
                    }
                };
                let thread = std::thread::Builder::new().name("clvk queue".to_owned());
                thread.spawn(body).map_err(Error::Thread)?;
                sender.insert(new)
            }
        };
        // The thread ends only when the sender does.
        sender.send(job).map_err(|_| Error::Thread(std::io::ErrorKind::BrokenPipe.into()))
    }
}
