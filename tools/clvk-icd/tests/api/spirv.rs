//! Programs from SPIR-V (`clCreateProgramWithIL`).

use crate::c::*;
use crate::programs::{binary_of, load, run_scale};
use crate::queries::sub_group_answer;
use opencl_sys::*;
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};

/// `scale` multiplies each element by its argument and by the specialisation constant 7, which is 2.
const SCALE: &str = "
               OpCapability Addresses
               OpCapability Kernel
               OpCapability Int64
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %scale \"scale\" %id
               OpDecorate %id BuiltIn GlobalInvocationId
               OpDecorate %factor SpecId 7
       %void = OpTypeVoid
       %uint = OpTypeInt 32 0
      %ulong = OpTypeInt 64 0
      %three = OpTypeVector %ulong 3
      %input = OpTypePointer Input %three
    %pointer = OpTypePointer CrossWorkgroup %uint
     %factor = OpSpecConstant %uint 2
         %id = OpVariable %input Input
       %type = OpTypeFunction %void %pointer %uint
      %scale = OpFunction %void None %type
          %x = OpFunctionParameter %pointer
         %by = OpFunctionParameter %uint
      %entry = OpLabel
        %all = OpLoad %three %id
      %first = OpCompositeExtract %ulong %all 0
         %at = OpInBoundsPtrAccessChain %pointer %x %first
        %old = OpLoad %uint %at Aligned 4
       %once = OpIMul %uint %old %by
      %twice = OpIMul %uint %once %factor
               OpStore %at %twice Aligned 4
               OpReturn
               OpFunctionEnd
";

/// Assembles a module with SPIRV-Tools.
pub fn assemble(text: &str) -> Vec<u8> {
    let mut command = Command::new("spirv-as");
    command.args(["--target-env", "spv1.2", "-o", "-", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("spirv-tools are installed");
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    output.stdout
}

pub fn create(session: &Session, module: &[u8]) -> cl_program {
    // SAFETY: the module is as long as it says.
    created(|e| unsafe { clCreateProgramWithIL(session.context, module.as_ptr().cast(), module.len(), e) })
}

fn build(program: cl_program) {
    // SAFETY: no pointers but the program.
    unsafe { ok(clBuildProgram(program, 0, null(), null(), None, null_mut())) };
}

/// The results of `scale` with 3.
fn scaled(session: &Session, program: cl_program, data: &[i32]) -> Vec<i32> {
    run_scale(session, program, data, 3)
}

#[test]
fn a_module_computes_and_its_constants_can_be_set() {
    let session = Session::new();
    let module = assemble(SCALE);
    let program = create(&session, &module);
    build(program);
    assert_eq!(scaled(&session, program, &[1, -2, 5]), [6, -12, 30]);
    // SAFETY: the values are as long as it says.
    unsafe {
        let set = |id: u32, size: usize, value: *const u32| {
            clSetProgramSpecializationConstant(program, id, size, value.cast())
        };
        assert_eq!(set(8, 4, &10), CL_INVALID_SPEC_ID);
        assert_eq!(set(7, 8, &10), CL_INVALID_VALUE);
        assert_eq!(set(7, 4, null()), CL_INVALID_VALUE);
        ok(set(7, 4, &10));
        build(program);
        assert_eq!(scaled(&session, program, &[1, -2, 5]), [30, -60, 150]);
        let il = answer(|size, value, ret| clGetProgramInfo(program, CL_PROGRAM_IL, size, value, ret));
        assert_eq!(il, module);
        let source =
            answer(|size, value, ret| clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, value, ret));
        assert_eq!(source, [0]);
        ok(clReleaseProgram(program));
    }
}

#[test]
fn what_is_not_a_module_for_kernels_is_refused() {
    let session = Session::new();
    let mut module = assemble(SCALE);
    // SAFETY: the module is as long as it says.
    unsafe {
        let code = |context, bytes: *const u8, length| {
            refused(|e| clCreateProgramWithIL(context, bytes.cast(), length, e))
        };
        assert_eq!(code(null_mut(), module.as_ptr(), module.len()), CL_INVALID_CONTEXT);
        assert_eq!(code(session.context, null(), module.len()), CL_INVALID_VALUE);
        assert_eq!(code(session.context, module.as_ptr(), 0), CL_INVALID_VALUE);
        // Cut off within the function.
        assert_eq!(code(session.context, module.as_ptr(), module.len() - 8), CL_INVALID_VALUE);
        // `OpCapability Shader` in place of `Addresses`.
        module[24] = 1;
        assert_eq!(code(session.context, module.as_ptr(), module.len()), CL_INVALID_VALUE);
        let program = session.program("kernel void k() {}");
        let status = clSetProgramSpecializationConstant(program, 0, 4, module.as_ptr().cast());
        assert_eq!(status, CL_INVALID_PROGRAM);
        let status = clSetProgramSpecializationConstant(null_mut(), 0, 4, module.as_ptr().cast());
        assert_eq!(status, CL_INVALID_PROGRAM);
        let il = answer(|size, value, ret| clGetProgramInfo(program, CL_PROGRAM_IL, size, value, ret));
        assert!(il.is_empty());
        ok(clReleaseProgram(program));
    }
}

#[test]
fn an_instruction_that_is_not_supported_is_in_the_log() {
    let session = Session::new();
    let text = SCALE.replace("OpIMul %uint %once %factor", "OpImageQueryLod %uint %once %factor");
    let program = create(&session, &assemble(&text));
    // SAFETY: no pointers but the program.
    unsafe {
        let status = clBuildProgram(program, 0, null(), null(), None, null_mut());
        assert_eq!(status, CL_BUILD_PROGRAM_FAILURE);
        let log = session.log(program);
        assert!(log.contains("this instruction is not supported (OpImageQueryLod at byte "), "{log}");
        ok(clReleaseProgram(program));
    }
}

#[test]
fn a_module_is_linked_with_opencl_c() {
    let session = Session::new();
    let module = create(&session, &assemble(SCALE));
    let other = session.program("kernel void add(global int *x, int by) { x[get_global_id(0)] += by; }");
    // SAFETY: arrays of two elements.
    unsafe {
        for program in [module, other] {
            ok(clCompileProgram(program, 0, null(), null(), 0, null(), null(), None, null_mut()));
        }
        let parts = [module, other];
        let linked = created(|e| {
            clLinkProgram(session.context, 0, null(), null(), 2, parts.as_ptr(), None, null_mut(), e)
        });
        assert_eq!(scaled(&session, linked, &[1, 2]), [6, 12]);
        ok(clReleaseKernel(session.kernel(linked, c"add")));
        for program in [module, other, linked] {
            ok(clReleaseProgram(program));
        }
    }
}

/// A module with 20 kernels, `k0` to `k19`: each writes its number, but `k7` may do something that no kernel
/// can.
fn many_kernels(is_one_wrong: bool) -> Vec<u8> {
    let (mut entries, mut constants, mut functions) = (String::new(), String::new(), String::new());
    for number in 0..20 {
        entries += &format!("OpEntryPoint Kernel %k{number} \"k{number}\"\n");
        constants += &format!("%n{number} = OpConstant %uint {number}\n");
        // Derivatives are for shaders.
        let wrong = if is_one_wrong && number == 7 { "%wrong = OpDPdx %float %one" } else { "" };
        functions += &format!(
            "%k{number} = OpFunction %void None %type\n%x{number} = OpFunctionParameter %pointer\n%e{number} = OpLabel\n\
             {wrong}\nOpStore %x{number} %n{number} Aligned 4\nOpReturn\nOpFunctionEnd\n"
        );
    }
    assemble(&format!(
        "OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n{entries}
         %void = OpTypeVoid\n%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n%one = OpConstant %float 1\n{constants}
         %pointer = OpTypePointer CrossWorkgroup %uint\n%type = OpTypeFunction %void %pointer\n{functions}"
    ))
}

/// What a kernel of [`many_kernels`] writes.
fn written_by(session: &Session, kernel: cl_kernel) -> i32 {
    let buffer = session.buffer_of(&[-1]);
    set(kernel, 0, &buffer);
    ok(session.launch(kernel, 1));
    let result = session.contents(buffer, 1)[0];
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clReleaseMemObject(buffer));
        ok(clReleaseKernel(kernel));
    }
    result
}

#[test]
fn kernels_of_a_large_module_are_built_when_they_are_created() {
    let session = Session::new();
    let program = create(&session, &many_kernels(true));
    build(program);
    assert_eq!(session.log(program), "");
    for (name, number) in [(c"k3", 3), (c"k19", 19), (c"k3", 3)] {
        assert_eq!(written_by(&session, session.kernel(program, name)), number);
    }
    let mut error = CL_SUCCESS;
    // SAFETY: the names are strings.
    unsafe {
        assert!(clCreateKernel(program, c"k20".as_ptr(), &raw mut error).is_null());
        assert_eq!(error, CL_INVALID_KERNEL_NAME);
        assert!(clCreateKernel(program, c"k7".as_ptr(), &raw mut error).is_null());
        assert_eq!(error, CL_INVALID_PROGRAM_EXECUTABLE);
    }
    let log = session.log(program);
    assert!(log.contains("OpDPdx"), "{log}");
    // SAFETY: the handle is the test's.
    unsafe { ok(clReleaseProgram(program)) };
}

#[test]
fn the_binary_of_a_large_module_has_all_kernels() {
    let session = Session::new();
    let program = create(&session, &many_kernels(false));
    build(program);
    let binary = binary_of(program);
    let (again, ..) = load(&session, &binary);
    build(again);
    assert_eq!(written_by(&session, session.kernel(again, c"k11")), 11);
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clReleaseProgram(again));
        ok(clReleaseProgram(program));
    }
}

/// What compilers write for `-g` (cl_khr_spirv_extended_debug_info) names places in the log.
#[test]
fn a_module_with_debug_information_computes() {
    let session = Session::new();
    let set = "OpMemoryModel Physical64 OpenCL";
    let text = SCALE.replace(set, &format!("%set = OpExtInstImport \"OpenCL.DebugInfo.100\"\n{set}"));
    let text = text.replace("OpDecorate %id", "%file = OpString \"scale.cl\"\nOpDecorate %id").replace(
        "%factor = ",
        "%source = OpExtInst %void %set DebugSource %file
         %unit = OpExtInst %void %set DebugCompilationUnit 65536 5 %source OpenCL_C
         %block = OpExtInst %void %set DebugLexicalBlock %source 15 6 %unit
         %factor = ",
    );
    let text = text.replace("%twice =", "%scope = OpExtInst %void %set DebugScope %block\n%twice =");
    let program = create(&session, &assemble(&text));
    build(program);
    assert_eq!(scaled(&session, program, &[1, -2, 5]), [6, -12, 30]);
    let wrong = text.replace("OpIMul %uint %once %factor", "OpImageQueryLod %uint %once %factor");
    let refused = create(&session, &assemble(&wrong));
    // SAFETY: no pointers but the programs.
    unsafe {
        let status = clBuildProgram(refused, 0, null(), null(), None, null_mut());
        assert_eq!(status, CL_BUILD_PROGRAM_FAILURE);
        let log = session.log(refused);
        assert!(log.contains("scale.cl:15:6: this instruction is not supported"), "{log}");
        ok(clReleaseProgram(refused));
        ok(clReleaseProgram(program));
    }
}

/// The execution modes `SubgroupsPerWorkgroup` and `SubgroupSize` (SPIR-V §3.6).
#[test]
fn a_kernel_may_require_sub_groups() {
    let session = Session::new();
    let module = |mode: &str| {
        let entry = "OpEntryPoint Kernel %scale \"scale\" %id";
        let text = SCALE.replace(entry, &format!("{entry}\nOpExecutionMode %scale {mode}"));
        assemble(&text.replace("OpCapability Int64", "OpCapability Int64\nOpCapability SubgroupDispatch"))
    };
    let program = create(&session, &module("SubgroupsPerWorkgroup 2"));
    build(program);
    let kernel = session.kernel(program, c"scale");
    assert_eq!(sub_group_answer(&session, kernel, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0), 2);
    let width = sub_group_answer(&session, kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 1);
    let data = session.buffer_of(&vec![5; 4 * width]);
    set(kernel, 0, &data);
    set(kernel, 1, &1i32);
    let global = 4 * width;
    let launch = |local: *const usize| {
        let (global, none) = (&raw const global, null_mut());
        // SAFETY: one size for one dimension, or none.
        unsafe { clEnqueueNDRangeKernel(session.queue, kernel, 1, null(), global, local, 0, null(), none) }
    };
    ok(launch(null()));
    ok(launch(&(2 * width)));
    assert_eq!(launch(&width), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(session.contents(data, 4 * width), vec![20; 4 * width]);
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(data));
    }
    for (size, expected) in [(width, CL_SUCCESS), (3 * width, CL_BUILD_PROGRAM_FAILURE)] {
        let program = create(&session, &module(&format!("SubgroupSize {size}")));
        // SAFETY: no pointers but the program.
        unsafe {
            assert_eq!(clBuildProgram(program, 0, null(), null(), None, null_mut()), expected);
            let log = session.log(program);
            let told =
                format!("requires sub-groups of {} work-items, and those of the device have", 3 * width);
            assert!(expected == CL_SUCCESS || log.contains(&told), "{log}");
            ok(clReleaseProgram(program));
        }
    }
}
