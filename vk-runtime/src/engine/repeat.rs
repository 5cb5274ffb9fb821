//! Submitting a recorded slot again.
//!
//! Some programs launch a kernel with the same arguments and wait for it, again and again (a solver's step, a
//! filter for each picture). They need the same command buffer each time, and recording it takes longer than
//! submitting it. So the slot of a submission that was a single launch remembers the launch. If the next
//! submission begins with the same launch, that slot is submitted again, without further commands.

use crate::engine::command::{Command, Kind};
use crate::engine::launch::Launch;
use crate::engine::pipeline::Pipeline;
use smallvec::SmallVec;
use std::sync::Arc;

/// All that a command buffer with one launch depends on.
pub(crate) struct Recording {
    pipeline: Arc<Pipeline>,
    push: SmallVec<[u8; 128]>,
    group_offset: Option<u32>,
    first: [u32; 3],
    count: [u32; 3],
    /// Whether it begins with a barrier.
    behind_barrier: bool,
    /// See [`Launch::for_host`].
    for_host: bool,
}

impl Recording {
    /// The recording of a launch, unless something in it differs each time. Takes the push constants.
    pub(crate) fn of(launch: &mut Launch, behind_barrier: bool) -> Option<Self> {
        if !is_repeatable(launch) {
            return None;
        }
        let (dispatch, pipeline) = &launch.steps[0];
        Some(Recording {
            pipeline: Arc::clone(pipeline),
            push: std::mem::take(&mut launch.encoded.push),
            group_offset: launch.group_offset,
            first: dispatch.first,
            count: dispatch.count,
            behind_barrier,
            for_host: launch.for_host,
        })
    }

    /// Whether an untimed command would be recorded in the same way.
    pub(crate) fn suits(&self, command: &Command, behind_barrier: bool) -> bool {
        let Kind::Launch(launch) = &command.kind else { return false };
        is_repeatable(launch) && {
            let (dispatch, pipeline) = &launch.steps[0];
            Arc::ptr_eq(&self.pipeline, pipeline)
                && self.push == launch.encoded.push
                && self.group_offset == launch.group_offset
                && (self.first, self.count) == (dispatch.first, dispatch.count)
                && (self.behind_barrier, self.for_host) == (behind_barrier, launch.for_host)
        }
    }
}

/// Whether the launch is a single dispatch whose arguments are all in the push constants.
fn is_repeatable(launch: &Launch) -> bool {
    let encoded = &launch.encoded;
    launch.steps.len() == 1
        && launch.founder.is_none()
        && launch.reports.is_none()
        && encoded.spilled.is_empty()
        && encoded.bounds.is_none()
        && encoded.descriptors.is_empty()
        && launch.steps[0].1.layout.set_layout().is_none()
}
