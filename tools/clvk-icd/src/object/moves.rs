//! Moves of contents between the devices of a context.
//!
//! A command is made before it is enqueued. While a thread makes one, the memory objects that it uses note
//! here which contents must arrive first ([`Storage`](super::storage::Storage)), and the queue that gets the
//! command takes the notes: it enqueues the moves, with the command's wait list, and lets the command wait
//! for them. So enqueuing waits for nothing, and a move sees what the command may see.

use super::queue::Queue;
use crate::code::{self, Code, Result};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};
use vk_runtime::{Command, Event, EventStatus};

/// A move that is not enqueued yet.
pub struct Move {
    copy: Option<Box<dyn FnOnce() -> Result<()> + Send>>,
    /// When the source has the contents, if they are still arriving there.
    after: Option<Event>,
    /// Set when the contents have arrived.
    arrival: Event,
}

/// What a command needs.
enum Need {
    Move(Move),
    Arrival(Event),
}

thread_local! {
    static NEEDS: RefCell<Vec<Need>> = const { RefCell::new(Vec::new()) };
}

/// The command that this thread is making needs contents that another command already moves.
pub fn await_arrival(arrival: Event) {
    NEEDS.with_borrow_mut(|needs| needs.push(Need::Arrival(arrival)));
}

/// The command that this thread is making needs a move, by this function and after this event. The result is
/// the event of its end.
pub fn need(copy: impl FnOnce() -> Result<()> + Send + 'static, after: Option<Event>) -> Event {
    let arrival = Event::user();
    let wanted = Move { copy: Some(Box::new(copy)), after, arrival: arrival.clone() };
    NEEDS.with_borrow_mut(|needs| needs.push(Need::Move(wanted)));
    arrival
}

/// Makes the moves that no command of this thread has taken, because it failed before it was enqueued.
/// There is no wait list to obey then: a move copies what the finished commands have left.
pub fn settle() {
    drop(NEEDS.take());
}

/// The events that a command waits for, with the arrival of what it needs. Enqueues the moves.
pub fn waits(queue: &Queue, given: &[Event]) -> Result<SmallVec<[Event; 4]>> {
    let mut waits: SmallVec<[Event; 4]> = given.iter().cloned().collect();
    for need in NEEDS.take() {
        waits.push(match need {
            Need::Arrival(arrival) => arrival,
            Need::Move(wanted) => wanted.enqueue(queue, given)?,
        });
    }
    Ok(waits)
}

impl Move {
    /// Enqueues it on the queue that the command gets to; the result is the event of its end.
    fn enqueue(mut self, queue: &Queue, given: &[Event]) -> Result<Event> {
        let Some(copy) = self.copy.take() else { return Ok(self.arrival.clone()) };
        let outcome = Arc::new(OnceLock::new());
        let (result, arrival) = (Arc::clone(&outcome), self.arrival.clone());
        let command = Command::native(move || {
            let _ = result.set(copy());
        });
        let mut waits: SmallVec<[Event; 4]> = given.iter().cloned().collect();
        waits.extend(self.after.take());
        let done =
            queue.core().enqueue(command, &waits).inspect_err(|_| self.end(Err(code::OUT_OF_RESOURCES)))?;
        done.on_status(EventStatus::Complete, move |status| {
            let copied = outcome.get().copied().unwrap_or(Err(code::OUT_OF_RESOURCES));
            let status = match (status, copied) {
                (EventStatus::Failed(code), _) => EventStatus::Failed(code),
                (_, Err(code)) => failed(code),
                _ => EventStatus::Complete,
            };
            set(&arrival, status);
        });
        Ok(self.arrival.clone())
    }

    fn end(&self, result: Result<()>) {
        set(&self.arrival, result.map_or_else(failed, |()| EventStatus::Complete));
    }
}

fn failed(code: Code) -> EventStatus {
    EventStatus::Failed(code.0)
}

fn set(arrival: &Event, status: EventStatus) {
    if let Err(error) = arrival.set_status(status) {
        tracing::error!(%error, "a move ended twice");
    }
}

impl Drop for Move {
    fn drop(&mut self) {
        if let Some(copy) = self.copy.take() {
            self.end(copy());
        }
    }
}
