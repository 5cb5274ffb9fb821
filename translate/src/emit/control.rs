//! Constructs become blocks; their results and parameters become phis.
//!
//! The writer keeps its own stack of pending work, so nesting does not use the thread's stack.

use super::kernel::Kernel;
use clvk_ir::{EntityId, Inst, Op, Region, Type, UnrollHint, Value};
use rspirv::{
    dr::Operand,
    spirv::{self, Word},
};
use rustc_hash::FxHashMap;

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
struct Walk {
    steps: Vec<Step>,
    constructs: FxHashMap<Inst, Construct>,
    owners: Vec<Option<Inst>>,
}

impl Kernel<'_, '_> {
    /// Writes all regions, from the body on.
    pub fn regions(&mut self) {
        let body = self.function.body.expect("kernels have bodies");
        let mut walk = Walk {
            steps: vec![Step::Region(body, 0)],
            constructs: FxHashMap::default(),
            owners: crate::passes::cursor::region_owners(self.function),
        };
        while let Some(step) = walk.steps.pop() {
            match step {
                Step::Region(region, position) => self.instructions(&mut walk, region, position),
                Step::Block(label, region) => {
                    self.begin(label);
                    walk.steps.push(Step::Region(region, 0));
                }
                Step::Continuing(inst) => self.continuing(&mut walk, inst),
                Step::Merge(inst) => self.merge(&mut walk, inst),
            }
        }
    }

    /// Writes a region up to the next construct.
    fn instructions(&mut self, walk: &mut Walk, region: Region, mut position: usize) {
        while let Some(&inst) = self.function.regions[region].insts.get(position) {
            position += 1;
            self.line(inst);
            match self.function.insts[inst].op {
                Op::If | Op::Loop(_) | Op::Switch(_) | Op::Block => {
                    walk.steps.push(Step::Region(region, position));
                    walk.steps.push(Step::Merge(inst));
                    self.construct(walk, inst);
                    return;
                }
                Op::Exit(_) | Op::Continue(_) | Op::NextIteration | Op::Return | Op::Unreachable => {
                    self.terminator(walk, region, inst);
                    return;
                }
                _ => self.instruction(inst),
            }
        }
    }

    fn incoming(&mut self, operands: &[Value]) -> Incoming {
        Incoming { label: self.label, values: operands.iter().map(|&value| self.id(value)).collect() }
    }

    fn branch(&mut self, label: Word) {
        self.effect(spirv::Op::Branch, vec![Operand::IdRef(label)]);
    }

    fn terminator(&mut self, walk: &mut Walk, region: Region, inst: Inst) {
        let data = &self.function.insts[inst];
        let incoming = self.incoming(&data.operands);
        match data.op {
            Op::Exit(target) => {
                let construct = walk.constructs.get_mut(&target).expect("exits leave what encloses them");
                construct.exits.push(incoming);
                let merge = construct.merge;
                self.branch(merge);
            }
            Op::Continue(target) => {
                let construct = walk.constructs.get_mut(&target).expect("the loop encloses its continues");
                construct.continues.push(incoming);
                let label = construct.continue_target;
                self.branch(label);
            }
            Op::NextIteration => {
                let owner = walk.owners[region.index()].expect("a loop owns the continuing region");
                self.next_iteration(walk, owner, incoming);
            }
            Op::Return => self.effect(spirv::Op::Return, vec![]),
            _ => self.effect(spirv::Op::Unreachable, vec![]),
        }
    }

    fn selection_merge(&mut self, merge: Word) {
        let control = Operand::SelectionControl(spirv::SelectionControl::NONE);
        self.effect(spirv::Op::SelectionMerge, vec![Operand::IdRef(merge), control]);
    }

    fn construct(&mut self, walk: &mut Walk, inst: Inst) {
        let mut construct = Construct { merge: self.writer.id(), ..Construct::default() };
        match &self.function.insts[inst].op {
            Op::If => self.begin_if(walk, &mut construct, inst),
            Op::Loop(_) => self.begin_loop(walk, &mut construct, inst),
            Op::Switch(cases) => self.begin_switch(walk, &construct, inst, cases),
            _ => self.begin_block(walk, &construct, inst),
        }
        walk.constructs.insert(inst, construct);
    }

    /// Whether a region only leaves `owner`, at once.
    fn is_empty(&self, region: Region, owner: Inst) -> bool {
        let [only] = self.function.regions[region].insts[..] else { return false };
        self.function.insts[only].op == Op::Exit(owner)
    }

    fn begin_if(&mut self, walk: &mut Walk, construct: &mut Construct, inst: Inst) {
        let condition = self.operand(inst, 0);
        let (then, otherwise) = (self.function.insts[inst].regions[0], self.function.insts[inst].regions[1]);
        let then_label = self.writer.id();
        let mut else_label = construct.merge;
        if self.is_empty(otherwise, inst) {
            let exit = self.function.regions[otherwise].insts[0];
            let incoming = self.incoming(&self.function.insts[exit].operands);
            construct.exits.push(incoming);
        } else {
            else_label = self.writer.id();
            walk.steps.push(Step::Block(else_label, otherwise));
        }
        walk.steps.push(Step::Block(then_label, then));
        self.selection_merge(construct.merge);
        let operands = [condition, then_label, else_label].map(Operand::IdRef).to_vec();
        self.effect(spirv::Op::BranchConditional, operands);
    }

    fn begin_switch(&mut self, walk: &mut Walk, construct: &Construct, inst: Inst, cases: &[Box<[u64]>]) {
        let selector = self.operand(inst, 0);
        let wide = self.operand_type(inst, 0) == Type::I64;
        let regions = &self.function.insts[inst].regions;
        let labels: Vec<Word> = regions.iter().map(|_| self.writer.id()).collect();
        for (&region, &label) in regions.iter().zip(&labels).rev() {
            walk.steps.push(Step::Block(label, region));
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
        self.effect(spirv::Op::Switch, operands);
    }

    /// A block that is left early is written as a switch with only a default.
    fn begin_block(&mut self, walk: &mut Walk, construct: &Construct, inst: Inst) {
        let label = self.writer.id();
        walk.steps.push(Step::Block(label, self.function.insts[inst].regions[0]));
        let zero = self.writer.word(0);
        self.selection_merge(construct.merge);
        self.effect(spirv::Op::Switch, vec![Operand::IdRef(zero), Operand::IdRef(label)]);
    }

    fn begin_loop(&mut self, walk: &mut Walk, construct: &mut Construct, inst: Inst) {
        let data = &self.function.insts[inst];
        let initial = self.incoming(&data.operands);
        construct.header = self.writer.id();
        construct.continue_target = self.writer.id();
        let body_label = self.writer.id();
        self.branch(construct.header);
        self.begin(construct.header);
        construct.header_block = self.blocks.len() - 1;
        let params = self.function.regions[data.regions[0]].params.clone();
        self.phis(&params, &[initial]);
        let control = Operand::LoopControl(loop_control(&data.op));
        let operands =
            vec![Operand::IdRef(construct.merge), Operand::IdRef(construct.continue_target), control];
        self.effect(spirv::Op::LoopMerge, operands);
        self.branch(body_label);
        walk.steps.push(Step::Continuing(inst));
        walk.steps.push(Step::Block(body_label, data.regions[0]));
    }

    fn continuing(&mut self, walk: &mut Walk, inst: Inst) {
        let region = self.function.insts[inst].regions[1];
        let construct = walk.constructs.get_mut(&inst).expect("the loop is being written");
        let incoming = std::mem::take(&mut construct.continues);
        self.begin(construct.continue_target);
        let params = self.function.regions[region].params.clone();
        self.phis(&params, &incoming);
        walk.steps.push(Step::Region(region, 0));
    }

    /// The back edge: adds what it brings to the header's phis.
    fn next_iteration(&mut self, walk: &mut Walk, owner: Inst, incoming: Incoming) {
        let construct = &walk.constructs[&owner];
        let block = &mut self.blocks[construct.header_block];
        for (phi, value) in block.instructions.iter_mut().zip(&incoming.values) {
            phi.operands.push(Operand::IdRef(*value));
            phi.operands.push(Operand::IdRef(incoming.label));
        }
        self.branch(construct.header);
    }

    fn merge(&mut self, walk: &mut Walk, inst: Inst) {
        let construct = walk.constructs.remove(&inst).expect("the construct is being written");
        self.begin(construct.merge);
        let results = self.function.insts[inst].results.to_vec();
        self.phis(&results, &construct.exits);
    }

    /// A phi for each value at the start of a block; undefined values if nothing leads there.
    fn phis(&mut self, values: &[Value], incoming: &[Incoming]) {
        for (position, &value) in values.iter().enumerate() {
            let ty = self.writer.value_type(self.function.ty(value));
            let operands: Vec<Operand> = incoming
                .iter()
                .flat_map(|incoming| {
                    [Operand::IdRef(incoming.values[position]), Operand::IdRef(incoming.label)]
                })
                .collect();
            let op = if operands.is_empty() { spirv::Op::Undef } else { spirv::Op::Phi };
            self.ids[value.index()] = self.add(op, ty, operands);
        }
    }
}

/// The loop control for the driver. A count was for the pass `unroll`; the driver decides about what that
/// pass left alone.
fn loop_control(op: &Op) -> spirv::LoopControl {
    match op {
        Op::Loop(UnrollHint::Full) => spirv::LoopControl::UNROLL,
        Op::Loop(UnrollHint::By(1)) => spirv::LoopControl::DONT_UNROLL,
        _ => spirv::LoopControl::NONE,
    }
}
