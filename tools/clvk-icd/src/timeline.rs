//! `CLVK_PROFILE=FILE`: a timeline of queues, commands and compilations in Chrome's trace format, and a table
//! of kernels by time on the standard error output when the process ends.
//!
//! Queues ask for the timeline when they are made ([`get`]). Without the variable there is none, and a
//! command costs one check. With it, each command has an event, whose times are read later, many at once. The
//! device times long commands one by one, and short ones several at a time
//! ([`vk_runtime::QueueOptions::sampling`]).
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
use vk_runtime::{Compilation, Event, Profile, host_time};

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

/// Commands with estimated times that wait for the next one that was measured.
const MOST_HELD: usize = 1024;

/// See the module documentation.
pub struct Timeline {
    state: Mutex<State>,
}

struct State {
    file: BufWriter<File>,
    /// The line that is being made.
    line: Line,
    pending: Vec<Pending>,
    /// When there are that many, their times are read.
    full: usize,
    /// The numbers of the kernels.
    numbers: FxHashMap<Box<str>, u32>,
    totals: Vec<Total>,
    queues: Vec<Rows>,
    is_over: bool,
}

/// What a command is called.
#[derive(Clone, Copy)]
enum Name {
    /// A kernel by its number.
    Kernel(u32),
    Command(&'static str),
}

/// A command whose times are not known yet.
struct Pending {
    queue: u32,
    name: Name,
    event: Event,
}

/// All launches of a kernel, in nanoseconds.
struct Total {
    name: Box<str>,
    /// The name in a string of JSON.
    escaped: String,
    launches: u64,
    sum: u64,
    /// Of those that were measured, not estimated.
    measured: u64,
    least: u64,
    most: u64,
}

/// A queue's rows.
#[derive(Default)]
struct Rows {
    /// When the last command in each row ended.
    ends: Vec<u64>,
    /// The last commands, if their times are estimates: they end before the next one that was measured.
    held: Vec<(Name, Profile)>,
}

/// Rows of a queue whose commands overlap.
const ROWS: u32 = 64;

/// The number by which the file knows the host.
const HOST: u32 = 1;
/// The number by which the file knows all queues.
const QUEUES: u32 = 2;

impl Timeline {
    fn new(file: std::io::Result<File>) -> std::io::Result<Timeline> {
        let mut file = BufWriter::with_capacity(64 << 10, file?);
        let name = |process: u32, name: &str| {
            format!(
                "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{process},\"tid\":0,\"args\":{{\"name\":\"{name}\"}}}}"
            )
        };
        write!(file, "[\n{},\n{}", name(HOST, "host"), name(QUEUES, "OpenCL queues"))?;
        let (pending, totals, queues) = (Vec::new(), Vec::new(), Vec::new());
        let numbers = FxHashMap::default();
        let line = Line::default();
        let state = State { file, line, pending, full: BATCH, numbers, totals, queues, is_over: false };
        Ok(Timeline { state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Names a queue; gives its number.
    pub fn queue(&self, device: &str) -> u32 {
        let mut state = self.state();
        let number = state.queues.len() as u32;
        state.queues.push(Rows::default());
        let name = format!("queue {number} on {device}");
        state.row(number * ROWS, &name);
        number
    }

    /// A command that was enqueued, with the kernel that it launches.
    pub fn command(&self, queue: u32, kind: cl_command_type, kernel: Option<&str>, event: Event) {
        let mut state = self.state();
        let name = match kernel {
            Some(kernel) => Name::Kernel(state.number(kernel)),
            None => Name::Command(command_name(kind)),
        };
        state.pending.push(Pending { queue, name, event });
        if state.pending.len() >= state.full && !state.is_over {
            state.read(false);
        }
    }

    /// Work of the host that began at this time of [`host_time`] and ends now.
    pub fn work(&self, category: &str, name: &str, began: u64) {
        let took = host_time().saturating_sub(began);
        let mut state = self.state();
        if !state.is_over {
            state.slice(HOST, thread(), category, &escaped(name), (began, took), None);
        }
    }

    /// Ends the file; gives the table.
    fn finish(&self) -> String {
        let mut state = self.state();
        if std::mem::replace(&mut state.is_over, true) {
            return String::new();
        }
        state.read(true);
        for queue in 0..state.queues.len() as u32 {
            state.settle(queue, None);
        }
        // There is nobody left to tell if that fails.
        let _ = state.file.write_all(b"\n]\n").and_then(|()| state.file.flush());
        table(&state.totals)
    }
}

impl State {
    /// The number of a kernel.
    fn number(&mut self, kernel: &str) -> u32 {
        if let Some(&number) = self.numbers.get(kernel) {
            return number;
        }
        let number = self.totals.len() as u32;
        self.numbers.insert(kernel.into(), number);
        let (name, escaped) = (kernel.into(), escaped(kernel));
        self.totals.push(Total { name, escaped, launches: 0, sum: 0, measured: 0, least: u64::MAX, most: 0 });
        number
    }

    /// Writes the commands that are complete; at last, the device is asked. Those that failed have no times.
    fn read(&mut self, at_last: bool) {
        for pending in std::mem::take(&mut self.pending) {
            let profile = if at_last { pending.event.profile() } else { pending.event.known_profile() };
            match profile {
                Some(profile) => self.command(pending.queue, pending.name, profile),
                None if pending.event.has_failed() => {}
                None => self.pending.push(pending),
            }
        }
        // Those that are left are not asked again for each command.
        self.full = self.pending.len() + BATCH;
        let _ = self.file.flush();
    }

    fn command(&mut self, queue: u32, name: Name, profile: Profile) {
        if !profile.is_estimated {
            self.settle(queue, Some(profile.started));
            return self.write(queue, name, &profile);
        }
        let held = &mut self.queues[queue as usize].held;
        held.push((name, profile));
        if held.len() >= MOST_HELD {
            self.settle(queue, None);
        }
    }

    /// Writes the commands of a queue with estimated times, which end before the next one.
    fn settle(&mut self, queue: u32, next: Option<u64>) {
        let mut held = std::mem::take(&mut self.queues[queue as usize].held);
        end_before(next, &mut held);
        for (name, profile) in held.drain(..) {
            self.write(queue, name, &profile);
        }
        self.queues[queue as usize].held = held;
    }

    fn write(&mut self, queue: u32, name: Name, profile: &Profile) {
        let (began, took) = (profile.started, profile.ended.saturating_sub(profile.started));
        let ends = &mut self.queues[queue as usize].ends;
        let row = ends.iter().position(|&end| end <= began).unwrap_or(ends.len());
        let row = row.min(ROWS as usize - 1);
        let is_new = row == ends.len();
        if is_new {
            ends.push(0);
        }
        ends[row] = began + took;
        let thread = queue * ROWS + row as u32;
        if is_new && row > 0 {
            self.row(thread, &format!("queue {queue}, overlapping"));
        }
        match name {
            Name::Command(name) => {
                self.slice(QUEUES, thread, "command", name, (began, took), Some(profile));
            }
            Name::Kernel(number) => {
                let total = &mut self.totals[number as usize];
                total.add(took, profile.is_estimated);
                let escaped = std::mem::take(&mut total.escaped);
                self.slice(QUEUES, thread, "kernel", &escaped, (began, took), Some(profile));
                self.totals[number as usize].escaped = escaped;
            }
        }
    }

    fn slice(
        &mut self,
        process: u32,
        thread: u32,
        category: &str,
        name: &str,
        (began, took): (u64, u64),
        command: Option<&Profile>,
    ) {
        // There are many of these, and formatting is slow.
        let mut line = std::mem::take(&mut self.line);
        line.0.clear();
        line.text(",\n{\"ph\":\"X\",\"cat\":\"").text(category).text("\",\"name\":\"").text(name);
        line.text("\",\"pid\":").number(process.into()).text(",\"tid\":").number(thread.into());
        line.text(",\"ts\":").micros(began).text(",\"dur\":").micros(took).text(",\"args\":{");
        if let Some(profile) = command {
            line.text("\"queued\":").micros(profile.queued).text(",\"submitted\":").micros(profile.submitted);
            line.text(",\"waited_us\":").micros(began.saturating_sub(profile.queued));
            if profile.is_estimated {
                line.text(",\"estimated\":true");
            }
        }
        line.text("}}");
        let _ = self.file.write_all(&line.0);
        self.line = line;
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

/// Shortens estimates so that they end before the next command. They may be so late that all of them are
/// behind it; then they take no time.
fn end_before(next: Option<u64>, estimates: &mut [(Name, Profile)]) {
    let (Some(next), Some(first), Some(last)) = (next, estimates.first(), estimates.last()) else { return };
    let (first, end) = (first.1.started.min(next), last.1.ended);
    if next >= end {
        return;
    }
    let part = (next - first) as f64 / (end - first) as f64;
    let shortened = |time: u64| first + (time.saturating_sub(first) as f64 * part) as u64;
    for (_, profile) in estimates {
        profile.started = shortened(profile.started);
        profile.ended = shortened(profile.ended);
    }
}

impl Total {
    fn add(&mut self, took: u64, is_estimated: bool) {
        self.launches += 1;
        self.sum += took;
        if !is_estimated {
            self.measured += 1;
            self.least = self.least.min(took);
            self.most = self.most.max(took);
        }
    }
}

/// A line of the file.
#[derive(Default)]
struct Line(Vec<u8>);

impl Line {
    fn text(&mut self, text: &str) -> &mut Self {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    fn number(&mut self, mut number: u64) -> &mut Self {
        let mut digits = [b'0'; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] += (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.0.extend_from_slice(&digits[first..]);
        self
    }

    /// Nanoseconds as microseconds.
    fn micros(&mut self, time: u64) -> &mut Self {
        let part = (time % 1000) as u32;
        let digits = [100, 10, 1].map(|place| b'0' + (part / place % 10) as u8);
        self.number(time / 1000).text(".").0.extend_from_slice(&digits);
        self
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
fn table(totals: &[Total]) -> String {
    let mut rows: Vec<&Total> = totals.iter().filter(|total| total.launches > 0).collect();
    rows.sort_by(|a, b| b.sum.cmp(&a.sum).then(a.name.cmp(&b.name)));
    if rows.is_empty() {
        return String::new();
    }
    let all: u64 = rows.iter().map(|total| total.sum).sum();
    let millis = |time: u64| time as f64 / 1e6;
    let mut text = format!(
        "{:>6} {:>12} {:>9} {:>9} {:>12} {:>12} {:>12}  KERNEL\n",
        "PART", "ms", "LAUNCHES", "MEASURED", "MEAN ms", "LEAST ms", "MOST ms"
    );
    for total in rows {
        let part = total.sum as f64 / all.max(1) as f64 * 100.0;
        let known = |time: u64| match total.measured {
            0 => String::new(),
            _ => format!("{:.4}", millis(time)),
        };
        let _ = writeln!(
            text,
            "{part:>5.1}% {:>12.3} {:>9} {:>9} {:>12.4} {:>12} {:>12}  {}",
            millis(total.sum),
            total.launches,
            total.measured,
            millis(total.sum) / total.launches as f64,
            known(total.least),
            known(total.most),
            total.name
        );
    }
    if totals.iter().any(|total| total.measured < total.launches) {
        text.push_str(
            "Short launches were timed several at a time; LEAST and MOST are of those that were timed alone.\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_microseconds() {
        let mut line = Line::default();
        line.micros(0).text(" ").micros(1_002_003).text(" ").micros(u64::MAX);
        assert_eq!(line.0.as_slice(), b"0.000 1002.003 18446744073709551.615");
    }

    #[test]
    fn estimates_end_before_the_next_command() {
        let estimate = |started: u64, ended: u64| {
            let profile =
                Profile { queued: 0, submitted: 0, started, ended, completed: ended, is_estimated: true };
            (Name::Command("marker"), profile)
        };
        for (next, expected) in [
            (None, [(100, 200), (200, 300)]),
            (Some(300), [(100, 200), (200, 300)]),
            (Some(200), [(100, 150), (150, 200)]),
            (Some(90), [(90, 90), (90, 90)]),
        ] {
            let mut estimates = [estimate(100, 200), estimate(200, 300)];
            end_before(next, &mut estimates);
            assert_eq!(estimates.map(|(_, profile)| (profile.started, profile.ended)), expected, "{next:?}");
        }
    }
}
