//! Events.

use super::context::Context;
use super::queue::Queue;
use crate::border::callback::OnEvent;
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::handle::{self, Handle, Header, object};
use crate::info::{self, Answer};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use vk_runtime::EventStatus;

/// An event of a command, or a user event.
#[repr(C)]
pub struct Event {
    header: Header<Event>,
    origin: Origin,
    core: vk_runtime::Event,
}

/// The origin of an event.
enum Origin {
    /// A command on a queue, or commands on several.
    Commands(SmallVec<[Arc<Queue>; 1]>, cl_command_type),
    /// The application, in a context.
    User(Arc<Context>),
}

object!(Event, code::INVALID_EVENT);

/// A status as a number.
fn number(status: EventStatus) -> cl_int {
    match status {
        EventStatus::Queued => CL_QUEUED,
        EventStatus::Submitted => CL_SUBMITTED,
        EventStatus::Running => CL_RUNNING,
        EventStatus::Complete => CL_COMPLETE,
        EventStatus::Failed(code) => code,
    }
}

impl Event {
    /// The event of a command.
    pub fn of_command(queue: &Arc<Queue>, command: cl_command_type, core: vk_runtime::Event) -> Arc<Self> {
        Event::of_commands(smallvec![Arc::clone(queue)], command, core)
    }

    /// The event of commands on one or more queues.
    pub fn of_commands(
        queues: SmallVec<[Arc<Queue>; 1]>,
        command: cl_command_type,
        core: vk_runtime::Event,
    ) -> Arc<Self> {
        Arc::new(Event { header: Header::new(), origin: Origin::Commands(queues, command), core })
    }

    /// A user event.
    pub fn user(context: Arc<Context>) -> Arc<Self> {
        let (header, core) = (Header::new(), vk_runtime::Event::user());
        Arc::new(Event { header, origin: Origin::User(context), core })
    }

    /// Its context.
    pub fn context(&self) -> &Arc<Context> {
        match &self.origin {
            Origin::Commands(queues, _) => queues[0].context(),
            Origin::User(context) => context,
        }
    }

    /// The queues of its commands; none for user events.
    pub fn queues(&self) -> &[Arc<Queue>] {
        match &self.origin {
            Origin::Commands(queues, _) => queues,
            Origin::User(_) => &[],
        }
    }

    fn command_type(&self) -> cl_command_type {
        match self.origin {
            Origin::Commands(_, command) => command,
            Origin::User(_) => CL_COMMAND_USER,
        }
    }

    /// The runtime's event.
    pub fn core(&self) -> &vk_runtime::Event {
        &self.core
    }

    /// Its current status.
    pub fn status(&self) -> cl_int {
        number(self.core.status())
    }

    /// Completes a user event, or fails it.
    pub fn set_status(&self, status: cl_int) -> Result<()> {
        ensure(self.queues().is_empty(), code::INVALID_EVENT)?;
        let status = match status {
            CL_COMPLETE => EventStatus::Complete,
            status if status < 0 => EventStatus::Failed(status),
            _ => return Err(code::INVALID_VALUE),
        };
        self.core.set_status(status).map_err(|_| code::INVALID_OPERATION)
    }

    /// Registers a function to call when a status is reached. The event lives until then.
    pub fn on_status(self: &Arc<Self>, status: cl_int, callback: OnEvent) -> Result<()> {
        let wanted = match status {
            CL_SUBMITTED => EventStatus::Submitted,
            CL_RUNNING => EventStatus::Running,
            CL_COMPLETE => EventStatus::Complete,
            _ => return Err(code::INVALID_VALUE),
        };
        let event = Arc::clone(self);
        self.core.on_status(wanted, move |reached| {
            callback.call(handle::address(event.as_ref()), number(reached));
        });
        Ok(())
    }

    /// Answers a query.
    pub fn query(&self, name: cl_event_info) -> Result<Answer> {
        match name {
            CL_EVENT_COMMAND_QUEUE => info::value(match self.queues() {
                [queue] => Handle::of(queue),
                _ => Handle::NULL,
            }),
            CL_EVENT_CONTEXT => info::value(Handle::of(self.context())),
            CL_EVENT_COMMAND_TYPE => info::value(self.command_type()),
            CL_EVENT_COMMAND_EXECUTION_STATUS => info::value(self.status()),
            CL_EVENT_REFERENCE_COUNT => info::value(handle::references(self)),
            _ => Err(code::INVALID_VALUE),
        }
    }

    /// Answers a query about times.
    pub fn query_profile(&self, name: cl_profiling_info) -> Result<Answer> {
        let queues = self.queues();
        let measured = !queues.is_empty() && queues.iter().all(|queue| queue.measures());
        ensure(measured, code::PROFILING_INFO_NOT_AVAILABLE)?;
        let profile = self.core.profile().ok_or(code::PROFILING_INFO_NOT_AVAILABLE)?;
        match name {
            CL_PROFILING_COMMAND_QUEUED => info::value(profile.queued),
            CL_PROFILING_COMMAND_SUBMIT => info::value(profile.submitted),
            CL_PROFILING_COMMAND_START => info::value(profile.started),
            CL_PROFILING_COMMAND_END => info::value(profile.ended),
            CL_PROFILING_COMMAND_COMPLETE => info::value(profile.completed),
            _ => Err(code::INVALID_VALUE),
        }
    }
}
