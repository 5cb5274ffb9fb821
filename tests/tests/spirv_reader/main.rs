//! What is read from SPIR-V, where running kernels does not show it on every device.

mod imports;
mod rules;

use clvk::{Compiler, DeviceProfile, ObjectKind};
use clvk_tests::spirv::{assemble, bytes};

/// What is read of a module, for a profile that has everything that the modules here need.
fn object(text: &str) -> Result<clvk::Object, clvk::Error> {
    let module = bytes(&assemble(text).unwrap());
    let compiler = Compiler::new(&DeviceProfile::preset("nvidia-h200").unwrap()).with_cache(None);
    compiler.spirv_object(ObjectKind::Executable, "module.spv", &module)
}

/// The function of the kernel `run`, which calls the one that multiplies, adds and negates: as LLVM's
/// translator makes kernels. The execution modes are those of the two kernels `run` and `other`, which call
/// it; decorations may follow them.
fn reads(modes: &str) -> String {
    let text = format!(
        "
               OpCapability Addresses
               OpCapability Kernel
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %run \"run\"
               OpEntryPoint Kernel %other \"other\"
               {modes}
       %void = OpTypeVoid
      %float = OpTypeFloat 32
    %pointer = OpTypePointer CrossWorkgroup %float
       %type = OpTypeFunction %void %pointer
      %inner = OpFunction %void None %type
          %x = OpFunctionParameter %pointer
      %start = OpLabel
          %a = OpLoad %float %x Aligned 4
    %product = OpFMul %float %a %a
        %sum = OpFAdd %float %product %a
        %neg = OpFNegate %float %sum
               OpStore %x %neg Aligned 4
               OpReturn
               OpFunctionEnd
        %run = OpFunction %void None %type
          %y = OpFunctionParameter %pointer
      %entry = OpLabel
       %call = OpFunctionCall %void %inner %y
               OpReturn
               OpFunctionEnd
      %other = OpFunction %void None %type
          %z = OpFunctionParameter %pointer
      %begin = OpLabel
      %again = OpFunctionCall %void %inner %z
               OpReturn
               OpFunctionEnd
"
    );
    object(&text).unwrap().module().to_string()
}

/// A product and a sum that may become one operation give other results on the devices that have it.
#[test]
fn contraction_is_off_in_what_a_kernel_calls() {
    for (modes, fuses) in [
        ("", true),
        ("OpExecutionMode %run ContractionOff", false),
        ("OpExecutionMode %other ContractionOff", false),
    ] {
        let module = reads(modes);
        assert_eq!(module.contains("fmul contract") && module.contains("fadd contract"), fuses, "{module}");
        assert_eq!(module.contains("fmul %") && module.contains("fadd %"), !fuses, "{module}");
    }
}

/// With `-cl-finite-math-only -cl-no-signed-zeros`, LLVM's translator decorates sums and products, but not
/// negations, for which SPIR-V 1.0 does not allow it.
#[test]
fn fast_math_of_decorations_reaches_negations() {
    for (mode, of_sum, of_negation) in [
        ("NotNaN|NotInf|NSZ", "fadd contract nnan ninf nsz", "fneg contract nnan ninf nsz"),
        ("NSZ|AllowRecip", "fadd contract nsz recip", "fneg contract nsz"),
        ("Fast", "fadd contract reassoc nnan ninf nsz recip", "fneg contract nnan ninf nsz"),
    ] {
        let module = reads(&format!("OpDecorate %sum FPFastMathMode {mode}"));
        let has = |flagged: &str| module.contains(&format!("{flagged} %"));
        assert!(has(of_sum) && has(of_negation) && has("fmul contract"), "{mode}: {module}");
    }
}

/// What is wrong with a module of `tests/programs/spirv` after a text in it is replaced.
fn refusal(program: &str, from: &str, to: &str) -> String {
    let programs = clvk_tests::program::all().unwrap();
    let program = programs.into_iter().find(|it| it.name == program).unwrap();
    assert!(program.text.contains(from), "{from}");
    match object(&program.text.replacen(from, to, 1)) {
        Ok(_) => panic!("`{from}` becomes `{to}`, and the module is read"),
        Err(error) => error.to_string(),
    }
}

/// Each mistake would else become another function of OpenCL C, or memory beyond its end.
#[test]
fn wrong_pipes_and_enqueued_functions_are_refused() {
    for (program, from, to, told) in [
        (
            "spirv/pipes",
            "OpReadPipe %uint %from %o4 %c4 %c4",
            "OpReadPipe %uint %from %o4 %c0 %c4",
            "packets of this",
        ),
        (
            "spirv/pipes",
            "OpReadPipe %uint %from %o4",
            "OpWritePipe %uint %from %o4",
            "the pipe is not for writing",
        ),
        ("spirv/pipes", "OpReadPipe %uint %from %o4", "OpReadPipe %uint %out %o4", "is not a pipe"),
        (
            "spirv/pipes",
            "OpGroupReserveWritePipePackets %reserve %c2",
            "OpGroupReserveWritePipePackets %reserve %c1",
            "work-groups or sub-groups",
        ),
        ("spirv/pipes", "OpIsValidReserveId %bool %none", "OpIsValidReserveId %bool %c1", "reserve_id_t"),
        ("spirv/enqueue", "%swap %param0 %c12 %c8 %c8\n", "%swap %param0 %c12 %c8\n", "for each size"),
        (
            "spirv/enqueue",
            "%last %bytes1 %c12 %c8\n",
            "%start %bytes1 %c12 %c8\n",
            "the address of its parameter",
        ),
        ("spirv/enqueue", "%last %bytes1 %c12 %c8\n", "%last %bytes1 %cmost %c8\n", "of this size"),
        ("spirv/enqueue", "OpBuildNDRange %range %sizes", "OpBuildNDRange %held %sizes", "SPIR-V prescribes"),
        ("spirv/enqueue", "OpSetUserEventStatus %user", "OpSetUserEventStatus %target", "clk_event_t"),
        (
            "spirv/sub_group_modes",
            "SubgroupsPerWorkgroup 1",
            "SubgroupsPerWorkgroup 0",
            "wrong number of sub-groups",
        ),
    ] {
        let message = refusal(program, from, to);
        assert!(message.contains(told), "{from} -> {to}: {message}");
    }
}

/// A module of one kernel with these instructions, after the declaration of a few types and constants.
fn refused(body: &str) -> String {
    let text = format!(
        "
               OpCapability Addresses
               OpCapability Kernel
               OpCapability Int64
               OpCapability Float64
               OpCapability ShaderClockKHR
               OpExtension \"SPV_KHR_shader_clock\"
        %std = OpExtInstImport \"OpenCL.std\"
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %run \"run\"
       %void = OpTypeVoid
       %uint = OpTypeInt 32 0
      %ulong = OpTypeInt 64 0
      %float = OpTypeFloat 32
       %pair = OpTypeVector %uint 2
         %c0 = OpConstant %uint 0
         %c4 = OpConstant %uint 4
         %c5 = OpConstant %uint 5
      %large = OpConstant %ulong 3
        %one = OpConstant %float 1
       %both = OpConstantComposite %pair %c0 %c4
    %pointer = OpTypePointer CrossWorkgroup %float
       %type = OpTypeFunction %void %pointer
        %run = OpFunction %void None %type
          %x = OpFunctionParameter %pointer
      %start = OpLabel
{body}
               OpReturn
               OpFunctionEnd
"
    );
    match object(&text) {
        Ok(_) => panic!("`{body}` is read"),
        Err(error) => error.to_string(),
    }
}

/// Rules that the IR's verifier knows, and those of built-in functions, name the instruction, too.
#[test]
fn refusals_name_the_instruction() {
    for (body, told) in [
        ("%a = OpIAdd %uint %c0 %large", "(OpIAdd at byte "),
        ("%a = OpIMul %float %one %one", "(OpIMul at byte "),
        ("%a = OpFAdd %uint %c0 %c4", "(OpFAdd at byte "),
        ("%a = OpIAdd %uint %c0 %c4\n%b = OpIAdd %pair %both %c0", "(OpIAdd at byte "),
        ("%a = OpConvertUToF %float %one", "(OpConvertUToF at byte "),
        ("%a = OpExtInst %float %std sin %c0", "(OpExtInst at byte "),
        ("%a = OpExtInst %float %std cos %one\n%b = OpFRem %float %one %c0", "(OpFRem at byte "),
        ("%a = OpFunctionCall %void %c0", "(OpFunctionCall at byte "),
        (
            "%a = OpAtomicCompareExchange %float %x %c0 %c0 %c0 %one %one",
            "compares integers, not f32 (OpAtomicCompareExchange at byte ",
        ),
        ("%a = OpReadClockKHR %ulong %c0", "clocks are of devices, work-groups or sub-groups"),
        ("%a = OpReadClockKHR %ulong %c4", "clocks are of devices, work-groups or sub-groups"),
        ("%a = OpReadClockKHR %ulong %c5", "clocks are of devices, work-groups or sub-groups"),
    ] {
        let message = refused(body);
        assert!(message.contains(told), "{body}: {message}");
    }
}

/// An application gets the bytes that it gave (`CL_PROGRAM_IL`), in either order; only words are kept.
#[test]
fn modules_of_either_byte_order_keep_their_bytes() {
    let words =
        assemble("OpCapability Addresses OpCapability Kernel OpMemoryModel Physical64 OpenCL").unwrap();
    let order: [fn(u32) -> [u8; 4]; 2] = [u32::to_le_bytes, u32::to_be_bytes];
    for bytes in order.map(|order| words.iter().flat_map(|&word| order(word)).collect::<Vec<u8>>()) {
        let module = clvk::SpirvModule::new("module.spv", &bytes).unwrap();
        assert_eq!(module.bytes(), bytes);
        assert_eq!(module.specialised(&[(7, 1)]).unwrap().bytes(), bytes);
    }
}

/// LLVM's translator lists the functions of blocks among the kernels; hosts cannot launch them.
#[test]
fn functions_that_are_enqueued_are_not_kernels_of_the_host() {
    let programs = clvk_tests::program::all().unwrap();
    let program = programs.into_iter().find(|it| it.name == "spirv/enqueue").unwrap();
    let module = bytes(&assemble(&program.text).unwrap());
    assert_eq!(clvk::SpirvModule::new("module.spv", &module).unwrap().summary().kernels, ["start"]);
}

/// A kernel that computes in double precision. `line` is before its first instruction; the others declare
/// what that needs.
fn double_module(import: &str, debug: &str, line: &str) -> Vec<u8> {
    let text = format!(
        "
               OpCapability Addresses
               OpCapability Kernel
               OpCapability Float64
               {import}
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %run \"run\"
       %file = OpString \"halve.cl\"
       %void = OpTypeVoid
       %uint = OpTypeInt 32 0
     %double = OpTypeFloat 64
    %pointer = OpTypePointer CrossWorkgroup %double
       %type = OpTypeFunction %void %pointer
       %half = OpConstant %double 0.5
      %seven = OpConstant %uint 7
      %three = OpConstant %uint 3
               {debug}
        %run = OpFunction %void None %type
          %x = OpFunctionParameter %pointer
      %start = OpLabel
               {line}
          %a = OpLoad %double %x Aligned 8
    %product = OpFMul %double %a %half
               OpStore %x %product Aligned 8
               OpReturn
               OpFunctionEnd
"
    );
    bytes(&assemble(&text).unwrap())
}

/// SPIR-V §3.52.3, OpenCL.DebugInfo.100 §4.5, NonSemantic.Shader.DebugInfo.100 §4.7.
#[test]
fn a_refusal_of_the_translator_names_the_line_of_the_source() {
    let profile = DeviceProfile { float64: false, ..DeviceProfile::preset("nvidia-h200").unwrap() };
    let compiler = Compiler::new(&profile).with_cache(None);
    let of_opencl = "%set = OpExtInstImport \"OpenCL.DebugInfo.100\"";
    let of_shaders = "OpExtension \"SPV_KHR_non_semantic_info\"
        %set = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"";
    let unit = "%source = OpExtInst %void %set DebugSource %file
        %unit = OpExtInst %void %set DebugCompilationUnit 65536 5 %source OpenCL_C
        %none = OpExtInst %void %set DebugInfoNone
        %fn = OpExtInst %void %set DebugTypeFunction None %void";
    let function = "%scope = OpExtInst %void %set DebugFunction %file %fn %source 12 4 %unit %file \
        FlagIsDefinition 13 %none";
    let block = format!("{function}\n%block = OpExtInst %void %set DebugLexicalBlock %source 15 6 %scope");
    let nested =
        format!("{block}\n%inner = OpExtInst %void %set DebugLexicalBlockDiscriminator %source 1 %block");
    let source = "%source = OpExtInst %void %set DebugSource %file";
    for (import, debug, line, told) in [
        ("", String::new(), "OpLine %file 7 3", "halve.cl:7:3: error:"),
        ("", String::new(), "OpLine %file 7 3\nOpNoLine", "\nerror:"),
        (
            of_opencl,
            format!("{unit}\n{function}"),
            "%s = OpExtInst %void %set DebugScope %scope",
            "halve.cl:12:4: error:",
        ),
        (
            of_opencl,
            format!("{unit}\n{block}"),
            "%s = OpExtInst %void %set DebugScope %block",
            "halve.cl:15:6: error:",
        ),
        (
            of_opencl,
            format!("{unit}\n{nested}"),
            "%s = OpExtInst %void %set DebugScope %inner",
            "halve.cl:15:6: error:",
        ),
        // The line is nearer than the scope.
        (
            of_opencl,
            format!("{unit}\n{block}"),
            "%s = OpExtInst %void %set DebugScope %block\nOpLine %file 16 9",
            "halve.cl:16:9: error:",
        ),
        (
            of_opencl,
            format!("{unit}\n{block}"),
            "%s = OpExtInst %void %set DebugScope %block\n%n = OpExtInst %void %set DebugNoScope",
            "\nerror:",
        ),
        (
            of_shaders,
            source.to_owned(),
            "%s = OpExtInst %void %set DebugLine %source %seven %seven %three %three",
            "halve.cl:7:3: error:",
        ),
        (
            of_shaders,
            source.to_owned(),
            "%s = OpExtInst %void %set DebugLine %source %seven %seven %three %three\n%n = OpExtInst %void %set DebugNoLine",
            "\nerror:",
        ),
    ] {
        let module = double_module(import, &debug, line);
        let object = compiler.spirv_object(ObjectKind::Executable, "module.spv", &module).unwrap();
        let error = compiler.translate(&object).unwrap_err();
        let plain = format!("\n{}", error.plain());
        assert!(plain.contains(told), "{line}: {plain}");
        assert_eq!(
            error.pretty(false).contains("--> halve.cl:"),
            told.starts_with("halve"),
            "{}",
            error.pretty(false)
        );
    }
}

/// LLVM's translator 19 writes `&bytes[3]` in an initialiser as the third byte after an array.
#[test]
fn constant_addresses_count_what_their_type_points_to() {
    let text = "
               OpCapability Addresses
               OpCapability Linkage
               OpCapability Kernel
               OpCapability Int8
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %run \"run\"
               OpName %bytes \"bytes\"
               OpName %third \"third\"
       %void = OpTypeVoid
      %uchar = OpTypeInt 8 0
       %uint = OpTypeInt 32 0
         %c3 = OpConstant %uint 3
         %c4 = OpConstant %uint 4
       %four = OpTypeArray %uchar %c4
     %global = OpTypePointer CrossWorkgroup %uchar
   %global_4 = OpTypePointer CrossWorkgroup %four
   %global_p = OpTypePointer CrossWorkgroup %global
     %letter = OpConstant %uchar 7
       %zero = OpConstantNull %four
      %bytes = OpVariable %global_4 CrossWorkgroup %zero
    %address = OpSpecConstantOp %global InBoundsPtrAccessChain %bytes %c3
      %third = OpVariable %global_p CrossWorkgroup %address
       %type = OpTypeFunction %void %global_4
        %run = OpFunction %void None %type
          %x = OpFunctionParameter %global_4
      %start = OpLabel
          %p = OpLoad %global %third
               OpStore %p %letter
               OpReturn
               OpFunctionEnd
";
    let text = object(text).unwrap().module().to_string();
    assert!(text.contains("at 0: @bytes by 3"), "{text}");
}
