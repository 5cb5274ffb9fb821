//! A list of operations that are submitted together: the simple way to run kernels.

use crate::engine::command::{Command, Kind};
use crate::engine::device_enqueue;
use crate::engine::event::{Event, Profile};
use crate::engine::followup::Followups;
use crate::engine::nd_range::LaunchConfig;
use crate::objects::arguments::Arg;
use crate::objects::buffer::Buffer;
use crate::objects::device::Device;
use crate::objects::program::Kernel;
use crate::vulkan::clock::host_time;
use crate::vulkan::error::{Error, Result};
use std::fmt;
use std::time::Duration;

/// Operations to submit together: dispatches, copies and fills, in order. Those that do not depend on each
/// other may overlap.
pub struct Batch {
    device: Device,
    commands: Vec<Command>,
    indirect: Vec<Buffer>,
    timed: bool,
    /// The commands that are marks, by their numbers.
    marks: Vec<usize>,
}

impl Batch {
    pub(crate) fn new(device: &Device) -> Self {
        Batch {
            device: device.clone(),
            commands: Vec::new(),
            indirect: Vec::new(),
            timed: true,
            marks: Vec::new(),
        }
    }

    /// Adds a launch of a kernel.
    ///
    /// # Errors
    /// [`Error::ArgumentCount`], [`Error::Argument`], [`Error::Launch`], [`Error::OtherDevice`], or a failure
    /// to compile the pipeline. The batch is unchanged then.
    pub fn dispatch(
        &mut self,
        kernel: &Kernel,
        config: &LaunchConfig,
        arguments: &[Arg<'_>],
    ) -> Result<&mut Self> {
        self.device.check_same(kernel.device(), "the kernel")?;
        self.commands.push(Command::launch_with(kernel, config, arguments, &self.indirect)?);
        Ok(self)
    }

    /// Adds a command for the same device.
    pub(crate) fn add(&mut self, command: Command) {
        self.commands.push(command);
    }

    /// Adds a copy between buffers, or between two places of one.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::OverlappingCopy`] or [`Error::OtherDevice`].
    pub fn copy(
        &mut self,
        source: &Buffer,
        source_offset: u64,
        destination: &Buffer,
        destination_offset: u64,
        size: u64,
    ) -> Result<&mut Self> {
        self.device.check_same(source.device(), "the source buffer")?;
        let copy = Command::copy_buffer(source, source_offset, destination, destination_offset, size)?;
        self.commands.push(copy);
        Ok(self)
    }

    /// Adds a fill of a whole buffer with a 32-bit pattern, little-endian. The last copy of the pattern is
    /// cut off if the length is not a multiple of 4.
    ///
    /// # Errors
    /// [`Error::OtherDevice`].
    pub fn fill(&mut self, buffer: &Buffer, pattern: u32) -> Result<&mut Self> {
        self.device.check_same(buffer.device(), "the buffer")?;
        self.commands.push(Command::fill_words(buffer, pattern));
        Ok(self)
    }

    /// Declares that the dispatches added from now on may read and write this buffer through addresses stored
    /// in other buffers. It is kept alive, and they run one after the other.
    ///
    /// # Errors
    /// [`Error::OtherDevice`].
    pub fn uses(&mut self, buffer: &Buffer) -> Result<&mut Self> {
        self.device.check_same(buffer.device(), "the buffer")?;
        self.indirect.push(buffer.clone());
        Ok(self)
    }

    /// Makes everything added from now on wait for everything added before, dependent or not.
    pub fn barrier(&mut self) -> &mut Self {
        self.commands.push(Command::barrier());
        self
    }

    /// A barrier whose time [`Submission::marks`] tells, also in batches that are not timed. What lies
    /// between two marks runs as it does without measuring, while a time stamp for each dispatch keeps many
    /// devices waiting for about a microsecond.
    pub fn mark(&mut self) -> &mut Self {
        self.marks.push(self.commands.len());
        self.barrier()
    }

    /// Whether to measure the time of each dispatch; on by default.
    pub fn timed(&mut self, timed: bool) -> &mut Self {
        self.timed = timed;
        self
    }

    /// Whether nothing was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Submits the batch to the device. It waits for launches of kernels that enqueue others.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`] or another failure of the device.
    pub fn submit(self) -> Result<Submission> {
        let timed = self.timed && self.device.stream().has_time_stamps;
        let mut followups = Followups::default();
        let mut launches = Vec::new();
        let mut marks = Vec::new();
        let mut marked = self.marks.into_iter().peekable();
        let mut last = 0;
        let mut result = Ok(());
        for (number, command) in self.commands.into_iter().enumerate() {
            let is_mark = marked.next_if_eq(&number).is_some();
            if matches!(&command.kind, Kind::Launch(launch) if launch.founder.is_some()) {
                match run_family(&self.device, command.kind) {
                    Ok((event, serial)) => {
                        launches.extend(timed.then_some(event));
                        last = serial;
                    }
                    Err(error) => {
                        result = Err(error);
                        break;
                    }
                }
                continue;
            }
            let event = (is_mark || timed && matches!(command.kind, Kind::Launch(_))).then(Event::new);
            match self.device.stream().issue(command, &[], event.as_ref(), timed || is_mark, &mut followups) {
                Ok(serial) => last = serial,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
            if is_mark { &mut marks } else { &mut launches }.extend(event);
        }
        followups.run();
        result?;
        self.device.stream().flush()?;
        Ok(Submission { device: self.device, launches, marks, timed, last })
    }
}

/// Runs a launch whose kernel enqueues others, and waits for it. Returns its event, and the last submission
/// by then.
fn run_family(device: &Device, kind: Kind) -> Result<(Event, u64)> {
    let Kind::Launch(launch) = kind else { unreachable!("only launches have families") };
    let event = Event::new();
    let mut followups = Followups::default();
    event.submitted(host_time(), &mut followups);
    let times = device_enqueue::run(device.stream(), launch)?;
    event.complete_family(times, &mut followups);
    followups.run();
    Ok((event, device.stream().last()))
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Batch({} operations)", self.commands.len())
    }
}

/// Work that was submitted. Dropping it does not wait.
pub struct Submission {
    device: Device,
    /// The events of the launches, if they are timed.
    launches: Vec<Event>,
    marks: Vec<Event>,
    timed: bool,
    /// The last submission with a part of it.
    last: u64,
}

impl Submission {
    /// Waits until the work is done, at most as long as [`crate::DeviceOptions::wait_timeout`] says.
    ///
    /// # Errors
    /// [`Error::Timeout`] (the work continues, so you may wait again) or [`Error::DeviceLost`].
    pub fn wait(&self) -> Result<()> {
        self.wait_for(self.device.timeout())
    }

    /// Waits until the work is done, at most this long.
    ///
    /// # Errors
    /// As for [`Submission::wait`].
    pub fn wait_for(&self, timeout: Duration) -> Result<()> {
        self.device.stream().wait(self.last, Some(timeout))
    }

    /// Whether the work is done.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn is_done(&self) -> Result<bool> {
        self.device.stream().is_done(self.last)
    }

    /// The start and end of each dispatch of the batch, in order; waits for the work.
    ///
    /// # Errors
    /// [`Error::NoTimestamps`] if the device has none or the batch was not timed, or as for
    /// [`Submission::wait`].
    pub fn timings(&self) -> Result<Vec<DispatchTime>> {
        self.wait()?;
        if !self.timed || self.launches.is_empty() {
            return Err(Error::NoTimestamps);
        }
        let profiles = profiles(&self.launches)?;
        let begin = profiles[0].started;
        let since = |time: u64| time.saturating_sub(begin);
        let time = |p: &Profile| DispatchTime { start_ns: since(p.started), end_ns: since(p.ended) };
        Ok(profiles.iter().map(time).collect())
    }

    /// When the device came to each mark, in nanoseconds since the first one; waits for the work.
    ///
    /// # Errors
    /// [`Error::NoTimestamps`] if the device has none, or as for [`Submission::wait`].
    pub fn marks(&self) -> Result<Vec<u64>> {
        self.wait()?;
        let profiles = profiles(&self.marks)?;
        Ok(profiles.iter().map(|profile| profile.ended.saturating_sub(profiles[0].ended)).collect())
    }
}

fn profiles(events: &[Event]) -> Result<Vec<Profile>> {
    events.iter().map(|event| event.profile().ok_or(Error::NoTimestamps)).collect()
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Submission(done: {:?})", self.is_done())
    }
}

/// When a dispatch ran, in nanoseconds since its batch began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DispatchTime {
    /// When everything before it was done.
    pub start_ns: u64,
    /// When it was done too.
    pub end_ns: u64,
}

impl DispatchTime {
    /// How long it took.
    #[must_use]
    pub fn duration_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }
}
