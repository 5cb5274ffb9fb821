//! The constructors of commands, which check what they are given: launches ([`launch`]), bytes of buffers
//! ([`buffer`]), between them and the host's memory ([`host_memory`]), and pixels of images ([`image`]).

pub(crate) mod buffer;
mod host_memory;
mod image;
mod launch;
