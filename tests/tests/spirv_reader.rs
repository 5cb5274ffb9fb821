//! What is read from SPIR-V, where running kernels does not show it on every device.

use clvk::{Compiler, DeviceProfile, ObjectKind};
use clvk_tests::spirv::{assemble, bytes};

/// The function of the kernel `run`, which calls the one that multiplies and adds: as LLVM's translator makes
/// kernels. The execution modes are those of the two kernels `run` and `other`, which call it.
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
               OpStore %x %sum Aligned 4
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
    let profile = DeviceProfile::preset("nvidia-h200").unwrap();
    let module = bytes(&assemble(&text).unwrap());
    let compiler = Compiler::new(&profile).with_cache(None);
    compiler.spirv_object(ObjectKind::Executable, "module.spv", &module).unwrap().module().to_string()
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
