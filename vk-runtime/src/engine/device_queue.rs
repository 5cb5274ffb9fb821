//! The buffer in which kernels record what they enqueue, for one launch from the host and its descendants.
//!
//! [`mod@clvk_interface::enqueue`] defines the layout. The host touches the memory only while no kernel that
//! uses it runs. Kernels' output is not trusted: a number outside its range is an error, never an address.

use crate::engine::buffer::BufferInner;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::lock;
use crate::vulkan::memory::{Heap, MemoryUse};
use clvk_interface::DeviceProfile;
use clvk_interface::enqueue::{
    EVENT_WORDS, EVENTS, Event, HEAD_WORDS, Head, RECORD_WORDS, Record, RecordKind, argument_offsets,
    first_argument,
};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// The number of the default queue, unless the user of the runtime gives it another one.
const DEFAULT_QUEUE: u32 = 1;

/// First word of the stack of free events, and of the records.
const STACK: u32 = HEAD_WORDS + EVENTS * EVENT_WORDS;
const RECORDS: u32 = (STACK + EVENTS).next_multiple_of(2);

/// Empty queues that are kept for later launches.
const KEPT: usize = 4;

/// See the module.
#[derive(Clone)]
pub(crate) struct DeviceQueue {
    pub(crate) buffer: Arc<BufferInner>,
}

/// A queue without records, and its stack of free events, the last one on top.
pub(crate) struct EmptyQueue {
    pub(crate) queue: DeviceQueue,
    pub(crate) free: Vec<u32>,
}

/// Makes queues, and keeps empty ones for later launches.
pub(crate) struct DeviceQueues {
    heap: Arc<Heap>,
    /// The first words of an empty queue.
    head: [u32; HEAD_WORDS as usize],
    kept: Mutex<Vec<EmptyQueue>>,
}

impl DeviceQueues {
    /// For a device of this profile: queues with this many bytes for what kernels enqueue.
    pub(crate) fn new(heap: &Arc<Heap>, profile: &DeviceProfile, size: u32) -> Self {
        let words = RECORDS.saturating_add((size / 8).max(64) * 2);
        DeviceQueues { heap: Arc::clone(heap), head: head(profile, words), kept: Mutex::default() }
    }

    /// A kept queue, or a new one.
    pub(crate) fn take(&self) -> Result<EmptyQueue> {
        let kept = lock(&self.kept).pop();
        match kept {
            Some(kept) => Ok(kept),
            None => Ok(EmptyQueue {
                queue: DeviceQueue::new(&self.heap, &self.head)?,
                free: DeviceQueue::all_events(),
            }),
        }
    }

    /// Keeps a queue; `taken` are the events that are not on its stack.
    pub(crate) fn keep(&self, mut empty: EmptyQueue, taken: &[u32]) -> Result<()> {
        for &event in taken {
            empty.queue.write(event_word(event, Event::References)?, &[0]);
        }
        empty.queue.give_back(empty.free.len(), taken);
        empty.free.extend(taken);
        empty.queue.set_default(DEFAULT_QUEUE);
        let mut kept = lock(&self.kept);
        if kept.len() < KEPT {
            kept.push(empty);
        }
        Ok(())
    }
}

/// What a kernel enqueued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Enqueued {
    /// The number of the command that enqueued it.
    pub(crate) parent: u32,
    /// Its event; zero if there is none.
    pub(crate) event: u32,
    /// Events to wait for.
    pub(crate) waits: Vec<u32>,
    pub(crate) action: Action,
}

/// The command to execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Launch a block.
    Launch(Block),
    /// Nothing.
    Marker,
    /// Write the times of the event to an address when it is complete.
    Profile(u64),
}

/// A block to launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Position of its kernel.
    pub(crate) kernel: u32,
    pub(crate) dimensions: u32,
    pub(crate) offset: [u64; 3],
    pub(crate) global: [u64; 3],
    /// Zeros if it was not given.
    pub(crate) local: [u64; 3],
    /// Sizes of its local arguments.
    pub(crate) locals: Vec<u32>,
    /// The values that it holds.
    pub(crate) values: Vec<u8>,
}

impl Block {
    /// The bytes of each value, by their sizes.
    pub(crate) fn arguments(&self, sizes: &[u32]) -> Result<Vec<&[u8]>> {
        let (offsets, _) = argument_offsets(sizes.iter().copied());
        let part = |(&size, offset): (&u32, u32)| {
            let end = u64::from(offset) + u64::from(size);
            self.values.get(offset as usize..end as usize).ok_or_else(damaged)
        };
        sizes.iter().zip(offsets).map(part).collect()
    }
}

fn damaged() -> Error {
    Error::DeviceQueue { reason: "its record was overwritten" }
}

impl DeviceQueue {
    /// An empty one, with these first words, which tell its size.
    fn new(heap: &Heap, head: &[u32; HEAD_WORDS as usize]) -> Result<Self> {
        let size = u64::from(head[Head::Size as usize]) * 4;
        let buffer = Arc::new(BufferInner::new(heap, "a device queue", size, MemoryUse::Arguments)?);
        let queue = DeviceQueue { buffer };
        let mut start = vec![0u32; RECORDS as usize];
        start[..HEAD_WORDS as usize].copy_from_slice(head);
        for (word, event) in start[STACK as usize..].iter_mut().zip(Self::all_events()) {
            *word = event - 1;
        }
        queue.write(0, &start);
        Ok(queue)
    }

    /// Says which queue is the default one; none for zero.
    pub(crate) fn set_default(&self, queue: u32) {
        self.write(Head::DefaultQueue as u32, &[queue]);
    }

    /// Takes the records away.
    pub(crate) fn take(&self) -> Result<Vec<Enqueued>> {
        let next = self.word(Head::Next as u32)?;
        if next == RECORDS {
            return Ok(Vec::new());
        }
        let words = self.read(RECORDS..next)?;
        self.write(Head::Next as u32, &[RECORDS]);
        let mut rest = words.as_slice();
        let mut found = Vec::new();
        while let Some(&length) = rest.get(Record::Length as usize) {
            let record = rest.get(..length as usize).filter(|record| record.len() >= RECORD_WORDS as usize);
            let record = record.ok_or_else(damaged)?;
            found.extend(read_record(record)?);
            rest = &rest[record.len()..];
        }
        Ok(found)
    }

    /// The status of an event's command: complete at 0, failed below it.
    pub(crate) fn status(&self, event: u32) -> Result<i32> {
        Ok(self.word(event_word(event, Event::Status)?)?.cast_signed())
    }

    /// Completes an event, or fails it, with the times of its command: from its start to its end, and to the
    /// end of its last descendant.
    pub(crate) fn complete(&self, event: u32, status: i32, elapsed: u64, completed: u64) -> Result<()> {
        let halves = |time: u64| [time as u32, (time >> 32) as u32];
        self.write(event_word(event, Event::Elapsed)?, &halves(elapsed));
        self.write(event_word(event, Event::Completed)?, &halves(completed));
        self.write(event_word(event, Event::Status)?, &[status.cast_unsigned()]);
        Ok(())
    }

    /// Whether kernels hold an event.
    pub(crate) fn is_held(&self, event: u32) -> Result<bool> {
        Ok(self.word(event_word(event, Event::References)?)?.cast_signed() > 0)
    }

    /// The free events at the start, the last one on top of the stack.
    fn all_events() -> Vec<u32> {
        (1..=EVENTS).rev().collect()
    }

    /// The number of free events that kernels left on the stack.
    pub(crate) fn free_events(&self) -> Result<usize> {
        Ok(self.word(Head::FreeEvents as u32)?.cast_signed().clamp(0, EVENTS as i32) as usize)
    }

    /// Puts events on the stack, on top of the `count` events that are there.
    pub(crate) fn give_back(&self, count: usize, events: &[u32]) {
        let numbers: Vec<u32> = events.iter().map(|event| event - 1).collect();
        self.write(STACK + count as u32, &numbers);
        self.write(Head::FreeEvents as u32, &[count as u32 + numbers.len() as u32]);
    }

    fn word(&self, at: u32) -> Result<u32> {
        Ok(self.read(at..at + 1)?[0])
    }

    fn read(&self, range: Range<u32>) -> Result<Vec<u32>> {
        if range.start > range.end || u64::from(range.end) * 4 > self.buffer.size {
            return Err(damaged());
        }
        let mut words = vec![0u32; range.len()];
        // SAFETY: no kernel uses the buffer now.
        unsafe { self.buffer.read_words(range.start, &mut words) };
        Ok(words)
    }

    fn write(&self, at: u32, words: &[u32]) {
        // SAFETY: no kernel uses the buffer now.
        unsafe { self.buffer.write_words(at, words) };
    }
}

fn head(profile: &DeviceProfile, words: u32) -> [u32; HEAD_WORDS as usize] {
    let mut head = [0; HEAD_WORDS as usize];
    let mut put = |word: Head, value: u32| head[word as usize] = value;
    put(Head::Next, RECORDS);
    put(Head::Size, words);
    put(Head::DefaultQueue, DEFAULT_QUEUE);
    put(Head::WorkGroupSize, profile.max_work_group_invocations);
    put(Head::PreferredMultiple, profile.subgroup_size.max(1));
    put(Head::SubGroupSize, profile.sub_group_size().max(1));
    put(Head::FreeEvents, EVENTS);
    put(Head::Events, EVENTS);
    let largest = Head::LargestX as usize;
    head[largest..largest + 3].copy_from_slice(&profile.max_work_group_size);
    head
}

fn event_word(event: u32, word: Event) -> Result<u32> {
    match event {
        1..=EVENTS => Ok(HEAD_WORDS + (event - 1) * EVENT_WORDS + word as u32),
        _ => Err(damaged()),
    }
}

/// A number of 64 bits.
fn wide(words: &[u32], at: u32) -> u64 {
    u64::from(words[at as usize]) | u64::from(words[at as usize + 1]) << 32
}

/// What a record says; it is at least as long as its head.
fn read_record(words: &[u32]) -> Result<Option<Enqueued>> {
    let word = |at: Record| words[at as usize];
    let event = word(Record::Event);
    if event > EVENTS {
        return Err(damaged());
    }
    let (waits, locals) = (word(Record::Waits), word(Record::Locals));
    let listed = words.len() as u64 - u64::from(RECORD_WORDS);
    if u64::from(waits) + u64::from(locals) > listed {
        return Err(damaged());
    }
    let lists = &words[RECORD_WORDS as usize..];
    let action = match word(Record::Kind) {
        kind if kind == RecordKind::Kernel as u32 => {
            let three = |at: Record| [0, 2, 4].map(|step| wide(words, at as u32 + step));
            let first = first_argument(waits, locals) as usize;
            let values = words.get(first..).ok_or_else(damaged)?;
            Action::Launch(Block {
                kernel: word(Record::Kernel),
                dimensions: word(Record::Dimensions),
                offset: three(Record::Offset),
                global: three(Record::Global),
                local: three(Record::Local),
                locals: lists[waits as usize..][..locals as usize].to_vec(),
                values: bytemuck::cast_slice(values).to_vec(),
            })
        }
        kind if kind == RecordKind::Marker as u32 => Action::Marker,
        kind if kind == RecordKind::Profile as u32 => Action::Profile(wide(words, Record::Offset as u32)),
        kind if kind == RecordKind::Nothing as u32 => return Ok(None),
        _ => return Err(damaged()),
    };
    let waits = lists[..waits as usize].to_vec();
    if waits.iter().any(|wait| !(1..=EVENTS).contains(wait)) {
        return Err(damaged());
    }
    Ok(Some(Enqueued { parent: word(Record::Parent), event, waits, action }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A launch of kernel 3 by command 7, of 5 × 6 work-items, waiting for event 2, with event 4, one local
    /// argument and a value of 4 bytes.
    fn record() -> Vec<u32> {
        let mut words = vec![0; RECORD_WORDS as usize];
        words[Record::Parent as usize] = 7;
        words[Record::Kernel as usize] = 3;
        words[Record::Event as usize] = 4;
        words[Record::Waits as usize] = 1;
        words[Record::Locals as usize] = 1;
        words[Record::Dimensions as usize] = 2;
        words[Record::Global as usize] = 5;
        words[Record::Global as usize + 2] = 6;
        words[Record::Local as usize + 1] = 1;
        words.extend([2, 64, 0xabcd_0123, 0]);
        words[Record::Length as usize] = words.len() as u32;
        words
    }

    #[test]
    fn a_record_is_read_as_it_is_laid_out() {
        let found = read_record(&record()).unwrap().unwrap();
        assert_eq!((found.parent, found.event, found.waits.as_slice()), (7, 4, [2].as_slice()));
        let Action::Launch(block) = found.action else { panic!("it is a launch") };
        assert_eq!((block.kernel, block.dimensions, block.global), (3, 2, [5, 6, 0]));
        assert_eq!(block.local, [1 << 32, 0, 0]);
        assert_eq!(block.locals, [64]);
        assert_eq!(block.arguments(&[4]).unwrap(), [0xabcd_0123u32.to_le_bytes()]);
        assert!(block.arguments(&[4, 4]).is_err(), "there is one value only");
    }

    #[test]
    fn damaged_records_are_errors() {
        let broken = |at: Record, value: u32| {
            let mut words = record();
            words[at as usize] = value;
            read_record(&words)
        };
        assert!(broken(Record::Event, EVENTS + 1).is_err());
        assert!(broken(Record::Waits, 1000).is_err());
        assert!(broken(Record::Waits, u32::MAX).is_err());
        assert!(broken(Record::Locals, u32::MAX).is_err());
        assert!(broken(Record::Kind, 9).is_err());
        let mut words = record();
        words[RECORD_WORDS as usize] = 0;
        assert!(read_record(&words).is_err(), "there is no event 0");
    }
}
