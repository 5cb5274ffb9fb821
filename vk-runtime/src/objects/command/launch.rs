//! Commands that launch kernels.

use crate::engine::arguments::{BufferPixels, Encoded};
use crate::engine::buffer::BufferInner;
use crate::engine::command::{Command, Kind};
use crate::engine::device_enqueue::{FIRST, Founder};
use crate::engine::device_queue::DeviceQueue;
use crate::engine::launch::{Launch, Step};
use crate::engine::nd_range::{self, LaunchConfig, Plan};
use crate::objects::arguments::{self, Arg};
use crate::objects::block_launcher::ProgramBlocks;
use crate::objects::buffer::Buffer;
use crate::objects::program::Kernel;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::memory::MemoryUse;
use clvk_interface::sanitize::{INSIDE, Shape, UNWATCHED};
use clvk_interface::{ImplicitBuffer, KernelInterface, LocalSize};
use smallvec::SmallVec;
use std::sync::Arc;

impl Command {
    /// Launches a kernel.
    ///
    /// # Errors
    /// [`Error::ArgumentCount`], [`Error::Argument`], [`Error::Launch`], or a failure to compile the
    /// pipeline.
    pub fn launch(kernel: &Kernel, config: &LaunchConfig, arguments: &[Arg<'_>]) -> Result<Self> {
        Command::launch_with(kernel, config, arguments, &[])
    }

    /// Launches a kernel that may read and write these buffers too, through addresses stored in other
    /// buffers.
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
        let queues = &kernel.device().shared.device_queues;
        let empty = enqueues.then(|| queues.take()).transpose()?;
        let of = empty.as_ref().map(|empty| (&empty.queue, FIRST));
        let mut launch = Launch::new(kernel, config, arguments, indirect, of)?;
        if let Some(empty) = empty {
            let launcher = Box::new(ProgramBlocks::new(kernel, arguments));
            launch.founder = Some(Box::new(Founder { launcher, empty, queues: Arc::clone(queues) }));
        }
        Ok(Command::new(kernel.device().id(), Kind::Launch(launch), SmallVec::new()))
    }

    /// The same launch, which may also read and write any memory of the device through addresses that it
    /// finds in memory. Everything before it on the device is done first, and everything after it waits for
    /// it. The caller keeps the memory alive.
    #[must_use]
    pub fn reaching_anything(mut self) -> Self {
        if let Kind::Launch(launch) = &mut self.kind {
            launch.encoded.reaches_anything = true;
            launch.for_host = true;
        }
        self
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
        // The first launch has the accesses of all of them, and launches that run together do not wait for
        // each other, except for the copies of images in buffers.
        let Encoded { accesses, pixels, .. } = &mut launch.encoded;
        accesses.clear();
        accesses.extend(pixels.iter().flat_map(BufferPixels::accesses));
        Ok(Command::new(kernel.device().id(), Kind::Launch(launch), SmallVec::new()))
    }

    /// Sets the queue that `get_default_queue` returns in the kernel of a launch and in the kernels that it
    /// enqueues. It is a number that the program got as an argument, or zero for none. The default is 1.
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
        let plan = nd_range::plan(interface, device.profile(), &config)
            .map_err(|reason| Error::Launch { kernel: interface.name.clone(), reason })?;
        let mut launch = Launch::spare();
        let Launch { steps, encoded, .. } = &mut *launch;
        // As it is before the launch.
        let memory = kernel.sanitized_memory(arguments);
        arguments::encode(device, interface, &plan, arguments, kernel.variables(), encoded)?;
        encoded.descriptors.extend(kernel.samplers().iter().cloned());
        let sub_group = if interface.sub_groups { device.profile().subgroup_size } else { 0 };
        let shape = Shape { global: plan.global, offset: plan.offset, local: plan.local, sub_group };
        let [unwatched, inside] = kernel.unchecked(&memory, &shape);
        for (constant, bits) in [(UNWATCHED, unwatched), (INSIDE, inside)] {
            if bits != 0 {
                encoded.locals.push((constant, bits));
            }
        }
        if plan.has_no_offsets() && !encoded.has_offsets {
            encoded.locals.extend(arguments::offset_mask(interface));
        }
        add_steps(steps, kernel, &plan, encoded)?;
        for buffer in indirect {
            device.check_same(buffer.device(), "a buffer that the kernel uses")?;
            let range = buffer.base()..buffer.base() + buffer.size();
            encoded.reach_indirectly(buffer.inner(), range);
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
            let watch = loop_watch.insert(device.shared.loop_watches.take(&interface.name)?);
            attach(interface, encoded, ImplicitBuffer::LoopWatch, &watch.buffer);
        }
        if interface.implicit_buffer(ImplicitBuffer::PrivateMemory).is_some() {
            let buffer = device.create_buffer("private memory", plan.private_memory, MemoryUse::Device)?;
            attach(interface, encoded, ImplicitBuffer::PrivateMemory, &buffer);
        }
        let reports = kernel.report_buffer(shape, memory, unwatched)?;
        if let Some(reports) = &reports {
            attach(interface, encoded, ImplicitBuffer::Reports, &reports.buffer);
            if let Some(shadow) = &reports.shadow {
                attach(interface, encoded, ImplicitBuffer::Shadow, shadow);
            }
        }
        // It is not known to whom memory at an address belongs.
        launch.for_host = arguments.iter().any(|argument| matches!(argument, Arg::Address(_)))
            || encoded.descriptors.iter().any(|(_, descriptor)| descriptor.is_for_host())
            || encoded.buffers.iter().any(|buffer| buffer.is_shared());
        launch.group_offset = interface.group_offset;
        launch.argument_buffer = interface.argument_buffer.map(|buffer| buffer.location);
        launch.in_turn = plan.private_memory > 0;
        launch.hold = kernel.hold.of_launch().map(|hold| Box::new(hold) as _);
        (launch.print_buffer, launch.loop_watch, launch.reports) = (print_buffer, loop_watch, reports);
        Ok(launch)
    }
}

/// Adds the dispatches of a plan, each with its pipeline.
fn add_steps(steps: &mut SmallVec<[Step; 1]>, kernel: &Kernel, plan: &Plan, encoded: &Encoded) -> Result<()> {
    for (position, &dispatch) in plan.dispatches.iter().enumerate() {
        let pipeline = match steps.last() {
            Some((last, pipeline)) if last.local == dispatch.local => Arc::clone(pipeline),
            _ => {
                let sizes = plan.dispatches[position..].iter().map(|dispatch| dispatch.local);
                kernel.pipeline(sizes, plan.local, &encoded.locals)?
            }
        };
        steps.push((dispatch, pipeline));
    }
    Ok(())
}

/// Lets the kernel reach a buffer that is not an argument, if its interface has a location for it.
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
