//! Recording into command buffers: the parameters that recording functions have besides their commands, and
//! the entry points of commands that can be both enqueued and recorded.

use crate::border::{In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::handle::Handle;
use crate::object::command_buffer::{CommandBuffer, Wanted, Work};
use crate::object::mutable::{self, MutableCommand};
use crate::object::queue::Queue;
use crate::object::recipe::Recipe;
use std::sync::Arc;

/// What every recording function takes besides its command.
pub struct Recorder {
    buffer: Arc<CommandBuffer>,
    /// Position of the queue.
    queue: usize,
    waits: Vec<u32>,
    point: Out<u32>,
    wanted: Option<Wanted>,
    mutable: Out<Handle<MutableCommand>>,
}

/// The parameters of a recording function that do not describe the command.
pub struct Place {
    /// The command buffer.
    pub buffer: Handle<CommandBuffer>,
    /// One of the command buffer's; null for the only one.
    pub queue: Handle<Queue>,
    /// Those of a launch; other commands have none.
    pub properties: In<u64>,
    /// Number of synchronisation points that it waits for.
    pub count: u32,
    /// The synchronisation points.
    pub waits: In<u32>,
    /// Receives its own synchronisation point.
    pub point: Out<u32>,
    /// Receives the handle of a launch; null for other commands.
    pub mutable: Out<Handle<MutableCommand>>,
}

impl Place {
    /// Checks them for a command that cannot be changed.
    pub fn check(self) -> Result<Recorder> {
        let buffer = self.buffer.get()?;
        ensure(self.mutable.is_null(), code::INVALID_VALUE)?;
        ensure(self.properties.properties().is_empty(), code::INVALID_VALUE)?;
        self.recorder(buffer, None)
    }

    /// Checks them for a launch. Also whether its arguments may be missing until an update.
    pub fn check_launch(self) -> Result<(Recorder, bool)> {
        let buffer = self.buffer.get()?;
        let mut fields = mutable::FIELDS;
        let list = distinct(self.properties)?;
        for &(name, value) in &list {
            let allowed = match name {
                CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR => mutable::FIELDS,
                CL_MUTABLE_DISPATCH_ASSERTS_KHR => CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
                _ => return Err(code::INVALID_VALUE),
            };
            ensure(value & !allowed == 0, code::INVALID_VALUE)?;
            if name == CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR {
                fields = value;
            }
        }
        let may_lack = buffer.is_mutable() && fields & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR != 0;
        let wanted =
            (!self.mutable.is_null()).then(|| Wanted { properties: given(self.properties, list), fields });
        Ok((self.recorder(buffer, wanted)?, may_lack))
    }

    fn recorder(self, buffer: Arc<CommandBuffer>, wanted: Option<Wanted>) -> Result<Recorder> {
        let queue = position(&buffer, self.queue)?;
        ensure((self.count == 0) == self.waits.is_null(), code::INVALID_SYNC_POINT_WAIT_LIST)?;
        let waits = self.waits.list(self.count as usize).unwrap_or_default().to_vec();
        Ok(Recorder { buffer, queue, waits, point: self.point, wanted, mutable: self.mutable })
    }
}

/// The position of a queue among those of a command buffer.
fn position(buffer: &CommandBuffer, queue: Handle<Queue>) -> Result<usize> {
    if queue.is_null() {
        ensure(buffer.queues().len() == 1, code::INVALID_COMMAND_QUEUE)?;
        return Ok(0);
    }
    let queue = queue.get()?;
    ensure(Arc::ptr_eq(queue.context(), buffer.context()), code::INVALID_CONTEXT)?;
    let found = buffer.queues().iter().position(|known| Arc::ptr_eq(known, &queue));
    found.ok_or(code::INVALID_COMMAND_QUEUE)
}

/// A list of properties, in which no name may occur twice.
pub fn distinct(list: In<u64>) -> Result<Vec<(u64, u64)>> {
    let list = list.properties();
    for (index, (name, _)) in list.iter().enumerate() {
        ensure(list[..index].iter().all(|(other, _)| other != name), code::INVALID_VALUE)?;
    }
    Ok(list)
}

/// A list of properties as the application gave it, with the zero at the end; empty if it gave none.
pub fn given(list: In<u64>, properties: Vec<(u64, u64)>) -> Vec<u64> {
    let words = properties.into_iter().flat_map(|(name, value)| [name, value]);
    words.chain((!list.is_null()).then_some(0)).collect()
}

impl Recorder {
    /// The queue that it records for.
    pub fn queue(&self) -> &Queue {
        &self.buffer.queues()[self.queue]
    }

    /// Records some work.
    pub fn record(self, work: Work) -> Result<()> {
        let (point, handle) = self.buffer.record(self.queue, work, self.waits, self.wanted)?;
        self.point.set(point);
        self.mutable.set(handle);
        Ok(())
    }

    /// Records a command.
    pub fn recipe(self, recipe: impl Recipe + 'static) -> Result<()> {
        self.record(Work::Recipe(Arc::new(recipe)))
    }
}

/// Defines two entry points for each recipe: one that enqueues it and one that records it. The expression
/// creates the recipe for a queue.
macro_rules! recipes {
    ($($enqueue:ident, $record:ident($($arg:ident: $ty:ty),* $(,)?) |$queue:ident| $recipe:expr;)*) => {
        crate::entry::status! {
            $(
                #[doc = concat!("`", stringify!($enqueue), "`.")]
                fn $enqueue(
                    queue: crate::handle::Handle<crate::object::queue::Queue>,
                    $($arg: $ty,)*
                    count: u32,
                    waits: crate::border::In<crate::handle::Handle<crate::object::event::Event>>,
                    event: crate::border::Out<crate::handle::Handle<crate::object::event::Event>>,
                ) {
                    let queue = queue.get()?;
                    let $queue: &crate::object::queue::Queue = &queue;
                    let recipe = $recipe?;
                    crate::api::recipe::enqueue(&queue, &recipe, count, waits, event)
                }

                #[doc = concat!("`", stringify!($record), "`.")]
                fn $record(
                    buffer: crate::handle::Handle<crate::object::command_buffer::CommandBuffer>,
                    queue: crate::handle::Handle<crate::object::queue::Queue>,
                    properties: crate::border::In<u64>,
                    $($arg: $ty,)*
                    count: u32,
                    waits: crate::border::In<u32>,
                    point: crate::border::Out<u32>,
                    mutable: crate::border::Out<
                        crate::handle::Handle<crate::object::mutable::MutableCommand>,
                    >,
                ) {
                    let place = crate::api::recorder::Place {
                        buffer, queue, properties, count, waits, point, mutable,
                    };
                    let recorder = place.check()?;
                    let $queue = recorder.queue();
                    let recipe = $recipe?;
                    recorder.recipe(recipe)
                }
            )*
        }
    };
}
pub(crate) use recipes;
