//! The range of the launch that each address was derived from.
//!
//! An address that is an argument's plus a distance is checked against that argument alone. An address that
//! was read from memory, or mixes several, is checked against everything that the launch may reach. Wrongly
//! taking an address for an argument's can refuse an access, but never lets one through.

use crate::passes::cursor::region_owners;
use clvk_interface::{ArgumentKind, BufferLocation, KernelInterface, ValueLocation};
use clvk_ir::{BinaryOp, EntityId, Function, Inst, InstData, Op, Region, Type, Value, ValueDef};
use rustc_hash::FxHashMap;

/// The origin of an integer's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Not computed yet, or a constant.
    Nothing,
    /// Not an argument: a number, or an address from memory.
    Number,
    /// The start of a range of the table, plus a distance.
    Range(u32),
    /// The argument buffer, which only the translator's own instructions read.
    Arguments,
    /// Several of these.
    Mixed,
}

impl Origin {
    fn join(self, other: Origin) -> Origin {
        match (self, other) {
            (Origin::Nothing, one) | (one, Origin::Nothing) => one,
            (one, other) if one == other => one,
            _ => Origin::Mixed,
        }
    }

    fn is_address(self) -> bool {
        !matches!(self, Origin::Nothing | Origin::Number)
    }

    fn plus(self, other: Origin) -> Origin {
        match (self.is_address(), other.is_address()) {
            (true, true) => Origin::Mixed,
            (true, false) => self,
            (false, true) => other,
            (false, false) => Origin::Number,
        }
    }

    fn minus(self, other: Origin) -> Origin {
        match (self.is_address(), other.is_address()) {
            (_, true) if self == other && self != Origin::Mixed => Origin::Number,
            (_, true) => Origin::Mixed,
            (true, false) => self,
            (false, false) => Origin::Number,
        }
    }
}

/// The origins of all values of a kernel.
pub struct Origins {
    of_value: Vec<Origin>,
    passed: Passed,
}

/// The addresses that the host passes.
struct Passed {
    /// By offset in the push constants.
    pushed: FxHashMap<u32, Origin>,
    /// By offset in the argument buffer.
    spilled: FxHashMap<u32, Origin>,
}

impl Passed {
    fn of(interface: &KernelInterface) -> Passed {
        let mut passed = Passed { pushed: FxHashMap::default(), spilled: FxHashMap::default() };
        for (range, argument) in (0..).zip(&interface.arguments) {
            match argument.kind {
                ArgumentKind::BufferAddress { location: ValueLocation::PushConstant { offset }, .. } => {
                    passed.pushed.insert(offset, Origin::Range(range));
                }
                ArgumentKind::BufferAddress {
                    location: ValueLocation::ArgumentBuffer { offset }, ..
                } => {
                    passed.spilled.insert(offset, Origin::Range(range));
                }
                _ => {}
            }
        }
        for (range, (_, location)) in (interface.arguments.len() as u32..).zip(&interface.implicit_buffers) {
            if let BufferLocation::Address { offset } = *location {
                passed.pushed.insert(offset, Origin::Range(range));
            }
        }
        if let Some(BufferLocation::Address { offset }) = interface.argument_buffer.map(|it| it.location) {
            passed.pushed.insert(offset, Origin::Arguments);
        }
        passed
    }
}

impl Origins {
    /// Finds the origins.
    pub fn find(function: &Function, interface: &KernelInterface) -> Origins {
        let passed = Passed::of(interface);
        let of_value = vec![Origin::Nothing; function.values.len()];
        let mut origins = Origins { of_value, passed };
        let owners = region_owners(function);
        let mut region_of: Vec<Option<Region>> = vec![None; function.insts.len()];
        for (region, data) in function.regions.iter() {
            for inst in &data.insts {
                region_of[inst.index()] = Some(region);
            }
        }
        loop {
            // Each round raises some value or is the last; a value is raised at most twice.
            let mut changed = false;
            function.walk(|inst, data| {
                let owner = region_of[inst.index()].and_then(|region| owners[region.index()]);
                changed |= origins.visit(function, data, owner);
            });
            if !changed {
                return origins;
            }
        }
    }

    /// The origin of a value.
    pub fn of(&self, value: Value) -> Origin {
        self.of_value.get(value.index()).copied().unwrap_or(Origin::Mixed)
    }

    fn raise(&mut self, value: Value, origin: Origin) -> bool {
        let known = self.of(value);
        self.of_value[value.index()] = known.join(origin);
        self.of(value) != known
    }

    /// Processes an instruction, which is in a region of `owner`.
    fn visit(&mut self, function: &Function, data: &InstData, owner: Option<Inst>) -> bool {
        let targets: &[Value] = match &data.op {
            Op::Exit(target) => &function.insts[*target].results,
            Op::Continue(target) => &function.regions[function.insts[*target].regions[1]].params,
            Op::NextIteration => match owner {
                Some(owner) => &function.regions[function.insts[owner].regions[0]].params,
                None => &[],
            },
            Op::Loop(_) => &function.regions[data.regions[0]].params,
            op if op.has_regions() => &[],
            _ => {
                let Some(&result) = data.results.first() else { return false };
                let origin = self.of_result(function, data);
                return self.raise(result, origin);
            }
        };
        let mut changed = false;
        for (&operand, &target) in data.operands.iter().zip(targets) {
            let origin = self.operand(function, operand);
            changed |= self.raise(target, origin);
        }
        changed
    }

    fn operand(&self, function: &Function, value: Value) -> Origin {
        match function.values[value].def {
            ValueDef::Constant(_) => Origin::Nothing,
            _ => self.of(value),
        }
    }

    fn of_result(&self, function: &Function, data: &InstData) -> Origin {
        let at = |index: usize| self.operand(function, data.operands[index]);
        match data.op {
            Op::PushConstant { offset } => self.passed.pushed.get(&offset).copied().unwrap_or(Origin::Number),
            Op::Binary(BinaryOp::Add) => at(0).plus(at(1)),
            Op::Binary(BinaryOp::Sub) => at(0).minus(at(1)),
            // An address rounded down to whole words.
            Op::Binary(BinaryOp::And) if !at(1).is_address() => at(0).join(Origin::Nothing),
            Op::Select => at(1).join(at(2)),
            Op::PhysicalPointer(_) => at(0),
            Op::Load { .. } => self.loaded(function, data),
            Op::AtomicRmw { .. } | Op::AtomicLoad { .. } | Op::AtomicCompareExchange { .. } => Origin::Number,
            _ if data.operands.iter().any(|&value| self.operand(function, value).is_address()) => {
                Origin::Mixed
            }
            _ => Origin::Number,
        }
    }

    /// An address from the argument buffer, or a number from elsewhere.
    fn loaded(&self, function: &Function, data: &InstData) -> Origin {
        let ty = data.results.first().map(|&result| function.ty(result));
        let is_address = ty == Some(Type::I64) && self.of(data.operands[0]) == Origin::Arguments;
        let offset = is_address.then(|| passed_offset(function, data.operands[0])).flatten();
        let known = offset.and_then(|offset| self.passed.spilled.get(&offset));
        known.copied().unwrap_or(Origin::Number)
    }
}

/// The constant distance of a pointer from the start of the argument buffer.
fn passed_offset(function: &Function, pointer: Value) -> Option<u32> {
    let defining = |value: Value| function.defining_inst(value).map(|inst| &function.insts[inst]);
    let address = defining(pointer)?;
    let sum = defining(*address.operands.first()?)?;
    match sum.op {
        Op::PushConstant { .. } => Some(0),
        Op::Binary(BinaryOp::Add) => {
            let mut constants = sum.operands.iter().filter_map(|&value| function.as_bits(value));
            u32::try_from(constants.next()?).ok()
        }
        _ => None,
    }
}
