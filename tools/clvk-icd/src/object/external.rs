//! The kinds of descriptor by which memory is imported, as OpenCL names them.

use crate::cl::*;
use vk_runtime::MemoryHandle;

const HANDLES: [(cl_external_memory_handle_type_khr, MemoryHandle); 2] = [
    (CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, MemoryHandle::OpaqueFd),
    (CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, MemoryHandle::DmaBuf),
];

/// The names of these kinds.
pub fn names_of(handles: &[MemoryHandle]) -> Vec<cl_external_memory_handle_type_khr> {
    HANDLES.iter().filter(|(_, handle)| handles.contains(handle)).map(|(name, _)| *name).collect()
}

/// The kind that a property names.
pub fn handle_of(name: u64) -> Option<MemoryHandle> {
    HANDLES.iter().find(|(known, _)| u64::from(*known) == name).map(|&(_, handle)| handle)
}
