//! How often each part of a kernel runs, and what sampled work-groups access.
//!
//! Each work-item counts in variables of its own, and adds them up at the end of the kernel, so that counting
//! in a loop costs an addition.

use super::parts::Parts;
use super::record::{element, event, group, query, store, update, when, word, words};
use super::{Measuring, points};
use crate::passes::cursor::Cursor;
use crate::passes::structure::{enclose, end_after};
use clvk_interface::measure::{COUNTERS, Cost, Counter, Line, Memory, Operations, SET, Site, head};
use clvk_interface::sanitize::Access;
use clvk_ir::{
    AddressSpace, AtomicOp, BinaryOp, CompareOp, ConvertOp, Function, Inst, InstData, MathOp, Op, Region,
    Scalar, Scope, Span, Type, UnaryOp, Value, WorkItemQuery,
};
use rustc_hash::FxHashMap;

const PRIVATE: Type = Type::Pointer(AddressSpace::Private);

/// Counts the parts of a kernel.
pub fn instrument(function: &mut Function, measuring: &mut Measuring) {
    let parts = Parts::of(function);
    let first = measuring.measured.counters.len() as u32;
    let accessed = describe(function, &parts, measuring);
    let mut loops = 0;
    function.walk(|_, data| loops += usize::from(data.op.is_loop()));
    let block = enclose(function, &[]);
    let mut cursor = Cursor::new(function);
    let entry = Entry::new(&mut cursor, parts.count(), loops);
    while cursor.advance().is_some() {}
    let end = end_after(function, block);
    let mut cursor = Cursor::new(function);
    let mut rounds = Rounds::new(&mut cursor, &entry);
    while let Some(inst) = cursor.advance() {
        let number = rounds.enter(&mut cursor);
        if let Some(part) = parts.begins(inst) {
            entry.count(&mut cursor, part);
            entry.mark(&mut cursor, part, number);
        }
        if points::number(cursor.function, inst, &measuring.functions).is_some() {
            continue;
        }
        for &(operand, site) in accessed.get(&inst).map_or(&[][..], Vec::as_slice) {
            let pointer = cursor.operand(inst, operand);
            entry.access(&mut cursor, site, pointer);
        }
        if inst == end {
            entry.finish(&mut cursor, first);
        }
        rounds.construct(&mut cursor, inst);
        cursor.keep(inst);
    }
}

/// Adds a kernel's parts, lines and accesses to the tables; gives the operands through which instructions
/// access memory, with the numbers of their sites.
fn describe(
    function: &Function,
    parts: &Parts,
    measuring: &mut Measuring,
) -> FxHashMap<Inst, Vec<(usize, u32)>> {
    let Measuring { measured, marks, functions } = measuring;
    let first = measured.counters.len() as u32;
    let counter =
        Counter { kernel: function.name.clone(), operations: Operations::default(), barrier: false };
    measured.counters.resize((first + parts.count()) as usize, counter);
    let mut accessed: FxHashMap<Inst, Vec<(usize, u32)>> = FxHashMap::default();
    let mut copies = 0;
    let mut costs: FxHashMap<(u32, (u32, u32)), usize> = FxHashMap::default();
    function.walk(|inst, data| {
        let Some(part) = parts.part(inst) else { return };
        let counter = first + part;
        let own = &mut measured.counters[counter as usize];
        let operations = tally(&mut own.operations, function, data);
        own.barrier |= matches!(data.op, Op::Barrier { execution: Scope::WorkGroup, .. });
        if let Some(number) = points::number(function, inst, functions) {
            copies += 1;
            measured.lines.extend(marks[number as usize].iter().map(|span| Line {
                counter,
                origin: number,
                copy: copies,
                span: (span.start, span.end),
                place: None,
            }));
        }
        let accesses = accesses(function, data);
        let cost = operations + accesses.len() as u32;
        let span = if data.span == Span::NONE { (0, 0) } else { (data.span.start, data.span.end) };
        if cost > 0 && span != (0, 0) {
            let known = *costs.entry((counter, span)).or_insert_with(|| {
                measured.costs.push(Cost { counter, operations: 0, span, place: None });
                measured.costs.len() - 1
            });
            let operations = &mut measured.costs[known].operations;
            *operations = operations.saturating_add(cost);
        }
        for (operand, access, bytes) in accesses {
            let Some(memory) = memory(function, data.operands[operand]) else { continue };
            accessed.entry(inst).or_default().push((operand, measured.sites.len() as u32));
            measured.sites.push(Site { counter, access, memory, bytes, span, place: None });
        }
    });
    accessed
}

/// The operands through which an instruction accesses memory, what it does there, and with how many bytes.
fn accesses(function: &Function, data: &InstData) -> Vec<(usize, Access, u32)> {
    let size = |value: Value| function.ty(value).access_size();
    match data.op {
        Op::Load { .. } => vec![(0, Access::Read, size(data.results[0]))],
        Op::Store { .. } => vec![(0, Access::Write, size(data.operands[1]))],
        Op::MemoryCopy { size, .. } => {
            let size = u32::try_from(size).unwrap_or(u32::MAX);
            vec![(0, Access::Write, size), (1, Access::Read, size)]
        }
        Op::MemoryZero { size, .. } => vec![(0, Access::Write, u32::try_from(size).unwrap_or(u32::MAX))],
        Op::AtomicLoad { .. } => vec![(0, Access::Atomic, size(data.results[0]))],
        Op::AtomicStore { .. } | Op::AtomicRmw { .. } | Op::AtomicCompareExchange { .. } => {
            vec![(0, Access::Atomic, size(data.operands[1]))]
        }
        _ => Vec::new(),
    }
}

/// The memory that a pointer reaches, if work-items share it and the program knows it.
fn memory(function: &Function, pointer: Value) -> Option<Memory> {
    let mut root = pointer;
    while let Some(inst) = function.defining_inst(root) {
        match function.insts[inst].op {
            Op::PointerOffset(_) | Op::PointerIndex { .. } | Op::Within(_) => {
                root = function.insts[inst].operands[0];
            }
            Op::Convert(ConvertOp::AddressSpace) => root = function.insts[inst].operands[0],
            Op::ImplicitBuffer(_) => return None,
            _ => break,
        }
    }
    match function.ty(root).address_space()? {
        AddressSpace::Private => None,
        AddressSpace::Local => Some(Memory::Local),
        AddressSpace::Constant => Some(Memory::Constant),
        AddressSpace::Global | AddressSpace::Generic => Some(Memory::Global),
    }
}

/// Adds what an instruction computes; gives the number of operations.
fn tally(operations: &mut Operations, function: &Function, data: &InstData) -> u32 {
    let Some(&result) = data.results.first() else { return 0 };
    let ty = function.ty(result);
    let (count, is_special) = match data.op {
        Op::Binary(_) => (1, false),
        Op::Unary(UnaryOp::FNeg | UnaryOp::Not) => return 0,
        Op::Unary(_) => (1, false),
        Op::Math(MathOp::Fma) => (2, false),
        Op::Math(MathOp::FAbs | MathOp::CopySign) => return 0,
        Op::Math(MathOp::Dot) => (2 * function.ty(data.operands[0]).lanes() - 1, false),
        Op::Math(
            MathOp::FMin | MathOp::FMax | MathOp::Floor | MathOp::Ceil | MathOp::Trunc | MathOp::RoundEven,
        ) => (1, false),
        Op::Math(_) => (1, true),
        Op::PackedDot(_) => (7, false),
        _ => return 0,
    };
    let count = count * ty.lanes();
    let kind = match ty.scalar() {
        _ if is_special => &mut operations.special,
        Some(Scalar::F16) => &mut operations.half,
        Some(Scalar::F32) => &mut operations.single,
        Some(Scalar::F64) => &mut operations.double,
        Some(Scalar::Bool) | None => return 0,
        Some(_) => &mut operations.integer,
    };
    *kind = kind.saturating_add(count);
    count
}

/// What a kernel computes at its start.
struct Entry {
    /// The variables in which it counts.
    counters: Vec<Value>,
    /// Whether its work-group is sampled.
    sampled: Value,
    /// The number of the work-item among the sampled ones.
    item: Value,
    /// The number of its sub-group among the sampled ones.
    sub_group: Value,
    /// Two variables for each loop: its rounds, and the number of the current one.
    loops: Vec<[Value; 2]>,
}

impl Entry {
    fn new(cursor: &mut Cursor<'_>, count: u32, loops: usize) -> Entry {
        let zero = cursor.int(Type::I32, 0);
        let variable = |cursor: &mut Cursor<'_>| {
            let variable = cursor.value(Op::Alloca { size: 4, align: 4 }, &[], PRIVATE);
            put(cursor, variable, zero);
            variable
        };
        let counters = (0..count).map(|_| variable(cursor)).collect();
        let loops = (0..loops).map(|_| [variable(cursor), variable(cursor)]).collect();
        let [stride, first, groups, items, width] =
            [head::STRIDE, head::FIRST, head::GROUPS, head::ITEMS, head::WIDTH].map(|position| {
                let pointer = word(cursor, position);
                get(cursor, pointer)
            });
        // Work-groups before the first one are, as unsigned numbers, far behind the last one.
        let group = group(cursor);
        let distance = cursor.binary(BinaryOp::Sub, group, first);
        let number = cursor.value(Op::Binary(BinaryOp::UDiv), &[distance, stride], Type::I32);
        let whole = cursor.binary(BinaryOp::Mul, number, stride);
        let is_one = cursor.compare(CompareOp::Eq, whole, distance);
        let is_early = cursor.compare(CompareOp::ULt, number, groups);
        let sampled = cursor.value(Op::Binary(BinaryOp::And), &[is_one, is_early], Type::BOOL);
        let place = query(cursor, WorkItemQuery::LocalLinearId, None);
        let before = cursor.binary(BinaryOp::Mul, number, items);
        let item = cursor.binary(BinaryOp::Add, before, place);
        let most = cursor.binary_int(BinaryOp::Sub, width, 1);
        let most = cursor.binary(BinaryOp::Add, items, most);
        let sub_groups = cursor.value(Op::Binary(BinaryOp::UDiv), &[most, width], Type::I32);
        let own = cursor.value(Op::Binary(BinaryOp::UDiv), &[place, width], Type::I32);
        let before = cursor.binary(BinaryOp::Mul, number, sub_groups);
        let sub_group = cursor.binary(BinaryOp::Add, before, own);
        Entry { counters, sampled, item, sub_group, loops }
    }

    /// Counts a part.
    fn count(&self, cursor: &mut Cursor<'_>, part: u32) {
        let variable = self.counters[part as usize];
        let old = get(cursor, variable);
        let new = cursor.binary_int(BinaryOp::Add, old, 1);
        put(cursor, variable, new);
    }

    /// Adds the number of this time to the set of a part.
    fn mark(&self, cursor: &mut Cursor<'_>, part: u32, number: Value) {
        when(cursor, self.sampled, |cursor| {
            let (words, parts) = (SET / 32, self.counters.len() as i64);
            let sets = word(cursor, head::SETS);
            let sets = get(cursor, sets);
            let before = cursor.binary_int(BinaryOp::Mul, self.sub_group, parts * i64::from(words));
            let first = cursor.binary(BinaryOp::Add, sets, before);
            let number = cursor.binary_int(BinaryOp::And, number, i64::from(SET) - 1);
            let own = cursor.binary_int(BinaryOp::LShr, number, 5);
            let own = cursor.binary_int(BinaryOp::Add, own, i64::from(part * words));
            let index = cursor.binary(BinaryOp::Add, first, own);
            let pointer = element(cursor, 0, index, 1);
            let (one, place) = (cursor.int(Type::I32, 1), cursor.binary_int(BinaryOp::And, number, 31));
            let bit = cursor.value(Op::Binary(BinaryOp::Shl), &[one, place], Type::I32);
            update(cursor, AtomicOp::Or, pointer, bit);
        });
    }

    /// Records an address.
    fn access(&self, cursor: &mut Cursor<'_>, site: u32, pointer: Value) {
        when(cursor, self.sampled, |cursor| {
            let address = cursor.convert(ConvertOp::PointerToInt, pointer, Type::I64);
            let words = words(cursor, address);
            event(cursor, site, self.item, words);
        });
    }

    /// Adds the counts to the kernel's, whose first one is `first`.
    fn finish(&self, cursor: &mut Cursor<'_>, first: u32) {
        let counts: Vec<Value> = self.counters.iter().map(|&variable| get(cursor, variable)).collect();
        for (number, &count) in (first..).zip(&counts) {
            let low = word(cursor, COUNTERS + 2 * number);
            let before = update(cursor, AtomicOp::Add, low, count);
            let after = cursor.binary(BinaryOp::Add, before, count);
            let carries = cursor.compare(CompareOp::ULt, after, count);
            when(cursor, carries, |cursor| {
                let (high, one) = (word(cursor, COUNTERS + 2 * number + 1), cursor.int(Type::I32, 1));
                update(cursor, AtomicOp::Add, high, one);
            });
        }
        when(cursor, self.sampled, |cursor| {
            let samples = word(cursor, head::SAMPLES);
            let samples = get(cursor, samples);
            let before = cursor.binary_int(BinaryOp::Mul, self.item, counts.len() as i64);
            let index = cursor.binary(BinaryOp::Add, samples, before);
            let row = element(cursor, 0, index, 1);
            for (position, &count) in (0..).zip(&counts) {
                store(cursor, row, position, count);
            }
        });
    }
}

/// The numbers of the times at which regions are executed: those of the regions around them, mixed with the
/// rounds of loops.
struct Rounds<'e> {
    loops: std::slice::Iter<'e, [Value; 2]>,
    numbers: FxHashMap<Region, Value>,
    /// The regions of loops that have not been come to: the variables, and for bodies the number around.
    coming: FxHashMap<Region, ([Value; 2], Option<Value>)>,
}

impl<'e> Rounds<'e> {
    fn new(cursor: &mut Cursor<'_>, entry: &'e Entry) -> Self {
        let first = cursor.int(Type::I32, 1);
        let body = cursor.function.body.expect("kernels have bodies");
        let numbers = FxHashMap::from_iter([(body, first)]);
        Rounds { loops: entry.loops.iter(), numbers, coming: FxHashMap::default() }
    }

    /// The number of this time, in the region that the cursor is in.
    fn enter(&mut self, cursor: &mut Cursor<'_>) -> Value {
        let region = cursor.region();
        if let Some(([rounds, current], around)) = self.coming.remove(&region) {
            let number = match around {
                Some(around) => {
                    let round = get(cursor, rounds);
                    let next = cursor.binary_int(BinaryOp::Add, round, 1);
                    put(cursor, rounds, next);
                    let number = mix(cursor, around, next);
                    put(cursor, current, number);
                    number
                }
                None => get(cursor, current),
            };
            self.numbers.insert(region, number);
        }
        self.numbers[&region]
    }

    /// Prepares for the regions of an instruction.
    fn construct(&mut self, cursor: &mut Cursor<'_>, inst: Inst) {
        let number = self.numbers[&cursor.region()];
        let regions = cursor.function.insts[inst].regions.clone();
        if !cursor.function.insts[inst].op.is_loop() {
            return self.numbers.extend(regions.into_iter().map(|region| (region, number)));
        }
        let variables = *self.loops.next().expect("each loop was counted");
        let zero = cursor.int(Type::I32, 0);
        put(cursor, variables[0], zero);
        self.coming.insert(regions[0], (variables, Some(number)));
        self.coming.insert(regions[1], (variables, None));
    }
}

/// A number that depends on two others.
fn mix(cursor: &mut Cursor<'_>, a: Value, b: Value) -> Value {
    let a = cursor.binary_int(BinaryOp::Mul, a, 0x0100_0193);
    let sum = cursor.binary(BinaryOp::Add, a, b);
    let product = cursor.binary_int(BinaryOp::Mul, sum, 0x9e37_79b1);
    let high = cursor.binary_int(BinaryOp::LShr, product, 15);
    cursor.value(Op::Binary(BinaryOp::Xor), &[product, high], Type::I32)
}

fn get(cursor: &mut Cursor<'_>, pointer: Value) -> Value {
    cursor.value(Op::Load { align: 4, volatile: false }, &[pointer], Type::I32)
}

fn put(cursor: &mut Cursor<'_>, pointer: Value, value: Value) {
    cursor.push(Op::Store { align: 4, volatile: false }, &[pointer, value], &[], &[]);
}
