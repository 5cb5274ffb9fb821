//! What a phone's device and system demand: a memory budget, no `VK_EXT_external_memory_host`, and no files
//! but the application's own. A layer makes the device one of a phone (`layer.c`), in processes of their own.

use crate::c::*;
use opencl_sys::*;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{null, null_mut};

const MIB: usize = 1 << 20;
const BUDGET: usize = 256 * MIB;
/// Set for the second process.
const INSIDE: &str = "CLVK_TESTS_ON_A_PHONE";
const ADD_ONE: &str = "kernel void add(global int *x) { x[get_global_id(0)] += 1; }";

/// A new folder for a test's files.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("phone-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn compile(file: &str, into: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api/phone").join(file).with_extension("c");
    let library = into.join(format!("lib{file}.so"));
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-Wall", "-Wno-unused-result", "-fPIC", "-shared", "-o"]).arg(&library);
    let done = command.arg(source).args(["-ldl", "-lpthread"]).output().expect("a C compiler");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    library
}

/// This test in another process, with variables; gives what it writes to the standard error stream.
#[track_caller]
fn again(test: &str, variables: &[(&str, &Path)]) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([&format!("phone::{test}"), "--exact", "--nocapture"])
        .env(INSIDE, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{errors}");
    errors
}

/// Runs `body` in a process whose device is a phone's.
#[track_caller]
fn on_a_phone(test: &str, body: impl FnOnce(&Session)) {
    if std::env::var_os(INSIDE).is_some() {
        body(&Session::new());
        return;
    }
    let folder = folder(test);
    let layer = serde_json::json!({
        "file_format_version": "1.1.2",
        "layer": {
            "name": "VK_LAYER_clvk_phone",
            "type": "GLOBAL",
            "library_path": compile("layer", &folder),
            "api_version": "1.3.0",
            "implementation_version": "1",
            "description": "A phone's device",
        },
    });
    std::fs::write(folder.join("phone.json"), layer.to_string()).unwrap();
    let budget = BUDGET.to_string();
    again(
        test,
        &[
            ("VK_LAYER_PATH", &folder),
            ("VK_INSTANCE_LAYERS", Path::new("VK_LAYER_clvk_phone")),
            ("PHONE_BUDGET", Path::new(&budget)),
        ],
    );
    std::fs::remove_dir_all(folder).unwrap();
}

fn long(session: &Session, name: u32) -> u64 {
    // SAFETY: as much room as the size says.
    let query = |size, value, ret| unsafe { clGetDeviceInfo(session.device, name, size, value, ret) };
    u64::from_ne_bytes(answer(query).try_into().expect("eight bytes"))
}

/// Creates a buffer and writes to it, so that it has memory; or the code of what fails.
fn filled(session: &Session, size: usize) -> Result<cl_mem, Status> {
    let mut status = 1;
    // SAFETY: no host memory.
    let buffer =
        unsafe { clCreateBuffer(session.context, CL_MEM_READ_WRITE, size, null_mut(), &raw mut status) };
    if status != CL_SUCCESS {
        return Err(status);
    }
    let (queue, one) = (session.queue, 1i32);
    let pattern = (&raw const one).cast();
    // SAFETY: four bytes, and the whole buffer.
    let status = unsafe { clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, size, 0, null(), null_mut()) };
    if status == CL_SUCCESS {
        return Ok(buffer);
    }
    release(buffer);
    Err(status)
}

fn release(buffer: cl_mem) {
    // SAFETY: the handle is the test's.
    ok(unsafe { clReleaseMemObject(buffer) });
}

/// Buffers of a size, until no more can be had, with the code of the last one.
fn as_many_as_fit(session: &Session, size: usize) -> (Vec<cl_mem>, Status) {
    let mut buffers = Vec::new();
    loop {
        match filled(session, size) {
            Ok(buffer) => buffers.push(buffer),
            Err(code) => return (buffers, code),
        }
        assert!(buffers.len() * size <= BUDGET, "the budget is exceeded");
    }
}

#[test]
fn the_memory_budget_is_kept() {
    on_a_phone("the_memory_budget_is_kept", |session| {
        assert_eq!(long(session, CL_DEVICE_GLOBAL_MEM_SIZE), BUDGET as u64);
        assert_eq!(number_of_kind(session), CL_DEVICE_TYPE_GPU, "the layer is there");
        let too_large = filled(session, BUDGET + 4).expect_err("larger than the budget");
        assert_eq!(too_large, CL_INVALID_BUFFER_SIZE);
        // The layer ends the process if the driver ever uses more.
        for size in [48 * MIB, MIB] {
            let (buffers, code) = as_many_as_fit(session, size);
            assert_eq!(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
            assert!(buffers.len() * size > BUDGET / 2, "{} buffers of {size} bytes", buffers.len());
            let last = *buffers.last().unwrap();
            let program = session.built(ADD_ONE);
            let kernel = session.kernel(program, c"add");
            set(kernel, 0, &last);
            ok(session.launch(kernel, 64));
            assert_eq!(session.contents(last, 65)[62..], [2, 2, 1], "what there is can be used");
            // SAFETY: the handles are the test's.
            unsafe {
                ok(clReleaseKernel(kernel));
                ok(clReleaseProgram(program));
                ok(clFinish(session.queue));
            }
            release(last);
            // SAFETY: the queue is one.
            ok(unsafe { clFinish(session.queue) });
            release(filled(session, size).expect("memory that was released can be had again"));
            buffers[..buffers.len() - 1].iter().for_each(|&buffer| release(buffer));
            // SAFETY: the queue is one.
            ok(unsafe { clFinish(session.queue) });
        }
    });
}

fn number_of_kind(session: &Session) -> cl_device_type {
    long(session, CL_DEVICE_TYPE) & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU)
}

/// Memory at the start of a page, of whole pages, which drivers could import.
#[repr(C, align(65536))]
struct Pages([i32; 16384]);

#[test]
fn memory_of_the_host_is_copied_where_it_cannot_be_imported() {
    on_a_phone("memory_of_the_host_is_copied_where_it_cannot_be_imported", |session| {
        let mut own = Box::new(Pages([41; 16384]));
        let (size, host) = (size_of::<Pages>(), own.0.as_mut_ptr().cast());
        let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
        // SAFETY: the memory has this size, and outlives the buffer.
        let buffer = created(|e| unsafe { clCreateBuffer(session.context, flags, size, host, e) });
        let program = session.built(ADD_ONE);
        let kernel = session.kernel(program, c"add");
        set(kernel, 0, &buffer);
        ok(session.launch(kernel, 16384));
        let queue = session.queue;
        // SAFETY: the whole buffer.
        let mapped = created(|e| unsafe {
            let (wait, event) = (null(), null_mut());
            clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, size, 0, wait, event, e)
        });
        assert_eq!(mapped, host, "the pointer is the application's (clEnqueueMapBuffer)");
        assert!(own.0.iter().all(|&value| value == 42));
        // SAFETY: the handles are the test's.
        unsafe {
            ok(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, null(), null_mut()));
            ok(clFinish(queue));
            ok(clReleaseMemObject(buffer));
            ok(clReleaseKernel(kernel));
            ok(clReleaseProgram(program));
        }
    });
}

#[test]
fn files_are_in_the_cache_alone() {
    const TEST: &str = "files_are_in_the_cache_alone";
    if std::env::var_os(INSIDE).is_some() {
        let session = Session::new();
        let buffer = session.buffer_of(&[1; 64]);
        let program = session.built(ADD_ONE);
        let kernel = session.kernel(program, c"add");
        set(kernel, 0, &buffer);
        ok(session.launch(kernel, 64));
        assert_eq!(session.contents(buffer, 64), [2; 64]);
        // SAFETY: the handles are the test's.
        unsafe {
            ok(clReleaseMemObject(buffer));
            ok(clReleaseKernel(kernel));
            ok(clReleaseProgram(program));
        }
        return;
    }
    let folder = folder(TEST);
    let (files, cache) = (compile("files", &folder), folder.join("cache"));
    let written = |more: &[(&str, &Path)]| {
        // Mesa has a cache of its own.
        let mut variables =
            vec![("LD_PRELOAD", files.as_path()), ("MESA_SHADER_CACHE_DISABLE", Path::new("1"))];
        variables.push(("HOME", &folder));
        variables.extend(more);
        let errors = again(TEST, &variables);
        errors.lines().filter_map(|line| line.strip_prefix("writes:").map(PathBuf::from)).collect::<Vec<_>>()
    };
    let paths = written(&[("CLVK_CACHE_DIR", &cache)]);
    let in_cache = |path: &PathBuf| path.starts_with(&cache);
    assert!(paths.iter().any(in_cache), "nothing is cached: {paths:?}");
    assert!(paths.iter().all(in_cache), "{paths:?}");
    assert_eq!(written(&[("CLVK_CACHE", Path::new("0"))]), Vec::<PathBuf>::new());
    std::fs::remove_dir_all(folder).unwrap();
}
