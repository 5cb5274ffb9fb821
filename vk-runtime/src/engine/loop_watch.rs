//! Launches whose loops the driver may end early ([`clvk_interface::Quirk::LoopsEnd`]): the word in which a
//! launch reports that.

use crate::engine::buffer::BufferInner;
use crate::vulkan::error::Result;
use crate::vulkan::handle::lock;
use crate::vulkan::memory::{Heap, MemoryUse};
use std::sync::{Arc, Mutex};

/// The word of a launch whose loops were not ended.
const NOT_ENDED: u32 = 0;

/// Words that are kept for later launches.
const KEPT: usize = 64;

/// Makes words, and keeps those of launches that left them as they were: a new one costs as much as a small
/// launch.
pub(crate) struct LoopWatches {
    heap: Arc<Heap>,
    kept: Mutex<Vec<Arc<BufferInner>>>,
}

/// The word of a launch. It keeps only its memory alive.
pub(crate) struct LoopWatch {
    pub(crate) buffer: Arc<BufferInner>,
    watches: Arc<LoopWatches>,
    kernel: Box<str>,
}

impl LoopWatches {
    pub(crate) fn new(heap: &Arc<Heap>) -> Self {
        LoopWatches { heap: Arc::clone(heap), kept: Mutex::default() }
    }

    /// A word for a launch of the kernel of this name.
    pub(crate) fn take(self: &Arc<Self>, kernel: &str) -> Result<LoopWatch> {
        let kept = lock(&self.kept).pop();
        let buffer = match kept {
            Some(buffer) => buffer,
            None => Arc::new(self.new_word()?),
        };
        Ok(LoopWatch { buffer, watches: Arc::clone(self), kernel: kernel.into() })
    }

    fn new_word(&self) -> Result<BufferInner> {
        let size = size_of_val(&NOT_ENDED) as u64;
        let buffer = BufferInner::new(&self.heap, "a loop watch", size, MemoryUse::Arguments)?;
        // SAFETY: nothing else uses the buffer yet.
        unsafe { buffer.write_words(0, &[NOT_ENDED]) };
        Ok(buffer)
    }

    fn keep(&self, buffer: &Arc<BufferInner>) {
        let mut kept = lock(&self.kept);
        if kept.len() < KEPT {
            kept.push(Arc::clone(buffer));
        }
    }
}

impl LoopWatch {
    /// The kernel's name if any of its loops were ended early; to be called once, after the launch is done.
    /// The word may then be another launch's.
    pub(crate) fn ended(&self) -> Option<&str> {
        let mut word = [NOT_ENDED];
        // SAFETY: the buffer's only user, the launch, is done.
        unsafe { self.buffer.read_words(0, &mut word) };
        if word[0] == NOT_ENDED {
            self.watches.keep(&self.buffer);
            return None;
        }
        Some(&self.kernel)
    }
}
