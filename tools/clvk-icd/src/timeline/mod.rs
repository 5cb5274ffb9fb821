//! `CLVK_PROFILE=FILE`: a timeline of queues, commands and compilations in Chrome's trace format, and a table
//! of kernels by time on the standard error output when the process ends.
//!
//! Queues ask for the timeline when they are made ([`get`]). Without the variable there is none, and a
//! command costs one check. With it, each command has a label, and the runtime hands over a record of those
//! that are done, once for each submission ([`vk_runtime::RecordHandler`]); short launches of a kernel that
//! follow each other are one record. The thread that uses the device only appends records to a buffer.
//! Another one writes them ([`mod@file`]).
//!
//! The file is a list without its last bracket until the process ends, which viewers read too: what an
//! application that crashes did is there, except for the last half second. Its times are microseconds since
//! the start of the process.

mod file;
mod line;
mod table;

use self::file::{HOST, Slice, TraceFile};
use crate::border::at_exit;
use crate::cl::cl_command_type;
use crate::object::platform::Platform;
use std::fs::File;
use std::num::NonZeroU32;
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use vk_runtime::{Compilation, Record, RecordHandler, host_time};

/// The timeline of the process; none if nobody wants one.
pub fn get() -> Option<&'static Timeline> {
    static TIMELINE: LazyLock<Option<Timeline>> = LazyLock::new(|| {
        let path = std::env::var_os("CLVK_PROFILE").filter(|path| !path.is_empty())?;
        match Timeline::new(File::create(&path)) {
            Ok(timeline) => {
                at_exit(finish);
                Some(timeline)
            }
            Err(error) => {
                eprintln!("warning: CLVK_PROFILE has no effect: cannot write {path:?}: {error}");
                None
            }
        }
    });
    TIMELINE.as_ref()
}

/// Does work that compiles, and records how long it took.
pub fn compilation<R>(name: &str, work: impl FnOnce() -> R) -> R {
    let Some(timeline) = get() else { return work() };
    let began = host_time();
    let result = work();
    timeline.work("compilation", name, began);
    result
}

/// Records what the driver has compiled.
pub fn compiled(compilation: Compilation<'_>) {
    if let Some(timeline) = get() {
        timeline.work("compilation", &format!("pipeline of {}", compilation.kernel), compilation.began);
    }
}

/// The number of a kernel's name, if there is a timeline.
pub fn kernel(name: &str) -> Option<NonZeroU32> {
    get().map(|timeline| Name::Kernel(timeline.file().kernel(name)).label())
}

/// What devices tell the timeline, if there is one.
pub fn record_handler() -> RecordHandler {
    match get() {
        Some(timeline) => RecordHandler::new(|records| timeline.add(records)),
        None => RecordHandler::default(),
    }
}

/// Writes what is left, and the table.
fn finish() {
    if let Some(timeline) = get() {
        eprint!("{}", timeline.finish());
    }
}

/// Records that wake the thread that writes them, and records for which the thread that makes them must
/// write. They bound the memory.
const MANY: usize = 4096;
const MOST: usize = 4 * MANY;

/// How long records are gathered.
const GATHERED: Duration = Duration::from_millis(500);

/// See the module documentation.
pub struct Timeline {
    /// Locked before the buffer, so that records are written in their order.
    file: Mutex<TraceFile>,
    buffer: Mutex<Buffer>,
    changed: Condvar,
    /// The process with the thread that writes. One that was forked writes nothing.
    process: u32,
}

/// Records that are not written yet.
#[derive(Default)]
struct Buffer {
    records: Vec<Record>,
    is_over: bool,
    has_thread: bool,
}

/// What a command is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    /// A kernel by its number.
    Kernel(u32),
    Command(cl_command_type),
}

impl Name {
    /// The bit that the numbers of kernels have, and no command.
    const KERNEL: u32 = 1 << 31;

    fn label(self) -> NonZeroU32 {
        let number = match self {
            Name::Kernel(number) => number | Name::KERNEL,
            Name::Command(kind) => kind & !Name::KERNEL,
        };
        NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN)
    }

    fn of(label: NonZeroU32) -> Self {
        match label.get() {
            number if number & Name::KERNEL != 0 => Name::Kernel(number & !Name::KERNEL),
            kind => Name::Command(kind),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Timeline {
    fn new(file: std::io::Result<File>) -> std::io::Result<Timeline> {
        let file = Mutex::new(TraceFile::new(file?)?);
        let (buffer, changed) = (Mutex::default(), Condvar::new());
        Ok(Timeline { file, buffer, changed, process: std::process::id() })
    }

    fn file(&self) -> MutexGuard<'_, TraceFile> {
        lock(&self.file)
    }

    /// Names a queue of a device; gives its number.
    pub fn queue(&'static self, device: &str) -> u32 {
        self.start();
        self.file().queue(device)
    }

    /// The label of a command, with the kernel that it launches.
    pub fn label(kind: cl_command_type, kernel: Option<NonZeroU32>) -> NonZeroU32 {
        kernel.unwrap_or_else(|| Name::Command(kind).label())
    }

    /// Starts the thread that writes. Without it, the others write.
    fn start(&'static self) {
        let mut buffer = lock(&self.buffer);
        if !std::mem::replace(&mut buffer.has_thread, true) {
            let thread = std::thread::Builder::new().name("clvk timeline".to_owned());
            if let Err(error) = thread.spawn(|| self.write_all()) {
                tracing::warn!(%error, "no thread writes the timeline");
            }
        }
    }

    /// Adds records of what is done.
    fn add(&self, records: &[Record]) {
        let mut buffer = lock(&self.buffer);
        if buffer.is_over {
            return;
        }
        let before = buffer.records.len();
        buffer.records.extend_from_slice(records);
        let now = buffer.records.len();
        drop(buffer);
        if before == 0 || before < MANY && now >= MANY {
            self.changed.notify_one();
        }
        if now >= MOST {
            self.drain();
        }
    }

    /// What the thread does.
    fn write_all(&self) {
        let wait = |result: Result<_, PoisonError<_>>| result.unwrap_or_else(PoisonError::into_inner);
        loop {
            let buffer = lock(&self.buffer);
            let idle = |buffer: &mut Buffer| buffer.records.is_empty() && !buffer.is_over;
            let buffer = wait(self.changed.wait_while(buffer, idle));
            let few = |buffer: &mut Buffer| buffer.records.len() < MANY && !buffer.is_over;
            let gathered = self.changed.wait_timeout_while(buffer, GATHERED, few);
            let (buffer, _) = gathered.unwrap_or_else(PoisonError::into_inner);
            if buffer.is_over {
                return;
            }
            drop(buffer);
            self.drain();
        }
    }

    /// Writes the records so far.
    fn drain(&self) {
        let mut file = self.file();
        let mut records = file.take_spare();
        std::mem::swap(&mut records, &mut lock(&self.buffer).records);
        file.write_all(records);
    }

    /// Work of the host that began at this time of [`host_time`] and ends now.
    pub fn work(&self, category: &str, name: &str, began: u64) {
        let took = host_time().saturating_sub(began);
        let slice = Slice { process: HOST, thread: thread(), category, name, times: (began, took) };
        self.file().host_slice(&slice);
    }

    /// Ends the file; gives the table.
    fn finish(&self) -> String {
        if std::process::id() != self.process {
            return String::new();
        }
        // What nobody has waited for may be done.
        for device in Platform::get().devices().iter().filter_map(|device| device.if_open()) {
            if let Err(error) = device.catch_up() {
                tracing::debug!(%error, "the timeline lacks the last commands");
            }
        }
        lock(&self.buffer).is_over = true;
        self.changed.notify_all();
        self.drain();
        self.file().finish()
    }
}

/// A number for the calling thread.
fn thread() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static LAST: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static NUMBER: u32 = LAST.fetch_add(1, Ordering::Relaxed);
    }
    // A thread that ends has none any more.
    NUMBER.try_with(|number| *number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk_runtime::Source;

    /// A million launches, a hundred to a submission, which nobody else writes: the memory is bounded, the
    /// file is small, and the table has all of them.
    #[test]
    fn a_million_launches_take_little_memory() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let timeline = Timeline::new(file.reopen()).unwrap();
        assert_eq!(timeline.file().queue("device"), 0);
        let name = Name::Kernel(timeline.file().kernel("k")).label();
        let (mut started, mut most) = (1000, 0);
        for number in 0..1_000_000 / 100 {
            for (count, source) in [(99, Source::Measured), (1, Source::Expected)] {
                let (queued, submitted, ended) = (started - 500, started, started + u64::from(count) * 3000);
                let interleaved = number % 2 == 1;
                let record =
                    Record { queue: 0, name, count, interleaved, source, queued, submitted, started, ended };
                timeline.add(&[record]);
                started = ended;
            }
            most = most.max(lock(&timeline.buffer).records.capacity());
        }
        timeline.drain();
        let table = timeline.file().finish();
        assert!(table.contains(" 1000000    990000       0.0030       0.0030       0.0030  k"), "{table}");
        assert!(most * size_of::<Record>() <= 2 << 20, "{most} records in memory");
        assert!(file.path().metadata().unwrap().len() < 5 << 20, "{file:?}");
    }

    #[test]
    fn labels_say_what_a_command_is() {
        for name in [Name::Kernel(0), Name::Kernel(7), Name::Command(crate::cl::CL_COMMAND_MARKER)] {
            assert_eq!(Name::of(name.label()), name);
        }
    }
}
