//! Where kernels print (`cl_arm_printf`).

use crate::c::*;
use opencl_sys::*;
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;
use std::sync::Mutex;

const CALLBACK: isize = CL_PRINTF_CALLBACK_ARM as isize;
const BUFFER_SIZE: isize = CL_PRINTF_BUFFERSIZE_ARM as isize;

/// The texts that a context printed, and whether each was the last of its launch.
type Texts = Mutex<Vec<(Vec<u8>, usize)>>;

unsafe extern "C" fn keep(text: *const c_char, length: usize, complete: usize, texts: *mut c_void) {
    // SAFETY: the driver gives as many bytes as it says, and what the test passed, which is alive.
    let (text, texts) =
        unsafe { (std::slice::from_raw_parts(text.cast::<u8>(), length), &*texts.cast::<Texts>()) };
    texts.lock().unwrap().push((text.to_vec(), complete));
}

fn callback() -> isize {
    keep as *const () as isize
}

fn context(session: &Session, properties: &[isize], data: *mut c_void, e: *mut Status) -> cl_context {
    // SAFETY: a zero ends the properties, and the device is one.
    unsafe { clCreateContext(properties.as_ptr(), 1, &raw const session.device, None, data, e) }
}

/// A session in a context with these properties.
fn printing(properties: &[isize], texts: &Texts) -> Session {
    let usual = Session::new();
    let data = std::ptr::from_ref(texts).cast_mut().cast();
    let other = created(|e| context(&usual, properties, data, e));
    let mut session = Session { device: usual.device, context: other, queue: null_mut() };
    session.queue = session.new_queue(0);
    session
}

const SOURCE: &str = "
    kernel void greet(int number) { printf(\"%d of %s\\n\", number + (int)get_global_id(0), \"many\"); }
    kernel void quiet(global int *x) { x[get_global_id(0)] = 1; if (x[0] == 2) printf(\"never\\n\"); }";

#[test]
fn a_context_receives_what_its_kernels_print() {
    let texts = Texts::default();
    let session = printing(&[CALLBACK, callback(), 0], &texts);
    let program = session.built(SOURCE);
    let (greet, quiet) = (session.kernel(program, c"greet"), session.kernel(program, c"quiet"));
    let buffer = session.buffer_of(&[0; 4]);
    set(quiet, 0, &buffer);
    for number in [10, 20] {
        set(greet, 0, &number);
        ok(session.launch(greet, 3));
        ok(session.launch(quiet, 4));
    }
    // SAFETY: the queue is the test's.
    ok(unsafe { clFinish(session.queue) });
    let found = std::mem::take(&mut *texts.lock().unwrap());
    assert!(found.iter().all(|(text, complete)| !text.is_empty() && *complete != 0), "{found:?}");
    let all = found.into_iter().flat_map(|(text, _)| text).collect::<Vec<u8>>();
    let all = String::from_utf8(all).unwrap();
    let mut lines: Vec<&str> = all.lines().collect();
    lines.sort_unstable();
    let expected = ["10 of many", "11 of many", "12 of many", "20 of many", "21 of many", "22 of many"];
    assert_eq!(lines, expected);
    release(&session, &[greet, quiet], program, &[buffer]);
}

/// So do the constructors and destructors of its programs.
#[test]
fn a_context_receives_what_programs_print_when_they_begin_and_end() {
    let texts = Texts::default();
    let session = printing(&[CALLBACK, callback(), 0], &texts);
    let program =
        session.program("struct s { s() { printf(\"begun\\n\"); } ~s() { printf(\"ended\\n\"); } }; s x;");
    // SAFETY: a text with a zero at its end.
    unsafe {
        let options = c"-cl-std=CLC++2021".as_ptr();
        ok(clBuildProgram(program, 0, std::ptr::null(), options, None, null_mut()));
        ok(clReleaseProgram(program));
    }
    let found = std::mem::take(&mut *texts.lock().unwrap());
    let all = found.into_iter().flat_map(|(text, _)| text).collect::<Vec<u8>>();
    assert_eq!(String::from_utf8(all).unwrap(), "begun\nended\n");
}

/// A larger buffer holds more lines than a small one.
#[test]
fn the_buffer_has_the_size_that_is_asked_for() {
    const LINES: usize = 100_000;
    for (size, fits) in [(4096isize, false), (16 << 20, true)] {
        let texts = Texts::default();
        let session = printing(&[BUFFER_SIZE, size, CALLBACK, callback(), 0], &texts);
        let given = answer(|size, value, ret| {
            // SAFETY: as much room as the size says.
            unsafe { clGetContextInfo(session.context, CL_CONTEXT_PROPERTIES, size, value, ret) }
        });
        assert_eq!(given.len(), 5 * size_of::<isize>());
        let program = session.built(SOURCE);
        let greet = session.kernel(program, c"greet");
        set(greet, 0, &0i32);
        ok(session.launch(greet, LINES));
        // SAFETY: the queue is the test's.
        ok(unsafe { clFinish(session.queue) });
        let lines: usize =
            texts.lock().unwrap().iter().map(|(text, _)| text.iter().filter(|&&b| b == b'\n').count()).sum();
        assert!(if fits { lines == LINES } else { lines > 0 && lines < LINES }, "{size}: {lines}");
        release(&session, &[greet], program, &[]);
    }
}

#[test]
fn wrong_properties_are_refused() {
    let (session, texts) = (Session::new(), Texts::default());
    let data: *mut c_void = std::ptr::from_ref(&texts).cast_mut().cast();
    let code = |properties: &[isize], data| refused(|e| context(&session, properties, data, e));
    let twice = [CALLBACK, callback(), CALLBACK, callback(), 0];
    assert_eq!(code(&twice, data), CL_INVALID_PROPERTY);
    assert_eq!(code(&[BUFFER_SIZE, 4096, 0], data), CL_INVALID_VALUE, "nobody takes the data");
    assert_eq!(code(&[CALLBACK, 0, 0], data), CL_INVALID_VALUE, "no function");
    let plain = created(|e| context(&session, &[CALLBACK, 0, 0], null_mut(), e));
    // SAFETY: the context is the test's.
    ok(unsafe { clReleaseContext(plain) });
    assert!(texts.lock().unwrap().is_empty());
}

fn release(session: &Session, kernels: &[cl_kernel], program: cl_program, buffers: &[cl_mem]) {
    // SAFETY: the handles are the test's.
    unsafe {
        kernels.iter().for_each(|&kernel| ok(clReleaseKernel(kernel)));
        buffers.iter().for_each(|&buffer| ok(clReleaseMemObject(buffer)));
        ok(clReleaseProgram(program));
        ok(clFinish(session.queue));
    }
}
