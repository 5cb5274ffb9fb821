//! Recording into command buffers: the parameters that recording functions have besides their commands, and
//! the entry points of commands that can be both enqueued and recorded.

use crate::border::{In, Out};
use crate::code::{self, Result, ensure};
use crate::handle::Handle;
use crate::object::command_buffer::{CommandBuffer, Work};
use crate::object::queue::Queue;
use crate::object::recipe::Recipe;
use std::ffi::c_void;
use std::sync::Arc;

/// What every recording function takes besides its command.
pub struct Recorder {
    buffer: Arc<CommandBuffer>,
    waits: Vec<u32>,
    point: Out<u32>,
}

/// The parameters of a recording function that do not describe the command.
pub struct Place {
    /// The command buffer.
    pub buffer: Handle<CommandBuffer>,
    /// Null.
    pub queue: Handle<Queue>,
    /// None.
    pub properties: In<u64>,
    /// Number of synchronisation points that it waits for.
    pub count: u32,
    /// The synchronisation points.
    pub waits: In<u32>,
    /// Receives its own synchronisation point.
    pub point: Out<u32>,
    /// Null.
    pub mutable: Out<Handle<c_void>>,
}

impl Place {
    /// Checks them.
    pub fn check(self) -> Result<Recorder> {
        let buffer = self.buffer.get()?;
        // The one queue is not named again, and commands are not mutable.
        ensure(self.queue.is_null(), code::INVALID_COMMAND_QUEUE)?;
        ensure(self.mutable.is_null(), code::INVALID_VALUE)?;
        ensure(self.properties.properties().is_empty(), code::INVALID_VALUE)?;
        ensure((self.count == 0) == self.waits.is_null(), code::INVALID_SYNC_POINT_WAIT_LIST)?;
        let waits = self.waits.list(self.count as usize).unwrap_or_default().to_vec();
        Ok(Recorder { buffer, waits, point: self.point })
    }
}

impl Recorder {
    /// The queue of the command buffer.
    pub fn queue(&self) -> &Queue {
        self.buffer.queue()
    }

    /// Records some work.
    pub fn record(self, work: Work) -> Result<()> {
        let point = self.buffer.record(work, self.waits)?;
        self.point.set(point);
        Ok(())
    }

    /// Records a command.
    pub fn recipe(self, recipe: impl Recipe + 'static) -> Result<()> {
        self.record(Work::Recipe(Box::new(recipe)))
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
                    mutable: crate::border::Out<crate::handle::Handle<std::ffi::c_void>>,
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
