//! A list of operations that are submitted together.
//!
//! A batch is plain data until it is submitted: dispatches are checked and their arguments encoded when they are
//! added, commands are recorded by `record`.

use crate::arguments::{self, Arg, Encoded};
use crate::buffer::{Buffer, BufferInner};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::hazard::Access;
use crate::image::ImageInner;
use crate::launch::{self, Dispatch, LaunchConfig};
use crate::print::PrintBuffer;
use crate::program::{Kernel, Pipeline};
use crate::queue::{Submission, submit_batch};
use ash::vk;
use clvk_interface::BufferLocation;
use smallvec::{SmallVec, smallvec};
use std::fmt;
use std::sync::Arc;

/// Operations to submit together: dispatches, copies and fills, in order.
pub struct Batch {
    device: Device,
    operations: Vec<Op>,
    indirect: Vec<Arc<BufferInner>>,
    timed: bool,
}

impl Batch {
    pub(crate) fn new(device: &Device) -> Self {
        Batch { device: device.clone(), operations: Vec::new(), indirect: Vec::new(), timed: true }
    }

    /// Adds a launch of a kernel.
    ///
    /// # Errors
    /// [`Error::ArgumentCount`], [`Error::Argument`], [`Error::Launch`], [`Error::OtherDevice`], or a failure to
    /// compile the pipeline. The batch is unchanged then.
    pub fn dispatch(
        &mut self,
        kernel: &Kernel,
        config: &LaunchConfig,
        arguments: &[Arg<'_>],
    ) -> Result<&mut Self> {
        self.device.check_same(kernel.device(), "the kernel")?;
        let interface = kernel.interface();
        let plan = launch::plan(interface, self.device.profile(), config)
            .map_err(|reason| Error::Launch { kernel: interface.name.clone(), reason })?;
        let mut encoded = arguments::encode(&self.device, interface, &plan, arguments, kernel.variables())?;
        let samplers = kernel.samplers().iter();
        encoded.descriptors.extend(samplers.map(|(binding, sampler)| (*binding, sampler.descriptor())));
        let pipeline = kernel.pipeline(plan.local, &encoded.locals)?;
        for buffer in &self.indirect {
            encoded.accesses.push(buffer.access(0..buffer.raw_size, true));
            encoded.buffers.push(Arc::clone(buffer));
        }
        let print_buffer = kernel.print_buffer()?;
        if let (Some(location), Some(print)) = (interface.print_buffer, &print_buffer) {
            encoded.reach(location, &print.buffer, 0..print.buffer.raw_size);
            encoded.buffers.push(Arc::clone(&print.buffer));
        }
        let accesses = std::mem::take(&mut encoded.accesses);
        let launch = Launch {
            pipeline,
            encoded,
            dispatches: plan.dispatches,
            group_offset: interface.group_offset,
            argument_buffer: interface.argument_buffer.map(|buffer| buffer.location),
            print_buffer,
        };
        self.operations.push(Op { kind: OpKind::Launch(Box::new(launch)), accesses });
        Ok(self)
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
        self.device.check_same(destination.device(), "the destination buffer")?;
        let (from, to) = (source.inner(), destination.inner());
        from.check_range("copy", source_offset, size)?;
        to.check_range("copy", destination_offset, size)?;
        let overlap = source_offset < destination_offset + size && destination_offset < source_offset + size;
        if Arc::ptr_eq(&from, &to) && overlap {
            return Err(Error::OverlappingCopy);
        }
        if size > 0 {
            self.operations.push(Op::copy(&from, source_offset, &to, destination_offset, size));
        }
        Ok(self)
    }

    /// Adds a fill of a whole buffer with a 32-bit pattern.
    ///
    /// # Errors
    /// [`Error::OtherDevice`].
    pub fn fill(&mut self, buffer: &Buffer, pattern: u32) -> Result<&mut Self> {
        self.device.check_same(buffer.device(), "the buffer")?;
        self.operations.push(Op::fill(&buffer.inner(), pattern));
        Ok(self)
    }

    /// Declares that the dispatches added from now on may read and write this buffer through addresses stored in
    /// other buffers. It is kept alive, and they run one after the other.
    ///
    /// # Errors
    /// [`Error::OtherDevice`].
    pub fn uses(&mut self, buffer: &Buffer) -> Result<&mut Self> {
        self.device.check_same(buffer.device(), "the buffer")?;
        self.indirect.push(buffer.inner());
        Ok(self)
    }

    /// Makes everything added from now on wait for everything added before, dependent or not.
    pub fn barrier(&mut self) -> &mut Self {
        self.operations.push(Op { kind: OpKind::Barrier, accesses: SmallVec::new() });
        self
    }

    /// Whether to measure the time of each dispatch; on at first.
    pub fn timed(&mut self, timed: bool) -> &mut Self {
        self.timed = timed;
        self
    }

    /// Whether nothing was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Gives the batch to the device.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`] or another failure of the device.
    pub fn submit(self) -> Result<Submission> {
        submit_batch(&self.device, self.operations, self.timed)
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Batch({} operations)", self.operations.len())
    }
}

/// An operation, with what it reads and writes.
pub(crate) struct Op {
    pub(crate) kind: OpKind,
    pub(crate) accesses: SmallVec<[Access; 8]>,
}

pub(crate) enum OpKind {
    Launch(Box<Launch>),
    Copy {
        source: Arc<BufferInner>,
        destination: Arc<BufferInner>,
        region: vk::BufferCopy,
    },
    Fill {
        buffer: Arc<BufferInner>,
        pattern: u32,
    },
    /// Brings an image into the layout that it keeps.
    PrepareImage(Arc<ImageInner>),
    BufferToImage {
        buffer: Arc<BufferInner>,
        image: Arc<ImageInner>,
        region: vk::BufferImageCopy,
    },
    ImageToBuffer {
        image: Arc<ImageInner>,
        buffer: Arc<BufferInner>,
        region: vk::BufferImageCopy,
    },
    Barrier,
}

/// A launch of a kernel: one or more dispatches.
pub(crate) struct Launch {
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) encoded: Encoded,
    pub(crate) dispatches: Vec<Dispatch>,
    /// Where the number of a dispatch's first work-group goes.
    pub(crate) group_offset: Option<u32>,
    /// How the kernel reaches the argument buffer.
    pub(crate) argument_buffer: Option<BufferLocation>,
    /// Where it prints.
    pub(crate) print_buffer: Option<PrintBuffer>,
}

impl Op {
    pub(crate) fn copy(
        source: &Arc<BufferInner>,
        source_offset: u64,
        destination: &Arc<BufferInner>,
        destination_offset: u64,
        size: u64,
    ) -> Self {
        let region =
            vk::BufferCopy::default().src_offset(source_offset).dst_offset(destination_offset).size(size);
        let accesses = smallvec![
            source.access(source_offset..source_offset + size, false),
            destination.access(destination_offset..destination_offset + size, true),
        ];
        let (source, destination) = (Arc::clone(source), Arc::clone(destination));
        Op { kind: OpKind::Copy { source, destination, region }, accesses }
    }

    pub(crate) fn fill(buffer: &Arc<BufferInner>, pattern: u32) -> Self {
        let accesses = smallvec![buffer.access(0..buffer.raw_size, true)];
        Op { kind: OpKind::Fill { buffer: Arc::clone(buffer), pattern }, accesses }
    }

    pub(crate) fn prepare_image(image: &Arc<ImageInner>) -> Self {
        Op { kind: OpKind::PrepareImage(Arc::clone(image)), accesses: smallvec![image.access(true)] }
    }

    /// Copies the start of a buffer into a part of an image.
    pub(crate) fn buffer_to_image(
        buffer: &Arc<BufferInner>,
        size: u64,
        image: &Arc<ImageInner>,
        region: vk::BufferImageCopy,
    ) -> Self {
        let accesses = smallvec![buffer.access(0..size, false), image.access(true)];
        let (buffer, image) = (Arc::clone(buffer), Arc::clone(image));
        Op { kind: OpKind::BufferToImage { buffer, image, region }, accesses }
    }

    /// Copies a part of an image to the start of a buffer.
    pub(crate) fn image_to_buffer(
        image: &Arc<ImageInner>,
        buffer: &Arc<BufferInner>,
        size: u64,
        region: vk::BufferImageCopy,
    ) -> Self {
        let accesses = smallvec![image.access(false), buffer.access(0..size, true)];
        let (buffer, image) = (Arc::clone(buffer), Arc::clone(image));
        Op { kind: OpKind::ImageToBuffer { image, buffer, region }, accesses }
    }

    /// The buffers that the operation uses.
    pub(crate) fn for_each_buffer(&self, mut visit: impl FnMut(&Arc<BufferInner>)) {
        match &self.kind {
            OpKind::Launch(launch) => {
                launch.encoded.buffers.iter().for_each(&mut visit);
                for (_, descriptor) in &launch.encoded.descriptors {
                    if let arguments::Descriptor::StorageBuffer(buffer, _) = descriptor {
                        visit(buffer);
                    }
                }
            }
            OpKind::Copy { source, destination, .. } => {
                visit(source);
                visit(destination);
            }
            OpKind::Fill { buffer, .. }
            | OpKind::BufferToImage { buffer, .. }
            | OpKind::ImageToBuffer { buffer, .. } => visit(buffer),
            OpKind::PrepareImage(_) | OpKind::Barrier => {}
        }
    }
}
