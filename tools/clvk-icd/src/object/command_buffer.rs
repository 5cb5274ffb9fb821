//! Command buffers (`cl_khr_command_buffer`): commands that are recorded once and enqueued any number of
//! times.
//!
//! A recorded command is a [`Recipe`]; each enqueuing creates the runtime's command from it. Launches can be
//! changed between enqueuings ([`super::mutable`]). Synchronisation
//! points are the positions of commands, from 1 on. On an in-order queue the commands run in the order of
//! recording, which satisfies every synchronisation point. On other queues, and where there are several
//! (`cl_khr_command_buffer_multi_device`), each command waits for the events of the points that it names.

use super::context::Context;
use super::device::Device;
use super::event::Event;
use super::mutable::{Config, MutableCommand, RecordedLaunch};
use super::queue::{Order, Queue};
use super::recipe::Recipe;
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::handle::{self, Handle, Header, object};
use crate::info::{self, Answer};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vk_runtime::{Command, EventStatus};

/// A command buffer.
#[repr(C)]
pub struct CommandBuffer {
    header: Header<CommandBuffer>,
    /// The queues that it was recorded for: at least one.
    queues: Vec<Arc<Queue>>,
    /// As the application gave them, with the zero at the end; empty if it gave none.
    properties: Vec<u64>,
    /// Whether it may run several times at once; otherwise each run waits for the one before.
    simultaneous: bool,
    /// Whether its launches can be changed.
    mutable: bool,
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
    /// Position of its queue.
    queue: usize,
    waits: Vec<u32>,
    work: Work,
    /// Keeps the handles valid that the application wanted.
    handles: Vec<Arc<MutableCommand>>,
}

/// The handle that the application wants of a command.
pub struct Wanted {
    /// The properties of the command, as the application gave them.
    pub properties: Vec<u64>,
    /// What can be changed.
    pub fields: cl_mutable_dispatch_fields_khr,
}

/// What a recorded command does.
pub enum Work {
    /// A command.
    Recipe(Arc<dyn Recipe>),
    /// A launch, which can be changed.
    Launch(Box<RecordedLaunch>),
    /// Waits for the points that it names, or for everything before it; later commands wait for it.
    Barrier,
}

impl Work {
    /// The command: none for barriers, and for launches whose arguments are missing.
    fn recipe(&self) -> Option<&dyn Recipe> {
        match self {
            Work::Recipe(recipe) => Some(recipe.as_ref()),
            Work::Launch(launch) => launch.recipe(),
            Work::Barrier => None,
        }
    }

    /// The same for another queue, whose device may be unable to do it.
    fn copied(&self, queue: &Queue) -> Result<Work> {
        Ok(match self {
            Work::Recipe(recipe) => Work::Recipe(Arc::clone(recipe)),
            Work::Launch(launch) => Work::Launch(Box::new(launch.copied(queue)?)),
            Work::Barrier => Work::Barrier,
        })
    }

    /// Whether it can be enqueued.
    fn is_complete(&self) -> bool {
        matches!(self, Work::Barrier) || self.recipe().is_some()
    }
}

impl Recording {
    /// Whether the commands can be enqueued, now that all are recorded.
    fn is_executable(&self) -> bool {
        self.finalized && self.commands.iter().all(|recorded| recorded.work.is_complete())
    }
}

impl CommandBuffer {
    /// An empty one.
    pub fn new(queues: Vec<Arc<Queue>>, properties: Vec<u64>, flags: u64) -> Arc<Self> {
        let simultaneous = flags & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR != 0;
        let mutable = flags & CL_COMMAND_BUFFER_MUTABLE_KHR != 0;
        CommandBuffer::with_queues(queues, properties, simultaneous, mutable)
    }

    fn with_queues(
        queues: Vec<Arc<Queue>>,
        properties: Vec<u64>,
        simultaneous: bool,
        mutable: bool,
    ) -> Arc<Self> {
        let (header, recording) = (Header::new(), Mutex::default());
        Arc::new(CommandBuffer { header, queues, properties, simultaneous, mutable, recording })
    }

    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The queues that it was recorded for.
    pub fn queues(&self) -> &[Arc<Queue>] {
        &self.queues
    }

    /// Its context.
    pub fn context(&self) -> &Arc<Context> {
        self.queues[0].context()
    }

    /// The queue of the command at this index.
    pub fn queue_of(&self, position: usize) -> Arc<Queue> {
        Arc::clone(&self.queues[self.recording().commands[position].queue])
    }

    /// Whether its launches can be changed.
    pub fn is_mutable(&self) -> bool {
        self.mutable
    }

    /// Adds a command; returns its synchronisation point, and its handle if one is wanted.
    pub fn record(
        self: &Arc<Self>,
        queue: usize,
        work: Work,
        waits: Vec<u32>,
        wanted: Option<Wanted>,
    ) -> Result<(u32, Handle<MutableCommand>)> {
        let mut recording = self.recording();
        ensure(!recording.finalized, code::INVALID_OPERATION)?;
        let last = recording.commands.len() as u32;
        let known = waits.iter().all(|&point| (1..=last).contains(&point));
        ensure(known, code::INVALID_SYNC_POINT_WAIT_LIST)?;
        let handle =
            wanted.map(|wanted| MutableCommand::new(self, last as usize, wanted.properties, wanted.fields));
        let lent = handle.as_ref().map_or(Handle::NULL, Handle::lend);
        let handles = handle.into_iter().collect();
        recording.commands.push(Recorded { queue, waits, work, handles });
        Ok((last + 1, lent))
    }

    /// Whether commands can be changed now.
    pub fn check_update(&self) -> Result<()> {
        ensure(self.recording().finalized && self.mutable, code::INVALID_OPERATION)
    }

    /// Changes launches: all that the application lists, or none if one change is refused.
    pub fn update(&self, configs: &[Config]) -> Result<()> {
        // What an update replaces is dropped after the lock, because destructors can call the application.
        let mut replaced = Vec::new();
        let mut changed = BTreeMap::new();
        let mut recording = self.recording();
        for config in configs {
            let command = config.command(self)?;
            let Recorded { work: Work::Launch(recorded), queue, .. } =
                &recording.commands[command.position()]
            else {
                return Err(code::INVALID_MUTABLE_COMMAND);
            };
            let now = changed.get(&command.position()).unwrap_or(recorded);
            let updated = Box::new(now.updated(&self.queues[*queue], &command, config)?);
            replaced.extend(changed.insert(command.position(), updated).map(Work::Launch));
        }
        for (position, launch) in std::mem::take(&mut changed) {
            let work = &mut recording.commands[position].work;
            replaced.push(std::mem::replace(work, Work::Launch(launch)));
        }
        Ok(())
    }

    /// Something of the launch at this index.
    pub fn with_launch<T>(
        &self,
        position: usize,
        read: impl FnOnce(&RecordedLaunch) -> Result<T>,
    ) -> Result<T> {
        match &self.recording().commands[position].work {
            Work::Launch(launch) => read(launch),
            _ => Err(code::INVALID_MUTABLE_COMMAND),
        }
    }

    /// Ends the recording.
    pub fn finalize(&self) -> Result<()> {
        let mut recording = self.recording();
        ensure(!recording.finalized, code::INVALID_OPERATION)?;
        recording.finalized = true;
        Ok(())
    }

    /// Enqueues the commands on these queues, which are as many as those of the recording and of the same
    /// devices; the event is complete when they all are.
    pub fn enqueue(&self, queues: &[Arc<Queue>], order: &Order) -> Result<()> {
        let mut recording = self.recording();
        ensure(recording.is_executable(), code::INVALID_OPERATION)?;
        let before = recording.under_way.take().filter(is_under_way).filter(|_| !self.simultaneous);
        let mut first = order.waits.clone();
        first.extend(before);
        let done = match queues {
            [queue] => self.enqueue_on_one(queue, &recording.commands, first),
            _ => self.enqueue_on_many(queues, &recording.commands, &first),
        }?;
        for recorded in &recording.commands {
            if let Some(recipe) = recorded.work.recipe() {
                queues[0].watch(&done, &recipe.uses());
            }
        }
        if !order.event.is_null() {
            let event = Event::of_commands(
                queues.iter().cloned().collect(),
                CL_COMMAND_COMMAND_BUFFER_KHR,
                done.clone(),
            );
            order.event.set(Handle::publish(event));
        }
        recording.under_way = Some(done);
        Ok(())
    }

    /// All commands are created before the first one is enqueued, so that none is enqueued if one fails.
    fn enqueue_on_one(
        &self,
        queue: &Queue,
        commands: &[Recorded],
        first: SmallVec<[vk_runtime::Event; 4]>,
    ) -> Result<vk_runtime::Event> {
        let made: Result<Vec<Command>> = commands.iter().map(|it| make(it, queue)).collect();
        let (made, first) = (made?, queue.with_moves(&first)?);
        if queue.core().options().out_of_order {
            let in_turn = !self.queues[0].core().options().out_of_order;
            let events = enqueue_by_points(queue, commands, made, &first, in_turn)?;
            return Ok(queue.core().enqueue(Command::marker(), &events)?);
        }
        for command in made {
            queue.core().enqueue_silently(command, &first)?;
        }
        Ok(queue.core().enqueue(Command::marker(), &first)?)
    }

    /// A command is created and enqueued before the next one is created, because what one leaves on a device
    /// may have to get to the device of the next.
    fn enqueue_on_many(
        &self,
        queues: &[Arc<Queue>],
        commands: &[Recorded],
        first: &[vk_runtime::Event],
    ) -> Result<vk_runtime::Event> {
        let mut events: Vec<vk_runtime::Event> = Vec::new();
        let mut barriers: Vec<Option<vk_runtime::Event>> = vec![None; queues.len()];
        for (position, recorded) in commands.iter().enumerate() {
            let (queue, own) = (&queues[recorded.queue], recorded.queue);
            let earlier = || commands[..position].iter().zip(&events).filter(|(it, _)| it.queue == own);
            let command = make(recorded, queue)?;
            let mut waits: Vec<vk_runtime::Event> = first.to_vec();
            waits.extend(barriers[own].clone());
            let is_barrier = matches!(recorded.work, Work::Barrier);
            if is_barrier && recorded.waits.is_empty() {
                waits.extend(earlier().map(|(_, event)| event.clone()));
            } else if !self.queues[own].core().options().out_of_order {
                waits.extend(earlier().next_back().map(|(_, event)| event.clone()));
            }
            waits.extend(recorded.waits.iter().map(|&point| events[point as usize - 1].clone()));
            let event = queue.core().enqueue(command, &queue.with_moves(&waits)?)?;
            if is_barrier {
                barriers[own] = Some(event.clone());
            }
            events.push(event);
        }
        events.extend(first.iter().cloned());
        Ok(queues[0].core().enqueue(Command::marker(), &events)?)
    }

    /// A copy with its commands on other queues: those at the same positions, or those that `automatic`
    /// chooses. Also copies of these handles of commands.
    pub fn remapped(
        &self,
        queues: Vec<Arc<Queue>>,
        automatic: bool,
        handles: &[Arc<MutableCommand>],
    ) -> Result<(Arc<Self>, Vec<Handle<MutableCommand>>)> {
        let recording = self.recording();
        let copy =
            CommandBuffer::with_queues(queues, self.properties.clone(), self.simultaneous, self.mutable);
        let mut copied = copy.recording();
        for recorded in &recording.commands {
            let positions = match automatic {
                false => vec![recorded.queue],
                true => copy.candidates(self.queues[recorded.queue].device()),
            };
            let mut found = Err(code::INVALID_COMMAND_QUEUE);
            for position in positions {
                found = recorded.work.copied(&copy.queues[position]).map(|work| (position, work));
                if found.is_ok() {
                    break;
                }
            }
            let (queue, work) = found?;
            copied.commands.push(Recorded {
                queue,
                waits: recorded.waits.clone(),
                work,
                handles: Vec::new(),
            });
        }
        let mut lent = Vec::new();
        for handle in handles {
            let handle = handle.copy_for(&copy);
            lent.push(Handle::lend(&handle));
            copied.commands[handle.position()].handles.push(handle);
        }
        copied.finalized = recording.finalized;
        drop(copied);
        Ok((copy, lent))
    }

    /// The positions of the queues, those of this device first.
    fn candidates(&self, device: &Arc<Device>) -> Vec<usize> {
        let mut positions: Vec<usize> = (0..self.queues.len()).collect();
        positions.sort_by_key(|&position| !Arc::ptr_eq(self.queues[position].device(), device));
        positions
    }

    fn state(&self) -> cl_command_buffer_state_khr {
        let recording = self.recording();
        match (recording.finalized, recording.is_executable()) {
            (false, _) => CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
            (true, false) => CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
            (true, true) => CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
        }
    }

    /// Answers a query.
    pub fn query(&self, name: cl_command_buffer_info_khr) -> Result<Answer> {
        match name {
            CL_COMMAND_BUFFER_NUM_QUEUES_KHR => info::value(self.queues.len() as u32),
            CL_COMMAND_BUFFER_QUEUES_KHR => {
                info::list(&self.queues.iter().map(Handle::of).collect::<Vec<_>>())
            }
            CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => info::value(handle::references(self)),
            CL_COMMAND_BUFFER_STATE_KHR => info::value(self.state()),
            CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => info::list(&self.properties),
            CL_COMMAND_BUFFER_CONTEXT_KHR => info::value(Handle::of(self.context())),
            _ => Err(code::INVALID_VALUE),
        }
    }
}

fn is_under_way(event: &vk_runtime::Event) -> bool {
    !matches!(event.status(), EventStatus::Complete | EventStatus::Failed(_))
}

fn make(recorded: &Recorded, queue: &Queue) -> Result<Command> {
    recorded.work.recipe().map_or_else(|| Ok(Command::marker()), |recipe| recipe.command(queue))
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
