//! The entry points. Each file covers a section of the specification.
#![expect(non_snake_case, reason = "entry points have the names of the OpenCL API")]

pub mod command_buffer;
pub mod context;
pub mod device;
pub mod event;
pub mod external;
pub mod image;
pub mod image_requirements;
pub mod kernel;
pub mod launch;
pub mod map;
pub mod matrix;
pub mod memory;
pub mod platform;
pub mod program;
pub mod queue;
pub mod recipe;
pub mod recorder;
pub mod sampler;
pub mod semaphore;
pub mod svm;
pub mod transfer;
pub mod transfer_image;
pub mod unified_svm;
pub mod usm;
