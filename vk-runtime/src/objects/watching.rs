//! Which memory a sanitized kernel does not watch in its launches, and which accesses it does not check,
//! remembered for launches that come again: the host may have to list all places of a work-group to find out.

use crate::vulkan::handle::lock;
use clvk_interface::sanitize::{ArgumentMemory, Holder, Sanitized, Shape};
use std::collections::VecDeque;
use std::sync::Mutex;

/// The most launches that are remembered.
const MOST: usize = 8;

/// The answers for the last launches that differ in what matters.
#[derive(Default)]
pub(crate) struct Watching(Mutex<VecDeque<Answer>>);

struct Answer {
    memory: Vec<ArgumentMemory>,
    /// Global size, offset and work-group size.
    sizes: [[u32; 3]; 3],
    bits: [u32; 2],
}

impl Watching {
    /// The bits of what is not watched in a launch of this shape with arguments of this memory, and those of
    /// accesses that stay inside.
    pub(crate) fn unchecked(
        &self,
        sanitized: &Sanitized,
        kernel: &str,
        memory: &[ArgumentMemory],
        shape: &Shape,
    ) -> [u32; 2] {
        let memory = what_matters(memory);
        let sizes = [shape.global, shape.offset, shape.local];
        let mut known = lock(&self.0);
        if let Some(answer) = known.iter().find(|of| of.memory == memory && of.sizes == sizes) {
            return answer.bits;
        }
        let bits = [sanitized.unwatched(kernel, &memory, shape), sanitized.inside(kernel, &memory, shape)];
        known.truncate(MOST - 1);
        known.push_front(Answer { memory, sizes, bits });
        bits
    }
}

/// Numbers buffers by the first argument that has them, and forgets where they lie.
fn what_matters(memory: &[ArgumentMemory]) -> Vec<ArgumentMemory> {
    let first = |holder: Holder| {
        let has = |other: &ArgumentMemory| other.holder.is_some_and(|(it, _)| it == holder);
        memory.iter().position(has).unwrap_or_default()
    };
    let of = |one: &ArgumentMemory| {
        let holder = one.holder.map(|(holder, _)| match holder {
            Holder::Local => (Holder::Local, 0),
            Holder::Buffer(_) => (Holder::Buffer(first(holder)), 0),
        });
        ArgumentMemory { holder, ..*one }
    };
    memory.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_that_differ_in_their_buffers_alone_are_the_same() {
        let memory = |numbers: [usize; 3], value| -> Vec<ArgumentMemory> {
            let of = |number| ArgumentMemory {
                all: 64,
                holder: Some((Holder::Buffer(number), 4)),
                ..ArgumentMemory::default()
            };
            let value = ArgumentMemory { value: Some(value), ..ArgumentMemory::default() };
            numbers.into_iter().map(of).chain([value]).collect()
        };
        let one = what_matters(&memory([70, 80, 70], 5));
        assert_eq!(one, what_matters(&memory([90, 30, 90], 5)));
        assert_ne!(one, what_matters(&memory([90, 90, 30], 5)));
        assert_ne!(one, what_matters(&memory([70, 80, 70], 6)));
    }
}
