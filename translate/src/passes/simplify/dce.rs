//! Removes dead code: instructions, region parameters and results, whole constructs, and stores to private
//! variables that nothing reads.
//!
//! Everything is assumed dead until something needs it, so values that only keep each other alive round a
//! loop are removed. A construct is needed if it contains an effect, if it is left other than by its own
//! exits, or if one of its results is needed. A loop without effects is assumed to end if it has an exit.

use crate::passes::structure::Structure;
use clvk_ir::{ConvertOp, EntityId, Function, Inst, Op, Region, Value, ValueDef};
use rustc_hash::FxHashMap;

/// Removes dead code; returns how much there was.
pub fn run(function: &mut Function) -> usize {
    let Some(body) = function.body else { return 0 };
    let structure = Structure::of(function);
    let mut marker = Marker::new(function, &structure);
    marker.regions.push(body);
    marker.drain();
    let live = Live { values: marker.live_values, insts: marker.live_insts };
    sweep(function, &structure, &live, body)
}

/// The variable that an address certainly points into, if there is one.
#[must_use]
pub fn root_alloca(function: &Function, pointer: Value) -> Option<Inst> {
    let root = function.defining_inst(root_pointer(function, pointer))?;
    matches!(function.insts[root].op, Op::Alloca { .. }).then_some(root)
}

/// The pointer that a pointer was computed from.
#[must_use]
pub fn root_pointer(function: &Function, mut pointer: Value) -> Value {
    while let Some(inst) = function.defining_inst(pointer) {
        match function.insts[inst].op {
            Op::PointerOffset(_) | Op::PointerIndex { .. } | Op::Convert(ConvertOp::AddressSpace) => {
                pointer = function.insts[inst].operands[0];
            }
            _ => break,
        }
    }
    pointer
}

struct Live {
    values: Vec<bool>,
    insts: Vec<bool>,
}

struct Marker<'a> {
    function: &'a Function,
    structure: &'a Structure,
    /// Constructs that must stay if their region stays.
    effectful: Vec<bool>,
    /// Writes that matter only if their variable is read.
    writes: FxHashMap<Inst, Vec<Inst>>,
    live_values: Vec<bool>,
    live_insts: Vec<bool>,
    values: Vec<Value>,
    regions: Vec<Region>,
}

impl<'a> Marker<'a> {
    fn new(function: &'a Function, structure: &'a Structure) -> Self {
        let count = function.insts.len();
        let mut marker = Marker {
            function,
            structure,
            effectful: vec![false; count],
            writes: FxHashMap::default(),
            live_values: vec![false; function.values.len()],
            live_insts: vec![false; count],
            values: Vec::new(),
            regions: Vec::new(),
        };
        // Set for constructs whose owners are known to be effectful too.
        let mut certain = vec![false; count];
        function.walk(|inst, data| match data.op {
            Op::Exit(target) | Op::Continue(target) => marker.mark_owners(inst, Some(target), &mut certain),
            Op::Loop(_) if structure.exits(inst).is_empty() => {
                marker.effectful[inst.index()] = true;
                marker.mark_owners(inst, None, &mut certain);
            }
            Op::NextIteration | Op::Unreachable => {}
            _ if data.op.has_regions() || data.op.is_removable() => {}
            _ => match marker.conditional_write(inst) {
                Some(alloca) => marker.writes.entry(alloca).or_default().push(inst),
                None => marker.mark_owners(inst, None, &mut certain),
            },
        });
        marker
    }

    /// The variable that this instruction does nothing but write to.
    fn conditional_write(&self, inst: Inst) -> Option<Inst> {
        let data = &self.function.insts[inst];
        match data.op {
            Op::Store { volatile: false, .. } | Op::MemoryZero { .. } | Op::MemoryCopy { .. } => {
                root_alloca(self.function, data.operands[0])
            }
            _ => None,
        }
    }

    /// Marks the constructs around an instruction, up to but excluding `end`, as effectful.
    fn mark_owners(&mut self, inst: Inst, end: Option<Inst>, certain: &mut [bool]) {
        for owner in self.structure.owners(inst) {
            if Some(owner) == end || certain[owner.index()] {
                break;
            }
            self.effectful[owner.index()] = true;
            certain[owner.index()] = end.is_none();
        }
    }

    fn drain(&mut self) {
        loop {
            if let Some(value) = self.values.pop() {
                self.value(value);
            } else if let Some(region) = self.regions.pop() {
                for &inst in &self.function.regions[region].insts {
                    self.reach(inst);
                }
            } else {
                break;
            }
        }
    }

    fn need(&mut self, value: Value) {
        if !std::mem::replace(&mut self.live_values[value.index()], true) {
            self.values.push(value);
        }
    }

    fn need_operand(&mut self, inst: Inst, index: usize) {
        self.need(self.function.insts[inst].operands[index]);
    }

    /// Handles an instruction of a region that stays.
    fn reach(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        match data.op {
            Op::Exit(_) | Op::Continue(_) | Op::NextIteration => self.live_insts[inst.index()] = true,
            _ if data.op.has_regions() => {
                if self.effectful[inst.index()] {
                    self.keep(inst);
                }
            }
            _ if data.op.is_removable() || self.conditional_write(inst).is_some() => {}
            _ => self.keep(inst),
        }
    }

    /// Keeps an instruction.
    fn keep(&mut self, inst: Inst) {
        if std::mem::replace(&mut self.live_insts[inst.index()], true) {
            return;
        }
        let data = &self.function.insts[inst];
        if !data.op.is_loop() {
            for &operand in &data.operands {
                self.need(operand);
            }
        }
        self.regions.extend(data.regions.iter().copied());
        if let Op::Alloca { .. } = data.op {
            for write in self.writes.remove(&inst).unwrap_or_default() {
                self.keep_with_owners(write);
            }
        }
    }

    fn keep_with_owners(&mut self, inst: Inst) {
        let mut at = Some(inst);
        while let Some(inst) = at {
            if self.live_insts[inst.index()] {
                break;
            }
            self.keep(inst);
            at = self.structure.parent(inst).and_then(|region| self.structure.owner(region));
        }
    }

    fn value(&mut self, value: Value) {
        match self.function.values[value].def {
            ValueDef::Result(inst, index) => {
                self.keep(inst);
                for &exit in self.structure.exits(inst) {
                    self.need_operand(exit, index as usize);
                }
            }
            ValueDef::RegionParam(region, index) => {
                let index = index as usize;
                let Some(owner) = self.structure.owner(region) else { return };
                if self.function.insts[owner].regions[0] == region {
                    self.need_operand(owner, index);
                    if let Some(next) = self.structure.next_iteration(self.function, owner) {
                        self.need_operand(next, index);
                    }
                } else {
                    for &from in self.structure.continues(owner) {
                        self.need_operand(from, index);
                    }
                }
            }
            ValueDef::Param(_) | ValueDef::Constant(_) | ValueDef::Global(_) => {}
        }
    }
}

fn sweep(function: &mut Function, structure: &Structure, live: &Live, body: Region) -> usize {
    let mut removed = 0;
    let mut regions = vec![body];
    let mut constructs = Vec::new();
    while let Some(region) = regions.pop() {
        let before = function.regions[region].insts.len();
        let mut insts = std::mem::take(&mut function.regions[region].insts);
        insts.retain(|inst| live.insts[inst.index()]);
        removed += before - insts.len();
        for &inst in &insts {
            let data = &function.insts[inst];
            regions.extend(data.regions.iter().copied());
            if data.op.has_regions() {
                constructs.push(inst);
            }
        }
        function.regions[region].insts = insts;
    }
    for construct in constructs {
        removed += usize::from(drop_results(function, structure, live, construct));
        if function.insts[construct].op.is_loop() {
            removed += usize::from(drop_params(function, structure, live, construct));
        }
    }
    removed
}

/// Which of `values` are live; `None` if all are.
fn kept(live: &Live, values: &[Value]) -> Option<Vec<bool>> {
    let kept: Vec<bool> = values.iter().map(|value| live.values[value.index()]).collect();
    kept.contains(&false).then_some(kept)
}

fn drop_operands(function: &mut Function, inst: Inst, kept: &[bool]) {
    let mut position = 0;
    function.insts[inst].operands.retain(|_| {
        position += 1;
        kept[position - 1]
    });
}

fn drop_results(function: &mut Function, structure: &Structure, live: &Live, construct: Inst) -> bool {
    let Some(kept) = kept(live, &function.insts[construct].results) else { return false };
    let mut results = std::mem::take(&mut function.insts[construct].results);
    let mut position = 0;
    results.retain(|_| {
        position += 1;
        kept[position - 1]
    });
    for (index, &result) in results.iter().enumerate() {
        function.values[result].def = ValueDef::Result(construct, index as u32);
    }
    function.insts[construct].results = results;
    for &exit in structure.exits(construct) {
        drop_operands(function, exit, &kept);
    }
    true
}

fn drop_params(function: &mut Function, structure: &Structure, live: &Live, construct: Inst) -> bool {
    let (body, continuing) = (function.insts[construct].regions[0], function.insts[construct].regions[1]);
    let mut changed = false;
    for region in [body, continuing] {
        let Some(kept) = kept(live, &function.regions[region].params) else { continue };
        changed = true;
        let params = std::mem::take(&mut function.regions[region].params);
        let params: Vec<_> =
            params.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(param, _)| param).collect();
        for (index, &param) in params.iter().enumerate() {
            function.values[param].def = ValueDef::RegionParam(region, index as u32);
        }
        function.regions[region].params = params;
        if region == body {
            drop_operands(function, construct, &kept);
            if let Some(next) = structure.next_iteration(function, construct) {
                drop_operands(function, next, &kept);
            }
        } else {
            for &from in structure.continues(construct) {
                drop_operands(function, from, &kept);
            }
        }
    }
    changed
}
