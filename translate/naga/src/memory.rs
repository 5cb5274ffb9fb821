//! Arrays, loads, stores, atomic operations and barriers.
//!
//! An array on which the kernel has an atomic operation consists of atomic words, and all its accesses are
//! atomic: these languages have no other way to reach such memory.

use crate::kernel::{Kernel, literal};
use crate::module::kind;
use clvk_interface::{ArgumentKind, ShaderBinding, ShaderResource};
use clvk_ir::{
    AtomicOp, Constant, ElementCount, EntityId, FenceFlags, ImageOp, Inst, Op, Scalar, Value, Variable,
    VariableData, VariableSpace,
};
use half::f16;
use naga::{
    AddressSpace, ArraySize, AtomicFunction, Barrier, Expression, Handle, PredeclaredType, ScalarKind, Span,
    Statement, StorageAccess, TypeInner,
};
use std::num::NonZeroU32;

/// An array of the kernel.
#[derive(Clone, Copy)]
pub struct Place {
    /// Pointer to the array.
    array: Handle<Expression>,
    /// What its elements are in the text; they hold the bits of the element type in the IR.
    kind: ScalarKind,
    /// They hold the bits of the halves as single-precision numbers.
    halves: bool,
    /// The number of elements, if it is known.
    count: Option<u32>,
}

/// What the kernel does with an array.
#[derive(Clone, Copy, Default)]
struct Uses {
    used: bool,
    written: bool,
    atomic: bool,
    /// Some atomic operation compares signed numbers.
    signed: bool,
}

impl Kernel<'_, '_> {
    /// Declares the arrays that the kernel uses.
    pub fn declare_variables(&mut self) {
        let uses = self.uses();
        for (variable, data) in self.function.variables.iter() {
            let uses = uses[variable.index()];
            if uses.used {
                let place = self.declare(data, uses);
                self.places.insert(variable, place);
            }
        }
    }

    fn uses(&self) -> Vec<Uses> {
        let function = self.function;
        let mut all = vec![Uses::default(); function.variables.len()];
        function.walk(|_, data| {
            if let Op::ElementPointer(variable) = data.op {
                all[variable.index()].used = true;
            }
            let Some(variable) = data.operands.first().and_then(|&pointer| self.pointed(pointer)) else {
                return;
            };
            let uses = &mut all[variable.index()];
            match data.op {
                Op::Store { .. } => uses.written = true,
                Op::AtomicRmw { op, .. } => {
                    (uses.written, uses.atomic) = (true, true);
                    uses.signed |= matches!(op, AtomicOp::SMin | AtomicOp::SMax);
                }
                Op::AtomicStore { .. } | Op::AtomicCompareExchange { .. } => {
                    (uses.written, uses.atomic) = (true, true);
                }
                // An atomic variable can be read only where it may be written.
                Op::AtomicLoad { .. } => (uses.written, uses.atomic) = (true, true),
                _ => {}
            }
        });
        all
    }

    /// The array that a pointer points into.
    fn pointed(&self, pointer: Value) -> Option<Variable> {
        match self.function.insts[self.function.defining_inst(pointer)?].op {
            Op::ElementPointer(variable) => Some(variable),
            _ => None,
        }
    }

    fn declare(&mut self, data: &VariableData, uses: Uses) -> Place {
        let count = match data.count {
            ElementCount::Fixed(count) => Some(count.max(1)),
            ElementCount::Specialised { .. } | ElementCount::Runtime => None,
        };
        let size = match (data.count, count) {
            (_, Some(count)) => ArraySize::Constant(NonZeroU32::new(count).expect("it is not zero")),
            (ElementCount::Specialised { spec_id }, _) => {
                ArraySize::Pending(self.builder.spec_constant(spec_id, &data.name))
            }
            _ => ArraySize::Dynamic,
        };
        let hidden = has_hidden_floats(data);
        let halves = hidden && data.element.scalar() == Some(Scalar::F16);
        let (element, kind) = if uses.atomic {
            let kind = if uses.signed { ScalarKind::Sint } else { ScalarKind::Uint };
            let scalar = naga::Scalar { kind, width: 4 };
            (self.builder.ty(TypeInner::Atomic(scalar)), kind)
        } else if hidden {
            (self.builder.value_type(data.element.with_scalar(Scalar::I32)), ScalarKind::Uint)
        } else {
            (self.builder.value_type(data.element), kind(data.element))
        };
        let stored = if halves { data.element.with_scalar(Scalar::F32) } else { data.element };
        let ty = self.builder.array(element, stored, size);
        let array = match data.space {
            VariableSpace::Private => self.local(&data.name, ty),
            VariableSpace::ConstantTable => {
                let init = self.table(data, element, ty, kind);
                self.global(&data.name, AddressSpace::Private, None, ty, init)
            }
            VariableSpace::Local => self.global(&data.name, AddressSpace::WorkGroup, None, ty, None),
            VariableSpace::StorageBuffer { binding, .. } => {
                let (access, resource) = match uses.written {
                    true => (StorageAccess::LOAD | StorageAccess::STORE, ShaderResource::Storage),
                    false => (StorageAccess::LOAD, ShaderResource::ReadOnlyStorage),
                };
                self.bind(binding, resource, &data.name);
                self.global(&data.name, AddressSpace::Storage { access }, Some(binding), ty, None)
            }
        };
        Place { array, kind, halves, count }
    }

    /// The name of the argument with a binding.
    pub fn argument_name(&self, binding: u32) -> Option<&str> {
        let argument = self.interface.arguments.iter().find(|argument| match argument.kind {
            ArgumentKind::StorageBuffer { binding: of, .. }
            | ArgumentKind::Image { binding: of, .. }
            | ArgumentKind::Sampler { binding: of, .. } => of == binding,
            _ => false,
        });
        argument.map(|argument| argument.name.as_str())
    }

    /// Notes a binding.
    pub fn bind(&mut self, binding: u32, resource: ShaderResource, name: &str) {
        let name = self.argument_name(binding).unwrap_or(name).to_owned();
        self.resources.bindings.push(ShaderBinding { binding, resource, name });
    }

    fn global(
        &mut self,
        name: &str,
        space: AddressSpace,
        binding: Option<u32>,
        ty: Handle<naga::Type>,
        init: Option<Handle<Expression>>,
    ) -> Handle<Expression> {
        let variable = self.builder.global(name, space, binding, ty, init);
        self.fixed(Expression::GlobalVariable(variable))
    }

    /// The contents of a constant array, as an expression at module scope.
    fn table(
        &mut self,
        data: &VariableData,
        element: Handle<naga::Type>,
        ty: Handle<naga::Type>,
        kind: ScalarKind,
    ) -> Option<Handle<Expression>> {
        let own = data.element.scalar().expect("elements are scalars and vectors");
        let (scalar, halves) = match kind {
            ScalarKind::Uint => (Scalar::I32, own == Scalar::F16),
            _ => (own, false),
        };
        let expressions = &mut self.builder.module.global_expressions;
        let mut add = |expression| expressions.append(expression, Span::UNDEFINED);
        let mut components = Vec::new();
        for constant in &data.initializer {
            let lanes: Vec<Handle<Expression>> = (0..data.element.lanes() as usize)
                .map(|lane| {
                    let mut bits = constant.lane(lane).unwrap_or(0);
                    if halves {
                        bits = u64::from(f16::from_bits(bits as u16).to_f32().to_bits());
                    }
                    add(Expression::Literal(literal(scalar, bits).expect("the others are hidden")))
                })
                .collect();
            components.push(match lanes[..] {
                [only] => only,
                _ => add(Expression::Compose { ty: element, components: lanes }),
            });
        }
        (!components.is_empty()).then(|| add(Expression::Compose { ty, components }))
    }

    /// A pointer operand, and the array that it points into.
    fn pointer(&mut self, inst: Inst) -> (Handle<Expression>, Place) {
        let pointer = self.function.insts[inst].operands[0];
        let Some(variable) = self.pointed(pointer) else { self.left(inst) };
        let made = self.function.defining_inst(pointer).expect("an instruction made it");
        let place = self.places[&variable];
        let index = self.function.insts[made].operands[0];
        let base = place.array;
        let pointer = match self.function.as_bits(index) {
            Some(index) => {
                // What is beyond the end is never accessed.
                let last = place.count.map_or(u32::MAX, |count| count - 1);
                self.add(Expression::AccessIndex { base, index: (index as u32).min(last) })
            }
            None => {
                let index = self.value(index);
                self.add(Expression::Access { base, index })
            }
        };
        (pointer, place)
    }

    /// A value as the elements of an array are.
    fn stored(&mut self, value: Value, place: Place) -> Handle<Expression> {
        let expression = self.value(value);
        self.as_kind(expression, kind(self.function.ty(value)), place.kind)
    }

    fn as_kind(
        &mut self,
        expression: Handle<Expression>,
        from: ScalarKind,
        to: ScalarKind,
    ) -> Handle<Expression> {
        if from == to { expression } else { self.reinterpret(expression, to) }
    }

    /// Defines the result of an instruction as an element that was read.
    fn define_read(&mut self, inst: Inst, read: Handle<Expression>, place: Place) {
        let result = self.function.insts[inst].results[0];
        let mut value = self.as_kind(read, place.kind, kind(self.function.ty(result)));
        if place.halves {
            value = self.resize(value, Scalar::F16);
        }
        self.define(result, value);
    }

    /// Writes an instruction that uses a pointer, or synchronises.
    pub fn memory(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        match data.op {
            // A pointer is made where it is used.
            Op::ElementPointer(_) => {}
            Op::Load { .. } | Op::AtomicLoad { .. } => {
                let (pointer, place) = self.pointer(inst);
                let read = self.load(pointer);
                self.define_read(inst, read, place);
            }
            Op::Store { .. } | Op::AtomicStore { .. } => {
                let (pointer, place) = self.pointer(inst);
                let value = self.stored(data.operands[1], place);
                self.statement(Statement::Store { pointer, value });
            }
            Op::AtomicRmw { op, .. } => self.read_modify_write(inst, op),
            Op::AtomicCompareExchange { .. } => self.compare_exchange(inst),
            Op::Barrier { flags, .. } => self.barrier(flags),
            Op::Image(ImageOp::Write { .. }) => self.image_write(inst),
            _ => self.left(inst),
        }
    }

    fn read_modify_write(&mut self, inst: Inst, op: AtomicOp) {
        let (pointer, place) = self.pointer(inst);
        let value = self.stored(self.function.insts[inst].operands[1], place);
        let fun = match op {
            AtomicOp::Exchange => AtomicFunction::Exchange { compare: None },
            AtomicOp::Add => AtomicFunction::Add,
            AtomicOp::Sub => AtomicFunction::Subtract,
            AtomicOp::And => AtomicFunction::And,
            AtomicOp::Or => AtomicFunction::InclusiveOr,
            AtomicOp::Xor => AtomicFunction::ExclusiveOr,
            AtomicOp::SMin | AtomicOp::UMin => AtomicFunction::Min,
            AtomicOp::SMax | AtomicOp::UMax => AtomicFunction::Max,
            AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax => self.left(inst),
        };
        let ty = self.builder.ty(TypeInner::Scalar(naga::Scalar { kind: place.kind, width: 4 }));
        let result = self.result_of(Expression::AtomicResult { ty, comparison: false });
        self.statement(Statement::Atomic { pointer, fun, value, result: Some(result) });
        self.define_read(inst, result, place);
    }

    /// The comparison may fail for no reason in these languages, and then it is tried again.
    fn compare_exchange(&mut self, inst: Inst) {
        let operands = self.function.insts[inst].operands.clone();
        let (_, place) = self.pointer(inst);
        let [expected, new] = [1, 2].map(|position| self.stored(operands[position], place));
        let scalar = naga::Scalar { kind: place.kind, width: 4 };
        let word = self.builder.ty(TypeInner::Scalar(scalar));
        let old = self.local("old", word);
        self.repeat(|kernel| {
            let (pointer, _) = kernel.pointer(inst);
            let predeclared = PredeclaredType::AtomicCompareExchangeWeakResult(scalar);
            let ty = kernel.builder.module.generate_predeclared_type(predeclared);
            let result = kernel.result_of(Expression::AtomicResult { ty, comparison: true });
            let fun = AtomicFunction::Exchange { compare: Some(expected) };
            kernel.statement(Statement::Atomic { pointer, fun, value: new, result: Some(result) });
            let value = kernel.add(Expression::AccessIndex { base: result, index: 0 });
            let exchanged = kernel.add(Expression::AccessIndex { base: result, index: 1 });
            kernel.statement(Statement::Store { pointer: old, value });
            let differs = naga::BinaryOperator::NotEqual;
            let differs = kernel.add(Expression::Binary { op: differs, left: value, right: expected });
            let or = naga::BinaryOperator::LogicalOr;
            let done = kernel.add(Expression::Binary { op: or, left: exchanged, right: differs });
            kernel.break_if(done);
        });
        let read = self.load(old);
        self.define_read(inst, read, place);
    }

    fn barrier(&mut self, flags: FenceFlags) {
        let mut memory = Barrier::empty();
        memory.set(Barrier::STORAGE, flags.contains(FenceFlags::GLOBAL));
        memory.set(Barrier::TEXTURE, flags.contains(FenceFlags::IMAGE));
        memory.set(Barrier::WORK_GROUP, flags.contains(FenceFlags::LOCAL) || memory.is_empty());
        self.statement(Statement::ControlBarrier(memory));
    }
}

/// Whether a constant array holds infinities or NaNs, which these languages cannot write. Its elements are
/// then words.
fn has_hidden_floats(data: &VariableData) -> bool {
    let lanes = data.element.lanes() as usize;
    let is_finite = |bits: u64| match data.element.scalar() {
        Some(Scalar::F16) => f16::from_bits(bits as u16).is_finite(),
        Some(Scalar::F32) => f32::from_bits(bits as u32).is_finite(),
        _ => true,
    };
    let is_hidden = |constant: &Constant| (0..lanes).any(|lane| !is_finite(constant.lane(lane).unwrap_or(0)));
    data.initializer.iter().any(is_hidden)
}
