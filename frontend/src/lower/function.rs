//! The state for one function.

use super::order::Unordered;
use super::{Lowering, flow};
use crate::hir::{self, LocalId, Statement};
use crate::types::TypeId;
use clvk_ir::{AddressSpace, Builder, FastMath, Function, Inst, Op, Region, Type, Value};

/// The targets of `break` and `continue`.
#[derive(Clone, Copy)]
pub(super) struct JumpTargets {
    /// Instruction that `break` leaves.
    pub break_to: Option<Inst>,
    /// What `continue` does.
    pub continue_to: Option<ContinueTarget>,
}

/// What `continue` does.
#[derive(Clone, Copy)]
pub(super) enum ContinueTarget {
    /// Enters the continuing region of a loop.
    Loop(Inst),
    /// Leaves the block around the body of a `do … while`, before its condition.
    Block(Inst),
}

/// Lowers one function.
pub(super) struct FunctionLowering<'l, 'p> {
    pub lowering: &'l mut Lowering<'p>,
    pub hir: &'p hir::Function,
    pub function: Function,
    pub region: Region,
    pub entry: Region,
    pub span: crate::Span,
    /// Addresses of the locals.
    pub locals: Vec<Value>,
    /// The address for a structure result.
    pub result_pointer: Option<Value>,
    pub targets: JumpTargets,
    /// What `return` leaves, if something is to do after that.
    pub return_to: Option<Inst>,
    /// The accesses that say something about their order.
    pub unordered: Unordered,
    /// Allocas created while the body is lowered; they go to the start of the function.
    pub allocas: Vec<Inst>,
}

impl<'l, 'p> FunctionLowering<'l, 'p> {
    pub fn new(lowering: &'l mut Lowering<'p>, hir: &'p hir::Function, mut function: Function) -> Self {
        let entry = function.add_region();
        function.body = Some(entry);
        FunctionLowering {
            lowering,
            hir,
            function,
            region: entry,
            entry,
            span: hir.span,
            locals: Vec::new(),
            result_pointer: None,
            targets: JumpTargets { break_to: None, continue_to: None },
            return_to: None,
            unordered: Unordered::default(),
            allocas: Vec::new(),
        }
    }

    /// Lowers the body and returns the function.
    pub fn run(mut self, body: &'p [Statement]) -> Function {
        self.receive_params();
        self.unordered = Unordered::of(self.lowering.marks_order, body);
        if self.hir.epilogue.is_empty() {
            self.body(body);
        } else {
            let (block, regions) = self.construct(Op::Block, &[], &[], 1);
            self.return_to = Some(block);
            self.within(regions[0], |this| this.body(body));
            self.return_to = None;
            self.body(&self.hir.epilogue);
        }
        let FunctionLowering { mut function, entry, mut allocas, .. } = self;
        let insts = &mut function.regions[entry].insts;
        allocas.append(insts);
        *insts = allocas;
        function
    }

    fn body(&mut self, body: &'p [Statement]) {
        if flow::is_unstructured(body) {
            self.unstructured(body);
        } else {
            self.statements(body);
            self.end();
        }
    }

    /// Returns without a value.
    pub fn leave(&mut self) {
        match self.return_to {
            Some(block) => self.exit(block, &[]),
            None => {
                self.push(Op::Return, &[], &[]);
            }
        }
    }

    /// Ends the body if it has not ended yet.
    pub fn end(&mut self) {
        if self.function.results.is_empty() && !self.is_terminated() {
            self.leave();
        } else if !self.is_terminated() {
            self.push(Op::Unreachable, &[], &[]);
        }
    }

    fn receive_params(&mut self) {
        let mut params = self.function.params.clone().into_iter();
        if self.lowering.is_record(self.hir.result) {
            self.result_pointer = params.next();
        }
        for local in &self.hir.locals {
            let (size, _) = self.lowering.layout(local.ty.ty);
            let outer = std::mem::replace(&mut self.span, local.span);
            let address = self.alloca(size, local.align);
            self.span = outer;
            self.locals.push(address);
        }
        let captures = self.hir.captures.iter().map(|local| local.0 as usize);
        for (index, param) in (0..self.hir.param_count).chain(captures).zip(params) {
            self.receive(index, param);
        }
    }

    /// Stores a parameter in its local.
    fn receive(&mut self, index: usize, param: Value) {
        let local = &self.hir.locals[index];
        let (address, align) = (self.locals[index], local.align);
        let (size, _) = self.lowering.layout(local.ty.ty);
        let is_wrapped = self.lowering.taken_type(self.hir, local.ty.ty) != local.ty.ty;
        if self.lowering.is_record(local.ty.ty) && !is_wrapped {
            self.copy_bytes(address, param, size, align);
        } else if self.is_handle(local.ty.ty) {
            // Images and samplers are not in memory: the parameter itself represents the local.
            self.locals[index] = param;
        } else {
            self.store_value(address, param, align, false);
        }
    }

    /// Whether values of a type exist only as parameters: images and samplers.
    pub fn is_handle(&self, ty: TypeId) -> bool {
        matches!(self.lowering.value_type(ty), Some(Type::Image(_) | Type::Sampler))
    }

    /// The address of a local (the value itself for images and samplers).
    pub fn local(&self, id: LocalId) -> Value {
        self.locals[id.0 as usize]
    }

    /// New private memory; an object without size also has an address.
    pub fn alloca(&mut self, size: u64, align: u32) -> Value {
        let op = Op::Alloca { size: size.max(1), align };
        let inst = self.function.make_inst(op, &[], &[Type::Pointer(AddressSpace::Private)], &[], self.span);
        self.allocas.push(inst);
        self.function.insts[inst].results[0]
    }

    /// New private memory for a type.
    pub fn temporary(&mut self, ty: TypeId) -> (Value, u32) {
        let (size, align) = self.lowering.layout(ty);
        (self.alloca(size, align), align)
    }

    /// A builder at the current place.
    pub fn build(&mut self) -> Builder<'_> {
        let mut fast_math = self.lowering.fast_math;
        fast_math.set(FastMath::CONTRACT, self.hir.contract);
        let mut builder = Builder::new(&mut self.function, self.region);
        builder.set_span(self.span);
        builder.set_fast_math(fast_math);
        builder
    }

    /// Appends an instruction.
    pub fn push(&mut self, op: Op, operands: &[Value], results: &[Type]) -> Inst {
        self.build().push(op, operands, results)
    }

    /// Appends an instruction with new regions; returns both.
    pub fn construct(
        &mut self,
        op: Op,
        operands: &[Value],
        results: &[Type],
        regions: usize,
    ) -> (Inst, Vec<Region>) {
        let regions: Vec<Region> = (0..regions).map(|_| self.function.add_region()).collect();
        let inst = self.build().push_with_regions(op, operands, results, &regions);
        (inst, regions)
    }

    /// Runs `fill` with `region` as the current place, then restores the place.
    pub fn within(&mut self, region: Region, fill: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.region, region);
        let depth = self.unordered.depth();
        fill(self);
        self.unordered.leave(depth);
        self.region = outer;
    }

    /// Whether the current region has ended.
    pub fn is_terminated(&mut self) -> bool {
        self.build().is_terminated()
    }

    /// Leaves `target`, unless the region has ended already.
    pub fn exit(&mut self, target: Inst, values: &[Value]) {
        if !self.is_terminated() {
            self.push(Op::Exit(target), values, &[]);
        }
    }
}
