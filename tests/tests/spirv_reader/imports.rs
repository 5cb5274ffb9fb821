//! Functions that a module imports by the mangled names of built-in functions. `tests/programs/spirv` runs
//! some.

use crate::object;
use clvk::{Compiler, DeviceProfile};

/// A module whose kernel calls an imported function of this name, which takes an integer, with this operand:
/// the constant `%one`, or `%known`, a number of the kernel's memory.
fn importing(name: &str, operand: &str) -> Result<clvk::Object, clvk::Error> {
    object(&format!(
        "
               OpCapability Addresses
               OpCapability Linkage
               OpCapability Kernel
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %run \"run\"
               OpDecorate %other LinkageAttributes \"{name}\" Import
       %void = OpTypeVoid
       %uint = OpTypeInt 32 0
    %pointer = OpTypePointer CrossWorkgroup %uint
   %of_other = OpTypeFunction %void %uint
     %of_run = OpTypeFunction %void %pointer
        %one = OpConstant %uint 1
      %other = OpFunction %void None %of_other
          %a = OpFunctionParameter %uint
               OpFunctionEnd
        %run = OpFunction %void None %of_run
          %x = OpFunctionParameter %pointer
      %start = OpLabel
      %known = OpLoad %uint %x Aligned 4
       %call = OpFunctionCall %void %other {operand}
               OpReturn
               OpFunctionEnd
"
    ))
}

#[test]
fn a_built_in_function_is_known_by_its_mangled_name() {
    importing("_Z7barrierj", "%one").unwrap();
}

/// What is not a built-in function, or takes other types, stays a function that nothing defines.
#[test]
fn other_imports_are_refused_by_name() {
    let compiler = Compiler::new(&DeviceProfile::preset("nvidia-h200").unwrap()).with_cache(None);
    for name in
        ["_Z7barrierjj", "_Z7barrierf", "_Z9barricadej", "_Z7barrierPU3AS1j", "barrier", "_Z7barrierb"]
    {
        let object = importing(name, "%one").unwrap();
        let message = compiler.translate(&object).unwrap_err().plain();
        assert!(message.contains(name), "{name}: {message}");
    }
}

/// A built-in function that does not take an integer: the message names the instruction.
#[test]
fn a_call_that_opencl_c_refuses_is_refused_at_its_instruction() {
    let message = importing("_Z9normalizej", "%known").unwrap_err().plain();
    assert!(message.contains("(OpFunctionCall at byte "), "{message}");
}
