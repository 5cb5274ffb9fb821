//! Splits values of 8 and 16 lanes into parts of 4.
//!
//! After this pass vectors have 2, 3 or 4 lanes. A parameter or result of a region becomes several; a memory
//! access becomes one for each part.

use super::{Context, cursor::Cursor};
use crate::TranslateError;
use clvk_ir::{BinaryOp, CompareOp, Constant, ConvertOp, Function, Inst, MathOp, Op, Scalar, Type, Value};
use rustc_hash::FxHashMap;

/// Lanes of a part.
const PART: u32 = 4;

/// Splits the wide vectors of every kernel.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.bodies_mut() {
        split(function);
    }
    Ok(())
}

/// Splits the wide vectors of a function.
pub fn split(function: &mut Function) {
    if !function.values.iter().any(|(_, data)| is_wide(data.ty)) {
        return;
    }
    let mut splitting = Splitting { cursor: Cursor::new(function), parts: FxHashMap::default() };
    while let Some(inst) = splitting.cursor.advance() {
        splitting.inst(inst);
    }
}

fn is_wide(ty: Type) -> bool {
    ty.lanes() > PART
}

fn part_type(ty: Type) -> Type {
    Type::with_lanes(ty.scalar().expect("only vectors are wide"), PART)
}

struct Splitting<'f> {
    cursor: Cursor<'f>,
    parts: FxHashMap<Value, Vec<Value>>,
}

impl Splitting<'_> {
    /// The parts of an operand; only itself if it is not wide.
    fn parts(&mut self, value: Value) -> Vec<Value> {
        let ty = self.cursor.function.ty(value);
        if !is_wide(ty) {
            return vec![self.cursor.get(value)];
        }
        if let Some(parts) = self.parts.get(&value) {
            return parts.clone();
        }
        let part = part_type(ty);
        let constant =
            self.cursor.function.as_constant(value).cloned().expect("wide values were split before");
        let parts: Vec<Value> = (0..ty.lanes() / PART)
            .map(|index| {
                let constant = match &constant {
                    Constant::Lanes(lanes) => {
                        Constant::Lanes(lanes[(index * PART) as usize..((index + 1) * PART) as usize].into())
                    }
                    other => other.clone(),
                };
                self.cursor.function.constant(part, constant)
            })
            .collect();
        self.parts.insert(value, parts.clone());
        parts
    }

    fn ty(&self, value: Value) -> Type {
        self.cursor.function.ty(value)
    }

    fn inst(&mut self, inst: Inst) {
        let data = &self.cursor.function.insts[inst];
        let (op, operands, results) = (data.op.clone(), data.operands.to_vec(), data.results.to_vec());
        let structural = op.has_regions() || op.is_terminator();
        let wide = operands.iter().chain(&results).any(|&value| is_wide(self.ty(value)));
        if structural {
            return self.structural(inst, &operands);
        }
        if !wide {
            return self.cursor.keep(inst);
        }
        let parts: Option<Vec<Value>> = match op {
            Op::Construct => {
                let scalars = self.cursor.operands(inst);
                Some(scalars.chunks(PART as usize).map(|lanes| self.cursor.construct(lanes)).collect())
            }
            Op::Extract(lane) => {
                let part = self.parts(operands[0])[usize::from(lane) / PART as usize];
                Some(vec![self.cursor.extract(part, u32::from(lane) % PART)])
            }
            Op::ExtractDynamic => Some(vec![self.extract_dynamic(operands[0], operands[1])]),
            Op::Insert(lane) => {
                let mut parts = self.parts(operands[0]);
                let part = &mut parts[usize::from(lane) / PART as usize];
                let scalar = self.cursor.get(operands[1]);
                let ty = self.cursor.function.ty(*part);
                *part = self.cursor.value(Op::Insert(lane % PART as u8), &[*part, scalar], ty);
                Some(parts)
            }
            Op::InsertDynamic => Some(self.insert_dynamic(&operands)),
            Op::Shuffle(mask) => Some(self.shuffle(&operands, &mask, self.ty(results[0]))),
            Op::Load { align, volatile } => {
                Some(self.load(operands[0], align, volatile, self.ty(results[0])))
            }
            Op::Store { align, volatile } => {
                self.store(operands[0], operands[1], align, volatile);
                None
            }
            Op::PushConstant { offset } => Some(self.push_constants(offset, self.ty(results[0]))),
            Op::Convert(ConvertOp::Bitcast) => Some(self.bitcast(operands[0], self.ty(results[0]))),
            Op::Math(MathOp::Dot) => Some(vec![self.dot(&operands)]),
            _ => Some(self.lane_by_lane(&op, &operands, self.ty(results[0]))),
        };
        if let Some(parts) = parts {
            self.define(results[0], parts);
        }
    }

    fn define(&mut self, value: Value, parts: Vec<Value>) {
        if is_wide(self.ty(value)) {
            self.parts.insert(value, parts);
        } else {
            self.cursor.replace(value, parts[0]);
        }
    }

    fn lane_by_lane(&mut self, op: &Op, operands: &[Value], ty: Type) -> Vec<Value> {
        let operands: Vec<Vec<Value>> = operands.iter().map(|&operand| self.parts(operand)).collect();
        (0..(ty.lanes() / PART) as usize)
            .map(|index| {
                let operands: Vec<Value> = operands
                    .iter()
                    .map(|parts| if parts.len() == 1 { parts[0] } else { parts[index] })
                    .collect();
                self.cursor.value(op.clone(), &operands, part_type(ty))
            })
            .collect()
    }

    fn dot(&mut self, operands: &[Value]) -> Value {
        let (a, b) = (self.parts(operands[0]), self.parts(operands[1]));
        let scalar = Type::Scalar(self.ty(operands[0]).scalar().expect("dot takes vectors"));
        let products: Vec<Value> = a
            .into_iter()
            .zip(b)
            .map(|(a, b)| self.cursor.value(Op::Math(MathOp::Dot), &[a, b], scalar))
            .collect();
        products
            .into_iter()
            .reduce(|a, b| self.cursor.binary(BinaryOp::FAdd, a, b))
            .expect("wide vectors have parts")
    }

    /// The lane within a part, and for each part a condition whether it contains the lane.
    fn locate(&mut self, index: Value, count: usize) -> (Value, Vec<Value>) {
        let index = self.cursor.get(index);
        let lane = self.cursor.binary_int(BinaryOp::And, index, i64::from(PART - 1));
        let part = self.cursor.binary_int(BinaryOp::LShr, index, i64::from(PART.trailing_zeros()));
        let ty = self.cursor.function.ty(part);
        let conditions = (0..count)
            .map(|number| {
                let number = self.cursor.int(ty, number as i64);
                self.cursor.compare(CompareOp::Eq, part, number)
            })
            .collect();
        (lane, conditions)
    }

    fn extract_dynamic(&mut self, vector: Value, index: Value) -> Value {
        let parts = self.parts(vector);
        let (lane, conditions) = self.locate(index, parts.len());
        let scalar = Type::Scalar(self.ty(vector).scalar().expect("vectors have a scalar"));
        let mut chosen: Option<Value> = None;
        for (part, condition) in parts.into_iter().zip(conditions) {
            let this = self.cursor.value(Op::ExtractDynamic, &[part, lane], scalar);
            chosen = Some(match chosen {
                Some(other) => self.cursor.select(condition, this, other),
                None => this,
            });
        }
        chosen.expect("wide vectors have parts")
    }

    fn insert_dynamic(&mut self, operands: &[Value]) -> Vec<Value> {
        let parts = self.parts(operands[0]);
        let scalar = self.cursor.get(operands[1]);
        let (lane, conditions) = self.locate(operands[2], parts.len());
        parts
            .into_iter()
            .zip(conditions)
            .map(|(part, condition)| {
                let ty = self.cursor.function.ty(part);
                let replaced = self.cursor.value(Op::InsertDynamic, &[part, scalar, lane], ty);
                self.cursor.select(condition, replaced, part)
            })
            .collect()
    }

    fn shuffle(&mut self, operands: &[Value], mask: &[u8; 16], ty: Type) -> Vec<Value> {
        let lanes = self.ty(operands[0]).lanes();
        let sources: Vec<Vec<Value>> = operands.iter().map(|&operand| self.parts(operand)).collect();
        // The part, and the lane in it, that a mask entry chooses.
        let choose = |entry: u8| {
            let entry = u32::from(entry);
            let (source, lane) = (entry / lanes, entry % lanes);
            let width = lanes.min(PART);
            sources.get(source as usize).map(|parts| (parts[(lane / width) as usize], lane % width))
        };
        let chosen: Vec<Option<(Value, u32)>> =
            mask[..ty.lanes() as usize].iter().map(|&entry| choose(entry)).collect();
        chosen.chunks(PART as usize).map(|lanes| self.gather(lanes, ty)).collect()
    }

    /// A vector composed of lanes of several parts.
    fn gather(&mut self, lanes: &[Option<(Value, u32)>], ty: Type) -> Value {
        let scalar = ty.scalar().expect("shuffles give vectors");
        let result = Type::with_lanes(scalar, lanes.len() as u32);
        let mut sources: Vec<Value> = Vec::new();
        for (source, _) in lanes.iter().flatten() {
            if !sources.contains(source) {
                sources.push(*source);
            }
        }
        let Some(&first) = sources.first() else { return self.cursor.function.undef(result) };
        let second = sources.get(1).copied().unwrap_or(first);
        if sources.len() > 2 || self.ty(first) != self.ty(second) || lanes.len() == 1 {
            let scalars: Vec<Value> = lanes
                .iter()
                .map(|lane| match lane {
                    Some((source, lane)) => self.cursor.extract(*source, *lane),
                    None => self.cursor.function.undef(Type::Scalar(scalar)),
                })
                .collect();
            return self.cursor.construct(&scalars);
        }
        let width = self.ty(first).lanes();
        let mut mask = [255; 16];
        for (entry, lane) in mask.iter_mut().zip(lanes) {
            if let Some((source, lane)) = lane {
                *entry = (lane + if *source == first { 0 } else { width }) as u8;
            }
        }
        self.cursor.value(Op::Shuffle(mask), &[first, second], result)
    }

    fn pointer_to_part(&mut self, pointer: Value, offset: u32) -> Value {
        let ty = self.cursor.function.ty(pointer);
        match offset {
            0 => pointer,
            _ => self.cursor.value(Op::PointerOffset(i64::from(offset)), &[pointer], ty),
        }
    }

    fn load(&mut self, pointer: Value, align: u32, volatile: bool, ty: Type) -> Vec<Value> {
        let pointer = self.cursor.get(pointer);
        let part = part_type(ty);
        (0..ty.lanes() / PART)
            .map(|index| {
                let offset = index * part.access_size();
                let pointer = self.pointer_to_part(pointer, offset);
                let op = Op::Load { align: part_align(align, offset), volatile };
                self.cursor.value(op, &[pointer], part)
            })
            .collect()
    }

    fn store(&mut self, pointer: Value, value: Value, align: u32, volatile: bool) {
        let pointer = self.cursor.get(pointer);
        let size = part_type(self.ty(value)).access_size();
        for (index, part) in self.parts(value).into_iter().enumerate() {
            let offset = index as u32 * size;
            let pointer = self.pointer_to_part(pointer, offset);
            let op = Op::Store { align: part_align(align, offset), volatile };
            self.cursor.push(op, &[pointer, part], &[], &[]);
        }
    }

    fn push_constants(&mut self, offset: u32, ty: Type) -> Vec<Value> {
        let part = part_type(ty);
        (0..ty.lanes() / PART)
            .map(|index| {
                let offset = offset + index * part.access_size();
                self.cursor.value(Op::PushConstant { offset }, &[], part)
            })
            .collect()
    }

    /// The same bits with other lanes, through scalars of the wider of both lane types.
    fn bitcast(&mut self, value: Value, ty: Type) -> Vec<Value> {
        let from = self.ty(value).scalar().expect("bits are of vectors");
        let to = ty.scalar().expect("bits become vectors");
        let parts = self.parts(value);
        let mut lanes = Vec::new();
        for part in parts {
            lanes.extend(self.cursor.lanes(part));
        }
        let lanes: Vec<Value> = if to.bits() >= from.bits() {
            let group = (to.bits() / from.bits()) as usize;
            lanes.chunks(group).map(|group| self.join(group, to)).collect()
        } else {
            lanes.into_iter().flat_map(|lane| self.fan_out(lane, to)).collect()
        };
        lanes.chunks(PART as usize).map(|lanes| self.cursor.construct(lanes)).collect()
    }

    fn join(&mut self, lanes: &[Value], to: Scalar) -> Value {
        if lanes.len() > PART as usize {
            let half = Scalar::int(to.bits() / 2);
            let (low, high) = lanes.split_at(lanes.len() / 2);
            let halves = [self.join(low, half), self.join(high, half)];
            return self.join(&halves, to);
        }
        let vector = self.cursor.construct(lanes);
        self.cursor.bitcast(vector, Type::Scalar(to))
    }

    fn fan_out(&mut self, lane: Value, to: Scalar) -> Vec<Value> {
        let bits = self.cursor.function.ty(lane).scalar().expect("lanes are scalars").bits();
        let count = bits / to.bits();
        if count > PART {
            let halves = self.fan_out(lane, Scalar::int(bits / 2));
            return halves.into_iter().flat_map(|half| self.fan_out(half, to)).collect();
        }
        let vector = self.cursor.bitcast(lane, Type::with_lanes(to, count));
        self.cursor.lanes(vector)
    }

    /// Constructs and terminators: wide operands, results and region parameters become several.
    fn structural(&mut self, inst: Inst, operands: &[Value]) {
        let operands: Vec<Value> = operands.iter().flat_map(|&operand| self.parts(operand)).collect();
        let split = |ty: Type| is_wide(ty).then(|| (ty.lanes() / PART, part_type(ty)));
        self.parts.extend(self.cursor.keep_split(inst, &operands, split));
    }
}

/// The alignment at `offset` bytes after something aligned.
fn part_align(align: u32, offset: u32) -> u32 {
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros()) }
}
