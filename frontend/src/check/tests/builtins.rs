//! Calls of built-in functions.

use super::{errors, errors_with, everything, function, plain, type_of, type_of_with, valid, version};
use crate::hir::{Constant, ExprKind, Operation, StatementKind, Synchronizing};
use crate::options::{LanguageVersion, Options};
use clvk_interface::{Feature, FeatureSet};
use clvk_ir::{FenceFlags, Scope};

#[test]
fn results() {
    let declarations =
        "float4 v = 0; int4 w = 0; uint4 z = 0; uchar4 c = 0; float x = 0; uint u = 0; int i = 0;";
    for (text, expected) in [
        ("get_global_id(0)", "ulong"),
        ("get_work_dim()", "uint"),
        ("exp(x)", "float"),
        ("exp(v)", "float4"),
        ("pow(v, 2.0f)", "float4"),
        ("max(v, x)", "float4"),
        ("max(w, i)", "int4"),
        ("clamp(v, 0.0f, 1.0f)", "float4"),
        ("mix(v, v, x)", "float4"),
        ("dot(v, v)", "float"),
        ("dot(x, x)", "float"),
        ("length(v.xyz)", "float"),
        ("cross(v.xyz, v.xyz)", "float3"),
        ("abs(w)", "uint4"),
        ("rotate(u, 3u)", "uint"),
        ("mul24(i, i)", "int"),
        ("isnan(v)", "int4"),
        ("isless(x, x)", "int"),
        ("any(v < x)", "int"),
        ("select(v, v, w)", "float4"),
        ("select(x, x, i)", "float"),
        ("bitselect(u, u, u)", "uint"),
        ("convert_uchar4_sat(v)", "uchar4"),
        ("convert_int(x)", "int"),
        ("as_uint(x)", "uint"),
        ("as_uchar4(u)", "uchar4"),
        ("as_float3(v)", "float3"),
        ("upsample(c, c)", "ushort4"),
        ("ldexp(v, 2)", "float4"),
        ("pown(x, 2)", "float"),
        ("ilogb(v)", "int4"),
        ("sqrt(2)", "float"),
        ("native_sin(x)", "float"),
        ("half_recip(v)", "float4"),
        ("shuffle(v, z.xy)", "float2"),
        ("fract(x, &x)", "float"),
        ("vec_step(v.xyz)", "int"),
    ] {
        assert_eq!(type_of(declarations, text), expected, "{text}");
    }
    assert_eq!(type_of_with("double2 d = 0;", "sqrt(d)", &everything()), "double2");
}

#[test]
fn memory() {
    valid(
        "__kernel void k(__global float *g, __constant uchar *c, __local int *l, __global half *h,
                         volatile __global uint *a, __global float *x) {
             float4 v = vload4(1, g); uchar16 b = vload16(0, c); vstore4(v, get_global_id(0), g); vstore4(1.0f, 0, g);
             int2 p = vload2(0, l); float f = vload_half(3, h); float4 w = vload_half4(0, h); vstore_half_rtz(f, 1, h);
             vstorea_half4(w, 0, h);
             atomic_add(a, 1); atomic_inc(l); uint old = atomic_cmpxchg(a, 0u, 1u); float e = atomic_xchg(x, 2.0f);
             atom_max(l, 5); prefetch(g, 4); barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
             mem_fence(CLK_GLOBAL_MEM_FENCE);
         }",
    );
}

#[test]
fn images() {
    valid(
        "__kernel void k(read_only image2d_t i, write_only image2d_t o, read_only image3d_t v, sampler_t s) {
             float4 a = read_imagef(i, s, (float2)(0.5f, 0.5f)) + read_imagef(i, s, (int2)(1, 2)) + read_imagef(i, (int2)(1, 2));
             uint4 u = read_imageui(v, s, (int4)(1, 2, 3, 0));
             write_imagef(o, (int2)(get_image_width(i), get_image_height(o)), a);
             int2 d = get_image_dim(o);
         }",
    );
    assert_eq!(
        errors("__kernel void k(write_only image2d_t o, sampler_t s) { read_imagef(o, s, (int2)(1, 2)); }")
            .lines()
            .next()
            .map(|line| line.split(';').next().expect("a part").to_owned()),
        Some("1:56: error: no matching function for call to 'read_imagef'".to_owned())
    );
}

#[test]
fn the_flags_of_a_barrier_are_a_constant() {
    let program = valid("__kernel void k() { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }");
    let [statement] = function(&program, "k").body.as_deref().expect("a body") else {
        panic!("one statement")
    };
    let StatementKind::Expr(expr) = &statement.kind else { panic!("an expression") };
    let ExprKind::Builtin(call) = &expr.kind else { panic!("a built-in") };
    let flags = FenceFlags::LOCAL | FenceFlags::GLOBAL;
    let (execution, memory) = (Scope::WorkGroup, Scope::WorkGroup);
    assert_eq!(call.operation, Operation::Synchronize(Synchronizing::Barrier { execution, memory, flags }));
}

#[test]
fn scalars_are_widened_for_the_lowering() {
    let program = valid("void k(float4 v) { clamp(v, 0.0f, 1); }");
    let StatementKind::Expr(expr) = &function(&program, "k").body.as_deref().expect("a body")[0].kind else {
        panic!("an expression")
    };
    let ExprKind::Builtin(call) = &expr.kind else { panic!("a built-in") };
    for argument in &call.arguments {
        assert_eq!(argument.ty, expr.ty);
    }
    assert_eq!(call.arguments[2].kind, ExprKind::Constant(Constant::Lanes(vec![0x3F80_0000; 4])));
}

#[test]
fn wrong_calls() {
    let in_function = |text: &str| {
        errors(&format!("void f(float4 v, uint u, int i, __global const float *p) {{ {text}; }}"))
    };
    for (text, expected) in [
        (
            "max(u, i)",
            "1:60: error: call to 'max' is ambiguous; the arguments are (uint, int); candidate: int max(int, int); candidate: uint max(uint, uint); cast the arguments to the intended type\n",
        ),
        (
            "clamp(p[0], 0, 1)",
            "1:60: error: call to 'clamp' is ambiguous; the arguments are (float, int, int); candidate: int clamp(int, int, int); candidate: float clamp(float, float, float); cast the arguments to the intended type\n",
        ),
        (
            "dot(v)",
            "1:60: error: too few arguments to function call, expected 2, have 1; candidate: sgentype dot(gentype, gentype) with gentype of float, double, half; candidate: gentype dot(gentype, gentype) with gentype of float, double, half\n",
        ),
        (
            "as_int(v)",
            "1:60: error: no matching function for call to 'as_int'; the argument is (float4); 'float4' and 'int' have different sizes\n",
        ),
        (
            "convert_int2(v)",
            "1:60: error: no matching function for call to 'convert_int2'; the argument is (float4); the argument and the result must have the same number of elements (2)\n",
        ),
        (
            "vstore4(v, 0, p)",
            "1:60: error: no matching function for call to 'vstore4'; the arguments are (float4, int, __global const float *); the pointer points to read-only memory\n",
        ),
        (
            "intel_sub_group_media_block_read_ui(i)",
            "1:60: error: the built-in function 'intel_sub_group_media_block_read_ui' is not supported\n",
        ),
        (
            "intel_sub_group_block_read(p)",
            "1:60: error: the built-in function 'intel_sub_group_block_read' requires __opencl_c_subgroups, which the device does not offer; the macro __opencl_c_subgroups is defined on devices that offer it\n",
        ),
        (
            "get_image_num_samples(i)",
            "1:60: error: the built-in function 'get_image_num_samples' requires cl_khr_gl_msaa_sharing, which the device does not offer; the macro cl_khr_gl_msaa_sharing is defined on devices that offer it; without it, use an array of images with a layer for each sample\n",
        ),
        (
            "get_global_linear_id()",
            "1:60: error: the built-in function 'get_global_linear_id' requires OpenCL C 2.0 or newer; choose it with -cl-std=CL2.0\n",
        ),
        ("i = sin", "1:64: error: the built-in function 'sin' can only be called\n"),
    ] {
        assert_eq!(in_function(text), expected, "{text}");
    }
}

#[test]
fn features() {
    let none = Options { features: FeatureSet::default(), ..plain() };
    assert_eq!(
        errors_with("__kernel void k(read_only image2d_t i) {}", &none),
        "1:27: error: use of type 'image2d_t' requires image support, which the device does not offer\n"
    );
    assert_eq!(type_of_with("", "ctz(1)", &version(LanguageVersion::C20)), "int");
}

/// Each kind of function is suggested for a nearly right name.
#[test]
fn every_kind_is_suggested() {
    for (misspelt, meant) in [
        ("get_gloabl_id", "get_global_id"),
        ("read_imagfe", "read_imagef"),
        ("convert_uchar4_sat_rt", "convert_uchar4_sat_rte"),
        ("convert_flaot4", "convert_float4"),
        ("as_uint44", "as_uint4"),
        ("vloda4", "vload4"),
        ("vstorea_half4_rte_", "vstorea_half4_rte"),
        ("shufle2", "shuffle2"),
        ("to_golbal", "to_global"),
        ("prinft", "printf"),
        ("async_work_group_copy_2D3D", "async_work_group_copy_2D2D"),
        ("wait_group_event", "wait_group_events"),
        ("work_group_barier", "work_group_barrier"),
        ("read_mem_fenec", "read_mem_fence"),
        ("atomic_fetch_add_explict", "atomic_fetch_add_explicit"),
        ("atomic_flag_test_end_set", "atomic_flag_test_and_set"),
        ("reserve_raed_pipe", "reserve_read_pipe"),
        ("enqueue_kernal", "enqueue_kernel"),
        ("ndrange_1d", "ndrange_1D"),
        ("sub_group_scan_inclusive_mim", "sub_group_scan_inclusive_min"),
    ] {
        let messages = errors(&format!("void f() {{ {misspelt}(1); }}"));
        assert!(messages.contains(&format!("did you mean '{meant}'?")), "{misspelt}: {messages}");
    }
}

/// Each kind of function is gated by the version that its row states, and the message says how to choose it.
#[test]
fn every_kind_is_gated_by_version() {
    use LanguageVersion::{C10, C11, C12};
    for (call, before, first) in [
        ("ctz(1)", C12, "2.0"),
        ("to_local(p)", C12, "2.0"),
        ("printf(\"%d\", 1)", C11, "1.2"),
        ("async_work_group_strided_copy(l, p, 4, 2, 0)", C10, "1.1"),
        ("work_group_barrier(1)", C12, "2.0"),
        ("atomic_load(p)", C12, "2.0"),
        ("is_valid_reserve_id(p)", C12, "2.0"),
        ("retain_event(p)", C12, "2.0"),
        ("work_group_reduce_mul(1)", C12, "2.0"),
    ] {
        let name = call.split_once('(').expect("a call").0;
        let options = Options { version: before, ..everything() };
        let text = format!("void f(global int *p, local int *l) {{ {call}; }}");
        let expected = format!(
            "1:39: error: the built-in function '{name}' requires OpenCL C {first} or newer; choose it with \
             -cl-std=CL{first}\n"
        );
        assert_eq!(errors_with(&text, &options), expected, "{call}");
    }
}

/// Each kind of function is gated by the features that its row states.
#[test]
fn every_kind_is_gated_by_feature() {
    let none = Options { version: LanguageVersion::C30, ..Options::default() };
    for (call, feature) in [
        ("bit_reverse(1)", "cl_khr_extended_bit_ops"),
        ("to_local(p)", "__opencl_c_generic_address_space"),
        ("async_work_group_copy_fence(1)", "cl_khr_async_work_group_copy_fence"),
        ("sub_group_barrier(1)", "__opencl_c_subgroups"),
        ("atomic_load(p)", "__opencl_c_atomic_order_seq_cst"),
        ("is_valid_reserve_id(p)", "__opencl_c_pipes"),
        ("retain_event(p)", "__opencl_c_device_enqueue"),
    ] {
        let name = call.split_once('(').expect("a call").0;
        let messages = errors_with(&format!("void f(global int *p) {{ {call}; }}"), &none);
        let expected =
            format!("the built-in function '{name}' requires {feature}, which the device does not offer;");
        assert!(messages.contains(&expected), "{call}: {messages}");
    }
    // If the first feature is available, the second one is demanded.
    let pipes = Options { features: [Feature::Pipes].into_iter().collect(), ..none };
    let messages = errors_with("void f(global int *p) { sub_group_commit_read_pipe(p, p); }", &pipes);
    assert!(messages.contains("requires __opencl_c_subgroups"), "{messages}");
}
