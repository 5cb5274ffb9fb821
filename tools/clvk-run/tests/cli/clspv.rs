//! `clvk-run clspv-compat`: the reflection, read back with rspirv, the options and the refusals.
//!
//! Expected instructions are written by hand: from the specification of `NonSemantic.ClspvReflection`, from
//! clspv's documentation and tests of reflection, and from what clspv writes for the same source.

use crate::harness::Folder;
use rspirv::binary::{Consumer, ParseAction, parse_words};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::spirv::Op;
use std::collections::HashMap;
use std::process::{Command, Output};

/// Collects the instructions of a module, wherever they stand.
#[derive(Default)]
struct Instructions(Vec<Instruction>);

impl Consumer for Instructions {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, _: ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, instruction: Instruction) -> ParseAction {
        self.0.push(instruction);
        ParseAction::Continue
    }
}

/// The name of an instruction in the specification.
fn name(number: u32) -> &'static str {
    match number {
        1 => "Kernel",
        2 => "ArgumentInfo",
        3 => "ArgumentStorageBuffer",
        5 => "ArgumentPodStorageBuffer",
        7 => "ArgumentPodPushConstant",
        8 => "ArgumentSampledImage",
        9 => "ArgumentStorageImage",
        10 => "ArgumentSampler",
        11 => "ArgumentWorkgroup",
        12 => "SpecConstantWorkgroupSize",
        13 => "SpecConstantGlobalOffset",
        14 => "SpecConstantWorkDim",
        15 => "PushConstantGlobalOffset",
        16 => "PushConstantEnqueuedLocalSize",
        17 => "PushConstantGlobalSize",
        18 => "PushConstantRegionOffset",
        19 => "PushConstantNumWorkgroups",
        20 => "PushConstantRegionGroupOffset",
        21 => "ConstantDataStorageBuffer",
        23 => "LiteralSampler",
        24 => "PropertyRequiredWorkgroupSize",
        26 => "ArgumentPointerPushConstant",
        28 => "ProgramScopeVariablesStorageBuffer",
        30 => "ImageArgumentInfoChannelOrderPushConstant",
        31 => "ImageArgumentInfoChannelDataTypePushConstant",
        34 => "ArgumentStorageTexelBuffer",
        35 => "ArgumentUniformTexelBuffer",
        36 => "ConstantDataPointerPushConstant",
        41 => "NormalizedSamplerMaskPushConstant",
        _ => panic!("the instruction {number} is not expected"),
    }
}

/// The instructions of the reflection, one a line. Strings are in quotes, kernels and arguments in angle
/// brackets, functions have an `@`.
fn reflection(bytes: &[u8]) -> Vec<String> {
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let mut all = Instructions::default();
    parse_words(&words, &mut all).expect("it is SPIR-V");
    let (mut texts, mut lines, mut set) = (HashMap::new(), Vec::new(), None);
    for it in &all.0 {
        let id = it.result_id.unwrap_or(0);
        match (it.class.opcode, it.operands.as_slice()) {
            (Op::ExtInstImport, [Operand::LiteralString(name)]) if name.starts_with("NonSemantic.") => {
                assert_eq!(name, "NonSemantic.ClspvReflection.5");
                set = Some(id);
            }
            (Op::String, [Operand::LiteralString(text)]) => drop(texts.insert(id, format!("\"{text}\""))),
            (Op::Constant, [Operand::LiteralBit32(value)]) => drop(texts.insert(id, value.to_string())),
            (Op::EntryPoint, [_, Operand::IdRef(function), Operand::LiteralString(name), ..]) => {
                texts.insert(*function, format!("@{name}"));
            }
            (Op::ExtInst, [Operand::IdRef(of), Operand::LiteralExtInstInteger(number), operands @ ..])
                if Some(*of) == set =>
            {
                let text = |operand: &Operand| texts[&operand.unwrap_id_ref()].clone();
                let operands: Vec<String> = operands.iter().map(text).collect();
                // A kernel by its name, an argument by what is known of it.
                let short = match number {
                    1 => operands[1].trim_matches('"').to_owned(),
                    _ => operands[0].trim_matches('"').to_owned(),
                };
                texts.insert(id, format!("<{short}>"));
                lines.push(format!("{} {}", name(*number), operands.join(" ")));
            }
            _ => {}
        }
    }
    assert!(set.is_some(), "there is no reflection");
    lines
}

fn run(folder: &Folder, arguments: &[&str]) -> Output {
    let all: Vec<&str> = ["clspv-compat"].into_iter().chain(arguments.iter().copied()).collect();
    folder.command(&all).output().unwrap()
}

/// Compiles a source, which must succeed silently; spirv-val must accept the result.
fn compile(folder: &Folder, source: &str, options: &[&str], environment: &str) -> Vec<u8> {
    folder.write("a.cl", source);
    let arguments: Vec<&str> = ["a.cl", "-o", "a.spv"].into_iter().chain(options.iter().copied()).collect();
    let out = run(folder, &arguments);
    let err = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && err.is_empty(), "{options:?}: {err}");
    let check =
        Command::new("spirv-val").args(["--target-env", environment]).arg(folder.path("a.spv")).output();
    let check = check.expect("spirv-val is installed (Debian: spirv-tools)");
    assert!(check.status.success(), "{options:?}: {}", String::from_utf8_lossy(&check.stderr));
    folder.read("a.spv")
}

/// A source, the options, and the instructions that must be there, in order; after a kernel, those about it.
struct Row(&'static str, &'static [&'static str], &'static [&'static str]);

const SIZES: &str = "SpecConstantWorkgroupSize 0 1 2";

#[rustfmt::skip]
const TABLE: &[Row] = &[
    // Buffers, values and local memory. The values are aligned as OpenCL aligns them; three floats are 12
    // bytes.
    Row("kernel void foo(global int* a, float f, global float* b, uint c, local float4 *l, constant short *k) {\n\
           a[get_global_id(0)] = f + b[c] + l[0].x + k[1]; l[get_local_id(0)] = f; }\n\
         kernel __attribute__((reqd_work_group_size(8,4,2))) void bar(global uchar* a, char x, float3 v, uint2 w) {\n\
           a[get_global_id(1)] = x + v.y + w.x; }",
        &[], &[
        "Kernel @foo \"foo\" 6 0 \"__kernel\"",
        "ArgumentInfo \"a\"", "ArgumentStorageBuffer <foo> 0 0 0 <a>",
        "ArgumentInfo \"f\"", "ArgumentPodPushConstant <foo> 1 0 4 <f>",
        "ArgumentInfo \"b\"", "ArgumentStorageBuffer <foo> 2 0 1 <b>",
        "ArgumentInfo \"c\"", "ArgumentPodPushConstant <foo> 3 4 4 <c>",
        "ArgumentInfo \"l\"", "ArgumentWorkgroup <foo> 4 3 16 <l>",
        "ArgumentInfo \"k\"", "ArgumentStorageBuffer <foo> 5 0 2 <k>",
        "Kernel @bar \"bar\" 4 0 \"__attribute__((reqd_work_group_size(8, 4, 2)))__kernel\"",
        "PropertyRequiredWorkgroupSize <bar> 8 4 2",
        "ArgumentInfo \"a\"", "ArgumentStorageBuffer <bar> 0 0 0 <a>",
        "ArgumentInfo \"x\"", "ArgumentPodPushConstant <bar> 1 0 1 <x>",
        "ArgumentInfo \"v\"", "ArgumentPodPushConstant <bar> 2 16 12 <v>",
        "ArgumentInfo \"w\"", "ArgumentPodPushConstant <bar> 3 32 8 <w>",
        SIZES]),
    // Addresses instead of descriptors.
    Row("kernel void foo(global int* a, float f, global float* b) { a[0] = f + b[1]; }",
        &["-arch=spir64", "-physical-storage-buffers", "-spv-version=1.5"], &[
        "Kernel @foo \"foo\" 3 0 \"__kernel\"",
        "ArgumentInfo \"a\"", "ArgumentPointerPushConstant <foo> 0 0 8 <a>",
        "ArgumentInfo \"f\"", "ArgumentPodPushConstant <foo> 1 8 4 <f>",
        "ArgumentInfo \"b\"", "ArgumentPointerPushConstant <foo> 2 16 8 <b>",
        SIZES]),
    // Push constants that are too small: the values share a buffer, whose binding follows the others.
    Row("kernel void foo(short data, global short* out) { *out = data; }", &["-max-pushconstant-size=1"], &[
        "Kernel @foo \"foo\" 2 0 \"__kernel\"",
        "ArgumentInfo \"data\"", "ArgumentPodStorageBuffer <foo> 0 0 1 0 2 <data>",
        "ArgumentInfo \"out\"", "ArgumentStorageBuffer <foo> 1 0 0 <out>",
        SIZES]),
    // clspv's global_push_constants.cl: each number of the launch in a vector of 16 bytes.
    Row("kernel void foo(global int* data) { *data = get_global_offset(0) + get_num_groups(0) +\n\
           get_enqueued_local_size(0) + get_global_size(0) + get_global_id(0) + get_group_id(0); }",
        &["-cl-std=CL2.0", "-inline-entry-points", "-global-offset"], &[
        "Kernel @foo \"foo\" 1 0 \"__kernel\"",
        "ArgumentInfo \"data\"", "ArgumentStorageBuffer <foo> 0 0 0 <data>",
        "PushConstantGlobalOffset 0 12", "PushConstantEnqueuedLocalSize 16 12", "PushConstantGlobalSize 32 12",
        "PushConstantRegionOffset 48 12", "PushConstantNumWorkgroups 64 12", "PushConstantRegionGroupOffset 80 12",
        SIZES]),
    // The same with work-groups of one size, and after them the values.
    Row("kernel void foo(global int* data, int x) { data[get_global_id(0)] = get_group_id(0) + get_global_size(0) + x; }",
        &["-cl-std=CL2.0", "-uniform-workgroup-size"], &[
        "Kernel @foo \"foo\" 2 0 \"__kernel\"",
        "ArgumentInfo \"data\"", "ArgumentStorageBuffer <foo> 0 0 0 <data>",
        "ArgumentInfo \"x\"", "ArgumentPodPushConstant <foo> 1 0 4 <x>",
        SIZES]),
    Row("kernel void foo(global int* data, int x) { data[get_global_id(0)] = x; }",
        &["-cl-arm-non-uniform-work-group-size"], &[
        "Kernel @foo \"foo\" 2 0 \"__kernel\"",
        "ArgumentInfo \"data\"", "ArgumentStorageBuffer <foo> 0 0 0 <data>",
        "ArgumentInfo \"x\"", "ArgumentPodPushConstant <foo> 1 12 4 <x>",
        "PushConstantRegionOffset 0 12", SIZES]),
    // clspv's global_offset_spec_constant.cl and work_dim_spec_constant.cl.
    Row("kernel void foo(global int* data) { *data = get_global_offset(0); }", &["-global-offset"], &[
        "Kernel @foo \"foo\" 1 0 \"__kernel\"",
        "ArgumentInfo \"data\"", "ArgumentStorageBuffer <foo> 0 0 0 <data>",
        SIZES, "SpecConstantGlobalOffset 3 4 5"]),
    Row("kernel void foo(global int* data) { *data = get_global_offset(0); }", &["--global-offset-push-constant"], &[
        "Kernel @foo \"foo\" 1 0 \"__kernel\"",
        "ArgumentInfo \"data\"", "ArgumentStorageBuffer <foo> 0 0 0 <data>",
        "PushConstantGlobalOffset 0 12", SIZES]),
    Row("kernel void foo(global int* data, local int *l) { *l = 1; *data = get_work_dim() + *l; }", &[], &[
        "Kernel @foo \"foo\" 2 0 \"__kernel\"",
        "ArgumentInfo \"data\"", "ArgumentStorageBuffer <foo> 0 0 0 <data>",
        "ArgumentInfo \"l\"", "ArgumentWorkgroup <foo> 1 4 4 <l>",
        SIZES, "SpecConstantWorkDim 3"]),
    // Variables: after the descriptor set of the arguments. 65,530 zeros are not small.
    Row("global int counter = 258;\nkernel void foo(global int* data) { *data = counter++; }",
        &["-cl-std=CL3.0", "-enable-feature-macros=__opencl_c_program_scope_global_variables"], &[
        "ProgramScopeVariablesStorageBuffer 1 0 \"02010000000000000000000000000000\"",
        "Kernel @foo \"foo\" 1 0 \"__kernel\"",
        "ArgumentInfo \"data\"", "ArgumentStorageBuffer <foo> 0 0 0 <data>", SIZES]),
    // Images, with words about the one that is written, which may be encoded; OpenCL's numbers of qualifiers.
    Row("kernel void foo(read_only image2d_t i, write_only image2d_t o, read_only image1d_buffer_t b, const global int *p) {\n\
           write_imagef(o, (int2)(get_image_width(i), p[0]), read_imagef(i, (int2)(1, 2)) + read_imagef(b, 3)); }",
        &["--cl-kernel-arg-info"], &[
        "Kernel @foo \"foo\" 4 0 \"__kernel\"",
        "ArgumentInfo \"i\" \"image2d_t\" 4507 4512 0", "ArgumentSampledImage <foo> 0 0 0 <i>",
        "ArgumentInfo \"o\" \"image2d_t\" 4507 4513 0", "ArgumentStorageImage <foo> 1 0 1 <o>",
        "ArgumentInfo \"b\" \"image1d_buffer_t\" 4507 4512 0", "ArgumentUniformTexelBuffer <foo> 2 0 2 <b>",
        "ArgumentInfo \"p\" \"int*\" 4507 4515 1", "ArgumentStorageBuffer <foo> 3 0 3 <p>",
        "ImageArgumentInfoChannelOrderPushConstant <foo> 1 0 4", "ImageArgumentInfoChannelDataTypePushConstant <foo> 1 4 4",
        SIZES]),
    Row("kernel void foo(read_only image2d_t i, sampler_t s, global int2 *out) {\n\
           *out = (int2)(get_image_channel_order(i), get_image_channel_data_type(i)) + convert_int2(read_imagef(i, s, (float2)(0.5f)).xy); }",
        &[], &[
        "Kernel @foo \"foo\" 3 0 \"__kernel\"",
        "ArgumentInfo \"i\"", "ArgumentSampledImage <foo> 0 0 0 <i>",
        "ArgumentInfo \"s\"", "ArgumentSampler <foo> 1 0 1 <s>",
        "ArgumentInfo \"out\"", "ArgumentStorageBuffer <foo> 2 0 2 <out>",
        "ImageArgumentInfoChannelOrderPushConstant <foo> 0 0 4",
        "ImageArgumentInfoChannelDataTypePushConstant <foo> 0 4 4",
        "NormalizedSamplerMaskPushConstant <foo> 1 8 4", SIZES]),
    // clspv's unused_arg.cl and different_reqd_work_group_sizes.cl.
    Row("kernel void test(global int* in, global int* out) { *out = 0; }", &[], &[
        "Kernel @test \"test\" 2 0 \"__kernel\"",
        "ArgumentInfo \"out\"", "ArgumentStorageBuffer <test> 1 0 1 <out>", SIZES]),
    Row("__attribute__((reqd_work_group_size(1,2,3))) kernel void foo() {}\n\
         __attribute__((reqd_work_group_size(4,5,6))) kernel void bar() {}", &[], &[
        "Kernel @foo \"foo\" 0 0 \"__attribute__((reqd_work_group_size(1, 2, 3)))__kernel\"",
        "PropertyRequiredWorkgroupSize <foo> 1 2 3",
        "Kernel @bar \"bar\" 0 0 \"__attribute__((reqd_work_group_size(4, 5, 6)))__kernel\"",
        "PropertyRequiredWorkgroupSize <bar> 4 5 6", SIZES]),
];

#[test]
fn the_reflection_is_that_of_clspv() {
    let folder = Folder::new("clspv_reflection");
    for Row(source, options, expected) in TABLE {
        let environment = if options.contains(&"-spv-version=1.5") { "vulkan1.2" } else { "vulkan1.0" };
        let bytes = compile(&folder, source, options, environment);
        assert_eq!(reflection(&bytes), *expected, "{options:?}: {source}");
    }
}

#[test]
fn no_capability_is_declared_that_hosts_do_not_know() {
    let folder = Folder::new("clspv_capabilities");
    // clspv declares the same for the first source of the table.
    let bytes = compile(&folder, TABLE[0].0, &[], "vulkan1.0");
    let mut all = Instructions::default();
    rspirv::binary::parse_bytes(&bytes, &mut all).expect("it is SPIR-V");
    let capabilities = all.0.iter().filter(|it| it.class.opcode == Op::Capability);
    let mut names: Vec<String> = capabilities.map(|it| format!("{}", it.operands[0])).collect();
    names.sort();
    assert_eq!(names, ["Int16", "Int8", "Shader"]);
}

#[test]
fn every_version_of_spirv_is_valid() {
    let folder = Folder::new("clspv_versions");
    let half = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
    let narrow = "kernel void k(global half *h, global char *c, global short *s, double d, long l, short v) {\n\
        size_t i = get_global_id(0); h[i] = h[i] * 2 + d; c[i] += v; s[i] = l / (i + 1);\n\
        atomic_inc((global int *)s); }";
    // Devices that store only words do so here, too.
    let words = "kernel void k(global half2 *h, global uchar4 *c, global ushort2 *s, long l, char v) {\n\
        size_t i = get_global_id(0); h[i] = h[i] * 2; c[i] += v; s[i] = l / (i + 1); }";
    let versions =
        [("1.0", "vulkan1.0"), ("1.3", "vulkan1.1"), ("1.4", "vulkan1.1spv1.4"), ("1.5", "vulkan1.2")];
    for (version, environment) in versions.into_iter().chain([("1.6", "vulkan1.3")]) {
        let version = format!("-spv-version={version}");
        let (narrow, words) = (format!("{half}{narrow}"), format!("{half}{words}"));
        compile(&folder, &narrow, &[&version, "-rounding-mode-rte=16,32,64"], environment);
        let lacking =
            ["-int8=0", "-no-8bit-storage=ssbo,ubo,pushconstant", "--no-16bit-storage=ssbo,pushconstant"];
        compile(&folder, &words, &[&[version.as_str()], &lacking[..]].concat(), environment);
        let addresses = ["-arch=spir64", "-physical-storage-buffers"];
        compile(&folder, &narrow, &[&[version.as_str()], &addresses[..]].concat(), environment);
    }
}

#[test]
fn the_descriptor_map_is_that_of_the_documentation() {
    let folder = Folder::new("clspv_map");
    // The example of clspv's documentation, whose values have been in push constants since.
    let source = "kernel void foo(local float* L, global float* A, local float4 *L2, uint c) { L[0] = A[c]; L2[0] = L[0]; A[0] = L2[0].x; }";
    compile(&folder, source, &["-descriptormap=map"], "vulkan1.0");
    let expected = "\
        kernel_decl,foo\n\
        kernel,foo,arg,L,argOrdinal,0,argKind,local,arrayElemSize,4,arrayNumElemSpecId,3\n\
        kernel,foo,arg,A,argOrdinal,1,descriptorSet,0,binding,0,offset,0,argKind,buffer\n\
        kernel,foo,arg,L2,argOrdinal,2,argKind,local,arrayElemSize,16,arrayNumElemSpecId,4\n\
        kernel,foo,arg,c,argOrdinal,3,offset,0,argKind,pod_pushconstant,argSize,4\n\
        spec_constant,workgroup_size_x,spec_id,0\n\
        spec_constant,workgroup_size_y,spec_id,1\n\
        spec_constant,workgroup_size_z,spec_id,2\n";
    assert_eq!(String::from_utf8(folder.read("map")).unwrap(), expected);
}

#[test]
fn what_cannot_be_honoured_is_refused_by_name() {
    let folder = Folder::new("clspv_refusals");
    folder.write("printf.cl", "kernel void k() { printf(\"x\"); }");
    folder.write(
        "large.cl",
        "typedef struct { int a[64]; } S; kernel void k(S s, global int *o) { *o = s.a[o[1]]; }",
    );
    folder.write("wrong.cl", "kernel void k(global int *a) { *b = 0; }");
    folder.write("groups.cl", "kernel void k(global int *a) { *a = sub_group_reduce_add(*a); }");
    folder.write("pipe.cl", "kernel void k(read_only pipe int p) { }");
    folder.write("bytes.cl", "kernel void k(global char *a) { a[1] = 2; }");
    folder.write("none.cl", "int f() { return 1; }");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["-pod-ubo", "saxpy.cl"], 1, "clspv: for the -pod-ubo option: not supported: "),
        (
            &["--constant-args-ubo", "saxpy.cl"],
            1,
            "clspv: for the -constant-args-ubo option: not supported: ",
        ),
        (
            &["-cluster-pod-kernel-args=0", "saxpy.cl"],
            1,
            "clspv: for the -cluster-pod-kernel-args option: not supported: ",
        ),
        (&["-cl-std=CLC++", "saxpy.cl"], 1, "clspv: for the -cl-std option: not supported: "),
        (&["-output-format=ll", "saxpy.cl"], 1, "clspv: for the -output-format option: not supported: "),
        (
            &["-physical-storage-buffers", "saxpy.cl"],
            1,
            "clspv: -physical-storage-buffers can only be used with -arch=spir64",
        ),
        (
            &["-inline-entrypoints", "saxpy.cl"],
            1,
            "clspv: Unknown command line argument '-inline-entrypoints'.  Try: 'clspv --help'",
        ),
        (
            &["-fp16=2", "saxpy.cl"],
            1,
            "clspv: for the -fp16 option: '2' is invalid value for boolean argument! Try 0 or 1",
        ),
        (&["saxpy.cl", "-o"], 1, "clspv: for the -o option: requires a value!"),
        (
            &["-spv-version=1.2", "saxpy.cl"],
            1,
            "clspv: for the -spv-version option: Cannot find option named '1.2'!",
        ),
        (
            &["-enable-printf", "printf.cl"],
            255,
            "printf.cl:1:13: error: kernel `k` calls `printf`, whose output hosts of clspv read",
        ),
        (
            &["-pod-pushconstant", "large.cl"],
            255,
            "kernel `k` needs 256 bytes of push constants; `-max-pushconstant-size` allows 128",
        ),
        (
            &["-no-8bit-storage=ssbo", "bytes.cl"],
            255,
            "bytes.cl:1:33: error: kernel `k` accesses 8 bits of a buffer",
        ),
        (&["wrong.cl"], 255, "wrong.cl:1:33: error: "),
        (&["-cl-std=CL3.0", "groups.cl"], 255, "groups.cl:1:37: error: "),
        (&["-cl-std=CL2.0", "pipe.cl"], 255, "pipe.cl:1:"),
        (&["none.cl"], 255, "error: the program has no kernels"),
        (&["-x", "ir", "saxpy.cl"], 255, "error: `saxpy.cl`: `-x ir` takes what this program wrote"),
        (&["nonesuch.cl"], 255, "nonesuch.cl"),
    ];
    for (arguments, code, expected) in cases {
        let out = run(&folder, arguments);
        let err = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(*code), "{arguments:?}: {err}");
        assert!(err.contains(expected) && !err.contains("panicked"), "{arguments:?}: {err}");
    }
}

#[test]
fn options_that_only_tune_change_nothing() {
    let folder = Folder::new("clspv_tuning");
    let plain = compile(&folder, crate::harness::SAXPY, &[], "vulkan1.0");
    let tuning = "-O3 -inline-entry-points -no-dra -hack-undef -hack-mul-extended --use-native-builtins=fma,sqrt \
        -long-vector=1 -rewrite-packed-structs -std430-ubo-layout -decorate-nonuniform -max-ubo-size=65536 \
        -cluster-pod-kernel-args -printf-buffer-size=1048576 -work-dim=1 -constant-args-ubo=0 -w";
    let options: Vec<&str> = tuning.split_whitespace().collect();
    assert!(plain == compile(&folder, crate::harness::SAXPY, &options, "vulkan1.0"));
}

#[test]
fn objects_are_linked() {
    let folder = Folder::new("clspv_objects");
    folder.write("one.cl", "int twice(int x); kernel void k(global int *a) { *a = twice(*a); }");
    folder.write("two.cl", "int twice(int x) { return 2 * x; }");
    for name in ["one", "two"] {
        let out = run(&folder, &["--output-format=bc", &format!("{name}.cl"), "-o", &format!("{name}.bc")]);
        assert!(out.status.success(), "{out:?}");
    }
    let out = run(&folder, &["-x", "ir", "one.bc", "two.bc", "-o", "linked.spv"]);
    assert!(out.status.success(), "{out:?}");
    // Sources are linked as well, and the words are those of an initialiser in C.
    let out = run(&folder, &["one.cl", "two.cl", "-o", "linked.c", "-output-format=c"]);
    assert!(out.status.success(), "{out:?}");
    let list = String::from_utf8(folder.read("linked.c")).unwrap();
    let words = list.trim().trim_matches(['{', '}']).split(", ").map(|word| word.parse::<u32>().unwrap());
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    assert_eq!(bytes, folder.read("linked.spv"));
    assert_eq!(reflection(&bytes)[2], "ArgumentStorageBuffer <k> 0 0 0 <a>");
}

#[cfg(unix)]
#[test]
fn a_link_called_clspv_is_clspv() {
    let folder = Folder::new("clspv_link");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_clvk-run"), folder.path("clspv")).unwrap();
    let clspv = |arguments: &[&str]| {
        Command::new(folder.path("clspv")).args(arguments).current_dir(folder.path("")).output().unwrap()
    };
    assert!(clspv(&["saxpy.cl", "-D", "X=1", "-cl-std=CL1.2"]).status.success());
    assert_eq!(reflection(&folder.read("a.spv"))[0], "Kernel @saxpy \"saxpy\" 3 0 \"__kernel\"");
    let help = clspv(&["--help"]);
    let text = String::from_utf8(help.stdout).unwrap();
    assert!(help.status.success() && text.starts_with("OVERVIEW: "), "{text}");
    for option in ["-max-pushconstant-size=<bytes>", "-pod-ubo", "(refused)", "(no effect)"] {
        assert!(text.contains(option), "{option}: {text}");
    }
}
