//! A launch from the host whose kernel enqueues others, together with its descendants (OpenCL C §6.15.19).
//!
//! All commands that can begin are launched together. When all of them are done, the host reads what they
//! enqueued. So each kernel begins after the one that enqueued it, as `CLK_ENQUEUE_FLAGS_WAIT_KERNEL` demands
//! and the other flags allow. A wait list is satisfied when the commands of its events and all their
//! descendants are complete. The launch from the host is complete when no command is left.
//!
//! This runs on a thread that may wait for the device: a queue's thread, or the one that submits a batch.

use crate::engine::buffer::BufferInner;
use crate::engine::command::{Command, Kind};
use crate::engine::device_queue::{Action, Block, DeviceQueue, DeviceQueues, EmptyQueue, Enqueued};
use crate::engine::event::{Event, Times, code, code_of};
use crate::engine::followup::Followups;
use crate::engine::launch::Launch;
use crate::engine::nd_range::LaunchConfig;
use crate::engine::stream::Stream;
use crate::engine::transfer::{DeviceMemory, HostMemory, Pitches, Shape, Transfer};
use crate::vulkan::error::{Error, Result};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use std::ptr::NonNull;
use std::sync::Arc;

/// Turns the blocks that kernels enqueue into commands. It knows the program, and which images and samplers
/// its blocks capture.
pub(crate) trait BlockLauncher: Send {
    /// Notes that the command of number `parent` enqueued a block, which becomes command `number`.
    fn adopt(&mut self, number: u32, parent: u32, block: &Block) -> Result<()>;

    /// The launch of the block that was adopted as command `number`.
    fn command(&self, number: u32, block: &Block, queue: &DeviceQueue) -> Result<Command>;

    /// Notes that command `number` and all its descendants have ended.
    fn forget(&mut self, number: u32);
}

/// What a launch needs to be the first of a family: a launch from the host and its descendants.
pub(crate) struct Founder {
    pub(crate) launcher: Box<dyn BlockLauncher>,
    pub(crate) empty: EmptyQueue,
    /// Where the queue came from.
    pub(crate) queues: Arc<DeviceQueues>,
}

/// The number of the launch from the host.
pub(crate) const FIRST: u32 = 0;

/// A command that is not complete.
struct Member {
    /// The command that is complete only when this one is.
    parent: Option<u32>,
    /// Its event; zero if it has none, or no longer has one.
    event: u32,
    /// The number of its incomplete children, plus one for itself.
    open: u32,
    times: Option<Times>,
    /// The code with which it or one of its children failed.
    failure: Option<i32>,
}

struct Family<'a> {
    stream: &'a Arc<Stream>,
    launcher: Box<dyn BlockLauncher>,
    queue: DeviceQueue,
    queues: Arc<DeviceQueues>,
    /// The buffers that the first launch knows.
    buffers: Vec<Arc<BufferInner>>,
    members: FxHashMap<u32, Member>,
    /// What waits for events.
    waiting: Vec<(u32, Enqueued)>,
    running: Vec<(u32, Event)>,
    /// Events whose times are wanted, and the addresses to write them to.
    profiles: Vec<(u32, u64)>,
    /// The stack of free events, and those that kernels took off it.
    free: Vec<u32>,
    events: Vec<u32>,
    last_number: u32,
    times: Option<Times>,
    failure: Option<i32>,
}

/// Runs a launch and all its descendants; waits for the device.
///
/// # Errors
/// [`Error::CommandFailed`] with the code of the first command that failed; a failure of the device.
pub(crate) fn run(stream: &Arc<Stream>, mut launch: Box<Launch>) -> Result<Times> {
    let founder = launch.founder.take().expect("the launch founds a family");
    let Founder { launcher, empty: EmptyQueue { queue, free }, queues } = *founder;
    let mut family = Family {
        stream,
        launcher,
        queue,
        queues,
        buffers: launch.encoded.buffers.to_vec(),
        members: FxHashMap::default(),
        waiting: Vec::new(),
        running: Vec::new(),
        profiles: Vec::new(),
        free,
        events: Vec::new(),
        last_number: FIRST,
        times: None,
        failure: None,
    };
    let first = Command::new(stream.heap.device(), Kind::Launch(launch), SmallVec::new());
    let result = family.carry_out(first);
    // What still runs uses buffers that only the first launch keeps.
    for (_, event) in std::mem::take(&mut family.running) {
        if let Err(Error::Timeout { .. }) = event.wait() {
            std::mem::forget(family.buffers.clone());
        }
    }
    result.and_then(|()| family.finish())
}

impl Family<'_> {
    fn carry_out(&mut self, first: Command) -> Result<()> {
        self.add(FIRST, None, 0);
        self.barrier()?;
        self.issue(FIRST, first)?;
        while !self.running.is_empty() {
            let done = self.wait()?;
            self.collect()?;
            for (number, times) in done {
                self.end(number, Some(times), None)?;
            }
            self.begin()?;
        }
        Ok(())
    }

    fn add(&mut self, number: u32, parent: Option<u32>, event: u32) {
        let member = Member { parent, event, open: 1, times: None, failure: None };
        self.members.insert(number, member);
    }

    fn issue(&mut self, number: u32, command: Command) -> Result<()> {
        let event = Event::new();
        let mut followups = Followups::default();
        let issued = self.stream.issue(command, &[], Some(&event), true, &mut followups);
        followups.run();
        issued?;
        self.running.push((number, event));
        Ok(())
    }

    /// Waits for the commands that run; returns their times.
    fn wait(&mut self) -> Result<Vec<(u32, Times)>> {
        for (_, event) in &self.running {
            event.wait()?;
        }
        let times = |event: &Event| {
            let profile = event.profile().unwrap_or_default();
            Times { started: profile.started, ended: profile.ended, completed: profile.ended }
        };
        let running = std::mem::take(&mut self.running);
        Ok(running.iter().map(|(number, event)| (*number, times(event))).collect())
    }

    /// Takes over what was enqueued.
    fn collect(&mut self) -> Result<()> {
        for enqueued in self.queue.take()? {
            if let Action::Profile(address) = enqueued.action {
                self.profiles.push((enqueued.event, address));
                continue;
            }
            let parent = self.responsible(enqueued.parent);
            self.last_number = self.last_number.wrapping_add(1).max(FIRST + 1);
            let number = self.last_number;
            if let Action::Launch(block) = &enqueued.action {
                self.launcher.adopt(number, enqueued.parent, block)?;
            }
            self.add(number, Some(parent), enqueued.event);
            self.members.get_mut(&parent).expect("it is responsible").open += 1;
            self.waiting.push((number, enqueued));
        }
        Ok(())
    }

    /// The command that completes only after those that `number` enqueues: `number` itself if it has an
    /// event, otherwise its parent.
    fn responsible(&self, number: u32) -> u32 {
        match self.members.get(&number) {
            Some(member) if member.event != 0 => number,
            Some(member) => member.parent.unwrap_or(FIRST),
            None => FIRST,
        }
    }

    /// Begins the commands that no longer wait for anything, when none runs. A launch goes to the stream only
    /// after all launches are known and the free events are returned, because from then on the queue's memory
    /// belongs to the device.
    fn begin(&mut self) -> Result<()> {
        // A launch that fails may be all that others wait for.
        while self.running.is_empty() {
            let ready = self.ready()?;
            self.return_events()?;
            if ready.is_empty() {
                break;
            }
            for (number, command) in ready {
                self.issue(number, command).or_else(|error| self.fail(number, error))?;
            }
        }
        Ok(())
    }

    /// The launches that no longer wait for anything; other commands that no longer wait end here.
    fn ready(&mut self) -> Result<Vec<(u32, Command)>> {
        let mut ready = Vec::new();
        loop {
            let mut progress = false;
            for (number, enqueued) in std::mem::take(&mut self.waiting) {
                let mut satisfied = true;
                let mut worst = 0;
                for &wait in &enqueued.waits {
                    let status = self.queue.status(wait)?;
                    satisfied &= status <= 0;
                    worst = status.min(worst);
                }
                if !satisfied {
                    self.waiting.push((number, enqueued));
                    continue;
                }
                progress = true;
                let failure = (worst < 0).then_some(code::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
                match enqueued.action {
                    Action::Launch(block) if failure.is_none() && block.has_items() => {
                        match self.launcher.command(number, &block, &self.queue) {
                            Ok(command) => ready.push((number, command)),
                            Err(error) => self.fail(number, error)?,
                        }
                    }
                    _ => self.end(number, None, failure)?,
                }
            }
            if !progress {
                return Ok(ready);
            }
        }
    }

    /// Fails a command that cannot run with `error`.
    fn fail(&mut self, number: u32, error: Error) -> Result<()> {
        if let Error::DeviceLost { .. } = error {
            return Err(error);
        }
        tracing::error!(%error, "a kernel enqueued by a kernel failed");
        self.end(number, None, Some(code_of(&error)))
    }

    /// Ends a command, and those that waited only for it to be complete.
    fn end(&mut self, number: u32, times: Option<Times>, failure: Option<i32>) -> Result<()> {
        if let Some(member) = self.members.get_mut(&number) {
            member.times = times;
            member.failure = member.failure.or(failure);
        }
        let mut next = Some(number);
        while let Some(number) = next {
            let Some(member) = self.members.get_mut(&number) else { return Ok(()) };
            member.open -= 1;
            if member.open > 0 {
                return Ok(());
            }
            let Member { parent, event, times, failure, .. } =
                self.members.remove(&number).expect("it is there");
            self.launcher.forget(number);
            if event != 0 {
                self.complete(event, times, failure)?;
            }
            match parent.and_then(|parent| self.members.get_mut(&parent)) {
                Some(parent) => {
                    parent.failure = parent.failure.or(failure);
                    if let (Some(own), Some(of_child)) = (&mut parent.times, times) {
                        own.completed = own.completed.max(of_child.completed);
                    }
                }
                None => (self.times, self.failure) = (times, failure),
            }
            next = parent;
        }
        Ok(())
    }

    /// Completes an event, and writes its times where they were asked for.
    fn complete(&mut self, event: u32, times: Option<Times>, failure: Option<i32>) -> Result<()> {
        let since = |times: Times, end: u64| end.saturating_sub(times.started).max(1);
        let elapsed = times.map_or(0, |times| since(times, times.ended));
        let completed = times.map_or(0, |times| since(times, times.completed));
        self.queue.complete(event, failure.unwrap_or(0), elapsed, completed)?;
        let (wanted, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.profiles).into_iter().partition(|&(of, _)| of == event);
        self.profiles = others;
        for (_, address) in wanted {
            self.write(address, [elapsed, completed])?;
        }
        Ok(())
    }

    /// Writes two numbers to memory of the device, before everything that is launched from now on.
    fn write(&self, address: u64, numbers: [u64; 2]) -> Result<()> {
        let holds = |buffer: &&Arc<BufferInner>| {
            let offset = buffer.address.and_then(|start| address.checked_sub(start));
            offset.is_some_and(|offset| offset.checked_add(16).is_some_and(|end| end <= buffer.raw_size))
        };
        let unknown = Error::DeviceQueue {
            reason: "it writes the times of an event to memory that the launch from the host does not know",
        };
        let buffer = self.buffers.iter().find(holds).ok_or(unknown)?;
        let offset = address - buffer.address.expect("it was found by its address");
        let shape = Shape::linear(16);
        let pitches = Pitches::packed(shape);
        let pointer = NonNull::from(&numbers).cast();
        let device = DeviceMemory::Buffer { buffer: Arc::clone(buffer), offset, pitches };
        let transfer = Transfer { host: HostMemory { pointer, pitches }, device, shape };
        let accesses = smallvec![transfer.access(true)];
        let command = Command::new(self.stream.heap.device(), Kind::Write(transfer), accesses);
        // The numbers are read when the command is recorded.
        self.stream.issue_silently(command)?;
        self.barrier()
    }

    /// Makes what comes later wait for everything earlier.
    fn barrier(&self) -> Result<()> {
        self.stream.issue_silently(Command::barrier())
    }

    /// Returns the events that no kernel holds and that nothing waits for, when nothing runs. Nothing can
    /// observe the completion of their commands any more.
    fn return_events(&mut self) -> Result<()> {
        let queue = &self.queue;
        let left = queue.free_events()?.min(self.free.len());
        self.events.extend(self.free.drain(left..));
        let mut needed: FxHashSet<u32> = self.profiles.iter().map(|&(event, _)| event).collect();
        needed.extend(self.waiting.iter().flat_map(|(_, enqueued)| &enqueued.waits));
        let mut kept = Vec::new();
        for event in std::mem::take(&mut self.events) {
            let used = needed.contains(&event) || queue.is_held(event)?;
            if used { kept.push(event) } else { self.free.push(event) }
        }
        self.events = kept;
        let returned = &self.free[left..];
        if !returned.is_empty() {
            queue.give_back(left, returned);
            let returned: FxHashSet<u32> = returned.iter().copied().collect();
            for member in self.members.values_mut().filter(|member| returned.contains(&member.event)) {
                member.event = 0;
            }
        }
        Ok(())
    }

    /// The outcome of the launch from the host.
    fn finish(self) -> Result<Times> {
        if !self.waiting.is_empty() {
            tracing::error!(
                commands = self.waiting.len(),
                "commands enqueued by kernels wait for events that no command completes"
            );
            return Err(Error::CommandFailed { code: code::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST });
        }
        match (self.failure, self.times) {
            (None, Some(times)) => {
                let empty = EmptyQueue { queue: self.queue, free: self.free };
                self.queues.keep(empty, &self.events)?;
                Ok(times)
            }
            (failure, _) => Err(Error::CommandFailed { code: failure.unwrap_or(code::OUT_OF_RESOURCES) }),
        }
    }
}

impl Block {
    /// Whether there is anything to do: a range may be empty.
    fn has_items(&self) -> bool {
        self.global.iter().take(self.dimensions as usize).all(|&size| size > 0)
    }

    pub(crate) fn config(&self) -> LaunchConfig {
        let used = |d: usize| d < self.dimensions as usize;
        let pick =
            |sizes: [u64; 3], otherwise: u64| [0, 1, 2].map(|d| if used(d) { sizes[d] } else { otherwise });
        let local = pick(self.local, 1).map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        LaunchConfig {
            work_dim: self.dimensions,
            global: pick(self.global, 1),
            local: (self.local[0] != 0).then_some(local),
            offset: pick(self.offset, 0),
        }
    }
}
