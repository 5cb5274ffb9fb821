//! Merges loads of neighbouring numbers in local memory into loads of vectors, for drivers that do not
//! ([`Preference::WideLocalLoads`]).
//!
//! Four loads of one 32-bit type from `16 n`, `16 n + 4`, `16 n + 8` and `16 n + 12` bytes behind the start
//! of a variable become one load where the first of them stands, and extracts. They stand in one region, and
//! between the first and the last is nothing that may change the memory, nothing that orders memory and
//! nothing that may leave: all of them are executed if the first is.
//!
//! It pays if `lower-memory` makes the variable an array of vectors, in which a single number costs more.
//! So a variable is left as it is unless the kernel only loads and stores numbers of one type and vectors of
//! four of them, and afterwards loads vectors at least as often as it accesses numbers. What a loop contains
//! counts several times ([`runs`]).

use super::Context;
use super::cursor::Cursor;
use super::lower_memory::runs;
use super::simplify::dce::root_pointer;
use crate::TranslateError;
use clvk_interface::Preference;
use clvk_ir::{
    AddressSpace, Arena, BinaryOp, ConvertOp, EntityId, Function, Global, GlobalData, Inst, InstData,
    KnownBits, Op, Region, Scalar, Type, Value, ValueDef, VariableSpace,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The lanes of the vectors.
pub(super) const LANES: u32 = 4;
/// Their size in bytes.
const BYTES: u32 = 16;

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.profile.prefers(Preference::WideLocalLoads) || context.options.robust {
        return Ok(());
    }
    let module = &mut *context.module;
    let mut aligned = Vec::new();
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    for function in functions.filter(|function| function.kernel.is_some()) {
        let plan = Plan::of(function, &module.globals);
        if !plan.vectors.is_empty() {
            aligned.extend(plan.vectors.values().filter_map(|vector| vector.global));
            plan.apply(function);
        }
    }
    for global in aligned {
        let align = &mut module.globals[global].align;
        *align = (*align).max(BYTES);
    }
    Ok(())
}

impl Context<'_, '_> {
    /// Whether local memory becomes arrays of vectors in which single numbers are accessed, too. `confine`
    /// knows only whole elements.
    pub(super) fn makes_wide_local_arrays(&self) -> bool {
        let wide = [Preference::WideLocalLoads, Preference::LocalVectors];
        wide.into_iter().any(|preference| self.profile.prefers(preference)) && !self.options.robust
    }
}

/// A number that an address contains a multiple of.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Term {
    value: Value,
    /// How it becomes an index of 64 bits.
    extended: Option<ConvertOp>,
    stride: u64,
}

/// An address without its constant part, and what is loaded from there.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Base {
    root: Value,
    /// Each a multiple of [`BYTES`].
    terms: Vec<Term>,
    scalar: Scalar,
}

/// What a kernel does with a variable.
struct Uses {
    /// The type of the numbers; `None` before the first access.
    scalar: Option<Scalar>,
    /// Whether there is nothing but loads and stores of such numbers and of vectors of four of them.
    fit: bool,
    /// Accesses of numbers, each as often as it is repeated.
    numbers: u64,
    /// Loads of vectors, likewise.
    vectors: u64,
}

/// A load of a vector.
struct Vector {
    root: Value,
    global: Option<Global>,
    /// Where its pointer is behind that of the first load.
    distance: i64,
    scalar: Scalar,
    /// The loads that it replaces, in the order of the lanes.
    loads: [Inst; LANES as usize],
}

/// All vectors, by the first of their loads.
struct Plan {
    vectors: FxHashMap<Inst, Vector>,
}

impl Plan {
    fn of(function: &Function, globals: &Arena<Global, GlobalData>) -> Plan {
        let mut search = Search {
            function,
            globals,
            repeated: runs(function),
            known: KnownBits::new(function),
            open: FxHashMap::default(),
            position: 0,
            plan: Plan { vectors: FxHashMap::default() },
        };
        let mut uses = search.uses();
        uses.retain(|_, uses| uses.fit && uses.numbers >= u64::from(LANES));
        if uses.is_empty() {
            return search.plan;
        }
        let mut regions: Vec<Region> = function.body.into_iter().collect();
        while let Some(region) = regions.pop() {
            for &inst in &function.regions[region].insts {
                regions.extend(function.insts[inst].regions.iter().copied());
                search.inst(inst, &uses);
            }
            search.end(|_| true);
        }
        let mut plan = search.plan;
        for (load, vector) in &plan.vectors {
            let uses = uses.get_mut(&vector.root).expect("it was asked before");
            let times = search.repeated[load.index()];
            uses.numbers = uses.numbers.saturating_sub(times.saturating_mul(u64::from(LANES)));
            uses.vectors = uses.vectors.saturating_add(times);
        }
        plan.vectors.retain(|_, vector| uses[&vector.root].vectors >= uses[&vector.root].numbers);
        plan
    }

    fn apply(&self, function: &mut Function) {
        let mut cursor = Cursor::new(function);
        let replaced: FxHashMap<Inst, ()> =
            self.vectors.values().flat_map(|vector| vector.loads.map(|load| (load, ()))).collect();
        while let Some(inst) = cursor.advance() {
            let Some(vector) = self.vectors.get(&inst) else {
                if !replaced.contains_key(&inst) {
                    cursor.keep(inst);
                }
                continue;
            };
            let pointer = displaced(&mut cursor, inst, vector.distance);
            let op = Op::Load { align: BYTES, volatile: false };
            let loaded = cursor.value(op, &[pointer], Type::with_lanes(vector.scalar, LANES));
            for (lane, &load) in vector.loads.iter().enumerate() {
                let number = cursor.extract(loaded, lane as u32);
                cursor.replace_result(load, number);
            }
        }
    }
}

/// A pointer to what is at a distance in bytes from what an instruction loads.
fn displaced(cursor: &mut Cursor<'_>, load: Inst, distance: i64) -> Value {
    let (mut pointer, mut offset) = (cursor.operand(load, 0), distance);
    let made_by = cursor.function.defining_inst(pointer).filter(|_| distance != 0);
    if let Some(made_by) = made_by
        && let Op::PointerOffset(more) = cursor.function.insts[made_by].op
    {
        offset = offset.wrapping_add(more);
        pointer = cursor.operand(made_by, 0);
    }
    let ty = cursor.function.ty(pointer);
    if offset == 0 { pointer } else { cursor.value(Op::PointerOffset(offset), &[pointer], ty) }
}

/// The walk over a kernel.
struct Search<'f> {
    function: &'f Function,
    globals: &'f Arena<Global, GlobalData>,
    repeated: Vec<u64>,
    known: KnownBits,
    /// The loads since something last changed or ordered the memory: by offset, where each stands.
    open: FxHashMap<Base, BTreeMap<i64, (usize, Inst)>>,
    position: usize,
    plan: Plan,
}

impl Search<'_> {
    /// What the kernel does with each variable in local memory.
    fn uses(&self) -> FxHashMap<Value, Uses> {
        let mut all: FxHashMap<Value, Uses> = FxHashMap::default();
        self.function.walk(|inst, data| {
            let times = self.repeated[inst.index()];
            for (place, &operand) in data.operands.iter().enumerate() {
                if !self.function.ty(operand).is_pointer() {
                    continue;
                }
                let root = root_pointer(self.function, operand);
                if self.is_variable(root) {
                    let none = Uses { scalar: None, fit: true, numbers: 0, vectors: 0 };
                    self.count(all.entry(root).or_insert(none), data, place, times);
                }
            }
        });
        all
    }

    /// Adds what an instruction does with a variable to which one of its operands points.
    fn count(&self, uses: &mut Uses, data: &InstData, place: usize, times: u64) {
        let ty = match data.op {
            Op::PointerOffset(_) | Op::PointerIndex { .. } => return,
            Op::Convert(ConvertOp::AddressSpace) => return,
            Op::Load { .. } => self.function.ty(data.results[0]),
            Op::Store { .. } if place == 0 => self.function.ty(data.operands[1]),
            _ => Type::Void,
        };
        let scalar = ty.scalar().filter(|scalar| matches!(scalar, Scalar::I32 | Scalar::F32));
        let same = scalar.is_some() && uses.scalar.is_none_or(|known| Some(known) == scalar);
        uses.fit &= same && matches!(ty.lanes(), 1 | LANES);
        uses.scalar = scalar;
        if ty.lanes() == 1 {
            uses.numbers = uses.numbers.saturating_add(times);
        } else if matches!(data.op, Op::Load { .. }) {
            uses.vectors = uses.vectors.saturating_add(times);
        }
    }

    /// Whether a pointer is to the start of a variable in local memory.
    fn is_variable(&self, pointer: Value) -> bool {
        match self.function.values[pointer].def {
            ValueDef::Global(global) => self.globals[global].space == AddressSpace::Local,
            ValueDef::Result(inst, _) => {
                let data = &self.function.insts[inst];
                let Op::ElementPointer(variable) = data.op else { return false };
                self.function.variables[variable].space == VariableSpace::Local
                    && self.function.as_bits(data.operands[0]) == Some(0)
            }
            _ => false,
        }
    }

    fn inst(&mut self, inst: Inst, wanted: &FxHashMap<Value, Uses>) {
        self.position += 1;
        let data = &self.function.insts[inst];
        match data.op {
            Op::Load { volatile: false, .. } => {
                let Type::Scalar(scalar) = self.function.ty(data.results[0]) else { return };
                let found = self.place(data.operands[0], scalar, wanted);
                if let Some((base, offset)) = found {
                    let loads = self.open.entry(base).or_default();
                    loads.entry(offset).or_insert((self.position, inst));
                }
            }
            Op::Store { volatile: false, .. } => {
                let space = self.function.ty(data.operands[0]).address_space();
                let root = root_pointer(self.function, data.operands[0]);
                match space {
                    Some(AddressSpace::Local | AddressSpace::Generic) if self.is_variable(root) => {
                        self.end(|base| base.root == root);
                    }
                    Some(AddressSpace::Private | AddressSpace::Global | AddressSpace::Constant) => {}
                    _ => self.end(|_| true),
                }
            }
            _ if data.op.is_removable() && !data.op.is_convergent() => {}
            _ => self.end(|_| true),
        }
    }

    /// An address in a wanted variable as base and offset, if the base is a multiple of a vector's size.
    fn place(
        &mut self,
        mut pointer: Value,
        scalar: Scalar,
        wanted: &FxHashMap<Value, Uses>,
    ) -> Option<(Base, i64)> {
        let (mut terms, mut sum) = (Vec::new(), 0i64);
        while let Some(inst) = self.function.defining_inst(pointer) {
            let data = &self.function.insts[inst];
            match data.op {
                Op::PointerOffset(offset) => sum = sum.checked_add(offset)?,
                Op::PointerIndex { stride } => {
                    let (term, count) = self.term(data.operands[1], stride);
                    let zeros = self.known.of(self.function, term.value).zeros().trailing_ones();
                    if stride.trailing_zeros() + zeros < BYTES.trailing_zeros() {
                        return None;
                    }
                    sum = sum.checked_add(count.checked_mul(i64::try_from(stride).ok()?)?)?;
                    terms.push(term);
                }
                Op::Convert(ConvertOp::AddressSpace) => {}
                _ => break,
            }
            pointer = data.operands[0];
        }
        wanted.contains_key(&pointer).then_some((Base { root: pointer, terms, scalar }, sum))
    }

    /// An index as a number and a constant that is added to it. Of the loads that become one, all are in the
    /// variable, so none of the sums wraps that the others do not: it would be 2 to the power of 31 elements
    /// away from them.
    fn term(&mut self, index: Value, stride: u64) -> (Term, i64) {
        let (mut value, mut extended, mut sum) = (index, None, 0i64);
        while let Some(inst) = self.function.defining_inst(value) {
            let data = &self.function.insts[inst];
            let from = self.function.ty(data.operands.first().copied().unwrap_or(value));
            if !matches!(from, Type::I32 | Type::I64) {
                break;
            }
            let constant = || {
                let bits = self.function.as_bits(*data.operands.get(1)?)?;
                Some((from.scalar()?.sign_extend(bits), bits))
            };
            match data.op {
                Op::Convert(op @ (ConvertOp::ZeroExtend | ConvertOp::SignExtend)) => extended = Some(op),
                Op::Binary(op @ (BinaryOp::Add | BinaryOp::Or)) => {
                    let Some((number, bits)) = constant() else { break };
                    let zeros = self.known.of(self.function, data.operands[0]).zeros();
                    match sum.checked_add(number) {
                        Some(next) if op == BinaryOp::Add || bits & !zeros == 0 => sum = next,
                        _ => break,
                    }
                }
                _ => break,
            }
            value = data.operands[0];
        }
        (Term { value, extended, stride }, sum)
    }

    /// Plans the vectors among the loads from some places, behind which the memory may be another one.
    fn end(&mut self, ends: impl Fn(&Base) -> bool) {
        let plan = &mut self.plan;
        let globals = |root: Value| match self.function.values[root].def {
            ValueDef::Global(global) => Some(global),
            _ => None,
        };
        self.open.retain(|base, loads| {
            if !ends(base) {
                return true;
            }
            for (&start, &(position, load)) in loads.iter() {
                let lane = |lane: u32| loads.get(&start.checked_add(i64::from(lane * 4))?).copied();
                let (Some(second), Some(third), Some(fourth)) = (lane(1), lane(2), lane(3)) else { continue };
                if start.rem_euclid(i64::from(BYTES)) != 0 {
                    continue;
                }
                let all = [(position, load), second, third, fourth];
                let first = (0..all.len()).min_by_key(|&lane| all[lane].0).expect("there are four");
                let vector = Vector {
                    root: base.root,
                    global: globals(base.root),
                    distance: -4 * first as i64,
                    scalar: base.scalar,
                    loads: all.map(|(_, load)| load),
                };
                plan.vectors.insert(all[first].1, vector);
            }
            false
        });
    }
}
