//! Confines kernels to their arguments and variables, whatever they do
//! ([`TranslateOptions::robust`](crate::TranslateOptions::robust)).
//!
//! Every access is checked where it is made. An address is compared with the range that it was derived from
//! ([`origin`]), or, where that is unknown, with all ranges of the launch; the host passes them in a table
//! ([`clvk_interface::bounds`]). An index is compared with the length of its array. Loads that fail the check
//! are redirected and give zeros: addresses to the start of the table, indices to the array's first element,
//! whose value is replaced. Stores and atomic operations that fail are skipped. Vulkan itself bounds what the
//! driver does with texels and samplers (`robustBufferAccess`).
//!
//! The ranges for the comparisons are read once, at the kernel's entry.

mod origin;

use super::{Context, cursor::Cursor};
use crate::TranslateError;
use clvk_interface::{
    ArgumentKind, BufferLocation, ImplicitBuffer, KernelInterface,
    bounds::{COUNT, FIRST_RANGE, RANGE},
};
use clvk_ir::{
    AddressSpace, BinaryOp, CompareOp, ConvertOp, ElementCount, Function, Inst, Op, Type, Value, Variable,
    VariableData, VariableSpace,
};
use origin::{Origin, Origins};
use rustc_hash::FxHashMap;

/// Confines every kernel, if the caller wants it.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.options.robust {
        return Ok(());
    }
    for function in context.module.kernels_mut() {
        let interface = context.interface.kernel(&function.name);
        confine(function, interface.expect("`lower-launch` describes every kernel"));
    }
    Ok(())
}

/// The memory that an access must stay in.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Limit {
    /// Addresses: a range of the table, and the bytes of the access.
    Addresses(u32, u32),
    /// Elements of a descriptor or of a `__local` argument: a range of the table, and the bytes of an
    /// element.
    Elements(u32, u32),
    /// Any range of the table.
    Anything,
}

/// The start of a range, and the first distance from it that lies outside.
#[derive(Clone, Copy)]
struct Bound {
    start: Value,
    limit: Value,
}

/// How an access reaches memory.
enum Reached {
    /// By an address: the pointer's operand.
    Address(Value, AddressSpace),
    /// By an index.
    Element(Variable, Value),
}

struct Confinement<'f> {
    cursor: Cursor<'f>,
    origins: Origins,
    /// The table's range for each descriptor, by binding, and for each `__local` argument, by specialisation
    /// constant.
    descriptors: FxHashMap<u32, u32>,
    locals: FxHashMap<u32, u32>,
    table: Table,
    bounds: FxHashMap<Limit, Bound>,
    /// The number of ranges, where it is needed.
    count: Option<Value>,
}

/// How the kernel reaches the table.
#[derive(Clone, Copy)]
enum Table {
    Address { offset: u32 },
    Descriptor(Variable),
}

fn confine(function: &mut Function, interface: &KernelInterface) {
    let location = interface.implicit_buffer(ImplicitBuffer::Bounds);
    let table = match location.expect("`lower-launch` gives robust kernels a table") {
        BufferLocation::Address { offset } => Table::Address { offset },
        BufferLocation::Descriptor { binding } => Table::Descriptor(words(function, binding)),
    };
    let mut descriptors = FxHashMap::default();
    let mut locals = FxHashMap::default();
    for (range, argument) in (0..).zip(&interface.arguments) {
        match argument.kind {
            ArgumentKind::StorageBuffer { binding, .. } => descriptors.insert(binding, range),
            ArgumentKind::Local { spec_id, .. } => locals.insert(spec_id, range),
            _ => None,
        };
    }
    for (range, (_, location)) in (interface.arguments.len() as u32..).zip(&interface.implicit_buffers) {
        if let BufferLocation::Descriptor { binding } = *location {
            descriptors.insert(binding, range);
        }
    }
    let origins = Origins::find(function, interface);
    let accesses = accesses(function);
    let cursor = Cursor::new(function);
    let bounds = FxHashMap::default();
    let mut confinement = Confinement { cursor, origins, descriptors, locals, table, bounds, count: None };
    confinement.read_table(&accesses);
    while let Some(inst) = confinement.cursor.advance() {
        if is_access(&confinement.cursor.function.insts[inst].op) {
            confinement.access(inst);
        } else {
            confinement.cursor.keep(inst);
        }
    }
}

/// The table as an array of words; no other instruction accesses it yet.
fn words(function: &mut Function, binding: u32) -> Variable {
    let is_table = |data: &VariableData| matches!(data.space, VariableSpace::StorageBuffer { binding: of, .. } if of == binding);
    let found = function.variables.iter().find(|(_, data)| is_table(data)).map(|(variable, _)| variable);
    let variable = found.expect("`lower-launch` gives the table a variable");
    function.variables[variable].element = Type::I32;
    variable
}

fn is_access(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::AtomicRmw { .. }
            | Op::AtomicCompareExchange { .. }
    )
}

fn accesses(function: &Function) -> Vec<Inst> {
    let mut accesses = Vec::new();
    function.walk(|inst, data| {
        if is_access(&data.op) {
            accesses.push(inst);
        }
    });
    accesses
}

/// The type of the value that is read or written.
fn accessed(function: &Function, inst: Inst) -> Type {
    let data = &function.insts[inst];
    function.ty(data.results.first().copied().unwrap_or_else(|| data.operands[1]))
}

fn reached(function: &Function, inst: Inst) -> Reached {
    let pointer = function.defining_inst(function.insts[inst].operands[0]);
    let data = &function.insts[pointer.expect("`lower-memory` makes pointers where they are used")];
    match data.op {
        Op::PhysicalPointer(space) => Reached::Address(data.operands[0], space),
        Op::ElementPointer(variable) => Reached::Element(variable, data.operands[0]),
        ref other => unreachable!("confine: {other:?} makes a pointer"),
    }
}

/// Bytes of an element in memory.
fn element_size(data: &VariableData) -> u32 {
    data.element.scalar().map_or(1, |scalar| scalar.size()) * data.element.lanes().next_power_of_two()
}

impl Confinement<'_> {
    /// The limit of an access; none if it cannot fail.
    fn limit(&self, inst: Inst) -> Option<Limit> {
        let function = &*self.cursor.function;
        match reached(function, inst) {
            Reached::Address(address, _) => match self.origins.of(address) {
                Origin::Arguments => None,
                Origin::Range(range) => Some(Limit::Addresses(range, accessed(function, inst).access_size())),
                Origin::Nothing | Origin::Number | Origin::Mixed => Some(Limit::Anything),
            },
            Reached::Element(variable, _) => {
                let data = &function.variables[variable];
                let range = match (data.space, data.count) {
                    (VariableSpace::StorageBuffer { binding, .. }, _) => self.descriptors.get(&binding),
                    (_, ElementCount::Specialised { spec_id }) => self.locals.get(&spec_id),
                    _ => None,
                };
                range.map(|&range| Limit::Elements(range, element_size(data)))
            }
        }
    }

    /// Reads the ranges for the comparisons, at the kernel's entry.
    fn read_table(&mut self, accesses: &[Inst]) {
        for &access in accesses {
            let Some(limit) = self.limit(access) else { continue };
            match limit {
                Limit::Anything if self.count.is_none() => self.count = Some(self.read(COUNT)),
                Limit::Anything => {}
                Limit::Addresses(range, size) => {
                    if !self.bounds.contains_key(&limit) {
                        let place = FIRST_RANGE + range * RANGE;
                        let (start, length) = (self.read(place), self.read(place + 8));
                        let limit_value = self.last_of(length, size);
                        self.bounds.insert(limit, Bound { start, limit: limit_value });
                    }
                }
                Limit::Elements(range, size) => {
                    if !self.bounds.contains_key(&limit) {
                        let bound = self.elements(range, size);
                        self.bounds.insert(limit, bound);
                    }
                }
            }
        }
    }

    /// The word of the table at this offset: 64 bits with physical addressing, else the lower 32.
    fn read(&mut self, place: u32) -> Value {
        match self.table {
            Table::Address { offset } => {
                let start = self.cursor.value(Op::PushConstant { offset }, &[], Type::I64);
                let address = self.cursor.binary_int(BinaryOp::Add, start, i64::from(place));
                self.load_word(address)
            }
            Table::Descriptor(variable) => {
                let index = self.cursor.int(Type::I32, i64::from(place / 4));
                let ty = Type::Pointer(AddressSpace::Global);
                let pointer = self.cursor.value(Op::ElementPointer(variable), &[index], ty);
                self.cursor.value(Op::Load { align: 4, volatile: false }, &[pointer], Type::I32)
            }
        }
    }

    fn load_word(&mut self, address: Value) -> Value {
        let space = AddressSpace::Global;
        let pointer = self.cursor.value(Op::PhysicalPointer(space), &[address], Type::Pointer(space));
        self.cursor.value(Op::Load { align: 8, volatile: false }, &[pointer], Type::I64)
    }

    /// The number of distances at which `size` bytes fit into `length` bytes.
    fn last_of(&mut self, length: Value, size: u32) -> Value {
        let ty = self.cursor.function.ty(length);
        let (size, zero) = (self.cursor.int(ty, i64::from(size)), self.cursor.int(ty, 0));
        let fits = self.cursor.compare(CompareOp::UGe, length, size);
        let rest = self.cursor.binary(BinaryOp::Sub, length, size);
        let distances = self.cursor.binary_int(BinaryOp::Add, rest, 1);
        self.cursor.select(fits, distances, zero)
    }

    /// The number of elements that fit entirely into a range.
    fn elements(&mut self, range: u32, size: u32) -> Bound {
        let place = FIRST_RANGE + range * RANGE;
        let [start, length] = [place, place + 8].map(|place| {
            let word = self.read(place);
            self.cursor.convert(ConvertOp::Truncate, word, Type::I32)
        });
        let shift = i64::from(size.trailing_zeros());
        let end = self.cursor.binary(BinaryOp::Add, start, length);
        // Rounded up without leaving 32 bits.
        let whole = self.cursor.binary_int(BinaryOp::LShr, start, shift);
        let rest = self.cursor.binary_int(BinaryOp::And, start, i64::from(size) - 1);
        let zero = self.cursor.int(Type::I32, 0);
        let partial = self.cursor.compare(CompareOp::Ne, rest, zero);
        let next = self.cursor.binary_int(BinaryOp::Add, whole, 1);
        let first = self.cursor.select(partial, next, whole);
        let last = self.cursor.binary_int(BinaryOp::LShr, end, shift);
        let some = self.cursor.compare(CompareOp::UGt, last, first);
        let count = self.cursor.binary(BinaryOp::Sub, last, first);
        Bound { start: first, limit: self.cursor.select(some, count, zero) }
    }

    fn access(&mut self, inst: Inst) {
        match reached(self.cursor.function, inst) {
            Reached::Address(address, space) => {
                let Some(inside) = self.address_inside(inst, address) else { return self.cursor.keep(inst) };
                if !matches!(self.cursor.function.insts[inst].op, Op::Load { .. }) {
                    return self.only_if(inside, inst);
                }
                let Table::Address { offset } = self.table else {
                    unreachable!("addresses come with physical addressing")
                };
                let zeros = self.cursor.value(Op::PushConstant { offset }, &[], Type::I64);
                let address = self.cursor.get(address);
                let place = self.cursor.select(inside, address, zeros);
                let pointer = self.cursor.value(Op::PhysicalPointer(space), &[place], Type::Pointer(space));
                self.cursor.keep_with(inst, &[pointer]);
            }
            Reached::Element(variable, index) => {
                let Some((inside, first)) = self.index_inside(inst, variable, index) else {
                    return self.cursor.keep(inst);
                };
                if !matches!(self.cursor.function.insts[inst].op, Op::Load { .. }) {
                    return self.only_if(inside, inst);
                }
                self.load_element(inst, variable, index, inside, first);
            }
        }
    }

    /// Whether an address lies in the memory that it was derived from; none if it always does.
    fn address_inside(&mut self, inst: Inst, address: Value) -> Option<Value> {
        let limit = self.limit(inst)?;
        let size = accessed(self.cursor.function, inst).access_size();
        let address = self.cursor.get(address);
        match self.bounds.get(&limit).copied() {
            Some(bound) => {
                let distance = self.cursor.binary(BinaryOp::Sub, address, bound.start);
                Some(self.cursor.compare(CompareOp::ULt, distance, bound.limit))
            }
            None => Some(self.inside_anything(address, size)),
        }
    }

    /// Whether an index is valid for its array, and the first index that is; none if it always is.
    fn index_inside(&mut self, inst: Inst, variable: Variable, index: Value) -> Option<(Value, Value)> {
        let bound = self.limit(inst).and_then(|limit| self.bounds.get(&limit).copied());
        let index = self.cursor.get(index);
        if let Some(Bound { start, limit }) = bound {
            let distance = self.cursor.binary(BinaryOp::Sub, index, start);
            return Some((self.cursor.compare(CompareOp::ULt, distance, limit), start));
        }
        let ElementCount::Fixed(count) = self.cursor.function.variables[variable].count else {
            // The argument buffer, which only the translator's own instructions read.
            return None;
        };
        if self.cursor.function.as_bits(index).is_some_and(|index| index < u64::from(count)) {
            return None;
        }
        let (count, zero) = (self.cursor.int(Type::I32, i64::from(count)), self.cursor.int(Type::I32, 0));
        Some((self.cursor.compare(CompareOp::ULt, index, count), zero))
    }

    fn load_element(&mut self, inst: Inst, variable: Variable, index: Value, inside: Value, first: Value) {
        let data = &self.cursor.function.insts[inst];
        let (op, old) = (data.op.clone(), data.results[0]);
        let pointer_type = self.cursor.function.ty(data.operands[0]);
        let index = self.cursor.get(index);
        let place = self.cursor.select(inside, index, first);
        let pointer = self.cursor.value(Op::ElementPointer(variable), &[place], pointer_type);
        let ty = self.cursor.function.ty(old);
        let value = self.cursor.value(op, &[pointer], ty);
        let zero = self.cursor.function.zero(ty);
        let value = self.cursor.select(inside, value, zero);
        self.cursor.replace(old, value);
    }

    /// Makes an access only where a condition holds; elsewhere its result is zero.
    fn only_if(&mut self, inside: Value, inst: Inst) {
        let data = self.cursor.function.insts[inst].clone();
        let operands = self.cursor.operands(inst);
        let results: Vec<Type> = data.results.iter().map(|&result| self.cursor.function.ty(result)).collect();
        let regions = [self.cursor.function.add_region(), self.cursor.function.add_region()];
        let owner = self.cursor.push(Op::If, &[inside], &results, &regions);
        self.cursor.open(regions[0]);
        let access = self.cursor.push(data.op, &operands, &results, &[]);
        let given = self.cursor.function.insts[access].results.clone();
        self.cursor.push(Op::Exit(owner), &given, &[], &[]);
        self.cursor.close();
        self.cursor.open(regions[1]);
        let zeros: Vec<Value> = results.iter().map(|&ty| self.cursor.function.zero(ty)).collect();
        self.cursor.push(Op::Exit(owner), &zeros, &[], &[]);
        self.cursor.close();
        if let Some(&old) = data.results.first() {
            self.cursor.replace_result(inst, self.cursor.function.insts[owner].results[0]);
            debug_assert_eq!(self.cursor.function.insts[inst].results[0], old);
        }
    }

    /// Whether bytes at an address lie in any range of the table.
    fn inside_anything(&mut self, address: Value, size: u32) -> Value {
        let (Table::Address { offset }, Some(count)) = (self.table, self.count) else {
            unreachable!("the number of ranges is read for addresses of unknown origin")
        };
        let zero = self.cursor.int(Type::I64, 0);
        let [no, yes] = [0, 1].map(|bit| self.cursor.int(Type::BOOL, bit));
        let search = self.cursor.begin_loop(&[zero], &[Type::BOOL]);
        let index = search.carried[0];
        let more = self.cursor.compare(CompareOp::ULt, index, count);
        self.cursor.exit_when(more, false, search.inst, &[no]);
        let table = self.cursor.value(Op::PushConstant { offset }, &[], Type::I64);
        let distance = self.cursor.binary_int(BinaryOp::Shl, index, i64::from(RANGE.trailing_zeros()));
        let range = self.cursor.binary(BinaryOp::Add, table, distance);
        let [start, length] = [FIRST_RANGE, FIRST_RANGE + 8].map(|place| {
            let place = self.cursor.binary_int(BinaryOp::Add, range, i64::from(place));
            self.load_word(place)
        });
        let limit = self.last_of(length, size);
        let distance = self.cursor.binary(BinaryOp::Sub, address, start);
        let inside = self.cursor.compare(CompareOp::ULt, distance, limit);
        self.cursor.exit_when(inside, true, search.inst, &[yes]);
        let next = self.cursor.binary_int(BinaryOp::Add, index, 1);
        self.cursor.end_loop(&search, &[next]);
        self.cursor.result(search.inst)
    }
}
