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
    AddressSpace, Block, Builder, EntityId, FastMath, Func, Function, Inst, Op as IrOp, Region, Span, Type,
    UnrollHint, Value,
};
use locals::Locals;
use rspirv::spirv::{BuiltIn, Decoration, LoopControl, Op};
use rustc_hash::FxHashMap;
use values::{Access, Definition};

/// A phi: its slot and what each predecessor gives.
struct Phi {
    result: Id,
    ty: Id,
    slot: Value,
    /// Values, by the label of the predecessor.
    incoming: FxHashMap<Id, Id>,
    place: Place,
}

/// The state while a function is read.
struct Body<'r, 'w> {
    reader: &'r mut Reader<'w>,
    function: Function,
    /// The region that is being filled.
    region: Region,
    /// Memory made while the function is read; it goes to the start.
    allocas: Vec<Inst>,
    /// What is computed before the first block.
    prologue: Region,
    cfg: Cfg,
    blocks: FxHashMap<Id, Block>,
    block: Block,
    label: Id,
    func: Func,
    locals: Locals,
    phis: FxHashMap<Id, Vec<Phi>>,
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
    /// The number of instructions in the function before each instruction of the module.
    made: Vec<(usize, Place)>,
}

/// What each function needs anew, and leaves to the next one.
#[derive(Default)]
pub struct Scratch<'w> {
    instructions: Vec<Instruction<'w>>,
    locals: Locals,
    made: Vec<(usize, Place)>,
}

impl<'w> Reader<'w> {
    /// Translates a function that is declared.
    ///
    /// # Errors
    /// It is wrong, or uses something that is not supported.
    pub fn read_body(&mut self, id: Id, func: Func) -> Result<(), Error> {
        let definition = self.definition_of_function(id)?;
        let (mut lines, mut spans) = (Lines::default(), Vec::new());
        let Scratch { mut instructions, locals, made } = std::mem::take(&mut self.scratch);
        instructions.clear();
        let mut spot = None;
        for instruction in self.index.instructions_from(definition.at).skip(1) {
            let instruction = instruction?;
            lines.go_to(&instruction, |id| self.index.definition(id));
            match instruction.op() {
                Some(Op::FunctionEnd) => break,
                Some(Op::Line | Op::NoLine | Op::Nop) => {}
                _ => {
                    instructions.push(instruction);
                    if lines.spot() != std::mem::replace(&mut spot, lines.spot()) {
                        spans.push((instruction.at, self.span(spot)));
                    }
                }
            }
        }
        let mut function = std::mem::take(&mut self.module.functions[func]);
        function.span = spans.first().map_or(Span::NONE, |&(_, first)| first);
        let entry = function.add_region();
        let first = instructions.iter().position(|it| it.op() == Some(Op::Label));
        let Some(first) = first else {
            return Err(definition.error("the function has no body and is not imported"));
        };
        let contract = !self.uncontracted.contains(&id);
        let (params, blocks) = instructions.split_at(first);
        // Most instructions become one or two, and have one result.
        function.insts.reserve(2 * instructions.len());
        function.values.reserve(2 * instructions.len());
        let mut body = Body::new(self, func, function, entry, contract);
        body.spans = spans;
        (body.locals, body.made) = (locals, made);
        body.locals.restart(&instructions);
        body.made.clear();
        body.scan(blocks)?;
        body.receive(params, &definition)?;
        body.read(blocks)?;
        let (made, locals) = (std::mem::take(&mut body.made), std::mem::take(&mut body.locals));
        let mut function = body.finish(entry);
        function.insts.shrink_to_fit();
        function.values.shrink_to_fit();
        self.module.functions[func] = function;
        let verified = self.verify(func, &made, &definition);
        if !self.keeps_bodies {
            let function = &mut self.module.functions[func];
            *function = std::mem::take(function).into_declaration();
        }
        self.scratch = Scratch { instructions, locals, made };
        verified
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
            allocas: Vec::new(),
            prologue,
            cfg: Cfg::default(),
            blocks: FxHashMap::default(),
            block: Block::from_index(0),
            label: 0,
            func,
            locals: Locals::default(),
            phis: FxHashMap::default(),
            handles: FxHashMap::default(),
            result_pointer: None,
            contract,
            fast_math: FastMath::empty(),
            spans: Vec::new(),
            span: Span::NONE,
            constant_depth: 0,
            made: Vec::new(),
        }
    }

    /// Makes the blocks and the slots of phis, and finds the values that cross blocks.
    fn scan(&mut self, instructions: &[Instruction<'w>]) -> Result<(), Error> {
        let mut label = 0;
        for instruction in instructions {
            if instruction.op() == Some(Op::Label) {
                label = instruction.result().unwrap_or_default();
                let block = self.cfg.add_block(&mut self.function);
                if self.blocks.insert(label, block).is_some() {
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
                Some(Op::Label) => label = instruction.result().unwrap_or_default(),
                Some(Op::Phi) => self.scan_phi(instruction, label)?,
                // Some operands are literals, which may equal an id by chance. That costs a slot.
                _ => {
                    instruction.operands().iter().for_each(|&id| self.locals.note_use(id, label));
                }
            }
        }
        Ok(())
    }

    fn scan_phi(&mut self, instruction: &Instruction<'_>, label: Id) -> Result<(), Error> {
        let (result, ty) =
            (instruction.result().unwrap_or_default(), instruction.result_type().unwrap_or_default());
        let (pairs, rest) = instruction.operands().as_chunks::<2>();
        if !rest.is_empty() {
            return Err(instruction.error("the phi's operands are not pairs"));
        }
        let mut incoming = FxHashMap::default();
        for &[value, predecessor] in pairs {
            self.locals.note_use(value, predecessor);
            incoming.insert(predecessor, value);
        }
        let slot = self.memory_for(ty, instruction)?;
        let place = Place { word: instruction.at, opcode: instruction.opcode };
        self.phis.entry(label).or_default().push(Phi { result, ty, slot, incoming, place });
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
        let blocks: Vec<&[Instruction<'_>]> =
            instructions.chunk_by(|_, next| next.op() != Some(Op::Label)).collect();
        let successors = flow::successors(&blocks, &self.blocks)?;
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
        self.block = self.blocks[&self.label];
        self.region = self.cfg.blocks[self.block].region;
        let phis = self.phis.get(&self.label).map(Vec::as_slice).unwrap_or_default();
        let phis: Vec<(Id, Id, Value)> = phis.iter().map(|phi| (phi.result, phi.ty, phi.slot)).collect();
        for (result, ty, slot) in phis {
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
        self.made.push((self.function.insts.len(), place));
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
        let data = self.reader.index.type_of(ty, instruction)?.clone();
        let mut operands = Vec::new();
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

    /// Makes regions of the blocks.
    fn finish(mut self, entry: Region) -> Function {
        let prologue = std::mem::take(&mut self.function.regions[self.prologue].insts);
        let insts = self.allocas.into_iter().chain(prologue).collect();
        self.function.regions[entry].insts = insts;
        structurize(&mut self.function, self.cfg, entry, Limits::default());
        self.function
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
