//! Calls of asynchronous copies and of functions that wait for them (OpenCL C §6.15.11).

use super::Checker;
use super::conversion::Purpose;
use crate::Span;
use crate::builtins::{AsyncCopy, fence_flags};
use crate::hir::{AsyncCopying, Expr, ExprKind, Operation, Synchronizing};
use crate::types::{ScalarKind, TypeKind};
use clvk_ir::{AddressSpace, FenceFlags, Scope};

impl Checker<'_> {
    pub(super) fn call_async_copy(
        &mut self,
        what: AsyncCopy,
        values: Vec<Expr>,
        span: Span,
    ) -> Result<Expr, String> {
        match what {
            AsyncCopy::Elements { strided } => self.copy_of_elements(strided, values, span),
            AsyncCopy::Planes { three } => self.copy_of_planes(three, values, span),
            AsyncCopy::Wait => self.wait_for_events(values, span),
            AsyncCopy::Fence => self.copy_fence(&values, span),
        }
    }

    /// Whether a copy goes to local memory.
    fn direction(&self, to: &Expr, from: &Expr) -> Result<bool, String> {
        let wrong =
            || "expected a destination and a source, one in global memory and one in local memory".to_owned();
        let (target, to) = self.types.pointee(to.ty).ok_or_else(wrong)?;
        let (_, from) = self.types.pointee(from.ty).ok_or_else(wrong)?;
        if target.qualifiers.is_const {
            return Err("the destination points to read-only memory".to_owned());
        }
        match (to, from) {
            (AddressSpace::Local, AddressSpace::Global) => Ok(true),
            (AddressSpace::Global, AddressSpace::Local) => Ok(false),
            _ => Err(wrong()),
        }
    }

    /// `size_t` arguments.
    fn sizes(&mut self, values: &[Expr]) -> Result<Vec<Expr>, String> {
        let size = self.size_type();
        let mut sizes = Vec::new();
        for value in values {
            if self.types.as_scalar(value.ty).is_none_or(|kind| !kind.is_integer()) {
                return Err("expected integers for the sizes, offsets and strides".to_owned());
            }
            sizes.push(self.convert_arithmetic(value.clone(), size));
        }
        Ok(sizes)
    }

    fn event(&mut self, value: Expr) -> Result<Expr, String> {
        let event = self.types.intern(TypeKind::Event);
        let is_null = self.types.as_scalar(value.ty).is_some() && self.integer_of(&value) == Some(0);
        if value.ty != event && !is_null {
            return Err("expected an event, or 0, as the last argument".to_owned());
        }
        Ok(self.assign_to(value, event, Purpose::Passing))
    }

    fn copy_of_elements(&mut self, strided: bool, values: Vec<Expr>, span: Span) -> Result<Expr, String> {
        let count = if strided { 5 } else { 4 };
        if values.len() != count {
            let stride = if strided { ", stride" } else { "" };
            return Err(format!("expected (destination, source, number of elements{stride}, event)"));
        }
        let to_local = self.direction(&values[0], &values[1])?;
        let (to, from) = (self.types.pointee(values[0].ty), self.types.pointee(values[1].ty));
        let (Some((to, _)), Some((from, _))) = (to, from) else { unreachable!("they are pointers") };
        let element = self.types.as_arithmetic(to.ty).filter(|&(kind, _)| kind != ScalarKind::Bool);
        if element.is_none() || to.ty != from.ty {
            return Err("expected a destination and a source of the same scalar or vector type".to_owned());
        }
        let element = self.types.layout(to.ty).map(|(size, _)| size);
        let mut arguments = vec![values[0].clone(), values[1].clone()];
        arguments.extend(self.sizes(&values[2..count - 1])?);
        if !strided {
            let size = self.size_type();
            arguments.push(self.integer_literal(1, size, span));
        }
        let event = self.event(values.into_iter().last().expect("counted"))?;
        let ty = event.ty;
        arguments.push(event);
        let operation = Operation::AsyncCopy(AsyncCopying { to_local, element });
        Ok(self.builtin("async_work_group_copy", operation, arguments, ty, span))
    }

    fn copy_of_planes(&mut self, three: bool, values: Vec<Expr>, span: Span) -> Result<Expr, String> {
        let count = if three { 13 } else { 10 };
        if values.len() != count {
            let lengths = if three {
                "number of planes, line length and plane area of the source, line length and plane area of the destination"
            } else {
                "line length of the source, line length of the destination"
            };
            return Err(format!(
                "expected (destination, offset, source, offset, bytes per element, elements per line, number of lines, {lengths}, event)"
            ));
        }
        let to_local = self.direction(&values[0], &values[2])?;
        let size = self.size_type();
        let to_offset = self.sizes(&values[1..2])?;
        let mut sizes = self.sizes(&values[3..count - 1])?;
        if !three {
            // One plane, whose area does not matter.
            sizes.insert(4, self.integer_literal(1, size, span));
            sizes.insert(6, self.integer_literal(0, size, span));
            sizes.push(self.integer_literal(0, size, span));
        }
        let mut arguments = vec![values[0].clone()];
        arguments.extend(to_offset);
        arguments.push(values[2].clone());
        arguments.extend(sizes);
        let event = self.event(values.into_iter().last().expect("counted"))?;
        let ty = event.ty;
        arguments.push(event);
        let operation = Operation::AsyncCopy(AsyncCopying { to_local, element: None });
        Ok(self.builtin("async_work_group_copy", operation, arguments, ty, span))
    }

    /// A wait is a barrier: each work-item has done its part of the copies when it reaches the barrier. The
    /// events matter to the sanitizer alone.
    fn wait_for_events(&mut self, values: Vec<Expr>, span: Span) -> Result<Expr, String> {
        let wrong = || "expected (number of events, pointer to events)".to_owned();
        let [count, events] = values.as_slice() else { return Err(wrong()) };
        let is_count = self.types.as_scalar(count.ty).is_some_and(ScalarKind::is_integer);
        let target = self.types.pointee(events.ty).map(|(target, _)| target.ty);
        let is_event = target.is_some_and(|target| *self.types.kind(target) == TypeKind::Event);
        if *self.types.kind(events.ty) == TypeKind::Event {
            return Err(format!("{}: take the address of the event with '&'", wrong()));
        }
        if !is_count || !(is_event || self.is_null_constant(events)) {
            return Err(wrong());
        }
        let flags = FenceFlags::LOCAL | FenceFlags::GLOBAL;
        let barrier = self.meeting(flags, span);
        let ty = barrier.ty;
        let comma = |first, second| {
            let kind = ExprKind::Comma(Box::new(first), Box::new(second));
            Expr { kind, ty, span }
        };
        if !is_event {
            return Ok(values.into_iter().rev().fold(barrier, |call, first| comma(first, call)));
        }
        let int = self.types.scalar(ScalarKind::Int);
        let count = self.convert_arithmetic(values[0].clone(), int);
        let arguments = vec![count, values[1].clone()];
        let events = self.builtin("wait_group_events", Operation::Events, arguments, ty, span);
        Ok(comma(events, barrier))
    }

    fn copy_fence(&mut self, values: &[Expr], span: Span) -> Result<Expr, String> {
        let [flags] = values else { return Err("expected (flags)".to_owned()) };
        if self.types.as_scalar(flags.ty).is_none_or(|kind| !kind.is_integer()) {
            return Err("expected (flags)".to_owned());
        }
        let constant = self.integer_of(flags).map_or(FenceFlags::all(), |bits| fence_flags(bits as u64));
        let barrier = self.meeting(constant, span);
        let ty = barrier.ty;
        let kind = ExprKind::Comma(Box::new(flags.clone()), Box::new(barrier));
        Ok(Expr { kind, ty, span })
    }

    /// A barrier of the work-group.
    fn meeting(&mut self, flags: FenceFlags, span: Span) -> Expr {
        let (execution, memory) = (Scope::WorkGroup, Scope::WorkGroup);
        let operation = Operation::Synchronize(Synchronizing::Barrier { execution, memory, flags });
        let void = self.types.void();
        self.builtin("barrier", operation, Vec::new(), void, span)
    }
}
