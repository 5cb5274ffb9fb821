//! Halves that are only in memory, as `vload_half` and `vstore_half` leave them. Devices without arithmetic
//! on halves have them, too, but only through instructions of `OpenCL.std`, which load and store single
//! precision.

use super::function::FunctionWriter;
use crate::emit::control::Body;
use clvk_ir::{ConvertOp, Function, Inst, Op, RoundingMode, Scalar, Type, Value};
use rspirv::{
    dr::Operand,
    spirv::{self, Capability, FPRoundingMode, OpenclStd100Op as Std, Word},
};
use rustc_hash::FxHashSet;

/// The instructions of a function that need no arithmetic on halves.
#[derive(Default)]
pub struct InMemory {
    /// Loads whose results are only converted to wider numbers.
    loads: FxHashSet<Inst>,
    /// Conversions of wider numbers whose results are only stored.
    conversions: FxHashSet<Inst>,
}

impl InMemory {
    /// Those of a function, and whether it needs nothing else of halves.
    pub fn of(function: &Function) -> (InMemory, bool) {
        let mut found = InMemory::default();
        function.walk(|inst, data| {
            let result = data.results.first().map(|&result| function.ty(result));
            let from = data.operands.first().map(|&operand| function.ty(operand));
            match data.op {
                Op::Load { volatile: false, .. } if result.is_some_and(is_half) => {
                    found.loads.insert(inst);
                }
                Op::Convert(ConvertOp::Float(_))
                    if result.is_some_and(is_half) && !from.is_some_and(is_half) =>
                {
                    found.conversions.insert(inst);
                }
                _ => {}
            }
        });
        // What is used in other ways is not in memory only.
        function.walk(|_, data| {
            for (position, &operand) in data.operands.iter().enumerate() {
                let Some(defined) = function.defining_inst(operand) else { continue };
                let widens = matches!(data.op, Op::Convert(ConvertOp::Float(_)));
                if !widens {
                    found.loads.remove(&defined);
                }
                if position != 1 || !matches!(data.op, Op::Store { volatile: false, .. }) {
                    found.conversions.remove(&defined);
                }
            }
        });
        let given = |values: &[Value]| values.iter().any(|&value| is_half(function.ty(value)));
        let mut is_all = !given(&function.params) && !function.result().is_some_and(is_half);
        function.walk(|inst, data| {
            let is_made = found.loads.contains(&inst) || found.conversions.contains(&inst);
            let params = data.regions.iter().any(|&region| given(&function.regions[region].params));
            is_all &= (is_made || !given(&data.results)) && !params && found.uses(function, &data.operands);
        });
        let constant = |value: Value| function.as_constant(value).is_some() && is_half(function.ty(value));
        function.walk(|_, data| is_all &= !data.operands.iter().any(|&value| constant(value)));
        (found, is_all)
    }

    /// Whether the halves among the operands are all loaded, or converted to be stored.
    fn uses(&self, function: &Function, operands: &[Value]) -> bool {
        operands.iter().filter(|&&value| is_half(function.ty(value))).all(|&value| {
            let defined = function.defining_inst(value);
            defined.is_some_and(|inst| self.loads.contains(&inst) || self.conversions.contains(&inst))
        })
    }
}

fn is_half(ty: Type) -> bool {
    ty.scalar() == Some(Scalar::F16)
}

impl FunctionWriter<'_, '_> {
    /// Finds the halves that are only in memory; the module needs arithmetic on halves if there are others.
    pub fn find_halves(&mut self) {
        let (found, is_all) = InMemory::of(self.function);
        self.halves = found;
        if !is_all {
            self.module.writer.require(Capability::Float16);
        }
    }

    /// Whether a load gives single precision.
    pub fn loads_half(&self, inst: Inst) -> bool {
        self.halves.loads.contains(&inst)
    }

    /// A load of halves as single precision.
    pub fn load_half(&mut self, inst: Inst) -> Word {
        let data = &self.function.insts[inst];
        let ty = self.function.ty(data.results[0]).with_scalar(Scalar::F32);
        let pointer = self.typed_pointer(data.operands[0], Type::F16);
        let first = self.module.writer.long(0);
        let op = if ty.lanes() == 1 { Std::vload_half } else { Std::vload_halfn };
        let mut operands = self.module.writer.std(op);
        operands.extend([Operand::IdRef(first), Operand::IdRef(pointer)]);
        if ty.lanes() > 1 {
            operands.push(Operand::LiteralBit32(ty.lanes()));
        }
        let ty = self.module.writer.value_type(ty);
        self.add(spirv::Op::ExtInst, ty, operands)
    }

    /// A conversion from or to halves that are only in memory: the number itself, or double precision of it.
    pub fn convert_half(&mut self, inst: Inst, ty: Type) -> Option<Word> {
        let source = self.function.insts[inst].operands[0];
        if self.halves.conversions.contains(&inst) {
            return Some(self.id(source));
        }
        if !self.halves.loads.contains(&self.function.defining_inst(source)?) {
            return None;
        }
        let id = self.id(source);
        Some(if ty.scalar() == Some(Scalar::F32) { id } else { self.compute(spirv::Op::FConvert, ty, &[id]) })
    }

    /// A store of a number as a half, with the rounding of its conversion.
    pub fn store_half(&mut self, inst: Inst) -> bool {
        let data = &self.function.insts[inst];
        let Some(conversion) = self.function.defining_inst(data.operands[1]) else { return false };
        let Op::Convert(ConvertOp::Float(rounding)) = self.function.insts[conversion].op else {
            return false;
        };
        if !self.halves.conversions.contains(&conversion) {
            return false;
        }
        let lanes = self.operand_type(inst, 1).lanes();
        let pointer = self.typed_pointer(data.operands[0], Type::F16);
        let (number, first) = (self.operand(inst, 1), self.module.writer.long(0));
        let rounding = match rounding {
            RoundingMode::NearestEven => FPRoundingMode::RTE,
            RoundingMode::TowardZero => FPRoundingMode::RTZ,
            RoundingMode::TowardPositive => FPRoundingMode::RTP,
            RoundingMode::TowardNegative => FPRoundingMode::RTN,
        };
        let op = if lanes == 1 { Std::vstore_half_r } else { Std::vstore_halfn_r };
        let mut operands = self.module.writer.std(op);
        operands.extend([number, first, pointer].map(Operand::IdRef));
        operands.push(Operand::FPRoundingMode(rounding));
        let void = self.module.writer.value_type(Type::Void);
        self.add(spirv::Op::ExtInst, void, operands);
        true
    }
}
