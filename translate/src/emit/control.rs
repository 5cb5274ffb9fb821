//! Constructs become blocks; their results and parameters become phis. Both writers of SPIR-V use it.
//!
//! The writer keeps its own stack of pending work, so nesting does not use the thread's stack.

use clvk_ir::{EntityId, Function, Inst, Op, Region, Type, UnrollHint, Value};
use rspirv::{
    dr::{self, Operand},
    spirv::{self, Word},
};
use rustc_hash::FxHashMap;

/// A function that is being written.
pub trait Body<'f> {
    /// Whether merge instructions must say how constructs nest, as shaders must.
    const STRUCTURED: bool;

    /// The function.
    fn function(&self) -> &'f Function;
    /// A new id.
    fn new_id(&mut self) -> Word;
    /// Finished blocks, and the one being written.
    fn blocks(&mut self) -> &mut Vec<dr::Block>;
    /// Label of the block being written.
    fn label(&self) -> Word;
    /// Starts a block.
    fn begin(&mut self, label: Word);
    /// Adds an instruction without a result.
    fn effect(&mut self, op: spirv::Op, operands: Vec<Operand>);
    /// Adds an instruction with a result of a type id.
    fn add(&mut self, op: spirv::Op, ty: Word, operands: Vec<Operand>) -> Word;
    /// The id of a value's type.
    fn type_of(&mut self, value: Value) -> Word;
    /// The id of a value.
    fn id(&mut self, value: Value) -> Word;
    /// Gives a value its id.
    fn define(&mut self, value: Value, id: Word);
    /// The id of the constant 0 of 32 bits.
    fn zero(&mut self) -> Word;
    /// One value of several results.
    fn returned(&mut self, values: Vec<Word>) -> Word;
    /// Says where an instruction comes from.
    fn line(&mut self, inst: Inst);
    /// Writes an instruction that is neither a construct nor a terminator.
    fn instruction(&mut self, inst: Inst);
}

/// A pending step.
enum Step {
    /// Continue with a region at this position.
    Region(Region, usize),
    /// Begin a block, then a region.
    Block(Word, Region),
    /// Begin the continuing region of a loop.
    Continuing(Inst),
    /// Begin the block after a construct.
    Merge(Inst),
}

/// A predecessor of a block and the values that it brings.
struct Incoming {
    label: Word,
    values: Vec<Word>,
}

/// A construct that is being written.
#[derive(Default)]
struct Construct {
    merge: Word,
    exits: Vec<Incoming>,
    /// For loops: header, continue target, and what leads there.
    header: Word,
    header_block: usize,
    continue_target: Word,
    continues: Vec<Incoming>,
}

/// State of the walk over the regions.
struct Walk<'b, 'f, B> {
    body: &'b mut B,
    function: &'f Function,
    steps: Vec<Step>,
    constructs: FxHashMap<Inst, Construct>,
    owners: Vec<Option<Inst>>,
}

/// Writes all regions of a function, from the body on.
pub fn regions<'f>(body: &mut impl Body<'f>) {
    let function = body.function();
    let first = function.body.expect("it has a body");
    let mut walk = Walk {
        steps: vec![Step::Region(first, 0)],
        constructs: FxHashMap::default(),
        owners: crate::passes::cursor::region_owners(function),
        function,
        body,
    };
    while let Some(step) = walk.steps.pop() {
        match step {
            Step::Region(region, position) => walk.instructions(region, position),
            Step::Block(label, region) => {
                walk.body.begin(label);
                walk.steps.push(Step::Region(region, 0));
            }
            Step::Continuing(inst) => walk.continuing(inst),
            Step::Merge(inst) => walk.merge(inst),
        }
    }
}

impl<'f, B: Body<'f>> Walk<'_, 'f, B> {
    /// Writes a region up to the next construct.
    fn instructions(&mut self, region: Region, mut position: usize) {
        while let Some(&inst) = self.function.regions[region].insts.get(position) {
            position += 1;
            self.body.line(inst);
            match self.function.insts[inst].op {
                Op::If | Op::Loop(_) | Op::Switch(_) | Op::Block => {
                    self.steps.push(Step::Region(region, position));
                    self.steps.push(Step::Merge(inst));
                    self.construct(inst);
                    return;
                }
                Op::Exit(_) | Op::Continue(_) | Op::NextIteration | Op::Return | Op::Unreachable => {
                    self.terminator(region, inst);
                    return;
                }
                _ => self.body.instruction(inst),
            }
        }
    }

    fn incoming(&mut self, operands: &[Value]) -> Incoming {
        Incoming {
            label: self.body.label(),
            values: operands.iter().map(|&value| self.body.id(value)).collect(),
        }
    }

    fn branch(&mut self, label: Word) {
        self.body.effect(spirv::Op::Branch, vec![Operand::IdRef(label)]);
    }

    fn terminator(&mut self, region: Region, inst: Inst) {
        let data = &self.function.insts[inst];
        let incoming = self.incoming(&data.operands);
        match data.op {
            Op::Exit(target) => {
                let construct = self.constructs.get_mut(&target).expect("exits leave what encloses them");
                construct.exits.push(incoming);
                let merge = construct.merge;
                self.branch(merge);
            }
            Op::Continue(target) => {
                let construct = self.constructs.get_mut(&target).expect("the loop encloses its continues");
                construct.continues.push(incoming);
                let label = construct.continue_target;
                self.branch(label);
            }
            Op::NextIteration => {
                let owner = self.owners[region.index()].expect("a loop owns the continuing region");
                self.next_iteration(owner, incoming);
            }
            Op::Return => {
                let value = match incoming.values[..] {
                    [] => return self.body.effect(spirv::Op::Return, vec![]),
                    [only] => only,
                    _ => self.body.returned(incoming.values),
                };
                self.body.effect(spirv::Op::ReturnValue, vec![Operand::IdRef(value)]);
            }
            _ => self.body.effect(spirv::Op::Unreachable, vec![]),
        }
    }

    fn selection_merge(&mut self, merge: Word) {
        if !B::STRUCTURED {
            return;
        }
        let control = Operand::SelectionControl(spirv::SelectionControl::NONE);
        self.body.effect(spirv::Op::SelectionMerge, vec![Operand::IdRef(merge), control]);
    }

    fn construct(&mut self, inst: Inst) {
        let mut construct = Construct { merge: self.body.new_id(), ..Construct::default() };
        match &self.function.insts[inst].op {
            Op::If => self.begin_if(&mut construct, inst),
            Op::Loop(_) => self.begin_loop(&mut construct, inst),
            Op::Switch(cases) => self.begin_switch(&construct, inst, cases),
            _ => self.begin_block(&construct, inst),
        }
        self.constructs.insert(inst, construct);
    }

    /// Whether a region only leaves `owner`, at once.
    fn is_empty(&self, region: Region, owner: Inst) -> bool {
        let [only] = self.function.regions[region].insts[..] else { return false };
        self.function.insts[only].op == Op::Exit(owner)
    }

    fn begin_if(&mut self, construct: &mut Construct, inst: Inst) {
        let condition = self.body.id(self.function.insts[inst].operands[0]);
        let (then, otherwise) = (self.function.insts[inst].regions[0], self.function.insts[inst].regions[1]);
        let then_label = self.body.new_id();
        let mut else_label = construct.merge;
        if self.is_empty(otherwise, inst) {
            let exit = self.function.regions[otherwise].insts[0];
            let incoming = self.incoming(&self.function.insts[exit].operands);
            construct.exits.push(incoming);
        } else {
            else_label = self.body.new_id();
            self.steps.push(Step::Block(else_label, otherwise));
        }
        self.steps.push(Step::Block(then_label, then));
        self.selection_merge(construct.merge);
        let operands = [condition, then_label, else_label].map(Operand::IdRef).to_vec();
        self.body.effect(spirv::Op::BranchConditional, operands);
    }

    fn begin_switch(&mut self, construct: &Construct, inst: Inst, cases: &[Box<[u64]>]) {
        let selector = self.function.insts[inst].operands[0];
        let wide = self.function.ty(selector) == Type::I64;
        let selector = self.body.id(selector);
        let regions = &self.function.insts[inst].regions;
        let labels: Vec<Word> = regions.iter().map(|_| self.body.new_id()).collect();
        for (&region, &label) in regions.iter().zip(&labels).rev() {
            self.steps.push(Step::Block(label, region));
        }
        self.selection_merge(construct.merge);
        let default = *labels.last().expect("a switch has a default region");
        let mut operands = vec![Operand::IdRef(selector), Operand::IdRef(default)];
        for (values, &label) in cases.iter().zip(&labels) {
            for &value in values {
                operands.push(match wide {
                    true => Operand::LiteralBit64(value),
                    false => Operand::LiteralBit32(value as u32),
                });
                operands.push(Operand::IdRef(label));
            }
        }
        self.body.effect(spirv::Op::Switch, operands);
    }

    /// A block that is left early is written as a switch with only a default.
    fn begin_block(&mut self, construct: &Construct, inst: Inst) {
        let label = self.body.new_id();
        self.steps.push(Step::Block(label, self.function.insts[inst].regions[0]));
        if !B::STRUCTURED {
            self.branch(label);
            return;
        }
        let zero = self.body.zero();
        self.selection_merge(construct.merge);
        self.body.effect(spirv::Op::Switch, vec![Operand::IdRef(zero), Operand::IdRef(label)]);
    }

    fn begin_loop(&mut self, construct: &mut Construct, inst: Inst) {
        let data = &self.function.insts[inst];
        let initial = self.incoming(&data.operands);
        construct.header = self.body.new_id();
        construct.continue_target = self.body.new_id();
        let body_label = self.body.new_id();
        self.branch(construct.header);
        self.body.begin(construct.header);
        construct.header_block = self.body.blocks().len() - 1;
        let params = self.function.regions[data.regions[0]].params.clone();
        self.phis(&params, &[initial]);
        let control = loop_control(&data.op);
        if B::STRUCTURED || control != spirv::LoopControl::NONE {
            let control = Operand::LoopControl(control);
            let operands =
                vec![Operand::IdRef(construct.merge), Operand::IdRef(construct.continue_target), control];
            self.body.effect(spirv::Op::LoopMerge, operands);
        }
        self.branch(body_label);
        self.steps.push(Step::Continuing(inst));
        self.steps.push(Step::Block(body_label, data.regions[0]));
    }

    fn continuing(&mut self, inst: Inst) {
        let region = self.function.insts[inst].regions[1];
        let construct = self.constructs.get_mut(&inst).expect("the loop is being written");
        let incoming = std::mem::take(&mut construct.continues);
        self.body.begin(construct.continue_target);
        let params = self.function.regions[region].params.clone();
        self.phis(&params, &incoming);
        self.steps.push(Step::Region(region, 0));
    }

    /// The back edge: adds what it brings to the header's phis.
    fn next_iteration(&mut self, owner: Inst, incoming: Incoming) {
        let construct = &self.constructs[&owner];
        let block = &mut self.body.blocks()[construct.header_block];
        for (phi, value) in block.instructions.iter_mut().zip(&incoming.values) {
            phi.operands.push(Operand::IdRef(*value));
            phi.operands.push(Operand::IdRef(incoming.label));
        }
        self.branch(construct.header);
    }

    fn merge(&mut self, inst: Inst) {
        let construct = self.constructs.remove(&inst).expect("the construct is being written");
        self.body.begin(construct.merge);
        let results = self.function.insts[inst].results.to_vec();
        self.phis(&results, &construct.exits);
    }

    /// A phi for each value at the start of a block; undefined values if nothing leads there.
    fn phis(&mut self, values: &[Value], incoming: &[Incoming]) {
        for (position, &value) in values.iter().enumerate() {
            let ty = self.body.type_of(value);
            let operands: Vec<Operand> = incoming
                .iter()
                .flat_map(|incoming| {
                    [Operand::IdRef(incoming.values[position]), Operand::IdRef(incoming.label)]
                })
                .collect();
            let op = if operands.is_empty() { spirv::Op::Undef } else { spirv::Op::Phi };
            let id = self.body.add(op, ty, operands);
            self.body.define(value, id);
        }
    }
}

/// The loop control for the driver. A count was for the pass `unroll`; the driver decides about what that
/// pass left alone.
fn loop_control(op: &Op) -> spirv::LoopControl {
    match op {
        Op::Loop(UnrollHint::Full) => spirv::LoopControl::UNROLL,
        Op::Loop(UnrollHint::By(1) | UnrollHint::Kept) => spirv::LoopControl::DONT_UNROLL,
        _ => spirv::LoopControl::NONE,
    }
}
