//! Loads and stores of cooperative matrices, whose elements are in memory that work-items share.
//!
//! The pointer becomes one to an element of the array, or an address, and the stride a number of these
//! elements. Elements of the array may be larger than those of the matrix, because the device demands that
//! pointers and strides are multiples of 16 bytes, or of a row if it is shorter
//! (VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986).

use super::{access::Place, pointers::Lowering};
use crate::TranslateError;
use clvk_ir::{BinaryOp, ConvertOp, Function, Inst, MatrixLayout, MatrixOp, MatrixType, Op, Type, Value};

/// Pointers and strides are multiples of at most this many bytes.
const MOST_ALIGNED: u32 = 16;

/// Refuses matrices that are still in private memory.
pub fn check(function: &Function) -> Result<(), TranslateError> {
    let mut found = None;
    function.walk(|_, data| {
        let kept = match data.op {
            Op::Load { .. } => data.results.first(),
            Op::Store { .. } => data.operands.get(1),
            _ => None,
        };
        if kept.is_some_and(|&value| matches!(function.ty(value), Type::Matrix(_))) {
            found.get_or_insert(data.span);
        }
    });
    let Some(span) = found else { return Ok(()) };
    let problem = "keeps cooperative matrices in an array whose indices are not known at compile time, which \
                   the device's matrix engine cannot use; use constant indices, or loops that can be unrolled";
    Err(TranslateError::of_kernel(function, problem).at(span))
}

/// The addresses of a matrix's rows, or columns, are multiples of this many bytes.
pub fn alignment(matrix: MatrixType, op: MatrixOp) -> u32 {
    let by_column =
        matches!(op, MatrixOp::Load(MatrixLayout::ColumnMajor) | MatrixOp::Store(MatrixLayout::ColumnMajor));
    let count = if by_column { matrix.rows } else { matrix.columns };
    (1 << (u32::from(count) * matrix.element.size()).trailing_zeros()).min(MOST_ALIGNED)
}

/// The matrix that an instruction loads or stores.
pub fn matrix_of(function: &Function, inst: Inst) -> MatrixType {
    let data = &function.insts[inst];
    let value = data.results.first().copied().unwrap_or_else(|| data.operands[1]);
    let Type::Matrix(matrix) = function.ty(value) else { unreachable!("the verifier checks it") };
    matrix
}

impl Lowering<'_, '_> {
    /// Lowers a load or store of a matrix.
    pub fn matrix(&mut self, inst: Inst, op: MatrixOp) {
        let operands = self.cursor.function.insts[inst].operands.clone();
        let matrix = matrix_of(self.cursor.function, inst);
        let targets = self.targets(operands[0]);
        let stride = *operands.last().expect("a stride");
        let stride = self.cursor.get(stride);
        let stride = self.cursor.resize(ConvertOp::ZeroExtend, stride, Type::I32);
        let Some(place) = targets.only() else {
            self.refuse(
                "loads or stores a cooperative matrix through a pointer that may point into several memories",
            );
            self.give_any(inst);
            return;
        };
        let (pointer, stride) = self.matrix_place(place, stride, matrix);
        let value = (operands.len() == 3).then(|| self.cursor.get(operands[1]));
        let operands: Vec<Value> = [Some(pointer), value, Some(stride)].into_iter().flatten().collect();
        match self.cursor.function.insts[inst].results.first() {
            Some(&result) => {
                let loaded = self.cursor.value(Op::Matrix(op), &operands, Type::Matrix(matrix));
                self.cursor.replace(result, loaded);
            }
            None => drop(self.cursor.push(Op::Matrix(op), &operands, &[], &[])),
        }
    }

    /// After an error: the result may be any matrix.
    fn give_any(&mut self, inst: Inst) {
        if let Some(&result) = self.cursor.function.insts[inst].results.first() {
            let ty = self.cursor.function.ty(result);
            let any = self.cursor.function.undef(ty);
            self.cursor.replace(result, any);
        }
    }

    /// The pointer to a place, and the stride in elements of what it points to.
    fn matrix_place(&mut self, place: Place<'_>, stride: Value, matrix: MatrixType) -> (Value, Value) {
        let size = matrix.element.size().ilog2();
        match place {
            Place::Address(address) => (self.physical_pointer(address, false), stride),
            Place::Element(view, variable, offset) => {
                let pointer = self.matrix_pointer(view, variable, offset);
                let op = if view.stride >= size { BinaryOp::LShr } else { BinaryOp::Shl };
                let stride = self.cursor.binary_int(op, stride, i64::from(view.stride.abs_diff(size)));
                (pointer, stride)
            }
        }
    }
}
