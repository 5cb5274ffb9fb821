//! The ends of blocks.

use super::values::{Access, Definition};
use super::{Body, Phi};
use crate::binary::{Id, Instruction, wide};
use crate::error::Error;
use clvk_ir::structurize::{End, Neighbours};
use clvk_ir::{Block, EntityId as _, Op as IrOp, Scalar};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// The blocks that can follow each block.
///
/// # Errors
/// A block's end is incomplete.
pub fn successors(
    blocks: &[&[Instruction<'_>]],
    numbers: &FxHashMap<Id, Block>,
) -> Result<Vec<Neighbours>, Error> {
    let mut successors = Vec::with_capacity(blocks.len());
    for block in blocks {
        let mut targets = Neighbours::new();
        if let Some(last) = block.last() {
            let (first, count) = match last.op() {
                Some(Op::Branch) => (0, Some(1)),
                Some(Op::BranchConditional) => (1, Some(2)),
                // Some of these are literals; what is too much does no harm.
                Some(Op::Switch) => (1, None),
                _ => (0, Some(0)),
            };
            if let Some(count @ 1..) = count {
                last.operand(first + count - 1)?;
            }
            let labels = last.operands().iter().skip(first).take(count.unwrap_or(usize::MAX));
            targets.extend(labels.filter_map(|label| numbers.get(label).copied()));
        }
        successors.push(targets);
    }
    Ok(successors)
}

impl Body<'_, '_> {
    /// Translates an instruction that ends a block; gives whether it is one.
    pub fn end_block(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        match op {
            Op::Branch => {
                let target = instruction.operand(0)?;
                self.leave_to(&[target], instruction)?;
                let end = End::Jump(self.target(target, instruction)?);
                self.cfg.blocks[self.block].end = end;
            }
            Op::BranchConditional => {
                let (then, otherwise) = (instruction.operand(1)?, instruction.operand(2)?);
                let condition = self.value_at(0, instruction)?;
                if self.function.ty(condition) != clvk_ir::Type::BOOL {
                    return Err(instruction.error("the condition is not a truth value"));
                }
                self.leave_to(&[then, otherwise], instruction)?;
                let (then, otherwise) =
                    (self.target(then, instruction)?, self.target(otherwise, instruction)?);
                self.cfg.blocks[self.block].end = End::Branch { condition, then, otherwise };
            }
            Op::Switch => self.switch(instruction)?,
            Op::Return => {
                self.push(IrOp::Return, &[], &[]);
            }
            Op::ReturnValue => self.return_value(instruction)?,
            Op::Unreachable => {
                self.push(IrOp::Unreachable, &[], &[]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Phis have values for blocks that lead to theirs only. (That they have one for each, [`Body::leave_to`]
    /// finds.)
    pub fn check_phis(&self, successors: &[Neighbours]) -> Result<(), Error> {
        let tables = &self.tables;
        for own in self.cfg.blocks.ids() {
            for phi in &tables.phis[tables.phis_of(own)] {
                let leads = |from: &Id| {
                    tables.blocks.get(from).is_some_and(|it| successors[it.index()].contains(&own))
                };
                let incoming = &tables.incoming[phi.incoming.clone()];
                if let Some((wrong, _)) = incoming.iter().find(|(from, _)| !leads(from)) {
                    let problem =
                        format!("the phi has a value for %{wrong}, which does not lead to its block");
                    return Err(Error::at(phi.place.word, phi.place.opcode, problem));
                }
            }
        }
        Ok(())
    }

    /// A value that a phi gets has its type.
    fn check_incoming(&self, phi: &Phi, id: Id, user: &Instruction<'_>) -> Result<(), Error> {
        let ty = self.type_of_value(id, user)?;
        let index = &self.reader.index;
        if ty != phi.ty && index.type_of(ty, user)?.ty != index.type_of(phi.ty, user)?.ty {
            let problem = format!("%{id} has another type than the phi");
            return Err(Error::at(phi.place.word, phi.place.opcode, problem));
        }
        Ok(())
    }

    fn target(&self, label: Id, user: &Instruction<'_>) -> Result<Block, Error> {
        self.tables
            .blocks
            .get(&label)
            .copied()
            .ok_or_else(|| user.error(format!("%{label} is not a block of this function")))
    }

    fn switch(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (selector, scalar) = self.integer(instruction.operand(0)?, instruction)?;
        let default = instruction.operand(1)?;
        let size = if scalar == Scalar::I64 { 3 } else { 2 };
        let rows = instruction.operands()[2..].chunks(size);
        let mut cases: Vec<(Vec<u64>, Block)> = Vec::new();
        let (mut seen, mut labels) = (FxHashSet::default(), vec![default]);
        for row in rows {
            let Some((&label, literal)) = row.split_last().filter(|_| row.len() == size) else {
                return Err(instruction.error("the last case of the switch is incomplete"));
            };
            let value = wide(literal).unwrap_or(0) & scalar.mask();
            if !seen.insert(value) {
                return Err(instruction.error(format!("two cases of the switch have the value {value}")));
            }
            labels.push(label);
            let target = self.target(label, instruction)?;
            match cases.iter_mut().find(|(_, block)| *block == target) {
                Some((values, _)) => values.push(value),
                None => cases.push((vec![value], target)),
            }
        }
        self.leave_to(&labels, instruction)?;
        let default = self.target(default, instruction)?;
        self.cfg.blocks[self.block].end = End::Switch { selector, cases, default };
        Ok(())
    }

    fn return_value(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let id = instruction.operand(0)?;
        match (self.operand(id, instruction)?, self.result_pointer) {
            (value @ Definition::Memory(_), Some(pointer)) => {
                let ty = self.type_of_value(id, instruction)?;
                self.store(pointer, value, ty, Access::default(), instruction)?;
                self.push(IrOp::Return, &[], &[]);
            }
            (value, None) => {
                let value = self.value_of(value, instruction)?;
                self.push(IrOp::Return, &[value], &[]);
            }
            _ => return Err(instruction.error("the function returns another type than it declares")),
        }
        Ok(())
    }

    /// Gives the phis of the next blocks their values: reads all of them, then writes them.
    fn leave_to(&mut self, labels: &[Id], user: &Instruction<'_>) -> Result<(), Error> {
        let (mut moves, mut values) =
            (std::mem::take(&mut self.tables.moves), std::mem::take(&mut self.tables.moved));
        moves.clear();
        values.clear();
        for (position, label) in labels.iter().enumerate() {
            let Some(&block) = self.tables.blocks.get(label) else { continue };
            let phis = self.tables.phis_of(block);
            if phis.is_empty() || labels[..position].contains(label) {
                continue;
            }
            for phi in &self.tables.phis[phis] {
                let value = self.tables.incoming_from(phi, self.label);
                let missing =
                    || user.error(format!("%{} has no value for the block %{}", phi.result, self.label));
                let value = value.ok_or_else(missing)?;
                self.check_incoming(phi, value, user)?;
                moves.push((phi.slot, phi.ty, value));
            }
        }
        for &(_, ty, id) in &moves {
            let value = match self.operand(id, user)? {
                // Other phis may be written before it is copied.
                Definition::Memory(address) if moves.len() > 1 => {
                    let copy = self.memory_for(ty, user)?;
                    self.store(copy, Definition::Memory(address), ty, Access::default(), user)?;
                    Definition::Memory(copy)
                }
                other => other,
            };
            values.push(value);
        }
        for (&(slot, ty, _), &value) in moves.iter().zip(&values) {
            self.store(slot, value, ty, Access::default(), user)?;
        }
        (self.tables.moves, self.tables.moved) = (moves, values);
        Ok(())
    }
}
