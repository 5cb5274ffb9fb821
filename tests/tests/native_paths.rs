//! Checks, by the instructions of the SPIR-V, that what a device has is used, and what it lacks is not.

use clvk_interface::DeviceProfile;
use clvk_tests::pipeline;
use clvk_tests::spirv::{instructions, instructions_of};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op, MemoryAccess, Op, Word};

/// A program compiled for a device.
fn compiled(source: &str, profile: &DeviceProfile) -> Vec<u32> {
    let options = ["-cl-std=CL3.0".to_owned()];
    let module = pipeline::compile("native.cl", source, &options, profile);
    module.unwrap_or_else(|error| panic!("{source}: {error}")).spirv
}

/// The opcodes of a program compiled for a device.
fn opcodes(source: &str, profile: &DeviceProfile) -> Vec<Op> {
    instructions(&compiled(source, profile)).iter().map(|instruction| instruction.class.opcode).collect()
}

/// Checks that a program uses a device's instruction, and other instructions without the feature.
fn check(source: &str, native: Op, without: fn(&mut DeviceProfile)) {
    let mut profile = DeviceProfile::preset("nvidia-h200").expect("it is a preset");
    profile.subgroup_clustered = true;
    profile.buffer_float32_min_max = true;
    profile.shared_float32_min_max = true;
    let has = |profile: &DeviceProfile| opcodes(source, profile).contains(&native);
    assert!(has(&profile), "{source}: no {native:?}");
    without(&mut profile);
    assert!(!has(&profile), "{source}: {native:?} on a device that lacks it");
}

#[test]
fn sums_of_floats_in_buffers_are_atomic_operations() {
    let source = "kernel void f(global atomic_float *p) { atomic_fetch_sub(p, 2.0f); }";
    check(source, Op::AtomicFAddEXT, |profile| profile.buffer_float32_add = false);
}

#[test]
fn sums_of_floats_in_local_memory_are_atomic_operations() {
    let source = "kernel void f(global float *p) {
        local atomic_float sum;
        atomic_init(&sum, 0.0f);
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_fetch_add(&sum, p[get_local_id(0)]);
        barrier(CLK_LOCAL_MEM_FENCE);
        p[0] = atomic_load(&sum);
    }";
    check(source, Op::AtomicFAddEXT, |profile| profile.shared_float32_add = false);
}

#[test]
fn sums_of_doubles_are_atomic_operations() {
    let source = "kernel void f(global atomic_double *p) { atomic_fetch_add(p, 2.0); }";
    check(source, Op::AtomicFAddEXT, |profile| profile.buffer_float64_add = false);
}

#[test]
fn extremes_of_floats_are_atomic_operations() {
    let source = "kernel void f(global atomic_float *p) { atomic_fetch_max(p, 2.0f); }";
    check(source, Op::AtomicFMaxEXT, |profile| profile.buffer_float32_min_max = false);
}

#[test]
fn dot_products_of_bytes_are_one_instruction() {
    let source = "kernel void f(global uchar4 *a, global char4 *b, global int *r) { r[0] = dot_acc_sat(a[0], b[0], 1); }";
    check(source, Op::SUDot, |profile| profile.integer_dot_product = false);
    let source =
        "kernel void f(global uint *a, global uint *r) { r[0] = dot_4x8packed_uu_uint(a[0], a[1]); }";
    check(source, Op::UDot, |profile| profile.integer_dot_product = false);
}

#[test]
fn rows_in_local_memory_are_loaded_as_vectors() {
    let source = "kernel void f(global const float *p, global float *r) {
        local float tile[32][16];
        float own[16], sum = 0;
        for (uint i = get_local_id(0); i < 512; i += get_local_size(0))
            tile[i / 16][i % 16] = p[i];
        for (uint i = 0; i < 16; ++i)
            own[i] = p[get_global_id(0) * 16 + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint row = 0; row < 32; ++row)
            for (uint i = 0; i < 16; ++i)
                sum += own[i] * tile[row][i];
        r[get_global_id(0)] = sum;
    }";
    let loads_of_vectors = |profile: &DeviceProfile| {
        let instructions = instructions(&compiled(source, profile));
        let is_vector = |id: Word| {
            instructions.iter().any(|it| {
                it.class.opcode == Op::TypeVector
                    && it.result_id == Some(id)
                    && it.operands[1] == Operand::LiteralBit32(4)
            })
        };
        let loads = instructions.iter().filter(|it| it.class.opcode == Op::Load);
        loads.filter(|it| it.result_type.is_some_and(is_vector)).count()
    };
    let mut profile = DeviceProfile::preset("nvidia-h200").expect("it is a preset");
    assert_eq!(loads_of_vectors(&profile), 4);
    profile.preferences.clear();
    assert_eq!(loads_of_vectors(&profile), 0);
}

#[test]
fn divisions_of_extended_numbers_have_32_bits() {
    let kernel = |divide: &str| {
        format!("kernel void f(global ulong *r, int n) {{ size_t i = get_global_id(0); r[i] = {divide}; }}")
    };
    let profile = DeviceProfile::preset("lavapipe-25.0").expect("it is a preset");
    let wide_division = |divide: &str| {
        let words = compiled(&kernel(divide), &profile);
        let instructions = instructions(&words);
        let is_wide = |id: Word| {
            let declares = |it: &&Instruction| it.class.opcode == Op::TypeInt && it.result_id == Some(id);
            instructions.iter().find(declares).is_some_and(|it| it.operands[0] == Operand::LiteralBit32(64))
        };
        let divisions = instructions
            .iter()
            .filter(|it| matches!(it.class.opcode, Op::UDiv | Op::UMod | Op::SDiv | Op::SRem));
        let types: Vec<Word> = divisions.filter_map(|it| it.result_type).collect();
        assert!(!types.is_empty(), "{divide}");
        types.into_iter().any(is_wide)
    };
    for divide in ["i / n", "i % n", "i / (uint)n", "(long)(int)i / n", "(i * 3) % 1000"] {
        assert!(wide_division(divide) == (divide == "(i * 3) % 1000"), "{divide}");
    }
}

#[test]
fn clusters_without_the_device_s_are_combined_one_by_one() {
    let source = "kernel void f(global float *a) {
        a[get_global_id(0)] = sub_group_clustered_reduce_add(a[get_global_id(0)], 4);
    }";
    check(source, Op::GroupNonUniformFAdd, |profile| profile.subgroup_clustered = false);
}

#[test]
fn clocks_are_offered_only_where_they_are() {
    let source = "kernel void f(global ulong *a) { a[0] = clock_read_device(); }";
    let mut profile = DeviceProfile::preset("nvidia-h200").expect("it is a preset");
    assert!(opcodes(source, &profile).contains(&Op::ReadClockKHR));
    profile.device_clock = false;
    let refused = pipeline::compile("native.cl", source, &["-cl-std=CL3.0".to_owned()], &profile);
    let message = pipeline::messages(&refused.expect_err("the device has no clock"));
    assert!(message.contains("__opencl_c_kernel_clock_scope_device"), "{message}");
}

/// The alignments that `OpLoad` and `OpStore` claim.
fn claimed_alignments(words: &[u32]) -> Vec<u32> {
    let operands = instructions(words).into_iter().filter_map(|instruction| match instruction.class.opcode {
        Op::Load => instruction.operands.get(1..3).map(<[Operand]>::to_vec),
        Op::Store => instruction.operands.get(2..4).map(<[Operand]>::to_vec),
        _ => None,
    });
    let aligned = operands.filter(|access| access[0].unwrap_memory_access().contains(MemoryAccess::ALIGNED));
    aligned.map(|access| access[1].unwrap_literal_bit32()).collect()
}

#[test]
fn no_access_by_address_is_wider_than_those_of_the_hardware() {
    let profile = DeviceProfile::preset("nvidia-h200").expect("it is a preset");
    let source = "kernel void f(global long4 *p, global double3 *q) { p[0] = p[1]; vstore3(*q, 0, (global double *)p); *q = 1; }";
    let mut alignments = claimed_alignments(&compiled(source, &profile));
    alignments.sort_unstable();
    // Two for each of five vectors: `p[1]`, `p[0]`, `*q` twice, and the access of `vstore3`, which is less
    // aligned.
    assert_eq!(alignments, [8, 8, 16, 16, 16, 16, 16, 16, 16, 16]);
}

#[test]
fn fused_sums_stay_so_beside_their_product() {
    let profile = DeviceProfile::preset("nvidia-h200").expect("it is a preset");
    let source = "kernel void f(global double *a) {
        double product = a[0] * a[1];
        a[2] = product;
        a[3] = fma(a[0], a[1], -product);
        a[4] = fma(a[0], a[1], a[5]);
    }";
    assert_eq!(extended(source, &profile, GlslStd450Op::Fma), 2);
}

/// How often an extended instruction occurs in a program.
fn extended(source: &str, profile: &DeviceProfile, which: GlslStd450Op) -> usize {
    let all = instructions_of(&compiled(source, profile), Op::ExtInst);
    all.iter().filter(|it| it.operands[1].unwrap_literal_ext_inst_integer() == which as u32).count()
}

/// The computing instructions of a program: without constants, types and memory.
fn arithmetic(source: &str, profile: &DeviceProfile) -> usize {
    let computes = [Op::ExtInst, Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::Select, Op::Bitcast];
    opcodes(source, profile).iter().filter(|op| computes.contains(op)).count()
}

#[test]
fn what_a_device_is_known_to_do_well_is_one_instruction() {
    let known = DeviceProfile::preset("nvidia-h200").expect("it is a preset");
    let unknown = DeviceProfile { guarantees: Vec::new(), ..known.clone() };
    for (of, expression) in [
        ("float", "fma(a[0], a[1], a[2])"),
        ("double", "fma(a[0], a[1], a[2])"),
        ("float", "sqrt(a[0])"),
        ("float", "rsqrt(a[0])"),
        ("float", "exp2(a[0])"),
    ] {
        let source = format!("kernel void f(global {of} *a) {{ a[3] = {expression}; }}");
        assert_eq!(arithmetic(&source, &known), 1, "{expression} of {of}");
        assert!(arithmetic(&source, &unknown) > 3, "{expression} of {of} on a device that promises little");
    }
}

#[test]
fn numbers_between_constants_are_clamped() {
    let profile = DeviceProfile::preset("nvidia-h200").expect("it is a preset");
    let counts = |expression: &str| {
        let source = format!("kernel void f(global float *a) {{ a[1] = {expression}; }}");
        [GlslStd450Op::NMin, GlslStd450Op::NMax, GlslStd450Op::NClamp]
            .map(|instruction| extended(&source, &profile, instruction))
    };
    assert_eq!(counts("clamp(a[0], 0.0f, 1.0f)")[2], 1);
    assert_eq!(counts("fmin(fmax(a[0], -2.0f), 3.0f)")[2], 1);
    assert_eq!(counts("clamp(a[0], 2.0f, 1.0f)"), [1, 1, 0]);
    assert_eq!(counts("clamp(a[0], a[2], a[3])"), [1, 1, 0]);
    assert_eq!(counts("fmin(fmax(a[0], NAN), 3.0f)")[2], 0);
}

#[test]
fn where_divisions_are_linked_none_is_left_to_the_driver() {
    let source = "kernel void f(global float4 *a, global half2 *h, global double3 *d, global ulong2 *u, global long *l) {
        size_t i = get_global_id(0);
        a[i] = a[i] / a[i + 1] + a[i] / 3.0f + native_divide(a[i], a[i + 2]) + half_recip(a[i]) + tgamma(a[i + 3]);
        a[i].x = normalize(a[i]).y + cbrt(a[i].z) + 1.0f / native_recip(a[i].w);
        h[i] = h[i] / h[i + 1];
        d[i] = d[i] / d[i + 1] + d[i] / 3.0 + tgamma(d[i + 2]);
        u[i] = u[i] / u[i + 1] + u[i] % 10 + i / 7;
        l[i] = l[i] / l[i + 1] % 11;
    }";
    let profile = DeviceProfile::preset("nvidia-h200").expect("it is a preset");
    let divisions = |profile: &DeviceProfile, option: &str| -> Vec<String> {
        let options = ["-cl-std=CL3.0".to_owned(), option.to_owned()];
        let module = pipeline::compile("divisions.cl", source, &options, profile).expect("it is legal");
        let instructions = instructions(&module.spirv);
        let scalar = |id: u32| -> String {
            let mut id = id;
            loop {
                let ty = instructions
                    .iter()
                    .find(|instruction| instruction.result_id == Some(id))
                    .expect("a type");
                match (&ty.operands[..], ty.class.opcode) {
                    ([Operand::IdRef(lane), ..], Op::TypeVector) => id = *lane,
                    ([Operand::LiteralBit32(width), ..], _) => {
                        return format!("{:?} {width}", ty.class.opcode);
                    }
                    other => panic!("{other:?} divides"),
                }
            }
        };
        let mut divisions: Vec<String> = instructions
            .iter()
            .filter(|inst| matches!(inst.class.opcode, Op::FDiv | Op::UDiv | Op::SDiv | Op::UMod | Op::SRem))
            .map(|inst| scalar(inst.result_type.expect("quotients have types")))
            .collect();
        divisions.sort_unstable();
        divisions.dedup();
        divisions
    };
    for option in ["-w", "-cl-unsafe-math-optimizations", "-cl-fp32-correctly-rounded-divide-sqrt"] {
        assert_eq!(divisions(&profile, option), ["TypeInt 32"], "{option}");
    }
    let trusted = DeviceProfile { quirks: Vec::new(), ..profile };
    assert_eq!(divisions(&trusted, "-w"), ["TypeFloat 32", "TypeInt 32", "TypeInt 64"]);
}

#[test]
fn quotients_of_the_compiler_s_own_are_few_operations() {
    let profile = DeviceProfile::preset("nvidia-h200").expect("it is a preset");
    let roundings = |expression: &str, option: &str| -> usize {
        let source = format!("kernel void f(global float *a) {{ a[2] = {expression}; }}");
        let options = ["-cl-std=CL3.0".to_owned(), option.to_owned()];
        let module = pipeline::compile("quotient.cl", &source, &options, &profile).expect("it is legal");
        let rounds =
            |function: u32| [GlslStd450Op::Fma as u32, GlslStd450Op::InverseSqrt as u32].contains(&function);
        let all = instructions(&module.spirv);
        let counted = all.iter().filter(|it| match it.class.opcode {
            Op::ExtInst => rounds(it.operands[1].unwrap_literal_ext_inst_integer()),
            opcode => [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv].contains(&opcode),
        });
        counted.count()
    };
    assert_eq!(roundings("a[0] / a[1]", "-w"), 6);
    assert_eq!(roundings("a[0] / a[1]", "-cl-unsafe-math-optimizations"), 5);
    assert_eq!(roundings("a[0] / 3.0f", "-w"), 2);
    assert_eq!(roundings("a[0] / 3.0f", "-cl-unsafe-math-optimizations"), 1);
    assert_eq!(roundings("a[0] / 4.0f", "-w"), 1);
}
