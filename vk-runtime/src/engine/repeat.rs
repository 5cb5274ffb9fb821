//! Submitting a recorded slot again.
//!
//! Some programs launch a kernel with the same arguments and wait for it, again and again (a solver's step, a
//! filter for each picture). They need the same command buffer each time, and recording it takes longer than
//! submitting it. So the slot of a submission that was a single launch remembers the launch. If the next
//! submission begins with the same launch, that slot is submitted again, without further commands. Its
//! descriptors and time stamps come with it.

use crate::engine::arguments::Descriptor;
use crate::engine::command::{Command, Kind};
use crate::engine::launch::Launch;
use crate::engine::pipeline::Pipeline;
use smallvec::SmallVec;
use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, Weak};

/// The time stamps of a launch that is alone in its command buffer.
const STAMPS: [u32; 2] = [0, 1];

/// All that a command buffer with one launch depends on.
pub(crate) struct Recording {
    pipeline: Arc<Pipeline>,
    push: SmallVec<[u8; 128]>,
    descriptors: SmallVec<[Described; 4]>,
    group_offset: Option<u32>,
    first: [u32; 3],
    count: [u32; 3],
    /// Whether it begins with a barrier.
    behind_barrier: bool,
    /// See [`Launch::for_host`].
    for_host: bool,
    /// Whether it writes [`STAMPS`].
    timed: bool,
}

/// A descriptor, and the object in it. The object is not kept: as long as somebody can launch with it, its
/// place in memory is its own.
struct Described {
    binding: u32,
    object: Weak<dyn Any + Send + Sync>,
    range: Range<u64>,
}

impl Described {
    fn of((binding, descriptor): &(u32, Descriptor)) -> Self {
        let object: Arc<dyn Any + Send + Sync> = match descriptor {
            Descriptor::StorageBuffer(buffer, _) => Arc::clone(buffer) as _,
            Descriptor::SampledImage(image)
            | Descriptor::FirstLevel(image)
            | Descriptor::StorageImage(image, _) => Arc::clone(image) as _,
            Descriptor::UniformTexels(view) | Descriptor::StorageTexels(view) => Arc::clone(view) as _,
            Descriptor::Sampler(sampler) => Arc::clone(sampler) as _,
        };
        Described { binding: *binding, object: Arc::downgrade(&object), range: part(descriptor) }
    }

    /// Whether it is this descriptor. The type of a binding is the pipeline's.
    fn is(&self, (binding, descriptor): &(u32, Descriptor)) -> bool {
        let object: *const () = match descriptor {
            Descriptor::StorageBuffer(buffer, _) => Arc::as_ptr(buffer).cast(),
            Descriptor::SampledImage(image)
            | Descriptor::FirstLevel(image)
            | Descriptor::StorageImage(image, _) => Arc::as_ptr(image).cast(),
            Descriptor::UniformTexels(view) | Descriptor::StorageTexels(view) => Arc::as_ptr(view).cast(),
            Descriptor::Sampler(sampler) => Arc::as_ptr(sampler).cast(),
        };
        self.binding == *binding && self.object.as_ptr().cast() == object && self.range == part(descriptor)
    }
}

/// The part of its object that a descriptor shows.
fn part(descriptor: &Descriptor) -> Range<u64> {
    match descriptor {
        Descriptor::StorageBuffer(_, range) => range.clone(),
        Descriptor::StorageImage(_, level) => u64::from(*level)..u64::from(*level) + 1,
        _ => 0..0,
    }
}

impl Recording {
    /// The recording of a launch, unless something in it differs each time. Takes the push constants; the
    /// descriptors must still be there.
    pub(crate) fn of(launch: &mut Launch, behind_barrier: bool, stamps: Option<[u32; 2]>) -> Option<Self> {
        if !is_repeatable(launch) || stamps.is_some_and(|stamps| stamps != STAMPS) {
            return None;
        }
        let descriptors = launch.encoded.descriptors.iter().map(Described::of).collect();
        let (dispatch, pipeline) = &launch.steps[0];
        Some(Recording {
            pipeline: Arc::clone(pipeline),
            push: std::mem::take(&mut launch.encoded.push),
            descriptors,
            group_offset: launch.group_offset,
            first: dispatch.first,
            count: dispatch.count,
            behind_barrier,
            for_host: launch.for_host,
            timed: stamps.is_some(),
        })
    }

    /// Its time stamps.
    pub(crate) fn stamps(&self) -> Option<[u32; 2]> {
        self.timed.then_some(STAMPS)
    }

    /// Whether a command would be recorded in the same way.
    pub(crate) fn suits(&self, command: &Command, timed: bool, behind_barrier: bool) -> bool {
        let Kind::Launch(launch) = &command.kind else { return false };
        self.timed == timed && is_repeatable(launch) && {
            let descriptors = &launch.encoded.descriptors;
            let (dispatch, pipeline) = &launch.steps[0];
            Arc::ptr_eq(&self.pipeline, pipeline)
                && self.push == launch.encoded.push
                && self.descriptors.len() == descriptors.len()
                && self.descriptors.iter().zip(descriptors).all(|(known, new)| known.is(new))
                && self.group_offset == launch.group_offset
                && (self.first, self.count) == (dispatch.first, dispatch.count)
                && (self.behind_barrier, self.for_host) == (behind_barrier, launch.for_host)
        }
    }
}

/// Whether the launch is a single dispatch whose arguments are all push constants and descriptors.
fn is_repeatable(launch: &Launch) -> bool {
    let encoded = &launch.encoded;
    launch.steps.len() == 1
        && launch.founder.is_none()
        && launch.reports.is_none()
        && encoded.spilled.is_empty()
        && encoded.bounds.is_none()
        && encoded.pixels.is_empty()
}
