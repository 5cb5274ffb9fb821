//! Commands: what can be enqueued, checked and complete.
//!
//! A command is data. The constructors in `objects::command` check ranges and encode the arguments of
//! launches. A command keeps whatever it uses alive, and names its device by a number.

use crate::engine::buffer::BufferInner;
use crate::engine::fill::Pattern;
use crate::engine::hazard::Access;
use crate::engine::image::{ImageInner, ImageRegion};
use crate::engine::label::Label;
use crate::engine::launch::Launch;
use crate::engine::transfer::{Pitches, Shape, Transfer};
use crate::vulkan::clock::host_time;
use crate::vulkan::handle::Owned;
use crate::vulkan::logical_device::DeviceId;
use ash::vk;
use smallvec::{SmallVec, smallvec};
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Something to enqueue on a [`crate::CommandQueue`].
pub struct Command {
    pub(crate) kind: Kind,
    /// What it reads and writes; empty for launches, which keep their own list.
    accesses: SmallVec<[Access; 2]>,
    /// Its device; `None` for commands that suit any.
    pub(crate) device: Option<DeviceId>,
    /// Set if the device itself reads or writes the host's side of a pinned buffer.
    pub(crate) pinned: Option<PinnedUse>,
    /// Set if there is to be a record of it.
    pub(crate) label: Option<Label>,
}

/// What the device does with the host's side of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PinnedUse {
    Read,
    Written,
}

/// Binary semaphores of Vulkan, kept alive.
pub(crate) type Semaphores = SmallVec<[Arc<Owned<vk::Semaphore>>; 1]>;

pub(crate) enum Kind {
    Launch(Box<Launch>),
    CopyBuffer {
        source: Arc<BufferInner>,
        destination: Arc<BufferInner>,
        /// The first byte and the pitches on each side.
        from: (u64, Pitches),
        to: (u64, Pitches),
        shape: Shape,
        /// Both are buffers of the user, not staging memory.
        within: bool,
    },
    FillBuffer {
        buffer: Arc<BufferInner>,
        offset: u64,
        size: u64,
        pattern: Pattern,
    },
    CopyImage {
        source: Arc<ImageInner>,
        destination: Arc<ImageInner>,
        from: ImageRegion,
        to: ImageRegion,
    },
    FillImage {
        image: Arc<ImageInner>,
        region: ImageRegion,
        pixel: Pattern,
    },
    /// Fills the rows of a box.
    FillBox {
        buffer: Arc<BufferInner>,
        offset: u64,
        pitches: Pitches,
        shape: Shape,
        pattern: Pattern,
    },
    BufferToImage {
        buffer: Arc<BufferInner>,
        /// The first byte and the pitches in the buffer.
        from: (u64, Pitches),
        image: Arc<ImageInner>,
        region: ImageRegion,
    },
    ImageToBuffer {
        image: Arc<ImageInner>,
        region: ImageRegion,
        buffer: Arc<BufferInner>,
        /// The first byte and the pitches in the buffer.
        to: (u64, Pitches),
    },
    /// Brings a new image into the layout that it keeps.
    PrepareImage(Arc<ImageInner>),
    /// Takes buffers over from other users of Vulkan, or hands them over.
    ChangeOwner {
        buffers: SmallVec<[Arc<BufferInner>; 1]>,
        acquires: bool,
    },
    Write(Transfer),
    Read(Transfer),
    /// Does nothing, in order with everything else.
    Marker,
    /// Does nothing; what it waits for is its wait list, and the order of its queue.
    Point,
    /// A point that waits for semaphores of Vulkan.
    WaitSemaphores(Semaphores),
    /// A point that signals semaphores of Vulkan.
    SignalSemaphores(Semaphores),
    /// All later commands wait for all earlier ones.
    Barrier,
    Native(Box<dyn FnOnce() + Send>),
}

impl Kind {
    /// Whether the device may write memory that the host reads without a copy, or that others use outside of
    /// the stream.
    pub(crate) fn is_for_host(&self) -> bool {
        match self {
            Kind::Launch(launch) => launch.for_host,
            Kind::Marker | Kind::Point | Kind::Barrier => false,
            // A semaphore covers all accesses itself.
            Kind::WaitSemaphores(_) | Kind::SignalSemaphores(_) => false,
            _ => true,
        }
    }
}

impl Command {
    pub(crate) fn new(device: DeviceId, kind: Kind, accesses: SmallVec<[Access; 2]>) -> Self {
        Command { kind, accesses, device: Some(device), pinned: None, label: None }
    }

    /// Gives the command a label, which are two numbers of the caller's choice: the device's
    /// [`RecordHandler`](crate::RecordHandler) gets a record of it.
    pub fn set_label(&mut self, queue: u32, name: NonZeroU32) {
        self.label = Some(Label { name, queue, queued: 0 });
    }

    /// Notes when a labelled command was enqueued, which is recorded later.
    pub(crate) fn note_queued(&mut self) {
        if let Some(label) = &mut self.label {
            label.queued = host_time();
        }
    }

    /// What it reads and writes.
    pub(crate) fn accesses(&self) -> &[Access] {
        match &self.kind {
            Kind::Launch(launch) => &launch.encoded.accesses,
            _ => &self.accesses,
        }
    }

    /// Whether it may access any memory of the device besides.
    pub(crate) fn reaches_anything(&self) -> bool {
        matches!(&self.kind, Kind::Launch(launch) if launch.encoded.reaches_anything)
    }

    /// Copies a box between linear memories; the caller has checked the ranges.
    pub(crate) fn copy_boxes(
        device: DeviceId,
        (source, from, pitches): (Arc<BufferInner>, u64, Pitches),
        (destination, to, other): (Arc<BufferInner>, u64, Pitches),
        shape: Shape,
    ) -> Self {
        let accesses = smallvec![
            source.access(from..from + pitches.extent(shape), false),
            destination.access(to..to + other.extent(shape), true),
        ];
        let (from, to, within) = ((from, pitches), (to, other), false);
        Command::new(device, Kind::CopyBuffer { source, destination, from, to, shape, within }, accesses)
    }

    /// Brings a new image into the layout that it keeps.
    pub(crate) fn prepare_image(device: DeviceId, image: &Arc<ImageInner>) -> Self {
        Command::new(device, Kind::PrepareImage(Arc::clone(image)), smallvec![image.access(true)])
    }

    /// Copies pixels of a buffer to a part of an image; the caller has checked the ranges.
    pub(crate) fn buffer_to_image(
        device: DeviceId,
        buffer: Arc<BufferInner>,
        from: (u64, Pitches),
        image: Arc<ImageInner>,
        region: ImageRegion,
    ) -> Self {
        let end = from.0 + from.1.extent(image.shape(&region));
        let accesses = smallvec![buffer.access(from.0..end, false), image.access(true)];
        Command::new(device, Kind::BufferToImage { buffer, from, image, region }, accesses)
    }

    /// Copies a part of an image to a buffer; the caller has checked the ranges.
    pub(crate) fn image_to_buffer(
        device: DeviceId,
        image: Arc<ImageInner>,
        region: ImageRegion,
        buffer: Arc<BufferInner>,
        to: (u64, Pitches),
    ) -> Self {
        let end = to.0 + to.1.extent(image.shape(&region));
        let accesses = smallvec![image.access(false), buffer.access(to.0..end, true)];
        Command::new(device, Kind::ImageToBuffer { image, region, buffer, to }, accesses)
    }

    fn of_any_device(kind: Kind) -> Self {
        Command { kind, accesses: SmallVec::new(), device: None, pinned: None, label: None }
    }

    /// Does nothing; its event is complete when everything enqueued before it, or the wait list if there is
    /// one, is.
    #[must_use]
    pub fn marker() -> Self {
        Command::of_any_device(Kind::Marker)
    }

    /// Does nothing; in an out-of-order queue it waits for its wait list alone, even if that is empty.
    pub(crate) fn point() -> Self {
        Command::of_any_device(Kind::Point)
    }

    /// A point that waits for semaphores of Vulkan, or signals them.
    pub(crate) fn at_semaphores(device: DeviceId, semaphores: Semaphores, signals: bool) -> Self {
        let kind = if signals { Kind::SignalSemaphores } else { Kind::WaitSemaphores };
        Command::new(device, kind(semaphores), SmallVec::new())
    }

    /// A marker that everything enqueued later waits for.
    #[must_use]
    pub fn barrier() -> Self {
        Command::of_any_device(Kind::Barrier)
    }

    /// Calls a function of the host, from a thread of the runtime. It must not wait for commands of its own
    /// queue.
    #[must_use]
    pub fn native(function: impl FnOnce() + Send + 'static) -> Self {
        Command::of_any_device(Kind::Native(Box::new(function)))
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Launch(_) => "launch",
            Kind::CopyBuffer { .. } => "copy of a buffer",
            Kind::FillBuffer { .. } | Kind::FillBox { .. } => "fill of a buffer",
            Kind::CopyImage { .. } => "copy of an image",
            Kind::FillImage { .. } => "fill of an image",
            Kind::BufferToImage { .. } => "copy of a buffer to an image",
            Kind::ImageToBuffer { .. } => "copy of an image to a buffer",
            Kind::PrepareImage(_) => "preparation of an image",
            Kind::ChangeOwner { acquires: true, .. } => "acquisition of buffers",
            Kind::ChangeOwner { .. } => "release of buffers",
            Kind::Write(_) => "write",
            Kind::Read(_) => "read",
            Kind::Marker => "marker",
            Kind::Point => "point in the order of commands",
            Kind::WaitSemaphores(_) => "wait for semaphores",
            Kind::SignalSemaphores(_) => "signal of semaphores",
            Kind::Barrier => "barrier",
            Kind::Native(_) => "function of the host",
        })
    }
}
