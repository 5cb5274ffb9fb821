//! What sanitized kernels report, and what kernels measure: a buffer for each launch, read when the launch is
//! done.
//!
//! [`mod@clvk_interface::sanitize`] and [`mod@clvk_interface::measure`] define the layout of the buffer.

use crate::engine::buffer::BufferInner;
use crate::vulkan::error::Result;
use crate::vulkan::memory::{Heap, MemoryUse};
use clvk_interface::measure::{Measured, Measurements};
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

/// Receives what kernels measure.
#[derive(Clone)]
pub struct MeasureHandler(Arc<dyn Fn(Measurements<'_>) + Send + Sync>);

impl MeasureHandler {
    /// A handler that calls a function once for each launch of a kernel that measures, when the launch is
    /// done. The call comes from the thread that notices the end, which holds locks of the runtime, so the
    /// function must not use the device.
    pub fn new(function: impl Fn(Measurements<'_>) + Send + Sync + 'static) -> Self {
        MeasureHandler(Arc::new(function))
    }
}

impl Default for MeasureHandler {
    /// Drops them.
    fn default() -> Self {
        MeasureHandler::new(|_| {})
    }
}

impl fmt::Debug for MeasureHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MeasureHandler")
    }
}

/// What a report buffer holds.
#[derive(Clone)]
pub(crate) enum Content {
    /// Reports of the sanitizer, with the memory of the arguments and where its cells are.
    Sanitized(Arc<Sanitized>, ReportHandler, Vec<ArgumentMemory>, Layout),
    /// What the kernel measures, with the work-items of a sub-group.
    Measured(Arc<Measured>, MeasureHandler, u32),
}

/// The report buffer of a launch. It keeps only its memory alive.
pub(crate) struct ReportBuffer {
    pub(crate) buffer: Arc<BufferInner>,
    /// What the launch remembers of memory; all zeros before.
    pub(crate) shadow: Option<Arc<BufferInner>>,
    kernel: Box<str>,
    content: Content,
    shape: Shape,
}

impl ReportBuffer {
    /// An empty one, for a launch of this shape.
    pub(crate) fn new(heap: &Heap, kernel: &str, content: Content, shape: Shape) -> Result<Box<Self>> {
        let (words, shadow_size) = match &content {
            Content::Sanitized(sanitized, _, arguments, layout) => {
                (sanitized.head(arguments, layout), layout.bytes)
            }
            Content::Measured(measured, _, width) => (measured.head(kernel, &shape, *width), 0),
        };
        let size = size_of_val(&words[..]).max(4) as u64;
        let buffer = BufferInner::new(heap, "a report buffer", size, MemoryUse::Arguments)?;
        // SAFETY: nothing else uses the buffer yet.
        unsafe { buffer.write_words(0, &words) };
        let shadow = match shadow_size {
            0 => None,
            bytes => Some(Arc::new(BufferInner::new(heap, "shadow memory", bytes, MemoryUse::Device)?)),
        };
        Ok(Box::new(ReportBuffer { buffer: Arc::new(buffer), shadow, kernel: kernel.into(), content, shape }))
    }

    /// Hands over what was reported, after the launch is done.
    pub(crate) fn finish(&self) {
        let mut words = vec![0u32; (self.buffer.size / 4) as usize];
        // SAFETY: the buffer's only user, the launch, is done.
        unsafe { self.buffer.read_words(0, &mut words) };
        let (kernel, shape) = (&*self.kernel, self.shape);
        match &self.content {
            Content::Sanitized(sanitized, handler, ..) => {
                let found = sanitized.found(&words, &shape);
                if !found.is_empty() {
                    (handler.0)(Reports { kernel, sanitized, found: &found });
                }
            }
            Content::Measured(measured, handler, _) => {
                let measurement = &measured.read(kernel, &words, &shape);
                (handler.0)(Measurements { kernel, measured, shape, measurement });
            }
        }
    }
}
