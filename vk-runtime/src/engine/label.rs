//! Labels of commands, and the records that the holder of the device gets of labelled commands once they are
//! done ([`RecordHandler`]). Commands without a label leave no record, and cost nothing.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

/// What a command is called in records: numbers that the caller chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) name: NonZeroU32,
    pub(crate) queue: u32,
    /// When the command was enqueued; 0 for "now", which is read where it is needed.
    pub(crate) queued: u64,
}

impl Label {
    /// Whether the same queue takes the same thing.
    pub(crate) fn is_like(&self, other: &Label) -> bool {
        (self.name, self.queue) == (other.name, other.queue)
    }
}

/// How the times of a [`Record`] were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The record's begin and end are time stamps of the device, or of the host if it did the work.
    Measured,
    /// The commands are a part of several whose time was measured as a whole, and divided.
    Divided,
    /// Nothing was measured: they have the time that commands like them take.
    Expected,
}

/// Commands of one submission that have the same label and are alike: a single one, or short ones that were
/// not timed one by one. Times are those of [`crate::host_time`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// As it was given to [`Command::set_label`](crate::Command::set_label).
    pub queue: u32,
    /// The same.
    pub name: NonZeroU32,
    /// How many commands these are.
    pub count: u32,
    /// Whether others ran between them: then they are shown one after the other, as if they had not.
    pub interleaved: bool,
    /// How the times were found.
    pub source: Source,
    /// The first one was enqueued.
    pub queued: u64,
    /// They were given to the device.
    pub submitted: u64,
    /// The first one began.
    pub started: u64,
    /// The last one ended.
    pub ended: u64,
}

/// What a handler calls.
type Function = Arc<dyn Fn(&[Record]) + Send + Sync>;

/// Is told of labelled commands that are done.
#[derive(Clone, Default)]
pub struct RecordHandler(Option<Function>);

impl RecordHandler {
    /// A handler that calls a function with some records, most often those of a submission, from a thread
    /// that uses the device. It must not use the device.
    pub fn new(function: impl Fn(&[Record]) + Send + Sync + 'static) -> Self {
        RecordHandler(Some(Arc::new(function)))
    }

    pub(crate) fn call(&self, records: &[Record]) {
        if let Some(function) = self.0.as_ref().filter(|_| !records.is_empty()) {
            function(records);
        }
    }

    /// Notes a command that the host has done.
    pub(crate) fn done_by_host(&self, label: Option<Label>, (started, ended): (u64, u64)) {
        let Some(Label { name, queue, queued }) = label else { return };
        let (count, interleaved, source) = (1, false, Source::Measured);
        let queued = if queued == 0 { started } else { queued };
        let submitted = started;
        self.call(&[Record { queue, name, count, interleaved, source, queued, submitted, started, ended }]);
    }
}

impl fmt::Debug for RecordHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecordHandler")
    }
}
