//! Checks that the work-items of a group reach the same barriers and asynchronous copies, as often and in the
//! same order (OpenCL C §6.15.9, §6.15.11).
//!
//! Each work-item counts how often it reaches each barrier, and mixes their numbers into one. At the end of
//! the kernel the least and the greatest of each number are found in local memory, and the work-item that
//! comes last compares them. So nothing waits that would not wait without the check.
//!
//! Copies are marked before the library is linked: a call of a function without a body, of a number made of
//! the arguments, stands before each. The numbers of all copies that a work-item makes at a place are mixed
//! into one, too.

use super::hash::hash;
use super::mark::Mark;
use super::report::{Details, Reporter};
use super::{one_end, when};
use crate::passes::cursor::Cursor;
use clvk_interface::sanitize::Checked;
use clvk_ir::{
    AddressSpace, AtomicOp, BinaryOp, Builder, CompareOp, ConvertOp, FenceFlags, Func, Global, GlobalData,
    Initializer, Inst, MemoryOrder, Module, Op, Region, Scope, Span, Type, UnaryOp, Value, WorkItemQuery,
};

const LOCAL: Type = Type::Pointer(AddressSpace::Local);
const PRIVATE: Type = Type::Pointer(AddressSpace::Private);

/// Checks a kernel.
pub fn check(module: &mut Module, kernel: Func, copies: Option<Func>, reporter: &mut Reporter<'_>) {
    let mut barriers: Vec<Meeting> = Vec::new();
    module.functions[kernel].walk(|inst, data| {
        let copies = copies.is_some_and(|copies| data.op == Op::Call(copies));
        if copies || matches!(data.op, Op::Barrier { execution: Scope::WorkGroup, .. }) {
            barriers.push(Meeting { inst, span: data.span, copies });
        }
    });
    if !barriers.is_empty() {
        Counting::new(module, kernel, barriers).instrument(module, reporter);
    }
}

/// Calls of this function mark copies.
pub const MARK: Mark = Mark("__clvk.copy");

/// The library functions that copy.
pub fn copies(module: &Module) -> impl Iterator<Item = Func> {
    let functions = module.functions.iter();
    functions.filter(|(_, function)| function.name.starts_with("__clvk_async_copy_")).map(|(func, _)| func)
}

/// Marks the copy that an instruction makes and that follows.
pub fn mark(cursor: &mut Cursor<'_>, function: Func, inst: Inst) {
    let mut arguments = cursor.int(Type::I32, 0);
    for operand in cursor.operands(inst) {
        let number = hash(cursor, operand);
        let mixed = cursor.binary_int(BinaryOp::Mul, arguments, PRIME);
        arguments = cursor.binary(BinaryOp::Xor, mixed, number);
    }
    cursor.push(Op::Call(function), &[arguments], &[], &[]);
}

/// A factor that mixes numbers.
const PRIME: i64 = 0x0100_0193;

/// A barrier or a copy.
struct Meeting {
    inst: Inst,
    span: Span,
    copies: bool,
}

/// What a kernel counts: one number for each barrier, one for their order, and one for the arguments of each
/// copy, where those of barriers are zero.
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
                if self.barriers[barrier].copies {
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
        let place = cursor.int(Type::I32, barrier as i64 + 1);
        self.mix(cursor, self.order(), place);
        let Meeting { inst, copies, .. } = self.barriers[barrier];
        if copies {
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

    /// The number of a copy's arguments.
    fn arguments(&self, barrier: usize) -> usize {
        self.barriers.len() + 1 + barrier
    }

    /// The numbers that something is mixed into.
    fn used(&self) -> impl Iterator<Item = usize> {
        let copies = (0..self.barriers.len()).filter(|&barrier| self.barriers[barrier].copies);
        (0..=self.order()).chain(copies.map(|copy| self.arguments(copy)))
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
            for (index, &Meeting { span, copies, .. }) in self.barriers.iter().enumerate() {
                let checked = if copies { Checked::Copy } else { Checked::Barrier };
                let differs = self.differs(cursor, index, span, checked, reporter);
                any = cursor.value(Op::Binary(BinaryOp::Or), &[any, differs], Type::BOOL);
                if copies {
                    let same = cursor.value(Op::Unary(UnaryOp::Not), &[differs], Type::BOOL);
                    when(cursor, same, |cursor| {
                        self.differs(cursor, self.arguments(index), span, Checked::CopyArguments, reporter);
                    });
                }
            }
            let none = cursor.value(Op::Unary(UnaryOp::Not), &[any], Type::BOOL);
            when(cursor, none, |cursor| {
                let span = self.barriers[0].span;
                self.differs(cursor, self.order(), span, Checked::BarrierOrder, reporter);
            });
        });
    }

    /// Reports if a number differs; returns whether it does.
    fn differs(
        &self,
        cursor: &mut Cursor<'_>,
        index: usize,
        span: Span,
        checked: Checked,
        reporter: &mut Reporter<'_>,
    ) -> Value {
        let [least, greatest] = [least(index), greatest(index)].map(|place| {
            let pointer = super::report::step(cursor, self.shared, place);
            let load = Op::AtomicLoad { order: MemoryOrder::Relaxed, scope: Scope::WorkGroup };
            cursor.value(load, &[pointer], Type::I32)
        });
        let differs = cursor.compare(CompareOp::Ne, least, greatest);
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
