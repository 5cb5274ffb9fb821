//! Commands, their queues and their events.
//!
//! - [`operation`]: a [`Command`] is data, checked when it is made: in [`launching`], [`boxes`], [`host`] and [`pictures`] by what it does.
//! - [`queue`]: a [`CommandQueue`] decides whether a command can be recorded now or must wait ([`pending`]).
//! - [`stream`]: the one order of a device's work; records commands into [`slot`]s and submits them ([`record`], [`signal`]),
//!   or those that were recorded before ([`repeat`]).
//! - [`event`]: the state of a command; [`followup`] is what its changes set free.
//! - [`transfer`], [`fill`], [`arena`]: data between host and device, and the memory that it passes through.
//! - [`mapping`]: memory of the device in the host's reach.
//! - [`family`]: a launch whose kernel enqueues others, and all that comes of it.
//! - [`worker`]: what a queue has its own thread for.

mod arena;
mod boxes;
pub(crate) mod event;
pub(crate) mod family;
mod fill;
pub(crate) mod followup;
mod host;
pub(crate) mod launching;
mod mapping;
pub(crate) mod mover;
pub(crate) mod operation;
mod pending;
mod pictures;
mod queue;
mod record;
mod repeat;
mod signal;
mod slot;
pub(crate) mod stream;
pub(crate) mod transfer;
mod worker;

pub use boxes::Rectangle;
pub use event::{Event, EventStatus, Profile};
pub use mapping::Mapping;
pub use operation::Command;
pub use queue::{CommandQueue, QueueOptions};
