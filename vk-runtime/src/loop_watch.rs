//! Launches whose loops the driver may end early ([`clvk_interface::Quirk::LoopsEnd`]): the words in which a launch tells.

use crate::buffer::BufferInner;
use crate::device::Device;
use crate::error::Result;
use crate::memory::MemoryUse;
use std::ptr::NonNull;
use std::sync::Arc;

/// What the words are before the launch: not ended; iterations of the loop that the kernel tries.
const WORDS: [u32; 2] = [0, 8];

/// The words of a launch. It holds nothing of the device but its memory.
pub(crate) struct LoopWatch {
    pub(crate) buffer: Arc<BufferInner>,
    kernel: Box<str>,
}

impl LoopWatch {
    /// For a launch of the kernel of this name.
    pub(crate) fn new(device: &Device, kernel: &str) -> Result<Self> {
        let size = size_of_val(&WORDS);
        let buffer = device.create_buffer("a loop watch", size as u64, MemoryUse::Arguments)?;
        // SAFETY: the buffer has the words, and nobody else has it yet.
        unsafe { place(&buffer).copy_from_nonoverlapping(NonNull::from(&WORDS).cast(), size) };
        Ok(LoopWatch { buffer, kernel: kernel.into() })
    }

    /// The kernel's name if loops of it were ended, after the launch is done.
    pub(crate) fn ended(&self) -> Option<&str> {
        let mut word = 0u32;
        // SAFETY: the buffer has the word, and its only user, the launch, is done.
        unsafe {
            place(&self.buffer).copy_to_nonoverlapping(NonNull::from(&mut word).cast(), size_of::<u32>())
        };
        (word != WORDS[0]).then_some(&self.kernel)
    }
}

fn place(buffer: &BufferInner) -> NonNull<u8> {
    buffer.pointer().expect("loop watches are of memory that the host reaches")
}
