//! Loads whose value is known: from an earlier store or load, or because they read a constant table at a
//! constant index.
//!
//! A bounded table of known memory contents follows the walk over the regions. A store invalidates what it
//! may overlap; a barrier, fence or atomic operation invalidates everything that other work-items can change.
//! Entering a loop invalidates what the loop may change, and leaving a construct what changed inside it.
//!
//! Two accesses cannot overlap if their address spaces differ (and none is generic), if they are at constant
//! distance and apart, if they point into different variables, or into different kernel arguments, one of
//! them `restrict` (OpenCL C §6.9, C99 §6.7.3.1).

use crate::passes::rewrite::Substitution;
use crate::passes::structure::with_stack;
use clvk_ir::{
    AddressSpace, Arena, Constant, Function, Global, GlobalData, Initializer, Inst, KernelParamKind, Op,
    Region, Type, Value, ValueDef,
};
use rustc_hash::FxHashSet;

/// The most contents that are remembered; the oldest are forgotten first.
const MAX_KNOWN: usize = 48;

/// Replaces redundant loads; returns how many there were.
pub fn run(function: &mut Function, globals: &Arena<Global, GlobalData>) -> usize {
    let Some(body) = function.body else { return 0 };
    let restrict = restrict_params(function);
    let mut walk = Walk {
        function,
        globals,
        restrict,
        substitution: Substitution::default(),
        known: Vec::new(),
        next_stamp: 0,
        zeroed: 0,
    };
    walk.region(body);
    walk.substitution.len() + walk.zeroed
}

fn restrict_params(function: &Function) -> FxHashSet<Value> {
    let Some(kernel) = &function.kernel else { return FxHashSet::default() };
    let params = function.params.iter().zip(&kernel.params);
    params
        .filter(|(_, param)| matches!(param.kind, KernelParamKind::Buffer { restrict: true, .. }))
        .map(|(&value, _)| value)
        .collect()
}

/// An address split into its parts.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    /// The address without its constant part.
    base: Value,
    offset: i64,
    /// The value that the base was computed from.
    root: Value,
    space: AddressSpace,
}

impl Place {
    fn of(function: &Function, pointer: Value) -> Self {
        let (mut base, mut offset) = (pointer, 0i64);
        while let Some(inst) = function.defining_inst(base)
            && let Op::PointerOffset(by) = function.insts[inst].op
        {
            offset = offset.wrapping_add(by);
            base = function.insts[inst].operands[0];
        }
        let mut root = base;
        while let Some(inst) = function.defining_inst(root)
            && matches!(function.insts[inst].op, Op::PointerOffset(_) | Op::PointerIndex { .. })
        {
            root = function.insts[inst].operands[0];
        }
        let space = function.ty(pointer).address_space().unwrap_or(AddressSpace::Generic);
        Place { base, offset, root, space }
    }
}

/// What memory holds at a place.
#[derive(Clone, Copy, PartialEq)]
struct Known {
    place: Place,
    ty: Type,
    value: Value,
    /// Distinguishes it from an equal one noted later: memory held something else in between.
    stamp: u32,
}

/// What a variable holds.
enum Contents<'m> {
    Zeros,
    Bytes(&'m [u8]),
}

struct Walk<'f> {
    function: &'f mut Function,
    globals: &'f Arena<Global, GlobalData>,
    restrict: FxHashSet<Value>,
    substitution: Substitution,
    known: Vec<Known>,
    next_stamp: u32,
    /// How many copies became zeros.
    zeroed: usize,
}

impl Walk<'_> {
    fn region(&mut self, region: Region) {
        let mut insts = std::mem::take(&mut self.function.regions[region].insts);
        insts.retain(|&inst| self.inst(inst));
        self.function.regions[region].insts = insts;
    }

    /// Returns whether the instruction stays.
    fn inst(&mut self, inst: Inst) -> bool {
        for operand in &mut self.function.insts[inst].operands {
            *operand = self.substitution.resolve(*operand);
        }
        let data = &self.function.insts[inst];
        match data.op {
            Op::Load { volatile: false, .. } => {
                let place = Place::of(self.function, data.operands[0]);
                let result = data.results[0];
                let ty = self.function.ty(result);
                if let Some(value) = self.find(place, ty).or_else(|| self.initial(place, ty)) {
                    self.substitution.set(result, value);
                    return false;
                }
                self.remember(place, ty, result);
            }
            Op::Store { volatile, .. } => {
                let place = Place::of(self.function, data.operands[0]);
                let value = data.operands[1];
                let ty = self.function.ty(value);
                self.forget_overlapping(place, u64::from(ty.access_size()));
                if !volatile {
                    self.remember(place, ty, value);
                }
            }
            _ if data.op.has_regions() => self.construct(inst),
            _ => {
                self.copy_zeros(inst);
                self.effect(inst);
            }
        }
        true
    }

    fn find(&self, place: Place, ty: Type) -> Option<Value> {
        self.known.iter().rev().find(|known| known.place == place && known.ty == ty).map(|known| known.value)
    }

    /// What a variable that keeps its contents holds at a place.
    fn initial(&mut self, place: Place, ty: Type) -> Option<Value> {
        let scalar = ty.scalar()?;
        let bytes = match self.contents(place, u64::from(ty.access_size()))? {
            Contents::Zeros => return Some(self.function.constant(ty, Constant::Bits(0))),
            Contents::Bytes(bytes) => bytes,
        };
        let lanes: Vec<u64> = bytes
            .chunks(scalar.size() as usize)
            .map(|chunk| chunk.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
            .collect();
        let constant =
            if lanes.len() == 1 { Constant::Bits(lanes[0]) } else { Constant::Lanes(lanes.into()) };
        Some(self.function.constant(ty, constant))
    }

    /// The bytes of a variable that keeps its contents, without addresses.
    fn contents(&self, place: Place, size: u64) -> Option<Contents<'_>> {
        let ValueDef::Global(global) = self.function.values[place.base].def else { return None };
        let data = self.globals.get(global).filter(|data| data.keeps_contents())?;
        let start = u64::try_from(place.offset).ok()?;
        let end = start.checked_add(size).filter(|&end| end <= data.size)?;
        match &data.initializer {
            Initializer::None => None,
            Initializer::Zero => Some(Contents::Zeros),
            Initializer::Bytes { bytes, relocations } => {
                let pointer = |offset: u64| offset < end && start <= offset.saturating_add(7);
                if relocations.iter().any(|relocation| pointer(relocation.offset)) {
                    return None;
                }
                Some(Contents::Bytes(bytes.get(start as usize..end as usize)?))
            }
        }
    }

    /// Copies of zeros need no source: LLVM's translators write such copies where memory is cleared.
    fn copy_zeros(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        let Op::MemoryCopy { size, align } = data.op else { return };
        let are_zeros = match self.contents(Place::of(self.function, data.operands[1]), size) {
            Some(Contents::Zeros) => true,
            Some(Contents::Bytes(bytes)) => bytes.iter().all(|&byte| byte == 0),
            None => false,
        };
        if are_zeros {
            let data = &mut self.function.insts[inst];
            data.op = Op::MemoryZero { size, align };
            data.operands.truncate(1);
            self.zeroed += 1;
        }
    }

    fn remember(&mut self, place: Place, ty: Type, value: Value) {
        if self.known.len() >= MAX_KNOWN {
            self.known.remove(0);
        }
        self.known.push(Known { place, ty, value, stamp: self.next_stamp });
        self.next_stamp += 1;
    }

    fn forget_overlapping(&mut self, place: Place, size: u64) {
        let mut known = std::mem::take(&mut self.known);
        known.retain(|entry| !self.may_overlap(entry, place, size));
        self.known = known;
    }

    fn may_overlap(&self, known: &Known, place: Place, size: u64) -> bool {
        let (a, b) = (known.place, place);
        if a.space == AddressSpace::Constant {
            return false;
        }
        if a.space != b.space && a.space != AddressSpace::Generic && b.space != AddressSpace::Generic {
            return false;
        }
        if a.base == b.base {
            let (a_end, b_end) = (
                a.offset.saturating_add(i64::from(known.ty.access_size())),
                b.offset.saturating_add(i64::try_from(size).unwrap_or(i64::MAX)),
            );
            return a.offset < b_end && b.offset < a_end;
        }
        if a.root == b.root {
            return true;
        }
        !(self.is_variable(a.root) && (self.is_variable(b.root) || self.is_param(b.root))
            || self.is_variable(b.root) && self.is_param(a.root)
            || self.is_param(a.root)
                && self.is_param(b.root)
                && (self.restrict.contains(&a.root) || self.restrict.contains(&b.root)))
    }

    /// Whether a value is the address of a separate variable.
    fn is_variable(&self, value: Value) -> bool {
        match self.function.values[value].def {
            ValueDef::Global(_) => true,
            ValueDef::Result(inst, _) => matches!(self.function.insts[inst].op, Op::Alloca { .. }),
            _ => false,
        }
    }

    /// Whether a value is a parameter of a kernel. A parameter of another function may point anywhere.
    fn is_param(&self, value: Value) -> bool {
        self.function.kernel.is_some() && matches!(self.function.values[value].def, ValueDef::Param(_))
    }

    /// Forgets what an instruction without regions, other than a store, may change.
    fn effect(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        match data.op {
            Op::MemoryCopy { size, .. } | Op::MemoryZero { size, .. } => {
                let place = Place::of(self.function, data.operands[0]);
                self.forget_overlapping(place, size);
            }
            Op::Call(_) | Op::CallElementwise(_) => {
                self.known.retain(|known| known.place.space == AddressSpace::Constant);
            }
            Op::Barrier { .. }
            | Op::Fence { .. }
            | Op::AtomicRmw { .. }
            | Op::AtomicCompareExchange { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. } => {
                let generic = data.operands.first().is_some_and(|&pointer| {
                    self.function.ty(pointer).address_space() == Some(AddressSpace::Generic)
                });
                self.known.retain(|known| match known.place.space {
                    AddressSpace::Constant => true,
                    AddressSpace::Private => !generic,
                    _ => false,
                });
            }
            _ => {}
        }
    }

    fn construct(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        let regions = data.regions.clone();
        if data.op.is_loop() {
            self.forget_changes(&regions);
        }
        let mut after = self.known.clone();
        for region in regions {
            let before = self.known.clone();
            with_stack(|| self.region(region));
            after.retain(|known| self.known.contains(known));
            self.known = before;
        }
        self.known = after;
    }

    /// Forgets what the instructions in these regions may change.
    fn forget_changes(&mut self, regions: &[Region]) {
        let mut regions = regions.to_vec();
        while let Some(region) = regions.pop() {
            if self.known.is_empty() {
                return;
            }
            for position in 0..self.function.regions[region].insts.len() {
                let inst = self.function.regions[region].insts[position];
                let data = &self.function.insts[inst];
                regions.extend(data.regions.iter().copied());
                if let Op::Store { .. } = data.op {
                    let (pointer, value) = (data.operands[0], data.operands[1]);
                    let place = Place::of(self.function, self.substitution.get(pointer));
                    let size = u64::from(self.function.ty(value).access_size());
                    self.forget_overlapping(place, size);
                } else {
                    self.effect(inst);
                }
            }
        }
    }
}
