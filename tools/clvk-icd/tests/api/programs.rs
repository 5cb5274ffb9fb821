//! Programs and kernels.

use crate::c::*;
use opencl_sys::*;
use std::ffi::CString;
use std::ptr::{null, null_mut};

const SCALE: &str = "kernel void scale(global int *x, int by) { x[get_global_id(0)] *= by; }";

/// Runs `scale` of a program over a buffer.
pub fn run_scale(session: &Session, program: cl_program, data: &[i32], by: i32) -> Vec<i32> {
    session.run_over((program, c"scale"), data, data.len(), |kernel| set(kernel, 1, &by))
}

#[test]
fn a_kernel_computes() {
    let session = Session::new();
    let program = session.built(SCALE);
    assert_eq!(run_scale(&session, program, &[1, -2, 3], 7), [7, -14, 21]);
    release_program(program);
}

#[test]
fn a_wrong_program_says_where() {
    let session = Session::new();
    let program = session.program("kernel void k() { undeclared = 1; }");
    // SAFETY: no pointers but the program.
    unsafe {
        assert_eq!(clBuildProgram(program, 0, null(), null(), None, null_mut()), CL_BUILD_PROGRAM_FAILURE);
        let log = session.log(program);
        assert!(log.contains(":1:19: error:") && log.contains("undeclared"), "{log}");
        assert_eq!(
            clBuildProgram(program, 0, null(), c"-no-such-option".as_ptr(), None, null_mut()),
            CL_INVALID_BUILD_OPTIONS
        );
        let code = refused(|e| clCreateKernel(program, c"k".as_ptr(), e));
        assert_eq!(code, CL_INVALID_PROGRAM_EXECUTABLE);
    }
    release_program(program);
}

#[test]
fn programs_are_compiled_with_headers_and_linked() {
    let session = Session::new();
    let header = session.program("int twice(int x); extern constant int offset;");
    let user = session.program(
        "#include \"lib/twice.h\"\nkernel void scale(global int *x, int by) {\n\
         int i = get_global_id(0); x[i] = twice(x[i]) * by + offset; }",
    );
    let library = session.program(
        "constant int offset = 100; static int own(int x) { return x; } int twice(int x) { return own(x) + own(x); }",
    );
    let other = session.program("static int own(int x) { return 0; } int unused(int x) { return own(x); }");
    let name = CString::new("lib/twice.h").unwrap();
    let (headers, names) = ([header], [name.as_ptr()]);
    // SAFETY: arrays of one element, and texts with zeros at their ends.
    let executable = unsafe {
        ok(clCompileProgram(user, 0, null(), null(), 1, headers.as_ptr(), names.as_ptr(), None, null_mut()));
        for program in [library, other] {
            ok(clCompileProgram(program, 0, null(), null(), 0, null(), null(), None, null_mut()));
        }
        let alone = [user];
        let mut code = 1;
        let failed = clLinkProgram(
            session.context,
            0,
            null(),
            null(),
            1,
            alone.as_ptr(),
            None,
            null_mut(),
            &raw mut code,
        );
        assert_eq!(code, CL_LINK_PROGRAM_FAILURE);
        assert!(session.log(failed).contains("`offset` is not defined"), "{}", session.log(failed));
        ok(clReleaseProgram(failed));
        let parts = [other, user, library];
        created(|e| clLinkProgram(session.context, 0, null(), null(), 3, parts.as_ptr(), None, null_mut(), e))
    };
    assert_eq!(run_scale(&session, executable, &[1, 2], 10), [120, 140]);
    for program in [header, user, library, other, executable] {
        release_program(program);
    }
}

/// The binary of a program for one device.
pub fn binary_of(program: cl_program) -> Vec<u8> {
    // SAFETY: as much room as the sizes say.
    unsafe {
        let size =
            answer(|size, value, ret| clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, size, value, ret));
        let mut binary = vec![0u8; usize::from_ne_bytes(size.try_into().unwrap())];
        let mut place = binary.as_mut_ptr();
        let list = (&raw mut place).cast();
        ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, size_of::<usize>(), list, null_mut()));
        binary
    }
}

/// A program from a binary, with the status of the binary and of the call.
pub fn load(session: &Session, binary: &[u8]) -> (cl_program, Status, Status) {
    let (mut of_binary, mut status) = (1, 1);
    let (length, pointer) = (binary.len(), binary.as_ptr());
    // SAFETY: one binary of this length.
    let program = unsafe {
        clCreateProgramWithBinary(
            session.context,
            1,
            &raw const session.device,
            &raw const length,
            &raw const pointer,
            &raw mut of_binary,
            &raw mut status,
        )
    };
    (program, of_binary, status)
}

#[test]
fn a_binary_comes_back_and_a_damaged_one_does_not() {
    let session = Session::new();
    let program = session.built(SCALE);
    let binary = binary_of(program);
    let (again, of_binary, status) = load(&session, &binary);
    assert_eq!((of_binary, status), (CL_SUCCESS, CL_SUCCESS));
    // SAFETY: no pointers but the program.
    unsafe { ok(clBuildProgram(again, 0, null(), null(), None, null_mut())) };
    assert_eq!(run_scale(&session, again, &[5], 5), [25]);
    for position in (0..binary.len()).step_by(binary.len() / 50 + 1) {
        let mut damaged = binary.clone();
        damaged[position] ^= 0x10;
        let (none, of_binary, status) = load(&session, &damaged);
        assert!(none.is_null());
        assert_eq!((of_binary, status), (CL_INVALID_BINARY, CL_INVALID_BINARY), "byte {position}");
    }
    let (none, _, status) = load(&session, &binary[..binary.len() / 2]);
    assert!(none.is_null());
    assert_eq!(status, CL_INVALID_BINARY);
    release_program(program);
    release_program(again);
}

#[test]
fn a_device_has_one_binary() {
    let session = Session::new();
    let program = session.built(SCALE);
    let binary = binary_of(program);
    let (devices, lengths) = ([session.device; 2], [binary.len(); 2]);
    let (binaries, context) = ([binary.as_ptr(); 2], session.context);
    // SAFETY: two devices and two binaries, each as long as it says.
    let status = unsafe {
        refused(|e| {
            let (devices, binaries) = (devices.as_ptr(), binaries.as_ptr());
            clCreateProgramWithBinary(context, 2, devices, lengths.as_ptr(), binaries, null_mut(), e)
        })
    };
    assert_eq!(status, CL_INVALID_DEVICE);
    release_program(program);
}

#[test]
fn arguments_are_checked() {
    let session = Session::new();
    let program =
        session.built("kernel void k(global float *a, float4 b, local int *c) { a[0] = b.x + c[0]; }");
    let kernel = session.kernel(program, c"k");
    let buffer = session.buffer(CL_MEM_READ_WRITE, 64);
    let value = [0f32; 4];
    // SAFETY: as many bytes as the sizes say.
    unsafe {
        let set = |index, size, value| clSetKernelArg(kernel, index, size, value);
        assert_eq!(set(3, 4, value.as_ptr().cast()), CL_INVALID_ARG_INDEX);
        assert_eq!(set(1, 12, value.as_ptr().cast()), CL_INVALID_ARG_SIZE);
        assert_eq!(set(1, 16, null()), CL_INVALID_ARG_VALUE);
        assert_eq!(set(2, 64, value.as_ptr().cast()), CL_INVALID_ARG_VALUE);
        let not_a_buffer = session.queue;
        assert_eq!(set(0, 8, (&raw const not_a_buffer).cast()), CL_INVALID_MEM_OBJECT);
        assert_eq!(session.launch(kernel, 1), CL_INVALID_KERNEL_ARGS);
        ok(set(0, 8, (&raw const buffer).cast()));
        ok(set(1, 16, value.as_ptr().cast()));
        ok(set(2, 64, null()));
        ok(session.launch(kernel, 1));
        ok(clFinish(session.queue));
        ok(clReleaseMemObject(buffer));
        assert_eq!(session.launch(kernel, 1), CL_INVALID_KERNEL_ARGS, "the buffer is gone");
        let name =
            text(|size, value, ret| clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_TYPE_NAME, size, value, ret));
        assert_eq!(name, "float4");
        let space = number(|size, value, ret| {
            clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER, size, value, ret)
        });
        assert_eq!(space, CL_KERNEL_ARG_ADDRESS_LOCAL);
        assert_eq!(clBuildProgram(program, 0, null(), null(), None, null_mut()), CL_INVALID_OPERATION);
        ok(clReleaseKernel(kernel));
    }
    release_program(program);
}

/// Builds with these options.
fn built_with(session: &Session, source: &str, options: &std::ffi::CStr) -> cl_program {
    let program = session.program(source);
    // SAFETY: a text with a zero at its end.
    let status = unsafe { clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) };
    assert_eq!(status, CL_SUCCESS, "{}", session.log(program));
    program
}

#[test]
fn groups_at_the_end_may_be_smaller_since_two() {
    let session = Session::new();
    let source = "#ifdef SIZE\n__attribute__((reqd_work_group_size(SIZE, 1, 1)))\n#endif\n\
                  kernel void sizes(global int *x) { x[get_global_id(0)] = get_local_size(0); }";
    let launch = |options, expected: Result<[i32; 10], Status>| {
        let program = built_with(&session, source, options);
        let kernel = session.kernel(program, c"sizes");
        let buffer = session.buffer_of(&[0; 10]);
        set(kernel, 0, &buffer);
        let (global, local) = (10usize, 4usize);
        // SAFETY: one size each for one dimension.
        unsafe {
            let (queue, local) = (session.queue, &raw const local);
            let status = clEnqueueNDRangeKernel(
                queue,
                kernel,
                1,
                null(),
                &raw const global,
                local,
                0,
                null(),
                null_mut(),
            );
            match expected {
                Ok(sizes) => {
                    ok(status);
                    assert_eq!(session.contents(buffer, 10), sizes);
                }
                Err(code) => assert_eq!(status, code),
            }
            ok(clReleaseMemObject(buffer));
            ok(clReleaseKernel(kernel));
        }
        release_program(program);
    };
    launch(c"-cl-std=CL3.0", Ok([4, 4, 4, 4, 4, 4, 4, 4, 2, 2]));
    launch(c"-cl-std=CL3.0 -cl-uniform-work-group-size", Err(CL_INVALID_WORK_GROUP_SIZE));
    launch(c"", Err(CL_INVALID_WORK_GROUP_SIZE));
    launch(c"-cl-std=CL3.0 -DSIZE=4", Ok([4, 4, 4, 4, 4, 4, 4, 4, 2, 2]));
    launch(c"-cl-std=CL3.0 -DSIZE=5", Err(CL_INVALID_WORK_GROUP_SIZE));
    launch(c"-DSIZE=4", Err(CL_INVALID_WORK_GROUP_SIZE));
}

#[test]
fn packets_go_through_pipes() {
    let session = Session::new();
    let source = "kernel void put(write_only pipe int p) { int v = 10 + get_global_id(0); write_pipe(p, &v); }\n\
                  kernel void take(read_only pipe int p, volatile global int *sum) {\n\
                  int v; if (read_pipe(p, &v) == 0) atomic_add(sum, v); }";
    let program = built_with(&session, source, c"-cl-std=CL3.0");
    let (put, take) = (session.kernel(program, c"put"), session.kernel(program, c"take"));
    // SAFETY: no properties.
    unsafe {
        let refused = |packet, count| refused(|e| clCreatePipe(session.context, 0, packet, count, null(), e));
        assert_eq!(refused(0, 4), CL_INVALID_PIPE_SIZE);
        assert_eq!(refused(4, 0), CL_INVALID_PIPE_SIZE);
        let pipe = created(|e| clCreatePipe(session.context, 0, 4, 3, null(), e));
        let sum = session.buffer_of(&[0]);
        set(put, 0, &pipe);
        assert_eq!(clSetKernelArg(put, 0, 8, (&raw const sum).cast()), CL_INVALID_MEM_OBJECT);
        assert_eq!(clSetKernelArg(take, 1, 8, (&raw const pipe).cast()), CL_INVALID_MEM_OBJECT);
        set(take, 0, &pipe);
        set(take, 1, &sum);
        let told =
            |kernel, name| answer(|size, value, ret| clGetKernelArgInfo(kernel, 0, name, size, value, ret));
        assert_eq!(told(put, CL_KERNEL_ARG_TYPE_QUALIFIER), u64::from(CL_KERNEL_ARG_TYPE_PIPE).to_ne_bytes());
        assert_eq!(told(put, CL_KERNEL_ARG_ACCESS_QUALIFIER), CL_KERNEL_ARG_ACCESS_WRITE_ONLY.to_ne_bytes());
        assert_eq!(told(take, CL_KERNEL_ARG_ACCESS_QUALIFIER), CL_KERNEL_ARG_ACCESS_READ_ONLY.to_ne_bytes());
        assert_eq!(told(put, CL_KERNEL_ARG_ADDRESS_QUALIFIER), CL_KERNEL_ARG_ADDRESS_GLOBAL.to_ne_bytes());
        ok(session.launch(put, 3));
        ok(session.launch(take, 5));
        assert_eq!(session.contents(sum, 1), [10 + 11 + 12]);
        for memory in [pipe, sum] {
            ok(clReleaseMemObject(memory));
        }
        for kernel in [put, take] {
            ok(clReleaseKernel(kernel));
        }
    }
    release_program(program);
}

#[test]
fn programs_in_cxx_are_built_where_the_extension_is_listed() {
    let session = Session::new();
    let source = "
        template <class T> struct pair { T a, b; T sum() const { return a + b; } };
        struct point { int x; };
        kernel void sums(global int *out, pair<int> p, constant point &at)
        {
            auto add = [=](auto v) { return v + p.sum() + at.x; };
            out[get_global_id(0)] = add(int(get_global_id(0)));
        }";
    let answers = |name| {
        // SAFETY: a device.
        answer(|size, value, ret| unsafe { clGetDeviceInfo(session.device, name, size, value, ret) })
    };
    let listed = String::from_utf8(answers(CL_DEVICE_EXTENSIONS)).unwrap();
    assert!(listed.contains("cl_ext_cxx_for_opencl"));
    assert_eq!(answers(0x4230), (1_u32 << 22).to_ne_bytes());
    for option in [c"-cl-std=CLC++", c"-cl-std=clc++", c"-cl-std=CLC++1.0", c"-cl-std=CLC++2021"] {
        let program = built_with(&session, source, option);
        let kernel = session.kernel(program, c"sums");
        let (out, at) = (session.buffer_of(&[0; 3]), session.buffer_of(&[100]));
        set(kernel, 0, &out);
        set(kernel, 1, &[1_i32, 10]);
        set(kernel, 2, &at);
        ok(session.launch(kernel, 3));
        assert_eq!(session.contents(out, 3), [111, 112, 113]);
        // SAFETY: the objects are the test's.
        unsafe {
            ok(clReleaseMemObject(out));
            ok(clReleaseMemObject(at));
            ok(clReleaseKernel(kernel));
        }
        release_program(program);
    }
}

/// Objects of both languages call each other's functions, and the program has the kernels of both.
#[test]
fn objects_in_c_and_cxx_link() {
    let session = Session::new();
    let compiled = |source: &str, options: &std::ffi::CStr| {
        let program = session.program(source);
        // SAFETY: a text with a zero at its end.
        let status = unsafe {
            clCompileProgram(program, 0, null(), options.as_ptr(), 0, null(), null(), None, null_mut())
        };
        assert_eq!(status, CL_SUCCESS, "{}", session.log(program));
        program
    };
    let parts = [
        compiled(
            "int plus(int a, int b);
             int twice(int x) { return 2 * x; }
             kernel void of_c(global int *out) { out[get_global_id(0)] = plus(twice(5), get_global_id(0)); }",
            c"-cl-std=CL3.0",
        ),
        compiled(
            "extern \"C\" int twice(int x);
             extern \"C\" int plus(int a, int b) { return [=] { return a + b; }(); }
             template <class T> T thrice(T x) { return twice(x) + x; }
             kernel void of_cxx(global int *out) { out[get_global_id(0)] = thrice(int(get_global_id(0)) + 7); }",
            c"-cl-std=CLC++2021",
        ),
    ];
    // SAFETY: two programs.
    let program = unsafe {
        created(|e| clLinkProgram(session.context, 0, null(), null(), 2, parts.as_ptr(), None, null_mut(), e))
    };
    for (name, expected) in [(c"of_c", [10, 11, 12]), (c"of_cxx", [21, 24, 27])] {
        let (kernel, out) = (session.kernel(program, name), session.buffer_of(&[0; 3]));
        set(kernel, 0, &out);
        ok(session.launch(kernel, 3));
        assert_eq!(session.contents(out, 3), expected, "{name:?}");
        // SAFETY: the objects are the test's.
        unsafe {
            ok(clReleaseMemObject(out));
            ok(clReleaseKernel(kernel));
        }
    }
    parts.into_iter().chain([program]).for_each(release_program);
}
