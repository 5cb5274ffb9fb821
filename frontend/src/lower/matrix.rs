//! Operations on cooperative matrices.

use super::function::FunctionLowering;
use crate::types::TypeId;
use clvk_ir::{MatrixOp, Op, Value};

impl FunctionLowering<'_, '_> {
    /// An operation; one whose result nothing uses, so that it never got a type, does nothing.
    pub fn matrix(&mut self, op: MatrixOp, values: &[Value], result: TypeId) -> Option<Value> {
        match (self.lowering.value_type(result), op) {
            (Some(ty), _) => Some(self.build().value(Op::Matrix(op), values, ty)),
            (None, MatrixOp::Store(_)) => {
                self.push(Op::Matrix(op), values, &[]);
                None
            }
            (None, _) => None,
        }
    }
}
