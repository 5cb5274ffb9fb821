//! Calls of the functions with which kernels enqueue kernels (OpenCL C §6.15.19).

use super::Checker;
use super::conversion::Purpose;
use crate::Span;
use crate::builtins::{BlockQuery, EnqueueFunction, EventFunction};
use crate::diagnostic::Diagnostic;
use crate::hir::{Block, EnqueuedBlock, Enqueuing, Expr, ExprKind, FunctionId, Operation};
use crate::types::{OpaqueType, QualifiedType, ScalarKind, TypeId, TypeKind, TypeQualifiers};
use clvk_interface::Feature;
use clvk_ir::AddressSpace;

/// The reason why a call is wrong, for a note under "no matching function".
type Checked<T> = Result<T, String>;

impl Checker<'_> {
    pub(super) fn call_enqueue(
        &mut self,
        what: EnqueueFunction,
        values: Vec<Expr>,
        span: Span,
    ) -> Checked<Expr> {
        match what {
            EnqueueFunction::Kernel(()) => self.enqueue_kernel(values, span),
            EnqueueFunction::Query(query) => self.block_query(query, values, span),
            EnqueueFunction::Marker => self.enqueue_marker(values, span),
            EnqueueFunction::Event(function) => self.event_call(function, values, span),
            EnqueueFunction::DefaultQueue => self.default_queue(&values, span),
            EnqueueFunction::Range { dimensions } => self.range(dimensions, values, span),
        }
    }

    fn enqueuing(&self, what: Enqueuing, arguments: Vec<Expr>, result: TypeId, span: Span) -> Expr {
        self.builtin("enqueue_kernel", Operation::Enqueue(what), arguments, result, span)
    }

    fn opaque(&mut self, opaque: OpaqueType) -> TypeId {
        self.types.intern(TypeKind::Opaque(opaque))
    }

    /// A pointer to the generic address space.
    fn generic_pointer(&mut self, target: TypeId, is_const: bool) -> TypeId {
        let qualifiers = TypeQualifiers { is_const, ..TypeQualifiers::default() };
        self.types.pointer(QualifiedType { ty: target, qualifiers }, AddressSpace::Generic)
    }

    /// Arguments converted to parameters of these types; mismatches are reported.
    fn passed(&mut self, values: Vec<Expr>, params: &[TypeId]) -> Checked<Vec<Expr>> {
        let passed: Vec<Expr> = values
            .into_iter()
            .zip(params)
            .map(|(value, &param)| self.assign_to(value, param, Purpose::Passing))
            .collect();
        if passed.iter().any(|value| self.types.is_error(value.ty)) {
            return Err("the types do not fit".to_owned());
        }
        Ok(passed)
    }

    fn enqueue_kernel(&mut self, mut values: Vec<Expr>, span: Span) -> Checked<Expr> {
        let is_block = |checker: &Self, at: usize| values.get(at).is_some_and(|it| checker.is_block(it.ty));
        let waits = match (is_block(self, 3), is_block(self, 6)) {
            (true, _) => false,
            (_, true) => true,
            _ => {
                return Err(
                    "expected (queue, flags, range, block, sizes…) or (queue, flags, range, number of events, events, \
                     event, block, sizes…)"
                        .to_owned(),
                );
            }
        };
        let at = if waits { 6 } else { 3 };
        let sizes = values.split_off(at + 1);
        let block = values.pop().expect("it is there");
        let (function, held, locals) = self.enqueued_block(&block)?;
        if sizes.len() != locals {
            return Err(format!(
                "expected {locals} sizes, one for each local argument of the block, not {}",
                sizes.len()
            ));
        }
        let uint = self.types.scalar(ScalarKind::UInt);
        let (queue, range) = (self.opaque(OpaqueType::Queue), self.opaque(OpaqueType::NdRange));
        let mut params = vec![queue, uint, range];
        if waits {
            params.extend(self.wait_list());
        }
        params.resize(params.len() + locals, uint);
        values.extend(sizes);
        let mut arguments = self.passed(values, &params)?;
        arguments.extend(held.captures.iter().map(|capture| self.local_value(capture.local, span)));
        let locals = u32::try_from(locals).expect("a block has few arguments");
        let int = self.int();
        let what = Enqueuing::Kernel(EnqueuedBlock { function, waits, locals });
        let call = self.enqueuing(what, arguments, int, span);
        Ok(self.after_block(block, call))
    }

    /// The types of a wait list and of the pointer for the event.
    fn wait_list(&mut self) -> [TypeId; 3] {
        let uint = self.types.scalar(ScalarKind::UInt);
        let event = self.opaque(OpaqueType::ClkEvent);
        [uint, self.generic_pointer(event, true), self.generic_pointer(event, false)]
    }

    /// A call preceded by the evaluation of its block, if the block captures values.
    fn after_block(&self, block: Expr, call: Expr) -> Expr {
        let takes_values = matches!(&block.kind, ExprKind::Block(held) if
            held.captures.iter().any(|capture| capture.value.is_some()));
        if !takes_values {
            return call;
        }
        let (ty, span) = (call.ty, call.span);
        Expr { kind: ExprKind::Comma(Box::new(block), Box::new(call)), ty, span }
    }

    /// A block that can be enqueued: its function, its captures, and the number of its local arguments.
    fn enqueued_block(&mut self, block: &Expr) -> Checked<(FunctionId, Block, usize)> {
        let locals = self.local_arguments(block)?;
        let ExprKind::Block(held) = &block.kind else {
            return Err("the block is not known at compile time".to_owned());
        };
        let function = held.function.ok_or("this block variable is null: it cannot be enqueued")?;
        for capture in &held.captures {
            let state = self.current.as_ref().ok_or("kernels are enqueued only by functions")?;
            let local = &state.locals[capture.local.0 as usize];
            let refused = match self.types.kind(local.ty.ty) {
                TypeKind::Pointer { space: AddressSpace::Local, .. } => "a pointer to local memory",
                TypeKind::Pointer { space: AddressSpace::Private, .. } => "private memory",
                TypeKind::Event => "an event of a copy",
                _ => continue,
            };
            let name = local.name.clone();
            let message = format!("an enqueued block cannot capture '{name}': it is {refused}");
            let note = "pass local memory as an argument of the block (OpenCL C §6.15.19.1, §6.15.19.2)";
            self.report(Diagnostic::error(block.span, message).note(note));
            return Err(String::new());
        }
        Ok((function, held.clone(), locals))
    }

    /// The number of a block's arguments, which point to local memory (OpenCL C §6.15.19.2).
    fn local_arguments(&self, block: &Expr) -> Checked<usize> {
        let TypeKind::Block { result, params } = self.types.kind(block.ty) else {
            return Err("expected a block".to_owned());
        };
        if !self.types.is_void(*result) {
            return Err("expected a block that returns void".to_owned());
        }
        let feature = Feature::DeviceEnqueueLocalArgumentTypes;
        let any = self.has(feature) || self.defers(feature);
        let fits = |param: &TypeId| match self.types.pointee(*param) {
            Some((target, AddressSpace::Local)) => any || self.types.is_void(target.ty),
            _ => false,
        };
        match params.iter().all(fits) {
            true => Ok(params.len()),
            false => Err("expected a block whose arguments are pointers to local memory".to_owned()),
        }
    }

    /// What `enqueue_kernel` of OpenCL C++ does, as its header writes it: queue, flags, range, wait list,
    /// event, and a call that is not made. The kernel makes it, with the arguments that the call has here.
    /// Then come a number for each argument but the first: the bytes of local memory that it points to, if
    /// its type is such a pointer.
    pub(super) fn enqueue_call(&mut self, mut values: Vec<Expr>, span: Span) -> Option<Expr> {
        const CALL: usize = 6;
        if !self.can_enqueue(span) {
            return Some(self.error_value(span));
        }
        let numbers = (values.len() > CALL).then(|| values.split_off(CALL + 1))?;
        let ExprKind::Call { function, arguments } = values.pop()?.kind else { return None };
        let [first, others @ ..] = arguments.as_slice() else { return None };
        let is_local = |argument: &Expr| {
            self.types.pointee(argument.ty).is_some_and(|(_, space)| space == AddressSpace::Local)
        };
        let mut held = vec![first.clone()];
        let mut sizes = Vec::new();
        for (argument, number) in others.iter().zip(numbers) {
            if is_local(argument) {
                sizes.push(number);
            } else {
                held.push(argument.clone());
            }
        }
        let uint = self.types.scalar(ScalarKind::UInt);
        let (queue, range) = (self.opaque(OpaqueType::Queue), self.opaque(OpaqueType::NdRange));
        let mut params = vec![queue, uint, range];
        params.extend(self.wait_list());
        params.resize(params.len() + sizes.len(), uint);
        let locals = u32::try_from(sizes.len()).expect("a call has few arguments");
        values.extend(sizes);
        let mut arguments = self.passed(values, &params).ok()?;
        arguments.extend(held);
        let int = self.int();
        let what = Enqueuing::Kernel(EnqueuedBlock { function, waits: true, locals });
        Some(self.enqueuing(what, arguments, int, span))
    }

    /// Whether the device has device-side enqueue, which is reported where it lacks it.
    fn can_enqueue(&mut self, span: Span) -> bool {
        let feature = Feature::DeviceEnqueue;
        self.options.is_opencl_cxx()
            && (self.has(feature) || self.report_lacking_of(span, "a device queue", feature))
    }

    /// A query of OpenCL C++ about any function that could be enqueued, with a range or without.
    pub(super) fn enqueue_query(&mut self, query: BlockQuery, values: Vec<Expr>, span: Span) -> Option<Expr> {
        let feature = Feature::SubGroups;
        let for_range = matches!(query, BlockQuery::SubGroupSize | BlockQuery::SubGroupCount);
        let has_groups = !for_range
            || self.has(feature)
            || self.report_lacking_of(span, "a query about sub-groups", feature);
        if !has_groups || !self.can_enqueue(span) {
            return Some(self.error_value(span));
        }
        let params: &[TypeId] = if for_range { &[self.opaque(OpaqueType::NdRange)] } else { &[] };
        let arguments = self.passed(values, params).ok()?;
        let uint = self.types.scalar(ScalarKind::UInt);
        Some(self.enqueuing(Enqueuing::Query(query), arguments, uint, span))
    }

    fn block_query(&mut self, query: BlockQuery, mut values: Vec<Expr>, span: Span) -> Checked<Expr> {
        let for_range = matches!(query, BlockQuery::SubGroupSize | BlockQuery::SubGroupCount);
        let expected = if for_range { "expected (range, block)" } else { "expected (block)" };
        if values.len() != 1 + usize::from(for_range) {
            return Err(expected.to_owned());
        }
        let block = values.pop().expect("counted");
        self.local_arguments(&block)?;
        let range = self.opaque(OpaqueType::NdRange);
        let arguments = self.passed(values, &[range])?;
        let uint = self.types.scalar(ScalarKind::UInt);
        let call = self.enqueuing(Enqueuing::Query(query), arguments, uint, span);
        Ok(self.after_block(block, call))
    }

    fn enqueue_marker(&mut self, values: Vec<Expr>, span: Span) -> Checked<Expr> {
        if values.len() != 4 {
            return Err("expected (queue, number of events, events, event)".to_owned());
        }
        let mut params = vec![self.opaque(OpaqueType::Queue)];
        params.extend(self.wait_list());
        let arguments = self.passed(values, &params)?;
        let int = self.int();
        Ok(self.enqueuing(Enqueuing::Marker, arguments, int, span))
    }

    fn event_call(&mut self, function: EventFunction, values: Vec<Expr>, span: Span) -> Checked<Expr> {
        let event = self.opaque(OpaqueType::ClkEvent);
        let (int, void) = (self.int(), self.types.void());
        let (params, result): (&[TypeId], TypeId) = match function {
            EventFunction::Retain | EventFunction::Release => (&[event], void),
            EventFunction::Create => (&[], event),
            EventFunction::IsValid => (&[event], self.bool()),
            EventFunction::SetStatus => (&[event, int], void),
            EventFunction::CaptureProfile => {
                let memory = self.types.pointer(void.into(), AddressSpace::Global);
                (&[event, int, memory], void)
            }
        };
        if values.len() != params.len() {
            return Err(format!("expected {} arguments", params.len()));
        }
        let arguments = self.passed(values, params)?;
        Ok(self.enqueuing(Enqueuing::Event(function), arguments, result, span))
    }

    fn default_queue(&mut self, values: &[Expr], span: Span) -> Checked<Expr> {
        if !values.is_empty() {
            return Err("expected no arguments".to_owned());
        }
        let queue = self.opaque(OpaqueType::Queue);
        Ok(self.enqueuing(Enqueuing::DefaultQueue, Vec::new(), queue, span))
    }

    fn range(&mut self, dimensions: u32, values: Vec<Expr>, span: Span) -> Checked<Expr> {
        if !(1..=3).contains(&values.len()) {
            return Err(
                "expected (global size), (global size, local size) or (offset, global size, local size)"
                    .to_owned(),
            );
        }
        let size = self.size_type();
        let param = if dimensions == 1 { size } else { self.generic_pointer(size, true) };
        let arguments = self.passed(values, &[param; 3])?;
        let range = self.opaque(OpaqueType::NdRange);
        Ok(self.enqueuing(Enqueuing::Range { dimensions }, arguments, range, span))
    }
}
