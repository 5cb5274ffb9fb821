//! Calls of the functions on pipes (OpenCL C §6.15.18), which take pipes and pointers to packets of any type.

use super::Checker;
use crate::Span;
use crate::ast::Name;
use crate::builtins::PipeFunction;
use crate::hir::{Expr, Operation};
use crate::types::{OpaqueType, ScalarKind, TypeId, TypeKind};

impl Checker<'_> {
    pub(super) fn call_pipe(
        &mut self,
        name: Name,
        function: PipeFunction,
        values: &[Expr],
        span: Span,
    ) -> Result<Expr, String> {
        if function == PipeFunction::IsValid {
            self.reservation(values.first().ok_or("expected a reservation")?)?;
            if values.len() > 1 {
                return Err("expected one argument".to_owned());
            }
            let bool = self.bool();
            return Ok(self.pipe_builtin(function, (0, 1), values.to_vec(), bool, span));
        }
        let (pipe, rest) = values.split_first().ok_or("expected a pipe")?;
        let TypeKind::Opaque(OpaqueType::Pipe { packet, writable }) = *self.types.kind(pipe.ty) else {
            return Err("expected a pipe as the first argument".to_owned());
        };
        match function.writes() {
            Some(true) if !writable => return Err("the pipe is read-only".to_owned()),
            Some(false) if writable => return Err("the pipe is write-only".to_owned()),
            _ => {}
        }
        let layout = self.types.layout(packet).expect("packets have a size");
        let mut arguments = vec![pipe.clone()];
        let result = self.pipe_arguments(name, function, packet, rest, &mut arguments)?;
        Ok(self.pipe_builtin(function, layout, arguments, result, span))
    }

    /// Checks and converts the arguments after the pipe; returns the type of the result.
    fn pipe_arguments(
        &mut self,
        name: Name,
        function: PipeFunction,
        packet: TypeId,
        rest: &[Expr],
        arguments: &mut Vec<Expr>,
    ) -> Result<TypeId, String> {
        match (function, rest) {
            (PipeFunction::Transfer { writes }, [pointer]) => {
                self.packet_pointer(packet, pointer, writes)?;
                arguments.push(pointer.clone());
                Ok(self.int())
            }
            (PipeFunction::Transfer { writes }, [id, index, pointer]) => {
                self.reservation(id)?;
                let index = self.pipe_number(index)?;
                self.packet_pointer(packet, pointer, writes)?;
                arguments.extend([pointer.clone(), id.clone(), index]);
                Ok(self.int())
            }
            (PipeFunction::Reserve { .. }, [count]) => {
                arguments.push(self.pipe_number(count)?);
                Ok(self.types.intern(TypeKind::Opaque(OpaqueType::ReserveId)))
            }
            (PipeFunction::Commit { .. }, [id]) => {
                self.reservation(id)?;
                arguments.push(id.clone());
                Ok(self.types.void())
            }
            (PipeFunction::Count | PipeFunction::Size, []) => Ok(self.types.scalar(ScalarKind::UInt)),
            _ => Err(format!("'{}' takes a different number of arguments", self.text(name.symbol))),
        }
    }

    fn pipe_builtin(
        &mut self,
        function: PipeFunction,
        (size, align): (u64, u32),
        arguments: Vec<Expr>,
        result: TypeId,
        span: Span,
    ) -> Expr {
        let operation = Operation::Pipe { function, size, align };
        self.builtin("read_pipe", operation, arguments, result, span)
    }

    fn reservation(&self, value: &Expr) -> Result<(), String> {
        match self.types.kind(value.ty) {
            TypeKind::Opaque(OpaqueType::ReserveId) => Ok(()),
            _ => Err("expected a value of type 'reserve_id_t'".to_owned()),
        }
    }

    fn pipe_number(&mut self, value: &Expr) -> Result<Expr, String> {
        match self.types.as_scalar(value.ty) {
            Some(kind) if kind.is_integer() => {
                let uint = self.types.scalar(ScalarKind::UInt);
                Ok(self.convert_arithmetic(value.clone(), uint))
            }
            _ => Err("expected a number of packets of type 'uint'".to_owned()),
        }
    }

    fn packet_pointer(&self, packet: TypeId, value: &Expr, reads: bool) -> Result<(), String> {
        let fits = self.types.pointee(value.ty).filter(|(target, space)| {
            let is_writable = !target.qualifiers.is_const && *space != clvk_ir::AddressSpace::Constant;
            target.ty == packet && (reads || is_writable)
        });
        match fits {
            Some(_) => Ok(()),
            None => Err(format!("expected a pointer to a packet of type '{}'", self.type_text(packet))),
        }
    }
}
