//! Objects of programs in C++ for OpenCL: made once for each device, and destroyed before the program is
//! gone.

use crate::c::*;
use crate::devices::Pair;
use crate::programs::{binary_of, load};
use crate::spirv;
use opencl_sys::*;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// `watch` has the destructors write to a buffer, which begins with the number of constructions.
const SOURCE: &str = "
    global int *seen;
    int made, ended;
    struct object {
        int id;
        object(int id) : id(id) { ++made; }
        ~object() { if (seen) seen[++ended] = id; }
    };
    object first(10), second(20);
    kernel void watch(global int *out) { seen = out; out[0] = made; }";

const OPTIONS: &CStr = c"-cl-std=CLC++2021";

/// What a buffer for `watch` holds before and after the end of the program.
const BEFORE: [i32; 4] = [2, 0, 0, 0];
const AFTER: [i32; 4] = [2, 20, 10, 0];

/// A session, if kernels of the device can keep the address that `watch` keeps; others must refuse it.
fn session() -> Option<Session> {
    let session = Session::new();
    if keeps_addresses(session.device) {
        return Some(session);
    }
    eprintln!("the device has no addresses of buffers: only that it refuses to keep one is tested");
    let program = session.program(SOURCE);
    // SAFETY: no pointers but the program and a text with a zero at its end.
    let status = unsafe { clBuildProgram(program, 0, null(), OPTIONS.as_ptr(), None, null_mut()) };
    assert_eq!(status, CL_BUILD_PROGRAM_FAILURE);
    let log = session.log(program);
    assert!(log.contains("kernel `watch` keeps a pointer in a buffer"), "{log}");
    release(program, &[]);
    None
}

fn keeps_addresses(device: cl_device_id) -> bool {
    let capabilities = answer(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, size, value, ret) }
    });
    capabilities.iter().any(|&byte| byte != 0)
}

fn built(session: &Session, source: &str) -> cl_program {
    let program = session.program(source);
    // SAFETY: no pointers but the program and a text with a zero at its end.
    let status = unsafe { clBuildProgram(program, 0, null(), OPTIONS.as_ptr(), None, null_mut()) };
    assert_eq!(status, CL_SUCCESS, "{}", session.log(program));
    program
}

fn release(program: cl_program, kernels: &[cl_kernel]) {
    // SAFETY: the handles are the test's.
    unsafe {
        kernels.iter().for_each(|&kernel| ok(clReleaseKernel(kernel)));
        ok(clReleaseProgram(program));
    }
}

fn names(program: cl_program) -> String {
    // SAFETY: as much room as the size says.
    text(|size, value, ret| unsafe { clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, value, ret) })
}

/// Whether the program has constructors and destructors.
fn hooks(program: cl_program) -> [bool; 2] {
    [CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT].map(|name| {
        // SAFETY: as much room as the size says.
        number(|size, value, ret| unsafe { clGetProgramInfo(program, name, size, value, ret) }) != 0
    })
}

/// Launches `watch` and returns its kernel and buffer.
fn watched(session: &Session, program: cl_program) -> (cl_kernel, cl_mem) {
    let (kernel, buffer) = (session.kernel(program, c"watch"), session.buffer_of(&[0; 4]));
    set(kernel, 0, &buffer);
    ok(session.launch(kernel, 1));
    (kernel, buffer)
}

#[test]
fn objects_are_made_once_and_destroyed_in_reverse() {
    let Some(session) = session() else { return };
    let program = built(&session, SOURCE);
    assert_eq!((names(program).as_str(), hooks(program)), ("watch", [true; 2]));
    // As clang's manual has applications do it, where drivers do not.
    let by_hand = session.kernel(program, c"_GLOBAL__sub_I_program.cl");
    ok(session.launch(by_hand, 1));
    let (kernel, buffer) = watched(&session, program);
    ok(session.launch(by_hand, 1));
    ok(session.launch(kernel, 1));
    assert_eq!(session.contents(buffer, 4), BEFORE);
    // Kernels keep the program.
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clReleaseProgram(program));
        ok(clReleaseKernel(by_hand));
        assert_eq!(session.contents(buffer, 4), BEFORE);
        ok(clReleaseKernel(kernel));
        assert_eq!(session.contents(buffer, 4), AFTER);
        ok(clReleaseMemObject(buffer));
    }
    let plain =
        session.built_for_version_three("global int x = 1; kernel void k(global int *out) { *out = x; }");
    assert_eq!(hooks(plain), [false; 2]);
    release(plain, &[]);
}

#[test]
fn a_program_that_is_built_again_has_new_objects() {
    let Some(session) = session() else { return };
    let program = built(&session, SOURCE);
    let (kernel, buffer) = watched(&session, program);
    // SAFETY: the handles are the test's; the text ends with a zero.
    unsafe {
        ok(clReleaseKernel(kernel));
        assert_eq!(session.contents(buffer, 4), BEFORE);
        ok(clBuildProgram(program, 0, null(), OPTIONS.as_ptr(), None, null_mut()));
        assert_eq!(session.contents(buffer, 4), AFTER);
    }
    let (again, other) = watched(&session, program);
    assert_eq!(session.contents(other, 4), BEFORE);
    release(program, &[again]);
    assert_eq!(session.contents(other, 4), AFTER);
    // SAFETY: the handles are the test's.
    unsafe { [buffer, other].iter().for_each(|&buffer| ok(clReleaseMemObject(buffer))) };
}

/// What a callback found: its number, the program, and the shared memory that destructors write to.
struct Called {
    number: i32,
    memory: usize,
    calls: *const Mutex<Vec<(i32, usize, [i32; 4])>>,
}

unsafe extern "C" fn note(program: cl_program, data: *mut c_void) {
    // SAFETY: the test waits for the call, and keeps what it passes until then.
    let (called, calls) = unsafe {
        let called = &*data.cast::<Called>();
        (called, &*called.calls)
    };
    let found = match called.memory {
        0 => [0; 4],
        // SAFETY: the memory has four numbers, and the device is done with it.
        memory => unsafe { std::ptr::read_volatile(memory as *const [i32; 4]) },
    };
    calls.lock().unwrap().push((called.number, program as usize, found));
}

fn on_release(program: cl_program, called: &Called) {
    let data = std::ptr::from_ref(called).cast_mut().cast();
    // SAFETY: the test keeps the data.
    ok(unsafe { clSetProgramReleaseCallback(program, Some(note), data) });
}

#[test]
fn callbacks_follow_the_destructors() {
    let Some(session) = session() else { return };
    let program = built(&session, SOURCE);
    let kernel = session.kernel(program, c"watch");
    // SAFETY: there is no function and no data.
    let refused = unsafe { clSetProgramReleaseCallback(program, None, null_mut()) };
    assert_eq!(refused, CL_INVALID_VALUE);
    // SAFETY: the context is one.
    let memory = unsafe { clSVMAlloc(session.context, CL_MEM_READ_WRITE, 16, 0) };
    assert!(!memory.is_null(), "the devices of the tests have shared virtual memory");
    // SAFETY: the memory has 16 bytes.
    unsafe {
        std::ptr::write(memory.cast::<[i32; 4]>(), [0; 4]);
        ok(clSetKernelArgSVMPointer(kernel, 0, memory));
    }
    ok(session.launch(kernel, 1));
    let calls = Mutex::new(Vec::new());
    let called = [1, 2].map(|number| Called { number, memory: memory as usize, calls: &raw const calls });
    called.iter().for_each(|called| on_release(program, called));
    release(program, &[]);
    assert!(calls.lock().unwrap().is_empty(), "the kernel keeps the program");
    // SAFETY: the handles are the test's.
    unsafe { ok(clReleaseKernel(kernel)) };
    let expected = [(2, program as usize, AFTER), (1, program as usize, AFTER)];
    assert_eq!(*calls.lock().unwrap(), expected);
    // SAFETY: the memory is the test's.
    unsafe { clSVMFree(session.context, memory) };
}

#[test]
fn a_launch_that_waits_keeps_the_objects() {
    let Some(session) = session() else { return };
    let program = built(&session, SOURCE);
    let (kernel, buffer) = (session.kernel(program, c"watch"), session.buffer_of(&[0; 4]));
    set(kernel, 0, &buffer);
    let calls = Mutex::new(Vec::new());
    let called = Called { number: 1, memory: 0, calls: &raw const calls };
    on_release(program, &called);
    let other = session.new_queue(0);
    // SAFETY: one size, one event; the handles are the test's.
    unsafe {
        let gate = created(|e| clCreateUserEvent(session.context, e));
        let size = 1;
        ok(clEnqueueNDRangeKernel(
            other,
            kernel,
            1,
            null(),
            &raw const size,
            null(),
            1,
            &raw const gate,
            null_mut(),
        ));
        release(program, &[kernel]);
        assert_eq!(session.contents(buffer, 4), [0; 4]);
        assert!(calls.lock().unwrap().is_empty());
        ok(clSetUserEventStatus(gate, CL_COMPLETE));
        ok(clFinish(other));
        let begun = Instant::now();
        while calls.lock().unwrap().is_empty() && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(calls.lock().unwrap().len(), 1);
        assert_eq!(session.contents(buffer, 4), AFTER);
        ok(clReleaseEvent(gate));
        ok(clReleaseCommandQueue(other));
        ok(clReleaseMemObject(buffer));
    }
}

#[test]
fn each_device_has_its_objects() {
    let Some(pair) = Pair::new(0) else { return };
    if !pair.devices.iter().all(|&device| keeps_addresses(device)) {
        eprintln!("a device has no addresses of buffers: not tested");
        return;
    }
    let source = std::ffi::CString::new(SOURCE).unwrap();
    let list = [source.as_ptr()];
    // SAFETY: the texts end with zeros.
    let (program, kernel) = unsafe {
        let program = created(|e| clCreateProgramWithSource(pair.context, 1, list.as_ptr(), null(), e));
        ok(clBuildProgram(program, 0, null(), OPTIONS.as_ptr(), None, null_mut()));
        (program, created(|e| clCreateKernel(program, c"watch".as_ptr(), e)))
    };
    let buffers = [0, 1].map(|on| {
        let buffer = pair.buffer(&[0; 4]);
        set(kernel, 0, &buffer);
        let event = pair.launch(on, kernel, &[1], &[]);
        assert_eq!(pair.contents(on, buffer, 4, &[event]), BEFORE);
        // SAFETY: the event is the test's.
        ok(unsafe { clReleaseEvent(event) });
        buffer
    });
    release(program, &[kernel]);
    for (on, buffer) in buffers.into_iter().enumerate() {
        assert_eq!(pair.contents(on, buffer, 4, &[]), AFTER);
        // SAFETY: the handle is the test's.
        ok(unsafe { clReleaseMemObject(buffer) });
    }
}

/// Objects are made in the order in which the programs are linked.
#[test]
fn linked_programs_begin_in_order() {
    let Some(session) = session() else { return };
    let common = "extern int made; extern int order[4]; extern global int *seen; extern int ended;
        struct object {
            int id;
            object(int id) : id(id) { order[made++] = id; }
            ~object() { if (seen) seen[++ended] = id; }
        };";
    let part = |text: &str| {
        let program = session.program(&format!("{common}{text}"));
        // SAFETY: the text ends with a zero.
        let status = unsafe {
            let options = OPTIONS.as_ptr();
            clCompileProgram(program, 0, null(), options, 0, null(), null(), None, null_mut())
        };
        assert_eq!(status, CL_SUCCESS, "{}", session.log(program));
        program
    };
    let parts = [
        part("object a(1);"),
        part("int made, ended; int order[4]; global int *seen; object b(2);
            kernel void watch(global int *out) { seen = out; out[0] = order[0] * 100 + order[1] * 10 + order[2]; }"),
        part("object c(3);"),
    ];
    // SAFETY: three programs.
    let program = unsafe {
        created(|e| clLinkProgram(session.context, 0, null(), null(), 3, parts.as_ptr(), None, null_mut(), e))
    };
    let (kernel, buffer) = watched(&session, program);
    assert_eq!(session.contents(buffer, 4), [123, 0, 0, 0]);
    // The program's binary begins and ends like it.
    let binary = binary_of(program);
    release(program, &[kernel]);
    assert_eq!(session.contents(buffer, 4), [123, 3, 2, 1]);
    let (loaded, of_binary, status) = load(&session, &binary);
    assert_eq!((of_binary, status), (CL_SUCCESS, CL_SUCCESS));
    // SAFETY: no pointers but the program.
    ok(unsafe { clBuildProgram(loaded, 0, null(), null(), None, null_mut()) });
    let (again, other) = watched(&session, loaded);
    release(loaded, &[again]);
    assert_eq!(session.contents(other, 4), [123, 3, 2, 1]);
    parts.iter().for_each(|&part| release(part, &[]));
    // SAFETY: the handles are the test's.
    unsafe { [buffer, other].iter().for_each(|&buffer| ok(clReleaseMemObject(buffer))) };
}

/// `begin` adds 5 to a number, `watch` keeps an address and writes the number, `end` writes 7 behind it.
const MODULE: &str = "
               OpCapability Addresses
               OpCapability Kernel
               OpCapability Int64
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %watch \"watch\"
               OpEntryPoint Kernel %end \"end\"
               OpEntryPoint Kernel %begin \"begin\"
               OpExecutionMode %begin Initializer
               OpExecutionMode %end Finalizer
       %void = OpTypeVoid
       %uint = OpTypeInt 32 0
      %ulong = OpTypeInt 64 0
        %one = OpConstant %ulong 1
       %five = OpConstant %uint 5
      %seven = OpConstant %uint 7
    %pointer = OpTypePointer CrossWorkgroup %uint
    %address = OpTypePointer CrossWorkgroup %pointer
     %number = OpVariable %pointer CrossWorkgroup %five
       %null = OpConstantNull %pointer
       %seen = OpVariable %address CrossWorkgroup %null
       %hook = OpTypeFunction %void
       %type = OpTypeFunction %void %pointer
      %begin = OpFunction %void None %hook
         %b0 = OpLabel
        %old = OpLoad %uint %number Aligned 4
        %new = OpIAdd %uint %old %five
               OpStore %number %new Aligned 4
               OpReturn
               OpFunctionEnd
      %watch = OpFunction %void None %type
        %out = OpFunctionParameter %pointer
         %w0 = OpLabel
               OpStore %seen %out Aligned 8
      %value = OpLoad %uint %number Aligned 4
               OpStore %out %value Aligned 4
               OpReturn
               OpFunctionEnd
        %end = OpFunction %void None %hook
         %e0 = OpLabel
       %kept = OpLoad %pointer %seen Aligned 8
       %next = OpInBoundsPtrAccessChain %pointer %kept %one
               OpStore %next %seven Aligned 4
               OpReturn
               OpFunctionEnd
";

#[test]
fn initializers_and_finalizers_of_modules_run() {
    let Some(session) = session() else { return };
    let program = spirv::create(&session, &spirv::assemble(MODULE));
    // SAFETY: no pointers but the program.
    let status = unsafe { clBuildProgram(program, 0, null(), null(), None, null_mut()) };
    assert_eq!(status, CL_SUCCESS, "{}", session.log(program));
    assert_eq!((names(program).as_str(), hooks(program)), ("watch", [true; 2]));
    let (kernel, buffer) = watched(&session, program);
    assert_eq!(session.contents(buffer, 4), [10, 0, 0, 0]);
    release(program, &[kernel]);
    assert_eq!(session.contents(buffer, 4), [10, 7, 0, 0]);
    // SAFETY: the handle is the test's.
    ok(unsafe { clReleaseMemObject(buffer) });
}
