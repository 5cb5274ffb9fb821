//! Finds accesses that are less aligned than the module promises; on some devices they lose the device, on
//! others they go unnoticed. Where the promise is broken, a load or store by address accesses address 0
//! instead. On drivers that run on the CPU, that ends the process.
//!
//! Not covered: atomic operations, and devices without buffer addresses.

use rspirv::binary::Assemble as _;
use rspirv::dr::{Instruction, Module, Operand, load_words};
use rspirv::spirv::{Capability, MemoryAccess, Op, StorageClass, Word};
use std::collections::HashMap;

/// The module with checks.
///
/// # Errors
/// What is wrong with the module.
pub fn check(words: &[u32]) -> Result<Vec<u32>, String> {
    let module = load_words(words).map_err(|error| error.to_string())?;
    Ok(Checker::new(module).rewrite().assemble())
}

struct Checker {
    module: Module,
    next: Word,
    /// Types of pointers to buffers.
    pointer_types: Vec<Word>,
    /// The type of each id.
    types: HashMap<Word, Word>,
    long: Word,
    boolean: Word,
    constants: HashMap<u64, Word>,
}

impl Checker {
    fn new(module: Module) -> Self {
        let next = module.header.as_ref().map_or(1, |header| header.bound);
        let of_class = |instruction: &&Instruction| {
            instruction.class.opcode == Op::TypePointer
                && instruction.operands[0] == Operand::StorageClass(StorageClass::PhysicalStorageBuffer)
        };
        let pointer_types = module.types_global_values.iter().filter(of_class).filter_map(|i| i.result_id);
        let pointer_types = pointer_types.collect();
        let types = module.all_inst_iter().filter_map(|i| Some((i.result_id?, i.result_type?))).collect();
        let constants = HashMap::new();
        let mut checker = Checker { module, next, pointer_types, types, long: 0, boolean: 0, constants };
        checker.long =
            checker.global_type(Op::TypeInt, &[Operand::LiteralBit32(64), Operand::LiteralBit32(0)]);
        checker.boolean = checker.global_type(Op::TypeBool, &[]);
        checker
    }

    fn id(&mut self) -> Word {
        self.next += 1;
        self.next - 1
    }

    /// The type with this declaration, added first among the others if it is new.
    fn global_type(&mut self, op: Op, operands: &[Operand]) -> Word {
        let known = self.module.types_global_values.iter();
        let mut known = known.filter(|i| i.class.opcode == op && i.operands == operands);
        if let Some(id) = known.find_map(|instruction| instruction.result_id) {
            return id;
        }
        let id = self.id();
        self.module.types_global_values.insert(0, Instruction::new(op, None, Some(id), operands.to_vec()));
        id
    }

    fn constant(&mut self, value: u64) -> Word {
        if let Some(&id) = self.constants.get(&value) {
            return id;
        }
        let id = self.id();
        let operands = vec![Operand::LiteralBit64(value)];
        let constant = Instruction::new(Op::Constant, Some(self.long), Some(id), operands);
        self.module.types_global_values.push(constant);
        self.constants.insert(value, id);
        id
    }

    fn rewrite(mut self) -> Module {
        let capability = Operand::Capability(Capability::Int64);
        if !self.module.capabilities.iter().any(|i| i.operands[0] == capability) {
            let declared = Instruction::new(Op::Capability, None, None, vec![capability]);
            self.module.capabilities.push(declared);
        }
        let mut functions = std::mem::take(&mut self.module.functions);
        for block in functions.iter_mut().flat_map(|function| &mut function.blocks) {
            let mut checked = Vec::new();
            for mut instruction in std::mem::take(&mut block.instructions) {
                if let Some((pointer, align)) = self.promise(&instruction) {
                    let pointer = self.guard(pointer, align, &mut checked);
                    instruction.operands[0] = Operand::IdRef(pointer);
                }
                checked.push(instruction);
            }
            block.instructions = checked;
        }
        self.module.functions = functions;
        if let Some(header) = &mut self.module.header {
            header.bound = self.next;
        }
        self.module
    }

    /// The pointer of an access by address, and the alignment that it claims.
    fn promise(&self, instruction: &Instruction) -> Option<(Word, u32)> {
        if !matches!(instruction.class.opcode, Op::Load | Op::Store) {
            return None;
        }
        let &Operand::IdRef(pointer) = instruction.operands.first()? else { return None };
        if !self.pointer_types.contains(self.types.get(&pointer)?) {
            return None;
        }
        let mut rest = instruction.operands.iter().skip_while(
            |operand| !matches!(operand, Operand::MemoryAccess(mask) if mask.contains(MemoryAccess::ALIGNED)),
        );
        let Some(&Operand::LiteralBit32(align)) = rest.nth(1) else { return None };
        Some((pointer, align))
    }

    /// The same pointer if it is aligned, otherwise a null pointer.
    fn guard(&mut self, pointer: Word, align: u32, before: &mut Vec<Instruction>) -> Word {
        let (long, boolean, ty) = (self.long, self.boolean, self.types[&pointer]);
        let (zero, mask) = (self.constant(0), self.constant(u64::from(align) - 1));
        let mut add = |op: Op, ty: Word, operands: &[Word], id: Word| {
            let operands = operands.iter().copied().map(Operand::IdRef).collect();
            before.push(Instruction::new(op, Some(ty), Some(id), operands));
            id
        };
        let address = add(Op::ConvertPtrToU, long, &[pointer], self.id());
        let rest = add(Op::BitwiseAnd, long, &[address, mask], self.id());
        let aligned = add(Op::IEqual, boolean, &[rest, zero], self.id());
        let chosen = add(Op::Select, long, &[aligned, address, zero], self.id());
        add(Op::ConvertUToPtr, ty, &[chosen], self.id())
    }
}
