//! What kernels remember of memory, to find races and reads of memory that was not written.
//!
//! Global and local memory is divided into granules of a few bytes. Each granule has a [`cell`] of words in
//! [`ImplicitBuffer::Shadow`](crate::ImplicitBuffer::Shadow), which begins as zeros. The number of a cell is
//! a *position*, in bytes, divided by the size of a granule. First come the program's variables, then the
//! memory of the arguments, where arguments of the same buffer share their cells, and then the local memory
//! of one work-group after another. What lies behind the last cell is not remembered.

use super::{Check, Kind, Sanitized, Shape};
use serde::{Deserialize, Serialize};

/// How a module remembers. All kernels do it in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cells {
    /// Bytes of a granule, a power of two.
    pub granule: u32,
    /// Words of a cell.
    pub words: u32,
    /// Bytes of the program's variables.
    pub variables: u64,
    /// Bytes of the variables in local memory.
    pub locals: u64,
}

/// Bytes of an argument's position in the head of the reports.
pub const POSITION: u32 = 8;
/// Bytes of the words of a launch.
pub const LAUNCH: u32 = 32;
/// The position of memory that has no cells. Distances in both directions lead to none.
pub const UNKNOWN_POSITION: u64 = 1 << 62;
/// The most bytes of cells for a launch.
pub const MOST_SHADOW: u64 = 128 << 20;

/// Byte offset in the shadow memory of a counter of the operations that order the memory of work-groups.
pub const CLOCK: u32 = 0;
/// Byte offset of the first cell.
pub const FIRST_CELL: u32 = 64;

/// Byte offsets in the words of a launch, each of 64 bits.
pub mod launch {
    /// The position of the local memory of the first work-group.
    pub const LOCAL: u32 = 0;
    /// Bytes of local memory of a work-group.
    pub const STRIDE: u32 = 8;
    /// The number of cells.
    pub const CELLS: u32 = 16;
}

/// Byte offsets in a cell.
///
/// Group words hold the number of a work-group plus 1, or [`MANY`](cell::MANY) for several. Item words hold
/// in their upper half how many barriers the work-item came to, and in their lower half its number plus 1,
/// [`COPIES`](cell::COPIES) and the lower bits of the event for the group's asynchronous copies, or the
/// greatest number for several.
pub mod cell {
    /// The last write: the group.
    pub const WRITE_GROUP: u32 = 0;
    /// The last write: the item.
    pub const WRITE_ITEM: u32 = 4;
    /// The last write: in the upper half as in item words, and in the lower half a hash of the value.
    pub const VALUE: u32 = 8;
    /// The last write: the site.
    pub const WRITE_SITE: u32 = 12;
    /// The last reads: the group.
    pub const READ_GROUP: u32 = 16;
    /// The last reads: the item.
    pub const READ_ITEM: u32 = 20;
    /// The last reads: the site.
    pub const READ_SITE: u32 = 24;
    /// A bit for each of 16 arguments through which it was read, and for each through which it was written.
    pub const ARGUMENTS: u32 = 28;
    /// Words of a cell without atomic operations and orders.
    pub const FEW: u32 = 8;
    /// The last atomic operations: the group.
    pub const ATOMIC_GROUP: u32 = 32;
    /// The last atomic operations: the item.
    pub const ATOMIC_ITEM: u32 = 36;
    /// The last atomic operations: the site.
    pub const ATOMIC_SITE: u32 = 40;
    /// The clock of the last write, plus 1.
    pub const WRITE_CLOCK: u32 = 44;
    /// The clock of the last read, plus 1.
    pub const READ_CLOCK: u32 = 48;
    /// The clock of the last atomic operation, plus 1.
    pub const ATOMIC_CLOCK: u32 = 52;
    /// Words of a cell with all of these.
    pub const ALL: u32 = 16;
    /// Asynchronous copies with an event whose lower bits are zero.
    pub const COPIES: u32 = 0xe000;
    /// The number of such words, a power of two.
    pub const EVENTS: u32 = 0x1000;
    /// Several work-groups.
    pub const MANY: u32 = u32::MAX;
}

/// What the host knows of an argument's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArgumentMemory {
    /// Bytes before the pointer.
    pub before: u64,
    /// All bytes.
    pub all: u64,
    /// What holds it, and where it begins there, in bytes.
    pub holder: Option<(Holder, u64)>,
    /// Bits of [`forbidden`](super::forbidden) that follow from its buffer.
    pub forbidden: u32,
    /// What it is, if it is an integer of 32 or 64 bits, or has as many bytes.
    pub value: Option<i64>,
}

/// What holds the memory of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// The local memory of each work-group.
    Local,
    /// A buffer with this number.
    Buffer(usize),
}

/// Where the cells of a launch are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The positions of the starts of the arguments' memory; those of local memory count from the start of
    /// the work-group's.
    pub positions: Vec<u64>,
    /// See [`launch::LOCAL`].
    pub local: u64,
    /// See [`launch::STRIDE`].
    pub stride: u64,
    /// See [`launch::CELLS`].
    pub cells: u64,
    /// Bytes of the shadow memory; 0 if there is none.
    pub bytes: u64,
}

/// The boundaries between objects are multiples of this many bytes, so no granule belongs to two.
const ALIGN: u64 = 128;

impl Layout {
    /// For a launch of this shape with these arguments, some without cells
    /// ([`unwatched`](super::unwatched)).
    #[must_use]
    pub fn new(cells: &Cells, arguments: &[ArgumentMemory], unwatched: u32, shape: &Shape) -> Layout {
        let mut layout = Layout { positions: vec![UNKNOWN_POSITION; arguments.len()], ..Layout::default() };
        let mut end = cells.variables.next_multiple_of(ALIGN);
        let mut stride = cells.locals.next_multiple_of(ALIGN);
        for (index, memory) in arguments.iter().enumerate() {
            if unwatched.checked_shr(index as u32).is_some_and(|bits| bits & 1 != 0) {
                continue;
            }
            match memory.holder {
                Some((Holder::Local, _)) => {
                    layout.positions[index] = stride;
                    stride = (stride + memory.all).next_multiple_of(ALIGN);
                }
                Some((holder @ Holder::Buffer(_), _)) if layout.positions[index] == UNKNOWN_POSITION => {
                    end = layout.place(arguments, holder, end);
                }
                _ => {}
            }
        }
        let groups = [0, 1, 2].map(|axis| {
            let (global, local) = (shape.global[axis].max(1), shape.local[axis].max(1));
            u64::from(global.div_ceil(local))
        });
        let groups: u64 = groups.into_iter().fold(1, u64::saturating_mul);
        let all = end.saturating_add(stride.saturating_mul(groups)).div_ceil(u64::from(cells.granule));
        let size = u64::from(cells.words) * 4;
        (layout.local, layout.stride) = (end, stride);
        layout.cells = all.min(MOST_SHADOW / size);
        layout.bytes = u64::from(FIRST_CELL) + layout.cells * size;
        layout
    }

    /// Places all arguments in a buffer, from this position on; returns the position behind them.
    fn place(&mut self, arguments: &[ArgumentMemory], holder: Holder, start: u64) -> u64 {
        let starts = |memory: &ArgumentMemory| {
            memory.holder.filter(|&(other, _)| other == holder).map(|(_, start)| start)
        };
        let first = arguments.iter().filter_map(starts).min().unwrap_or(0) / ALIGN * ALIGN;
        let mut end = start;
        for (position, memory) in self.positions.iter_mut().zip(arguments) {
            if let Some(begin) = starts(memory) {
                *position = start + (begin - first);
                end = end.max(*position + memory.all);
            }
        }
        end.next_multiple_of(ALIGN)
    }
}

/// The other access of a race, as the second value of a report says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The position of the other access's check.
    pub site: u32,
    /// Whether the other access is of another work-group.
    pub other_group: bool,
    /// The linear number of the other work-group, or that of the other work-item in this one; none if there
    /// are several.
    pub other: Option<u32>,
    /// Whether the other access is of an asynchronous copy of this work-group.
    pub by_copy: bool,
}

impl Race {
    /// The bit of the first word that says that the other access is of another work-group.
    pub const OTHER_GROUP: u32 = 1 << 31;

    /// Reads the value: the site and that bit, and then a group word or item word of the cell.
    #[must_use]
    pub fn read(value: u64) -> Race {
        let (low, high) = (value as u32, (value >> 32) as u32);
        let other_group = low & Self::OTHER_GROUP != 0;
        let (number, many) = if other_group { (high, cell::MANY) } else { (high & 0xffff, 0xffff) };
        let by_copy = !other_group && number & !(cell::EVENTS - 1) == cell::COPIES;
        let other = number.checked_sub(1).filter(|_| number != many && !by_copy);
        Race { site: low & !Self::OTHER_GROUP, other_group, other, by_copy }
    }

    /// The other access's check. It is known only to be likely, because sites are written after the rest.
    #[must_use]
    pub fn other(self, sanitized: &Sanitized) -> Option<&Check> {
        sanitized.checks.get(self.site as usize).filter(|check| check.checked.kind() == Kind::Races)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_one_buffer_share_cells_and_groups_have_their_own() {
        let cells = Cells { granule: 4, words: 8, variables: 8, locals: 20 };
        let memory = |holder, start, all| ArgumentMemory {
            all,
            holder: Some((holder, start)),
            ..ArgumentMemory::default()
        };
        let arguments = [
            memory(Holder::Buffer(1), 1024, 256),
            memory(Holder::Local, 0, 64),
            ArgumentMemory::default(),
            memory(Holder::Buffer(2), 0, 4),
            memory(Holder::Buffer(1), 1152, 512),
        ];
        let shape = Shape { global: [10, 3, 1], offset: [0; 3], local: [4, 1, 1], sub_group: 0 };
        let layout = Layout::new(&cells, &arguments, 0, &shape);
        // Variables to 128, the first buffer to 768, the second to 896; 9 groups of 256 bytes.
        assert_eq!(layout.positions, [128, 128, UNKNOWN_POSITION, 768, 256]);
        assert_eq!((layout.local, layout.stride), (896, 256));
        assert_eq!((layout.cells, layout.bytes), (800, 64 + 800 * 32));
        // Without the buffer of the fourth.
        let layout = Layout::new(&cells, &arguments, 1 << 3, &shape);
        assert_eq!(layout.positions, [128, 128, UNKNOWN_POSITION, UNKNOWN_POSITION, 256]);
        assert_eq!((layout.local, layout.cells), (768, 768));
    }

    #[test]
    fn a_race_names_a_group_or_an_item() {
        let read = |low: u32, high: u32| Race::read(u64::from(low) | u64::from(high) << 32);
        assert_eq!(
            read(3, 0x0002_0005),
            Race { site: 3, other_group: false, other: Some(4), by_copy: false }
        );
        assert_eq!(read(3, 0x0002_ffff).other, None);
        assert_eq!(read(3, 0x0002_e001), Race { site: 3, other_group: false, other: None, by_copy: true });
        assert_eq!(read(3 | 1 << 31, 1), Race { site: 3, other_group: true, other: Some(0), by_copy: false });
        assert_eq!(read(3 | 1 << 31, cell::MANY).other, None);
    }
}
