//! Kernels through the lowering passes and the writer, for every preset; spirv-val checks the output.

use crate::{TranslateError, TranslateOptions, emit::emit, passes::run_some};
use clvk_interface::{ArgumentKind, CompiledModule, DeviceProfile};
use clvk_ir::{
    AddressSpace, AtomicOp, BinaryOp, Builder, CompareOp, ConvertOp, FenceFlags, Function, Inst, KernelInfo,
    KernelParam, KernelParamKind, MemoryOrder, Module, Op, Scalar, Scope, Type, UnrollHint, Value,
    WorkItemQuery, container::Library,
};
use rspirv::{
    dr::Instruction,
    spirv::{self, Decoration},
};
use spirv_tools::{TargetEnv, val::Validator};

const PASSES: &[&str] = &[
    "lower-launch",
    "legalise-vectors",
    "lower-memory",
    "legalise",
    "structure-exits",
    "deep-unrolling",
    "merged-signs",
    "packed-quarters",
    "float-bits",
    "order-memory",
    "declare",
    "memory-barriers",
    "raise-spirv",
];

fn validate(words: &[u32]) {
    let options = spirv_tools::val::ValidatorOptions { scalar_block_layout: true, ..Default::default() };
    let validator = spirv_tools::val::create(Some(TargetEnv::Vulkan_1_3));
    if let Err(error) = validator.validate(words, Some(options)) {
        panic!("spirv-val: {error}");
    }
}

fn try_compile(module: Module, preset: &str) -> Result<CompiledModule, Vec<TranslateError>> {
    compile_for(module, &DeviceProfile::preset(preset).unwrap())
}

pub(super) fn compile_for(
    mut module: Module,
    profile: &DeviceProfile,
) -> Result<CompiledModule, Vec<TranslateError>> {
    let options = TranslateOptions::default();
    let (interface, declarations) = run_some(&mut module, PASSES, &Library::empty(), profile, &options)?;
    let spirv = emit(&module, &interface, &declarations, profile, None);
    Ok(CompiledModule { spirv, interface, sanitized: None, measured: None })
}

pub(super) fn compile(module: Module, preset: &str) -> CompiledModule {
    let compiled = try_compile(module, preset).unwrap();
    validate(&compiled.spirv);
    compiled
}

/// The instructions with an opcode.
pub(super) fn instructions(words: &[u32], op: spirv::Op) -> Vec<Instruction> {
    let module = rspirv::dr::load_words(words).expect("it is SPIR-V");
    module.all_inst_iter().filter(|instruction| instruction.class.opcode == op).cloned().collect()
}

/// The capabilities that a module declares.
pub(super) fn capabilities(words: &[u32]) -> Vec<u32> {
    let declared = instructions(words, spirv::Op::Capability);
    declared.iter().map(|instruction| instruction.operands[0].unwrap_capability() as u32).collect()
}

/// How often an instruction occurs.
pub(super) fn count(words: &[u32], op: spirv::Op) -> usize {
    instructions(words, op).len()
}

pub(super) fn buffer(name: &str) -> KernelParam {
    KernelParam {
        name: name.into(),
        type_name: "float*".into(),
        element: Some((Scalar::F32, 1)),
        signed: true,
        kind: KernelParamKind::Buffer { read_only: false, restrict: false, volatile: false },
        max_size: None,
    }
}
fn local(name: &str) -> KernelParam {
    let kind = KernelParamKind::Local { read_only: false, restrict: false, volatile: false };
    KernelParam { kind, ..buffer(name) }
}
fn value(name: &str, size: u32) -> KernelParam {
    KernelParam { kind: KernelParamKind::Value { size, align: size }, ..buffer(name) }
}
pub(super) const GP: Type = Type::Pointer(AddressSpace::Global);
pub(super) fn kernel(params: &[(Type, KernelParam)], f: impl FnOnce(&mut Builder, &[Value])) -> Module {
    let mut function = Function::new("k", None);
    let values: Vec<Value> = params.iter().map(|(t, _)| function.add_param(*t)).collect();
    function.kernel =
        Some(KernelInfo { params: params.iter().map(|(_, p)| p.clone()).collect(), ..Default::default() });
    let body = function.add_region();
    function.body = Some(body);
    let mut b = Builder::new(&mut function, body);
    f(&mut b, &values);
    let mut m = Module::default();
    m.functions.push(function);
    m
}
/// Leaves a construct with these values if a condition holds.
fn leave_if(b: &mut Builder, condition: Value, construct: Inst, values: &[Value]) {
    let (leave, stay) = (b.function.add_region(), b.function.add_region());
    let choice = b.push_with_regions(Op::If, &[condition], &[], &[leave, stay]);
    let here = b.switch_to(leave);
    b.push(Op::Exit(construct), values, &[]);
    b.switch_to(stay);
    b.push(Op::Exit(choice), &[], &[]);
    b.switch_to(here);
}
fn gid(b: &mut Builder) -> Value {
    let d = b.function.int(Type::I32, 0);
    b.value(Op::WorkItem(WorkItemQuery::GlobalId), &[d], Type::I64)
}
fn saxpy() -> Module {
    kernel(&[(Type::F32, value("a", 4)), (GP, buffer("x")), (GP, buffer("y"))], |b, p| {
        let g = gid(b);
        let px = b.pointer_index(p[1], g, 4);
        let py = b.pointer_index(p[2], g, 4);
        let x = b.load(px, Type::F32, 4, false);
        let y = b.load(py, Type::F32, 4, false);
        let m = b.binary(BinaryOp::FMul, p[0], x);
        let s = b.binary(BinaryOp::FAdd, m, y);
        b.store(py, s, 4, false);
        b.push(Op::Return, &[], &[]);
    })
}
#[test]
fn saxpy_all() {
    for p in DeviceProfile::preset_names() {
        compile(saxpy(), p);
    }
}
/// How often a decoration occurs.
pub(super) fn decorations(words: &[u32], decoration: Decoration) -> usize {
    let of = |op, place: usize| {
        let decorated = instructions(words, op);
        decorated.iter().filter(|inst| inst.operands[place].unwrap_decoration() == decoration).count()
    };
    of(spirv::Op::Decorate, 1) + of(spirv::Op::MemberDecorate, 2)
}

#[test]
fn descriptors_of_restrict_parameters_are_not_aliased() {
    use Decoration::{Aliased, Restrict};
    let mut module = saxpy();
    let function = module.functions.iter_mut().next().expect("a kernel").1;
    let kernel = function.kernel.as_mut().expect("it is a kernel");
    kernel.params[2].kind = KernelParamKind::Buffer { read_only: false, restrict: true, volatile: false };
    let words = compile(module, "vulkan-1.1").spirv;
    assert_eq!((decorations(&words, Restrict), decorations(&words, Aliased)), (1, 1));
    let words = compile(saxpy(), "vulkan-1.1").spirv;
    assert_eq!((decorations(&words, Restrict), decorations(&words, Aliased)), (0, 2));
}
fn reduce() -> Module {
    kernel(&[(GP, buffer("x")), (Type::Pointer(AddressSpace::Local), local("tile"))], |b, p| {
        let z = b.function.int(Type::I32, 0);
        let g = gid(b);
        let l = b.value(Op::WorkItem(WorkItemQuery::LocalId), &[z], Type::I64);
        let n = b.value(Op::WorkItem(WorkItemQuery::LocalSize), &[z], Type::I64);
        let px = b.pointer_index(p[0], g, 4);
        let v = b.load(px, Type::F32, 4, false);
        let pt = b.pointer_index(p[1], l, 4);
        b.store(pt, v, 4, false);
        let n32 = b.convert(ConvertOp::Truncate, n, Type::I32);
        let one = b.function.int(Type::I32, 1);
        let start = b.binary(BinaryOp::LShr, n32, one);
        let body = b.function.add_region();
        let cont = b.function.add_region();
        let s = b.function.add_region_param(body, Type::I32);
        let lp = b.push_with_regions(Op::Loop(UnrollHint::None), &[start], &[], &[body, cont]);
        let outer = b.switch_to(body);
        let c = b.compare(CompareOp::Eq, s, z);
        leave_if(b, c, lp, &[]);
        b.push(
            Op::Barrier { execution: Scope::WorkGroup, memory: Scope::WorkGroup, flags: FenceFlags::LOCAL },
            &[],
            &[],
        );
        let l32 = b.convert(ConvertOp::Truncate, l, Type::I32);
        let c = b.compare(CompareOp::ULt, l32, s);
        let t = b.function.add_region();
        let e = b.function.add_region();
        let i = b.push_with_regions(Op::If, &[c], &[], &[t, e]);
        b.switch_to(t);
        let other = b.pointer_index(pt, s, 4);
        let a = b.load(pt, Type::F32, 4, false);
        let bb = b.load(other, Type::F32, 4, false);
        let sum = b.binary(BinaryOp::FAdd, a, bb);
        b.store(pt, sum, 4, false);
        b.push(Op::Exit(i), &[], &[]);
        b.switch_to(e);
        b.push(Op::Exit(i), &[], &[]);
        b.switch_to(body);
        b.push(Op::Continue(lp), &[s], &[]);
        b.switch_to(cont);
        let s = b.function.add_region_param(cont, Type::I32);
        let next = b.binary(BinaryOp::LShr, s, one);
        b.push(Op::NextIteration, &[next], &[]);
        b.switch_to(outer);
        let r = b.load(p[1], Type::F32, 4, false);
        b.store(px, r, 4, false);
        b.push(Op::Return, &[], &[]);
    })
}
#[test]
fn reduce_all() {
    for p in DeviceProfile::preset_names() {
        let c = compile(reduce(), p);
        assert!(matches!(
            c.interface.kernels[0].arguments[1].kind,
            ArgumentKind::Local { element_size: 4, .. }
        ));
    }
}
fn private_mixed() -> Module {
    kernel(&[(GP, buffer("x"))], |b, p| {
        let g = gid(b);
        let a = b.value(Op::Alloca { size: 256, align: 16 }, &[], Type::Pointer(AddressSpace::Private));
        b.push(Op::MemoryZero { size: 256, align: 16 }, &[a], &[]);
        let v4 = b.load(p[0], Type::Vector(Scalar::F32, 4), 16, false);
        let pa = b.pointer_index(a, g, 16);
        b.store(pa, v4, 16, false);
        let pe = b.pointer_index(a, g, 4);
        let e = b.load(pe, Type::F32, 4, false);
        let q = b.pointer_index(p[0], g, 4);
        b.store(q, e, 4, false);
        let w = b.load(p[0], Type::Vector(Scalar::F32, 16), 64, false);
        let w2 = b.binary(BinaryOp::FAdd, w, w);
        b.store(p[0], w2, 64, false);
        let c = b.value(Op::Alloca { size: 32, align: 16 }, &[], Type::Pointer(AddressSpace::Private));
        b.push(Op::MemoryCopy { size: 32, align: 4 }, &[c, a], &[]);
        b.push(Op::MemoryCopy { size: 32, align: 4 }, &[p[0], c], &[]);
        b.push(Op::Return, &[], &[]);
    })
}
#[test]
fn private_all() {
    for p in DeviceProfile::preset_names() {
        compile(private_mixed(), p);
    }
}
/// for.. for.. if c break outer; with a carried result.
fn multi() -> Module {
    kernel(&[(GP, buffer("x")), (Type::I32, value("n", 4))], |b, p| {
        let z = b.function.int(Type::I32, 0);
        let lk = |b: &mut Builder| (b.function.add_region(), b.function.add_region());
        let (ob, oc) = lk(b);
        let i = b.function.add_region_param(ob, Type::I32);
        let outer = b.push_with_regions(Op::Loop(UnrollHint::None), &[z], &[Type::I32], &[ob, oc]);
        let top = b.switch_to(ob);
        let (ib, ic) = lk(b);
        let j = b.function.add_region_param(ib, Type::I32);
        let inner = b.push_with_regions(Op::Loop(UnrollHint::None), &[i], &[], &[ib, ic]);
        b.switch_to(ib);
        let c = b.compare(CompareOp::Eq, j, p[1]);
        leave_if(b, c, outer, &[j]);
        let (t, e) = lk(b);
        let five = b.function.int(Type::I32, 5);
        let c = b.compare(CompareOp::SGt, j, five);
        let f = b.push_with_regions(Op::If, &[c], &[], &[t, e]);
        b.switch_to(t);
        b.push(Op::Continue(outer), &[i], &[]);
        b.switch_to(e);
        b.push(Op::Exit(f), &[], &[]);
        b.switch_to(ib);
        let seven = b.function.int(Type::I32, 7);
        let c = b.compare(CompareOp::SGt, j, seven);
        leave_if(b, c, inner, &[]);
        b.push(Op::Continue(inner), &[j], &[]);
        b.switch_to(ic);
        let j = b.function.add_region_param(ic, Type::I32);
        // do while: exit from the continuing region
        let one = b.function.int(Type::I32, 1);
        let n = b.binary(BinaryOp::Add, j, one);
        let c = b.compare(CompareOp::SGt, n, seven);
        leave_if(b, c, inner, &[]);
        b.push(Op::NextIteration, &[n], &[]);
        b.switch_to(ob);
        b.push(Op::Continue(outer), &[i], &[]);
        b.switch_to(oc);
        let i = b.function.add_region_param(oc, Type::I32);
        let n = b.binary(BinaryOp::Add, i, one);
        b.push(Op::NextIteration, &[n], &[]);
        b.switch_to(top);
        // a block left from an if, a switch in it
        let bb = b.function.add_region();
        let block = b.push_with_regions(Op::Block, &[], &[Type::I32], &[bb]);
        b.switch_to(bb);
        let or = b.function.insts[outer].results[0];
        let c = b.compare(CompareOp::Eq, or, z);
        leave_if(b, c, block, &[z]);
        let (s0, s1) = lk(b);
        let sw = b.push_with_regions(
            Op::Switch(vec![vec![1, 2].into_boxed_slice()].into_boxed_slice()),
            &[or],
            &[],
            &[s0, s1],
        );
        b.switch_to(s0);
        b.push(Op::Exit(block), &[or], &[]);
        b.switch_to(s1);
        b.push(Op::Exit(sw), &[], &[]);
        b.switch_to(bb);
        b.push(Op::Exit(block), &[one], &[]);
        b.switch_to(top);
        let r = b.function.insts[block].results[0];
        b.store(p[0], r, 4, false);
        b.push(Op::Return, &[], &[]);
    })
}
#[test]
fn multi_all() {
    for p in DeviceProfile::preset_names() {
        compile(multi(), p);
    }
}
#[test]
fn atomics() {
    for p in DeviceProfile::preset_names() {
        compile(
            kernel(&[(GP, buffer("x")), (Type::Pointer(AddressSpace::Local), local("h"))], |b, p| {
                let one = b.function.int(Type::I32, 1);
                let z = b.function.int(Type::I32, 0);
                let l = b.value(Op::WorkItem(WorkItemQuery::LocalId), &[z], Type::I64);
                let q = b.pointer_index(p[1], l, 4);
                for (q, scope) in [(q, Scope::WorkGroup), (p[0], Scope::Device)] {
                    let old = b.value(
                        Op::AtomicRmw { op: AtomicOp::Add, order: MemoryOrder::Relaxed, scope },
                        &[q, one],
                        Type::I32,
                    );
                    b.value(
                        Op::AtomicCompareExchange {
                            success: MemoryOrder::SequentiallyConsistent,
                            failure: MemoryOrder::SequentiallyConsistent,
                            scope,
                        },
                        &[q, old, one],
                        Type::I32,
                    );
                }
                b.push(Op::Return, &[], &[]);
            }),
            p,
        );
    }
}

const INT8: u32 = 39;
const INT64: u32 = 11;
const PHYSICAL: u32 = 5347;
const STORAGE_8BIT: u32 = 4448;

#[test]
fn capabilities_are_those_of_the_addressing_mode() {
    let physical = capabilities(&compile(saxpy(), "lavapipe-22.3").spirv);
    assert!(physical.contains(&PHYSICAL) && physical.contains(&INT64), "{physical:?}");
    assert!(!physical.contains(&INT8), "{physical:?}");
    let logical = capabilities(&compile(saxpy(), "swiftshader").spirv);
    assert!(![PHYSICAL, INT64, INT8].iter().any(|capability| logical.contains(capability)), "{logical:?}");
}

fn bytes() -> Module {
    kernel(&[(GP, buffer("x"))], |b, p| {
        let g = gid(b);
        let q = b.pointer_index(p[0], g, 1);
        let v = b.load(q, Type::I8, 1, false);
        b.store(p[0], v, 1, false);
        b.push(Op::Return, &[], &[]);
    })
}

#[test]
fn bytes_are_accessed_as_such_or_in_words() {
    let found = capabilities(&compile(bytes(), "nvidia-h200").spirv);
    assert!(found.contains(&STORAGE_8BIT), "{found:?}");
    let found = capabilities(&compile(bytes(), "swiftshader").spirv);
    assert!(!found.contains(&STORAGE_8BIT) && !found.contains(&INT8), "{found:?}");
}

#[test]
fn a_structure_by_value_is_read_from_the_push_constants() {
    let private = Type::Pointer(AddressSpace::Private);
    let params = [(GP, buffer("x")), (private, value("s", 16))];
    let read = kernel(&params, |b, p| {
        let second = b.pointer_offset(p[1], 4);
        let v = b.load(second, Type::F32, 4, false);
        b.store(p[0], v, 4, false);
        b.push(Op::Return, &[], &[]);
    });
    let indexed = kernel(&params, |b, p| {
        let g = gid(b);
        let element = b.pointer_index(p[1], g, 4);
        let v = b.load(element, Type::F32, 4, false);
        b.store(p[0], v, 4, false);
        b.push(Op::Return, &[], &[]);
    });
    for preset in DeviceProfile::preset_names() {
        compile(read.clone(), preset);
        compile(indexed.clone(), preset);
    }
}

#[test]
fn arguments_that_do_not_fit_spill_to_a_buffer() {
    let private = Type::Pointer(AddressSpace::Private);
    let large = || {
        kernel(&[(GP, buffer("x")), (private, value("s", 1024))], |b, p| {
            let g = gid(b);
            let element = b.pointer_offset(p[1], 1000);
            let v = b.load(element, Type::F32, 4, false);
            let to = b.pointer_index(p[0], g, 4);
            b.store(to, v, 4, false);
            b.push(Op::Return, &[], &[]);
        })
    };
    let interface = compile(large(), "nvidia-h200").interface;
    let kernel = &interface.kernels[0];
    assert!(kernel.argument_buffer.is_some_and(|buffer| buffer.size >= 1032), "{kernel:?}");
    assert!(kernel.push_constant_size <= 256);
    let interface = compile(large(), "swiftshader").interface;
    let buffer = interface.kernels[0].argument_buffer.expect("128 bytes have no room for it");
    assert_eq!(buffer.location, clvk_interface::BufferLocation::Descriptor { binding: 0 });
    assert!(interface.kernels[0].uses_descriptors());
}

#[test]
fn two_buffers_behind_one_pointer_become_a_switch_without_addresses() {
    let chosen = || {
        kernel(&[(GP, buffer("x")), (GP, buffer("y")), (Type::I32, value("n", 4))], |b, p| {
            let zero = b.function.int(Type::I32, 0);
            let condition = b.compare(CompareOp::Eq, p[2], zero);
            let pointer = b.select(condition, p[0], p[1]);
            b.store(pointer, zero, 4, false);
            b.push(Op::Return, &[], &[]);
        })
    };
    let switches = |profile| count(&compile(chosen(), profile).spirv, spirv::Op::Switch);
    assert_eq!(switches("lavapipe-22.3"), 0);
    assert_eq!(switches("swiftshader"), 1);
}

#[test]
fn images_that_are_one_type_to_spirv_are_declared_once() {
    let text = r#"kernel @first(
  %0: image.d2.w.unknown "w" "image2d_t" image.d2.w.unknown,
  %1: image.d2.rw.unknown "rw" "image2d_t" image.d2.rw.unknown,
  %2: image.d2.r.unknown "r" "image2d_t" image.d2.r.unknown,
  %3: image.d2depth.r.unknown "depth" "image2d_depth_t" image.d2depth.r.unknown,
) {
  %4: f32x4 = image.read %2, <0, 0>:i32x2
  image.write %0, <0, 0>:i32x2, %4
  %5: f32x4 = image.read %3, <0, 0>:i32x2
  image.write %1, <0, 0>:i32x2, %5
  %6: f32x4 = image.read %1, <1, 0>:i32x2
  image.write %1, <2, 0>:i32x2, %6
  return
}

kernel @second(
  %0: image.d2.w.unknown "w" "image2d_t" image.d2.w.unknown,
) {
  image.write %0, <0, 0>:i32x2, <1, 2, 3, 4>:i32x4 signed
  return
}
"#;
    let compiled = compile(clvk_ir::text::parse_module(text).expect("the text is right"), "lavapipe-25.0");
    // Images to read and images to write, of floats; images to write, of signed integers.
    assert_eq!(count(&compiled.spirv, spirv::Op::TypeImage), 3);
}

#[test]
fn an_image_seen_as_two_types_of_texels_is_two_descriptors_at_one_binding() {
    use clvk_ir::{ImageDimension, ImageOp, ImageType, SampledType};
    let image = ImageType {
        dimension: ImageDimension::D2,
        readable: true,
        writable: false,
        sampled: SampledType::Unknown,
    };
    let param = KernelParam { element: None, kind: KernelParamKind::Image(image), ..buffer("i") };
    let module = kernel(&[(Type::Image(image), param), (GP, buffer("x"))], |b, p| {
        let at = b.function.zero(Type::Vector(Scalar::I32, 2));
        for (texel, signed) in [(Scalar::F32, false), (Scalar::I32, true), (Scalar::I32, false)] {
            let read = Op::Image(ImageOp::Read { signed });
            let texel = b.value(read, &[p[0], at], Type::Vector(texel, 4));
            b.store(p[1], texel, 4, false);
        }
        b.push(Op::Return, &[], &[]);
    });
    let compiled = compile(module, "lavapipe-22.3");
    assert_eq!(count(&compiled.spirv, spirv::Op::TypeImage), 3);
    let arguments = &compiled.interface.kernels[0].arguments;
    assert!(matches!(arguments[0].kind, ArgumentKind::Image { binding: 0, .. }), "{arguments:?}");
}

#[test]
fn subnormal_numbers_are_flushed_where_the_kernel_and_the_device_allow_it() {
    let compiled = |flush_subnormals: bool, denorm_flush_f32: bool| {
        let mut module = kernel(&[(GP, buffer("x"))], |b, p| {
            let x = b.load(p[0], Type::F32, 4, false);
            let sum = b.binary(BinaryOp::FAdd, x, x);
            b.store(p[0], sum, 4, false);
            b.push(Op::Return, &[], &[]);
        });
        let named = module.kernels().next().unwrap();
        module.functions[named].kernel.as_mut().unwrap().flush_subnormals = flush_subnormals;
        let preset = DeviceProfile::preset("lavapipe-25.0").unwrap();
        // The device promises to preserve them, too, where it is not told otherwise.
        let profile = DeviceProfile { denorm_flush_f32, denorm_preserve_f32: true, ..preset };
        let options = TranslateOptions::default();
        let (interface, declarations) =
            run_some(&mut module, PASSES, &Library::empty(), &profile, &options).unwrap();
        let spirv = emit(&module, &interface, &declarations, &profile, None);
        validate(&spirv);
        let found = capabilities(&spirv);
        [4464, 4465].map(|capability| found.contains(&capability))
    };
    // DenormPreserve and DenormFlushToZero.
    assert_eq!(compiled(false, true), [true, false]);
    assert_eq!(compiled(true, false), [true, false]);
    assert_eq!(compiled(true, true), [false, true]);
}

#[test]
fn drivers_that_unroll_too_deep_are_asked_not_to() {
    for (preset, control) in
        [("lavapipe-25.0", spirv::LoopControl::NONE), ("lavapipe-26.2", spirv::LoopControl::DONT_UNROLL)]
    {
        let module = kernel(&[(GP, buffer("x")), (Type::I32, value("n", 4))], |b, p| {
            let (body, cont) = (b.function.add_region(), b.function.add_region());
            let left = b.function.add_region_param(body, Type::I32);
            let next = b.function.add_region_param(cont, Type::I32);
            let whole = b.push_with_regions(Op::Loop(UnrollHint::None), &[p[1]], &[], &[body, cont]);
            let outer = b.switch_to(body);
            let zero = b.function.int(Type::I32, 0);
            let done = b.compare(CompareOp::Eq, left, zero);
            leave_if(b, done, whole, &[]);
            b.store(p[0], left, 4, false);
            let one = b.function.int(Type::I32, 1);
            let less = b.binary(BinaryOp::Sub, left, one);
            b.push(Op::Continue(whole), &[less], &[]);
            b.switch_to(cont);
            b.push(Op::NextIteration, &[next], &[]);
            b.switch_to(outer);
            b.push(Op::Return, &[], &[]);
        });
        let loops = instructions(&compile(module, preset).spirv, spirv::Op::LoopMerge);
        let controls: Vec<_> = loops.iter().map(|merge| merge.operands[2].unwrap_loop_control()).collect();
        assert_eq!(controls, [control], "{preset}");
    }
}
