//! Damaged SPIR-V modules are refused, or read as something else: never a panic, a hang or unbounded memory.
//! The modules are those of `tests/programs/spirv`, cut off after every word, and with each word replaced by
//! others.

use clvk::{Compiler, DeviceProfile, Error, ObjectKind};
use clvk_tests::program;
use clvk_tests::spirv::{assemble, bytes};

/// The words of the modules, by name.
fn modules() -> Vec<(String, Vec<u32>)> {
    let programs = program::all().unwrap().into_iter().filter(|program| program.file.ends_with(".spvasm"));
    programs.map(|program| (program.name, assemble(&program.text).unwrap())).collect()
}

fn read(words: &[u32]) -> Result<clvk::Object, Error> {
    let profile = DeviceProfile::preset("lavapipe-22.3").unwrap();
    Compiler::new(&profile).with_cache(None).spirv_object(
        ObjectKind::Executable,
        "damaged.spv",
        &bytes(words),
    )
}

fn message(error: &Error) -> String {
    let [message] = &error.list()[..] else { panic!("there is one message: {error}") };
    message.text.clone()
}

#[test]
fn modules_that_are_cut_off_are_refused() {
    for (name, words) in modules() {
        for length in 0..words.len() {
            let kernels = read(&words[..length]).map(|object| object.kernel_names().count());
            assert!(matches!(kernels, Ok(0) | Err(_)), "{name}, cut off after {length} words");
        }
        let mut odd = bytes(&words);
        odd.pop();
        let profile = DeviceProfile::preset("lavapipe-22.3").unwrap();
        let result = Compiler::new(&profile).spirv_object(ObjectKind::Executable, "odd.spv", &odd);
        let error = message(&result.expect_err("a byte is missing"));
        assert!(error.contains("not a multiple of 4 bytes"), "{error}");
    }
}

#[test]
fn modules_with_one_wrong_word_are_read_or_refused() {
    for (name, words) in modules() {
        for position in 0..words.len() {
            let old = words[position];
            for new in
                [0, 1, 2, old ^ 1, old.wrapping_add(1), old.wrapping_add(0x1_0000), 0x7FFF_FFFF, u32::MAX]
            {
                let mut damaged = words.clone();
                damaged[position] = new;
                // What is read must be right IR: the reader itself asserts that.
                if let Err(error) = read(&damaged) {
                    let text = message(&error);
                    assert!(text.starts_with("damaged.spv: "), "{name}, word {position} is {new}: {text}");
                }
            }
        }
    }
}

#[test]
fn modules_of_another_byte_order_are_read() {
    for (name, words) in modules() {
        let swapped: Vec<u32> = words.iter().map(|word| word.swap_bytes()).collect();
        let read_swapped = read(&swapped).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read_swapped.module().to_string(), read(&words).unwrap().module().to_string(), "{name}");
    }
}

#[test]
fn an_error_names_the_instruction_and_its_place() {
    let (_, mut words) = modules().into_iter().find(|(name, _)| name == "spirv/phis").unwrap();
    // The first instruction is `OpCapability Addresses`, after five words of the header.
    assert_eq!(words[5..7], [0x0002_0011, 4]);
    words[6] = 1;
    let error = message(&read(&words).unwrap_err());
    assert_eq!(error, "damaged.spv: the module is a shader; kernels are expected (OpCapability at byte 20)");
}

#[test]
fn an_error_names_the_line_of_the_source() {
    let module = |line: &str| {
        let text = format!(
            "
               OpCapability Addresses
               OpCapability Kernel
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %run \"run\"
      %other = OpString \"other.cl\"
       %file = OpString \"folder/kernel.cl\"
       %void = OpTypeVoid
      %float = OpTypeFloat 32
        %one = OpConstant %float 1
       %type = OpTypeFunction %void
               OpLine %other 3 1
        %run = OpFunction %void None %type
      %entry = OpLabel
               {line}
      %wrong = OpDPdx %float %one
               OpReturn
               OpFunctionEnd
"
        );
        message(&read(&assemble(&text).unwrap()).unwrap_err())
    };
    let named = module("OpLine %file 12 7");
    assert!(named.starts_with("damaged.spv: folder/kernel.cl:12:7: this instruction is not"), "{named}");
    assert!(module("OpLine %file 12 0").starts_with("damaged.spv: folder/kernel.cl:12: this"));
    assert!(module("").starts_with("damaged.spv: other.cl:3:1: this"));
    assert!(module("OpNoLine").starts_with("damaged.spv: this instruction"));
}

#[test]
fn constants_that_refer_to_themselves_are_refused() {
    let text = "
               OpCapability Addresses
               OpCapability Kernel
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %run \"run\"
       %void = OpTypeVoid
       %uint = OpTypeInt 32 0
        %two = OpTypeVector %uint 2
        %one = OpConstant %uint 1
       %self = OpConstantComposite %two %self %one
    %pointer = OpTypePointer CrossWorkgroup %two
       %type = OpTypeFunction %void %pointer
        %run = OpFunction %void None %type
        %out = OpFunctionParameter %pointer
      %entry = OpLabel
               OpStore %out %self
               OpReturn
               OpFunctionEnd
";
    let module = assemble(text).unwrap();
    let error = message(&read(&module).unwrap_err());
    assert!(error.contains("constants refer to each other too deeply"), "{error}");
}
