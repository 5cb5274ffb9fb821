//! What SPIR-V for other drivers of OpenCL declares and contains. That it computes the right things is tested
//! by the other suites, which can go through it (`clvk_tests::pipeline::OUR_OWN`).

use clvk::interface::Quirk;
use clvk::{Compiler, DeviceProfile, Error};
use clvk_tests::{judge, pipeline};
use rspirv::binary::Disassemble;
use rspirv::dr::{Module, load_bytes};
use rspirv::spirv::{Capability, Op, OpenclStd100Op};
use std::collections::BTreeSet;

fn compiler(options: &str) -> Compiler {
    let compiler = Compiler::new(&DeviceProfile::default()).with_opencl_features();
    compiler.with_options(options).expect("they are options")
}

/// The module of a source, which spirv-val accepts.
fn module(options: &str, source: &str) -> Module {
    let bytes = compiler(options).compile_opencl_spirv("k.cl", source).expect("it compiles");
    judge::validate_opencl(&bytes).unwrap_or_else(|problem| panic!("{problem}\n{source}"));
    load_bytes(&bytes).expect("it is SPIR-V")
}

fn version(module: &Module) -> (u8, u8) {
    module.header.as_ref().expect("modules have a header").version()
}

fn capabilities(module: &Module) -> BTreeSet<Capability> {
    module.capabilities.iter().map(|it| it.operands[0].unwrap_capability()).collect()
}

/// The numbers of instructions with these opcodes.
fn counts<const N: usize>(module: &Module, ops: [Op; N]) -> [usize; N] {
    ops.map(|op| module.all_inst_iter().filter(|it| it.class.opcode == op).count())
}

/// The messages that refuse a source.
fn refused(options: &str, source: &str) -> String {
    match compiler(options).compile_opencl_spirv("k.cl", source) {
        Err(error @ (Error::Source(_) | Error::Unsupported { .. })) => pipeline::messages(&error),
        other => panic!("{other:?}"),
    }
}

#[test]
fn modules_declare_what_they_use_and_no_more() {
    use Capability as C;
    let always = [C::Addresses, C::Linkage, C::Kernel, C::Int8];
    let wide = "-cl-std=CL3.0";
    /// Build options, source, version of SPIR-V, and capabilities beyond those of all modules.
    type Wanted<'a> = (&'a str, &'a str, (u8, u8), &'a [Capability]);
    let cases: &[Wanted<'_>] = &[
        ("", "kernel void k(global int *a) { *a = 1; }", (1, 0), &[]),
        ("", "kernel void k(global int *a) { a[get_global_id(0)] = 1; }", (1, 0), &[C::Int64]),
        ("", "kernel void k(global double *a) { *a += 1; }", (1, 0), &[C::Float64]),
        (
            "",
            "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global half *a) { *a += *a; }",
            (1, 0),
            &[C::Float16],
        ),
        // Halves that are only in memory need no arithmetic of the device.
        (
            "",
            "kernel void k(global half *a, global float3 *b) {\n\
             *b = vload_half3(1, a) + vload_half(0, a); vstore_half_rtz(b->x, 2, a); vstore_half3(*b, 3, a); }",
            (1, 0),
            &[C::Int64, C::Float16Buffer],
        ),
        ("", "kernel void k(global float16 *a) { *a += 1; }", (1, 0), &[C::Vector16]),
        (
            "",
            "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\nkernel void k(global long *a) { atom_inc(a); }",
            (1, 0),
            &[C::Int64, C::Int64Atomics],
        ),
        (
            wide,
            "kernel void k(global int *a) { local int b; int *p = a; if (*a) p = &b; *p = 1; }",
            (1, 0),
            &[C::GenericPointer],
        ),
        (wide, "kernel void k(global int *a) { *a = work_group_reduce_add(*a); }", (1, 0), &[C::Groups]),
        (
            wide,
            "kernel void k(global int *a) { *a = sub_group_reduce_add(*a); }",
            (1, 3),
            &[C::GroupNonUniform, C::GroupNonUniformArithmetic],
        ),
        (
            wide,
            "kernel void k(read_only image2d_t i, global float4 *a) { *a = read_imagef(i, (int2)0); }",
            (1, 0),
            &[C::ImageBasic],
        ),
        // Only later versions say whether texels are signed.
        (
            wide,
            "kernel void k(read_only image2d_t i, global int4 *a) { *a = read_imagei(i, (int2)0); }",
            (1, 4),
            &[C::ImageBasic],
        ),
        (
            wide,
            "constant sampler_t s = CLK_FILTER_LINEAR | CLK_NORMALIZED_COORDS_TRUE;\n\
             kernel void k(read_only image1d_t i, global float4 *a) { *a = read_imagef(i, s, 0.5f); }",
            (1, 0),
            &[C::ImageBasic, C::LiteralSampler, C::Sampled1D],
        ),
    ];
    for (options, source, wanted_version, more) in cases {
        let module = module(options, source);
        let wanted: BTreeSet<Capability> = always.iter().chain(*more).copied().collect();
        assert_eq!(capabilities(&module), wanted, "{source}");
        assert_eq!(version(&module), *wanted_version, "{source}");
    }
}

#[test]
fn built_in_functions_are_the_drivers() {
    let source = "kernel void k(global float4 *a, global int *b, global float *f) {\n\
        float4 x = sin(a[0]) / pow(a[1], a[2]);\n\
        int e; a[3] = x * frexp(f[0], &e);\n\
        b[0] = mad_sat(b[1], b[2], e) + clz(b[3]) + mul_hi(b[4], b[5]);\n}";
    let module = module("", source);
    let text = module.disassemble();
    for name in ["sin", "pow", "frexp", "s_mad_sat", "clz", "s_mul_hi"] {
        assert!(text.contains(&format!(" {name} ")), "there is no {name}:\n{text}");
    }
    // Nothing is linked; vectors are not taken apart; the quotient is the driver's.
    let [functions, instructions, quotients] = counts(&module, [Op::Function, Op::ExtInst, Op::FDiv]);
    assert_eq!((functions, instructions, quotients), (1, 6, 1), "{text}");
}

#[test]
fn what_drivers_lack_is_linked() {
    let source = "kernel void k(global uint *a) { a[0] = bit_reverse(a[1]); }";
    let module = module("-cl-std=CL3.0", source);
    let [functions, exports] = counts(&module, [Op::Function, Op::FunctionCall]);
    assert_eq!((functions, exports), (2, 1));
    assert!(!module.disassemble().contains("BitInstructions"));
}

#[test]
fn kernels_keep_names_sizes_and_argument_types() {
    let source = "typedef struct { int a; long b; } pair;\n\
        kernel __attribute__((reqd_work_group_size(8, 4, 2))) __attribute__((vec_type_hint(float4)))\n\
        void fill(global const float4 *restrict from, local volatile int *scratch, pair both, uchar c) {\n\
        scratch[0] = both.a + c + from[0].x; }";
    let module = module("", source);
    let text = module.disassemble();
    for expected in [
        "\"fill\"",
        "LocalSize 8 4 2",
        "\"kernel_arg_type.fill.float4*,int*,pair,uchar,\"",
        "\"kernel_arg_type_qual.fill.restrict const,volatile,,,\"",
        "\"scratch\"",
        "FuncParamAttr NoAlias",
        "FuncParamAttr ByVal",
        // Four lanes of single precision.
        "VecTypeHint 262149",
        "OpSource OpenCL_C 102000",
    ] {
        assert!(text.contains(expected), "`{expected}` is missing:\n{text}");
    }
}

#[test]
fn contraction_is_off_where_the_source_says_so() {
    let source = "kernel void k(global float *a) { a[0] = a[1] * a[2] + a[3]; }";
    assert!(!module("", source).disassemble().contains("ContractionOff"));
    let off = format!("#pragma OPENCL FP_CONTRACT OFF\n{source}");
    assert!(module("", &off).disassemble().contains("ContractionOff"));
    // Also in what the kernel calls.
    let off = "#pragma OPENCL FP_CONTRACT OFF\nfloat f(float a, float b) { return a * b + a; }\n\
        #pragma OPENCL FP_CONTRACT ON\nkernel void k(global float *a) { a[0] = f(a[1], a[2]); }\n\
        kernel void other(global float *a) { a[0] = a[1] * a[2] + a[3]; }";
    let text = module("", off).disassemble();
    assert_eq!(text.matches("ContractionOff").count(), 1, "{text}");
}

/// OpenCL C §6.15.2: `mad` may round once or twice, whatever FP_CONTRACT says; `fma` rounds once.
#[test]
fn mad_is_the_drivers() {
    let extended = |source: &str| {
        let module = module("", source);
        let of = |op: OpenclStd100Op| {
            let all = module.all_inst_iter().filter(|it| it.class.opcode == Op::ExtInst);
            all.filter(|it| it.operands[1].unwrap_literal_ext_inst_integer() == op as u32).count()
        };
        let products = counts(&module, [Op::FMul, Op::FAdd]);
        (of(OpenclStd100Op::mad), of(OpenclStd100Op::fma), products)
    };
    let source = "kernel void k(global float4 *a) { a[0] = mad(a[1], a[2], a[3]); a[4] = fma(a[1], a[2], a[3]);\n\
        a[5] = a[6] * a[7] + a[8]; }";
    assert_eq!(extended(source), (2, 1, [0, 0]));
    assert_eq!(extended(&format!("#pragma OPENCL FP_CONTRACT OFF\n{source}")), (1, 1, [1, 1]));
}

#[test]
fn names_are_linked_as_the_source_says() {
    let source = "global int counter = 3; static constant int table[2] = {1, 2};\n\
        int helper(int a) { return a + counter + table[a & 1]; }\n\
        static int hidden(int a) { return helper(a) * 2; }\n\
        int elsewhere(int a);\n\
        kernel void k(global int *a) { a[0] = hidden(a[1]) + elsewhere(a[2]); }";
    let text = module("-cl-std=CL3.0", source).disassemble();
    for expected in ["\"counter\" Export", "\"helper\" Export", "\"elsewhere\" Import"] {
        assert!(text.contains(&format!("LinkageAttributes {expected}")), "{expected} is missing:\n{text}");
    }
    assert!(!text.contains("\"hidden\" Export") && !text.contains("\"table\" Export"), "{text}");
    // A chosen kernel brings only what it needs.
    let chosen = compiler("-cl-std=CL3.0").with_kernels(["k"]).compile_opencl_spirv("k.cl", source).unwrap();
    assert!(!load_bytes(&chosen).unwrap().disassemble().contains("Export"));
}

#[test]
fn kernels_that_kernels_call_are_written_twice() {
    let source =
        "kernel void inner(global int *a) { a[0]++; }\nkernel void outer(global int *a) { inner(a); }";
    let module = module("", source);
    let entries: BTreeSet<u32> =
        module.entry_points.iter().map(|it| it.operands[1].unwrap_id_ref()).collect();
    assert_eq!((entries.len(), module.functions.len()), (2, 3));
    for call in module.all_inst_iter().filter(|it| it.class.opcode == Op::FunctionCall) {
        assert!(!entries.contains(&call.operands[0].unwrap_id_ref()), "nothing calls an entry point");
    }
}

#[test]
fn initialisers_keep_their_pointers_and_are_of_any_length() {
    let pointers = "constant int one = 1, many[3] = {4, 5, 6};\n\
        constant struct { char c; constant int *p; constant int *q; } both = {'a', &one, many + 2};\n\
        kernel void k(global int *a) { a[0] = *both.p + *both.q; }";
    let text = module("", pointers).disassemble();
    assert!(text.contains("OpSpecConstantOp"), "{text}");
    // An instruction has at most 65,535 words.
    let numbers: Vec<String> = (0..100_000).map(|number| number.to_string()).collect();
    let long = format!(
        "constant int t[100000] = {{{}}};\nkernel void k(global int *a) {{ a[0] = t[a[1]]; }}",
        numbers.join(",")
    );
    assert!(module("", &long).disassemble().contains("OpConstantComposite"));
    let circle = "struct s { global struct s *next; };\nextern global struct s b;\n\
        global struct s a = {&b}, b = {&a};\nkernel void k(global int *x) { x[0] = a.next == &b; }";
    assert!(refused("-cl-std=CL3.0", circle).contains("points in a circle"));
}

#[test]
fn what_cannot_be_said_is_refused_at_its_place() {
    let pipe = "kernel void k(read_only pipe int p) {}";
    assert!(refused("-cl-std=CL3.0", pipe).contains("takes a pipe"));
    let format = "kernel void k(global char *f) { printf(f, 1); }";
    let message = refused("-cl-std=CL3.0", format);
    assert!(
        message.starts_with("k.cl:1:33: error: ") && message.contains("not in constant memory"),
        "{message}"
    );
    let block =
        "kernel void k(queue_t q) { enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{}); }";
    assert!(refused("-cl-std=CL3.0", block).contains("__opencl_c_device_enqueue"));
    // Kernels that do without are written if they are chosen.
    let both = format!("{format}\nkernel void good(global int *a) {{ a[0] = 1; }}");
    let chosen = compiler("-cl-std=CL3.0").with_kernels(["good"]).compile_opencl_spirv("k.cl", &both);
    assert!(chosen.is_ok(), "{chosen:?}");
}

#[test]
fn the_same_source_gives_the_same_module() {
    let source = "constant int t[4] = {1, 2, 3, 4};\nint f(int a) { return t[a & 3]; }\nint g(int a) { return f(a) * 2; }\n\
        kernel void k(global int *a) { a[get_global_id(0)] = g(a[get_local_id(0)]) + f(1); printf(\"%d\\n\", *a); }";
    let once = compiler("").compile_opencl_spirv("k.cl", source).unwrap();
    for _ in 0..5 {
        assert_eq!(compiler("").compile_opencl_spirv("k.cl", source).unwrap(), once);
    }
}

#[test]
fn line_information_says_where_instructions_come_from() {
    let source = "kernel void k(global int *a) {\n  a[0] =\n    a[1] / 3;\n}";
    let text = module("-g", source).disassemble();
    assert!(text.contains("OpLine") && text.contains("\"k.cl\"") && text.contains(" 3 "), "{text}");
    assert!(!module("", source).disassemble().contains("OpLine"));
}

#[test]
fn barriers_of_sub_groups_are_fences_for_a_driver_that_makes_work_groups_wait_at_them() {
    let source = "kernel void k(global int *a) {
        if (get_sub_group_id() == 0) { *a = 1; sub_group_barrier(CLK_GLOBAL_MEM_FENCE); *a = 2; }
        barrier(CLK_LOCAL_MEM_FENCE);
    }";
    let barriers = |avoided: &[Quirk]| {
        let compiler = compiler("-cl-std=CL3.0").avoiding_for_opencl(avoided);
        let bytes = compiler.compile_opencl_spirv("k.cl", source).expect("it compiles");
        judge::validate_opencl(&bytes).unwrap_or_else(|problem| panic!("{problem}"));
        let module = load_bytes(&bytes).expect("it is SPIR-V");
        counts(&module, [Op::ControlBarrier, Op::MemoryBarrier])
    };
    assert_eq!(barriers(&[]), [2, 0]);
    assert_eq!(barriers(&[Quirk::SubGroupBarrierMeets]), [1, 1]);
}
