//! The table of entry points, in the order that the ICD loader demands. It lists everything that is
//! implemented.
//!
//! Sharing with OpenGL, EGL and Direct3D is not offered; those entries are null, as `cl_khr_icd` permits for
//! extension functions. Every other entry is filled, including those of old versions.

use crate::api::*;

/// An entry point, or null.
#[derive(Clone, Copy)]
pub struct Entry(*const ());

// SAFETY: addresses of functions.
unsafe impl Sync for Entry {}

/// The dispatch table.
pub type Dispatch = [Entry; 150];

const NONE: Entry = Entry(std::ptr::null());

/// The table that every object points to.
pub fn table() -> &'static Dispatch {
    &TABLE
}

macro_rules! entry {
    ($path:path) => {
        Entry($path as *const ())
    };
}

static TABLE: Dispatch = [
    entry!(platform::clGetPlatformIDs),
    entry!(platform::clGetPlatformInfo),
    entry!(device::clGetDeviceIDs),
    entry!(device::clGetDeviceInfo),
    entry!(context::clCreateContext),
    entry!(context::clCreateContextFromType),
    entry!(context::clRetainContext),
    entry!(context::clReleaseContext),
    entry!(context::clGetContextInfo),
    entry!(queue::clCreateCommandQueue),
    entry!(queue::clRetainCommandQueue),
    entry!(queue::clReleaseCommandQueue),
    entry!(queue::clGetCommandQueueInfo),
    entry!(queue::clSetCommandQueueProperty),
    entry!(memory::clCreateBuffer),
    entry!(image::clCreateImage2D),
    entry!(image::clCreateImage3D),
    entry!(memory::clRetainMemObject),
    entry!(memory::clReleaseMemObject),
    entry!(image::clGetSupportedImageFormats),
    entry!(memory::clGetMemObjectInfo),
    entry!(image::clGetImageInfo),
    entry!(sampler::clCreateSampler),
    entry!(sampler::clRetainSampler),
    entry!(sampler::clReleaseSampler),
    entry!(sampler::clGetSamplerInfo),
    entry!(program::clCreateProgramWithSource),
    entry!(program::clCreateProgramWithBinary),
    entry!(program::clRetainProgram),
    entry!(program::clReleaseProgram),
    entry!(program::clBuildProgram),
    entry!(platform::clUnloadCompiler),
    entry!(program::clGetProgramInfo),
    entry!(program::clGetProgramBuildInfo),
    entry!(kernel::clCreateKernel),
    entry!(kernel::clCreateKernelsInProgram),
    entry!(kernel::clRetainKernel),
    entry!(kernel::clReleaseKernel),
    entry!(kernel::clSetKernelArg),
    entry!(kernel::clGetKernelInfo),
    entry!(kernel::clGetKernelWorkGroupInfo),
    entry!(event::clWaitForEvents),
    entry!(event::clGetEventInfo),
    entry!(event::clRetainEvent),
    entry!(event::clReleaseEvent),
    entry!(event::clGetEventProfilingInfo),
    entry!(queue::clFlush),
    entry!(queue::clFinish),
    entry!(transfer::clEnqueueReadBuffer),
    entry!(transfer::clEnqueueWriteBuffer),
    entry!(transfer::clEnqueueCopyBuffer),
    entry!(transfer_image::clEnqueueReadImage),
    entry!(transfer_image::clEnqueueWriteImage),
    entry!(transfer_image::clEnqueueCopyImage),
    entry!(transfer_image::clEnqueueCopyImageToBuffer),
    entry!(transfer_image::clEnqueueCopyBufferToImage),
    entry!(map::clEnqueueMapBuffer),
    entry!(map::clEnqueueMapImage),
    entry!(map::clEnqueueUnmapMemObject),
    entry!(launch::clEnqueueNDRangeKernel),
    entry!(launch::clEnqueueTask),
    entry!(launch::clEnqueueNativeKernel),
    entry!(event::clEnqueueMarker),
    entry!(event::clEnqueueWaitForEvents),
    entry!(event::clEnqueueBarrier),
    entry!(platform::clGetExtensionFunctionAddress),
    NONE, // clCreateFromGLBuffer
    NONE, // clCreateFromGLTexture2D
    NONE, // clCreateFromGLTexture3D
    NONE, // clCreateFromGLRenderbuffer
    NONE, // clGetGLObjectInfo
    NONE, // clGetGLTextureInfo
    NONE, // clEnqueueAcquireGLObjects
    NONE, // clEnqueueReleaseGLObjects
    NONE, // clGetGLContextInfoKHR
    NONE, // clGetDeviceIDsFromD3D10KHR
    NONE, // clCreateFromD3D10BufferKHR
    NONE, // clCreateFromD3D10Texture2DKHR
    NONE, // clCreateFromD3D10Texture3DKHR
    NONE, // clEnqueueAcquireD3D10ObjectsKHR
    NONE, // clEnqueueReleaseD3D10ObjectsKHR
    entry!(event::clSetEventCallback),
    entry!(memory::clCreateSubBuffer),
    entry!(memory::clSetMemObjectDestructorCallback),
    entry!(event::clCreateUserEvent),
    entry!(event::clSetUserEventStatus),
    entry!(transfer::clEnqueueReadBufferRect),
    entry!(transfer::clEnqueueWriteBufferRect),
    entry!(transfer::clEnqueueCopyBufferRect),
    entry!(device::clCreateSubDevicesEXT),
    entry!(device::clRetainDevice),
    entry!(device::clReleaseDevice),
    NONE, // clCreateEventFromGLsyncKHR
    entry!(device::clCreateSubDevices),
    entry!(device::clRetainDevice),
    entry!(device::clReleaseDevice),
    entry!(image::clCreateImage),
    entry!(program::clCreateProgramWithBuiltInKernels),
    entry!(program::clCompileProgram),
    entry!(program::clLinkProgram),
    entry!(platform::clUnloadPlatformCompiler),
    entry!(kernel::clGetKernelArgInfo),
    entry!(transfer::clEnqueueFillBuffer),
    entry!(transfer_image::clEnqueueFillImage),
    entry!(transfer::clEnqueueMigrateMemObjects),
    entry!(event::clEnqueueMarkerWithWaitList),
    entry!(event::clEnqueueBarrierWithWaitList),
    entry!(platform::clGetExtensionFunctionAddressForPlatform),
    NONE, // clCreateFromGLTexture
    NONE, // clGetDeviceIDsFromD3D11KHR
    NONE, // clCreateFromD3D11BufferKHR
    NONE, // clCreateFromD3D11Texture2DKHR
    NONE, // clCreateFromD3D11Texture3DKHR
    NONE, // clCreateFromDX9MediaSurfaceKHR
    NONE, // clEnqueueAcquireD3D11ObjectsKHR
    NONE, // clEnqueueReleaseD3D11ObjectsKHR
    NONE, // clGetDeviceIDsFromDX9MediaAdapterKHR
    NONE, // clEnqueueAcquireDX9MediaSurfacesKHR
    NONE, // clEnqueueReleaseDX9MediaSurfacesKHR
    NONE, // clCreateFromEGLImageKHR
    NONE, // clEnqueueAcquireEGLObjectsKHR
    NONE, // clEnqueueReleaseEGLObjectsKHR
    NONE, // clCreateEventFromEGLSyncKHR
    entry!(queue::clCreateCommandQueueWithProperties),
    entry!(memory::clCreatePipe),
    entry!(memory::clGetPipeInfo),
    entry!(svm::clSVMAlloc),
    entry!(svm::clSVMFree),
    entry!(svm::clEnqueueSVMFree),
    entry!(svm::clEnqueueSVMMemcpy),
    entry!(svm::clEnqueueSVMMemFill),
    entry!(svm::clEnqueueSVMMap),
    entry!(svm::clEnqueueSVMUnmap),
    entry!(sampler::clCreateSamplerWithProperties),
    entry!(svm::clSetKernelArgSVMPointer),
    entry!(kernel::clSetKernelExecInfo),
    entry!(kernel::clGetKernelSubGroupInfoKHR),
    entry!(kernel::clCloneKernel),
    entry!(program::clCreateProgramWithIL),
    entry!(svm::clEnqueueSVMMigrateMem),
    entry!(device::clGetDeviceAndHostTimer),
    entry!(device::clGetHostTimer),
    entry!(kernel::clGetKernelSubGroupInfo),
    entry!(queue::clSetDefaultDeviceCommandQueue),
    entry!(program::clSetProgramReleaseCallback),
    entry!(program::clSetProgramSpecializationConstant),
    entry!(memory::clCreateBufferWithProperties),
    entry!(image::clCreateImageWithProperties),
    entry!(context::clSetContextDestructorCallback),
    entry!(launch::clGetKernelSuggestedLocalWorkSize),
];

/// Extension functions, and the function that the loader asks for before it has a table.
static BY_NAME: &[(&str, Entry)] = &[
    ("clIcdGetPlatformIDsKHR", entry!(platform::clIcdGetPlatformIDsKHR)),
    ("clGetPlatformInfo", entry!(platform::clGetPlatformInfo)),
    ("clCreateCommandQueueWithPropertiesKHR", entry!(queue::clCreateCommandQueueWithProperties)),
    ("clGetKernelSuggestedLocalWorkSizeKHR", entry!(launch::clGetKernelSuggestedLocalWorkSize)),
    ("clGetKernelSubGroupInfoKHR", entry!(kernel::clGetKernelSubGroupInfoKHR)),
    ("clCreateProgramWithILKHR", entry!(program::clCreateProgramWithIL)),
    ("clSetKernelArgDevicePointerEXT", entry!(kernel::clSetKernelArgDevicePointerEXT)),
    ("clGetDeviceCooperativeMatrixInfoKHR", entry!(matrix::clGetDeviceCooperativeMatrixInfoKHR)),
    ("clGetImageRequirementsInfoEXT", entry!(image_requirements::clGetImageRequirementsInfoEXT)),
    ("clEnqueueAcquireExternalMemObjectsKHR", entry!(external::clEnqueueAcquireExternalMemObjectsKHR)),
    ("clEnqueueReleaseExternalMemObjectsKHR", entry!(external::clEnqueueReleaseExternalMemObjectsKHR)),
    ("clCreateCommandBufferKHR", entry!(command_buffer::clCreateCommandBufferKHR)),
    ("clRemapCommandBufferKHR", entry!(command_buffer::clRemapCommandBufferKHR)),
    ("clRetainCommandBufferKHR", entry!(command_buffer::clRetainCommandBufferKHR)),
    ("clReleaseCommandBufferKHR", entry!(command_buffer::clReleaseCommandBufferKHR)),
    ("clFinalizeCommandBufferKHR", entry!(command_buffer::clFinalizeCommandBufferKHR)),
    ("clEnqueueCommandBufferKHR", entry!(command_buffer::clEnqueueCommandBufferKHR)),
    ("clGetCommandBufferInfoKHR", entry!(command_buffer::clGetCommandBufferInfoKHR)),
    ("clCommandBarrierWithWaitListKHR", entry!(command_buffer::clCommandBarrierWithWaitListKHR)),
    ("clCommandCopyBufferKHR", entry!(transfer::clCommandCopyBufferKHR)),
    ("clCommandCopyBufferRectKHR", entry!(transfer::clCommandCopyBufferRectKHR)),
    ("clCommandCopyBufferToImageKHR", entry!(transfer_image::clCommandCopyBufferToImageKHR)),
    ("clCommandCopyImageKHR", entry!(transfer_image::clCommandCopyImageKHR)),
    ("clCommandCopyImageToBufferKHR", entry!(transfer_image::clCommandCopyImageToBufferKHR)),
    ("clCommandFillBufferKHR", entry!(transfer::clCommandFillBufferKHR)),
    ("clCommandFillImageKHR", entry!(transfer_image::clCommandFillImageKHR)),
    ("clCommandNDRangeKernelKHR", entry!(command_buffer::clCommandNDRangeKernelKHR)),
    ("clCommandSVMMemcpyKHR", entry!(command_buffer::clCommandSVMMemcpyKHR)),
    ("clCommandSVMMemFillKHR", entry!(svm::clCommandSVMMemFillKHR)),
    ("clUpdateMutableCommandsKHR", entry!(command_buffer::clUpdateMutableCommandsKHR)),
    ("clGetMutableCommandInfoKHR", entry!(command_buffer::clGetMutableCommandInfoKHR)),
    ("clSVMAllocWithPropertiesKHR", entry!(unified_svm::clSVMAllocWithPropertiesKHR)),
    ("clSVMFreeWithPropertiesKHR", entry!(unified_svm::clSVMFreeWithPropertiesKHR)),
    ("clGetSVMPointerInfoKHR", entry!(unified_svm::clGetSVMPointerInfoKHR)),
    ("clGetSVMSuggestedTypeIndexKHR", entry!(unified_svm::clGetSVMSuggestedTypeIndexKHR)),
    ("clCreateSemaphoreWithPropertiesKHR", entry!(semaphore::clCreateSemaphoreWithPropertiesKHR)),
    ("clEnqueueWaitSemaphoresKHR", entry!(semaphore::clEnqueueWaitSemaphoresKHR)),
    ("clEnqueueSignalSemaphoresKHR", entry!(semaphore::clEnqueueSignalSemaphoresKHR)),
    ("clGetSemaphoreInfoKHR", entry!(semaphore::clGetSemaphoreInfoKHR)),
    ("clRetainSemaphoreKHR", entry!(semaphore::clRetainSemaphoreKHR)),
    ("clReleaseSemaphoreKHR", entry!(semaphore::clReleaseSemaphoreKHR)),
    ("clGetSemaphoreHandleForTypeKHR", entry!(semaphore::clGetSemaphoreHandleForTypeKHR)),
    ("clReImportSemaphoreSyncFdKHR", entry!(semaphore::clReImportSemaphoreSyncFdKHR)),
    ("clHostMemAllocINTEL", entry!(usm::clHostMemAllocINTEL)),
    ("clDeviceMemAllocINTEL", entry!(usm::clDeviceMemAllocINTEL)),
    ("clSharedMemAllocINTEL", entry!(usm::clSharedMemAllocINTEL)),
    ("clMemFreeINTEL", entry!(usm::clMemFreeINTEL)),
    ("clMemBlockingFreeINTEL", entry!(usm::clMemBlockingFreeINTEL)),
    ("clGetMemAllocInfoINTEL", entry!(usm::clGetMemAllocInfoINTEL)),
    ("clSetKernelArgMemPointerINTEL", entry!(usm::clSetKernelArgMemPointerINTEL)),
    ("clEnqueueMemsetINTEL", entry!(usm::clEnqueueMemsetINTEL)),
    ("clEnqueueMemFillINTEL", entry!(usm::clEnqueueMemFillINTEL)),
    ("clEnqueueMemcpyINTEL", entry!(usm::clEnqueueMemcpyINTEL)),
    ("clEnqueueMigrateMemINTEL", entry!(usm::clEnqueueMigrateMemINTEL)),
    ("clEnqueueMemAdviseINTEL", entry!(usm::clEnqueueMemAdviseINTEL)),
];

/// The extension function with this name; null if there is none.
pub fn extension_function(name: &str) -> *const std::ffi::c_void {
    let found = BY_NAME.iter().find(|(known, _)| *known == name);
    found.map_or(std::ptr::null(), |(_, entry)| entry.0.cast())
}
