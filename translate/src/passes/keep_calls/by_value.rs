//! Functions that take and return numbers instead of pointers.
//!
//! In the function, a variable of its own takes the place of what a parameter points to. It is filled at the
//! start, and at the end what may have changed is returned; the next passes make values of it. A call loads
//! what it passes and stores what it gets. Numbers that the function does not need are not passed, and those
//! that it only returns as they were are not returned ([`Passing::drop_needless`]). Where a parameter points
//! to local memory, the function names the variable and takes an offset ([`super::locals`]).

use super::extents::{Extents, Piece, constant_step};
use super::locals::{self, Place};
use super::scalars::Scalars;
use crate::passes::rewrite::{Emitter, Substitution, replace_results};
use crate::passes::structure::{enclose, only_return};
use clvk_ir::{
    AddressSpace, BinaryOp, Constant, ConvertOp, EntityId, FastMath, Func, Function, Global, Inst, Op,
    Region, Type, Value, ValueData, ValueDef, WorkItemQuery,
};
use rustc_hash::FxHashMap;

/// The alignment of the variables, in bytes, which suits every access.
const ALIGNMENT: u32 = 16;

const POINTER: Type = Type::Pointer(AddressSpace::Private);

/// A launch query, with its dimension and its type.
#[derive(Clone, PartialEq, Eq)]
struct Query {
    query: WorkItemQuery,
    dimension: Option<(Type, Constant)>,
    ty: Type,
}

/// How calls of a function pass numbers.
pub struct Passing {
    params: Vec<Param>,
    queries: Vec<Query>,
    results: Vec<Type>,
    /// Whether the first number is a zero that the driver does not know.
    zero: bool,
    /// Of the numbers of the parameters and queries, in order: whether they are passed.
    passed: Vec<bool>,
    /// Of the numbers of the results and of the pieces that are written, in order: whether they are returned.
    returned: Vec<bool>,
    /// Positions in `returned` and `passed` of the same number of a piece.
    same: Vec<(usize, usize)>,
    /// The types of the numbers that are returned.
    types: Vec<Type>,
}

enum Param {
    Value(Type),
    /// The offset in a variable in local memory, in bytes.
    Offset(Global),
    /// A pointer whose variable and offset the function knows.
    Nothing,
    Pointer(Vec<Piece>),
}

/// The zero that the driver does not know, which will be the first parameter.
pub fn zero_param(function: &mut Function) -> Value {
    function.values.push(ValueData { ty: Type::I32, def: ValueDef::Param(0) })
}

/// Makes a function take and return numbers; `extents` is what it reaches.
/// `place` says where the parameters for local memory lead; none does that of a function that is not called.
pub fn convert(
    function: &mut Function,
    extents: &Extents,
    place: impl Fn(usize) -> Option<Place>,
    scalars: Scalars,
    zero: Option<Value>,
) -> Passing {
    let params = std::mem::replace(&mut function.params, zero.into_iter().collect());
    let results = std::mem::take(&mut function.results);
    let mut passing = Passing {
        params: Vec::new(),
        queries: Vec::new(),
        results,
        zero: zero.is_some(),
        passed: Vec::new(),
        returned: Vec::new(),
        same: Vec::new(),
        types: Vec::new(),
    };
    let mut conversion = Conversion {
        function,
        scalars,
        passing: &mut passing,
        head: Vec::new(),
        substitution: Substitution::default(),
        written: Vec::new(),
        variables: Vec::new(),
    };
    for (position, (param, pieces)) in params.into_iter().zip(extents).enumerate() {
        match pieces {
            None if conversion.function.ty(param) == locals::POINTER => {
                conversion.local(param, place(position));
            }
            None => conversion.value(param),
            Some(pieces) => conversion.pointer(param, pieces),
        }
    }
    conversion.queries();
    conversion.body();
    passing
}

struct Conversion<'a> {
    function: &'a mut Function,
    scalars: Scalars,
    passing: &'a mut Passing,
    /// What comes first in the body.
    head: Vec<Inst>,
    substitution: Substitution,
    /// The address of each piece that is written, with the position of its first number among those passed.
    written: Vec<(Value, Piece, usize)>,
    /// The variables that take the places of what parameters point to.
    variables: Vec<Value>,
}

impl Conversion<'_> {
    fn emitter(&mut self) -> Emitter<'_> {
        let span = self.function.span;
        Emitter { function: self.function, out: &mut self.head, span, fast_math: FastMath::empty() }
    }

    /// Adds the parameters for a value; gives the value.
    fn add(&mut self, ty: Type) -> Value {
        let types = self.scalars.types(ty).expect("what cannot be passed was not chosen");
        let numbers: Vec<Value> = types.iter().map(|&ty| self.function.add_param(ty)).collect();
        self.passing.passed.extend(numbers.iter().map(|_| true));
        let scalars = self.scalars;
        scalars.join(&mut self.emitter(), &numbers, ty)
    }

    fn value(&mut self, param: Value) {
        let ty = self.function.ty(param);
        let value = self.add(ty);
        self.substitution.set(param, value);
        self.passing.params.push(Param::Value(ty));
    }

    fn pointer(&mut self, param: Value, pieces: &[Piece]) {
        let alignment = i64::from(ALIGNMENT);
        let base = pieces.first().map_or(0, |piece| piece.start.div_euclid(alignment) * alignment);
        let end = pieces.last().map_or(1, Piece::end);
        let alloca = Op::Alloca { size: (end - base) as u64, align: ALIGNMENT };
        let variable = self.emitter().value(alloca, &[], POINTER);
        self.variables.push(variable);
        for &piece in pieces {
            let first = self.passing.passed.len();
            let value = self.add(piece.ty);
            let mut emitter = self.emitter();
            let address = emitter.pointer_offset(variable, piece.start - base);
            let store = Op::Store { align: piece.align, volatile: false };
            emitter.push(store, &[address, value], &[]);
            if piece.written {
                self.written.push((address, piece, first));
            }
        }
        let pointer = self.emitter().pointer_offset(variable, -base);
        self.substitution.set(param, pointer);
        self.passing.params.push(Param::Pointer(pieces.to_vec()));
    }

    /// Puts a variable in the place of a pointer to local memory.
    fn local(&mut self, param: Value, place: Option<Place>) {
        let Some(Place { global, offset }) = place else {
            let null = self.function.zero(locals::POINTER);
            self.substitution.set(param, null);
            return self.passing.params.push(Param::Nothing);
        };
        let start = self.function.global(locals::POINTER, global);
        let (pointer, passed) = match offset {
            Some(offset) => (self.emitter().pointer_offset(start, offset), Param::Nothing),
            None => {
                let offset = self.add(Type::I32);
                let index = Op::PointerIndex { stride: 1 };
                (self.emitter().value(index, &[start, offset], locals::POINTER), Param::Offset(global))
            }
        };
        self.substitution.set(param, pointer);
        self.passing.params.push(passed);
    }

    /// Launch queries become parameters.
    fn queries(&mut self) {
        let mut found: Vec<(Query, Value)> = Vec::new();
        let function = &*self.function;
        function.walk(|_, data| {
            if let Op::WorkItem(query) = data.op {
                let constant =
                    |value: Value| Some((function.ty(value), function.as_constant(value)?.clone()));
                let dimension = data.operands.first().and_then(|&value| constant(value));
                let ty = function.ty(data.results[0]);
                found.push((Query { query, dimension, ty }, data.results[0]));
            }
        });
        let mut known: Vec<Value> = Vec::new();
        for (query, result) in found {
            let position = self.passing.queries.iter().position(|other| *other == query);
            let position = position.unwrap_or_else(|| {
                known.push(self.add(query.ty));
                self.passing.queries.push(query);
                known.len() - 1
            });
            self.substitution.set(result, known[position]);
        }
    }

    /// Makes the body fill the variables, and return numbers at its end.
    fn body(mut self) {
        let body = self.function.body.expect("a function that stays has a body");
        let (mut insts, results) = self.single_return(body);
        let head = std::mem::take(&mut self.head);
        self.function.regions[body].insts = head;
        let mut numbers = Vec::new();
        for result in results {
            let scalars = self.scalars;
            numbers.extend(scalars.take_apart(&mut self.emitter(), result));
        }
        for (address, piece, first) in std::mem::take(&mut self.written) {
            let scalars = self.scalars;
            let mut emitter = self.emitter();
            let load = Op::Load { align: piece.align, volatile: false };
            let value = emitter.value(load, &[address], piece.ty);
            let parts = scalars.take_apart(&mut emitter, value);
            let positions = (0..parts.len()).map(|part| (numbers.len() + part, first + part));
            self.passing.same.extend(positions);
            numbers.extend(parts);
        }
        self.emitter().push(Op::Return, &numbers, &[]);
        insts.append(&mut self.head);
        self.function.regions[body].insts.append(&mut insts);
        let types: Vec<Type> = numbers.iter().map(|&number| self.function.ty(number)).collect();
        self.function.results.clone_from(&types);
        self.passing.returned = vec![true; types.len()];
        self.passing.types = types;
        self.substitution.apply(self.function);
        limit_alignments(self.function, &self.variables);
    }

    /// The instructions of the body without a return, and what it would return. Several returns become exits
    /// from a block.
    fn single_return(&mut self, body: Region) -> (Vec<Inst>, Vec<Value>) {
        if let Some(end) = only_return(self.function) {
            let mut insts = std::mem::take(&mut self.function.regions[body].insts);
            insts.pop();
            return (insts, self.function.insts[end].operands.to_vec());
        }
        let block = enclose(self.function, &self.passing.results);
        (vec![block], self.function.insts[block].results.to_vec())
    }
}

/// Limits what accesses say about their alignment to what holds in these variables, where the pointer may
/// have pointed to the middle of an aligned variable before.
fn limit_alignments(function: &mut Function, variables: &[Value]) {
    // Sums of constant steps, and of one step of each index: their alignment is the pointer's.
    let mut places: FxHashMap<Value, (i64, i64)> =
        variables.iter().map(|&variable| (variable, (0, i64::from(ALIGNMENT)))).collect();
    let mut limits: Vec<(Inst, u32)> = Vec::new();
    let before = &*function;
    before.walk(|inst, data| {
        for operand in &data.operands {
            let Some(&(offset, unit)) = places.get(operand) else { continue };
            let moved = match (constant_step(before, inst), &data.op) {
                (Some(by), _) => Some((offset.wrapping_add(by), unit)),
                (None, Op::PointerIndex { stride }) => Some((offset, unit | *stride as i64)),
                _ => None,
            };
            match moved {
                Some(place) => drop(places.insert(data.results[0], place)),
                None => limits.push((inst, 1 << (offset | unit).trailing_zeros())),
            }
        }
    });
    for (inst, limit) in limits {
        if let Op::Load { align, .. }
        | Op::Store { align, .. }
        | Op::MemoryCopy { align, .. }
        | Op::MemoryZero { align, .. } = &mut function.insts[inst].op
        {
            *align = (*align).min(limit);
        }
    }
}

impl Passing {
    /// Drops the numbers that the function does not use, or returns as they were passed.
    pub fn drop_needless(&mut self, function: &mut Function) {
        let own = usize::from(self.zero);
        let body = function.body.expect("a function that stays has a body");
        let end = function.terminator(body).filter(|&end| function.insts[end].op == Op::Return);
        if let Some(end) = end {
            for &(returned, passed) in &self.same {
                let is_same = function.insts[end].operands[returned] == function.params[own + passed];
                self.returned[returned] = !is_same;
            }
            keep_flagged(&mut self.types, &self.returned);
            let mut operands = function.insts[end].operands.to_vec();
            keep_flagged(&mut operands, &self.returned);
            function.insts[end].operands = operands.into();
            function.results.clone_from(&self.types);
        }
        let mut used = vec![false; function.values.len()];
        function.walk(|_, data| {
            data.operands.iter().for_each(|&operand| used[operand.index()] = true);
        });
        for (flag, &param) in self.passed.iter_mut().zip(&function.params[own..]) {
            *flag = used[param.index()];
        }
        let mut params = function.params.split_off(own);
        keep_flagged(&mut params, &self.passed);
        function.params.append(&mut params);
        for (index, &param) in function.params.iter().enumerate() {
            function.values[param].def = ValueDef::Param(index as u32);
        }
    }
}

fn keep_flagged<T>(items: &mut Vec<T>, flags: &[bool]) {
    let mut flags = flags.iter();
    items.retain(|_| flags.next().copied().unwrap_or(true));
}

/// Makes calls of functions that were converted pass numbers. `zero` is the one that the driver does not
/// know, if the functions take it.
pub fn convert_calls(
    function: &mut Function,
    passings: &FxHashMap<Func, Passing>,
    scalars: Scalars,
    zero: Option<Value>,
) {
    replace_results(function, |function, inst, out| {
        let Op::Call(callee) = function.insts[inst].op else { return None };
        let passing = passings.get(&callee)?;
        let arguments = function.insts[inst].operands.to_vec();
        let mut emitter = Emitter::like(function, out, inst);
        emitter.fast_math = FastMath::empty();
        let mut call = Call { emitter, scalars, passing, operands: zero.into_iter().collect(), next: 0 };
        Some(call.convert(callee, &arguments))
    });
}

/// A call that is converted.
struct Call<'a, 'f> {
    emitter: Emitter<'f>,
    scalars: Scalars,
    passing: &'a Passing,
    operands: Vec<Value>,
    /// Position of the next number among those that are passed.
    next: usize,
}

impl Call<'_, '_> {
    /// Writes the call; gives its results.
    fn convert(&mut self, callee: Func, arguments: &[Value]) -> Vec<Value> {
        let passing = self.passing;
        let of_results: usize = passing.results.iter().map(|&ty| self.count(ty)).sum();
        let mut back = Back { position: of_results, stores: Vec::new() };
        for (param, &argument) in passing.params.iter().zip(arguments) {
            match param {
                Param::Value(ty) => {
                    self.pass(*ty, |call| call.scalars.take_apart(&mut call.emitter, argument));
                }
                Param::Offset(global) => self.pass(Type::I32, |call| vec![call.offset(argument, *global)]),
                Param::Nothing => {}
                Param::Pointer(pieces) => {
                    for &piece in pieces {
                        self.piece(argument, piece, &mut back);
                    }
                }
            }
        }
        for query in &passing.queries {
            self.pass(query.ty, |call| call.query(query));
        }
        let call = self.emitter.push(Op::Call(callee), &self.operands, &passing.types);
        let mut given = self.emitter.function.insts[call].results.clone().into_iter();
        let mut values = Vec::new();
        for &ty in &passing.results {
            let numbers: Vec<Value> = given.by_ref().take(self.count(ty)).collect();
            values.push(self.scalars.join(&mut self.emitter, &numbers, ty));
        }
        for Store { pointer, piece, mut numbers, first } in back.stores {
            for (number, is_returned) in numbers.iter_mut().zip(&passing.returned[first..]) {
                if *is_returned {
                    *number = given.next();
                }
            }
            let numbers: Vec<Value> = numbers.into_iter().flatten().collect();
            let value = self.scalars.join(&mut self.emitter, &numbers, piece.ty);
            let address = self.emitter.pointer_offset(pointer, piece.start);
            let store = Op::Store { align: piece.align, volatile: false };
            self.emitter.push(store, &[address, value], &[]);
        }
        values
    }

    fn count(&self, ty: Type) -> usize {
        self.scalars.types(ty).map_or(0, |types| types.len())
    }

    /// Passes those numbers of a value that the function takes.
    fn pass(&mut self, ty: Type, numbers: impl FnOnce(&mut Self) -> Vec<Value>) {
        let flags = &self.passing.passed[self.next..self.next + self.count(ty)];
        self.next += flags.len();
        if flags.contains(&true) {
            let mut numbers = numbers(self);
            keep_flagged(&mut numbers, flags);
            self.operands.append(&mut numbers);
        }
    }

    /// Passes a part of what an argument points to, and notes that it comes back.
    fn piece(&mut self, pointer: Value, piece: Piece, back: &mut Back) {
        let count = self.count(piece.ty);
        let passed = &self.passing.passed[self.next..self.next + count];
        self.next += count;
        let first = back.position;
        let returned = match piece.written {
            true => &self.passing.returned[first..first + count],
            false => &[],
        };
        back.position += returned.len();
        let (comes_back, is_whole) = (returned.contains(&true), !returned.contains(&false));
        let mut numbers = vec![None; count];
        if passed.contains(&true) || comes_back && !is_whole {
            let address = self.emitter.pointer_offset(pointer, piece.start);
            let load = Op::Load { align: piece.align, volatile: false };
            let value = self.emitter.value(load, &[address], piece.ty);
            numbers = self.scalars.take_apart(&mut self.emitter, value).into_iter().map(Some).collect();
            let given = numbers.iter().zip(passed).filter(|(_, passed)| **passed);
            self.operands.extend(given.filter_map(|(number, _)| *number));
        }
        if comes_back {
            back.stores.push(Store { pointer, piece, numbers, first });
        }
    }

    /// How far a pointer is from the start of its variable.
    fn offset(&mut self, pointer: Value, global: Global) -> Value {
        let start = self.emitter.function.global(locals::POINTER, global);
        let [pointer, start] = [pointer, start].map(|pointer| self.emitter.reinterpret(pointer, Type::I64));
        let distance = self.emitter.value(Op::Binary(BinaryOp::Sub), &[pointer, start], Type::I64);
        self.emitter.value(Op::Convert(ConvertOp::Truncate), &[distance], Type::I32)
    }

    fn query(&mut self, query: &Query) -> Vec<Value> {
        let dimension =
            query.dimension.clone().map(|(ty, constant)| self.emitter.function.constant(ty, constant));
        let value = self.emitter.value(Op::WorkItem(query.query), dimension.as_slice(), query.ty);
        self.scalars.take_apart(&mut self.emitter, value)
    }
}

/// What comes back from a call.
struct Back {
    /// Position of the next number among those that may be returned.
    position: usize,
    stores: Vec<Store>,
}

/// A part of an argument's memory that a call may change.
struct Store {
    pointer: Value,
    piece: Piece,
    /// What was passed of it.
    numbers: Vec<Option<Value>>,
    /// Position of the first number among those that may be returned.
    first: usize,
}
