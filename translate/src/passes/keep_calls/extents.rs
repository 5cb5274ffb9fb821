//! What a function reaches of the private memory that its parameters point to.
//!
//! It is found for functions that only compute and access memory: they have no effects but on this memory, on
//! their own variables, on what their addresses point to and on local memory, and read nothing else but
//! constants in the shader. An access to a caller's private memory must be at a constant offset, or how much
//! memory there is must be known ([`super::rooms`]): then it reaches all of that.

use super::locals;
use super::rooms::Room;
use super::scalars::Scalars;
use clvk_ir::{
    AddressSpace, ConvertOp, EntityId, Func, Function, Global, Inst, InstData, Op, Scalar, Type, Value,
    ValueDef,
};
use rustc_hash::FxHashMap;

/// The most numbers that calls pass, and that functions return. SPIR-V's functions take up to 255.
const MOST_NUMBERS: usize = 240;

/// The most bytes of variables of a function that stays.
const MOST_PRIVATE: u64 = 2048;

/// The most bytes of a copy from or to a parameter's memory.
const MOST_COPIED: u64 = 256;

/// A part of the memory that a pointer points to, which is copied as one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its place, in bytes from where the pointer points.
    pub start: i64,
    /// Its type.
    pub ty: Type,
    /// What is known about its alignment, in bytes.
    pub align: u32,
    /// Whether the function may change it.
    pub written: bool,
    /// When the function does it.
    pub when: When,
}

/// When a function reads and changes memory: positions among the instructions that its body itself consists
/// of, which are executed in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    /// The last one that reads it.
    pub last_read: Option<u32>,
    /// The first one that changes it.
    pub first_write: u32,
}

impl When {
    fn new(position: u32, written: bool) -> When {
        if written {
            When { last_read: None, first_write: position }
        } else {
            When { last_read: Some(position), first_write: u32::MAX }
        }
    }

    fn or(self, other: When) -> When {
        When {
            last_read: self.last_read.max(other.last_read),
            first_write: self.first_write.min(other.first_write),
        }
    }
}

impl Piece {
    /// Where it ends.
    pub fn end(&self) -> i64 {
        self.start.saturating_add(i64::from(self.ty.access_size()))
    }
}

/// By parameter: what is reached of private memory through it, in order and without overlap; `None` for
/// values and other pointers.
pub type Extents = Vec<Option<Vec<Piece>>>;

/// Finds what a function reaches, if it may stay. `known` has what its callees reach, `is_table` says which
/// variables of the module it may read, and `room` how much memory there is where a parameter points.
/// `at_any_cost` is for functions that stay though they gain nothing.
pub fn find(
    function: &Function,
    known: &FxHashMap<Func, Extents>,
    is_table: impl Fn(Global) -> bool,
    room: impl Fn(usize) -> Option<Room>,
    scalars: Scalars,
    at_any_cost: bool,
) -> Option<Extents> {
    let mut search = Search {
        function,
        known,
        is_table: &is_table,
        room: &room,
        positions: positions(function),
        places: FxHashMap::default(),
        accesses: vec![Vec::new(); function.params.len()],
        private: 0,
        returns: 0,
        size: 0,
        indexes: false,
    };
    for (index, &param) in function.params.iter().enumerate() {
        match function.ty(param) {
            Type::Pointer(AddressSpace::Private) => {
                search.places.insert(param, Place { param: index, offset: Some(0) });
            }
            locals::POINTER => {}
            ty => drop(scalars.types(ty)?),
        }
    }
    // What is returned may be in the shader.
    let mut fits = !function.results.contains(&Type::Pointer(AddressSpace::Constant));
    function.walk(|inst, data| fits = fits && search.visit(inst, data).is_some());
    if !fits || search.private > MOST_PRIVATE || search.returns == 0 {
        return None;
    }
    let is_pointer = |param: &Value| function.ty(*param) == Type::Pointer(AddressSpace::Private);
    let accesses = function.params.iter().zip(search.accesses);
    let extents: Extents =
        accesses.map(|(param, accesses)| is_pointer(param).then(|| pieces(accesses))).collect();
    let numbers = numbers(function, &extents, scalars)?;
    // Whole arrays are passed at a cost that a small function is not worth.
    let is_worth_it = at_any_cost || !search.indexes || search.size >= 2 * numbers;
    (numbers <= MOST_NUMBERS && is_worth_it).then_some(extents)
}

/// By how many bytes an instruction moves its first operand, if that is constant.
pub fn constant_step(function: &Function, inst: Inst) -> Option<i64> {
    let data = &function.insts[inst];
    match data.op {
        Op::PointerOffset(by) => Some(by),
        Op::PointerIndex { stride } => {
            let bits = function.as_bits(data.operands[1])?;
            let index = function.ty(data.operands[1]).scalar()?.sign_extend(bits);
            index.checked_mul(i64::try_from(stride).ok()?)
        }
        _ => None,
    }
}

/// The numbers that a call passes, or that the function returns, whichever are more.
fn numbers(function: &Function, extents: &Extents, scalars: Scalars) -> Option<usize> {
    let count = |ty: Type| Some(scalars.types(ty)?.len());
    let (mut passed, mut returned) = (0, 0);
    for (&param, pieces) in function.params.iter().zip(extents) {
        match pieces {
            None if function.ty(param) == locals::POINTER => passed += 1,
            None => passed += count(function.ty(param))?,
            Some(pieces) => {
                for piece in pieces {
                    passed += count(piece.ty)?;
                    returned += if piece.written { count(piece.ty)? } else { 0 };
                }
            }
        }
    }
    for &result in &function.results {
        returned += count(result)?;
    }
    Some(passed.max(returned))
}

/// Where a pointer points.
#[derive(Clone, Copy)]
struct Place {
    /// The position of the parameter into whose memory it points.
    param: usize,
    /// How far from where the parameter points, in bytes, if that is constant.
    offset: Option<i64>,
}

/// What is accessed of a parameter's memory.
#[derive(Clone, Copy)]
enum Unit {
    /// One value.
    Whole(Type),
    /// Some values of this type, it is not known which.
    Some(Type),
    /// Bytes that are copied or cleared.
    Bytes,
}

/// An access to a parameter's memory.
#[derive(Clone, Copy)]
struct Access {
    start: i64,
    size: u32,
    unit: Unit,
    align: u32,
    written: bool,
    when: When,
}

/// The position in a function's body of each instruction, or of the construct that it is in.
fn positions(function: &Function) -> Vec<u32> {
    let mut positions = vec![0; function.insts.len()];
    let body = function.body.expect("a function that stays has a body");
    for (position, &inst) in function.regions[body].insts.iter().enumerate() {
        let mut inside = vec![inst];
        while let Some(inst) = inside.pop() {
            positions[inst.index()] = position as u32;
            let regions = function.insts[inst].regions.iter();
            inside.extend(regions.flat_map(|&region| function.regions[region].insts.iter().copied()));
        }
    }
    positions
}

struct Search<'a> {
    function: &'a Function,
    known: &'a FxHashMap<Func, Extents>,
    is_table: &'a dyn Fn(Global) -> bool,
    room: &'a dyn Fn(usize) -> Option<Room>,
    /// The position in the body of each instruction, or of the construct that it is in.
    positions: Vec<u32>,
    /// Pointers into what a parameter points to.
    places: FxHashMap<Value, Place>,
    accesses: Vec<Vec<Access>>,
    /// Bytes of the function's own variables.
    private: u64,
    returns: usize,
    /// Its instructions.
    size: usize,
    /// Whether it indexes a parameter's memory by numbers that are known only at run time.
    indexes: bool,
}

impl Search<'_> {
    /// Notes what an instruction does; `None` if a function with it cannot stay.
    fn visit(&mut self, inst: Inst, data: &InstData) -> Option<()> {
        let function = self.function;
        self.size += 1;
        let all = data.operands.iter().chain(&data.results);
        if !only_computes(&data.op) || !all.into_iter().all(|&value| self.is_known(value)) {
            return None;
        }
        match data.op {
            Op::Alloca { size, .. } => self.private = self.private.saturating_add(size),
            Op::Return => self.returns += 1,
            Op::PointerOffset(_) | Op::PointerIndex { .. } => {
                if let Some(&Place { param, offset }) = self.places.get(&data.operands[0]) {
                    let offset = match (offset, constant_step(function, inst)) {
                        (Some(offset), Some(by)) => Some(offset.checked_add(by)?),
                        _ => None,
                    };
                    self.places.insert(data.results[0], Place { param, offset });
                }
            }
            Op::Load { align, volatile } => {
                self.access(inst, function.ty(data.results[0]), align, volatile, false)?;
            }
            Op::Store { align, volatile } => {
                self.access(inst, function.ty(data.operands[1]), align, volatile, true)?;
            }
            Op::MemoryZero { size, align } => self.transfer(inst, 0, size, align)?,
            Op::MemoryCopy { size, align } => {
                self.transfer(inst, 0, size, align)?;
                self.transfer(inst, 1, size, align)?;
            }
            Op::Call(callee) => self.call(inst, data, callee)?,
            // A query becomes a parameter.
            Op::WorkItem(_)
                if data.operands.iter().any(|&operand| function.as_constant(operand).is_none()) =>
            {
                return None;
            }
            // Elsewhere, it would no longer be known where the pointer points.
            _ if data.operands.iter().any(|operand| self.places.contains_key(operand)) => return None,
            _ => {}
        }
        Some(())
    }

    /// Whether a function that stays may use a value.
    fn is_known(&self, value: Value) -> bool {
        let ty = self.function.ty(value);
        let is_there = match self.function.values[value].def {
            ValueDef::Global(global) => ty != locals::POINTER && (self.is_table)(global),
            _ => true,
        };
        let is_reachable = matches!(
            ty,
            Type::Scalar(_)
                | Type::Vector(..)
                | Type::Pointer(
                    AddressSpace::Private
                        | AddressSpace::Local
                        | AddressSpace::Constant
                        | AddressSpace::Global
                )
        );
        is_there && is_reachable
    }

    fn when(&self, inst: Inst, written: bool) -> When {
        When::new(self.positions[inst.index()], written)
    }

    fn access(&mut self, inst: Inst, ty: Type, align: u32, volatile: bool, written: bool) -> Option<()> {
        if ty.is_pointer() {
            return None;
        }
        let pointer = self.function.insts[inst].operands[0];
        let Some(&Place { param, offset }) = self.places.get(&pointer) else { return Some(()) };
        let (start, size, unit) = match offset {
            Some(start) => (start, ty.access_size(), Unit::Whole(ty)),
            None => {
                let (start, size) = self.whole(param)?;
                (start, size, Unit::Some(ty))
            }
        };
        let when = self.when(inst, written);
        self.accesses[param].push(Access { start, size, unit, align, written, when });
        (!volatile).then_some(())
    }

    /// The start and the size of all memory where a parameter points, if they are known.
    fn whole(&mut self, param: usize) -> Option<(i64, u32)> {
        self.indexes = true;
        let Room { before, after } = (self.room)(param)?;
        let start = i64::try_from(before).ok()?.checked_neg()?;
        Some((start, before.checked_add(after)?.try_into().ok()?))
    }

    /// A copy or a fill, which writes through its first operand.
    fn transfer(&mut self, inst: Inst, operand: usize, size: u64, align: u32) -> Option<()> {
        let (pointer, written) = (self.function.insts[inst].operands[operand], operand == 0);
        let Some(&Place { param, offset }) = self.places.get(&pointer) else { return Some(()) };
        let start = offset?;
        if size > MOST_COPIED {
            return None;
        }
        if size > 0 {
            let (size, when) = (size as u32, self.when(inst, written));
            self.accesses[param].push(Access { start, size, unit: Unit::Bytes, align, written, when });
        }
        Some(())
    }

    /// A call reaches what the function reaches.
    fn call(&mut self, inst: Inst, data: &InstData, callee: Func) -> Option<()> {
        let extents = self.known.get(&callee)?;
        for (operand, pieces) in data.operands.iter().zip(extents) {
            let (Some(&place), Some(pieces)) = (self.places.get(operand), pieces) else { continue };
            let Place { param, offset } = place;
            for piece in pieces {
                let start = offset?.checked_add(piece.start)?;
                let Piece { ty, align, written, .. } = *piece;
                let size = ty.access_size();
                // It reads what it may leave as it was.
                let read = self.when(inst, false);
                let when = if written { read.or(self.when(inst, true)) } else { read };
                let unit = Unit::Whole(ty);
                self.accesses[param].push(Access { start, size, unit, align, written, when });
            }
        }
        Some(())
    }
}

/// Whether an operation does nothing but compute, access memory or control what is executed.
fn only_computes(op: &Op) -> bool {
    match op {
        Op::Alloca { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::MemoryCopy { .. }
        | Op::MemoryZero { .. }
        | Op::PointerOffset(_)
        | Op::PointerIndex { .. }
        | Op::Call(_) => true,
        Op::WorkItem(query) => !query.is_of_sub_groups(),
        Op::Convert(op) => {
            !matches!(op, ConvertOp::PointerToInt | ConvertOp::IntToPointer | ConvertOp::AddressSpace)
        }
        op => op.is_computation() || op.has_regions() || op.is_terminator(),
    }
}

/// The pieces of accesses: those that overlap are joined.
fn pieces(mut accesses: Vec<Access>) -> Vec<Piece> {
    accesses.sort_by_key(|access| (access.start, access.size));
    let mut pieces = Vec::new();
    let mut rest = &accesses[..];
    while let Some(first) = rest.first() {
        let mut end = first.start.saturating_add(i64::from(first.size));
        let mut count = 1;
        while let Some(next) = rest.get(count).filter(|next| next.start < end) {
            end = end.max(next.start.saturating_add(i64::from(next.size)));
            count += 1;
        }
        let (joined, others) = rest.split_at(count);
        add_pieces(&mut pieces, joined, end);
        rest = others;
    }
    pieces
}

/// Adds the pieces of accesses that lie together: one if all of them take it whole, otherwise words or bytes.
fn add_pieces(pieces: &mut Vec<Piece>, accesses: &[Access], end: i64) {
    let start = accesses[0].start;
    let written = accesses.iter().any(|access| access.written);
    let align = accesses.iter().map(|access| access.align.max(1)).min().unwrap_or(1);
    let when = accesses.iter().map(|access| access.when).reduce(When::or);
    let when = when.expect("a piece is accessed");
    let whole = accesses.iter().all(|access| access.start == start && i64::from(access.size) == end - start);
    let ty = accesses.iter().find_map(|access| match access.unit {
        Unit::Whole(ty) => Some(ty),
        Unit::Some(_) | Unit::Bytes => None,
    });
    let indexed = accesses.iter().any(|access| matches!(access.unit, Unit::Some(_)));
    if let Some(ty) = ty.filter(|_| whole && !indexed) {
        pieces.push(Piece { start, ty, align, written, when });
        return;
    }
    let scalar = part_type(accesses, start, indexed);
    let size = scalar.size();
    let mut at = start;
    while at < end {
        pieces.push(Piece { start: at, ty: Type::Scalar(scalar), align: align.min(size), written, when });
        at += i64::from(size);
    }
}

/// The type of the parts that accesses which lie together are passed in.
fn part_type(accesses: &[Access], start: i64, indexed: bool) -> Scalar {
    let fits = |scalar: Scalar| {
        let size = scalar.size();
        accesses
            .iter()
            .all(|access| (access.start - start) % i64::from(size) == 0 && access.size.is_multiple_of(size))
    };
    // An array that is indexed stays one, of elements of the type that accesses have.
    let is_of = |scalar: Scalar| {
        accesses.iter().all(|access| match access.unit {
            Unit::Whole(ty) | Unit::Some(ty) => ty.scalar() == Some(scalar),
            Unit::Bytes => true,
        })
    };
    let element = accesses.iter().find_map(|access| match access.unit {
        Unit::Some(ty) => ty.scalar(),
        _ => None,
    });
    match element.filter(|&scalar| indexed && is_of(scalar) && fits(scalar)) {
        Some(scalar) => scalar,
        None if fits(Scalar::I32) => Scalar::I32,
        None => Scalar::I8,
    }
}
