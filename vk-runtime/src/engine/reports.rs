//! What sanitized kernels report: a buffer for each launch, read when the launch is done.
//!
//! [`mod@clvk_interface::sanitize`] defines the layout of the buffer.

use crate::engine::buffer::BufferInner;
use crate::vulkan::error::Result;
use crate::vulkan::memory::{Heap, MemoryUse};
use clvk_interface::sanitize::{ArgumentMemory, Layout, Reports, Sanitized, Shape};
use std::fmt;
use std::sync::Arc;

/// Receives what sanitized kernels report.
#[derive(Clone)]
pub struct ReportHandler(Arc<dyn Fn(Reports<'_>) + Send + Sync>);

impl ReportHandler {
    /// A handler that calls a function once for each launch that reported something, when the launch is done.
    /// The call comes from the thread that notices the end, which holds locks of the runtime, so the function
    /// must not use the device.
    pub fn new(function: impl Fn(Reports<'_>) + Send + Sync + 'static) -> Self {
        ReportHandler(Arc::new(function))
    }
}

impl Default for ReportHandler {
    /// Writes a line for each report to the standard error output, without places in sources.
    fn default() -> Self {
        ReportHandler::new(|reports| {
            for found in reports.found {
                if let Some(check) = reports.sanitized.checks.get(found.check as usize) {
                    let problem = check.checked.problem(reports.sanitized, found);
                    eprintln!("error: kernel `{}`: {problem} [{}]", reports.kernel, check.checked.kind());
                }
            }
        })
    }
}

impl fmt::Debug for ReportHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReportHandler")
    }
}

/// The report buffer of a launch. It keeps only its memory alive.
pub(crate) struct ReportBuffer {
    pub(crate) buffer: Arc<BufferInner>,
    /// What the launch remembers of memory; all zeros before.
    pub(crate) shadow: Option<Arc<BufferInner>>,
    kernel: Box<str>,
    sanitized: Arc<Sanitized>,
    shape: Shape,
    handler: ReportHandler,
}

impl ReportBuffer {
    /// An empty one, for a launch of this shape of a kernel with arguments with this memory, and where their
    /// cells are.
    pub(crate) fn new(
        heap: &Heap,
        kernel: &str,
        sanitized: &Arc<Sanitized>,
        handler: &ReportHandler,
        shape: Shape,
        (arguments, layout): (&[ArgumentMemory], &Layout),
    ) -> Result<Box<Self>> {
        let words = sanitized.head(arguments, layout);
        let size = size_of_val(&words[..]).max(4) as u64;
        let buffer = BufferInner::new(heap, "a report buffer", size, MemoryUse::Arguments)?;
        // SAFETY: nothing else uses the buffer yet.
        unsafe { buffer.write_words(0, &words) };
        let shadow = match layout.bytes {
            0 => None,
            bytes => Some(Arc::new(BufferInner::new(heap, "shadow memory", bytes, MemoryUse::Device)?)),
        };
        let (sanitized, handler) = (Arc::clone(sanitized), handler.clone());
        Ok(Box::new(ReportBuffer {
            buffer: Arc::new(buffer),
            shadow,
            kernel: kernel.into(),
            sanitized,
            shape,
            handler,
        }))
    }

    /// Hands over what was reported, after the launch is done.
    pub(crate) fn finish(&self) {
        let mut words = vec![0u32; (self.buffer.size / 4) as usize];
        // SAFETY: the buffer's only user, the launch, is done.
        unsafe { self.buffer.read_words(0, &mut words) };
        let found = self.sanitized.found(&words, &self.shape);
        if !found.is_empty() {
            let (kernel, sanitized) = (&*self.kernel, &*self.sanitized);
            (self.handler.0)(Reports { kernel, sanitized, found: &found });
        }
    }
}
