//! Vectors and aggregates (SPIR-V §3.49.12).

use super::Body;
use super::values::{Access, Definition};
use crate::binary::{Id, Instruction};
use crate::error::Error;
use crate::types::Ty;
use clvk_ir::{Op as IrOp, Type, Value};
use rspirv::spirv::Op;

impl Body<'_, '_> {
    /// Translates an instruction of this chapter; gives whether it is one.
    pub fn composite(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        match op {
            Op::VectorExtractDynamic => {
                let (vector, index) = (self.vector_at(0, instruction)?, self.integer_at(1, instruction)?);
                let ty = self.result_value_type(instruction)?;
                let value = self.build().value(IrOp::ExtractDynamic, &[vector, index], ty);
                self.define_value(instruction, value)?;
            }
            Op::VectorInsertDynamic => {
                let (vector, index) = (self.vector_at(0, instruction)?, self.integer_at(2, instruction)?);
                let element = self.value_at(1, instruction)?;
                let ty = self.function.ty(vector);
                let value = self.build().value(IrOp::InsertDynamic, &[vector, element, index], ty);
                self.define_value(instruction, value)?;
            }
            Op::VectorShuffle => self.shuffle(instruction)?,
            Op::CompositeConstruct => self.construct(instruction)?,
            Op::CompositeExtract => self.extract(instruction)?,
            Op::CompositeInsert => self.insert(instruction)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn vector_at(&mut self, index: usize, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let value = self.value_at(index, instruction)?;
        match self.function.ty(value) {
            Type::Vector(..) => Ok(value),
            _ => Err(instruction.error("an operand is not a vector")),
        }
    }

    fn lane(&mut self, vector: Value, lane: u32, user: &Instruction<'_>) -> Result<Value, Error> {
        if lane >= self.function.ty(vector).lanes() {
            return Err(user.error(format!("the vector has no element with the number {lane}")));
        }
        Ok(self.build().extract(vector, lane as u8))
    }

    fn shuffle(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (a, b) = (self.vector_at(0, instruction)?, self.vector_at(1, instruction)?);
        let (type_a, type_b) = (self.function.ty(a), self.function.ty(b));
        let result = self.result_value_type(instruction)?;
        let lanes = &instruction.operands()[2..];
        let Type::Vector(scalar, count) = result else {
            return Err(instruction.error("the result is not a vector"));
        };
        if lanes.len() != usize::from(count)
            || type_a.scalar() != Some(scalar)
            || type_b.scalar() != Some(scalar)
        {
            return Err(instruction.error("the operands do not suit the result"));
        }
        let total = type_a.lanes() + type_b.lanes();
        if let Some(lane) = lanes.iter().find(|&&lane| lane != u32::MAX && lane >= total) {
            return Err(instruction.error(format!("the vectors have no element with the number {lane}")));
        }
        let value = if type_a == type_b {
            let mut mask = [u8::MAX; 16];
            for (entry, &lane) in mask.iter_mut().zip(lanes) {
                *entry = if lane == u32::MAX { u8::MAX } else { lane as u8 };
            }
            self.build().value(IrOp::Shuffle(mask), &[a, b], result)
        } else {
            let mut values = Vec::new();
            for &lane in lanes {
                values.push(match lane.checked_sub(type_a.lanes()) {
                    _ if lane == u32::MAX => self.function.undef(Type::Scalar(scalar)),
                    Some(lane) => self.lane(b, lane, instruction)?,
                    None => self.lane(a, lane, instruction)?,
                });
            }
            self.build().value(IrOp::Construct, &values, result)
        };
        self.define_value(instruction, value)
    }

    fn construct(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let ty = instruction.result_type().unwrap_or_default();
        let data = self.result_type(instruction)?;
        if let Some(result @ Type::Vector(scalar, count)) = data.value() {
            let mut lanes = Vec::new();
            for index in 0..instruction.operands().len() {
                let part = self.value_at(index, instruction)?;
                match self.function.ty(part) {
                    Type::Vector(_, parts) => {
                        for lane in 0..u32::from(parts) {
                            lanes.push(self.lane(part, lane, instruction)?);
                        }
                    }
                    _ => lanes.push(part),
                }
            }
            let fits = lanes.iter().all(|&lane| self.function.ty(lane) == Type::Scalar(scalar));
            if lanes.len() != usize::from(count) || !fits {
                return Err(instruction.error("the operands do not suit the result"));
            }
            let value = self.build().value(IrOp::Construct, &lanes, result);
            return self.define_value(instruction, value);
        }
        let memory = self.memory_for(ty, instruction)?;
        let parts = match &data.ty {
            Ty::Struct { members } => members.len() as u64,
            Ty::Array { count, .. } => *count,
            _ => 0,
        };
        if parts != instruction.operands().len() as u64 {
            return Err(instruction.error("the operands do not suit the result"));
        }
        for (number, &part) in instruction.operands().iter().enumerate() {
            let (member, offset) = self.reader.index.part(ty, number as u64, instruction)?;
            let value = self.operand(part, instruction)?;
            let address = self.build().pointer_offset(memory, offset as i64);
            self.store(address, value, member, Access::default(), instruction)?;
        }
        self.define(instruction, Definition::Memory(memory))
    }

    /// Follows literal indices from an aggregate's address to a part that is not an aggregate, or to the end.
    /// Gives the part's type, its address and the remaining indices.
    fn walk<'i>(
        &mut self,
        mut address: Value,
        mut ty: Id,
        mut indices: &'i [u32],
        user: &Instruction<'_>,
    ) -> Result<(Id, Value, &'i [u32]), Error> {
        while let Some((&index, rest)) = indices.split_first() {
            let data = self.reader.index.type_of(ty, user)?;
            match data.ty {
                Ty::Struct { .. } => {}
                Ty::Array { count, .. } if u64::from(index) < count => {}
                Ty::Array { .. } => {
                    return Err(user.error(format!("the array has no element with the number {index}")));
                }
                _ => break,
            }
            let (part, offset) = self.reader.index.part(ty, u64::from(index), user)?;
            address = self.build().pointer_offset(address, offset as i64);
            (ty, indices) = (part, rest);
        }
        Ok((ty, address, indices))
    }

    fn extract(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (composite, indices) = (instruction.operand(0)?, &instruction.operands()[1..]);
        let (found, rest) = match self.operand(composite, instruction)? {
            Definition::Memory(address) => {
                let ty = self.type_of_value(composite, instruction)?;
                let (part, address, rest) = self.walk(address, ty, indices, instruction)?;
                (self.load(address, part, Access::default(), instruction)?, rest)
            }
            value => (value, indices),
        };
        let defined = match rest {
            [] => found,
            rest => {
                let lane = last_index(rest, instruction)?;
                let vector = self.value_of(found, instruction)?;
                if !matches!(self.function.ty(vector), Type::Vector(..)) {
                    return Err(instruction.error("an operand is not a vector"));
                }
                Definition::Value(self.lane(vector, lane, instruction)?)
            }
        };
        self.define(instruction, defined)
    }

    fn insert(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (object, composite) = (instruction.operand(0)?, instruction.operand(1)?);
        let indices = &instruction.operands()[2..];
        let value = self.operand(object, instruction)?;
        let defined = match self.operand(composite, instruction)? {
            Definition::Memory(source) => {
                let ty = instruction.result_type().unwrap_or_default();
                let memory = self.memory_for(ty, instruction)?;
                self.store(memory, Definition::Memory(source), ty, Access::default(), instruction)?;
                let (part, address, rest) = self.walk(memory, ty, indices, instruction)?;
                let value = match rest {
                    [] => value,
                    rest => {
                        let vector = self.load(address, part, Access::default(), instruction)?;
                        self.with_lane(vector, value, rest, instruction)?
                    }
                };
                self.store(address, value, part, Access::default(), instruction)?;
                Definition::Memory(memory)
            }
            vector => self.with_lane(vector, value, indices, instruction)?,
        };
        self.define(instruction, defined)
    }

    /// A vector with another element at the place that the last index gives.
    fn with_lane(
        &mut self,
        vector: Definition,
        value: Definition,
        indices: &[u32],
        user: &Instruction<'_>,
    ) -> Result<Definition, Error> {
        let lane = last_index(indices, user)?;
        let (vector, value) = (self.value_of(vector, user)?, self.value_of(value, user)?);
        let ty = self.function.ty(vector);
        let fits = matches!(ty, Type::Vector(scalar, lanes)
            if lane < u32::from(lanes) && self.function.ty(value) == Type::Scalar(scalar));
        if !fits {
            return Err(user.error("the operands do not suit the result"));
        }
        Ok(Definition::Value(self.build().value(IrOp::Insert(lane as u8), &[vector, value], ty)))
    }
}

/// The only index that is left, which chooses an element of a vector.
fn last_index(indices: &[u32], user: &Instruction<'_>) -> Result<u32, Error> {
    match indices {
        &[lane] => Ok(lane),
        _ => Err(user.error("there are more indices than the type has levels")),
    }
}
