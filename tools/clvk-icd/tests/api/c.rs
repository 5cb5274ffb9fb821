//! The functions that the library exports, and shorthands for them.

use clvk_icd as _;
use opencl_sys::*;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

pub type Status = cl_int;
type Notify = Option<unsafe extern "C" fn(cl_program, *mut c_void)>;
type EventNotify = Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>;
type MemoryNotify = Option<unsafe extern "C" fn(cl_mem, *mut c_void)>;

pub type ContextNotify = Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;
type SvmNotify = Option<unsafe extern "C" fn(cl_command_queue, u32, *mut *mut c_void, *mut c_void)>;

macro_rules! functions {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        unsafe extern "C" {
            $(pub fn $name($($arg: $ty),*) $(-> $result)?;)*
        }
    };
}

functions! {
    fn clGetPlatformIDs(n: u32, platforms: *mut cl_platform_id, count: *mut u32) -> Status;
    fn clGetPlatformInfo(p: cl_platform_id, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clGetDeviceIDs(p: cl_platform_id, kind: u64, n: u32, devices: *mut cl_device_id, count: *mut u32) -> Status;
    fn clGetDeviceInfo(d: cl_device_id, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clCreateSubDevices(d: cl_device_id, p: *const isize, n: u32, out: *mut cl_device_id, count: *mut u32) -> Status;
    fn clRetainDevice(d: cl_device_id) -> Status;
    fn clReleaseDevice(d: cl_device_id) -> Status;
    fn clCreateProgramWithIL(c: cl_context, il: *const c_void, length: usize, e: *mut Status) -> cl_program;
    fn clSetProgramSpecializationConstant(p: cl_program, id: u32, size: usize, value: *const c_void) -> Status;
    fn clCreateContext(p: *const isize, n: u32, d: *const cl_device_id, f: ContextNotify, data: *mut c_void, e: *mut Status) -> cl_context;
    fn clReleaseContext(c: cl_context) -> Status;
    fn clRetainContext(c: cl_context) -> Status;
    fn clGetContextInfo(c: cl_context, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clCreateCommandQueueWithProperties(c: cl_context, d: cl_device_id, p: *const u64, e: *mut Status) -> cl_command_queue;
    fn clSetDefaultDeviceCommandQueue(c: cl_context, d: cl_device_id, q: cl_command_queue) -> Status;
    fn clGetCommandQueueInfo(q: cl_command_queue, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clReleaseCommandQueue(q: cl_command_queue) -> Status;
    fn clFinish(q: cl_command_queue) -> Status;
    fn clFlush(q: cl_command_queue) -> Status;
    fn clCreateBuffer(c: cl_context, flags: u64, size: usize, host: *mut c_void, e: *mut Status) -> cl_mem;
    fn clCreateImage(c: cl_context, flags: u64, f: *const cl_image_format, d: *const cl_image_desc, host: *mut c_void, e: *mut Status) -> cl_mem;
    fn clCreateSampler(c: cl_context, normalised: u32, addressing: u32, filter: u32, e: *mut Status) -> cl_sampler;
    fn clCreateSamplerWithProperties(c: cl_context, p: *const u64, e: *mut Status) -> cl_sampler;
    fn clGetSamplerInfo(s: cl_sampler, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clGetImageInfo(m: cl_mem, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clEnqueueReadImage(q: cl_command_queue, m: cl_mem, blocking: u32, origin: *const usize, region: *const usize, row: usize, slice: usize, p: *mut c_void, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueWriteImage(q: cl_command_queue, m: cl_mem, blocking: u32, origin: *const usize, region: *const usize, row: usize, slice: usize, p: *const c_void, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueFillImage(q: cl_command_queue, m: cl_mem, color: *const c_void, origin: *const usize, region: *const usize, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueCopyImage(q: cl_command_queue, s: cl_mem, d: cl_mem, from: *const usize, to: *const usize, region: *const usize, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clReleaseSampler(s: cl_sampler) -> Status;
    fn clGetSupportedImageFormats(c: cl_context, flags: u64, kind: u32, n: u32, formats: *mut cl_image_format, count: *mut u32) -> Status;
    fn clCreatePipe(c: cl_context, flags: u64, packet: u32, packets: u32, p: *const isize, e: *mut Status) -> cl_mem;
    fn clCreateSubBuffer(b: cl_mem, flags: u64, kind: u32, info: *const c_void, e: *mut Status) -> cl_mem;
    fn clRetainMemObject(m: cl_mem) -> Status;
    fn clReleaseMemObject(m: cl_mem) -> Status;
    fn clGetMemObjectInfo(m: cl_mem, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clSetMemObjectDestructorCallback(m: cl_mem, f: MemoryNotify, data: *mut c_void) -> Status;
    fn clCreateProgramWithSource(c: cl_context, n: u32, s: *const *const c_char, l: *const usize, e: *mut Status) -> cl_program;
    fn clCreateProgramWithBinary(c: cl_context, n: u32, d: *const cl_device_id, l: *const usize, b: *const *const u8, s: *mut Status, e: *mut Status) -> cl_program;
    fn clBuildProgram(p: cl_program, n: u32, d: *const cl_device_id, o: *const c_char, f: Notify, data: *mut c_void) -> Status;
    fn clCompileProgram(p: cl_program, n: u32, d: *const cl_device_id, o: *const c_char, h: u32, headers: *const cl_program, names: *const *const c_char, f: Notify, data: *mut c_void) -> Status;
    fn clLinkProgram(c: cl_context, n: u32, d: *const cl_device_id, o: *const c_char, count: u32, p: *const cl_program, f: Notify, data: *mut c_void, e: *mut Status) -> cl_program;
    fn clReleaseProgram(p: cl_program) -> Status;
    fn clSetProgramReleaseCallback(p: cl_program, f: Notify, data: *mut c_void) -> Status;
    fn clGetProgramInfo(p: cl_program, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clGetProgramBuildInfo(p: cl_program, d: cl_device_id, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clCreateKernel(p: cl_program, name: *const c_char, e: *mut Status) -> cl_kernel;
    fn clCloneKernel(k: cl_kernel, e: *mut Status) -> cl_kernel;
    fn clReleaseKernel(k: cl_kernel) -> Status;
    fn clSetKernelArg(k: cl_kernel, index: u32, size: usize, value: *const c_void) -> Status;
    fn clGetKernelSubGroupInfo(k: cl_kernel, d: cl_device_id, name: u32, input: usize, v: *const c_void, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clGetKernelArgInfo(k: cl_kernel, index: u32, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clEnqueueNDRangeKernel(q: cl_command_queue, k: cl_kernel, dims: u32, offset: *const usize, global: *const usize, local: *const usize, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueReadBuffer(q: cl_command_queue, m: cl_mem, blocking: u32, offset: usize, size: usize, p: *mut c_void, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueWriteBuffer(q: cl_command_queue, m: cl_mem, blocking: u32, offset: usize, size: usize, p: *const c_void, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueFillBuffer(q: cl_command_queue, m: cl_mem, pattern: *const c_void, length: usize, offset: usize, size: usize, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueCopyBuffer(q: cl_command_queue, a: cl_mem, b: cl_mem, from: usize, to: usize, size: usize, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueCopyBufferToImage(q: cl_command_queue, a: cl_mem, b: cl_mem, from: usize, to: *const usize, region: *const usize, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueCopyImageToBuffer(q: cl_command_queue, a: cl_mem, b: cl_mem, from: *const usize, region: *const usize, to: usize, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueMigrateMemObjects(q: cl_command_queue, n: u32, m: *const cl_mem, flags: u64, count: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueMarkerWithWaitList(q: cl_command_queue, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueMapBuffer(q: cl_command_queue, m: cl_mem, blocking: u32, flags: u64, offset: usize, size: usize, n: u32, w: *const cl_event, e: *mut cl_event, code: *mut Status) -> *mut c_void;
    fn clEnqueueMapImage(q: cl_command_queue, m: cl_mem, blocking: u32, flags: u64, origin: *const usize, region: *const usize, row: *mut usize, slice: *mut usize, n: u32, w: *const cl_event, e: *mut cl_event, code: *mut Status) -> *mut c_void;
    fn clEnqueueUnmapMemObject(q: cl_command_queue, m: cl_mem, p: *mut c_void, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clSVMAlloc(c: cl_context, flags: u64, size: usize, alignment: u32) -> *mut c_void;
    fn clSVMFree(c: cl_context, p: *mut c_void);
    fn clEnqueueSVMMap(q: cl_command_queue, blocking: u32, flags: u64, p: *mut c_void, size: usize, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueSVMUnmap(q: cl_command_queue, p: *mut c_void, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueSVMMemcpy(q: cl_command_queue, blocking: u32, to: *mut c_void, from: *const c_void, size: usize, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueSVMMemFill(q: cl_command_queue, p: *mut c_void, pattern: *const c_void, length: usize, size: usize, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueSVMFree(q: cl_command_queue, n: u32, p: *mut *mut c_void, f: SvmNotify, data: *mut c_void, count: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clSetKernelArgSVMPointer(k: cl_kernel, index: u32, p: *const c_void) -> Status;
    fn clSetKernelExecInfo(k: cl_kernel, name: u32, size: usize, value: *const c_void) -> Status;
    fn clCreateUserEvent(c: cl_context, e: *mut Status) -> cl_event;
    fn clSetUserEventStatus(e: cl_event, status: cl_int) -> Status;
    fn clGetEventInfo(e: cl_event, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clGetEventProfilingInfo(e: cl_event, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clSetEventCallback(e: cl_event, status: cl_int, f: EventNotify, data: *mut c_void) -> Status;
    fn clWaitForEvents(n: u32, e: *const cl_event) -> Status;
    fn clReleaseEvent(e: cl_event) -> Status;
}

/// Fails the test unless the code is `CL_SUCCESS`.
#[track_caller]
pub fn ok(status: Status) {
    assert_eq!(status, CL_SUCCESS);
}

/// Calls a function that takes `errcode_ret`, and fails the test if it fails.
#[track_caller]
pub fn created<T>(create: impl FnOnce(*mut Status) -> *mut T) -> *mut T {
    let mut status = 1;
    let object = create(&raw mut status);
    assert_eq!(status, CL_SUCCESS);
    assert!(!object.is_null());
    object
}

/// The code of a function that takes `errcode_ret` and must fail.
#[track_caller]
pub fn refused<T>(create: impl FnOnce(*mut Status) -> *mut T) -> Status {
    let mut status = 1;
    assert!(create(&raw mut status).is_null());
    status
}

/// The preferred device, a context and a queue of it.
pub struct Session {
    pub device: cl_device_id,
    pub context: cl_context,
    pub queue: cl_command_queue,
}

impl Session {
    pub fn new() -> Self {
        Session::with(0)
    }

    /// With these properties of the queue.
    pub fn with(properties: u64) -> Self {
        let (mut platform, mut device) = (null_mut(), null_mut());
        // SAFETY: the pointers are valid for one handle each.
        unsafe {
            ok(clGetPlatformIDs(1, &raw mut platform, null_mut()));
            ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &raw mut device, null_mut()));
        }
        // SAFETY: the device is one.
        let context =
            created(|e| unsafe { clCreateContext(null(), 1, &raw const device, None, null_mut(), e) });
        let mut session = Session { device, context, queue: null_mut() };
        session.queue = session.new_queue(properties);
        session
    }

    /// Another queue with these properties.
    pub fn new_queue(&self, properties: u64) -> cl_command_queue {
        let list = [u64::from(CL_QUEUE_PROPERTIES), properties, 0];
        let (context, device) = (self.context, self.device);
        // SAFETY: a zero ends the list.
        created(|e| unsafe { clCreateCommandQueueWithProperties(context, device, list.as_ptr(), e) })
    }

    pub fn buffer(&self, flags: u64, size: usize) -> cl_mem {
        // SAFETY: no host memory.
        created(|e| unsafe { clCreateBuffer(self.context, flags, size, null_mut(), e) })
    }

    pub fn buffer_of(&self, data: &[i32]) -> cl_mem {
        let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        let host = data.as_ptr().cast_mut().cast();
        // SAFETY: as many bytes as the size says.
        created(|e| unsafe { clCreateBuffer(self.context, flags, size_of_val(data), host, e) })
    }

    pub fn contents(&self, buffer: cl_mem, count: usize) -> Vec<i32> {
        let mut data = vec![0; count];
        let size = size_of_val(&data[..]);
        // SAFETY: as many bytes as the size says.
        ok(unsafe {
            clEnqueueReadBuffer(
                self.queue,
                buffer,
                CL_TRUE,
                0,
                size,
                data.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        });
        data
    }

    pub fn program(&self, source: &str) -> cl_program {
        let text = CString::new(source).unwrap();
        let list = [text.as_ptr()];
        // SAFETY: one text with a zero at its end.
        created(|e| unsafe { clCreateProgramWithSource(self.context, 1, list.as_ptr(), null(), e) })
    }

    pub fn built(&self, source: &str) -> cl_program {
        let program = self.program(source);
        // SAFETY: no pointers but the program.
        let status = unsafe { clBuildProgram(program, 0, null(), null(), None, null_mut()) };
        assert_eq!(status, CL_SUCCESS, "{}", self.log(program));
        program
    }

    pub fn built_for_version_three(&self, source: &str) -> cl_program {
        let program = self.program(source);
        // SAFETY: a text with a zero at its end.
        let status =
            unsafe { clBuildProgram(program, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut()) };
        assert_eq!(status, CL_SUCCESS, "{}", self.log(program));
        program
    }

    pub fn log(&self, program: cl_program) -> String {
        text(|size, value, ret| {
            // SAFETY: as much room as the size says.
            unsafe { clGetProgramBuildInfo(program, self.device, CL_PROGRAM_BUILD_LOG, size, value, ret) }
        })
    }

    pub fn kernel(&self, program: cl_program, name: &CStr) -> cl_kernel {
        // SAFETY: a text with a zero at its end.
        created(|e| unsafe { clCreateKernel(program, name.as_ptr(), e) })
    }

    /// Launches a kernel of a program whose first argument is a buffer with these numbers, and gives what the
    /// buffer holds then. `others` sets the other arguments.
    pub fn run_over(
        &self,
        (program, name): (cl_program, &CStr),
        data: &[i32],
        items: usize,
        others: impl FnOnce(cl_kernel),
    ) -> Vec<i32> {
        let kernel = self.kernel(program, name);
        let buffer = self.buffer_of(data);
        set(kernel, 0, &buffer);
        others(kernel);
        ok(self.launch(kernel, items));
        let result = self.contents(buffer, data.len());
        // SAFETY: the handles are the test's.
        unsafe {
            ok(clReleaseMemObject(buffer));
            ok(clReleaseKernel(kernel));
        }
        result
    }

    /// Launches that many work-items.
    pub fn launch(&self, kernel: cl_kernel, count: usize) -> Status {
        // SAFETY: one size for one dimension.
        unsafe {
            clEnqueueNDRangeKernel(
                self.queue,
                kernel,
                1,
                null(),
                &raw const count,
                null(),
                0,
                null(),
                null_mut(),
            )
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: the handles are this session's.
        unsafe {
            ok(clReleaseCommandQueue(self.queue));
            ok(clReleaseContext(self.context));
        }
    }
}

/// An image with rows and columns, whose rows follow each other.
pub fn image_2d(width: usize, height: usize) -> cl_image_desc {
    cl_image_desc {
        image_type: CL_MEM_OBJECT_IMAGE2D,
        image_width: width,
        image_height: height,
        image_depth: 0,
        image_array_size: 0,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: null_mut(),
    }
}

/// Releases a program of the test.
pub fn release_program(program: cl_program) {
    // SAFETY: the handle is the test's.
    unsafe { ok(clReleaseProgram(program)) };
}

/// Sets an argument to a value.
#[track_caller]
pub fn set<T>(kernel: cl_kernel, index: u32, value: &T) {
    // SAFETY: as many bytes as the size says.
    ok(unsafe { clSetKernelArg(kernel, index, size_of::<T>(), std::ptr::from_ref(value).cast()) });
}

/// The answer to a query: its size first, then the value.
#[track_caller]
pub fn answer(query: impl Fn(usize, *mut c_void, *mut usize) -> Status) -> Vec<u8> {
    let mut size = 0;
    ok(query(0, null_mut(), &raw mut size));
    let mut bytes = vec![0u8; size];
    ok(query(size, bytes.as_mut_ptr().cast(), null_mut()));
    bytes
}

/// The answer to a query for text.
#[track_caller]
pub fn text(query: impl Fn(usize, *mut c_void, *mut usize) -> Status) -> String {
    let bytes = answer(query);
    CStr::from_bytes_with_nul(&bytes).expect("text ends with a zero").to_str().unwrap().to_owned()
}

/// The answer to a query for a 32-bit number.
#[track_caller]
pub fn number(query: impl Fn(usize, *mut c_void, *mut usize) -> Status) -> u32 {
    u32::from_ne_bytes(answer(query).try_into().expect("four bytes"))
}
