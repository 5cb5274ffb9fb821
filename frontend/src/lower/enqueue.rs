//! Device-side enqueue (OpenCL C §6.15.19): records in the queue buffer (see
//! [`mod@clvk_interface::enqueue`]), and the kernels made from blocks.
//!
//! The kernel of a block takes the block's own arguments, which are local memory, and then its captures, and
//! calls the block's function with them. The library reserves a record and writes its head; the code here
//! stores the rest.

use super::builtin::Arguments;
use super::function::FunctionLowering;
use crate::builtins::{BlockQuery, EventFunction};
use crate::hir::{self, BuiltinCall, EnqueuedBlock, Enqueuing, FunctionId, Operation};
use crate::types::{OpaqueType, ScalarKind, TypeId, TypeKind};
use clvk_interface::ImplicitBuffer;
use clvk_interface::enqueue::argument_offsets;
use clvk_ir::{
    AddressSpace, BinaryOp, Builder, CompareOp, ConvertOp, Func, Function, KernelInfo, KernelParam,
    KernelParamKind, Op, Scalar, Type, Value, WorkItemQuery,
};

const QUEUE: Type = Type::Pointer(AddressSpace::Global);
const ANYWHERE: Type = Type::Pointer(AddressSpace::Generic);

/// `CLK_ENQUEUE_FAILURE`.
const ENQUEUE_FAILURE: i64 = -101;

/// Offsets in an `ndrange_t`: dimensions, then three offsets, sizes and work-group sizes of 8 bytes each.
const RANGE_OFFSET: u64 = 8;
const RANGE_GLOBAL: u64 = 32;
const RANGE_LOCAL: u64 = 56;

impl FunctionLowering<'_, '_> {
    /// A call of a device-side enqueue function, except for those that make ranges.
    pub fn enqueue(&mut self, what: Enqueuing, arguments: &Arguments) -> Option<Value> {
        let values = arguments.values.as_slice();
        Some(match what {
            Enqueuing::Kernel(block) => self.enqueue_block(block, arguments),
            Enqueuing::Marker => {
                let command = self.command_number();
                let operands = [command, values[0], values[1], values[2], values[3]];
                self.queue_function("marker", &operands, Some(Type::I32))?
            }
            Enqueuing::DefaultQueue => self.queue_function("default_queue", &[], Some(Type::I64))?,
            Enqueuing::Query(query) => {
                let stem = match query {
                    BlockQuery::WorkGroupSize => "work_group_size",
                    BlockQuery::PreferredMultiple => "preferred_multiple",
                    BlockQuery::SubGroupSize => "sub_group_size",
                    BlockQuery::SubGroupCount => "sub_group_count",
                };
                self.queue_function(stem, values, Some(Type::I32))?
            }
            Enqueuing::Event(function) => return self.event_function(function, values),
            Enqueuing::Range { .. } => panic!("a range is a structure"),
        })
    }

    fn event_function(&mut self, function: EventFunction, values: &[Value]) -> Option<Value> {
        match function {
            EventFunction::Retain => self.queue_function("retain", values, None),
            EventFunction::Release => self.queue_function("release", values, None),
            EventFunction::Create => self.queue_function("user_event", values, Some(Type::I64)),
            EventFunction::IsValid => {
                let valid = self.queue_function("is_event", values, Some(Type::I32))?;
                let zero = self.function.int(Type::I32, 0);
                Some(self.is(CompareOp::Ne, valid, zero))
            }
            EventFunction::SetStatus => self.queue_function("set_status", values, None),
            EventFunction::CaptureProfile => {
                let command = self.command_number();
                self.queue_function("profile", &[command, values[0], values[1], values[2]], None)
            }
        }
    }

    fn queue_buffer(&mut self) -> Value {
        self.build().value(Op::ImplicitBuffer(ImplicitBuffer::DeviceQueue), &[], QUEUE)
    }

    fn command_number(&mut self) -> Value {
        self.build().value(Op::WorkItem(WorkItemQuery::CommandNumber), &[], Type::I32)
    }

    /// A call of a library function that takes the queue buffer as its first argument.
    fn queue_function(&mut self, stem: &str, operands: &[Value], result: Option<Type>) -> Option<Value> {
        let mut all = vec![self.queue_buffer()];
        all.extend(operands);
        let params: Vec<Type> = all.iter().map(|&operand| self.function.ty(operand)).collect();
        let function = self.lowering.library_function(format!("__clvk_enqueue_{stem}"), &params, result);
        let results: Vec<Type> = result.into_iter().collect();
        let inst = self.push(Op::Call(function), &all, &results);
        self.function.insts[inst].results.first().copied()
    }

    /// `enqueue_kernel`.
    fn enqueue_block(&mut self, block: EnqueuedBlock, arguments: &Arguments) -> Value {
        let EnqueuedBlock { function, waits, locals } = block;
        let locals = locals as usize;
        let values = arguments.values.as_slice();
        let first_size = if waits { 6 } else { 3 };
        let sizes = &values[first_size..first_size + locals];
        let held = first_size + locals..values.len();
        let held_types = &arguments.types[held.clone()];
        let held_sizes = held_types.iter().map(|&ty| self.lowering.room(ty) as u32);
        let (offsets, bytes) = argument_offsets(held_sizes.collect::<Vec<_>>());
        let kernel = self.block_kernel(function);
        let kernel = self.build().value(Op::KernelNumber(kernel), &[], Type::I32);
        let word = |this: &mut Self, number: usize| this.function.int(Type::I32, number as i64);
        let (count, list, event) = match waits {
            true => (values[3], values[4], values[5]),
            false => {
                let null = self.function.zero(ANYWHERE);
                (word(self, 0), null, null)
            }
        };
        let operands = [
            self.command_number(),
            values[0],
            values[1],
            values[2],
            kernel,
            word(self, locals),
            self.smallest(sizes),
            word(self, bytes as usize / 4),
            count,
            list,
            event,
        ];
        let place = self.queue_function("block", &operands, Some(Type::I32)).expect("it gives a place");
        let zero = self.function.int(Type::I32, 0);
        let fits = self.is(CompareOp::Ne, place, zero);
        let (inst, regions) = self.construct(Op::If, &[fits], &[], 2);
        self.within(regions[0], |this| {
            this.store_sizes(place, sizes);
            let base = this.first_value(place, locals);
            for ((&value, &ty), offset) in values[held].iter().zip(held_types).zip(offsets) {
                let address = this.build().pointer_offset(base, i64::from(offset));
                this.store_held(address, value, ty);
            }
            this.exit(inst, &[]);
        });
        self.within(regions[1], |this| this.exit(inst, &[]));
        let failed = self.function.int(Type::I32, ENQUEUE_FAILURE);
        self.choose(fits, zero, failed)
    }

    /// The smallest of some sizes; 1 if there are none.
    fn smallest(&mut self, sizes: &[Value]) -> Value {
        let Some((&first, rest)) = sizes.split_first() else { return self.function.int(Type::I32, 1) };
        rest.iter().fold(first, |least, &size| {
            let less = self.is(CompareOp::ULt, size, least);
            self.choose(less, size, least)
        })
    }

    /// A pointer to a word of the queue buffer.
    fn queue_word(&mut self, word: Value) -> Value {
        let buffer = self.queue_buffer();
        let wide = self.build().convert(ConvertOp::ZeroExtend, word, Type::I64);
        self.build().value(Op::PointerIndex { stride: 4 }, &[buffer, wide], QUEUE)
    }

    fn store_sizes(&mut self, place: Value, sizes: &[Value]) {
        let target = self.queue_word(place);
        for (&size, offset) in sizes.iter().zip((0..).step_by(4)) {
            let address = self.build().pointer_offset(target, offset);
            self.build().store(address, size, 4, false);
        }
    }

    /// The position of the block's captures: after the sizes, at a multiple of two words.
    fn first_value(&mut self, place: Value, locals: usize) -> Value {
        let behind = self.function.int(Type::I32, locals as i64 + 1);
        let end = self.build().binary(BinaryOp::Add, place, behind);
        let even = self.function.int(Type::I32, !1);
        let first = self.build().binary(BinaryOp::And, end, even);
        self.queue_word(first)
    }

    /// Stores a captured variable of a block: pointers as addresses, images and samplers as numbers.
    fn store_held(&mut self, address: Value, value: Value, ty: TypeId) {
        let (size, align) = self.lowering.layout(ty);
        let align = align.min(8);
        if self.lowering.is_record(ty) {
            self.copy_bytes(address, value, size, align);
            return;
        }
        let value = match self.function.ty(value) {
            ANYWHERE => self.point_into(value, AddressSpace::Global),
            Type::Image(_) | Type::Sampler => self.build().value(Op::HandleNumber, &[value], Type::I32),
            _ => value,
        };
        let value = match self.function.ty(value).is_pointer() {
            true => self.build().convert(ConvertOp::PointerToInt, value, Type::I64),
            false => value,
        };
        self.store_value(address, value, align, false);
    }

    /// The kernel made from a block.
    fn block_kernel(&mut self, block: FunctionId) -> Func {
        if let Some(&kernel) = self.lowering.block_kernels.get(&block) {
            return kernel;
        }
        let hir = self.lowering.program.function(block);
        let captures = hir.captures.iter().map(|local| local.0 as usize);
        let taken: Vec<&hir::Local> =
            (0..hir.param_count).chain(captures).map(|index| &hir.locals[index]).collect();
        // Local memory comes first, in whatever order the function takes its arguments.
        let mut order: Vec<usize> = (0..taken.len()).collect();
        order.sort_by_key(|&index| !self.is_local_pointer(taken[index]));
        let mut kernel = Function::new(format!("{}.kernel", hir.link_name), None);
        kernel.span = hir.span;
        let region = kernel.add_region();
        kernel.body = Some(region);
        let flush_subnormals = self.lowering.flush_subnormals;
        let mut info = KernelInfo { is_block: true, flush_subnormals, ..KernelInfo::default() };
        let mut operands = vec![None; taken.len()];
        for index in order {
            operands[index] = Some(self.held_param(&mut kernel, taken[index]));
            info.params.push(self.held_param_info(taken[index]));
        }
        let operands: Vec<Value> = operands.into_iter().flatten().collect();
        let callee = self.lowering.functions[block.0 as usize];
        let mut builder = Builder::new(&mut kernel, region);
        builder.set_span(hir.span);
        builder.push(Op::Call(callee), &operands, &[]);
        builder.push(Op::Return, &[], &[]);
        kernel.kernel = Some(info);
        self.lowering.module.linkage.internal_functions.insert(kernel.name.clone());
        let kernel = self.lowering.module.functions.push(kernel);
        self.lowering.block_kernels.insert(block, kernel);
        kernel
    }

    fn is_local_pointer(&self, local: &hir::Local) -> bool {
        let kind = self.lowering.program.types.kind(local.ty.ty);
        matches!(kind, TypeKind::Pointer { space: AddressSpace::Local, .. })
    }

    /// Adds a parameter to the kernel of a block; returns the value for the block's function.
    fn held_param(&self, kernel: &mut Function, local: &hir::Local) -> Value {
        let ty = self.lowering.param_type(local.ty.ty);
        let region = kernel.body.expect("it was made");
        match ty {
            ANYWHERE => {
                let param = kernel.add_param(QUEUE);
                Builder::new(kernel, region).convert(ConvertOp::AddressSpace, param, ty)
            }
            _ if ty.is_bool() => {
                let param = kernel.add_param(Type::I8);
                let zero = kernel.zero(Type::I8);
                Builder::new(kernel, region).compare(CompareOp::Ne, param, zero)
            }
            _ => kernel.add_param(ty),
        }
    }

    fn held_param_info(&self, local: &hir::Local) -> KernelParam {
        let types = &self.lowering.program.types;
        let kind = match types.kind(local.ty.ty) {
            TypeKind::Pointer { space: AddressSpace::Local, .. } => {
                KernelParamKind::Local { read_only: false, restrict: false, volatile: false }
            }
            TypeKind::Image(image) => KernelParamKind::Image(*image),
            TypeKind::Sampler => KernelParamKind::Sampler,
            TypeKind::Opaque(OpaqueType::Pipe { .. }) => {
                KernelParamKind::Buffer { read_only: false, restrict: false, volatile: true }
            }
            TypeKind::Pointer { space, .. } => KernelParamKind::Buffer {
                read_only: *space == AddressSpace::Constant,
                restrict: false,
                volatile: false,
            },
            _ => KernelParamKind::Value {
                size: self.lowering.room(local.ty.ty) as u32,
                align: self.lowering.layout(local.ty.ty).1,
            },
        };
        let (element, signed) = match types.as_arithmetic(local.ty.ty) {
            Some((ScalarKind::Bool, _)) => (Some((Scalar::I8, 1)), false),
            Some((kind, lanes)) => (Some((kind.scalar(), lanes)), kind.is_signed()),
            None => (None, false),
        };
        KernelParam {
            name: local.name.clone(),
            type_name: String::new(),
            element,
            signed,
            kind,
            max_size: None,
        }
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// `ndrange_1D` and similar functions: the address of the range, and its alignment.
    pub fn range(&mut self, call: &'p BuiltinCall) -> (Value, u32) {
        let Operation::Enqueue(Enqueuing::Range { dimensions }) = call.operation else {
            panic!("`{}` makes no structure", call.name)
        };
        let values: Vec<Value> = call.arguments.iter().map(|argument| self.value(argument)).collect();
        let address = self.alloca(80, 8);
        let count = self.function.int(Type::I64, i64::from(dimensions));
        self.build().store(address, count, 8, false);
        let (offset, global, local) = match values[..] {
            [global] => (None, global, None),
            [global, local] => (None, global, Some(local)),
            [offset, global, local] => (Some(offset), global, Some(local)),
            _ => panic!("the checker counts the arguments"),
        };
        self.sizes(address, RANGE_OFFSET, offset, dimensions, 0);
        self.sizes(address, RANGE_GLOBAL, Some(global), dimensions, 1);
        self.sizes(address, RANGE_LOCAL, local, dimensions, 0);
        (address, 8)
    }

    /// Stores three sizes of a range; missing ones are `otherwise`.
    fn sizes(&mut self, range: Value, start: u64, given: Option<Value>, dimensions: u32, otherwise: i64) {
        for dimension in 0..3u32 {
            let size = match given {
                Some(given) if dimension < dimensions && self.function.ty(given).is_pointer() => {
                    let address = self.build().pointer_offset(given, i64::from(dimension) * 8);
                    self.build().load(address, Type::I64, 8, false)
                }
                Some(given) if dimension < dimensions => given,
                _ => self.function.int(Type::I64, otherwise),
            };
            let target = self.build().pointer_offset(range, (start + u64::from(dimension) * 8) as i64);
            self.build().store(target, size, 8, false);
        }
    }
}
