//! Replaces variables by their pieces.

use super::analyse::{Piece, Plan, SPACE, lanes};
use crate::passes::rewrite::{Emitter, Substitution};
use clvk_ir::{Constant, Function, Inst, Op, Type, Value};
use rustc_hash::FxHashMap;

/// Carries out the plan.
pub fn rewrite(function: &mut Function, plan: &Plan) {
    let mut rewriter =
        Rewriter { function, plan, addresses: FxHashMap::default(), substitution: Substitution::default() };
    rewriter.run();
}

struct Rewriter<'a> {
    function: &'a mut Function,
    plan: &'a Plan,
    /// The addresses of the pieces of each variable.
    addresses: FxHashMap<Inst, Vec<Value>>,
    substitution: Substitution,
}

/// Part of a piece.
#[derive(Clone, Copy)]
struct Part {
    piece: Piece,
    address: Value,
    /// Offset in the piece.
    offset: u64,
    size: u64,
}

impl Part {
    fn is_whole(&self) -> bool {
        self.offset == 0 && self.size == self.piece.end - self.piece.start
    }

    /// The type with which it is copied.
    fn ty(&self) -> Option<Type> {
        let ty = self.piece.ty?;
        if self.is_whole() { Some(ty) } else { lanes(ty.scalar()?, self.size) }
    }
}

impl Rewriter<'_> {
    fn run(&mut self) {
        let mut regions: Vec<_> = self.function.body.into_iter().collect();
        // Regions are processed outermost first, so that the pieces exist before their uses in nested
        // regions.
        while let Some(region) = regions.pop() {
            let insts = std::mem::take(&mut self.function.regions[region].insts);
            let mut out = Vec::with_capacity(insts.len());
            for inst in insts {
                regions.extend(self.function.insts[inst].regions.iter().copied());
                self.inst(inst, &mut out);
            }
            self.function.regions[region].insts = out;
        }
        self.substitution.apply(self.function);
    }

    fn inst(&mut self, inst: Inst, out: &mut Vec<Inst>) {
        let data = &self.function.insts[inst];
        let place =
            |position: usize| data.operands.get(position).and_then(|&operand| self.plan.place(operand));
        match data.op {
            Op::Alloca { align, .. } if self.plan.pieces.contains_key(&inst) => self.alloca(inst, align, out),
            Op::PointerOffset(_) | Op::PointerIndex { .. } if place(0).is_some() => {}
            Op::Load { align, .. } => match place(0) {
                Some((alloca, offset)) => self.load(inst, alloca, offset, align, out),
                None => out.push(inst),
            },
            Op::Store { align, .. } => match place(0) {
                Some((alloca, offset)) => {
                    let value = data.operands[1];
                    let size = u64::from(self.function.ty(value).access_size());
                    let part = self.part(alloca, offset, size);
                    self.store_part(inst, part, value, align, out);
                }
                None => out.push(inst),
            },
            Op::MemoryZero { size: 0, .. } | Op::MemoryCopy { size: 0, .. } => {}
            Op::MemoryZero { size, align } => match place(0) {
                Some((alloca, offset)) => self.zero(inst, alloca, offset, size, align, out),
                None => out.push(inst),
            },
            Op::MemoryCopy { size, align } => match (place(0), place(1)) {
                (None, None) => out.push(inst),
                (destination, source) => self.copy(inst, destination, source, size, align, out),
            },
            _ => out.push(inst),
        }
    }

    fn alloca(&mut self, inst: Inst, align: u32, out: &mut Vec<Inst>) {
        let mut emitter = Emitter::like(self.function, out, inst);
        let pieces = self.plan.pieces[&inst].iter();
        let addresses = pieces.map(|piece| {
            let align = aligned(align, piece.start);
            emitter.value(Op::Alloca { size: piece.end - piece.start, align }, &[], SPACE)
        });
        let addresses = addresses.collect();
        self.addresses.insert(inst, addresses);
    }

    /// The part of a piece that an access touches.
    fn part(&self, alloca: Inst, offset: u64, size: u64) -> Part {
        let pieces = &self.plan.pieces[&alloca];
        let index = pieces.partition_point(|piece| piece.start <= offset) - 1;
        let piece = pieces[index];
        assert!(
            offset + size <= piece.end,
            "split-aggregates: an access of {size} bytes at {offset} crosses pieces"
        );
        Part { piece, address: self.addresses[&alloca][index], offset: offset - piece.start, size }
    }

    /// The parts of pieces in a range, each with its offset in the range.
    fn parts(&self, alloca: Inst, offset: u64, size: u64) -> Vec<(u64, Part)> {
        let end = offset + size;
        let pieces = self.plan.pieces[&alloca].iter().filter(|piece| piece.start < end && offset < piece.end);
        pieces
            .map(|piece| (piece.start.max(offset), piece.end.min(end)))
            .map(|(from, to)| (from - offset, self.part(alloca, from, to - from)))
            .collect()
    }

    fn load(&mut self, inst: Inst, alloca: Inst, offset: u64, align: u32, out: &mut Vec<Inst>) {
        let result = self.function.insts[inst].results[0];
        let ty = self.function.ty(result);
        let part = self.part(alloca, offset, u64::from(ty.access_size()));
        let value = self.load_part(inst, part, ty, align, out);
        self.substitution.set(result, value);
    }

    fn load_part(&mut self, inst: Inst, part: Part, ty: Type, align: u32, out: &mut Vec<Inst>) -> Value {
        let mut emitter = Emitter::like(self.function, out, inst);
        let load = Op::Load { align: aligned(align, part.offset), volatile: false };
        let Some(piece_ty) = part.piece.ty.filter(|_| !part.is_whole()) else {
            let address = emitter.pointer_offset(part.address, part.offset as i64);
            return emitter.value(load, &[address], ty);
        };
        let scalar = piece_ty.scalar().expect("a piece that is used in parts is a vector");
        let whole = emitter.value(load, &[part.address], piece_ty);
        let first = (part.offset / u64::from(scalar.size())) as u8;
        let part_ty = lanes(scalar, part.size).expect("the analysis checked the lanes");
        let lanes = if part_ty.lanes() == 1 {
            emitter.value(Op::Extract(first), &[whole], part_ty)
        } else {
            let mut mask = [255; 16];
            for lane in 0..part_ty.lanes() as u8 {
                mask[usize::from(lane)] = first + lane;
            }
            emitter.value(Op::Shuffle(mask), &[whole, whole], part_ty)
        };
        emitter.reinterpret(lanes, ty)
    }

    fn store_part(&mut self, inst: Inst, part: Part, value: Value, align: u32, out: &mut Vec<Inst>) {
        let mut emitter = Emitter::like(self.function, out, inst);
        let align = aligned(align, part.offset);
        let store = Op::Store { align, volatile: false };
        let Some(piece_ty) = part.piece.ty.filter(|_| !part.is_whole()) else {
            let address = emitter.pointer_offset(part.address, part.offset as i64);
            emitter.push(store, &[address, value], &[]);
            return;
        };
        let scalar = piece_ty.scalar().expect("a piece that is used in parts is a vector");
        let part_ty = lanes(scalar, part.size).expect("the analysis checked the lanes");
        let value = emitter.reinterpret(value, part_ty);
        let mut whole = emitter.value(Op::Load { align, volatile: false }, &[part.address], piece_ty);
        let first = (part.offset / u64::from(scalar.size())) as u8;
        for lane in 0..part_ty.lanes() as u8 {
            let element = match part_ty {
                Type::Vector(..) => emitter.value(Op::Extract(lane), &[value], Type::Scalar(scalar)),
                _ => value,
            };
            whole = emitter.value(Op::Insert(first + lane), &[whole, element], piece_ty);
        }
        emitter.push(store, &[part.address, whole], &[]);
    }

    fn zero(&mut self, inst: Inst, alloca: Inst, offset: u64, size: u64, align: u32, out: &mut Vec<Inst>) {
        for (at, part) in self.parts(alloca, offset, size) {
            let align = aligned(align, at);
            if let Some(ty) = part.ty() {
                let zero = self.function.constant(ty, Constant::Bits(0));
                self.store_part(inst, part, zero, align, out);
            } else {
                let mut emitter = Emitter::like(self.function, out, inst);
                let address = emitter.pointer_offset(part.address, part.offset as i64);
                let align = aligned(align, part.offset);
                emitter.push(Op::MemoryZero { size: part.size, align }, &[address], &[]);
            }
        }
    }

    fn copy(
        &mut self,
        inst: Inst,
        destination: Option<(Inst, u64)>,
        source: Option<(Inst, u64)>,
        size: u64,
        align: u32,
        out: &mut Vec<Inst>,
    ) {
        let [to, from] = [0, 1].map(|position| self.function.insts[inst].operands[position]);
        let parts_of =
            |side: Option<(Inst, u64)>| side.map(|(alloca, offset)| self.parts(alloca, offset, size));
        let (to_parts, from_parts) = (parts_of(destination), parts_of(source));
        let count = to_parts.as_ref().or(from_parts.as_ref()).map_or(0, Vec::len);
        for index in 0..count {
            let to_part = to_parts.as_ref().map(|parts| parts[index]);
            let from_part = from_parts.as_ref().map(|parts| parts[index]);
            let (at, part) = to_part.or(from_part).expect("one side is split");
            let align = aligned(align, at);
            let ty = match (to_part, from_part) {
                (Some((_, to)), Some((other, from))) => {
                    assert_eq!(
                        (at, to.size),
                        (other, from.size),
                        "split-aggregates: the sides of a copy disagree"
                    );
                    to.ty().and(from.ty())
                }
                _ => part.ty(),
            };
            let to_part = to_part.map(|(_, part)| part);
            let from_part = from_part.map(|(_, part)| part);
            match ty {
                Some(ty) => {
                    let value = match from_part {
                        Some(part) => self.load_part(inst, part, ty, align, out),
                        None => {
                            let mut emitter = Emitter::like(self.function, out, inst);
                            let address = emitter.pointer_offset(from, at as i64);
                            emitter.value(Op::Load { align, volatile: false }, &[address], ty)
                        }
                    };
                    match to_part {
                        Some(part) => self.store_part(inst, part, value, align, out),
                        None => {
                            let mut emitter = Emitter::like(self.function, out, inst);
                            let address = emitter.pointer_offset(to, at as i64);
                            emitter.push(Op::Store { align, volatile: false }, &[address, value], &[]);
                        }
                    }
                }
                None => {
                    let mut emitter = Emitter::like(self.function, out, inst);
                    let mut address = |part: Option<Part>, memory: Value| match part {
                        Some(part) => emitter.pointer_offset(part.address, part.offset as i64),
                        None => emitter.pointer_offset(memory, at as i64),
                    };
                    let operands = [address(to_part, to), address(from_part, from)];
                    let parts = [to_part, from_part].into_iter().flatten();
                    let align = parts.fold(align, |align, part| aligned(align, part.offset));
                    emitter.push(Op::MemoryCopy { size: part.size, align }, &operands, &[]);
                }
            }
        }
    }
}

/// The alignment of an address at an offset from an aligned one. What an access claims about the whole
/// variable says nothing about a piece that begins elsewhere in it; for a piece, the offset in it counts too.
fn aligned(align: u32, offset: u64) -> u32 {
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(31)) }
}
