//! Bodies of functions.
//!
//! Each block becomes a block of a [`Cfg`]. A value that another block uses, and every phi, has a slot in
//! private memory; the translator's passes make values of them again. Aggregates are always in memory: each
//! id has memory of its own, which only its definition writes.
//!
//! Files: [`mod@self`] goes through the blocks; `values` finds operands and keeps results, `locals` the ids;
//! `flow` ends blocks; the others translate instructions, by chapters of the specification.

pub mod arithmetic;
mod atomics;
mod built_in;
mod composite;
mod convert;
mod enqueue;
mod extended;
mod extended_rules;
mod flow;
mod group;
mod images;
mod locals;
mod matrix;
mod memory;
mod pipes;
mod rules;
mod sub_group_intel;
mod values;

use crate::Reader;
use crate::binary::{Id, Instruction};
use crate::error::{Error, Place};
use crate::function::unsupported;
use crate::lines::Lines;
use clvk_ir::structurize::{Cfg, Limits, reverse_postorder, structurize};
use clvk_ir::verify::{Stage, verify_function};
use clvk_ir::{
    AddressSpace, Block, Builder, EntityId, FastMath, Func, Function, Inst, Op as IrOp, Region, Room, Span,
    Type, UnrollHint, Value,
};
use locals::Locals;
use rspirv::spirv::{BuiltIn, Decoration, LoopControl, Op};
use rustc_hash::FxHashMap;
use std::ops::Range;
use values::{Access, Definition};

/// A phi: its slot and what each predecessor gives.
struct Phi {
    result: Id,
    ty: Id,
    slot: Value,
    /// Where [`Tables::incoming`] has what it gets.
    incoming: Range<usize>,
    place: Place,
}

/// What is known of a function while it is read. The next function has its room.
#[derive(Default)]
struct Tables {
    /// Blocks, by label.
    blocks: FxHashMap<Id, Block>,
    phis: Vec<Phi>,
    /// By block: the number of its first phi; then the number of phis.
    first_phis: Vec<usize>,
    /// For each phi, the labels of predecessors in ascending order, and the values.
    incoming: Vec<(Id, Id)>,
    /// Constants that the function has used, which every block may use.
    constants: FxHashMap<Id, Definition>,
    /// The number of instructions in the function before each instruction of the module.
    made: Vec<(usize, Place)>,
    /// Memory made while the function is read; it goes to the start.
    allocas: Vec<Inst>,
    /// Slots that an end of a block writes, with the types and ids of the values, and these values.
    moves: Vec<(Value, Id, Id)>,
    moved: Vec<Definition>,
}

impl Tables {
    fn clear(&mut self) {
        clear(&mut self.blocks);
        clear(&mut self.constants);
        self.phis.clear();
        self.first_phis.clear();
        self.incoming.clear();
        self.made.clear();
        self.allocas.clear();
    }

    /// The numbers of a block's phis.
    fn phis_of(&self, block: Block) -> Range<usize> {
        self.first_phis[block.index()]..self.first_phis[block.index() + 1]
    }

    /// What a phi gets from a predecessor. (Where a label is named twice, the last one counts.)
    fn incoming_from(&self, phi: &Phi, label: Id) -> Option<Id> {
        let incoming = &self.incoming[phi.incoming.clone()];
        let after = incoming.partition_point(|&(from, _)| from <= label);
        incoming[..after].last().filter(|(from, _)| *from == label).map(|&(_, value)| value)
    }
}

/// Empties a table, and keeps its room unless emptying it would cost each further function much.
fn clear<T>(table: &mut FxHashMap<Id, T>) {
    match table.capacity() {
        ..=1024 => table.clear(),
        _ => *table = FxHashMap::default(),
    }
}

/// The state while a function is read.
struct Body<'r, 'w> {
    reader: &'r mut Reader<'w>,
    function: Function,
    /// The region that is being filled.
    region: Region,
    /// What is computed before the first block.
    prologue: Region,
    cfg: Cfg,
    block: Block,
    label: Id,
    func: Func,
    locals: Locals,
    tables: Tables,
    /// Variables that hold an image or a sampler, and what was stored in them.
    handles: FxHashMap<Id, Option<Value>>,
    result_pointer: Option<Value>,
    /// Products and sums may be fused.
    contract: bool,
    /// What the current instruction allows.
    fast_math: FastMath,
    /// The instructions at which the line of the source changes, and its span from there on.
    spans: Vec<(usize, Span)>,
    /// That of the current instruction.
    span: Span,
    /// How many constants are being computed.
    constant_depth: u32,
}

/// What each function needs anew, and leaves to the next one.
#[derive(Default)]
pub struct Scratch<'w> {
    instructions: Vec<Instruction<'w>>,
    locals: Locals,
    tables: Tables,
    room: Room,
}

impl<'w> Reader<'w> {
    /// Translates a function that is declared.
    ///
    /// # Errors
    /// It is wrong, or uses something that is not supported.
    pub fn read_body(&mut self, id: Id, func: Func) -> Result<(), Error> {
        let definition = self.definition_of_function(id)?;
        let Scratch { mut instructions, mut locals, mut tables, mut room } =
            std::mem::take(&mut self.scratch);
        tables.clear();
        let (spans, count) = self.instructions_of(&definition, &mut instructions)?;
        let first = instructions.iter().position(|it| it.op() == Some(Op::Label));
        let Some(first) = first else {
            return Err(definition.error("the function has no body and is not imported"));
        };
        let contract = !self.uncontracted.contains(&id);
        let (params, blocks) = instructions.split_at(first);
        locals.restart(&instructions);
        let mut function = std::mem::take(&mut self.module.functions[func]);
        function.span = spans.first().map_or(Span::NONE, |&(_, first)| first);
        if !self.keeps_bodies {
            function.enter(&mut room);
        }
        // Most instructions become one or two, and have one result.
        function.insts.reserve(2 * instructions.len());
        function.values.reserve(2 * instructions.len());
        let entry = function.add_region();
        let mut body = Body::new(self, func, function, entry, contract);
        (body.spans, body.locals, body.tables) = (spans, locals, tables);
        body.cfg.blocks.reserve(count);
        body.scan(blocks)?;
        body.receive(params, &definition)?;
        body.read(blocks)?;
        let (mut function, locals, tables) = body.finish(entry);
        if self.keeps_bodies {
            function.insts.shrink_to_fit();
            function.values.shrink_to_fit();
            let regions = function.regions.iter_mut().map(|(_, region)| &mut region.insts);
            regions.filter(|insts| insts.is_empty()).for_each(Vec::shrink_to_fit);
        }
        self.module.functions[func] = function;
        let verified = self.verify(func, &tables.made, &definition);
        if !self.keeps_bodies {
            self.module.functions[func].leave(&mut room);
        }
        self.scratch = Scratch { instructions, locals, tables, room };
        verified
    }

    /// Finds the instructions of a function. Gives those at which the line of the source changes, and the
    /// number of blocks.
    fn instructions_of(
        &mut self,
        definition: &Instruction<'w>,
        instructions: &mut Vec<Instruction<'w>>,
    ) -> Result<(Vec<(usize, Span)>, usize), Error> {
        instructions.clear();
        let (mut lines, mut spans, mut spot, mut blocks) = (Lines::default(), Vec::new(), None, 0);
        for instruction in self.index.instructions_from(definition.at).skip(1) {
            let instruction = instruction?;
            lines.go_to(&instruction, |id| self.index.definition(id));
            match instruction.op() {
                Some(Op::FunctionEnd) => break,
                Some(Op::Line | Op::NoLine | Op::Nop) => {}
                op => {
                    blocks += usize::from(op == Some(Op::Label));
                    instructions.push(instruction);
                    if lines.spot() != std::mem::replace(&mut spot, lines.spot()) {
                        spans.push((instruction.at, self.span(spot)));
                    }
                }
            }
        }
        Ok((spans, blocks))
    }

    /// Checks the rules of the IR. (Operands are checked here rather than once more for each instruction.)
    fn verify(&self, func: Func, made: &[(usize, Place)], definition: &Instruction<'_>) -> Result<(), Error> {
        let Some(broken) = verify_function(&self.module, func, Stage::Any).into_iter().next() else {
            return Ok(());
        };
        let following =
            broken.inst.map_or(0, |inst| made.partition_point(|&(count, _)| count <= inst.index()));
        let problem = format!("the instruction breaks a rule: {}", broken.rule);
        Err(match following.checked_sub(1) {
            Some(number) => Error::at(made[number].1.word, made[number].1.opcode, problem),
            None => definition.error(problem),
        })
    }
}

impl<'r, 'w> Body<'r, 'w> {
    fn new(
        reader: &'r mut Reader<'w>,
        func: Func,
        mut function: Function,
        entry: Region,
        contract: bool,
    ) -> Self {
        function.body = Some(entry);
        let prologue = function.add_region();
        Body {
            reader,
            function,
            region: prologue,
            prologue,
            cfg: Cfg::default(),
            block: Block::from_index(0),
            label: 0,
            func,
            locals: Locals::default(),
            tables: Tables::default(),
            handles: FxHashMap::default(),
            result_pointer: None,
            contract,
            fast_math: FastMath::empty(),
            spans: Vec::new(),
            span: Span::NONE,
            constant_depth: 0,
        }
    }

    /// Makes the blocks and the slots of phis, and finds the values that cross blocks.
    fn scan(&mut self, instructions: &[Instruction<'w>]) -> Result<(), Error> {
        let mut label = 0;
        for instruction in instructions {
            if instruction.op() == Some(Op::Label) {
                label = instruction.result().unwrap_or_default();
                let block = self.cfg.add_block(&mut self.function);
                if self.tables.blocks.insert(label, block).is_some() {
                    return Err(instruction.error(format!("the block %{label} is defined twice")));
                }
            } else if let (Some(result), Some(ty)) = (instruction.result(), instruction.result_type())
                && !self.locals.add(result, ty, label)
            {
                return Err(instruction.error(format!("%{result} is defined twice")));
            }
        }
        for instruction in instructions {
            match instruction.op() {
                Some(Op::Label) => {
                    label = instruction.result().unwrap_or_default();
                    self.tables.first_phis.push(self.tables.phis.len());
                }
                Some(Op::Phi) => self.scan_phi(instruction)?,
                // Some operands are literals, which may equal an id by chance. That costs a slot.
                _ => {
                    instruction.operands().iter().for_each(|&id| self.locals.note_use(id, label));
                }
            }
        }
        self.tables.first_phis.push(self.tables.phis.len());
        Ok(())
    }

    fn scan_phi(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (result, ty) =
            (instruction.result().unwrap_or_default(), instruction.result_type().unwrap_or_default());
        let (pairs, rest) = instruction.operands().as_chunks::<2>();
        if !rest.is_empty() {
            return Err(instruction.error("the phi's operands are not pairs"));
        }
        let first = self.tables.incoming.len();
        for &[value, predecessor] in pairs {
            self.locals.note_use(value, predecessor);
            self.tables.incoming.push((predecessor, value));
        }
        self.tables.incoming[first..].sort_by_key(|&(predecessor, _)| predecessor);
        let incoming = first..self.tables.incoming.len();
        let slot = self.memory_for(ty, instruction)?;
        let place = Place { word: instruction.at, opcode: instruction.opcode };
        self.tables.phis.push(Phi { result, ty, slot, incoming, place });
        Ok(())
    }

    /// Parameters, and the built-in variables that are loaded from.
    fn receive(&mut self, params: &[Instruction<'w>], definition: &Instruction<'_>) -> Result<(), Error> {
        let mut values = self.function.params.clone().into_iter();
        let (result, types) = self.reader.index.function_type(definition.operand(1)?, definition)?;
        if types.len() != params.len() {
            return Err(definition.error("the function has another number of parameters than its type"));
        }
        if self.reader.index.type_of(result, definition)?.is_aggregate() {
            self.result_pointer = values.next();
        }
        for param in params {
            let id = param.result().unwrap_or_default();
            let ty = param.result_type().unwrap_or_default();
            let value = values.next().ok_or_else(|| param.error("the function has too many parameters"))?;
            let data = self.reader.index.type_of(ty, param)?;
            let defined =
                if data.is_aggregate() { Definition::Memory(value) } else { Definition::Value(value) };
            self.locals.entry(id).ty = ty;
            self.locals.define(id, defined);
        }
        Ok(())
    }

    /// Reads the blocks that can be reached, each after those that dominate it. (Modules should have them in
    /// such an order, but LLVM's translator does not care.)
    fn read(&mut self, instructions: &[Instruction<'_>]) -> Result<(), Error> {
        let mut blocks = Vec::with_capacity(self.cfg.blocks.len());
        blocks.extend(instructions.chunk_by(|_, next| next.op() != Some(Op::Label)));
        let successors = flow::successors(&blocks, &self.tables.blocks)?;
        self.check_phis(&successors)?;
        for block in reverse_postorder(&successors, Block::from_index(0)) {
            let (label, rest) = blocks[block.index()].split_first().expect("a chunk is not empty");
            self.start(label)?;
            let (mut ended, mut may_be_phi) = (false, true);
            for instruction in rest {
                if ended {
                    return Err(instruction.error("the instruction follows the end of its block"));
                }
                match instruction.op() {
                    Some(Op::Phi) if !may_be_phi => {
                        return Err(instruction.error("the phi is not at the start of its block"));
                    }
                    // Debug information is instructions of this kind, too.
                    Some(Op::Phi | Op::ExtInst) => {}
                    _ => may_be_phi = false,
                }
                ended = self.instruction(instruction)?;
            }
            if !ended {
                return Err(rest.last().unwrap_or(label).error("the block does not end"));
            }
        }
        Ok(())
    }

    /// Starts a block, with its phis.
    fn start(&mut self, label: &Instruction<'_>) -> Result<(), Error> {
        self.label = label.result().unwrap_or_default();
        self.block = self.tables.blocks[&self.label];
        self.region = self.cfg.blocks[self.block].region;
        for number in self.tables.phis_of(self.block) {
            let Phi { result, ty, slot, .. } = self.tables.phis[number];
            // Its own slot is written on every way out of a block, also to where it keeps its value.
            let defined = match self.load(slot, ty, Access::default(), label)? {
                Definition::Value(value) => self.keep(result, ty, value, label)?,
                other => other,
            };
            self.locals.define(result, defined);
        }
        Ok(())
    }

    /// Translates an instruction; gives whether it ends the block.
    fn instruction(&mut self, instruction: &Instruction<'_>) -> Result<bool, Error> {
        let Some(op) = instruction.op() else {
            return Err(instruction.error("this instruction is not supported"));
        };
        if !self.spans.is_empty() {
            let line = self.spans.partition_point(|&(at, _)| at <= instruction.at);
            self.span = line.checked_sub(1).map_or(Span::NONE, |line| self.spans[line].1);
        }
        let place = Place { word: instruction.at, opcode: instruction.opcode };
        self.tables.made.push((self.function.insts.len(), place));
        self.reader.glue.place = Some(place);
        self.fast_math = self.fast_math_of(op, instruction);
        self.check_rules(op, instruction)?;
        if self.end_block(op, instruction)? {
            return Ok(true);
        }
        let done = self.matrix(op, instruction)?
            || self.memory_instruction(op, instruction)?
            || self.arithmetic(op, instruction)?
            || self.composite(op, instruction)?
            || self.conversion(op, instruction)?
            || self.synchronization(op, instruction)?
            || self.group(op, instruction)?
            || self.intel_sub_group(op, instruction)?
            || self.image(op, instruction)?
            || self.pipe(op, instruction)?
            || self.enqueue(op, instruction)?
            || self.call(op, instruction)?;
        if done { Ok(false) } else { Err(instruction.error("this instruction is not supported")) }
    }

    /// Translates the operation of a constant.
    fn compute(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let op = instruction.op().ok_or_else(|| instruction.error("this constant is not supported"))?;
        let done = self.arithmetic(op, instruction)?
            || self.composite(op, instruction)?
            || self.conversion(op, instruction)?
            || self.memory_instruction(op, instruction)?;
        if done { Ok(()) } else { Err(instruction.error("this constant is not supported")) }
    }

    /// Calls, and instructions that do nothing.
    fn call(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        match op {
            Op::LoopMerge => {
                let control = LoopControl::from_bits_retain(instruction.operand(2)?);
                if control.contains(LoopControl::DONT_UNROLL) {
                    self.cfg.blocks[self.block].unroll = UnrollHint::By(1);
                }
            }
            Op::Phi | Op::SelectionMerge | Op::LifetimeStart | Op::LifetimeStop => {}
            // A hint about the unstructured loop that begins here.
            Op::AssumeTrueKHR | Op::LoopControlINTEL => {}
            Op::ExpectKHR | Op::CopyObject | Op::CopyLogical => {
                let defined = self.operand(instruction.operand(0)?, instruction)?;
                self.define(instruction, defined)?;
            }
            Op::Undef => {
                let ty = instruction.result_type().unwrap_or_default();
                let data = self.reader.index.type_of(ty, instruction)?;
                let defined = match data.value() {
                    Some(Type::Image(_) | Type::Sampler) | None if !data.is_aggregate() => {
                        return Err(unsupported(&data.ty, instruction));
                    }
                    Some(ty) => Definition::Value(self.function.undef(ty)),
                    None => Definition::Memory(self.memory_for(ty, instruction)?),
                };
                self.define(instruction, defined)?;
            }
            Op::ExtInst => self.extended(instruction)?,
            Op::FunctionCall => self.function_call(instruction)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn function_call(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        if self.built_in_call(instruction)? {
            return Ok(());
        }
        let func =
            self.reader.function(instruction.operand(0)?).map_err(|error| error.used_by(instruction))?;
        let ty = instruction.result_type().unwrap_or_default();
        let index = self.reader.index;
        let data = index.type_of(ty, instruction)?;
        let mut operands = Vec::with_capacity(instruction.operands().len());
        let memory = if data.is_aggregate() { Some(self.memory_for(ty, instruction)?) } else { None };
        operands.extend(memory);
        for &argument in &instruction.operands()[1..] {
            operands.push(match self.operand(argument, instruction)? {
                Definition::Memory(address) => self.private_copy(argument, address, instruction)?,
                other => self.value_of(other, instruction)?,
            });
        }
        let result = if memory.is_some() { None } else { data.value() };
        let inst = self.push(IrOp::Call(func), &operands, result.as_slice());
        let place = Place { word: instruction.at, opcode: instruction.opcode };
        self.reader.calls.push((self.func, func, place));
        let defined = match (memory, result) {
            (Some(address), _) => Definition::Memory(address),
            (None, Some(_)) => Definition::Value(self.function.insts[inst].results[0]),
            (None, None) => return Ok(()),
        };
        self.define(instruction, defined)
    }

    /// Where the arguments of a function are: aggregates in private memory.
    fn private_copy(&mut self, id: Id, address: Value, user: &Instruction<'_>) -> Result<Value, Error> {
        if self.function.ty(address) == Type::Pointer(AddressSpace::Private) {
            return Ok(address);
        }
        let ty = self.type_of_value(id, user)?;
        let copy = self.memory_for(ty, user)?;
        self.store(copy, Definition::Memory(address), ty, Access::default(), user)?;
        Ok(copy)
    }

    /// Makes regions of the blocks. Gives back what the next function takes over.
    fn finish(mut self, entry: Region) -> (Function, Locals, Tables) {
        let prologue = std::mem::take(&mut self.function.regions[self.prologue].insts);
        let insts = &mut self.function.regions[entry].insts;
        insts.extend(self.tables.allocas.iter().chain(&prologue));
        structurize(&mut self.function, self.cfg, entry, Limits::default());
        (self.function, self.locals, self.tables)
    }

    fn build(&mut self) -> Builder<'_> {
        let mut builder = Builder::new(&mut self.function, self.region);
        builder.set_fast_math(self.fast_math);
        builder.set_span(self.span);
        builder
    }

    fn push(&mut self, op: IrOp, operands: &[Value], results: &[Type]) -> Inst {
        self.build().push(op, operands, results)
    }

    /// The built-in variable that an id names.
    fn built_in(&self, id: Id) -> Option<BuiltIn> {
        let words = self.reader.index.decoration(id, Decoration::BuiltIn)?;
        BuiltIn::from_u32(*words.first()?)
    }
}
