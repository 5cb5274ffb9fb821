//! The constructors of commands, which check their arguments: launches ([`launch`]), copies and fills of
//! buffers ([`buffer`]), transfers between buffers and host memory ([`host_memory`]), and commands on images
//! ([`image`]).

pub(crate) mod buffer;
mod host_memory;
pub(crate) mod image;
mod launch;
