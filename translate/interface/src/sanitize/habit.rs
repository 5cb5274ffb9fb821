//! What a kernel does through its arguments, and which of their memory needs no cells because of it: memory
//! that a launch only reads, and memory that each work-item has its own part of.

use super::{ArgumentMemory, Holder, Shape, forbidden};
use serde::{Deserialize, Serialize};

/// What a kernel does through an argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Habit {
    /// Anything.
    #[default]
    Any,
    /// It only reads.
    Reads,
    /// Each work-item reaches `stride` bytes of its own: their place is its global id in a dimension, times
    /// `stride`, and a constant.
    Own {
        /// The dimension.
        axis: u8,
        /// Bytes.
        stride: u32,
    },
}

/// The specialisation constant that says which arguments of a launch go without cells. Those of `__local`
/// arguments have lower numbers.
pub const UNWATCHED: u32 = 1 << 16;
/// The number of arguments that can go without cells.
pub const MOST_UNWATCHED: usize = 32;

/// A bit for each argument of a launch whose memory needs no cells, because its accesses cannot race and all
/// of it was written before the launch.
#[must_use]
pub fn unwatched(habits: &[Habit], arguments: &[ArgumentMemory], shape: &Shape) -> u32 {
    let arguments = &arguments[..arguments.len().min(habits.len())];
    let mut bits = 0;
    for (index, memory) in arguments.iter().enumerate().take(MOST_UNWATCHED) {
        let Some((holder @ Holder::Buffer(_), _)) = memory.holder else { continue };
        let is_other = |other: usize| arguments[other].holder.is_some_and(|(it, _)| it == holder);
        let mut others = (0..arguments.len()).filter(|&other| other != index && is_other(other));
        let is_quiet = match habits[index] {
            Habit::Any => false,
            Habit::Reads => others.all(|other| habits[other] == Habit::Reads),
            Habit::Own { axis, stride } => others.next().is_none() && are_apart(shape, axis, stride),
        };
        if is_quiet && memory.forbidden & forbidden::EARLY_READS == 0 {
            bits |= 1 << index;
        }
    }
    bits
}

/// Whether work-items have different ids in a dimension, and products with a stride fit their types.
fn are_apart(shape: &Shape, axis: u8, stride: u32) -> bool {
    let axis = usize::from(axis);
    let end = u64::from(shape.global[axis]) + u64::from(shape.offset[axis]);
    let rest = (0..3).filter(|&other| other != axis);
    let fits = end.checked_mul(stride.into()).is_some_and(|bytes| bytes <= i32::MAX as u64);
    fits && rest.into_iter().all(|other| shape.global[other] <= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_only_read_or_reached_by_one_work_item_needs_no_cells() {
        let memory = |number, forbidden| ArgumentMemory {
            holder: Some((Holder::Buffer(number), 0)),
            forbidden,
            ..ArgumentMemory::default()
        };
        let own = Habit::Own { axis: 0, stride: 4 };
        let habits = [Habit::Reads, own, Habit::Any, Habit::Reads];
        let row = Shape { global: [64, 1, 1], ..Shape::default() };
        let apart = [1, 2, 3, 4].map(|number| memory(number, 0));
        assert_eq!(unwatched(&habits, &apart, &row), 0b1011);
        // Arguments of the same buffer.
        assert_eq!(unwatched(&habits, &[1, 2, 3, 3].map(|number| memory(number, 0)), &row), 0b0011);
        assert_eq!(unwatched(&habits, &[1, 2, 3, 1].map(|number| memory(number, 0)), &row), 0b1011);
        assert_eq!(unwatched(&habits, &[2, 2, 3, 4].map(|number| memory(number, 0)), &row), 0b1000);
        // What was not written before.
        let new = [1, 2, 3, 4].map(|number| memory(number, forbidden::EARLY_READS));
        assert_eq!(unwatched(&habits, &new, &row), 0);
        let plane = Shape { global: [64, 2, 1], ..Shape::default() };
        assert_eq!(unwatched(&habits, &apart, &plane), 0b1001);
        let far = Shape { offset: [1 << 29, 0, 0], ..row };
        assert_eq!(unwatched(&habits, &apart, &far), 0b1001);
    }
}
