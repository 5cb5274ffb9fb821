//! The API as an application sees it: through its C functions, on the preferred device.
//!
//! Expected values are those of the specification, and results of kernels are computed here.

mod ahead;
mod blocks;
mod buffer_images;
mod c;
mod command_buffers;
mod command_buffers_of_devices;
mod device_queues;
mod devices;
mod extensions;
mod external;
mod external_semaphores;
mod forms;
mod handles;
mod headers;
mod image_requirements;
mod levels;
mod lifetimes;
mod matrices;
mod memory;
mod mutable;
mod ordering;
mod phone;
mod printing;
mod programs;
mod queries;
mod queues;
mod sanitizer;
mod semaphores;
mod small;
mod specialisation;
mod spirv;
mod stress;
mod svm;
mod timeline;
mod unified_svm;
mod usm;
