//! Specialisation constants of programs in OpenCL C++ (`clSetProgramSpecializationConstant`).

use crate::c::*;
use crate::queries::sub_group_answer;
use opencl_sys::*;
use std::ptr::{null, null_mut};

/// Writes its constants: 5, 1.5 (as twice the value), true, 100000000000 (in units of 10^9), and the
/// work-group size.
const CONSTANTS: &str = "
#include <opencl_memory>
#include <opencl_spec_constant>
#include <opencl_work_item>
cl::spec_constant<int, 1> number{5};
cl::spec_constant<float, 2> real{1.5f};
cl::spec_constant<bool, 3> truth{true};
cl::spec_constant<long, 40> large{100000000000};
cl::spec_constant<uint, 5> size{2};
[[cl::required_work_group_size(size, 1, 1)]] kernel void write(cl::global_ptr<int[]> out) {
  out[0] = cl::get(number);
  out[1] = static_cast<int>(real * 2.0f);
  out[2] = truth ? 1 : 0;
  out[3] = static_cast<int>(large.get() / 1000000000);
  out[4] = cl::get_local_size(0);
}
";

fn specialise<T>(program: cl_program, id: u32, value: T) -> Status {
    // SAFETY: the value has this size.
    unsafe { clSetProgramSpecializationConstant(program, id, size_of::<T>(), (&raw const value).cast()) }
}

fn build(program: cl_program) -> Status {
    // SAFETY: a text with a zero at its end.
    unsafe { clBuildProgram(program, 0, null(), c"-cl-std=c++".as_ptr(), None, null_mut()) }
}

fn written(session: &Session, program: cl_program, items: usize) -> Vec<i32> {
    session.run_over((program, c"write"), &[0; 5], items, |_| {})
}

#[test]
fn builds_take_the_values_that_are_set() {
    let session = Session::new();
    let program = session.program(CONSTANTS);
    assert_eq!(build(program), CL_SUCCESS, "{}", session.log(program));
    assert_eq!(written(&session, program, 2), [5, 3, 1, 100, 2]);
    ok(specialise(program, 1, -7_i32));
    ok(specialise(program, 2, 0.5_f32));
    ok(specialise(program, 3, 0_u8));
    ok(specialise(program, 40, 6_000_000_000_i64));
    ok(specialise(program, 5, 8_u32));
    // Only builds take them.
    assert_eq!(written(&session, program, 2), [5, 3, 1, 100, 2]);
    assert_eq!(build(program), CL_SUCCESS, "{}", session.log(program));
    assert_eq!(written(&session, program, 8), [-7, 1, 0, 6, 8]);
    release_program(program);
}

#[test]
fn values_that_are_set_before_the_first_build_count() {
    let session = Session::new();
    let program = session.program(CONSTANTS);
    ok(specialise(program, 1, 9_i32));
    assert_eq!(build(program), CL_SUCCESS, "{}", session.log(program));
    assert_eq!(written(&session, program, 2), [9, 3, 1, 100, 2]);
    release_program(program);
}

#[test]
fn compiled_programs_are_linked_with_their_values() {
    let session = Session::new();
    let program = session.program(CONSTANTS);
    ok(specialise(program, 1, 11_i32));
    // SAFETY: a text with a zero at its end, and one program.
    let linked = unsafe {
        let options = c"-cl-std=c++".as_ptr();
        ok(clCompileProgram(program, 0, null(), options, 0, null(), null(), None, null_mut()));
        let parts = &raw const program;
        created(|e| clLinkProgram(session.context, 0, null(), null(), 1, parts, None, null_mut(), e))
    };
    assert_eq!(written(&session, linked, 2), [11, 3, 1, 100, 2]);
    release_program(linked);
    release_program(program);
}

/// `required_num_sub_groups` (OpenCL C++ §2.8.3).
#[test]
fn a_constant_may_be_the_number_of_sub_groups() {
    const SOURCE: &str = "
#include <opencl_memory>
#include <opencl_spec_constant>
#include <opencl_work_item>
cl::spec_constant<uint, 7> count{2};
[[cl::required_num_sub_groups(count)]] kernel void write(cl::global_ptr<int[]> out) {
  out[cl::get_global_id(0)] = (int)cl::get_local_size(0);
}
";
    let session = Session::new();
    let program = session.program(SOURCE);
    for count in [2, 3] {
        if count == 3 {
            ok(specialise(program, 7, 3_u32));
        }
        assert_eq!(build(program), CL_SUCCESS, "{}", session.log(program));
        let kernel = session.kernel(program, c"write");
        assert_eq!(sub_group_answer(&session, kernel, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0), count);
        let width = sub_group_answer(&session, kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 1);
        // SAFETY: the handle is the test's.
        ok(unsafe { clReleaseKernel(kernel) });
        // Without a work-group size, the launch takes one that has them.
        let items = 2 * count * width;
        let expected = vec![(count * width) as i32; items];
        assert_eq!(session.run_over((program, c"write"), &vec![0; items], items, |_| {}), expected);
    }
    release_program(program);
}

#[test]
fn wrong_constants_are_refused_as_soon_as_they_are_known() {
    let session = Session::new();
    let program = session.program(CONSTANTS);
    assert_eq!(specialise(program, 1, [0_u8; 3]), CL_INVALID_VALUE);
    // SAFETY: no value.
    let status = unsafe { clSetProgramSpecializationConstant(program, 1, 4, null()) };
    assert_eq!(status, CL_INVALID_VALUE);
    assert_eq!(build(program), CL_SUCCESS, "{}", session.log(program));
    assert_eq!(specialise(program, 4, 1_i32), CL_INVALID_SPEC_ID);
    assert_eq!(specialise(program, 1, 1_i64), CL_INVALID_VALUE);
    release_program(program);
    let cases = [
        (4, 4, "no specialisation constant 4, which is set"),
        (1, 8, "the specialisation constant 1 has 4 bytes, and is set to a value of 8"),
    ];
    for (id, size, words) in cases {
        let program = session.program(CONSTANTS);
        ok(match size {
            4 => specialise(program, id, 1_i32),
            _ => specialise(program, id, 1_i64),
        });
        assert_eq!(build(program), CL_BUILD_PROGRAM_FAILURE);
        let log = session.log(program);
        assert!(log.contains(words), "{log}");
        release_program(program);
    }
}

/// `max_size` (OpenCL C++ §2.8.4), which `clSetKernelArg` holds.
#[test]
fn arguments_are_not_larger_than_their_attribute_says() {
    const SOURCE: &str = "
#include <opencl_memory>
#include <opencl_spec_constant>
cl::spec_constant<int, 1> most{1234567890};
kernel void write([[cl::max_size(16)]] cl::constant_ptr<int> from, [[cl::max_size(most)]] cl::local_ptr<int[]> part,
                  cl::global_ptr<int> out) {
  part[0] = *from;
  *out = part[0];
}
";
    let session = Session::new();
    let program = session.program(SOURCE);
    ok(specialise(program, 1, 64_i32));
    assert_eq!(build(program), CL_SUCCESS, "{}", session.log(program));
    let kernel = session.kernel(program, c"write");
    let (fits, large, out) =
        (session.buffer_of(&[7; 4]), session.buffer_of(&[7; 5]), session.buffer_of(&[0]));
    // SAFETY: handles of the size that is said, and sizes of local memory.
    unsafe {
        let size = size_of::<cl_mem>();
        ok(clSetKernelArg(kernel, 0, size, (&raw const fits).cast()));
        let status = clSetKernelArg(kernel, 0, size, (&raw const large).cast());
        assert_eq!(status, CL_MAX_SIZE_RESTRICTION_EXCEEDED);
        ok(clSetKernelArg(kernel, 1, 64, null()));
        assert_eq!(clSetKernelArg(kernel, 1, 65, null()), CL_MAX_SIZE_RESTRICTION_EXCEEDED);
        ok(clSetKernelArg(kernel, 2, size, (&raw const out).cast()));
    }
    ok(session.launch(kernel, 1));
    assert_eq!(session.contents(out, 1), [7]);
    // SAFETY: the handles are this test's.
    unsafe {
        ok(clReleaseKernel(kernel));
        for buffer in [fits, large, out] {
            ok(clReleaseMemObject(buffer));
        }
    }
    release_program(program);
}
