//! Which commands of a submission depend on each other.
//!
//! Plain data: resources are numbers, and nothing here calls Vulkan. One barrier orders everything before it
//! with everything after it, so the tracker forgets all accesses when one is needed.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;

/// A use of a part of a buffer, or of a whole image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// Number of the buffer or image.
    pub(crate) resource: u64,
    /// Bytes.
    pub(crate) range: Range<u64>,
    /// Whether it may be changed.
    pub(crate) write: bool,
}

impl Access {
    pub(crate) fn read(resource: u64, range: Range<u64>) -> Self {
        Access { resource, range, write: false }
    }

    pub(crate) fn write(resource: u64, range: Range<u64>) -> Self {
        Access { resource, range, write: true }
    }

    fn conflicts(&self, other: &Access) -> bool {
        (self.write || other.write)
            && self.range.start < other.range.end
            && other.range.start < self.range.end
    }

    fn covers(&self, other: &Access) -> bool {
        (self.write || !other.write)
            && self.range.start <= other.range.start
            && other.range.end <= self.range.end
    }
}

/// The accesses since the last barrier.
#[derive(Debug, Default)]
pub(crate) struct HazardTracker {
    pending: FxHashMap<u64, SmallVec<[Access; 4]>>,
    /// Whether an operation may have accessed any resource.
    anything: bool,
}

impl HazardTracker {
    /// Whether a barrier must come before an operation that has these accesses, or may change `anything`.
    pub(crate) fn conflicts(&self, accesses: &[Access], anything: bool) -> bool {
        if anything {
            return self.anything || !self.pending.is_empty();
        }
        if self.anything && !accesses.is_empty() {
            return true;
        }
        accesses.iter().any(|access| {
            self.pending
                .get(&access.resource)
                .is_some_and(|earlier| earlier.iter().any(|e| e.conflicts(access)))
        })
    }

    /// Notes an operation that has these accesses, or may change `anything`.
    pub(crate) fn note(&mut self, accesses: &[Access], anything: bool) {
        self.anything |= anything;
        for access in accesses {
            let known = self.pending.entry(access.resource).or_default();
            if !known.iter().any(|earlier| earlier.covers(access)) {
                known.push(access.clone());
            }
        }
    }

    /// Forgets everything: a barrier was placed.
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
        self.anything = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl HazardTracker {
        /// What recording does: a barrier where one is needed, then the operation.
        fn add(&mut self, accesses: &[Access]) -> bool {
            self.add_with(accesses, false)
        }

        fn add_with(&mut self, accesses: &[Access], anything: bool) -> bool {
            let barrier = self.conflicts(accesses, anything);
            if barrier {
                self.clear();
            }
            self.note(accesses, anything);
            barrier
        }
    }

    #[test]
    fn only_dependent_operations_need_a_barrier() {
        let mut tracker = HazardTracker::default();
        assert!(!tracker.add(&[Access::read(1, 0..8), Access::write(2, 0..8)]));
        assert!(!tracker.add(&[Access::read(1, 0..8), Access::write(3, 0..8)]), "two reads are independent");
        assert!(tracker.add(&[Access::read(2, 0..4)]), "read after write");
        assert!(!tracker.add(&[Access::read(3, 0..4)]), "that barrier ordered the write to 3 too");
        assert!(tracker.add(&[Access::write(3, 0..4)]), "write after read");
        assert!(tracker.add(&[Access::write(3, 2..4)]), "write after write");
    }

    #[test]
    fn disjoint_ranges_are_independent() {
        let mut tracker = HazardTracker::default();
        assert!(!tracker.add(&[Access::write(1, 0..8)]));
        assert!(!tracker.add(&[Access::write(1, 8..16)]));
        assert!(tracker.add(&[Access::read(1, 7..9)]));
    }

    #[test]
    fn one_operation_may_read_and_write_the_same_buffer() {
        let mut tracker = HazardTracker::default();
        assert!(!tracker.add(&[Access::read(1, 0..8), Access::write(1, 0..8)]));
        assert!(tracker.add(&[Access::read(1, 0..8)]), "the write is remembered beside the read");
    }

    #[test]
    fn what_may_access_anything_depends_on_everything() {
        let mut tracker = HazardTracker::default();
        assert!(!tracker.add_with(&[], true), "it is the first");
        assert!(!tracker.add(&[]), "what accesses nothing is independent");
        assert!(tracker.add_with(&[], true), "it may access what the other one did");
        assert!(tracker.add(&[Access::read(1, 0..8)]), "it may have been written");
        assert!(!tracker.add(&[Access::read(2, 0..8)]), "that barrier ordered it");
        assert!(tracker.add_with(&[Access::read(3, 0..8)], true), "it may write what is read");
        assert!(tracker.add(&[Access::read(3, 0..8)]), "and what it reads");
    }

    /// The tracker keeps only what it needs: it must still see every conflict that a list of all accesses
    /// shows.
    #[test]
    fn it_agrees_with_a_list_of_all_accesses() {
        let mut tracker = HazardTracker::default();
        let mut all: Vec<Access> = Vec::new();
        let mut random = 1u64;
        let mut next = |limit: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % limit
        };
        let mut barriers = 0;
        for step in 0..20_000 {
            let accesses: Vec<Access> = (0..=next(3))
                .map(|_| {
                    let start = next(40);
                    Access { resource: next(6), range: start..start + 1 + next(8), write: next(4) == 0 }
                })
                .collect();
            let shared = |a: &Access, b: &Access| {
                a.resource == b.resource && a.range.clone().any(|byte| b.range.contains(&byte))
            };
            let expected =
                accesses.iter().any(|new| all.iter().any(|old| (new.write || old.write) && shared(new, old)));
            if expected {
                all.clear();
                barriers += 1;
            }
            assert_eq!(tracker.add(&accesses), expected, "step {step}: {accesses:?}");
            all.extend(accesses);
        }
        assert!((1_000..19_000).contains(&barriers), "{barriers} barriers: both cases matter");
    }
}
