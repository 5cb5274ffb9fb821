//! Rules of SPIR-V that translating an instruction would not notice.

use crate::object;

/// A module whose kernel has these instructions, with types, constants and memory of several kinds. The first
/// lines declare capabilities and extensions.
fn with_rules(declared: &str, body: &str) -> Result<clvk::Object, clvk::Error> {
    let text = format!(
        "
               OpCapability Addresses
               OpCapability Kernel
               OpCapability GenericPointer
               OpCapability Int64
               OpCapability Int8
               {declared}
        %std = OpExtInstImport \"OpenCL.std\"
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %run \"run\"
       %void = OpTypeVoid
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
      %ulong = OpTypeInt 64 0
      %float = OpTypeFloat 32
     %float2 = OpTypeVector %float 2
         %c0 = OpConstant %uint 0
         %c1 = OpConstant %uint 1
         %c3 = OpConstant %uint 3
         %c5 = OpConstant %uint 5
    %release = OpConstant %uint 4
       %both = OpConstant %uint 6
    %uniform = OpConstant %uint 66
         %l0 = OpConstant %ulong 0
         %l1 = OpConstant %ulong 1
        %one = OpConstant %float 1
       %ones = OpConstantComposite %float2 %one %one
       %true = OpConstantTrue %bool
      %bool2 = OpTypeVector %bool 2
  %both_true = OpConstantComposite %bool2 %true %true
      %uchar = OpTypeInt 8 0
    %percent = OpConstant %uchar 37
          %d = OpConstant %uchar 100
        %end = OpConstant %uchar 0
    %letters3 = OpTypeArray %uchar %c3
     %words1 = OpTypeArray %uint %c1
     %format = OpConstantComposite %letters3 %percent %d %end
     %number = OpConstantComposite %words1 %c1
   %text_ptr = OpTypePointer UniformConstant %letters3
   %char_ptr = OpTypePointer UniformConstant %uchar
   %word_ptr = OpTypePointer UniformConstant %words1
       %text = OpVariable %text_ptr UniformConstant %format
    %numbers = OpVariable %word_ptr UniformConstant %number
    %members = OpTypeStruct %uint %float
      %alike = OpTypeStruct %uint %float
     %unlike = OpTypeStruct %uint %uint
%both_members = OpConstantComposite %members %c1 %one
        %own = OpTypePointer Function %float
     %global = OpTypePointer CrossWorkgroup %float
      %words = OpTypePointer CrossWorkgroup %uint
      %wides = OpTypePointer CrossWorkgroup %ulong
      %local = OpTypePointer Workgroup %float
    %generic = OpTypePointer Generic %float
      %other = OpTypePointer Generic %uint
       %type = OpTypeFunction %void %global %words %wides
        %run = OpFunction %void None %type
          %x = OpFunctionParameter %global
          %w = OpFunctionParameter %words
          %l = OpFunctionParameter %wides
      %start = OpLabel
       %held = OpVariable %own Function
    %letters = OpInBoundsPtrAccessChain %char_ptr %text %l0 %l0
{body}
               OpReturn
               OpFunctionEnd
"
    );
    object(&text)
}

/// SPIR-V §3.49 and the OpenCL extended instruction set: the first body of each pair keeps the rule that the
/// second one breaks. Without the rule, the second would be read as something else.
#[test]
fn broken_rules_are_refused_at_their_instruction() {
    for (declared, right, wrong, told) in [
        (
            "",
            "OpAtomicLoad %float %x %c1 %c0",
            "OpAtomicLoad %uint %x %c1 %c0",
            "another type than the value",
        ),
        ("", "OpAtomicLoad %float %x %c1 %c0", "OpAtomicLoad %float %x %l1 %c0", "the scope is not a 32-bit"),
        (
            "",
            "OpAtomicLoad %float %x %c1 %c0",
            "OpAtomicLoad %float %x %c1 %l0",
            "semantics are not a 32-bit",
        ),
        (
            "",
            "OpAtomicIIncrement %uint %w %c1 %release",
            "OpAtomicIIncrement %uint %w %c1 %both",
            "one order",
        ),
        (
            "",
            "OpAtomicIIncrement %uint %w %c1 %c0",
            "OpAtomicIIncrement %uint %w %c1 %uniform",
            "only shaders",
        ),
        (
            "",
            "OpAtomicCompareExchange %uint %w %c1 %release %c0 %c0 %c1",
            "OpAtomicCompareExchange %uint %w %c1 %release %release %c0 %c1",
            "a comparison that fails releases nothing",
        ),
        (
            "",
            "OpAtomicFlagTestAndSet %bool %w %c1 %c0",
            "OpAtomicFlagTestAndSet %bool %x %c1 %c0",
            "the pointer does not point to a 32-bit integer",
        ),
        ("", "OpLoad %float %x", "OpLoad %uint %x", "another type than the value"),
        (
            "",
            "OpSelect %float2 %both_true %ones %ones",
            "OpSelect %float %both_true %one %one",
            "number of lanes",
        ),
        ("", "OpPtrCastToGeneric %generic %x", "OpPtrCastToGeneric %other %x", "point to different types"),
        ("", "OpPtrCastToGeneric %generic %x", "OpPtrCastToGeneric %local %x", "not of a generic pointer"),
        ("", "OpSatConvertSToU %uint %c1", "OpSatConvertSToU %uint %one", "the operand is not an integer"),
        (
            "OpCapability ExpectAssumeKHR\nOpExtension \"SPV_KHR_expect_assume\"",
            "OpExpectKHR %uint %c1 %c0",
            "OpExpectKHR %uint %c1 %one",
            "the operands have another type than the result",
        ),
        ("", "OpExtInst %float2 %std vloadn %l0 %x 2", "OpExtInst %float2 %std vloadn %c0 %x 2", "a size_t"),
        (
            "",
            "OpExtInst %float2 %std vloadn %l0 %x 2",
            "OpExtInst %float2 %std vloadn %l0 %w 2",
            "to elements of the vector",
        ),
        (
            "",
            "OpExtInst %float2 %std vloadn %l0 %x 2",
            "OpExtInst %float2 %std vloadn %l0 %x 4",
            "another number of lanes",
        ),
        (
            "",
            "OpExtInst %void %std vstoren %ones %l0 %x",
            "OpExtInst %uint %std vstoren %ones %l0 %x",
            "the result is not void",
        ),
        ("", "OpExtInst %void %std prefetch %x %l1", "OpExtInst %void %std prefetch %x %c1", "a size_t"),
        (
            "",
            "OpExtInst %float %std remquo %one %one %w",
            "OpExtInst %float %std remquo %one %one %x",
            "another type than the second result",
        ),
        (
            "",
            "OpExtInst %float %std remquo %one %one %w",
            "OpExtInst %float %std remquo %c1 %one %w",
            "an operand has another type than the result",
        ),
        (
            "",
            "OpExtInst %uint %std printf %letters %c1",
            "OpExtInst %uint %std printf %numbers %c1",
            "the format of printf is not a string",
        ),
        (
            "",
            "OpExtInst %uint %std printf %text %c1",
            "OpExtInst %uint %std printf %w %c1",
            "the format of printf is not in constant memory",
        ),
        ("", "OpExtInst %float %std fract %one %x", "OpExtInst %float %std fract %one %w", "second result"),
        ("", "OpExtInst %uint %std ilogb %one", "OpExtInst %float %std ilogb %one", "not a 32-bit integer"),
        ("", "OpExtInst %float %std nan %c1", "OpExtInst %float %std nan %l1", "the codes are not integers"),
        ("", "OpCopyMemorySized %w %x %l1", "OpCopyMemorySized %w %x %one", "the size is not an integer"),
        ("", "OpCopyMemory %x %held", "OpCopyMemory %w %held", "the pointers are to different types"),
        ("", "OpAtomicLoad %uint %w %c1 %c0", "OpAtomicLoad %uint %w %c5 %c0", "do not have this scope"),
        ("", "OpCopyLogical %alike %both_members", "OpCopyLogical %unlike %both_members", "different types"),
        ("", "OpCopyLogical %alike %both_members", "OpCopyLogical %members %both_members", "the same type"),
    ] {
        let has_result = |body: &str| !body.starts_with("OpCopyMemory");
        let named = |body: &str| if has_result(body) { format!("%value = {body}") } else { body.to_owned() };
        let read = |body: &str| with_rules(declared, &named(body));
        read(right).unwrap_or_else(|error| panic!("{right}: {error}"));
        let message = read(wrong).err().unwrap_or_else(|| panic!("{wrong} is read")).to_string();
        let name = wrong.split_once(' ').unwrap().0;
        assert!(
            message.contains(told) && message.contains(&format!("({name} at byte ")),
            "{wrong}: {message}"
        );
    }
}

#[test]
fn undeclared_capabilities_and_extensions_are_refused() {
    let needs = |extension: &str, name: &str| format!("the module does not declare the {extension} {name} (");
    let expect = "%value = OpExpectKHR %uint %c1 %c0";
    let extension = "OpExtension \"SPV_KHR_expect_assume\"";
    let capability = "OpCapability ExpectAssumeKHR";
    let wide = "%value = OpAtomicLoad %ulong %l %c1 %c0";
    let exported = "OpCapability Linkage\nOpExtension \"SPV_KHR_linkonce_odr\"";
    with_rules(&format!("{capability}\n{extension}"), expect).unwrap();
    with_rules("OpCapability Int64Atomics", wide).unwrap();
    with_rules(exported, "").unwrap();
    for (declared, body, told) in [
        (extension, expect, needs("capability", "ExpectAssumeKHR")),
        (capability, expect, needs("extension", "SPV_KHR_expect_assume")),
        ("", "%value = OpBitReverse %uint %c1", needs("capability", "BitInstructions")),
        ("", wide, needs("capability", "Int64Atomics")),
    ] {
        let message =
            with_rules(declared, body).err().unwrap_or_else(|| panic!("{body} is read")).to_string();
        assert!(message.contains(&told), "{body}: {message}");
    }
}

/// SPIR-V §3.49.17: a pair for each block that leads to the phi's, and values of its type.
#[test]
fn phis_have_the_values_that_reach_them() {
    let phi = |operands: &str| {
        let body = format!(
            "OpBranchConditional %true %left %right
             %left = OpLabel
             OpBranch %meet
             %right = OpLabel
             OpBranch %meet
             %meet = OpLabel
             %value = OpPhi {operands}"
        );
        with_rules("", &body)
    };
    phi("%uint %c0 %left %c1 %right").unwrap();
    for (operands, told) in [
        ("%uint %c0 %left %c1 %right %c1 %start", "which does not lead to its block (OpPhi at byte "),
        ("%uint %c0 %left %one %right", "has another type than the phi (OpPhi at byte "),
        ("%uint %c0 %left", "has no value for the block"),
    ] {
        let message = phi(operands).err().unwrap_or_else(|| panic!("{operands} is read")).to_string();
        assert!(message.contains(told), "{operands}: {message}");
    }
}

/// What is wrong with where an instruction is, or with a block that it names.
#[test]
fn instructions_out_of_place_are_refused() {
    let ends = "%left = OpLabel\nOpBranch %meet\n%right = OpLabel\nOpBranch %meet\n%meet = OpLabel";
    for (right, wrong, told) in [
        (
            format!(
                "OpBranchConditional %true %left %right\n{ends}\n%a = OpPhi %uint %c0 %left %c1 %right\n%b = OpIAdd %uint %c0 %c1"
            ),
            format!(
                "OpBranchConditional %true %left %right\n{ends}\n%b = OpIAdd %uint %c0 %c1\n%a = OpPhi %uint %c0 %left %c1 %right"
            ),
            "the phi is not at the start of its block (OpPhi at byte ",
        ),
        (
            format!("OpSelectionMerge %meet None\nOpBranchConditional %true %left %right\n{ends}"),
            format!("OpSelectionMerge %c1 None\nOpBranchConditional %true %left %right\n{ends}"),
            "the operand is not a block (OpSelectionMerge at byte ",
        ),
        (
            "%first = OpVariable %own Function %one".to_owned(),
            "%sum = OpFAdd %float %one %one\n%first = OpVariable %own Function %sum".to_owned(),
            "the initial value is not a constant (OpVariable at byte ",
        ),
        (String::new(), "%a = OpPhi %uint".to_owned(), " (OpPhi at byte "),
    ] {
        with_rules("", &right).unwrap_or_else(|error| panic!("{right}: {error}"));
        let message = with_rules("", &wrong).err().unwrap_or_else(|| panic!("{wrong} is read")).to_string();
        assert!(message.contains(told), "{wrong}: {message}");
    }
}

/// SPIR-V §2.16.1: the graph of calls from a kernel has no cycles.
#[test]
fn recursion_is_refused_at_the_call_that_closes_the_cycle() {
    let text = |inner: &str| {
        format!(
            "
               OpCapability Addresses
               OpCapability Kernel
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %run \"run\"
               OpName %outer \"outer\"
               OpName %inner \"inner\"
       %file = OpString \"cycle.cl\"
       %void = OpTypeVoid
       %type = OpTypeFunction %void
        %run = OpFunction %void None %type
      %start = OpLabel
          %a = OpFunctionCall %void %outer
          %b = OpFunctionCall %void %last
               OpReturn
               OpFunctionEnd
      %outer = OpFunction %void None %type
      %begin = OpLabel
          %c = OpFunctionCall %void %inner
               OpReturn
               OpFunctionEnd
      %inner = OpFunction %void None %type
       %next = OpLabel
               OpLine %file 7 3
          %d = OpFunctionCall %void %last
               OpLine %file 8 3
          %e = OpFunctionCall %void {inner}
               OpReturn
               OpFunctionEnd
       %last = OpFunction %void None %type
        %end = OpLabel
               OpReturn
               OpFunctionEnd
"
        )
    };
    let read = |callee: &str| object(&text(callee)).map(drop);
    read("%last").unwrap();
    for (callee, told) in [("%outer", "outer calls inner calls outer"), ("%inner", "inner calls inner")] {
        let message = read(callee).unwrap_err().to_string();
        assert!(
            message.contains(&format!("recursively: {told} (OpFunctionCall at byte "))
                && message.contains("cycle.cl:8:3"),
            "{message}"
        );
    }
}
