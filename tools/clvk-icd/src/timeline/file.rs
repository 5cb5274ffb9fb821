//! The file: slices in rows, written by whoever has the records.

use super::Name;
use super::line::{Line, escaped};
use super::table::{Total, table};
use crate::cl::*;
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use vk_runtime::{Record, Source};

/// Records with expected times that wait for the next one that was measured.
const MOST_HELD: usize = 1024;

/// Nanoseconds below which commands are short, and below which they follow each other closely. Then those of
/// a kind are one slice, because making a line for each takes a good part of the time of the command.
const SHORT: u64 = 10_000;
const CLOSE: u64 = 4000;

/// Nanoseconds that such a slice takes at most, so that it is clear when it was.
const MOST_CLOSE: u64 = 400_000;

/// Rows of a queue whose commands overlap.
const ROWS: u32 = 64;

/// The number by which the file knows the host.
pub const HOST: u32 = 1;
/// The number by which the file knows all queues.
const QUEUES: u32 = 2;

/// See the module.
pub struct TraceFile {
    file: BufWriter<File>,
    /// The line that is being made.
    line: Line,
    /// The numbers of the kernels.
    numbers: FxHashMap<Box<str>, u32>,
    kernels: Vec<Kernel>,
    queues: Vec<Rows>,
    /// An empty buffer.
    spare: Vec<Record>,
    is_over: bool,
}

/// A kernel, with its name in a string of JSON.
struct Kernel {
    escaped: Box<str>,
    total: Total,
}

/// A queue's rows.
#[derive(Default)]
struct Rows {
    /// When the last command in each row ended.
    ends: Vec<u64>,
    /// The last records, if their times are expectations: they end before the next one that was measured.
    held: Vec<Record>,
    /// Short records that follow each other closely, not written yet, with the time that each took.
    close: Vec<(Record, u64)>,
    /// When the last of these ended, and its place among them.
    end: u64,
    newest: usize,
}

impl Rows {
    /// Adds a short record to those that are not written yet, to one of its kind if there is any.
    fn join(&mut self, record: &Record, took: u64) {
        let is_alike = |other: &Record| (other.name, other.source) == (record.name, record.source);
        let Some(position) = self.close.iter().rposition(|(other, _)| is_alike(other)) else {
            self.newest = self.close.len();
            return self.close.push((*record, took));
        };
        let other_between = std::mem::replace(&mut self.newest, position) != position;
        let (other, sum) = &mut self.close[position];
        *sum += took;
        other.count += record.count;
        other.interleaved |= record.interleaved || other_between;
    }
}

/// Something that took time.
pub struct Slice<'a> {
    /// The group of rows in which it is drawn.
    pub process: u32,
    /// The row.
    pub thread: u32,
    /// What kind of thing it is.
    pub category: &'a str,
    /// What it is called.
    pub name: &'a str,
    /// When it began, and how long it took.
    pub times: (u64, u64),
}

impl TraceFile {
    /// Begins the file.
    pub fn new(file: File) -> std::io::Result<Self> {
        let mut file = BufWriter::with_capacity(64 << 10, file);
        let name = |process: u32, name: &str| {
            format!(
                "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{process},\"tid\":0,\"args\":{{\"name\":\"{name}\"}}}}"
            )
        };
        write!(file, "[\n{},\n{}", name(HOST, "host"), name(QUEUES, "OpenCL queues"))?;
        let (kernels, queues, spare) = (Vec::new(), Vec::new(), Vec::new());
        let (numbers, line) = (FxHashMap::default(), Line::default());
        Ok(TraceFile { file, line, numbers, kernels, queues, spare, is_over: false })
    }

    /// Names a queue; gives its number.
    pub fn queue(&mut self, device: &str) -> u32 {
        let number = self.queues.len() as u32;
        self.queues.push(Rows::default());
        self.row(number * ROWS, &format!("queue {number} on {device}"));
        number
    }

    /// The number of a kernel.
    pub fn kernel(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.kernels.len() as u32;
        self.numbers.insert(name.into(), number);
        self.kernels.push(Kernel { escaped: escaped(name).into(), total: Total::new(name) });
        number
    }

    /// An empty buffer for records.
    pub fn take_spare(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.spare)
    }

    /// Writes records, and keeps their buffer.
    pub fn write_all(&mut self, mut records: Vec<Record>) {
        for record in records.drain(..) {
            if !self.is_over {
                self.hold(record);
            }
        }
        let _ = self.file.flush();
        self.spare = records;
    }

    /// Ends the file; gives the table.
    pub fn finish(&mut self) -> String {
        if self.is_over {
            return String::new();
        }
        for queue in 0..self.queues.len() {
            self.settle(queue, None);
            self.write_close(queue);
        }
        self.is_over = true;
        // There is nobody left to tell if that fails.
        let _ = self.file.write_all(b"\n]\n").and_then(|()| self.file.flush());
        table(self.kernels.iter().map(|kernel| &kernel.total))
    }

    /// Writes what the host has done.
    pub fn host_slice(&mut self, slice: &Slice<'_>) {
        if !self.is_over {
            let slice = Slice { name: &escaped(slice.name), ..*slice };
            self.slice(&slice, None);
        }
    }

    fn hold(&mut self, record: Record) {
        let queue = record.queue as usize;
        if record.source != Source::Expected {
            self.settle(queue, Some(record.started));
            return self.count(&record);
        }
        self.queues[queue].held.push(record);
        if self.queues[queue].held.len() >= MOST_HELD {
            self.settle(queue, None);
        }
    }

    /// Writes the records of a queue with expected times, which end before the next one.
    fn settle(&mut self, queue: usize, next: Option<u64>) {
        let mut held = std::mem::take(&mut self.queues[queue].held);
        end_before(next, &mut held);
        held.drain(..).for_each(|record| self.count(&record));
        self.queues[queue].held = held;
    }

    /// Counts a record, and writes it, unless it is to be one slice with others.
    fn count(&mut self, record: &Record) {
        if let Name::Kernel(number) = Name::of(record.name) {
            self.kernels[number as usize].total.add(record);
        }
        let took = record.ended.saturating_sub(record.started);
        let is_short = took / u64::from(record.count.max(1)) < SHORT;
        let rows = &mut self.queues[record.queue as usize];
        let first = rows.close.first().map_or(record.started, |(first, _)| first.started);
        let is_close = record.started >= first && record.started < rows.end.saturating_add(CLOSE);
        if !is_short || !is_close || record.ended.saturating_sub(first) > MOST_CLOSE {
            self.write_close(record.queue as usize);
        }
        if !is_short {
            return self.write(record);
        }
        let rows = &mut self.queues[record.queue as usize];
        rows.end = record.ended;
        rows.join(record, took);
    }

    /// Writes the short records of a queue, one after the other.
    fn write_close(&mut self, queue: usize) {
        let mut close = std::mem::take(&mut self.queues[queue].close);
        let mut time = 0;
        for (mut record, took) in close.drain(..) {
            record.started = record.started.max(time);
            record.ended = record.started + took;
            time = record.ended;
            self.write(&record);
        }
        self.queues[queue].close = close;
    }

    fn write(&mut self, record: &Record) {
        let times = (record.started, record.ended.saturating_sub(record.started));
        let thread = self.thread_of(record);
        let slice = |category, name| Slice { process: QUEUES, thread, category, name, times };
        match Name::of(record.name) {
            Name::Command(kind) => self.slice(&slice("command", command_name(kind)), Some(record)),
            Name::Kernel(number) => {
                let escaped = std::mem::take(&mut self.kernels[number as usize].escaped);
                self.slice(&slice("kernel", &escaped), Some(record));
                self.kernels[number as usize].escaped = escaped;
            }
        }
    }

    /// The first of the queue's rows that is free.
    fn thread_of(&mut self, record: &Record) -> u32 {
        let ends = &mut self.queues[record.queue as usize].ends;
        let row = ends.iter().position(|&end| end <= record.started).unwrap_or(ends.len());
        let row = row.min(ROWS as usize - 1);
        let is_new = row == ends.len();
        if is_new {
            ends.push(0);
        }
        ends[row] = record.ended;
        let thread = record.queue * ROWS + row as u32;
        if is_new && row > 0 {
            self.row(thread, &format!("queue {}, overlapping", record.queue));
        }
        thread
    }

    fn slice(&mut self, slice: &Slice<'_>, record: Option<&Record>) {
        let Slice { process, thread, category, name, times: (began, took) } = *slice;
        let mut line = std::mem::take(&mut self.line);
        line.0.clear();
        line.text(",\n{\"ph\":\"X\",\"cat\":\"").text(category).text("\",\"name\":\"").text(name);
        let count = record.map_or(1, |record| u64::from(record.count));
        if count > 1 {
            line.text(" \u{d7}").number(count);
        }
        line.text("\",\"pid\":").number(process.into()).text(",\"tid\":").number(thread.into());
        line.text(",\"ts\":").micros(began).text(",\"dur\":").micros(took).text(",\"args\":{");
        if let Some(record) = record {
            line.text("\"queued\":").micros(record.queued);
            line.text(",\"submitted\":").micros(record.submitted.max(record.queued));
            line.text(",\"waited_us\":").micros(began.saturating_sub(record.queued));
            if count > 1 {
                line.text(",\"count\":").number(count).text(",\"mean_us\":").micros(took / count);
            }
            if record.source != Source::Measured {
                line.text(",\"estimated\":true");
            }
            if record.interleaved {
                line.text(",\"interleaved\":true");
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

/// Shortens expected times so that they end before the next command. They may be so late that all of them are
/// behind it; then they take no time.
fn end_before(next: Option<u64>, expected: &mut [Record]) {
    let (Some(next), Some(first), Some(last)) = (next, expected.first(), expected.last()) else { return };
    let (first, end) = (first.started.min(next), last.ended);
    if next >= end {
        return;
    }
    let part = (next - first) as f64 / (end - first) as f64;
    let shortened = |time: u64| first + (time.saturating_sub(first) as f64 * part) as u64;
    for record in expected {
        // None began before the device had it.
        let earliest = record.submitted.max(record.queued).min(next);
        record.started = shortened(record.started).max(earliest);
        record.ended = shortened(record.ended).max(record.started);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: cl_command_type, (started, ended): (u64, u64), source: Source) -> Record {
        let (queue, name, count, interleaved) = (0, Name::Command(kind).label(), 1, false);
        let (queued, submitted) = (started.min(1), started);
        Record { queue, name, count, interleaved, source, queued, submitted, started, ended }
    }

    /// The lines of a file with these records, without those that name rows.
    fn lines(records: Vec<Record>) -> Vec<String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut trace = TraceFile::new(file.reopen().unwrap()).unwrap();
        trace.queue("a device");
        trace.write_all(records);
        assert_eq!(trace.finish(), "", "no kernels");
        let text = std::fs::read_to_string(file.path()).unwrap();
        let place = |line: &str| {
            let from = line.find("\"name\":").unwrap();
            line[from..].trim_end_matches(',').replace("\"pid\":2,\"tid\":0,", "")
        };
        text.lines().filter(|line| line.contains("\"X\"")).map(place).collect()
    }

    #[test]
    fn short_commands_that_follow_each_other_are_one_slice() {
        let (write, read) = (CL_COMMAND_WRITE_BUFFER, CL_COMMAND_READ_BUFFER);
        let done = |kind, times| record(kind, times, Source::Measured);
        let records = vec![
            done(write, (1000, 1400)),
            done(read, (1500, 1700)),
            done(write, (2000, 2600)),
            done(read, (2700, 3000)),
            // There is a gap, and then a long one.
            done(write, (9000, 9100)),
            done(read, (10_000, 30_000)),
        ];
        let slice = |name: &str, times: &str| format!("\"name\":\"{name}\",{times}}}}}");
        let wanted = [
            slice(
                "write buffer \u{d7}2",
                "\"ts\":1.000,\"dur\":1.000,\"args\":{\"queued\":0.001,\"submitted\":1.000,\"waited_us\":0.999,\
                 \"count\":2,\"mean_us\":0.500,\"interleaved\":true",
            ),
            slice(
                "read buffer \u{d7}2",
                "\"ts\":2.000,\"dur\":0.500,\"args\":{\"queued\":0.001,\"submitted\":1.500,\"waited_us\":1.999,\
                 \"count\":2,\"mean_us\":0.250,\"interleaved\":true",
            ),
            slice(
                "write buffer",
                "\"ts\":9.000,\"dur\":0.100,\"args\":{\"queued\":0.001,\"submitted\":9.000,\"waited_us\":8.999",
            ),
            slice(
                "read buffer",
                "\"ts\":10.000,\"dur\":20.000,\"args\":{\"queued\":0.001,\"submitted\":10.000,\"waited_us\":9.999",
            ),
        ];
        assert_eq!(lines(records), wanted);
    }

    #[test]
    fn expected_times_end_before_the_next_command() {
        // Both were submitted together, or the second one later.
        for (submitted, next, wanted) in [
            ([100, 100], None, [(100, 200), (200, 300)]),
            ([100, 100], Some(300), [(100, 200), (200, 300)]),
            ([100, 100], Some(200), [(100, 150), (150, 200)]),
            ([100, 100], Some(90), [(90, 90), (90, 90)]),
            ([100, 180], Some(200), [(100, 150), (180, 200)]),
            ([100, 200], Some(190), [(100, 145), (190, 190)]),
        ] {
            let mut records =
                [(100, 200), (200, 300)].map(|times| record(CL_COMMAND_MARKER, times, Source::Expected));
            records.iter_mut().zip(submitted).for_each(|(record, submitted)| record.submitted = submitted);
            end_before(next, &mut records);
            let times = records.map(|record| (record.started, record.ended));
            assert_eq!(times, wanted, "{submitted:?} {next:?}");
        }
    }
}
