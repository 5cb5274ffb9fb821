//! Checks of the memory that loads and stores of cooperative matrices reach.
//!
//! They are added before `lower-matrices` decides whether the device's matrix engine computes, so all devices
//! make the same ones, and engines stay in use:
//!
//! - First it is asked whether the whole range, from the first element to the last one, passes all checks
//!   ([`AccessOp::Fits`]). If not, the work-items of the sub-group check the elements one by one, each its
//!   part of them, so that reports say the same as of other accesses.
//! - Where kernels remember memory, each work-item notes its part of the elements ([`AccessOp::Note`]).
//!   Which elements it is given by an engine does not matter for that.
//! - If an element fails, the matrix is zero, or not stored. An engine moves matrices as a whole, and the
//!   work-items of a sub-group must agree.
//!
//! What the emulation accesses needs no further check ([`AccessOp::Done`]).

use super::cells::has_cells;
use super::hash::hash;
use super::{Context, checks_memory, remembers};
use crate::TranslateError;
use crate::passes::cursor::Cursor;
use crate::passes::lower_matrices::{has_matrices, keeps, sharing, supports, width};
use clvk_interface::DeviceProfile;
use clvk_interface::sanitize::{Kind, Kinds};
use clvk_ir::{
    AccessOp, AddressSpace, BinaryOp, CompareOp, ConvertOp, Inst, MatrixLayout, MatrixOp, MatrixType, Op,
    SubGroupOp, Type, UnrollHint, Value, WorkItemQuery,
};

/// Strides below this are not so large that the length of a range overflows.
const LARGE_STRIDE: i64 = 1 << 32;

/// Adds the checks.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let (kinds, profile) = (context.options.sanitize, context.profile);
    if kinds.is_empty() || !has_matrices(context.module) {
        return Ok(());
    }
    let memory = checks_memory(context);
    // What the emulation computes is checked itself.
    let elements = kinds.has(Kind::Arithmetic) && supports(context);
    for (_, function) in context.module.functions.iter_mut().filter(|(_, it)| it.body.is_some()) {
        let mut checks = Checks { cursor: Cursor::new(function), kinds, profile };
        while let Some(inst) = checks.cursor.advance() {
            match checks.cursor.function.insts[inst].op {
                Op::Matrix(MatrixOp::Load(layout)) if memory => checks.load(inst, layout),
                Op::Matrix(MatrixOp::Store(layout)) if memory => checks.store(inst, layout),
                Op::Matrix(op) => {
                    if elements {
                        checks.by_element(inst, op);
                    }
                    checks.cursor.keep(inst);
                }
                _ => checks.cursor.keep(inst),
            }
        }
    }
    Ok(())
}

struct Checks<'f, 'p> {
    cursor: Cursor<'f>,
    kinds: Kinds,
    profile: &'p DeviceProfile,
}

/// The memory of a matrix.
struct Reached {
    pointer: Value,
    /// From line to line in elements, `I64`.
    stride: Value,
    matrix: MatrixType,
    layout: MatrixLayout,
    writes: bool,
}

impl Reached {
    fn access(&self, op: AccessOp) -> Op {
        Op::Access { op, size: self.matrix.element.size(), writes: self.writes }
    }
}

/// How work-items share the elements of a matrix: as the emulation does, and where that makes copies, each
/// copy has some of the rows.
struct Parts {
    /// The work-items that share a row, and the rows that they have at a time.
    across: u32,
    down: u32,
    /// Parts of a row that each of them has, and its elements.
    groups: u32,
    count: u32,
}

impl Parts {
    fn of(profile: &DeviceProfile, matrix: MatrixType) -> Parts {
        let (rows, columns) = (u32::from(matrix.rows), u32::from(matrix.columns));
        let across = width(profile, matrix);
        let down = (sharing(profile) / across).min(1 << rows.trailing_zeros());
        let groups = columns / across;
        Parts { across, down, groups, count: rows / down * groups }
    }
}

impl Checks<'_, '_> {
    fn load(&mut self, inst: Inst, layout: MatrixLayout) {
        let result = self.cursor.result(inst);
        let ty = self.cursor.function.ty(result);
        let Type::Matrix(matrix) = ty else { return self.cursor.keep(inst) };
        let reached = self.reached(inst, [0, 1], matrix, layout, false);
        let passes = self.check(&reached);
        self.note(&reached, None);
        let Some(passes) = passes else { return self.cursor.keep(inst) };
        let regions = [self.cursor.function.add_region(), self.cursor.function.add_region()];
        let either = self.cursor.push(Op::If, &[passes], &[ty], &regions);
        self.cursor.open(regions[0]);
        self.cursor.keep(inst);
        self.cursor.push(Op::Exit(either), &[result], &[], &[]);
        self.cursor.close();
        self.cursor.open(regions[1]);
        let zero = self.cursor.function.zero(Type::Scalar(matrix.element.value()));
        let zero = self.cursor.value(Op::Matrix(MatrixOp::Fill), &[zero], ty);
        self.cursor.push(Op::Exit(either), &[zero], &[], &[]);
        self.cursor.close();
        self.cursor.replace(result, self.cursor.result(either));
    }

    fn store(&mut self, inst: Inst, layout: MatrixLayout) {
        let value = self.cursor.operand(inst, 1);
        let Type::Matrix(matrix) = self.cursor.function.ty(value) else { return self.cursor.keep(inst) };
        let reached = self.reached(inst, [0, 2], matrix, layout, true);
        let passes = self.check(&reached);
        self.note(&reached, Some(value));
        match passes {
            None => self.cursor.keep(inst),
            Some(passes) => super::when(&mut self.cursor, passes, |cursor| cursor.keep(inst)),
        }
    }

    fn reached(
        &mut self,
        inst: Inst,
        operands: [usize; 2],
        matrix: MatrixType,
        layout: MatrixLayout,
        writes: bool,
    ) -> Reached {
        let [pointer, stride] = operands.map(|operand| self.cursor.operand(inst, operand));
        let stride = self.cursor.convert(ConvertOp::ZeroExtend, stride, Type::I64);
        Reached { pointer, stride, matrix, layout, writes }
    }

    fn space(&self, reached: &Reached) -> Option<AddressSpace> {
        self.cursor.function.ty(reached.pointer).address_space()
    }

    /// Whether the work-items may execute the operation; none if they always may.
    fn check(&mut self, reached: &Reached) -> Option<Value> {
        let kinds = [Kind::Bounds, Kind::Alignment, Kind::Flags, Kind::Constness];
        // That constant memory is written is asked as flags are.
        let constant = self.space(reached) == Some(AddressSpace::Constant);
        let asks = kinds.into_iter().any(|kind| self.kinds.has(kind))
            || constant && self.kinds.has(Kind::Uninitialised);
        if !asks {
            return None;
        }
        let fits = self.fits(reached);
        let fits = self.together(fits);
        let regions = [self.cursor.function.add_region(), self.cursor.function.add_region()];
        let either = self.cursor.push(Op::If, &[fits], &[Type::BOOL], &regions);
        self.cursor.open(regions[0]);
        let all = self.cursor.int(Type::BOOL, 1);
        self.cursor.push(Op::Exit(either), &[all], &[], &[]);
        self.cursor.close();
        self.cursor.open(regions[1]);
        let check = reached.access(AccessOp::Check);
        let passes = self.each(reached, &[all], |cursor, pointer, before| {
            let passes = cursor.value(check, &[pointer], Type::BOOL);
            vec![cursor.binary(BinaryOp::And, before[0], passes)]
        });
        let passes = self.together(passes[0]);
        self.cursor.push(Op::Exit(either), &[passes], &[], &[]);
        self.cursor.close();
        Some(self.cursor.result(either))
    }

    /// Whether the range of all elements passes.
    fn fits(&mut self, reached: &Reached) -> Value {
        let (rows, columns) = (reached.matrix.rows, reached.matrix.columns);
        let (lines, length) = match reached.layout {
            MatrixLayout::RowMajor => (rows, columns),
            MatrixLayout::ColumnMajor => (columns, rows),
        };
        let cursor = &mut self.cursor;
        let last = cursor.binary_int(BinaryOp::Mul, reached.stride, i64::from(lines) - 1);
        let end = cursor.binary_int(BinaryOp::Add, last, length.into());
        let bytes = cursor.binary_int(BinaryOp::Mul, end, reached.matrix.element.size().into());
        let fits = cursor.value(reached.access(AccessOp::Fits), &[reached.pointer, bytes], Type::BOOL);
        if cursor.function.as_bits(reached.stride).is_some_and(|stride| stride < LARGE_STRIDE as u64) {
            return fits;
        }
        let large = cursor.int(Type::I64, LARGE_STRIDE);
        let small = cursor.compare(CompareOp::ULt, reached.stride, large);
        cursor.binary(BinaryOp::And, fits, small)
    }

    /// Whether something holds for all work-items of the sub-group.
    fn together(&mut self, holds: Value) -> Value {
        match sharing(self.profile) {
            1 => holds,
            _ => self.cursor.value(Op::SubGroup(SubGroupOp::All), &[holds], Type::BOOL),
        }
    }

    /// Remembers the elements, and of a store what it writes.
    fn note(&mut self, reached: &Reached, written: Option<Value>) {
        if !remembers(self.kinds) || !has_cells(self.space(reached)) {
            return;
        }
        let written = written.filter(|_| self.kinds.has(Kind::Races));
        let written = written.map(|matrix| self.fingerprint(matrix));
        let note = reached.access(AccessOp::Note);
        self.each(reached, &[], |cursor, pointer, _| {
            let operands: Vec<Value> = [pointer].into_iter().chain(written).collect();
            cursor.push(note, &operands, &[], &[]);
            Vec::new()
        });
    }

    /// A number for the elements that the work-item holds of a matrix. They need not be those that it notes:
    /// in the sub-groups that store equal matrices, the same work-items have the same numbers. All have the
    /// same if looking at elements would cost the engine.
    fn fingerprint(&mut self, matrix: Value) -> Value {
        let Type::Matrix(of) = self.cursor.function.ty(matrix) else { unreachable!("it is stored") };
        let cursor = &mut self.cursor;
        let zero = cursor.int(Type::I32, 0);
        if !self.profile.matrices.is_empty() && !keeps(self.profile, Type::Scalar(of.element.value())) {
            return zero;
        }
        let ty = Type::Scalar(of.element.value());
        let numbers = self.each_held(matrix, &[zero], |cursor, index, before| {
            let element = cursor.value(Op::Matrix(MatrixOp::Extract), &[matrix, index], ty);
            let number = hash(cursor, element);
            let turned = cursor.binary_int(BinaryOp::Mul, before[0], 31);
            vec![cursor.binary(BinaryOp::Add, turned, number)]
        });
        numbers[0]
    }

    /// Computes the elements that an engine computes once more, one by one, where it is looked for what these
    /// must not be. What comes out is not used.
    fn by_element(&mut self, inst: Inst, op: MatrixOp) {
        let fails = match op {
            MatrixOp::Binary(op) if op.divides_integers() => Op::Binary(op),
            MatrixOp::Convert(
                op @ (ConvertOp::FloatToSigned { saturating: false }
                | ConvertOp::FloatToUnsigned { saturating: false }),
            ) => Op::Convert(op),
            _ => return,
        };
        let result = self.cursor.function.ty(self.cursor.result(inst));
        let operands = self.cursor.operands(inst);
        let scalar = |ty: Type| match ty {
            Type::Matrix(matrix) => Type::Scalar(matrix.element.value()),
            _ => ty,
        };
        let types: Vec<Type> =
            operands.iter().map(|&operand| scalar(self.cursor.function.ty(operand))).collect();
        // Looking at others would cost the engine.
        if types.iter().any(|&ty| !keeps(self.profile, ty)) {
            return;
        }
        self.each_held(operands[0], &[], |cursor, index, _| {
            let elements: Vec<Value> = operands
                .iter()
                .zip(types)
                .map(|(&matrix, ty)| cursor.value(Op::Matrix(MatrixOp::Extract), &[matrix, index], ty))
                .collect();
            cursor.value(fails, &elements, scalar(result));
            Vec::new()
        });
    }

    /// Does something for the index of each element that the work-item holds, with values that it changes.
    fn each_held(
        &mut self,
        matrix: Value,
        first: &[Value],
        body: impl FnOnce(&mut Cursor<'_>, Value, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let end = self.cursor.value(Op::Matrix(MatrixOp::Length), &[matrix], Type::I32);
        count(&mut self.cursor, end, first, body)
    }

    /// Does something for each element of the work-item's part, with values that it changes.
    fn each(
        &mut self,
        reached: &Reached,
        first: &[Value],
        body: impl FnOnce(&mut Cursor<'_>, Value, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let parts = Parts::of(self.profile, reached.matrix);
        let all = sharing(self.profile);
        let lane = (all > 1)
            .then(|| self.cursor.value(Op::WorkItem(WorkItemQuery::SubGroupLocalId), &[], Type::I32));
        let cursor = &mut self.cursor;
        let zero = cursor.int(Type::I32, 0);
        let mut end = cursor.int(Type::I32, parts.count.into());
        if let Some(lane) = lane.filter(|_| parts.across * parts.down < all) {
            let used = cursor.int(Type::I32, i64::from(parts.across * parts.down));
            let works = cursor.compare(CompareOp::ULt, lane, used);
            end = cursor.select(works, end, zero);
        }
        count(cursor, end, first, |cursor, index, before| {
            let pointer = element(cursor, reached, &parts, lane, index);
            body(cursor, pointer, before)
        })
    }
}

/// A loop over numbers from 0, with values that it changes.
fn count(
    cursor: &mut Cursor<'_>,
    end: Value,
    first: &[Value],
    body: impl FnOnce(&mut Cursor<'_>, Value, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    let zero = cursor.int(Type::I32, 0);
    let types: Vec<Type> = first.iter().map(|&value| cursor.function.ty(value)).collect();
    let begun = cursor.begin_loop_with(UnrollHint::Kept, &[&[zero], first].concat(), &types);
    let (index, before) = (begun.carried[0], &begun.carried[1..]);
    let ends = cursor.compare(CompareOp::UGe, index, end);
    cursor.exit_when(ends, true, begun.inst, before);
    let changed = body(cursor, index, before);
    let next = cursor.binary_int(BinaryOp::Add, index, 1);
    cursor.end_loop(&begun, &[&[next], &changed[..]].concat());
    cursor.function.insts[begun.inst].results.to_vec()
}

/// A pointer to an element of a work-item's part.
fn element(
    cursor: &mut Cursor<'_>,
    reached: &Reached,
    parts: &Parts,
    lane: Option<Value>,
    index: Value,
) -> Value {
    let zero = cursor.int(Type::I32, 0);
    let (row, group) = match parts.groups {
        1 => (index, zero),
        groups => (
            cursor.binary_int(BinaryOp::UDiv, index, groups.into()),
            cursor.binary_int(BinaryOp::URem, index, groups.into()),
        ),
    };
    let mut row = cursor.binary_int(BinaryOp::Mul, row, parts.down.into());
    let mut column = cursor.binary_int(BinaryOp::Mul, group, parts.across.into());
    if let Some(lane) = lane {
        let own = cursor.binary_int(BinaryOp::LShr, lane, parts.across.trailing_zeros().into());
        let own = if parts.down == 1 { zero } else { own };
        row = cursor.binary(BinaryOp::Add, row, own);
        let own = cursor.binary_int(BinaryOp::And, lane, i64::from(parts.across) - 1);
        column = cursor.binary(BinaryOp::Add, column, own);
    }
    let [row, column] = [row, column].map(|it| cursor.convert(ConvertOp::ZeroExtend, it, Type::I64));
    let (line, within) = match reached.layout {
        MatrixLayout::RowMajor => (row, column),
        MatrixLayout::ColumnMajor => (column, row),
    };
    let distance = cursor.binary(BinaryOp::Mul, line, reached.stride);
    let index = cursor.binary(BinaryOp::Add, distance, within);
    let stride = u64::from(reached.matrix.element.size());
    let ty = cursor.function.ty(reached.pointer);
    cursor.value(Op::PointerIndex { stride }, &[reached.pointer, index], ty)
}
