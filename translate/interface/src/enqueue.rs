//! Kernels that kernels enqueue (OpenCL C §6.15.19): the layout of the queue buffer, through which they
//! report to the host.
//!
//! A buffer belongs to one launch from the host and to all launches that follow from it. It holds 32-bit
//! words: a head ([`Head`]), the events ([`Event`]), a stack of the numbers of free events, and the records
//! ([`Record`]) of what was enqueued since the host looked last. Kernels only add records and only take
//! events off the stack. The host removes records and returns events while no kernel runs. The library
//! (`shaders/library/enqueue.cl`) writes all of this except the arguments of a block, which code from the
//! front end stores.
//!
//! An event is the number of its entry plus one, so zero means "none". A queue is a number that the host
//! chose.

/// Words before the events.
pub const HEAD_WORDS: u32 = 16;

/// Words of an event.
pub const EVENT_WORDS: u32 = 6;

/// Words of a record before its wait list.
pub const RECORD_WORDS: u32 = 28;

/// Alignment in bytes of a block's values in a record; a record begins and ends at a multiple of it.
pub(crate) const ARGUMENT_ALIGNMENT: u32 = 8;

/// Default size in bytes of a queue buffer's records.
pub const DEFAULT_QUEUE_SIZE: u32 = 4 << 20;

/// Number of events in a queue buffer.
pub const EVENTS: u32 = 4096;

/// Set in the number of a sampler that the program declares, beside its
/// [`sampler_word`](crate::sampler_word). Other samplers, and images, are given by the position of an
/// argument of the kernel that enqueues the block.
pub const PROGRAM_SAMPLER: u32 = 1 << 31;

/// Words of the head of a queue buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Head {
    /// The first word that does not belong to a record yet.
    Next,
    /// Size of the buffer in words.
    Size,
    /// The default queue; zero if there is none.
    DefaultQueue,
    /// The largest number of work-items in a work-group (`get_kernel_work_group_size`).
    WorkGroupSize,
    /// The result of `get_kernel_preferred_work_group_size_multiple`.
    PreferredMultiple,
    /// The largest number of work-items in a sub-group.
    SubGroupSize,
    /// The largest work-group size in x; y and z follow.
    LargestX,
    /// Number of free events on the stack.
    FreeEvents = 9,
    /// Number of events, free or not.
    Events,
}

/// Words of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Event {
    /// As `CL_EVENT_COMMAND_EXECUTION_STATUS`: 0 if complete, negative for an error.
    Status,
    /// Number of references that kernels hold.
    References,
    /// Nanoseconds from start to end of the completed command, low word first.
    Elapsed,
    /// Nanoseconds from start to the end of the last command that followed from it, low word first.
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
    /// `capture_event_profiling_info` of an event that is not complete: the event is [`Record::Event`], the
    /// address to write to is in [`Record::Offset`].
    Profile,
    /// Nothing to do: no event was left for it.
    Nothing,
}

/// Words of a record. 64-bit numbers have their low word first. The record continues with the events of the
/// wait list and the sizes of the local arguments, one word each, and then the values that the block
/// captured, laid out by [`argument_offsets`]: pointers are addresses, images and samplers are words (see
/// [`PROGRAM_SAMPLER`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Record {
    /// Length of the whole record in words.
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
    /// Number of events in the wait list.
    Waits,
    /// Number of local arguments.
    Locals,
    /// Number of dimensions.
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

/// Where a block's values lie in a record, computed from their sizes: their byte offsets from the first
/// value, and the size of all in bytes.
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

/// The word at which a block's values begin, counted from the start of the record.
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
