//! `CLVK_PROFILE=FILE`: a timeline of queues, commands and compilations in Chrome's trace format, and a table
//! of kernels by time on the standard error output when the process ends.
//!
//! Queues ask for the timeline when they are made ([`get`]). Without the variable there is none, and a
//! command costs one check. With it, each command has an event, whose times are read later, many at once.
//!
//! The file is a list without its last bracket until the process ends, which viewers read too: what an
//! application that crashes did is there. Its times are microseconds since the start of the process.

use crate::border::at_exit;
use crate::cl::*;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use vk_runtime::{Compilation, Event, EventStatus, Profile, host_time};

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

/// Records what a thread of a device has compiled.
pub fn compiled_ahead(compilation: Compilation<'_>) {
    if let Some(timeline) = get() {
        timeline.work("compilation", &pipeline_of(compilation.kernel), compilation.began);
    }
}

/// What the timeline calls the compilation of a kernel by the driver.
pub fn pipeline_of(kernel: &str) -> String {
    format!("pipeline of {kernel}")
}

/// Writes what is left, and the table.
fn finish() {
    if let Some(timeline) = get() {
        eprint!("{}", timeline.finish());
    }
}

/// Commands that are kept before their times are read.
const BATCH: usize = 512;

/// See the module documentation.
pub struct Timeline {
    state: Mutex<State>,
}

struct State {
    file: BufWriter<File>,
    pending: Vec<Pending>,
    /// When there are that many, their times are read.
    full: usize,
    totals: FxHashMap<String, Total>,
    /// For each queue, when the last command in each of its rows ended.
    rows: FxHashMap<u32, Vec<u64>>,
    is_over: bool,
}

/// A command whose times are not known yet.
struct Pending {
    queue: u32,
    kind: cl_command_type,
    kernel: Option<String>,
    event: Event,
}

/// All launches of a kernel, in nanoseconds.
#[derive(Default)]
struct Total {
    launches: u64,
    sum: u64,
    least: u64,
    most: u64,
}

/// Rows of a queue whose commands overlap.
const ROWS: u32 = 64;

/// The number by which the file knows the host.
const HOST: u32 = 1;
/// The number by which the file knows all queues.
const QUEUES: u32 = 2;

impl Timeline {
    fn new(file: std::io::Result<File>) -> std::io::Result<Timeline> {
        let mut file = BufWriter::new(file?);
        let name = |process: u32, name: &str| {
            format!(
                "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{process},\"tid\":0,\"args\":{{\"name\":\"{name}\"}}}}"
            )
        };
        write!(file, "[\n{},\n{}", name(HOST, "host"), name(QUEUES, "OpenCL queues"))?;
        let (pending, totals, rows) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        Ok(Timeline { state: Mutex::new(State { file, pending, full: BATCH, totals, rows, is_over: false }) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Names a queue; gives its number.
    pub fn queue(&self, device: &str) -> u32 {
        let mut state = self.state();
        let number = state.rows.len() as u32;
        state.rows.insert(number, Vec::new());
        let name = format!("queue {number} on {device}");
        state.row(number * ROWS, &name);
        number
    }

    /// A command that was enqueued, with the kernel that it launches.
    pub fn command(&self, queue: u32, kind: cl_command_type, kernel: Option<String>, event: Event) {
        let mut state = self.state();
        state.pending.push(Pending { queue, kind, kernel, event });
        if state.pending.len() >= state.full && !state.is_over {
            state.read();
        }
    }

    /// Work of the host that began at this time of [`host_time`] and ends now.
    pub fn work(&self, category: &str, name: &str, began: u64) {
        let took = host_time().saturating_sub(began);
        let mut state = self.state();
        if !state.is_over {
            state.slice(HOST, thread(), category, name, (began, took), "");
        }
    }

    /// Ends the file; gives the table.
    fn finish(&self) -> String {
        let mut state = self.state();
        if std::mem::replace(&mut state.is_over, true) {
            return String::new();
        }
        state.read();
        // There is nobody left to tell if that fails.
        let _ = state.file.write_all(b"\n]\n").and_then(|()| state.file.flush());
        table(&state.totals)
    }
}

impl State {
    /// Writes the commands that are complete. Those that failed have no times.
    fn read(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            match pending.event.profile() {
                Some(profile) => self.command(&pending, &profile),
                None if matches!(pending.event.status(), EventStatus::Failed(_)) => {}
                None => self.pending.push(pending),
            }
        }
        // Those that are left are not asked again for each command.
        self.full = self.pending.len() + BATCH;
        let _ = self.file.flush();
    }

    fn command(&mut self, pending: &Pending, profile: &Profile) {
        let (began, took) = (profile.started, profile.ended.saturating_sub(profile.started));
        let name = match &pending.kernel {
            Some(kernel) => kernel.as_str(),
            None => command_name(pending.kind),
        };
        if let Some(kernel) = &pending.kernel {
            let total = self.totals.entry(kernel.clone()).or_default();
            total.least = if total.launches == 0 { took } else { total.least.min(took) };
            total.most = total.most.max(took);
            total.launches += 1;
            total.sum += took;
        }
        let rows = self.rows.entry(pending.queue).or_default();
        let row = rows.iter().position(|&end| end <= began).unwrap_or(rows.len());
        let row = row.min(ROWS as usize - 1);
        let is_new = row == rows.len();
        if is_new {
            rows.push(0);
        }
        rows[row] = began + took;
        let thread = pending.queue * ROWS + row as u32;
        if is_new && row > 0 {
            self.row(thread, &format!("queue {}, overlapping", pending.queue));
        }
        let micros = |time: u64| time as f64 / 1e3;
        let arguments = format!(
            "\"queued\":{:.3},\"submitted\":{:.3},\"waited_us\":{:.3}",
            micros(profile.queued),
            micros(profile.submitted),
            micros(began.saturating_sub(profile.queued))
        );
        let category = if pending.kernel.is_some() { "kernel" } else { "command" };
        self.slice(QUEUES, thread, category, name, (began, took), &arguments);
    }

    fn slice(
        &mut self,
        process: u32,
        thread: u32,
        category: &str,
        name: &str,
        (began, took): (u64, u64),
        arguments: &str,
    ) {
        let _ = write!(
            self.file,
            ",\n{{\"ph\":\"X\",\"cat\":\"{category}\",\"name\":\"{}\",\"pid\":{process},\"tid\":{thread},\
             \"ts\":{:.3},\"dur\":{:.3},\"args\":{{{arguments}}}}}",
            escaped(name),
            began as f64 / 1e3,
            took as f64 / 1e3
        );
    }

    fn row(&mut self, thread: u32, name: &str) {
        let _ = write!(
            self.file,
            ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{QUEUES},\"tid\":{thread},\
             \"args\":{{\"name\":\"{}\"}}}}",
            escaped(name)
        );
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

/// A text in a string of JSON.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\\' => escaped.extend(['\\', character]),
            character if character < ' ' => {
                let _ = write!(escaped, "\\u{:04x}", character as u32);
            }
            character => escaped.push(character),
        }
    }
    escaped
}

/// What a command is called, after its `CL_COMMAND_` name.
fn command_name(kind: cl_command_type) -> &'static str {
    match kind {
        CL_COMMAND_NDRANGE_KERNEL | CL_COMMAND_TASK => "launch",
        CL_COMMAND_NATIVE_KERNEL => "native kernel",
        CL_COMMAND_READ_BUFFER | CL_COMMAND_READ_BUFFER_RECT => "read buffer",
        CL_COMMAND_WRITE_BUFFER | CL_COMMAND_WRITE_BUFFER_RECT => "write buffer",
        CL_COMMAND_COPY_BUFFER | CL_COMMAND_COPY_BUFFER_RECT => "copy buffer",
        CL_COMMAND_FILL_BUFFER => "fill buffer",
        CL_COMMAND_READ_IMAGE => "read image",
        CL_COMMAND_WRITE_IMAGE => "write image",
        CL_COMMAND_COPY_IMAGE => "copy image",
        CL_COMMAND_FILL_IMAGE => "fill image",
        CL_COMMAND_COPY_IMAGE_TO_BUFFER => "copy image to buffer",
        CL_COMMAND_COPY_BUFFER_TO_IMAGE => "copy buffer to image",
        CL_COMMAND_MAP_BUFFER => "map buffer",
        CL_COMMAND_MAP_IMAGE => "map image",
        CL_COMMAND_UNMAP_MEM_OBJECT => "unmap",
        CL_COMMAND_MARKER => "marker",
        CL_COMMAND_BARRIER => "barrier",
        CL_COMMAND_MIGRATE_MEM_OBJECTS => "migrate",
        CL_COMMAND_SVM_MEMCPY => "copy shared memory",
        CL_COMMAND_SVM_MEMFILL => "fill shared memory",
        CL_COMMAND_SVM_MAP => "map shared memory",
        CL_COMMAND_SVM_UNMAP => "unmap shared memory",
        CL_COMMAND_SVM_FREE => "free shared memory",
        _ => "command",
    }
}

/// The kernels by time.
fn table(totals: &FxHashMap<String, Total>) -> String {
    let mut rows: Vec<(&String, &Total)> = totals.iter().collect();
    rows.sort_by(|(a, x), (b, y)| y.sum.cmp(&x.sum).then(a.cmp(b)));
    if rows.is_empty() {
        return String::new();
    }
    let all: u64 = rows.iter().map(|(_, total)| total.sum).sum();
    let millis = |time: u64| time as f64 / 1e6;
    let mut text = format!(
        "{:>6} {:>12} {:>9} {:>12} {:>12} {:>12}  KERNEL\n",
        "PART", "ms", "LAUNCHES", "MEAN ms", "LEAST ms", "MOST ms"
    );
    for (name, total) in rows {
        let part = total.sum as f64 / all.max(1) as f64 * 100.0;
        let _ = writeln!(
            text,
            "{part:>5.1}% {:>12.3} {:>9} {:>12.4} {:>12.4} {:>12.4}  {name}",
            millis(total.sum),
            total.launches,
            millis(total.sum) / total.launches.max(1) as f64,
            millis(total.least),
            millis(total.most)
        );
    }
    text
}
