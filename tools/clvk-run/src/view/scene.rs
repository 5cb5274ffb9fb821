//! A job whose steps run for each frame.

use super::{argument_by_name, resize};
use crate::argument::{ArgumentText, Inputs};
use crate::failure::{Failure, Result};
use crate::file::picture::Picture;
use crate::job::{Job, Shared, Step};
use crate::program::Source;
use crate::resource::{Resource, target};
use crate::run::plan::{self, Compiled, Plan, Planned, Slot};
use crate::supervise;
use clvk::interface::sanitize::Kinds;
use clvk::interface::{ArgumentKind, ImageAccess, ImageDimension, KernelInterface, ScalarType};
use clvk::runtime::{Batch, ChannelOrder, ChannelType, ImageFormat, QueueOptions, Submission};
use clvk::{Arg, Command, CommandQueue, Device, Image, ImageDescription};
use std::collections::VecDeque;

/// Frames that the device may be behind.
const MOST_AHEAD: usize = 2;

/// See the module.
pub struct Scene {
    device: Device,
    queue: CommandQueue,
    /// As it was read, without what parameters' names say.
    job: Job,
    kernels: Vec<Compiled>,
    plan: Plan,
    /// The slot that is shown, and the one where its contents are after the frame's swaps.
    shown: usize,
    current: usize,
    /// What a shown buffer is copied to.
    copy: Option<Image>,
    submitted: VecDeque<Submission>,
    /// The device's time for a frame in nanoseconds, if it measures time.
    kernel_ns: Option<u64>,
}

impl Scene {
    /// Compiles a job for a window of this size and makes what it needs. `show` names the argument to show;
    /// without it, it is the screen or the picture that the last kernel writes.
    pub fn new(device: &Device, mut job: Job, window: [u32; 2], show: Option<&str>) -> Result<Scene> {
        let kernels = compile(device, &mut job, window)?;
        let plan = Plan::new(device, &job, &kernels)?;
        let shown = shown(&plan, show)?;
        let queue = CommandQueue::new(device, QueueOptions::default());
        let (device, submitted) = (device.clone(), VecDeque::new());
        let mut scene = Scene {
            device,
            queue,
            job,
            kernels,
            plan,
            shown,
            current: shown,
            copy: None,
            submitted,
            kernel_ns: None,
        };
        scene.make_copy()?;
        Ok(scene)
    }

    /// The same with another job, which keeps the states whose arguments are the same. If that fails, nothing
    /// has changed.
    pub fn replace(&mut self, mut job: Job, window: [u32; 2], show: Option<&str>) -> Result<()> {
        let kernels = compile(&self.device, &mut job, window)?;
        // A first plan shows whether all is right; it costs only memory.
        shown(&Plan::new(&self.device, &job, &kernels)?, show)?;
        self.wait()?;
        let earlier = std::mem::take(&mut self.plan.slots);
        self.plan = Plan::after(&self.device, &job, &kernels, earlier)?;
        self.shown = shown(&self.plan, show)?;
        (self.job, self.kernels) = (job, kernels);
        self.make_copy()
    }

    /// Starts again: states are what they were at first.
    pub fn reset(&mut self) -> Result<()> {
        self.wait()?;
        self.plan = Plan::new(&self.device, &self.job, &self.kernels)?;
        self.make_copy()
    }

    /// Gives screens that follow the window another size.
    pub fn resize(&mut self, window: [u32; 2]) -> Result<()> {
        let before: Vec<ArgumentText> = self.job.arguments.iter().map(|shared| shared.text.clone()).collect();
        resize(&mut self.job, window);
        if self.job.arguments.iter().map(|shared| &shared.text).eq(&before) {
            return Ok(());
        }
        self.wait()?;
        let earlier = std::mem::take(&mut self.plan.slots);
        self.plan = Plan::after(&self.device, &self.job, &self.kernels, earlier)?;
        self.make_copy()
    }

    /// Width and height of the picture.
    pub fn size(&self) -> [u32; 2] {
        size(&self.plan.slots[self.shown].resource).expect("only pictures are shown")
    }

    /// Runs the kernels of a frame.
    pub fn draw(&mut self, inputs: &Inputs) -> Result<()> {
        let inputs = Inputs { size: self.size(), ..*inputs };
        for slot in &mut self.plan.slots {
            if let ArgumentText::Live(live) = slot.text {
                let bytes = live.bytes(target(&slot.parameter), &inputs).map_err(Failure::usage)?;
                slot.resource = Resource::Value(bytes);
            }
        }
        let mut batch = self.device.batch();
        let steps = std::mem::take(&mut self.plan.steps);
        let mut frame =
            Frame { slots: &mut self.plan.slots, batch: &mut batch, shown: self.shown, current: self.shown };
        let result = frame.run(&steps);
        self.current = frame.current;
        self.plan.steps = steps;
        result?;
        let names: Vec<&str> = self.kernels.iter().map(Compiled::name).collect();
        supervise::about_to_run(&names.join("` or `"));
        self.submitted.push_back(batch.submit()?);
        self.wait_for_all_but(MOST_AHEAD)?;
        self.copy_buffer()
    }

    /// The picture as an image.
    pub fn image(&self) -> &Image {
        match &self.plan.slots[self.current].resource {
            Resource::Image(image) => image.image().expect("only pictures are shown"),
            _ => self.copy.as_ref().expect("a shown buffer has a copy"),
        }
    }

    /// The picture, read from the device.
    pub fn picture(&self) -> Result<Picture> {
        let image = self.image();
        let mut bytes = vec![0; image.description().byte_size() as usize];
        image.read(&mut bytes)?;
        crate::texels::to_picture(image.description(), &bytes)
            .ok_or_else(|| Failure::usage(format!("{} is not a picture", image.description())))
    }

    /// The device's time for a frame in nanoseconds, if it measures time.
    pub fn kernel_ns(&self) -> Option<u64> {
        self.kernel_ns
    }

    /// Waits until all frames are drawn.
    pub fn wait(&mut self) -> Result<()> {
        self.wait_for_all_but(0)
    }

    fn wait_for_all_but(&mut self, count: usize) -> Result<()> {
        while self.submitted.len() > count {
            let Some(submission) = self.submitted.pop_front() else { break };
            submission.wait()?;
            let times = submission.timings().ok();
            self.kernel_ns = times.map(|times| times.iter().map(|time| time.duration_ns()).sum());
        }
        Ok(())
    }

    /// Makes the image that a shown buffer is copied to.
    fn make_copy(&mut self) -> Result<()> {
        self.current = self.shown;
        self.copy = match &self.plan.slots[self.shown].resource {
            Resource::Buffer(buffer) => {
                let channel = match buffer.shape.element.scalar {
                    ScalarType::U8 => ChannelType::UnormInt8,
                    ScalarType::F16 => ChannelType::HalfFloat,
                    _ => ChannelType::Float,
                };
                let format = ImageFormat::new(ChannelOrder::Rgba, channel);
                let [width, height] = self.size();
                Some(Image::new(&self.device, &ImageDescription::planar(format, width, height))?)
            }
            _ => None,
        };
        Ok(())
    }

    fn copy_buffer(&self) -> Result<()> {
        let (Resource::Buffer(buffer), Some(image)) = (&self.plan.slots[self.current].resource, &self.copy)
        else {
            return Ok(());
        };
        let copy = Command::copy_buffer_to_image(&buffer.buffer, 0, image, &image.whole())?;
        Ok(self.queue.enqueue_silently(copy, &[])?)
    }
}

/// Compiles the kernels of a job, and gives those that were given no arguments the ones that their parameters
/// are named after.
fn compile(device: &Device, job: &mut Job, window: [u32; 2]) -> Result<Vec<Compiled>> {
    let sources: Vec<Source> = job
        .sources
        .iter()
        .map(|source| Source::read(&source.path, &source.options))
        .collect::<Result<_>>()?;
    let kernels = plan::compile(job, &sources, device, Kinds::default())?;
    if let ([Step::Launch(launch)], [kernel]) = (&mut job.steps[..], &kernels[..])
        && launch.arguments.is_empty()
        && !kernel.interface().arguments.is_empty()
    {
        job.arguments = named(kernel.interface())?;
        launch.arguments = (0..job.arguments.len()).collect();
    }
    resize(job, window);
    Ok(kernels)
}

/// The arguments that parameters are named after.
fn named(interface: &KernelInterface) -> Result<Vec<Shared>> {
    let parameters = interface.arguments.iter().map(|parameter| {
        let is_picture = matches!(
            &parameter.kind,
            ArgumentKind::Image { dimension: ImageDimension::D2, access, .. } if *access != ImageAccess::ReadOnly
        );
        let text = argument_by_name(&parameter.name, is_picture).ok_or_else(|| {
            Failure::usage(format!(
                "nothing is known of parameter `{}` (`{}`) of kernel `{}`: give the arguments of all parameters after \
                 `--`, or name it `time`, `frame`, `mouse` or `size`",
                parameter.name, parameter.type_name, interface.name
            ))
        })?;
        Ok(Shared { name: None, text })
    });
    parameters.collect()
}

/// A frame while its commands are given.
struct Frame<'a> {
    slots: &'a mut [Slot],
    batch: &'a mut Batch,
    shown: usize,
    current: usize,
}

impl Frame<'_> {
    fn run(&mut self, steps: &[Planned]) -> Result<()> {
        for step in steps {
            match step {
                Planned::Launch(launch) => {
                    let resources = launch.slots.iter().map(|&slot| self.slots[slot].resource.arg());
                    let arguments: Vec<Arg<'_>> = resources.collect();
                    self.batch.dispatch(&launch.kernel, &launch.config, &arguments)?;
                    if launch.slots.contains(&self.shown) {
                        self.current = self.shown;
                    }
                }
                Planned::Swap(left, right) => self.swap(*left, *right),
                Planned::Repeat(times, steps) => {
                    for _ in 0..*times {
                        self.run(steps)?;
                    }
                }
                Planned::Verify(_) | Planned::Print { .. } => {} // Refused when the job was read.
            }
        }
        Ok(())
    }

    fn swap(&mut self, left: usize, right: usize) {
        let Ok([a, b]) = self.slots.get_disjoint_mut([left, right]) else { return };
        std::mem::swap(&mut a.resource, &mut b.resource);
        if self.current == left {
            self.current = right;
        } else if self.current == right {
            self.current = left;
        }
    }
}

/// Width and height of what can be shown.
fn size(resource: &Resource) -> Option<[u32; 2]> {
    match resource {
        Resource::Image(image) => {
            image.image()?;
            let description = image.description;
            (description.dimension == ImageDimension::D2).then_some([description.width, description.height])
        }
        Resource::Buffer(buffer) => {
            let shape = &buffer.shape;
            let suits = shape.element.lanes == 4
                && matches!(shape.element.scalar, ScalarType::U8 | ScalarType::F16 | ScalarType::F32);
            let &[height, width] = &shape.extents[..] else { return None };
            suits.then_some([u32::try_from(width).ok()?, u32::try_from(height).ok()?])
        }
        _ => None,
    }
}

/// The slot to show.
fn shown(plan: &Plan, name: Option<&str>) -> Result<usize> {
    let pictures: Vec<usize> =
        (0..plan.slots.len()).filter(|&slot| size(&plan.slots[slot].resource).is_some()).collect();
    if let Some(name) = name {
        let found = pictures.iter().find(|&&slot| plan.slots[slot].name == name);
        return found.copied().ok_or_else(|| {
            let names: Vec<&str> = pictures.iter().map(|&slot| plan.slots[slot].name.as_str()).collect();
            Failure::usage(format!("there is no picture `{name}`; the pictures are {}", names.join(", ")))
        });
    }
    let screen = pictures.iter().find(|&&slot| matches!(plan.slots[slot].text, ArgumentText::Screen(_)));
    let written = pictures.iter().rev().find(|&&slot| {
        let read_only = matches!(
            plan.slots[slot].parameter.kind,
            ArgumentKind::Image { access: ImageAccess::ReadOnly, .. }
        );
        !read_only
    });
    screen.or(written).copied().ok_or_else(|| {
        Failure::usage(
            "there is nothing to show: give `screen:` for an image that the kernel writes, or for its buffer of `uchar4` \
             or `float4` pixels",
        )
    })
}
