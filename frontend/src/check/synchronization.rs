//! Calls of barriers, fences and the atomic functions of C11: their flags, orders and scopes, and the
//! arguments whose types depend on the atomic type (OpenCL C §6.15.8, §6.15.9, §6.15.12).
//!
//! Orders and scopes are usually constants. One that is not constant is evaluated and replaced by the
//! strongest one, which includes the meaning of all others.

use super::Checker;
use super::candidates::wrong_count;
use crate::Span;
use crate::ast::Name;
use crate::builtins::{AtomicAction, Synchronization, fence_flags, memory_order, memory_scope};
use crate::hir::{Expr, ExprKind, Operation, Synchronizing};
use crate::types::{QualifiedType, ScalarKind, TypeId, TypeKind};
use clvk_interface::Feature;
use clvk_ir::{AddressSpace, FenceFlags, MemoryOrder, Scope};

/// The reason why a call is wrong, for a note under "no matching function".
type Checked<T> = Result<T, String>;

impl Checker<'_> {
    pub(super) fn call_synchronization(
        &mut self,
        name: Name,
        what: Synchronization,
        values: Vec<Expr>,
        span: Span,
    ) -> Checked<Expr> {
        match what {
            Synchronization::Barrier { execution, scoped } => {
                self.barrier(name, execution, scoped, values, span)
            }
            Synchronization::Fence(order) => self.legacy_fence(name, order, values, span),
            Synchronization::WorkItemFence => self.work_item_fence(name, values, span),
            Synchronization::Atomic { action, explicit } => {
                self.atomic_call(name, action, explicit, values, span)
            }
        }
    }

    fn barrier(
        &mut self,
        name: Name,
        execution: Scope,
        scoped: bool,
        values: Vec<Expr>,
        span: Span,
    ) -> Checked<Expr> {
        let most = if scoped { 2 } else { 1 };
        if values.is_empty() || values.len() > most {
            if scoped {
                return Err("expected (flags) or (flags, scope)".to_owned());
            }
            return Err(self.report_count(name, 1, values.len()));
        }
        let mut evaluated = Vec::new();
        let flags = self.flags(&values[0], &mut evaluated)?;
        let memory = match values.get(1) {
            Some(scope) => self.scope(name, scope, &mut evaluated)?,
            None => execution,
        };
        let what = Synchronizing::Barrier { execution, memory, flags };
        let void = self.types.void();
        Ok(self.synchronizing(what, Vec::new(), evaluated, void, span))
    }

    fn legacy_fence(
        &mut self,
        name: Name,
        order: MemoryOrder,
        values: Vec<Expr>,
        span: Span,
    ) -> Checked<Expr> {
        let [flags] = values.as_slice() else { return Err(self.report_count(name, 1, values.len())) };
        let mut evaluated = Vec::new();
        let flags = self.flags(flags, &mut evaluated)?;
        let what = Synchronizing::Fence { order, scope: Scope::WorkGroup, flags };
        let void = self.types.void();
        Ok(self.synchronizing(what, Vec::new(), evaluated, void, span))
    }

    fn work_item_fence(&mut self, name: Name, values: Vec<Expr>, span: Span) -> Checked<Expr> {
        let [flags, order, scope] = values.as_slice() else {
            return Err("expected (flags, order, scope)".to_owned());
        };
        let mut evaluated = Vec::new();
        let flags = self.flags(flags, &mut evaluated)?;
        let order = self.order(name, order, true, &mut evaluated)?;
        let scope = self.scope(name, scope, &mut evaluated)?;
        let what = Synchronizing::Fence { order, scope, flags };
        let void = self.types.void();
        Ok(self.synchronizing(what, Vec::new(), evaluated, void, span))
    }

    fn atomic_call(
        &mut self,
        name: Name,
        action: AtomicAction,
        explicit: bool,
        values: Vec<Expr>,
        span: Span,
    ) -> Checked<Expr> {
        let (plain, orders) = (action.arguments(), action.orders());
        let fits = if explicit {
            values.len() == plain + orders || values.len() == plain + orders + 1
        } else {
            values.len() == plain
        };
        if !fits {
            let orders = if orders == 2 { "success order, failure order" } else { "order" };
            let further = if explicit { format!(", {orders}[, scope]") } else { String::new() };
            return Err(format!("expected {} arguments{further}", plain));
        }
        let mut evaluated = Vec::new();
        let (order, failure, scope) = if action == AtomicAction::Init {
            (MemoryOrder::Relaxed, MemoryOrder::Relaxed, Scope::Device)
        } else if explicit {
            self.orders_and_scope(name, action, &values[plain..], &mut evaluated)?
        } else {
            let strongest = MemoryOrder::SequentiallyConsistent;
            (strongest, strongest, Scope::Device)
        };
        let (kind, object) = self.atomic_object(action, &values[0])?;
        let (arguments, result) = self.atomic_operands(action, kind, object, &values[1..plain])?;
        let what = Synchronizing::Atomic { action, order, failure, scope };
        Ok(self.synchronizing(what, arguments, evaluated, result, span))
    }

    fn orders_and_scope(
        &mut self,
        name: Name,
        action: AtomicAction,
        values: &[Expr],
        evaluated: &mut Vec<Expr>,
    ) -> Checked<(MemoryOrder, MemoryOrder, Scope)> {
        let order = self.order(name, &values[0], false, evaluated)?;
        if !action.allows(order) {
            let text = self.owned(name.symbol);
            self.error(values[0].span, format!("the memory order of '{text}' cannot be {}", spelled(order)));
            return Err(String::new());
        }
        let count = action.orders();
        let failure = if count == 2 { self.order(name, &values[1], false, evaluated)? } else { order };
        if count == 2 && matches!(failure, MemoryOrder::Release | MemoryOrder::AcquireRelease) {
            let message = format!("the memory order on failure cannot be {}", spelled(failure));
            self.error(values[1].span, message);
            return Err(String::new());
        }
        let scope = match values.get(count) {
            Some(scope) => self.scope(name, scope, evaluated)?,
            None => {
                self.demand_feature(name, Feature::AtomicScopeDevice)?;
                Scope::Device
            }
        };
        Ok((order, failure, scope))
    }

    /// The object that a pointer points to: its kind, and the pointer as the operation takes it.
    fn atomic_object(&mut self, action: AtomicAction, object: &Expr) -> Checked<(ScalarKind, Expr)> {
        let wanted = if action.is_of_flags() { "an atomic_flag" } else { "an atomic type" };
        let wrong = || format!("expected a pointer to {wanted} in global or local memory");
        let (target, space) = self.types.pointee(object.ty).ok_or_else(wrong)?;
        let TypeKind::Atomic(kind) = *self.types.kind(target.ty) else { return Err(wrong()) };
        let is_flag = kind == ScalarKind::Bool;
        if is_flag != action.is_of_flags() {
            return Err(wrong());
        }
        if target.qualifiers.is_const {
            return Err("the pointer points to read-only memory".to_owned());
        }
        match space {
            AddressSpace::Global | AddressSpace::Local | AddressSpace::Generic => Ok((kind, object.clone())),
            AddressSpace::Private if self.has_generic() => {
                let generic = self.types.pointer(target, AddressSpace::Generic);
                Ok((kind, self.convert_pointer(object.clone(), generic)))
            }
            _ => Err(wrong()),
        }
    }

    /// The arguments of an atomic operation besides its orders, and the type of its result.
    fn atomic_operands(
        &mut self,
        action: AtomicAction,
        kind: ScalarKind,
        object: Expr,
        values: &[Expr],
    ) -> Checked<(Vec<Expr>, TypeId)> {
        let void = self.types.void();
        if action.is_of_flags() {
            let result =
                if action == AtomicAction::Clear { void } else { self.types.scalar(ScalarKind::Bool) };
            return Ok((vec![object], result));
        }
        if kind.is_float()
            && let AtomicAction::Fetch(key) = action
            && !key.is_arithmetic()
        {
            return Err(
                "floating-point atomics can only add, subtract, and take the minimum or maximum".to_owned()
            );
        }
        let plain = self.types.scalar(kind);
        let result = match action {
            AtomicAction::Init | AtomicAction::Store => void,
            AtomicAction::CompareExchange => self.types.scalar(ScalarKind::Bool),
            _ => plain,
        };
        let mut arguments = vec![object];
        if let Some(operand) = values.last() {
            if self.types.as_scalar(operand.ty).is_none() {
                return Err(format!("expected a value of type '{}'", kind.name()));
            }
            arguments.push(self.convert_arithmetic(operand.clone(), plain));
        }
        if action == AtomicAction::CompareExchange {
            arguments.push(self.expected_pointer(&values[0], plain)?);
        }
        Ok((arguments, result))
    }

    /// The pointer to the expected value of a comparison, which the call may also write.
    fn expected_pointer(&mut self, pointer: &Expr, plain: TypeId) -> Checked<Expr> {
        let text = self.type_text(plain);
        let wrong = || format!("expected a pointer to '{text}' as the second argument");
        let (target, space) = self.types.pointee(pointer.ty).ok_or_else(wrong)?;
        if target.ty != plain {
            return Err(wrong());
        }
        if target.qualifiers.is_const || space == AddressSpace::Constant {
            return Err("the pointer to the expected value points to read-only memory".to_owned());
        }
        let ty = self.types.pointer(QualifiedType::from(plain), space);
        Ok(self.convert_pointer(pointer.clone(), ty))
    }

    /// The call, preceded by arguments that must be evaluated for their effects.
    fn synchronizing(
        &mut self,
        what: Synchronizing,
        arguments: Vec<Expr>,
        evaluated: Vec<Expr>,
        result: TypeId,
        span: Span,
    ) -> Expr {
        let operation = Operation::Synchronize(what);
        let call = self.builtin("atomic", operation, arguments, result, span);
        evaluated.into_iter().rev().fold(call, |call, first| Expr {
            kind: ExprKind::Comma(Box::new(first), Box::new(call)),
            ty: result,
            span,
        })
    }

    /// Reports a wrong number of arguments; gives the empty reason, for a call that is reported.
    fn report_count(&mut self, name: Name, expected: usize, given: usize) -> String {
        self.error(name.span, wrong_count(expected, given));
        String::new()
    }

    /// An integer argument, which is described by `what`; one that is not constant is added to `evaluated`.
    fn constant_argument(
        &mut self,
        value: &Expr,
        what: &str,
        evaluated: &mut Vec<Expr>,
    ) -> Checked<Option<i128>> {
        if self.types.as_scalar(value.ty).is_none_or(|kind| !kind.is_integer()) {
            return Err(format!("expected {what}, not a value of type '{}'", self.type_text(value.ty)));
        }
        let constant = self.integer_of(value);
        if constant.is_none() {
            evaluated.push(value.clone());
        }
        Ok(constant)
    }

    fn flags(&mut self, value: &Expr, evaluated: &mut Vec<Expr>) -> Checked<FenceFlags> {
        let constant = self.constant_argument(value, "flags such as CLK_LOCAL_MEM_FENCE", evaluated)?;
        Ok(constant.map_or(FenceFlags::all(), |bits| fence_flags(bits as u64)))
    }

    fn order(
        &mut self,
        name: Name,
        value: &Expr,
        fence: bool,
        evaluated: &mut Vec<Expr>,
    ) -> Checked<MemoryOrder> {
        let what = "an order such as memory_order_relaxed";
        let Some(constant) = self.constant_argument(value, what, evaluated)? else {
            return Ok(MemoryOrder::SequentiallyConsistent);
        };
        let Some(order) = memory_order(constant) else {
            self.error(value.span, format!("{constant} is not a memory order"));
            return Err(String::new());
        };
        match order {
            MemoryOrder::SequentiallyConsistent => self.demand_feature(name, Feature::AtomicOrderSeqCst)?,
            MemoryOrder::Relaxed => {}
            _ if fence => {}
            _ => self.demand_feature(name, Feature::AtomicOrderAcqRel)?,
        }
        Ok(order)
    }

    fn scope(&mut self, name: Name, value: &Expr, evaluated: &mut Vec<Expr>) -> Checked<Scope> {
        let what = "a scope such as memory_scope_device";
        let Some(constant) = self.constant_argument(value, what, evaluated)? else {
            return Ok(Scope::Device);
        };
        let Some(scope) = memory_scope(constant) else {
            self.error(value.span, format!("{constant} is not a memory scope"));
            return Err(String::new());
        };
        match scope {
            Scope::Device => self.demand_feature(name, Feature::AtomicScopeDevice)?,
            Scope::AllDevices => self.demand_feature(name, Feature::AtomicScopeAllDevices)?,
            Scope::WorkItem | Scope::SubGroup | Scope::WorkGroup => {}
        }
        Ok(scope)
    }

    /// Demands a feature that is mandatory in OpenCL C 2.0 and optional in newer versions.
    fn demand_feature(&mut self, name: Name, feature: Feature) -> Checked<()> {
        if self.features().contains(feature) {
            return Ok(());
        }
        if self.report_lacking(name, feature) { Ok(()) } else { Err(String::new()) }
    }
}

fn spelled(order: MemoryOrder) -> &'static str {
    match order {
        MemoryOrder::Relaxed => "memory_order_relaxed",
        MemoryOrder::Acquire => "memory_order_acquire",
        MemoryOrder::Release => "memory_order_release",
        MemoryOrder::AcquireRelease => "memory_order_acq_rel",
        MemoryOrder::SequentiallyConsistent => "memory_order_seq_cst",
    }
}
