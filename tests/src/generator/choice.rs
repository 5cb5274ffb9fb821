//! The choices of a generator: a stream of random decisions from a seed, the same on every machine.

use crate::random::Random;

/// A stream of decisions.
#[derive(Clone, Debug)]
pub struct Choice {
    random: Random,
    next: usize,
}

impl Choice {
    /// The stream for a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Choice { random: Random::new(seed), next: 0 }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.next += 1;
        self.random.bits(self.next)
    }

    /// A number below `bound`, which is positive.
    pub fn below(&mut self, bound: usize) -> usize {
        self.next += 1;
        self.random.below(self.next, u32::try_from(bound).expect("bounds are small")) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in this percentage of cases.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the elements, which must not be empty.
    pub fn pick<'a, T>(&mut self, elements: &'a [T]) -> &'a T {
        &elements[self.below(elements.len())]
    }

    /// The index of a weight, with a probability in proportion to the weights; `None` if all are zero.
    pub fn weighted(&mut self, weights: impl Iterator<Item = u32> + Clone) -> Option<usize> {
        let sum: u32 = weights.clone().sum();
        if sum == 0 {
            return None;
        }
        let mut rest = self.below(sum as usize) as u32;
        weights.enumerate().find_map(|(index, weight)| match rest.checked_sub(weight) {
            None => Some(index),
            Some(less) => {
                rest = less;
                None
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_followed_and_zeros_never_chosen() {
        let mut choice = Choice::new(7);
        let mut counts = [0; 4];
        for _ in 0..4000 {
            counts[choice.weighted([1, 0, 3, 0].into_iter()).expect("some weigh")] += 1;
        }
        assert_eq!((counts[1], counts[3]), (0, 0));
        assert!((800..1200).contains(&counts[0]), "{counts:?}");
        assert_eq!(choice.weighted([0, 0].into_iter()), None);
    }
}
