//! Checked commands, which can be created for a queue once (enqueuing) or many times (command buffers).

use super::memory::Memory;
use super::queue::Queue;
use crate::cl::cl_command_type;
use crate::code::Result;
use smallvec::SmallVec;
use std::num::NonZeroU32;
use std::sync::Arc;
use vk_runtime::Command;

/// A command that was checked.
pub trait Recipe: Send + Sync {
    /// What `clGetEventInfo` calls it.
    fn kind(&self) -> cl_command_type;

    /// The label of the kernel that it launches, if there is a timeline.
    fn kernel_label(&self) -> Option<NonZeroU32> {
        None
    }

    /// The command, for a queue of the context that it was checked for.
    fn command(&self, queue: &Queue) -> Result<Command>;

    /// The memory objects that it uses.
    fn uses(&self) -> SmallVec<[&Arc<Memory>; 8]>;
}
