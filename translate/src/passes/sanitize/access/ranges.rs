//! Checks that stand beside the operations that access memory ([`AccessOp`]).

use super::{Accessed, Checks, Demand};
use crate::passes::sanitize::order;
use crate::passes::sanitize::shadow::Shadow;
use crate::passes::sanitize::watched::Watched;
use crate::passes::sanitize::when;
use clvk_interface::sanitize::{Access, Kind, UNKNOWN_SIZE, forbidden};
use clvk_ir::{
    AccessOp, AddressSpace, BinaryOp, CompareOp, ConvertOp, Function, Inst, Op, Type, UnaryOp, Value,
};

/// Whether what is accessed through a pointer was checked before.
pub fn is_done(function: &Function, mut pointer: Value) -> bool {
    while let Some(inst) = function.defining_inst(pointer) {
        let data = &function.insts[inst];
        match data.op {
            Op::PointerOffset(_) | Op::PointerIndex { .. } | Op::Convert(ConvertOp::AddressSpace) => {
                pointer = data.operands[0];
            }
            Op::Access { op, .. } => return op == AccessOp::Done,
            _ => return false,
        }
    }
    false
}

impl Checks<'_, '_, '_, '_> {
    /// Puts the checks in place of one of these operations; whether it is one.
    pub fn range(&mut self, inst: Inst) -> bool {
        let data = &self.cursor.function.insts[inst];
        let Op::Access { op, size, writes } = data.op else { return false };
        let access = if writes { Access::Write } else { Access::Read };
        let accessed = Accessed { operand: 0, bytes: size.into(), align: size, access };
        let pointer = data.operands[0];
        let shadow = self.shadows.of(&mut self.cursor, self.reporter, pointer);
        let space = self.cursor.function.ty(pointer).address_space();
        match op {
            AccessOp::Done => return false,
            AccessOp::Fits => {
                let length = self.cursor.operand(inst, 1);
                let fits = self.fits(shadow, space, &accessed, length);
                self.cursor.replace_result(inst, fits);
            }
            AccessOp::Check => {
                let demands = self.demands(inst, shadow, space, &accessed);
                self.warn_of_change(shadow, &accessed);
                let all: Vec<Value> = demands.iter().map(|demand| demand.holds).collect();
                for Demand { holds, checked, details } in demands {
                    let fails = self.cursor.value(Op::Unary(UnaryOp::Not), &[holds], Type::BOOL);
                    let reporter = &mut *self.reporter;
                    when(&mut self.cursor, fails, |cursor| reporter.report(cursor, checked, details));
                }
                let all = self.all(all);
                self.cursor.replace_result(inst, all);
            }
            AccessOp::Note => self.note(inst, shadow, space, &accessed),
        }
        true
    }

    fn demands(
        &mut self,
        inst: Inst,
        shadow: Shadow,
        space: Option<AddressSpace>,
        accessed: &Accessed,
    ) -> Vec<Demand> {
        let mut demands = Vec::new();
        demands.extend(self.inside(inst, shadow, accessed));
        demands.extend(self.aligned(shadow, accessed));
        demands.extend(self.allowed(shadow, accessed));
        if space == Some(AddressSpace::Constant) {
            demands.extend(self.contents(shadow, accessed));
        }
        demands
    }

    fn all(&mut self, holds: Vec<Value>) -> Value {
        let all = holds.into_iter().reduce(|all, holds| self.cursor.binary(BinaryOp::And, all, holds));
        all.unwrap_or_else(|| self.cursor.int(Type::BOOL, 1))
    }

    /// Whether all accesses of a size in a range pass.
    fn fits(
        &mut self,
        shadow: Shadow,
        space: Option<AddressSpace>,
        accessed: &Accessed,
        length: Value,
    ) -> Value {
        let mut holds = Vec::new();
        if self.kinds.has(Kind::Bounds) {
            holds.extend(self.holds_range(shadow, accessed, length));
        }
        holds.extend(self.aligned(shadow, accessed).map(|demand| demand.holds));
        holds.extend(self.allowed(shadow, accessed).map(|demand| demand.holds));
        if space == Some(AddressSpace::Constant) {
            holds.extend(self.contents(shadow, accessed).map(|demand| demand.holds));
        }
        if accessed.access == Access::Write && self.kinds.has(Kind::Constness) {
            holds.extend(self.allows(shadow, forbidden::CHANGES));
        }
        self.all(holds)
    }

    /// Whether a range is inside of the object; none if it always is.
    fn holds_range(&mut self, shadow: Shadow, accessed: &Accessed, length: Value) -> Option<Value> {
        if let Some(bytes) = self.cursor.function.as_bits(length) {
            return self.holds_inside(shadow, &Accessed { bytes, ..*accessed });
        }
        if self.cursor.function.as_bits(shadow.size) == Some(UNKNOWN_SIZE) {
            return None;
        }
        let begins = self.cursor.compare(CompareOp::ULe, shadow.offset, shadow.size);
        let rest = self.cursor.binary(BinaryOp::Sub, shadow.size, shadow.offset);
        let ends = self.cursor.compare(CompareOp::ULe, length, rest);
        Some(self.cursor.binary(BinaryOp::And, begins, ends))
    }

    /// Remembers an access that an operation makes elsewhere.
    fn note(&mut self, inst: Inst, shadow: Shadow, space: Option<AddressSpace>, accessed: &Accessed) {
        let has_number = self.cursor.function.insts[inst].operands.len() > 1;
        let written = has_number.then(|| self.cursor.operand(inst, 1));
        // Those outside are left out.
        let inside = self.holds_inside(shadow, accessed);
        let quiet = self.uses.quiet_argument(inst, 0);
        let Some(own) = &self.own else { return };
        let watched = Watched {
            access: accessed.access,
            changes: false,
            attempts: false,
            uses: true,
            volatile: false,
            bytes: accessed.bytes,
            space,
            written,
            shadow,
            argument: quiet.or_else(|| self.uses.settled(inst, 0)),
            granule: self.uses.granule(inst, 0),
            meanwhile: self.phases.during(inst, 0),
            quiet: self.quiet(inst, 0),
        };
        order::check(&mut self.cursor, self.reporter, own, self.kinds, &watched, inside);
    }
}
