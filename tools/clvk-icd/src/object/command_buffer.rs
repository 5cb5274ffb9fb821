//! Command buffers (`cl_khr_command_buffer`): commands that are recorded once and enqueued any number of
//! times.
//!
//! A recorded command is a [`Recipe`]; each enqueuing creates the runtime's command from it. Synchronisation
//! points are the positions of commands, from 1 on. On an in-order queue the commands run in the order of
//! recording, which satisfies every synchronisation point. On other queues each command waits for the events
//! of the points that it names.

use super::queue::{Order, Queue};
use super::recipe::Recipe;
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::handle::{self, Handle, Header, object};
use crate::info::{self, Answer};
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vk_runtime::{Command, EventStatus};

/// A command buffer.
#[repr(C)]
pub struct CommandBuffer {
    header: Header<CommandBuffer>,
    queue: Arc<Queue>,
    /// As the application gave them, with the zero at the end; empty if it gave none.
    properties: Vec<u64>,
    /// Whether it may run several times at once; otherwise each run waits for the one before.
    simultaneous: bool,
    recording: Mutex<Recording>,
}

object!(CommandBuffer, code::INVALID_COMMAND_BUFFER);

/// What was recorded.
#[derive(Default)]
struct Recording {
    finalized: bool,
    commands: Vec<Recorded>,
    /// The last enqueuing.
    under_way: Option<vk_runtime::Event>,
}

/// A command with the synchronisation points that it waits for.
struct Recorded {
    waits: Vec<u32>,
    work: Work,
}

/// What a recorded command does.
pub enum Work {
    /// A command.
    Recipe(Box<dyn Recipe>),
    /// Waits for the points that it names, or for everything before it; later commands wait for it.
    Barrier,
}

impl CommandBuffer {
    /// An empty one.
    pub fn new(queue: Arc<Queue>, properties: Vec<u64>, flags: u64) -> Arc<Self> {
        let (header, recording) = (Header::new(), Mutex::default());
        let simultaneous = flags & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR != 0;
        Arc::new(CommandBuffer { header, queue, properties, simultaneous, recording })
    }

    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The queue that it was recorded for.
    pub fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    /// Adds a command; returns its synchronisation point.
    pub fn record(&self, work: Work, waits: Vec<u32>) -> Result<u32> {
        let mut recording = self.recording();
        ensure(!recording.finalized, code::INVALID_OPERATION)?;
        let last = recording.commands.len() as u32;
        let known = waits.iter().all(|&point| (1..=last).contains(&point));
        ensure(known, code::INVALID_SYNC_POINT_WAIT_LIST)?;
        recording.commands.push(Recorded { waits, work });
        Ok(last + 1)
    }

    /// Ends the recording.
    pub fn finalize(&self) -> Result<()> {
        let mut recording = self.recording();
        ensure(!recording.finalized, code::INVALID_OPERATION)?;
        recording.finalized = true;
        Ok(())
    }

    /// Enqueues the commands; the event is complete when they all are.
    pub fn enqueue(&self, queue: &Arc<Queue>, order: &Order) -> Result<()> {
        let mut recording = self.recording();
        ensure(recording.finalized, code::INVALID_OPERATION)?;
        let mut waits = order.waits.clone();
        let before = recording.under_way.take().filter(is_under_way);
        waits.extend(before.filter(|_| !self.simultaneous));
        // All commands are created before the first one is enqueued, so that none is enqueued if one fails.
        let made: Result<Vec<Command>> = recording.commands.iter().map(|it| make(it, queue)).collect();
        let events = if queue.core().options().out_of_order {
            let in_turn = !self.queue.core().options().out_of_order;
            enqueue_by_points(queue, &recording.commands, made?, &waits, in_turn)?
        } else {
            for command in made? {
                queue.core().enqueue_silently(command, &waits)?;
            }
            waits
        };
        let done = queue.core().enqueue(Command::marker(), &events)?;
        for recorded in &recording.commands {
            if let Work::Recipe(recipe) = &recorded.work {
                queue.watch(&done, &recipe.uses());
            }
        }
        queue.publish(CL_COMMAND_COMMAND_BUFFER_KHR, done.clone(), order.event);
        recording.under_way = Some(done);
        Ok(())
    }

    /// Answers a query.
    pub fn query(&self, name: cl_command_buffer_info_khr) -> Result<Answer> {
        match name {
            CL_COMMAND_BUFFER_NUM_QUEUES_KHR => info::value(1u32),
            CL_COMMAND_BUFFER_QUEUES_KHR => info::value(Handle::of(&self.queue)),
            CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => info::value(handle::references(self)),
            CL_COMMAND_BUFFER_STATE_KHR => info::value(if self.recording().finalized {
                CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR
            } else {
                CL_COMMAND_BUFFER_STATE_RECORDING_KHR
            }),
            CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => info::list(&self.properties),
            CL_COMMAND_BUFFER_CONTEXT_KHR => info::value(Handle::of(self.queue.context())),
            _ => Err(code::INVALID_VALUE),
        }
    }
}

fn is_under_way(event: &vk_runtime::Event) -> bool {
    !matches!(event.status(), EventStatus::Complete | EventStatus::Failed(_))
}

fn make(recorded: &Recorded, queue: &Queue) -> Result<Command> {
    match &recorded.work {
        Work::Recipe(recipe) => recipe.command(queue),
        Work::Barrier => Ok(Command::marker()),
    }
}

/// Enqueues commands on an out-of-order queue, after some events; returns their events and these. Commands
/// that were recorded for an in-order queue run `in_turn`.
fn enqueue_by_points(
    queue: &Queue,
    recorded: &[Recorded],
    commands: Vec<Command>,
    first: &[vk_runtime::Event],
    in_turn: bool,
) -> Result<SmallVec<[vk_runtime::Event; 4]>> {
    let mut events: SmallVec<[vk_runtime::Event; 4]> = SmallVec::new();
    let mut barrier: Option<vk_runtime::Event> = None;
    for (recorded, command) in recorded.iter().zip(commands) {
        let is_barrier = matches!(recorded.work, Work::Barrier);
        let mut waits: SmallVec<[vk_runtime::Event; 4]> = first.iter().cloned().collect();
        waits.extend(barrier.clone());
        waits.extend(events.last().filter(|_| in_turn).cloned());
        if is_barrier && recorded.waits.is_empty() {
            waits.extend(events.iter().cloned());
        }
        waits.extend(recorded.waits.iter().map(|&point| events[point as usize - 1].clone()));
        // With an empty wait list, a marker would wait for everything in the queue.
        let event = queue.core().enqueue(command, &waits)?;
        if is_barrier {
            barrier = Some(event.clone());
        }
        events.push(event);
    }
    events.extend(first.iter().cloned());
    Ok(events)
}
