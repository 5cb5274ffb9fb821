//! Launches whose loops the driver may end early ([`clvk_interface::Quirk::LoopsEnd`]): the words in which a
//! launch reports that.

use crate::engine::buffer::BufferInner;
use crate::vulkan::error::Result;
use crate::vulkan::memory::{Heap, MemoryUse};
use std::sync::Arc;

/// The words before the launch: 0 for "not ended", and the iterations of the kernel's test loop.
const WORDS: [u32; 2] = [0, 8];

/// The words of a launch. It keeps only their memory alive.
pub(crate) struct LoopWatch {
    pub(crate) buffer: Arc<BufferInner>,
    kernel: Box<str>,
}

impl LoopWatch {
    /// For a launch of the kernel of this name.
    pub(crate) fn new(heap: &Heap, kernel: &str) -> Result<Self> {
        let size = size_of_val(&WORDS) as u64;
        let buffer = BufferInner::new(heap, "a loop watch", size, MemoryUse::Arguments)?;
        // SAFETY: nothing else uses the buffer yet.
        unsafe { buffer.write_words(0, &WORDS) };
        Ok(LoopWatch { buffer: Arc::new(buffer), kernel: kernel.into() })
    }

    /// The kernel's name if any of its loops were ended early; to be called after the launch is done.
    pub(crate) fn ended(&self) -> Option<&str> {
        let mut first = [0];
        // SAFETY: the buffer's only user, the launch, is done.
        unsafe { self.buffer.read_words(0, &mut first) };
        (first[0] != WORDS[0]).then_some(&self.kernel)
    }
}
