//! Kernels that kernels enqueue (OpenCL C §6.15.19): the layout of the queue buffer, through which they tell
//! the host.
//!
//! A buffer belongs to one launch from the host and to all that comes of it. It holds words of 32 bits: a
//! head ([`Head`]), the events ([`Event`]), a stack of the numbers of free events, and the records
//! ([`Record`]) of what was enqueued since the host looked last. Kernels only add records and only take
//! events off the stack; the host takes the records away and puts events back while no kernel runs. The
//! library (`shaders/library/enqueue.cl`) writes what is said here, but for the arguments of a block, which
//! the front end stores.
//!
//! An event is the number of its entry plus one, so that zero is none. A queue is a number that the host
//! chose.

/// Words before the events.
pub const HEAD_WORDS: u32 = 16;

/// Words of an event.
pub const EVENT_WORDS: u32 = 6;

/// Words of a record before its wait list.
pub const RECORD_WORDS: u32 = 28;

/// Alignment of the values of a block in a record, in bytes; a record begins and ends at a multiple of it.
pub const ARGUMENT_ALIGNMENT: u32 = 8;

/// Bytes of the records of a queue buffer unless its user says otherwise.
pub const DEFAULT_QUEUE_SIZE: u32 = 4 << 20;

/// Events of a queue buffer.
pub const EVENTS: u32 = 4096;

/// Set in the number of a sampler that the program declares, beside its
/// [`sampler_word`](crate::sampler_word). Other samplers, and images, are the position of an argument of the
/// kernel that enqueues the block.
pub const PROGRAM_SAMPLER: u32 = 1 << 31;

/// Words of the head of a queue buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Head {
    /// The first word that no record has yet.
    Next,
    /// Words of the buffer.
    Size,
    /// The default queue; zero if there is none.
    DefaultQueue,
    /// Work-items of a work-group at most (`get_kernel_work_group_size`).
    WorkGroupSize,
    /// What `get_kernel_preferred_work_group_size_multiple` gives.
    PreferredMultiple,
    /// Work-items of a sub-group at most.
    SubGroupSize,
    /// Work-group size at most in x; y and z follow.
    LargestX,
    /// Free events on the stack.
    FreeEvents = 9,
    /// Events, free or not.
    Events,
}

/// Words of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Event {
    /// As `CL_EVENT_COMMAND_EXECUTION_STATUS`: complete at 0, an error below it.
    Status,
    /// References that kernels hold.
    References,
    /// Nanoseconds from start to end, the low word first; of the completed command.
    Elapsed,
    /// Nanoseconds from start to the end of the last command that came of it, the low word first.
    Completed = 4,
}

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum RecordKind {
    /// A block to be launched.
    Kernel,
    /// `enqueue_marker`.
    Marker,
    /// `capture_event_profiling_info` of an event that is not complete: [`Record::Event`], to the address in
    /// [`Record::Offset`].
    Profile,
    /// Nothing: it came to no event.
    Nothing,
}

/// Words of a record. Numbers of 64 bits have their low word first. After them come the events of the wait
/// list and the sizes of the local arguments, a word each, and then the values that the block holds, as
/// [`argument_offsets`] places them: pointers are addresses, images and samplers words (see
/// [`PROGRAM_SAMPLER`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Record {
    /// Words of the whole.
    Length,
    /// [`RecordKind`].
    Kind,
    /// The command whose kernel wrote it ([`KernelInterface::command_number`](crate::KernelInterface)).
    Parent,
    /// `kernel_enqueue_flags_t`.
    Flags,
    /// Position of the kernel in [`ModuleInterface::kernels`](crate::ModuleInterface).
    Kernel,
    /// The event to complete; zero if there is none.
    Event,
    /// Events of the wait list.
    Waits,
    /// Local arguments.
    Locals,
    /// Dimensions.
    Dimensions,
    /// The queue.
    Queue,
    /// Three global offsets.
    Offset,
    /// Three global sizes.
    Global = 16,
    /// Three work-group sizes; zeros if none were given.
    Local = 22,
}

/// Where the values of a block lie in a record: their byte offsets from the first, and the bytes of all, by
/// their sizes.
#[must_use]
pub fn argument_offsets(sizes: impl IntoIterator<Item = u32>) -> (Vec<u32>, u32) {
    let mut end = 0u32;
    let place = |size: u32| {
        let offset = end;
        end = end.saturating_add(size).saturating_add(ARGUMENT_ALIGNMENT - 1) / ARGUMENT_ALIGNMENT
            * ARGUMENT_ALIGNMENT;
        offset
    };
    let offsets = sizes.into_iter().map(place).collect();
    (offsets, end)
}

/// The word of a record at which the values of a block begin, counted from the record.
#[must_use]
pub fn first_argument(waits: u32, locals: u32) -> u32 {
    (RECORD_WORDS.saturating_add(waits).saturating_add(locals)).next_multiple_of(ARGUMENT_ALIGNMENT / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_aligned_as_far_as_records_are() {
        let (offsets, size) = argument_offsets([1, 8, 4, 128, 2]);
        assert_eq!(offsets, [0, 8, 16, 24, 152]);
        assert_eq!(size, 160);
        assert_eq!(first_argument(1, 0), 30);
        assert_eq!(first_argument(0, 0), 28);
    }

    #[test]
    fn the_words_fit_their_block() {
        assert!((Head::Events as u32) < HEAD_WORDS);
        assert_eq!(Event::Completed as u32 + 2, EVENT_WORDS);
        assert_eq!(Record::Local as u32 + 6, RECORD_WORDS);
        assert_eq!(Record::Offset as u32 + 6, Record::Global as u32);
    }
}
