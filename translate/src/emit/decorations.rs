//! Decorations, and structures that have them.

use super::writer::{Writer, instruction};
use rspirv::{
    dr::Operand,
    spirv::{self, Decoration, Word},
};

impl Writer {
    /// Decorates an id.
    pub fn decorate(&mut self, id: Word, decoration: Decoration, extra: &[Operand]) {
        let mut operands = vec![Operand::IdRef(id), Operand::Decoration(decoration)];
        operands.extend_from_slice(extra);
        self.module.annotations.push(instruction(spirv::Op::Decorate, None, None, operands));
    }

    /// Decorates a structure's member with its byte offset.
    pub fn member_offset(&mut self, structure: Word, member: u32, offset: u32) {
        self.decorate_member(structure, member, Decoration::Offset, Some(offset));
    }

    /// Decorates a structure's member.
    pub fn decorate_member(
        &mut self,
        structure: Word,
        member: u32,
        decoration: Decoration,
        extra: Option<u32>,
    ) {
        let member = Operand::LiteralBit32(member);
        let mut operands = vec![Operand::IdRef(structure), member, Operand::Decoration(decoration)];
        operands.extend(extra.map(Operand::LiteralBit32));
        self.module.annotations.push(instruction(spirv::Op::MemberDecorate, None, None, operands));
    }

    /// Declares a structure of one member, as pointers to memory of the device point to.
    pub fn block_type(&mut self, member: Word) -> Word {
        let block = self.declare(spirv::Op::TypeStruct, None, vec![Operand::IdRef(member)]);
        self.decorate(block, Decoration::Block, &[]);
        self.member_offset(block, 0, 0);
        block
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{GP, buffer, compile, decorations, instructions, kernel};
    use super::*;
    use clvk_ir::{AddressSpace, BinaryOp, Builder, FenceFlags, MemoryOrder, Module, Op, Scope, Type, Value};

    /// Waits for other work-groups as programs do, and reads what nobody changes.
    fn volatile_accesses(fences: bool) -> Module {
        kernel(&[(GP, buffer("flag")), (GP, buffer("data"))], |b, p| {
            let x = b.load(p[1], Type::I32, 4, false);
            let y = b.load(p[0], Type::I32, 4, true);
            let sum = b.binary(BinaryOp::Add, x, y);
            if fences {
                let (order, flags) = (MemoryOrder::AcquireRelease, FenceFlags::GLOBAL);
                b.push(Op::Fence { order, scope: Scope::Device, flags }, &[], &[]);
            }
            b.store(p[0], sum, 4, true);
            b.push(Op::Return, &[], &[]);
        })
    }

    #[test]
    fn volatile_accesses_reach_other_work_groups() {
        // The type of the two accesses by address, or the descriptor of `flag`.
        for preset in ["nvidia-h200", "lavapipe-25.0", "swiftshader"] {
            let spirv = compile(volatile_accesses(false), preset).spirv;
            assert_eq!(decorations(&spirv, Decoration::Coherent), 1, "{preset}");
        }
        let spirv = compile(volatile_accesses(true), "nvidia-h200").spirv;
        let accesses = |op, access: spirv::MemoryAccess| {
            let has =
                |operand: &Operand| matches!(operand, Operand::MemoryAccess(mask) if mask.contains(access));
            instructions(&spirv, op).iter().filter(|inst| inst.operands.iter().any(has)).count()
        };
        assert_eq!(accesses(spirv::Op::Load, spirv::MemoryAccess::MAKE_POINTER_VISIBLE), 1);
        assert_eq!(accesses(spirv::Op::Store, spirv::MemoryAccess::MAKE_POINTER_AVAILABLE), 1);
    }

    #[test]
    fn loads_of_constant_memory_are_marked_where_that_pays() {
        let body = |b: &mut Builder, p: &[Value]| {
            let x = b.load(p[0], Type::I32, 4, false);
            b.store(p[1], x, 4, false);
            b.push(Op::Return, &[], &[]);
        };
        for (preset, marked) in [("nvidia-h200", 1), ("lavapipe-25.0", 0)] {
            let params = [(Type::Pointer(AddressSpace::Constant), buffer("table")), (GP, buffer("out"))];
            let spirv = compile(kernel(&params, body), preset).spirv;
            assert_eq!(decorations(&spirv, Decoration::NonWritable), marked, "{preset}");
        }
    }
}
