//! Checks of accesses: each must stay in the object from which its pointer was made, and be aligned there.

mod ranges;

use super::apart;
use super::attempts;
use super::cells::{Habits, Own, Plan};
use super::confined::Stays;
use super::copying;
use super::events::Events;
use super::habits::{self, ArgumentUses};
use super::narrow::{Narrow, Wanted};
use super::order;
use super::phases::{Meanwhile, Phases};
use super::report::{Details, Reporter};
use super::shadow::{GlobalObjects, Shadow, Shadows};
use super::trial::Trial;
use super::watched::{Quiet, Watched};
use super::{strings, when};
use crate::passes::cursor::Cursor;
use crate::passes::measure_strings;
use clvk_interface::ImplicitBuffer;
use clvk_interface::sanitize::{Access, Checked, KernelHabits, Kind, Kinds, PLAIN, UNKNOWN_SIZE, forbidden};
use clvk_ir::{
    AccessOp, AddressSpace, Arena, BinaryOp, CompareOp, FenceFlags, Func, Function, Global, GlobalData,
    InputVariable, Inst, InstData, Op, Scope, Type, UnaryOp, Value,
};
pub use ranges::is_done;
use rustc_hash::FxHashMap;

/// Checks the accesses of a kernel; gives what it does through its arguments, as far as that matters.
pub fn check<'m>(
    function: &mut Function,
    globals: &'m Arena<Global, GlobalData>,
    objects: &'m mut GlobalObjects,
    reporter: &mut Reporter<'_>,
    kinds: Kinds,
    plan: Option<&'m Plan>,
    copying: Option<(Func, Events)>,
) -> KernelHabits {
    let mut sizes: Vec<u64> = Vec::new();
    function.walk(|_, data| sizes.extend(accesses(function, data).iter().map(|access| access.bytes)));
    sizes.sort_unstable();
    sizes.dedup();
    let mut shadows = Shadows::prepare(function, globals, objects, kinds, plan.is_some());
    let habits = Habits::of(function, kinds);
    let wanted = kinds.has(Kind::Bounds).then(|| Wanted::of(function));
    let confines = kinds.has(Kind::Bounds).then_some(globals);
    let mut uses = match plan {
        // Promises are kept in cells, too.
        Some(_) if kinds.has(Kind::Restrict) => habits::of(function, confines).forget_arguments(),
        Some(_) => habits::of(function, confines),
        None if confines.is_some() => habits::of(function, confines).forget_arguments(),
        None => ArgumentUses::default(),
    };
    let sub_group = plan.and_then(|plan| plan.sub_group);
    let (phases, trial) = match copying {
        None => (Phases::of(function, &uses), Trial::of(function, globals, &uses, sub_group)),
        Some(_) => (Phases::default(), Trial::default()),
    };
    if copying.is_some() {
        uses.watch_places();
    } else if plan.is_some() {
        uses.settle(Trial::of_sizes(function, globals, &uses, sub_group), function.params.len());
    }
    let mut cursor = Cursor::new(function);
    let (copying, events) = copying.unzip();
    let mut own = plan.map(|plan| Own::enter(&mut cursor, reporter, plan, habits));
    if let Some(own) = &mut own {
        own.events = events;
        shadows.place(own.places());
    }
    let mut checks = Checks {
        cursor,
        shadows,
        reporter,
        kinds,
        own,
        copying,
        uses,
        phases,
        trial,
        limits: FxHashMap::default(),
        allowed: FxHashMap::default(),
        inside: Vec::new(),
        narrow: Narrow::default(),
    };
    checks.enter(&sizes, wanted);
    while let Some(inst) = checks.cursor.advance() {
        checks.instruction(inst);
    }
    checks.uses.habits
}

/// Memory that an instruction reads or writes.
pub struct Accessed {
    /// The operand that points to it.
    pub operand: usize,
    pub bytes: u64,
    pub align: u32,
    pub access: Access,
}

/// Whether a pointer is one into the reports, which loops read and write, and not the program.
pub fn leads_to_reports(function: &Function, mut pointer: Value) -> bool {
    while let Some(inst) = function.defining_inst(pointer) {
        let data = &function.insts[inst];
        match data.op {
            Op::PointerOffset(_) => pointer = data.operands[0],
            Op::ImplicitBuffer(ImplicitBuffer::Reports) => return true,
            _ => return false,
        }
    }
    false
}

/// Whether an operation uses what it reads. A copy may take bytes along that mean nothing.
pub fn uses_what_it_reads(op: &Op) -> bool {
    !matches!(op, Op::MemoryCopy { .. } | Op::AtomicStore { .. })
}

/// What an instruction of the program accesses.
pub fn accesses(function: &Function, data: &InstData) -> Vec<Accessed> {
    let needs_none = |&pointer: &Value| leads_to_reports(function, pointer) || is_done(function, pointer);
    if data.operands.first().is_some_and(needs_none) {
        return Vec::new();
    }
    let size = |value: Value| u64::from(function.ty(value).access_size());
    let natural = |value: Value| function.ty(value).access_size().next_power_of_two();
    let one = |bytes, align, access| vec![Accessed { operand: 0, bytes, align, access }];
    match data.op {
        Op::Load { align, .. } => one(size(data.results[0]), align, Access::Read),
        Op::Store { align, .. } => one(size(data.operands[1]), align, Access::Write),
        Op::MemoryCopy { size, align } => [Access::Write, Access::Read]
            .into_iter()
            .enumerate()
            .map(|(operand, access)| Accessed { operand, bytes: size, align, access })
            .collect(),
        Op::MemoryZero { size, align } => one(size, align, Access::Write),
        Op::Access { op: AccessOp::Note, size, writes } => {
            one(size.into(), size, if writes { Access::Write } else { Access::Read })
        }
        Op::AtomicLoad { .. } => one(size(data.results[0]), natural(data.results[0]), Access::Atomic),
        Op::AtomicStore { .. } | Op::AtomicRmw { .. } | Op::AtomicCompareExchange { .. } => {
            one(size(data.operands[1]), natural(data.operands[1]), Access::Atomic)
        }
        _ => Vec::new(),
    }
}

/// Something that must hold for an access.
struct Demand {
    holds: Value,
    checked: Checked,
    details: Details,
}

struct Checks<'f, 'm, 'r, 's> {
    cursor: Cursor<'f>,
    shadows: Shadows<'m>,
    reporter: &'r mut Reporter<'s>,
    kinds: Kinds,
    /// What the work-item needs to remember memory, if it does.
    own: Option<Own<'m>>,
    /// The function whose calls mark copies, if there are any.
    copying: Option<Func>,
    /// What is known of the arguments.
    uses: ArgumentUses,
    /// What may happen to local memory meanwhile.
    phases: Phases,
    /// What is known of local memory for all launches.
    trial: Trial,
    /// The distances at which accesses of a size fit into an object of a size.
    limits: FxHashMap<(Value, u64), Value>,
    /// Whether a bit of [`forbidden`] is not set in the number of an object.
    allowed: FxHashMap<(Value, u32), Value>,
    /// Whether the accesses with a bit are inside in this launch. Drivers know it when they compile.
    inside: Vec<Value>,
    narrow: Narrow,
}

impl Checks<'_, '_, '_, '_> {
    /// What the kernel computes once, at its entry.
    fn enter(&mut self, sizes: &[u64], wanted: Option<Wanted>) {
        self.shadows.parameters(&mut self.cursor, self.reporter);
        if let Some(wanted) = wanted {
            self.decided(wanted);
        }
        for param in self.cursor.function.params.clone() {
            if self.cursor.function.ty(param).is_pointer() {
                let shadow = self.shadows.of(&mut self.cursor, self.reporter, param);
                for bit in [forbidden::READS, forbidden::WRITES, forbidden::EARLY_READS] {
                    if let Some(allows) = self.allows(shadow, bit) {
                        self.allowed.insert((shadow.object, bit), allows);
                    }
                }
                for &bytes in sizes {
                    let limit = self.limit(shadow.size, bytes);
                    self.limits.insert((shadow.size, bytes), limit);
                }
            }
        }
    }

    /// What the host has decided about accesses being inside.
    fn decided(&mut self, wanted: Wanted) {
        let Checks { cursor, shadows, reporter, uses, .. } = self;
        let inside = cursor.value(Op::Input(InputVariable::Inside), &[], Type::I32);
        let zero = cursor.int(Type::I32, 0);
        let has = |cursor: &mut Cursor<'_>, bits: u32| {
            let bits = cursor.binary_int(BinaryOp::And, inside, i64::from(bits as i32));
            cursor.compare(CompareOp::Ne, bits, zero)
        };
        let count = uses.habits.confined.iter().map(|confined| confined.bit + 1).max().unwrap_or(0);
        self.inside = (0..count).map(|bit| has(cursor, 1 << bit)).collect();
        let plain = has(cursor, PLAIN);
        self.narrow = wanted.enter(cursor, plain, |cursor, param| shadows.of(cursor, reporter, param));
    }

    fn instruction(&mut self, inst: Inst) {
        if self.range(inst) {
            return;
        }
        let accesses = accesses(self.cursor.function, &self.cursor.function.insts[inst]);
        if !accesses.is_empty() {
            return self.access(inst, &accesses);
        }
        if let Some(begins) = copying::begins(self.cursor.function, inst, self.copying) {
            if let Some(own) = &mut self.own {
                own.copies = begins;
            }
            return;
        }
        if let Op::Within(_) = self.cursor.function.insts[inst].op {
            self.shadows.follow(&mut self.cursor, self.reporter, inst);
            let pointer = self.cursor.operand(inst, 0);
            return self.cursor.replace_result(inst, pointer);
        }
        if let Op::Apart { own, other, twice } = self.cursor.function.insts[inst].op {
            apart::check(&mut self.cursor, &mut self.shadows, self.reporter, inst, [own, other], twice);
            self.shadows.follow(&mut self.cursor, self.reporter, inst);
            let pointer = self.cursor.operand(inst, 0);
            return self.cursor.replace_result(inst, pointer);
        }
        if let Op::StringWord { limit } = self.cursor.function.insts[inst].op
            && self.kinds.has(Kind::Bounds)
        {
            return self.string(inst, limit);
        }
        if self.synchronises(inst) {
            return;
        }
        let carried = self.shadows.carried(&mut self.cursor, self.reporter, inst);
        // Before its operands are replaced, which have shadows of their own.
        self.shadows.follow(&mut self.cursor, self.reporter, inst);
        self.cursor.keep(inst);
        self.cursor.function.insts[inst].operands.extend(carried);
    }

    /// Keeps the word of a string that ends in its object. Others are written as if they were empty.
    fn string(&mut self, inst: Inst, limit: u32) {
        let pointer = self.cursor.operand(inst, 0);
        let shadow = self.shadows.of(&mut self.cursor, self.reporter, pointer);
        let cursor = &mut self.cursor;
        let size = cursor.function.as_bits(shadow.size);
        let is_known = measure_strings::is_known(cursor.function, self.shadows.globals, pointer);
        if is_known || size == Some(UNKNOWN_SIZE) {
            return cursor.keep(inst);
        }
        let (ends, place) = strings::search(cursor, pointer, shadow, limit);
        let result = cursor.function.insts[inst].results[0];
        let regions = [cursor.function.add_region(), cursor.function.add_region()];
        let check = cursor.push(Op::If, &[ends], &[Type::I32], &regions);
        cursor.open(regions[0]);
        cursor.keep(inst);
        cursor.push(Op::Exit(check), &[result], &[], &[]);
        cursor.close();
        cursor.open(regions[1]);
        let details = Details { object: Some(shadow.object), values: [Some(place), None] };
        self.reporter.report(cursor, Checked::Inside { access: Access::Read, bytes: 1 }, details);
        let empty = cursor.int(Type::I32, 0);
        cursor.push(Op::Exit(check), &[empty], &[], &[]);
        cursor.close();
        let word = cursor.result(check);
        cursor.replace(result, word);
    }

    /// Keeps an instruction that orders memory, with what follows from that.
    fn synchronises(&mut self, inst: Inst) -> bool {
        let op = self.cursor.function.insts[inst].op.clone();
        let (Some(own), cursor) = (&self.own, &mut self.cursor) else { return false };
        let flags = match op {
            Op::Barrier { execution: Scope::WorkGroup, flags, .. } => flags,
            Op::Fence { .. } => FenceFlags::empty(),
            _ => return false,
        };
        let orders = own.orders(&op);
        if orders {
            own.release(cursor);
        }
        cursor.keep(inst);
        if orders {
            own.acquire(cursor, inst, &op);
        }
        own.count(cursor, flags);
        true
    }

    /// Keeps an access, between what remembers the memory.
    fn remembered(&mut self, inst: Inst, accesses: &[Accessed]) {
        let Some(own) = &self.own else { return self.cursor.keep(inst) };
        let op = self.cursor.function.insts[inst].op.clone();
        let orders = own.orders(&op);
        if orders {
            own.release(&mut self.cursor);
        }
        let mut attempt = None;
        for accessed in accesses {
            let pointer = self.cursor.function.insts[inst].operands[accessed.operand];
            let space = self.cursor.function.ty(pointer).address_space();
            let shadow = self.shadows.of(&mut self.cursor, self.reporter, pointer);
            let written = match op {
                Op::Store { .. } => Some(self.cursor.operand(inst, 1)),
                Op::MemoryZero { .. } => Some(self.cursor.int(Type::I32, 0)),
                _ => None,
            };
            let attempts = matches!(op, Op::AtomicCompareExchange { .. });
            let loads = matches!(op, Op::AtomicLoad { .. });
            let changes = accessed.access == Access::Atomic && !loads && !attempts;
            let Accessed { access, bytes, .. } = *accessed;
            let volatile = matches!(op, Op::Load { volatile: true, .. });
            let uses = uses_what_it_reads(&op);
            let quiet = self.uses.quiet_argument(inst, accessed.operand);
            let argument = quiet.or_else(|| self.uses.settled(inst, accessed.operand));
            let granule = self.uses.granule(inst, accessed.operand);
            let meanwhile = match attempts {
                true => Meanwhile::ANY,
                false => self.phases.during(inst, accessed.operand),
            };
            let watched = Watched {
                access,
                changes,
                attempts,
                uses,
                volatile,
                bytes,
                space,
                written,
                shadow,
                argument,
                granule,
                meanwhile,
                quiet: self.quiet(inst, accessed.operand),
            };
            // Where accesses are checked, those outside are left out.
            let checked = self.kinds.has(Kind::Bounds);
            let inside = if checked { None } else { self.holds_inside(shadow, accessed) };
            let Some(own) = &self.own else { return };
            let looked = order::check(&mut self.cursor, self.reporter, own, self.kinds, &watched, inside);
            attempt = looked.map(|looked| (watched, looked, self.cursor.operand(inst, 1)));
        }
        self.cursor.keep(inst);
        if let Some((own, (watched, attempt, expected))) = self.own.as_ref().zip(attempt) {
            let old = self.cursor.result(inst);
            let succeeds = self.cursor.compare(CompareOp::Eq, old, expected);
            attempts::succeed(&mut self.cursor, self.reporter, own, &watched, attempt, succeeds);
        }
        if let Some(own) = self.own.as_ref().filter(|_| orders) {
            own.acquire(&mut self.cursor, inst, &op);
        }
    }

    /// What is known of the local memory that an access reaches.
    fn quiet(&self, inst: Inst, operand: usize) -> Option<Quiet> {
        let memory = self.uses.local(inst, operand).filter(|&memory| self.trial.is_quiet(memory))?;
        let (is_filled, is_safe) = (self.trial.is_filled(memory), self.trial.is_safe(inst, operand));
        Some(Quiet { is_filled, is_safe })
    }

    fn access(&mut self, inst: Inst, accesses: &[Accessed]) {
        let mut demands = Vec::new();
        for accessed in accesses {
            let pointer = self.cursor.function.insts[inst].operands[accessed.operand];
            let shadow = self.shadows.of(&mut self.cursor, self.reporter, pointer);
            demands.extend(self.inside(inst, shadow, accessed));
            demands.extend(self.aligned(shadow, accessed));
            demands.extend(self.allowed(shadow, accessed));
            let space = self.cursor.function.ty(pointer).address_space();
            if space == Some(AddressSpace::Constant) {
                demands.extend(self.contents(shadow, accessed));
            }
            self.warn_of_change(shadow, accessed);
        }
        let Some(all) = demands
            .iter()
            .map(|demand| demand.holds)
            .reduce(|all, holds| self.cursor.binary(BinaryOp::And, all, holds))
        else {
            return self.remembered(inst, accesses);
        };
        let result = self.cursor.function.insts[inst].results.first().copied();
        let types: Vec<Type> = result.map(|result| self.cursor.function.ty(result)).into_iter().collect();
        let zeros: Vec<Value> = types.iter().map(|&ty| self.cursor.function.zero(ty)).collect();
        let regions = [self.cursor.function.add_region(), self.cursor.function.add_region()];
        let check = self.cursor.push(Op::If, &[all], &types, &regions);
        self.cursor.open(regions[0]);
        self.remembered(inst, accesses);
        self.cursor.push(Op::Exit(check), result.as_slice(), &[], &[]);
        self.cursor.close();
        self.cursor.open(regions[1]);
        for demand in demands {
            let fails = self.cursor.value(Op::Unary(UnaryOp::Not), &[demand.holds], Type::BOOL);
            let (reporter, Demand { checked, details, .. }) = (&mut *self.reporter, demand);
            when(&mut self.cursor, fails, |cursor| reporter.report(cursor, checked, details));
        }
        self.cursor.push(Op::Exit(check), &zeros, &[], &[]);
        self.cursor.close();
        if let Some(result) = result {
            let new = self.cursor.result(check);
            self.cursor.replace(result, new);
        }
    }

    /// That an access stays in its object; none if it always does, or that is not asked for.
    fn inside(&mut self, inst: Inst, shadow: Shadow, accessed: &Accessed) -> Option<Demand> {
        let stays = self.uses.stays.get(&(inst, accessed.operand)).copied();
        if !self.kinds.has(Kind::Bounds) || stays == Some(Stays::Always) {
            return None;
        }
        let holds = self.holds_inside(shadow, accessed)?;
        let mut holds = self.narrow.holds(&mut self.cursor, inst, accessed, holds);
        if let Some(Stays::With(bit)) = stays {
            holds = self.cursor.binary(BinaryOp::Or, self.inside[bit as usize], holds);
        }
        let checked = Checked::Inside { access: accessed.access, bytes: accessed.bytes };
        Some(Demand { holds, checked, details: details(shadow) })
    }

    /// Whether an access stays in its object; none if it always does.
    fn holds_inside(&mut self, shadow: Shadow, accessed: &Accessed) -> Option<Value> {
        let known = |value: Value| self.cursor.function.as_bits(value);
        let (offset, size) = (known(shadow.offset), known(shadow.size));
        if size == Some(UNKNOWN_SIZE) || accessed.bytes == 0 {
            return None;
        }
        if let (Some(offset), Some(size)) = (offset, size)
            && offset.checked_add(accessed.bytes).is_some_and(|end| end <= size)
        {
            return None;
        }
        let limit = match self.limits.get(&(shadow.size, accessed.bytes)) {
            Some(&limit) => limit,
            None => self.limit(shadow.size, accessed.bytes),
        };
        Some(self.cursor.compare(CompareOp::ULt, shadow.offset, limit))
    }

    /// The number of distances at which `bytes` fit into `size`.
    fn limit(&mut self, size: Value, bytes: u64) -> Value {
        if let Some(size) = self.cursor.function.as_bits(size) {
            let limit = (size + 1).saturating_sub(bytes);
            return self.cursor.int(Type::I64, limit as i64);
        }
        let (bytes, zero) = (self.cursor.int(Type::I64, bytes as i64), self.cursor.int(Type::I64, 0));
        let fits = self.cursor.compare(CompareOp::UGe, size, bytes);
        let rest = self.cursor.binary(BinaryOp::Sub, size, bytes);
        let limit = self.cursor.binary_int(BinaryOp::Add, rest, 1);
        self.cursor.select(fits, limit, zero)
    }

    /// That the flags of the buffer allow an access; none if they always do.
    fn allowed(&mut self, shadow: Shadow, accessed: &Accessed) -> Option<Demand> {
        let Accessed { access, bytes, .. } = *accessed;
        let bit = if access == Access::Read { forbidden::READS } else { forbidden::WRITES };
        let holds = self.kinds.has(Kind::Flags).then(|| self.allows(shadow, bit))??;
        Some(Demand { holds, checked: Checked::Allowed { access, bytes }, details: details(shadow) })
    }

    /// That constant memory was written before the launch; none if it always is.
    fn contents(&mut self, shadow: Shadow, accessed: &Accessed) -> Option<Demand> {
        let Accessed { access, bytes, .. } = *accessed;
        let holds =
            self.kinds.has(Kind::Uninitialised).then(|| self.allows(shadow, forbidden::EARLY_READS))??;
        Some(Demand { holds, checked: Checked::Written { access, bytes }, details: details(shadow) })
    }

    /// Whether something is not forbidden; none if it never is.
    fn allows(&mut self, shadow: Shadow, bit: u32) -> Option<Value> {
        if let Some(&known) = self.allowed.get(&(shadow.object, bit)) {
            return Some(known);
        }
        let known = self.cursor.function.as_bits(shadow.object);
        if known.is_some_and(|object| object as u32 & bit == 0) {
            return None;
        }
        let set = self.cursor.binary_int(BinaryOp::And, shadow.object, bit.into());
        let zero = self.cursor.int(Type::I32, 0);
        Some(self.cursor.compare(CompareOp::Eq, set, zero))
    }

    /// Reports a write through a pointer that was one to `const`. It is executed, because C allows it where
    /// the memory is not constant.
    fn warn_of_change(&mut self, shadow: Shadow, accessed: &Accessed) {
        let Accessed { access, bytes, .. } = *accessed;
        if access == Access::Read || !self.kinds.has(Kind::Constness) {
            return;
        }
        let Some(allows) = self.allows(shadow, forbidden::CHANGES) else { return };
        let fails = self.cursor.value(Op::Unary(UnaryOp::Not), &[allows], Type::BOOL);
        let reporter = &mut *self.reporter;
        when(&mut self.cursor, fails, |cursor| {
            reporter.report(cursor, Checked::Changeable { access, bytes }, details(shadow));
        });
    }

    /// That an access is aligned in its object; none if it always is.
    fn aligned(&mut self, shadow: Shadow, accessed: &Accessed) -> Option<Demand> {
        let Accessed { align, access, .. } = *accessed;
        if !self.kinds.has(Kind::Alignment) || shadow.align >= align {
            return None;
        }
        let rest = self.cursor.binary_int(BinaryOp::And, shadow.offset, i64::from(align) - 1);
        let zero = self.cursor.int(Type::I64, 0);
        let holds = self.cursor.compare(CompareOp::Eq, rest, zero);
        Some(Demand { holds, checked: Checked::Aligned { access, align }, details: details(shadow) })
    }
}

fn details(shadow: Shadow) -> Details {
    Details { object: Some(shadow.object), values: [Some(shadow.offset), None] }
}
