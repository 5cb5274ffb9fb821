//! The output of kernels' `printf`: a buffer for each launch that may print, read when the launch is done.
//!
//! [`mod@clvk_interface::print`] defines the layout of the buffer and formats its records.

use crate::engine::buffer::BufferInner;
use crate::vulkan::error::Result;
use crate::vulkan::memory::{Heap, MemoryUse};
use clvk_interface::print::{HEAD_WORDS, head, printed};
use clvk_interface::{ModuleInterface, PrintFormat};
use std::fmt;
use std::io::Write as _;
use std::sync::Arc;

/// The text that a launch printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printed<'a> {
    /// Bytes, usually UTF-8.
    pub text: &'a [u8],
    /// Calls of `printf` whose text was lost because the print buffer was full.
    pub lost: u32,
}

impl Printed<'_> {
    /// The sentence that says how much was lost, if anything was.
    #[must_use]
    pub fn loss(&self) -> Option<String> {
        let lost = self.lost;
        (lost > 0).then(|| format!("the print buffer was full; calls of printf lost: {lost}"))
    }
}

/// Receives what kernels print.
#[derive(Clone)]
pub struct PrintHandler(Arc<dyn Fn(Printed<'_>) + Send + Sync>);

impl PrintHandler {
    /// A handler that calls a function once for each launch that printed something, when the launch is done.
    /// The call comes from the thread that notices the end, which holds locks of the runtime, so the function
    /// must not use the device.
    pub fn new(function: impl Fn(Printed<'_>) + Send + Sync + 'static) -> Self {
        PrintHandler(Arc::new(function))
    }
}

impl Default for PrintHandler {
    /// Prints to the standard output; reports lost text on the standard error output.
    fn default() -> Self {
        PrintHandler::new(|printed| {
            let mut out = std::io::stdout().lock();
            if let Err(error) = out.write_all(printed.text).and_then(|()| out.flush()) {
                tracing::warn!(%error, "could not write the output of printf");
            }
            if let Some(loss) = printed.loss() {
                eprintln!("warning: {loss}");
            }
        })
    }
}

impl fmt::Debug for PrintHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrintHandler")
    }
}

/// How kernels print.
#[derive(Clone, Debug)]
pub struct PrintOptions {
    /// Bytes of the buffer of a launch.
    pub buffer_size: u32,
    /// Receives the text.
    pub handler: PrintHandler,
}

/// What the records of a program's kernels refer to.
pub(crate) struct PrintTables {
    formats: Vec<PrintFormat>,
    strings: Vec<Vec<u8>>,
}

impl PrintTables {
    pub(crate) fn of(interface: &ModuleInterface) -> Arc<Self> {
        let (formats, strings) = (interface.print_formats.clone(), interface.print_strings.clone());
        Arc::new(PrintTables { formats, strings })
    }
}

/// The print buffer of a launch. It keeps only its memory alive.
pub(crate) struct PrintBuffer {
    pub(crate) buffer: Arc<BufferInner>,
    tables: Arc<PrintTables>,
    handler: PrintHandler,
}

impl PrintBuffer {
    /// An empty one, for a launch of a program with these calls of `printf`.
    pub(crate) fn new(heap: &Heap, options: &PrintOptions, tables: &Arc<PrintTables>) -> Result<Self> {
        let words = (options.buffer_size / 4).max(HEAD_WORDS + 1);
        let buffer = BufferInner::new(heap, "a print buffer", u64::from(words) * 4, MemoryUse::Arguments)?;
        // SAFETY: nothing else uses the buffer yet.
        unsafe { buffer.write_words(0, &head(words)) };
        let (buffer, tables) = (Arc::new(buffer), Arc::clone(tables));
        Ok(PrintBuffer { buffer, tables, handler: options.handler.clone() })
    }

    /// Hands over what was printed, after the launch is done.
    pub(crate) fn finish(&self) {
        let mut head = [0u32; HEAD_WORDS as usize];
        self.read(&mut head);
        // If records were lost, the kernel asked for more words than there are.
        let mut words = vec![0u32; u64::from(head[0]).min(self.buffer.size / 4) as usize];
        self.read(&mut words);
        let (text, lost) = printed(&words, &self.tables.formats, &self.tables.strings);
        if !text.is_empty() || lost > 0 {
            (self.handler.0)(Printed { text: &text, lost });
        }
    }

    /// The first words.
    fn read(&self, words: &mut [u32]) {
        // SAFETY: the buffer's only user, the launch, is done.
        unsafe { self.buffer.read_words(0, words) };
    }
}
