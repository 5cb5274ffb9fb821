//! Commands that launch kernels.

use super::family::Founder;
use super::operation::{Command, Kind};
use crate::arguments::{self, Arg, Encoded, Handle};
use crate::buffer::{Buffer, BufferInner};
use crate::device_queue::{DeviceQueue, EmptyQueue};
use crate::error::{Error, Result};
use crate::launch::{self, Dispatch, LaunchConfig, Plan};
use crate::loop_watch::LoopWatch;
use crate::memory::MemoryUse;
use crate::print::PrintBuffer;
use crate::program::{Kernel, Pipeline};
use clvk_interface::{BufferLocation, ImplicitBuffer, KernelInterface, LocalSize};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::Arc;

/// A dispatch, and the pipeline for its work-group size.
pub(crate) type Step = (Dispatch, Arc<Pipeline>);

/// A launch of a kernel: one or more dispatches.
#[derive(Default)]
pub(crate) struct Launch {
    pub(crate) steps: SmallVec<[Step; 1]>,
    pub(crate) encoded: Encoded,
    /// Where the number of a dispatch's first work-group goes.
    pub(crate) group_offset: Option<u32>,
    /// How the kernel reaches the argument buffer.
    pub(crate) argument_buffer: Option<BufferLocation>,
    /// Where it prints.
    pub(crate) print_buffer: Option<PrintBuffer>,
    /// Where it tells that loops were ended early.
    pub(crate) loop_watch: Option<LoopWatch>,
    /// Its dispatches use the same private memory, so that one follows the other.
    pub(crate) in_turn: bool,
    /// Whether it may write memory that the host reads without a copy.
    pub(crate) for_host: bool,
    /// Set if its kernel enqueues others: [`family::run`](super::family::run) carries it out.
    pub(crate) founder: Option<Box<Founder>>,
}

/// Spare launches that a thread keeps.
const MOST_SPARE: usize = 128;

/// Launches, which are large: the boxes are handed on.
type Spares = Vec<Box<Launch>>;

thread_local! {
    /// Launches that the thread has recorded, empty, in whose memory it makes new ones: launching is not to allocate.
    static SPARES: RefCell<Spares> = const { RefCell::new(Vec::new()) };
}

impl Command {
    /// Launches a kernel.
    ///
    /// # Errors
    /// [`Error::ArgumentCount`], [`Error::Argument`], [`Error::Launch`], or a failure to compile the pipeline.
    pub fn launch(kernel: &Kernel, config: &LaunchConfig, arguments: &[Arg<'_>]) -> Result<Self> {
        Command::launch_with(kernel, config, arguments, &[])
    }

    /// Launches a kernel that may read and write these buffers too, through addresses stored in other buffers.
    ///
    /// # Errors
    /// As for [`Command::launch`], and [`Error::OtherDevice`].
    pub fn launch_with(
        kernel: &Kernel,
        config: &LaunchConfig,
        arguments: &[Arg<'_>],
        indirect: &[Buffer],
    ) -> Result<Self> {
        let enqueues = kernel.interface().implicit_buffer(ImplicitBuffer::DeviceQueue).is_some();
        let empty = enqueues.then(|| EmptyQueue::of(kernel.device())).transpose()?;
        let of = empty.as_ref().map(|empty| (&empty.queue, 0));
        let mut launch = Launch::new(kernel, config, arguments, indirect, of)?;
        if let Some(empty) = empty {
            let handles = arguments.iter().map(Handle::of).collect();
            launch.founder = Some(Box::new(Founder { kernel: kernel.clone(), empty, handles }));
        }
        Ok(Command::new(kernel.device(), Kind::Launch(launch), SmallVec::new()))
    }

    /// A launch that another one enqueued, with its number.
    pub(crate) fn launch_of_family(
        kernel: &Kernel,
        config: &LaunchConfig,
        arguments: &[Arg<'_>],
        queue: &DeviceQueue,
        number: u32,
    ) -> Result<Self> {
        let mut launch = Launch::new(kernel, config, arguments, &[], Some((queue, number)))?;
        // The first launch knows what all of them use, and those that run together do not wait for each other.
        launch.encoded.accesses.clear();
        Ok(Command::new(kernel.device(), Kind::Launch(launch), SmallVec::new()))
    }

    /// Says which queue `get_default_queue` gives in the kernel of a launch and those that it enqueues: a number that the
    /// program was given as an argument, or zero for none. At first it is 1.
    #[must_use]
    pub fn with_default_queue(self, queue: u32) -> Self {
        if let Kind::Launch(launch) = &self.kind
            && let Some(founder) = &launch.founder
        {
            founder.empty.queue.set_default(queue);
        }
        self
    }
}

impl Launch {
    /// One to make a launch in; what is in it that holds nothing is that of an earlier one.
    fn spare() -> Box<Self> {
        // A thread that ends has none any more.
        SPARES.try_with(|spares| spares.borrow_mut().pop()).ok().flatten().unwrap_or_default()
    }

    /// Keeps it, since it holds nothing any more.
    pub(crate) fn put_back(self: Box<Self>) {
        let _ = SPARES.try_with(|spares| {
            let mut spares = spares.borrow_mut();
            if spares.len() < MOST_SPARE {
                spares.push(self);
            }
        });
    }

    fn new(
        kernel: &Kernel,
        config: &LaunchConfig,
        arguments: &[Arg<'_>],
        indirect: &[Buffer],
        family: Option<(&DeviceQueue, u32)>,
    ) -> Result<Box<Self>> {
        let device = kernel.device();
        let interface = kernel.interface();
        let mut config = *config;
        if config.local.is_none() && interface.local_size == LocalSize::Specialised {
            config.local = Some(kernel.chosen_local_size(config.global));
        }
        let plan = launch::plan(interface, device.profile(), &config)
            .map_err(|reason| Error::Launch { kernel: interface.name.clone(), reason })?;
        let mut launch = Launch::spare();
        let Launch { steps, encoded, .. } = &mut *launch;
        arguments::encode(device, interface, &plan, arguments, kernel.variables(), encoded)?;
        let samplers = kernel.samplers().iter();
        encoded.descriptors.extend(samplers.map(|(binding, sampler)| (*binding, sampler.descriptor())));
        add_steps(steps, kernel, &plan, encoded)?;
        for buffer in indirect {
            device.check_same(buffer.device(), "a buffer that the kernel uses")?;
            encoded.reach_indirectly(buffer);
        }
        let print_buffer = kernel.print_buffer()?;
        if let Some(print) = &print_buffer {
            attach(interface, encoded, ImplicitBuffer::Print, &print.buffer);
        }
        if let Some((queue, number)) = family {
            encoded.put_words(interface.command_number, &[number]);
            attach(interface, encoded, ImplicitBuffer::DeviceQueue, &queue.buffer);
        }
        let mut loop_watch = None;
        if interface.implicit_buffer(ImplicitBuffer::LoopWatch).is_some() {
            let watch = loop_watch.insert(LoopWatch::new(device, &interface.name)?);
            attach(interface, encoded, ImplicitBuffer::LoopWatch, &watch.buffer);
        }
        if interface.implicit_buffer(ImplicitBuffer::PrivateMemory).is_some() {
            let buffer = device.create_buffer("private memory", plan.private_memory, MemoryUse::Device)?;
            attach(interface, encoded, ImplicitBuffer::PrivateMemory, &buffer);
        }
        // Of memory at an address it is not known whose it is.
        launch.for_host = arguments.iter().any(|argument| matches!(argument, Arg::Address(_)))
            || encoded.descriptors.iter().any(|(_, descriptor)| descriptor.is_for_host())
            || encoded.buffers.iter().any(|buffer| buffer.pointer().is_some());
        launch.group_offset = interface.group_offset;
        launch.argument_buffer = interface.argument_buffer.map(|buffer| buffer.location);
        launch.in_turn = plan.private_memory > 0;
        (launch.print_buffer, launch.loop_watch) = (print_buffer, loop_watch);
        Ok(launch)
    }
}

/// Adds the dispatches of a plan, each with its pipeline.
fn add_steps(steps: &mut SmallVec<[Step; 1]>, kernel: &Kernel, plan: &Plan, encoded: &Encoded) -> Result<()> {
    for &dispatch in &plan.dispatches {
        let pipeline = match steps.last() {
            Some((last, pipeline)) if last.local == dispatch.local => Arc::clone(pipeline),
            _ => kernel.pipeline(dispatch.local, plan.local, &encoded.locals)?,
        };
        steps.push((dispatch, pipeline));
    }
    Ok(())
}

/// Lets the kernel reach a buffer that is no argument, if it has a place for it.
fn attach(
    interface: &KernelInterface,
    encoded: &mut Encoded,
    which: ImplicitBuffer,
    buffer: &Arc<BufferInner>,
) {
    if let Some(location) = interface.implicit_buffer(which) {
        encoded.reach(location, buffer, 0..buffer.raw_size);
        encoded.buffers.push(Arc::clone(buffer));
    }
}
