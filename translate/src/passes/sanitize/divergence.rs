//! Checks that the work-items of a group reach the same barriers and asynchronous copies, as often and in the
//! same order (OpenCL C §6.15.9, §6.15.11).
//!
//! Each work-item counts how often it reaches each barrier, and mixes their numbers into one. At the end of
//! the kernel the least and the greatest of each number are found in local memory, and the work-item that
//! comes last compares them. So nothing waits that would not wait without the check.
//!
//! Copies and other operations whose arguments all work-items must agree on are marked before the library is
//! linked: a call of a function without a body, of a number made of the arguments, stands before each
//! ([`Marks`]). The numbers of all that a work-item does at a place are mixed into one, too.

use super::access::leads_to_reports;
use super::hash::hash;
use super::mark::Mark;
use super::report::{Details, Reporter};
use super::{one_end, when};
use crate::passes::cursor::Cursor;
use crate::passes::uniform::met_by_all;
use clvk_interface::ImplicitBuffer;
use clvk_interface::sanitize::Checked;
use clvk_ir::{
    AddressSpace, AtomicOp, BinaryOp, Builder, CompareOp, ConvertOp, FenceFlags, Func, Function, Global,
    GlobalData, Initializer, Inst, InstData, MemoryOrder, Module, Op, Region, Scope, Span, Type, UnaryOp,
    Value, WorkItemQuery,
};

const LOCAL: Type = Type::Pointer(AddressSpace::Local);
const PRIVATE: Type = Type::Pointer(AddressSpace::Private);

/// Checks a kernel.
pub fn check(module: &mut Module, kernel: Func, marks: Marks, reporter: &mut Reporter<'_>) {
    let mut barriers: Vec<Meeting> = Vec::new();
    module.functions[kernel].walk(|inst, data| {
        if let Some(sort) = marks.sort(&data.op) {
            barriers.push(Meeting { inst, span: data.span, sort });
        }
    });
    // Nobody misses these.
    let kernel_function = &module.functions[kernel];
    let insts: Vec<Inst> = barriers.iter().map(|meeting| meeting.inst).collect();
    let met = met_by_all(kernel_function, &insts, &|data| is_same_for_all(kernel_function, data));
    barriers.retain(|meeting| meeting.sort != Sort::Barrier || !met.contains(&meeting.inst));
    if !barriers.is_empty() {
        Counting::new(module, kernel, barriers).instrument(module, reporter);
    }
}

/// Whether an operation gives all work-items of a group the same. What loops read in the reports tells them
/// that another was left; after that nothing means anything.
fn is_same_for_all(kernel: &Function, data: &InstData) -> bool {
    use WorkItemQuery::*;
    match data.op {
        Op::WorkItem(query) => matches!(
            query,
            WorkDim | GlobalSize | LocalSize | EnqueuedLocalSize | NumGroups | GroupId | GlobalOffset
        ),
        Op::Load { .. } => leads_to_reports(kernel, data.operands[0]),
        Op::ImplicitBuffer(ImplicitBuffer::Reports) => true,
        _ => false,
    }
}

/// What work-items do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Barrier,
    /// An asynchronous copy.
    Copy,
    /// A wait for events, which is next to a barrier.
    Wait,
    /// A function that gives all the value of one, which contains barriers.
    Broadcast,
}

impl Sort {
    /// What all reach equally often; none if barriers say that.
    fn reached(self) -> Option<Checked> {
        match self {
            Sort::Barrier => Some(Checked::Barrier),
            Sort::Copy => Some(Checked::Copy),
            Sort::Wait | Sort::Broadcast => None,
        }
    }

    /// What they do with the same arguments.
    fn agreed(self) -> Option<Checked> {
        match self {
            Sort::Barrier => None,
            Sort::Copy => Some(Checked::CopyArguments),
            Sort::Wait => Some(Checked::WaitArguments),
            Sort::Broadcast => Some(Checked::BroadcastArguments),
        }
    }
}

/// The functions whose calls mark what all must do with the same arguments.
#[derive(Clone, Copy, Default)]
pub struct Marks([Option<Func>; 3]);

const MARKS: [(Sort, Mark); 3] = [
    (Sort::Copy, Mark::of_number("__clvk.copy")),
    (Sort::Wait, Mark::of_number("__clvk.agreement")),
    (Sort::Broadcast, Mark::of_number("__clvk.broadcast")),
];

impl Marks {
    pub fn declare(module: &mut Module) -> Marks {
        Marks(MARKS.map(|(_, mark)| Some(mark.declare(module))))
    }

    /// Those of a module whose kernels are whole.
    pub fn declared(module: &Module) -> Marks {
        Marks(MARKS.map(|(_, mark)| mark.declared(module)))
    }

    /// Marks the copy that an instruction makes and that follows.
    pub fn copy(self, cursor: &mut Cursor<'_>, inst: Inst) {
        mark(cursor, self.0[0], &cursor.operands(inst));
    }

    /// The mark of waits.
    pub fn wait(self) -> Option<Func> {
        self.0[1]
    }

    /// Marks the call of a function that gives all the value of one: the first operand is the value, and the
    /// last one scratch memory.
    pub fn broadcast(self, cursor: &mut Cursor<'_>, inst: Inst) {
        let operands = cursor.operands(inst);
        mark(cursor, self.0[2], &operands[1..operands.len() - 1]);
    }

    fn sort(self, op: &Op) -> Option<Sort> {
        match *op {
            Op::Barrier { execution: Scope::WorkGroup, .. } => Some(Sort::Barrier),
            Op::Call(callee) => {
                let position = self.0.iter().position(|&mark| mark == Some(callee))?;
                Some(MARKS[position].0)
            }
            _ => None,
        }
    }
}

/// The library functions that copy.
pub fn copies(module: &Module) -> impl Iterator<Item = Func> {
    let functions = module.functions.iter();
    functions.filter(|(_, function)| function.name.starts_with("__clvk_async_copy_")).map(|(func, _)| func)
}

/// The library functions that give all work-items the value of one.
pub fn broadcasts(module: &Module) -> impl Iterator<Item = Func> {
    let is_it = |function: &Function| function.name.starts_with("__clvk_work_group_broadcast_");
    module.functions.iter().filter(move |(_, function)| is_it(function)).map(|(func, _)| func)
}

fn mark(cursor: &mut Cursor<'_>, function: Option<Func>, values: &[Value]) {
    let Some(function) = function else { return };
    let mut arguments = cursor.int(Type::I32, 0);
    for &value in values {
        let number = hash(cursor, value);
        let mixed = cursor.binary_int(BinaryOp::Mul, arguments, PRIME);
        arguments = cursor.binary(BinaryOp::Xor, mixed, number);
    }
    cursor.push(Op::Call(function), &[arguments], &[], &[]);
}

/// A factor that mixes numbers.
pub const PRIME: i64 = 0x0100_0193;

/// Something that work-items do together.
struct Meeting {
    inst: Inst,
    span: Span,
    sort: Sort,
}

/// What a kernel counts: one number for each meeting, one for the order of those that are reached, and one
/// for the arguments of each, where those of barriers are zero.
struct Counting {
    kernel: Func,
    barriers: Vec<Meeting>,
    /// The numbers in private memory.
    numbers: Vec<Value>,
    /// Local memory: how many work-items came to the end, then the least and the greatest of each number.
    shared: Value,
    /// The kernel's last instruction.
    end: Inst,
}

/// Byte offsets in the shared memory.
fn least(number: usize) -> u32 {
    4 + 8 * number as u32
}

fn greatest(number: usize) -> u32 {
    least(number) + 4
}

impl Counting {
    /// Lets the kernel begin with what resets the numbers, and end at one place.
    fn new(module: &mut Module, kernel: Func, barriers: Vec<Meeting>) -> Counting {
        let count = 2 * barriers.len() + 1;
        let name = format!("__clvk_sanitizer.{}", module.functions[kernel].name);
        let (space, size) = (AddressSpace::Local, u64::from(least(count)));
        let data =
            GlobalData { name, space, size, align: 4, is_read_only: false, initializer: Initializer::None };
        let global: Global = module.globals.push(data);
        let function = &mut module.functions[kernel];
        let end = one_end(function);
        let body = function.body.expect("kernels have bodies");
        let rest = std::mem::take(&mut function.regions[body].insts);
        let shared = function.global(LOCAL, global);
        let zero = function.int(Type::I32, 0);
        let mut build = Builder::new(function, body);
        let numbers: Vec<Value> =
            (0..count).map(|_| build.value(Op::Alloca { size: 4, align: 4 }, &[], PRIVATE)).collect();
        for &number in &numbers {
            build.store(number, zero, 4, false);
        }
        reset(&mut build, shared, count);
        function.regions[body].insts.extend(rest);
        Counting { kernel, barriers, numbers, shared, end }
    }

    fn instrument(&self, module: &mut Module, reporter: &mut Reporter<'_>) {
        let mut cursor = Cursor::new(&mut module.functions[self.kernel]);
        while let Some(inst) = cursor.advance() {
            if let Some(barrier) = self.barriers.iter().position(|barrier| barrier.inst == inst) {
                self.count(&mut cursor, barrier);
                if self.barriers[barrier].sort != Sort::Barrier {
                    continue;
                }
            } else if inst == self.end {
                self.compare(&mut cursor, reporter);
            }
            cursor.keep(inst);
        }
    }

    /// Counts the arrival at a barrier.
    fn count(&self, cursor: &mut Cursor<'_>, barrier: usize) {
        let load = Op::Load { align: 4, volatile: false };
        let store = Op::Store { align: 4, volatile: false };
        let old = cursor.value(load.clone(), &[self.numbers[barrier]], Type::I32);
        let new = cursor.binary_int(BinaryOp::Add, old, 1);
        cursor.push(store.clone(), &[self.numbers[barrier], new], &[], &[]);
        let Meeting { inst, sort, .. } = self.barriers[barrier];
        if sort.reached().is_some() {
            let place = cursor.int(Type::I32, barrier as i64 + 1);
            self.mix(cursor, self.order(), place);
        }
        if sort.agreed().is_some() {
            let arguments = cursor.operand(inst, 0);
            self.mix(cursor, self.arguments(barrier), arguments);
        }
    }

    /// Mixes a value into a number.
    fn mix(&self, cursor: &mut Cursor<'_>, number: usize, value: Value) {
        let number = self.numbers[number];
        let old = cursor.value(Op::Load { align: 4, volatile: false }, &[number], Type::I32);
        let mixed = cursor.binary_int(BinaryOp::Mul, old, PRIME);
        let new = cursor.binary(BinaryOp::Add, mixed, value);
        cursor.push(Op::Store { align: 4, volatile: false }, &[number, new], &[], &[]);
    }

    /// The number that says in which order.
    fn order(&self) -> usize {
        self.barriers.len()
    }

    /// The number of a meeting's arguments.
    fn arguments(&self, barrier: usize) -> usize {
        self.barriers.len() + 1 + barrier
    }

    /// The numbers that something is mixed into.
    fn used(&self) -> impl Iterator<Item = usize> {
        let agreed = (0..self.barriers.len()).filter(|&index| self.barriers[index].sort.agreed().is_some());
        (0..=self.order()).chain(agreed.map(|index| self.arguments(index)))
    }

    /// Joins the numbers of the work-items; the last one compares.
    fn compare(&self, cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>) {
        for index in self.used() {
            let number = self.numbers[index];
            let value = cursor.value(Op::Load { align: 4, volatile: false }, &[number], Type::I32);
            self.update(cursor, AtomicOp::UMin, MemoryOrder::Relaxed, (least(index), value));
            self.update(cursor, AtomicOp::UMax, MemoryOrder::Relaxed, (greatest(index), value));
        }
        let one = cursor.int(Type::I32, 1);
        let before = self.update(cursor, AtomicOp::Add, MemoryOrder::AcquireRelease, (0, one));
        let arrived = cursor.binary_int(BinaryOp::Add, before, 1);
        let all = work_items(cursor);
        let is_last = cursor.compare(CompareOp::Eq, arrived, all);
        when(cursor, is_last, |cursor| {
            let mut any = cursor.int(Type::BOOL, 0);
            for (index, &Meeting { span, sort, .. }) in self.barriers.iter().enumerate() {
                let differs = self.differs(cursor, index, span, sort.reached(), reporter);
                any = cursor.value(Op::Binary(BinaryOp::Or), &[any, differs], Type::BOOL);
                // Numbers of events differ, too, where copies do.
                if let Some(checked) = sort.agreed().filter(|_| sort != Sort::Wait) {
                    let same = cursor.value(Op::Unary(UnaryOp::Not), &[differs], Type::BOOL);
                    when(cursor, same, |cursor| {
                        self.differs(cursor, self.arguments(index), span, Some(checked), reporter);
                    });
                }
            }
            let first = self.barriers.iter().find(|meeting| meeting.sort.reached().is_some());
            let Some(&Meeting { span, .. }) = first else { return };
            let none = cursor.value(Op::Unary(UnaryOp::Not), &[any], Type::BOOL);
            when(cursor, none, |cursor| {
                self.differs(cursor, self.order(), span, Some(Checked::BarrierOrder), reporter);
                let waits =
                    self.barriers.iter().enumerate().filter(|(_, meeting)| meeting.sort == Sort::Wait);
                for (index, &Meeting { span, sort, .. }) in waits {
                    self.differs(cursor, self.arguments(index), span, sort.agreed(), reporter);
                }
            });
        });
    }

    /// Reports if a number differs and that is an error; returns whether it does.
    fn differs(
        &self,
        cursor: &mut Cursor<'_>,
        index: usize,
        span: Span,
        checked: Option<Checked>,
        reporter: &mut Reporter<'_>,
    ) -> Value {
        let [least, greatest] = [least(index), greatest(index)].map(|place| {
            let pointer = super::report::step(cursor, self.shared, place);
            let load = Op::AtomicLoad { order: MemoryOrder::Relaxed, scope: Scope::WorkGroup };
            cursor.value(load, &[pointer], Type::I32)
        });
        let differs = cursor.compare(CompareOp::Ne, least, greatest);
        let Some(checked) = checked else { return differs };
        when(cursor, differs, |cursor| {
            let values =
                [least, greatest].map(|it| Some(cursor.convert(ConvertOp::ZeroExtend, it, Type::I64)));
            reporter.report_at(cursor, span, checked, Details { object: None, values });
        });
        differs
    }

    /// An atomic operation on a word of the shared memory; gives the old value.
    fn update(
        &self,
        cursor: &mut Cursor<'_>,
        op: AtomicOp,
        order: MemoryOrder,
        (place, value): (u32, Value),
    ) -> Value {
        let pointer = super::report::step(cursor, self.shared, place);
        cursor.value(Op::AtomicRmw { op, order, scope: Scope::WorkGroup }, &[pointer, value], Type::I32)
    }
}

/// The number of work-items of the group.
fn work_items(cursor: &mut Cursor<'_>) -> Value {
    let sizes = [0, 1, 2].map(|dimension| {
        let axis = cursor.int(Type::I32, dimension);
        let size = cursor.value(Op::WorkItem(WorkItemQuery::LocalSize), &[axis], Type::I64);
        cursor.convert(ConvertOp::Truncate, size, Type::I32)
    });
    let plane = cursor.binary(BinaryOp::Mul, sizes[0], sizes[1]);
    cursor.binary(BinaryOp::Mul, plane, sizes[2])
}

/// Lets the first work-item write the words that the group shares, before any other uses them.
fn reset(build: &mut Builder<'_>, shared: Value, count: usize) {
    let id = build.value(Op::WorkItem(WorkItemQuery::LocalLinearId), &[], Type::I64);
    let zero = build.function.int(Type::I64, 0);
    let is_first = build.compare(CompareOp::Eq, id, zero);
    let regions: [Region; 2] = [build.function.add_region(), build.function.add_region()];
    let check = build.push_with_regions(Op::If, &[is_first], &[], &regions);
    let outer = build.switch_to(regions[0]);
    let (none, most) = (build.function.int(Type::I32, 0), build.function.int(Type::I32, -1));
    build.store(shared, none, 4, false);
    for number in 0..count {
        for (place, value) in [(least(number), most), (greatest(number), none)] {
            let pointer = build.pointer_offset(shared, place.into());
            build.store(pointer, value, 4, false);
        }
    }
    build.push(Op::Exit(check), &[], &[]);
    build.switch_to(regions[1]);
    build.push(Op::Exit(check), &[], &[]);
    build.switch_to(outer);
    let (execution, memory) = (Scope::WorkGroup, Scope::WorkGroup);
    build.push(Op::Barrier { execution, memory, flags: FenceFlags::LOCAL }, &[], &[]);
}
