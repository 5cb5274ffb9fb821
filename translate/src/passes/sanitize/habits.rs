//! What a kernel does through its arguments ([`Habit`]), as far as it shows where its pointers come from.

use super::access::{Accessed, accesses, leads_to_reports};
use super::cells::granule;
use clvk_interface::sanitize::{Access, Habit, MOST_UNWATCHED};
use clvk_ir::{
    AddressSpace, BinaryOp, ConvertOp, Function, Global, Inst, InstData, Op, Type, Value, ValueDef,
    WorkItemQuery,
};
use rustc_hash::FxHashMap;

/// Local memory that nothing else overlaps.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocalMemory {
    Argument(u32),
    Variable(Global),
}

/// What is known of a kernel's arguments.
#[derive(Default)]
pub struct ArgumentUses {
    pub habits: Vec<Habit>,
    /// The argument that an operand certainly points into.
    arguments: FxHashMap<(Inst, usize), u32>,
    /// The local memory that an operand certainly points into.
    locals: FxHashMap<(Inst, usize), LocalMemory>,
    /// The granules of local memory.
    granules: FxHashMap<LocalMemory, u32>,
}

impl ArgumentUses {
    /// What is known of local memory alone.
    pub fn of_local_memory(self) -> ArgumentUses {
        ArgumentUses { habits: Vec::new(), arguments: FxHashMap::default(), ..self }
    }

    /// The argument that an access certainly reaches, if it may be one that is not watched.
    pub fn quiet_argument(&self, inst: Inst, operand: usize) -> Option<u32> {
        let argument = *self.arguments.get(&(inst, operand))?;
        (self.habits[argument as usize] != Habit::Any).then_some(argument)
    }

    /// The local memory that an access certainly reaches, if all accesses to local memory are known.
    pub fn local(&self, inst: Inst, operand: usize) -> Option<LocalMemory> {
        self.locals.get(&(inst, operand)).copied()
    }

    /// The bytes of a granule of the local memory that an access reaches, if all accesses to that agree.
    pub fn granule(&self, inst: Inst, operand: usize) -> Option<u32> {
        self.granules.get(self.locals.get(&(inst, operand))?).copied()
    }
}

/// A sum of a global id times a number, and a number.
#[derive(Clone, Copy, Default, PartialEq)]
struct Linear {
    /// The id's dimension, if there is one.
    axis: Option<u8>,
    times: i64,
    plus: i64,
}

impl Linear {
    fn constant(plus: i64) -> Linear {
        Linear { plus, ..Linear::default() }
    }

    fn sum(self, other: Linear) -> Option<Linear> {
        if self.axis.is_some() && other.axis.is_some() && self.axis != other.axis {
            return None;
        }
        Some(Linear {
            axis: self.axis.or(other.axis),
            times: self.times.checked_add(other.times)?,
            plus: self.plus.checked_add(other.plus)?,
        })
    }

    fn product(self, factor: i64) -> Option<Linear> {
        let (times, plus) = (self.times.checked_mul(factor)?, self.plus.checked_mul(factor)?);
        Some(Linear { times, plus, ..self })
    }
}

/// What the accesses through an argument have in common.
#[derive(Clone, Copy, Default)]
enum Reach {
    /// There are none.
    #[default]
    Nothing,
    /// Bytes at a global id in a dimension, times a stride: from the first number to the second.
    Own { axis: u8, stride: i64, from: i64, to: i64 },
    /// They have nothing in common.
    Anything,
}

impl Reach {
    fn with(self, place: Option<Linear>, bytes: u64) -> Reach {
        let Some(Linear { axis: Some(axis), times: stride, plus }) = place else { return Reach::Anything };
        let Some(end) = i64::try_from(bytes).ok().and_then(|bytes| plus.checked_add(bytes)) else {
            return Reach::Anything;
        };
        match self {
            Reach::Nothing => Reach::Own { axis, stride, from: plus, to: end },
            Reach::Own { axis: of, stride: by, from, to } if (of, by) == (axis, stride) => {
                Reach::Own { axis, stride, from: from.min(plus), to: to.max(end) }
            }
            _ => Reach::Anything,
        }
    }

    fn habit(self, is_written: bool) -> Habit {
        match self {
            _ if !is_written => Habit::Reads,
            Reach::Own { axis, stride, from, to }
                if to.checked_sub(from).is_some_and(|bytes| bytes <= stride) =>
            {
                u32::try_from(stride).map_or(Habit::Any, |stride| Habit::Own { axis, stride })
            }
            _ => Habit::Any,
        }
    }
}

/// Looks at a kernel that is whole.
pub fn of(kernel: &Function) -> ArgumentUses {
    let mut uses = Uses {
        kernel,
        arguments: FxHashMap::default(),
        locals: FxHashMap::default(),
        granules: FxHashMap::default(),
        reaches_any_local: false,
        reached: vec![(Reach::Nothing, false); kernel.params.len()],
        reads_anything: false,
        writes_anything: false,
    };
    kernel.walk(|inst, data| uses.instruction(inst, data));
    let Uses { arguments, locals, granules, reached, reads_anything, writes_anything, .. } = uses;
    let (locals, granules) = if uses.reaches_any_local { Default::default() } else { (locals, granules) };
    let habit = |(index, (reach, is_written)): (usize, (Reach, bool))| {
        let is_known = index < MOST_UNWATCHED && !writes_anything && !(reads_anything && is_written);
        if is_known { reach.habit(is_written) } else { Habit::Any }
    };
    let habits = reached.into_iter().enumerate().map(habit).collect();
    ArgumentUses { habits, arguments, locals, granules }
}

struct Uses<'f> {
    kernel: &'f Function,
    arguments: FxHashMap<(Inst, usize), u32>,
    locals: FxHashMap<(Inst, usize), LocalMemory>,
    granules: FxHashMap<LocalMemory, u32>,
    /// Through a pointer whose origin is not known.
    reaches_any_local: bool,
    /// Of each parameter, and whether it is written.
    reached: Vec<(Reach, bool)>,
    /// Memory that may belong to any argument.
    reads_anything: bool,
    writes_anything: bool,
}

impl Uses<'_> {
    fn instruction(&mut self, inst: Inst, data: &InstData) {
        let all = accesses(self.kernel, data);
        for accessed in &all {
            let pointer = data.operands[accessed.operand];
            let is_written = accessed.access != Access::Read;
            let space = self.kernel.ty(pointer).address_space();
            let origin = self.origin(pointer);
            match space {
                Some(AddressSpace::Private) => continue,
                Some(AddressSpace::Local) => {
                    self.local(inst, accessed, &origin);
                    continue;
                }
                Some(AddressSpace::Generic) => self.reaches_any_local = true,
                _ => {}
            }
            match origin {
                Origin::Argument(argument, place) => {
                    self.arguments.insert((inst, accessed.operand), argument);
                    let (reach, written) = &mut self.reached[argument as usize];
                    *reach = reach.with(place, accessed.bytes);
                    *written |= is_written;
                }
                Origin::Variable(_) | Origin::Other => {}
                Origin::Unknown => {
                    self.reads_anything |= !is_written;
                    self.writes_anything |= is_written;
                }
            }
        }
        // What becomes of a pointer elsewhere is not known.
        let is_known = !all.is_empty() && !self.stores_pointer(data) || self.only_computes(&data.op);
        let leads_there = |&operand: &Value| {
            let space = self.kernel.ty(operand).address_space();
            matches!(space, Some(AddressSpace::Global | AddressSpace::Generic))
                && !leads_to_reports(self.kernel, operand)
        };
        self.writes_anything |= !is_known && data.operands.iter().any(leads_there);
    }

    /// Looks at an access to local memory.
    fn local(&mut self, inst: Inst, accessed: &Accessed, origin: &Origin) {
        let memory = match *origin {
            Origin::Argument(argument, _) => LocalMemory::Argument(argument),
            Origin::Variable(global) => LocalMemory::Variable(global),
            Origin::Other | Origin::Unknown => {
                self.reaches_any_local = true;
                return;
            }
        };
        self.locals.insert((inst, accessed.operand), memory);
        let granule = granule(accessed);
        self.granules.entry(memory).and_modify(|all| *all = granule.min(*all)).or_insert(granule);
    }

    fn stores_pointer(&self, data: &InstData) -> bool {
        let value = match data.op {
            Op::Store { .. } | Op::AtomicStore { .. } | Op::AtomicRmw { .. } => data.operands.get(1),
            _ => None,
        };
        value.is_some_and(|&value| self.kernel.ty(value).is_pointer())
    }

    /// Whether all that an operation makes of pointers are others, whose origin is then not known, or numbers
    /// that tell nothing about places.
    fn only_computes(&self, op: &Op) -> bool {
        op.has_regions()
            || matches!(
                op,
                Op::PointerOffset(_)
                    | Op::PointerIndex { .. }
                    | Op::Within(_)
                    | Op::Apart { .. }
                    | Op::Convert(ConvertOp::AddressSpace)
                    | Op::Select
                    | Op::Compare(_)
                    | Op::Exit(_)
                    | Op::Continue(_)
                    | Op::NextIteration
            )
    }

    /// Where a pointer comes from, and how far it has gone.
    fn origin(&self, mut pointer: Value) -> Origin {
        let mut place = Some(Linear::default());
        while let Some(inst) = self.kernel.defining_inst(pointer) {
            let data = &self.kernel.insts[inst];
            let further = match data.op {
                Op::PointerOffset(bytes) => Some(Linear::constant(bytes)),
                Op::PointerIndex { stride } => i64::try_from(stride)
                    .ok()
                    .and_then(|stride| linear(self.kernel, data.operands[1], LONGEST)?.product(stride)),
                Op::Within(_) | Op::Apart { .. } | Op::Convert(ConvertOp::AddressSpace) => {
                    Some(Linear::default())
                }
                Op::Alloca { .. } => return Origin::Other,
                _ => return Origin::Unknown,
            };
            place = place.zip(further).and_then(|(place, further)| place.sum(further));
            pointer = data.operands[0];
        }
        match self.kernel.values[pointer].def {
            ValueDef::Global(global) => Origin::Variable(global),
            ValueDef::Constant(_) => Origin::Other,
            _ => {
                let position = self.kernel.params.iter().position(|&param| param == pointer);
                position.map_or(Origin::Unknown, |argument| Origin::Argument(argument as u32, place))
            }
        }
    }
}

enum Origin {
    Argument(u32, Option<Linear>),
    /// A variable of the module.
    Variable(Global),
    /// A private variable, or null.
    Other,
    Unknown,
}

/// The most operations of an index.
const LONGEST: u32 = 16;

/// A number as a sum, if it is one. Extensions and truncations do not matter, because the host knows that
/// everything fits ([`unwatched`](clvk_interface::sanitize::unwatched)).
fn linear(kernel: &Function, value: Value, most: u32) -> Option<Linear> {
    let most = most.checked_sub(1)?;
    if let Some(number) = signed(kernel, value) {
        return Some(Linear::constant(number));
    }
    let data = &kernel.insts[kernel.defining_inst(value)?];
    let of = |operand: usize| linear(kernel, data.operands[operand], most);
    match data.op {
        Op::WorkItem(WorkItemQuery::GlobalId) => {
            let axis = kernel.as_bits(data.operands[0])?;
            (axis < 3).then_some(Linear { axis: Some(axis as u8), times: 1, plus: 0 })
        }
        Op::Convert(ConvertOp::ZeroExtend | ConvertOp::SignExtend) => of(0),
        Op::Convert(ConvertOp::Truncate) if kernel.ty(value) == Type::I32 => of(0),
        Op::Binary(BinaryOp::Add) => of(0)?.sum(of(1)?),
        Op::Binary(BinaryOp::Sub) => of(0)?.sum(of(1)?.product(-1)?),
        Op::Binary(BinaryOp::Mul) => match signed(kernel, data.operands[1]) {
            Some(factor) => of(0)?.product(factor),
            None => of(1)?.product(signed(kernel, data.operands[0])?),
        },
        Op::Binary(BinaryOp::Shl) => {
            let count = u32::try_from(signed(kernel, data.operands[1])?).ok()?;
            of(0)?.product(1i64.checked_shl(count).filter(|_| count < 31)?)
        }
        _ => None,
    }
}

/// A constant integer with its sign.
fn signed(kernel: &Function, value: Value) -> Option<i64> {
    let bits = kernel.as_bits(value)?;
    match kernel.ty(value) {
        Type::I32 => Some(i64::from(bits as u32 as i32)),
        Type::I64 => Some(bits as i64),
        _ => None,
    }
}
