//! Finds the variables that can be split, and their pieces.

use crate::passes::unroll::MAX_ARRAY;
use clvk_ir::{AddressSpace, Function, Inst, Op, Scalar, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Largest copy or clearing, in bytes, that is expanded: of an array that unrolled loops make values of.
pub const MAX_COPY: u64 = MAX_ARRAY;

/// The most pieces of a variable.
const MAX_PIECES: usize = 1024;

/// The most rounds for making the pieces on both sides of copies agree.
const MAX_ROUNDS: usize = 64;

/// A part of a variable.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// First byte in the variable.
    pub start: u64,
    /// Byte after the last.
    pub end: u64,
    /// Its type; `None` if it remains bytes.
    pub ty: Option<Type>,
}

/// What is split.
pub struct Plan {
    /// By variable (its `Alloca`), the pieces in order.
    pub pieces: FxHashMap<Inst, Vec<Piece>>,
    /// The addresses that point into the variables that are split.
    pub pointers: FxHashMap<Value, (Inst, u64)>,
}

impl Plan {
    /// The split variable that an address points into, and the offset in it.
    #[must_use]
    pub fn place(&self, pointer: Value) -> Option<(Inst, u64)> {
        self.pointers.get(&pointer).copied()
    }
}

/// A copy or clearing: (variable, offset) of each side; `None` for memory that is not split, and for zeros.
struct Transfer {
    destination: Option<(Inst, u64)>,
    source: Option<(Inst, u64)>,
    size: u64,
    align: u32,
}

#[derive(Default)]
struct Uses {
    /// Addresses of variables with their offsets, which may be negative.
    pointers: FxHashMap<Value, (Inst, i64)>,
    sizes: FxHashMap<Inst, u64>,
    accesses: Vec<(Inst, u64, Type)>,
    transfers: Vec<Inst>,
    escaped: FxHashSet<Inst>,
}

/// Finds what can be split in a function.
pub fn analyse(function: &Function) -> Option<Plan> {
    let mut uses = Uses::default();
    function.walk(|inst, _| uses.add(function, inst));
    if uses.sizes.keys().all(|alloca| uses.escaped.contains(alloca)) {
        return None;
    }
    let transfers = uses.transfers(function);
    let mut intervals: FxHashMap<Inst, Intervals> = FxHashMap::default();
    for alloca in uses.sizes.keys().filter(|alloca| !uses.escaped.contains(alloca)) {
        intervals.insert(*alloca, Intervals::default());
    }
    for &(alloca, offset, ty) in &uses.accesses {
        if let Some(intervals) = intervals.get_mut(&alloca) {
            intervals.add(offset, offset + u64::from(ty.access_size()));
        }
    }
    if !agree(&transfers, &mut intervals) {
        return None;
    }
    fill_gaps(&transfers, &mut intervals);
    if !agree(&transfers, &mut intervals)
        || intervals.values().any(|intervals| intervals.0.len() > MAX_PIECES)
    {
        return None;
    }
    let pieces = typed_pieces(&uses, &transfers, &intervals);
    let pointers = uses.pointers.iter().filter(|(_, (alloca, _))| pieces.contains_key(alloca));
    let pointers = pointers.map(|(&value, &(alloca, offset))| (value, (alloca, offset as u64))).collect();
    Some(Plan { pieces, pointers })
}

impl Uses {
    fn add(&mut self, function: &Function, inst: Inst) {
        let data = &function.insts[inst];
        if let Op::Alloca { size, .. } = data.op {
            self.pointers.insert(data.results[0], (inst, 0));
            self.sizes.insert(inst, size);
            return;
        }
        for (position, &operand) in data.operands.iter().enumerate() {
            let Some(&(alloca, offset)) = self.pointers.get(&operand) else { continue };
            if !self.add_use(function, inst, position, alloca, offset) {
                self.escaped.insert(alloca);
            }
        }
    }

    /// Records a use of an address; returns whether it allows the variable to be split.
    fn add_use(
        &mut self,
        function: &Function,
        inst: Inst,
        position: usize,
        alloca: Inst,
        offset: i64,
    ) -> bool {
        let data = &function.insts[inst];
        match data.op {
            Op::PointerOffset(by) => self.derive(data.results[0], alloca, offset.checked_add(by)),
            Op::PointerIndex { stride } if position == 0 => {
                let Some(bits) = function.as_bits(data.operands[1]) else { return false };
                let Some(scalar) = function.ty(data.operands[1]).scalar() else { return false };
                let index = scalar.sign_extend(bits);
                let by = i64::try_from(stride).ok().and_then(|stride| index.checked_mul(stride));
                self.derive(data.results[0], alloca, by.and_then(|by| offset.checked_add(by)))
            }
            Op::Load { volatile: false, .. } => self.access(alloca, offset, function.ty(data.results[0])),
            Op::Store { volatile: false, .. } if position == 0 => {
                self.access(alloca, offset, function.ty(data.operands[1]))
            }
            Op::MemoryZero { size: 0, .. } | Op::MemoryCopy { size: 0, .. } => true,
            Op::MemoryZero { size, .. } | Op::MemoryCopy { size, .. } => {
                if self.transfers.last() != Some(&inst) {
                    self.transfers.push(inst);
                }
                size <= MAX_COPY && self.fits(alloca, offset, size)
            }
            _ => false,
        }
    }

    fn derive(&mut self, value: Value, alloca: Inst, offset: Option<i64>) -> bool {
        if let Some(offset) = offset {
            self.pointers.insert(value, (alloca, offset));
        }
        offset.is_some()
    }

    fn access(&mut self, alloca: Inst, offset: i64, ty: Type) -> bool {
        let fits = self.fits(alloca, offset, u64::from(ty.access_size()));
        if fits {
            self.accesses.push((alloca, offset as u64, ty));
        }
        fits
    }

    fn fits(&self, alloca: Inst, offset: i64, size: u64) -> bool {
        u64::try_from(offset).is_ok_and(|offset| offset.saturating_add(size) <= self.sizes[&alloca])
    }

    fn transfers(&self, function: &Function) -> Vec<Transfer> {
        let side = |inst: Inst, position: usize| {
            let pointer = *function.insts[inst].operands.get(position)?;
            let &(alloca, offset) = self.pointers.get(&pointer)?;
            (!self.escaped.contains(&alloca)).then_some((alloca, offset as u64))
        };
        let transfers = self.transfers.iter().map(|&inst| match function.insts[inst].op {
            Op::MemoryCopy { size, align } => {
                Transfer { destination: side(inst, 0), source: side(inst, 1), size, align }
            }
            Op::MemoryZero { size, align } => {
                Transfer { destination: side(inst, 0), source: None, size, align }
            }
            _ => unreachable!("only these are noted"),
        });
        transfers.collect()
    }
}

/// Disjoint ranges of bytes, by start.
#[derive(Default)]
struct Intervals(BTreeMap<u64, u64>);

impl Intervals {
    /// Adds a range and joins it with those that it overlaps; returns whether anything changed.
    fn add(&mut self, mut start: u64, mut end: u64) -> bool {
        if self.0.get(&start) == Some(&end) {
            return false;
        }
        let overlapping = self.overlapping(start, end);
        if let [(only_start, only_end)] = overlapping[..]
            && only_start <= start
            && end <= only_end
        {
            return false;
        }
        for (other_start, other_end) in overlapping {
            self.0.remove(&other_start);
            start = start.min(other_start);
            end = end.max(other_end);
        }
        self.0.insert(start, end);
        true
    }

    fn overlapping(&self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let before = self.0.range(..start).next_back().filter(|(_, other_end)| **other_end > start);
        before.into_iter().chain(self.0.range(start..end)).map(|(&start, &end)| (start, end)).collect()
    }

    /// The parts in a range, as (offset in the range, size).
    fn parts(&self, start: u64, size: u64) -> Vec<(u64, u64)> {
        let end = start + size;
        let parts = self.overlapping(start, end).into_iter();
        parts
            .map(|(from, to)| (from.max(start), to.min(end)))
            .map(|(from, to)| (from - start, to - from))
            .collect()
    }
}

/// Makes both sides of each copy have the same pieces; gives up after many rounds.
fn agree(transfers: &[Transfer], intervals: &mut FxHashMap<Inst, Intervals>) -> bool {
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        // Both directions, so that one round settles a chain of copies whichever way it goes.
        for transfer in transfers.iter().chain(transfers.iter().rev()) {
            let (Some(destination), Some(source)) = (transfer.destination, transfer.source) else { continue };
            for (from, to) in [(destination, source), (source, destination)] {
                for (offset, size) in intervals[&from.0].parts(from.1, transfer.size) {
                    let start = to.1 + offset;
                    changed |= intervals.get_mut(&to.0).is_some_and(|pieces| pieces.add(start, start + size));
                }
            }
        }
        if !changed {
            return true;
        }
    }
    false
}

/// A copy to other memory also copies bytes that no access names.
fn fill_gaps(transfers: &[Transfer], intervals: &mut FxHashMap<Inst, Intervals>) {
    for transfer in transfers {
        let (None, Some((alloca, start))) = (transfer.destination, transfer.source) else { continue };
        let pieces = intervals.get_mut(&alloca).expect("it is split");
        let unit = u64::from(transfer.align.clamp(1, 4));
        let mut at = start;
        let end = start + transfer.size;
        while at < end {
            let next = ((at - start) / unit + 1) * unit + start;
            let next = next.min(end);
            if let Some(&(_, covered)) = pieces.overlapping(at, at + 1).first() {
                at = covered;
                continue;
            }
            let free = pieces.0.range(at..next).next().map_or(next, |(&other, _)| other);
            // Powers of two only: the rest of a unit next to a piece is copied byte by byte.
            let free = if (free - at).is_power_of_two() { free } else { at + 1 };
            pieces.add(at, free);
            at = free;
        }
    }
}

/// One use of a piece: the part, and the scalar type with which it is accessed.
#[derive(Clone, Copy)]
struct Part {
    offset: u64,
    size: u64,
    ty: Option<Type>,
}

fn typed_pieces(
    uses: &Uses,
    transfers: &[Transfer],
    intervals: &FxHashMap<Inst, Intervals>,
) -> FxHashMap<Inst, Vec<Piece>> {
    let mut parts: FxHashMap<(Inst, u64), Vec<Part>> = FxHashMap::default();
    let mut note = |alloca: Inst, offset: u64, size: u64, ty: Option<Type>| {
        let Some(intervals) = intervals.get(&alloca) else { return };
        let (&start, _) = intervals.0.range(..=offset).next_back().expect("an access lies in a piece");
        parts.entry((alloca, start)).or_default().push(Part { offset: offset - start, size, ty });
    };
    for &(alloca, offset, ty) in &uses.accesses {
        note(alloca, offset, u64::from(ty.access_size()), Some(ty));
    }
    for transfer in transfers {
        for (alloca, start) in transfer.destination.into_iter().chain(transfer.source) {
            let Some(intervals) = intervals.get(&alloca) else { continue };
            for (offset, size) in intervals.parts(start, transfer.size) {
                note(alloca, start + offset, size, None);
            }
        }
    }
    spread_types(transfers, intervals, &mut parts);
    let typed = |alloca: Inst, start: u64, end: u64| {
        let parts = parts.get(&(alloca, start)).map_or(&[][..], Vec::as_slice);
        Piece { start, end, ty: piece_type(end - start, parts) }
    };
    intervals
        .iter()
        .map(|(&alloca, pieces)| {
            (alloca, pieces.0.iter().map(|(&start, &end)| typed(alloca, start, end)).collect())
        })
        .collect()
}

/// Gives pieces that are only copied the type of their sources or destinations, so that pointers remain
/// pointers.
fn spread_types(
    transfers: &[Transfer],
    intervals: &FxHashMap<Inst, Intervals>,
    parts: &mut FxHashMap<(Inst, u64), Vec<Part>>,
) {
    // The type that all whole accesses to a piece have.
    let known = |parts: &FxHashMap<(Inst, u64), Vec<Part>>, piece: (Inst, u64), size: u64| {
        let mut types = parts.get(&piece)?.iter().filter_map(|part| Some((part.size, part.ty?)));
        let (_, first) = types.next().filter(|&(of, _)| of == size)?;
        types.all(|(of, ty)| of == size && ty == first).then_some(first)
    };
    for _ in 0..MAX_ROUNDS {
        let mut found = Vec::new();
        for transfer in transfers {
            let (Some(destination), Some(source)) = (transfer.destination, transfer.source) else { continue };
            for (from, to) in [(destination, source), (source, destination)] {
                let (Some(pieces), Some(others)) = (intervals.get(&from.0), intervals.get(&to.0)) else {
                    continue;
                };
                for (offset, size) in pieces.parts(from.1, transfer.size) {
                    let (piece, other) = ((from.0, from.1 + offset), (to.0, to.1 + offset));
                    let whole = others.0.get(&other.1) == Some(&(other.1 + size));
                    let untyped =
                        parts.get(&other).is_some_and(|parts| parts.iter().all(|part| part.ty.is_none()));
                    if let (true, true, Some(ty)) = (whole, untyped, known(parts, piece, size)) {
                        found.push((other, Part { offset: 0, size, ty: Some(ty) }));
                    }
                }
            }
        }
        if found.is_empty() {
            return;
        }
        for (piece, part) in found {
            parts.entry(piece).or_default().push(part);
        }
    }
}

/// The type of a piece if all its uses take whole lanes.
fn piece_type(size: u64, parts: &[Part]) -> Option<Type> {
    let whole = |part: &Part| part.offset == 0 && part.size == size;
    let first = parts.iter().find_map(|part| part.ty);
    if parts.iter().all(whole)
        && let Some(ty) = first
    {
        return Some(ty);
    }
    let mut unit = size;
    for part in parts {
        let scalar = part.ty.map_or(part.size, |ty| ty.scalar().map_or(8, |scalar| u64::from(scalar.size())));
        unit = [part.offset, part.size, scalar].into_iter().fold(unit, greatest_common_divisor);
    }
    let unit = [8, 4, 2, 1].into_iter().find(|&candidate| unit.is_multiple_of(candidate))?;
    let is_float = parts
        .iter()
        .filter_map(|part| part.ty)
        .all(|ty| ty.scalar().is_some_and(|scalar| scalar.is_float() && u64::from(scalar.size()) == unit));
    let scalar = match (is_float && first.is_some(), unit) {
        (true, 2) => Scalar::F16,
        (true, 4) => Scalar::F32,
        (true, 8) => Scalar::F64,
        _ => Scalar::int(unit as u32 * 8),
    };
    let ty = lanes(scalar, size)?;
    parts.iter().all(|part| lanes(scalar, part.size).is_some()).then_some(ty)
}

/// The type with this scalar and this size in bytes, if there is one.
pub fn lanes(scalar: Scalar, size: u64) -> Option<Type> {
    let lanes = size / u64::from(scalar.size());
    matches!(lanes, 1 | 2 | 3 | 4 | 8 | 16).then(|| Type::with_lanes(scalar, lanes as u32))
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The address space of pieces.
pub const SPACE: Type = Type::Pointer(AddressSpace::Private);
