//! Tests of the engine that need a Vulkan device but no [`Device`](crate::Device): only the floor below.

mod ordering;
mod waiting;

use crate::engine::buffer::BufferInner;
use crate::engine::command::{Command, Kind};
use crate::engine::event::Event;
use crate::engine::fill::Pattern;
use crate::engine::followup::Followups;
use crate::engine::label::RecordHandler;
use crate::engine::stream::{Stream, StreamOptions};
use crate::engine::transfer::{DeviceMemory, HostMemory, Pitches, Shape, Transfer};
use crate::vulkan::instance::{Instance, InstanceOptions};
use crate::vulkan::logical_device::Purpose;
use crate::vulkan::memory::{Heap, MemoryUse};
use smallvec::smallvec;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

/// A stream of the first device found, which is closed at the end.
struct OpenStream(Arc<Stream>);

impl Deref for OpenStream {
    type Target = Arc<Stream>;

    fn deref(&self) -> &Arc<Stream> {
        &self.0
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl OpenStream {
    fn new() -> Self {
        let instance = Instance::new(&InstanceOptions::default()).expect("a Vulkan loader");
        let info = instance.default_device().expect("a device");
        let heap = Arc::new(Heap::open(&info, Purpose::Launch).expect("the device opens"));
        let options = StreamOptions {
            busy_wait: None,
            timeout: Duration::from_secs(60),
            never_timeline: false,
            records: RecordHandler::default(),
        };
        OpenStream(Stream::new(&heap, &info, &options).expect("a stream"))
    }

    /// A buffer that the host can access, so that tests can look into it.
    fn buffer(&self, size: u64) -> Arc<BufferInner> {
        let buffer = BufferInner::new(&self.heap, "a test", size, MemoryUse::Download);
        Arc::new(buffer.expect("there is memory"))
    }

    /// Records a command; returns its event.
    fn issue(&self, command: Command, waits: &[Event]) -> Event {
        let event = Event::new();
        let mut followups = Followups::default();
        self.0.issue(command, waits, Some(&event), false, &mut followups).expect("it is recorded");
        followups.run();
        event
    }

    fn fill(&self, buffer: &Arc<BufferInner>, range: std::ops::Range<u64>, word: u32) -> Command {
        let accesses = smallvec![buffer.access(range.clone(), true)];
        let (buffer, pattern) = (Arc::clone(buffer), Pattern::of_word(word));
        let kind = Kind::FillBuffer { buffer, offset: range.start, size: range.end - range.start, pattern };
        Command::new(self.heap.device(), kind, accesses)
    }

    /// Copies all of a buffer to the start of another one.
    fn copy(&self, from: &Arc<BufferInner>, to: &Arc<BufferInner>) -> Command {
        let shape = Shape::linear(from.size);
        let packed = Pitches::packed(shape);
        let (from, to) = ((Arc::clone(from), 0, packed), (Arc::clone(to), 0, packed));
        Command::copy_boxes(self.heap.device(), from, to, shape)
    }

    /// Reads the start of a buffer to memory that lives until the command is complete.
    fn read(&self, buffer: &Arc<BufferInner>, to: &mut [u8]) -> Command {
        let shape = Shape::linear(to.len() as u64);
        let pitches = Pitches::packed(shape);
        let device = DeviceMemory::Buffer { buffer: Arc::clone(buffer), offset: 0, pitches };
        let host = HostMemory { pointer: NonNull::from(to).cast(), pitches };
        let transfer = Transfer { host, device, shape };
        let accesses = smallvec![transfer.access(false)];
        Command::new(self.heap.device(), Kind::Read(transfer), accesses)
    }
}

/// The words of a buffer that no command uses any more.
fn words<const N: usize>(buffer: &BufferInner) -> [u32; N] {
    let mut words = [0; N];
    // SAFETY: the test has waited for all commands that use it.
    unsafe { buffer.read_words(0, &mut words) };
    words
}
