//! Constant expressions ([expr.const]): an interpreter of the HIR.
//!
//! Memory is made of objects of bytes, of which it is known whether they were written, and of pointers among them.
//! Whatever the language leaves undefined, and whatever has no value before the program runs, ends the evaluation:
//! the expression is not constant. So do too many steps.

use super::super::constant::{self, mask, to_integer};
use super::Cxx;
use crate::Span;
use crate::cxx::ast::Expr as Ast;
use crate::hir::{
    ArithmeticOp, CaseValues, ComparisonOp, Constant, ConstantData, Conversion, Expr, ExprKind, FunctionId,
    GlobalId, Initializer, LocalId, Place, PlaceKind, Statement, StatementKind,
};
use crate::types::{ScalarKind, TypeId};
use clvk_ir::AddressSpace;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Steps of one evaluation.
const STEPS: u64 = 1_048_576;
/// Nested calls.
const CALLS: usize = 512;
/// Bytes of all objects.
const MEMORY: usize = 64 << 20;

/// Why an evaluation ended without a value.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    pub span: Span,
    pub reason: String,
}

type Evaluated<T> = Result<T, Box<Stop>>;

fn stop<T>(span: Span, reason: impl Into<String>) -> Evaluated<T> {
    Err(Box::new(Stop { span, reason: reason.into() }))
}

/// A pointer: an object and a byte in it; without an object an absolute address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pointer {
    object: Option<usize>,
    offset: i64,
}

#[derive(Clone, Debug, Default)]
struct Object {
    bytes: Vec<u8>,
    known: Vec<bool>,
    pointers: BTreeMap<u64, Pointer>,
    global: Option<GlobalId>,
    is_constant: bool,
    is_dead: bool,
}

#[derive(Clone, Debug)]
enum Value {
    Void,
    Lanes(Vec<u64>),
    Pointer(Pointer),
    Bytes(Object),
}

/// What executing a statement leads to.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

struct Machine<'c, 'a> {
    cxx: &'c Cxx<'a>,
    objects: Vec<Object>,
    globals: FxHashMap<GlobalId, usize>,
    /// A variable that is being initialised.
    target: Option<GlobalId>,
    steps: u64,
    memory: usize,
    calls: Vec<Call>,
}

struct Call {
    function: Option<FunctionId>,
    locals: FxHashMap<LocalId, usize>,
}

impl Cxx<'_> {
    fn machine(&self, target: Option<GlobalId>) -> Machine<'_, '_> {
        let function = self.checker.current.as_ref().map(|current| current.id);
        Machine {
            cxx: self,
            objects: Vec::new(),
            globals: FxHashMap::default(),
            target,
            steps: 0,
            memory: 0,
            calls: vec![Call { function, locals: FxHashMap::default() }],
        }
    }

    /// The value of a scalar expression of the HIR, if it is constant.
    pub(super) fn constant_bits(&self, expr: &Expr) -> Option<u64> {
        let mut machine = self.machine(None);
        match machine.value(expr).ok()? {
            Value::Lanes(lanes) => lanes.first().copied(),
            Value::Pointer(Pointer { object: None, offset }) => Some(offset as u64),
            _ => None,
        }
    }

    /// The contents of a variable after some statements have initialised it.
    pub(super) fn run_initializer(
        &self,
        target: GlobalId,
        statements: &[Statement],
    ) -> Result<ConstantData, Box<Stop>> {
        let mut machine = self.machine(Some(target));
        let object = machine.global(target, Span::NONE)?;
        machine.statements(statements)?;
        machine.data(object, self.checker.globals[target.0 as usize].span)
    }

    /// The value of a local variable after some statements have initialised it.
    pub(super) fn run_local(
        &self,
        local: LocalId,
        ty: TypeId,
        statements: &[Statement],
        span: Span,
    ) -> Result<ConstantData, Box<Stop>> {
        let mut machine = self.machine(None);
        machine.statements(statements)?;
        let object = machine.local(local, ty, span)?;
        machine.data(object, span)
    }

    /// The value of an expression that must be an integer constant.
    pub(super) fn integer_constant(&mut self, expr: &Ast) -> Option<i128> {
        self.constant_of(expr, "a constant expression")
    }

    /// The value of a constant expression of integer type; an error says what needs it.
    pub(super) fn constant_of(&mut self, expr: &Ast, what: &str) -> Option<i128> {
        self.constant_with_type(expr, what).map(|(value, _)| value)
    }

    pub(super) fn constant_with_type(&mut self, expr: &Ast, what: &str) -> Option<(i128, TypeId)> {
        let value = self.in_initializer(|cxx| {
            cxx.full_value(|cxx| {
                let value = cxx.expression(expr);
                let value = cxx.integral(value, expr.span);
                cxx.rvalue(value, expr.span)
            })
        });
        if self.types.is_error(value.ty) {
            self.note_error();
            return None;
        }
        let Some(kind) = self.types.as_scalar(value.ty).filter(|kind| kind.is_integer()) else {
            let text = self.type_text(value.ty);
            self.error(expr.span, format!("{what} must be of an integer type, not '{text}'"));
            return None;
        };
        match self.evaluated(&value) {
            Ok(bits) => Some((to_integer(kind, bits), value.ty)),
            Err(reason) => {
                let message = format!("{what} is not a constant expression");
                let mut diagnostic = crate::diagnostic::Diagnostic::error(expr.span, message);
                if reason.span != Span::NONE && reason.span != expr.span {
                    diagnostic = diagnostic.related(reason.span, reason.reason);
                } else {
                    diagnostic = diagnostic.note(reason.reason);
                }
                self.report(diagnostic);
                None
            }
        }
    }

    /// An object of a class as an integer, where one is wanted.
    fn integral(&mut self, value: super::expression::Value, span: Span) -> super::expression::Value {
        let Some(record) = self.record_of(value.ty_or_none()) else { return value };
        let list: Vec<super::FnId> = self
            .conversions_of(record)
            .into_iter()
            .filter(|id| {
                let function = self.function(*id);
                !function.is_explicit
                    && function.template.is_none()
                    && self.types.as_scalar(self.without_reference(function.result).ty()).is_some()
            })
            .collect();
        match list.as_slice() {
            [only] => self.converted_by(*only, value, span),
            _ => value,
        }
    }

    /// The bits of a scalar expression of the HIR, or why it has no constant value.
    pub(super) fn evaluated(&self, expr: &Expr) -> Result<u64, Box<Stop>> {
        let mut machine = self.machine(None);
        match machine.value(expr)? {
            Value::Lanes(lanes) => Ok(lanes.first().copied().unwrap_or(0)),
            Value::Pointer(pointer) => Ok(u64::from(pointer.object.is_some() || pointer.offset != 0)),
            _ => stop(expr.span, "it has no value"),
        }
    }

    /// Whether a condition is known to be true or false.
    pub(super) fn known_truth(&self, condition: &Expr) -> Result<bool, Box<Stop>> {
        self.evaluated(condition).map(|bits| bits & 1 != 0)
    }
}

impl Machine<'_, '_> {
    fn step(&mut self, span: Span) -> Evaluated<()> {
        self.steps += 1;
        if self.steps > STEPS {
            return stop(span, format!("the evaluation needs more than {STEPS} steps"));
        }
        Ok(())
    }

    fn layout(&self, ty: TypeId, span: Span) -> Evaluated<usize> {
        match self.cxx.types.layout(ty) {
            Some((size, _)) if (size as usize) <= MEMORY => Ok(size as usize),
            _ => stop(span, "an object is too large or has no size"),
        }
    }

    fn new_object(&mut self, size: usize, span: Span) -> Evaluated<usize> {
        self.memory += size;
        if self.memory > MEMORY {
            return stop(span, "the evaluation needs too much memory");
        }
        self.objects.push(Object { bytes: vec![0; size], known: vec![false; size], ..Object::default() });
        Ok(self.objects.len() - 1)
    }

    fn local(&mut self, local: LocalId, ty: TypeId, span: Span) -> Evaluated<usize> {
        let depth = self.calls.len();
        let call = self.calls.last().expect("a call");
        if let Some(object) = call.locals.get(&local) {
            return Ok(*object);
        }
        let constant = match (depth, call.function) {
            (1, Some(function)) => self.cxx.local_constants.get(&(function, local)).cloned(),
            _ => None,
        };
        let size = self.layout(ty, span)?;
        let object = self.new_object(size, span)?;
        if let Some(data) = constant {
            self.fill(object, &data, span)?;
            self.objects[object].is_constant = true;
        }
        self.calls.last_mut().expect("a call").locals.insert(local, object);
        Ok(object)
    }

    fn fill(&mut self, object: usize, data: &ConstantData, span: Span) -> Evaluated<()> {
        let size = self.objects[object].bytes.len().min(data.bytes.len());
        self.objects[object].bytes[..size].copy_from_slice(&data.bytes[..size]);
        self.objects[object].known.fill(true);
        for (at, global, addend) in &data.pointers {
            let target = self.global(*global, span)?;
            self.objects[object].pointers.insert(*at, Pointer { object: Some(target), offset: *addend });
        }
        Ok(())
    }

    fn global(&mut self, id: GlobalId, span: Span) -> Evaluated<usize> {
        if let Some(object) = self.globals.get(&id) {
            return Ok(*object);
        }
        let global = &self.cxx.checker.globals[id.0 as usize];
        let (ty, space, is_const) = (global.ty.ty, global.space, global.ty.qualifiers.is_const);
        let data = global.initializer.clone();
        let size = self.layout(ty, span)?;
        let object = self.new_object(size, span)?;
        self.objects[object].global = Some(id);
        self.globals.insert(id, object);
        if self.target == Some(id) {
            return Ok(object);
        }
        let is_known =
            space == AddressSpace::Constant || is_const || self.cxx.constexpr_globals.contains(&id);
        self.objects[object].is_constant = true;
        if is_known && space != AddressSpace::Local {
            match data {
                Some(data) => self.fill(object, &data, span)?,
                None if self.cxx.constexpr_globals.contains(&id) || space == AddressSpace::Constant => {
                    self.objects[object].known.fill(true);
                }
                None => {}
            }
        }
        Ok(object)
    }

    /// The contents of an object as data of the program.
    fn data(&mut self, object: usize, span: Span) -> Evaluated<ConstantData> {
        let object = &self.objects[object];
        let mut pointers = Vec::new();
        for (at, pointer) in &object.pointers {
            match pointer.object.map(|target| self.objects[target].global) {
                None => {}
                Some(Some(global)) => pointers.push((*at, global, pointer.offset)),
                Some(None) => return stop(span, "it points to a temporary object or a local variable"),
            }
        }
        Ok(ConstantData { bytes: object.bytes.clone(), pointers })
    }

    fn read(&self, at: Pointer, ty: TypeId, span: Span) -> Evaluated<Value> {
        let Some(object) = at.object else { return stop(span, "a null pointer is dereferenced") };
        let object = &self.objects[object];
        let size = self.layout(ty, span)?;
        let start = usize::try_from(at.offset).ok();
        let Some(range) =
            start.map(|start| start..start + size).filter(|range| range.end <= object.bytes.len())
        else {
            return stop(span, "an object is accessed outside of its bounds");
        };
        if object.is_dead {
            return stop(span, "an object is read after its lifetime has ended");
        }
        let types = &self.cxx.types;
        if types.pointee(ty).is_some() {
            if !object.known[range.clone()].iter().all(|known| *known) {
                return stop(span, "a value is read that is not known at compile time");
            }
            if let Some(pointer) = object.pointers.get(&(range.start as u64)) {
                return Ok(Value::Pointer(*pointer));
            }
            let mut word = [0; 8];
            word.copy_from_slice(&object.bytes[range]);
            return Ok(Value::Pointer(Pointer { object: None, offset: i64::from_le_bytes(word) }));
        }
        if let Some((kind, lanes)) = types.as_arithmetic(ty) {
            let size = kind.size() as usize;
            let used = range.start..range.start + size * lanes as usize;
            if !object.known[used.clone()].iter().all(|known| *known) {
                return stop(span, "a value is read that is not known at compile time");
            }
            if object.pointers.range(used.start as u64..used.end as u64).next().is_some() {
                return stop(span, "a pointer is read as a number");
            }
            let lanes = (0..lanes as usize).map(|lane| {
                let mut word = [0; 8];
                let at = range.start + lane * size;
                word[..size].copy_from_slice(&object.bytes[at..at + size]);
                u64::from_le_bytes(word) & mask(kind)
            });
            return Ok(Value::Lanes(lanes.collect()));
        }
        let mut copy = Object {
            bytes: object.bytes[range.clone()].to_vec(),
            known: object.known[range.clone()].to_vec(),
            ..Object::default()
        };
        for (offset, pointer) in object.pointers.range(range.start as u64..range.end as u64) {
            copy.pointers.insert(offset - range.start as u64, *pointer);
        }
        Ok(Value::Bytes(copy))
    }

    fn write(&mut self, at: Pointer, ty: TypeId, value: &Value, span: Span) -> Evaluated<()> {
        let Some(index) = at.object else { return stop(span, "a null pointer is dereferenced") };
        let size = self.layout(ty, span)?;
        let element = self.cxx.types.as_arithmetic(ty);
        let object = &mut self.objects[index];
        if object.is_constant || object.is_dead {
            return stop(span, "an object is changed that was not made by this evaluation");
        }
        let start = usize::try_from(at.offset).ok();
        let Some(range) =
            start.map(|start| start..start + size).filter(|range| range.end <= object.bytes.len())
        else {
            return stop(span, "an object is accessed outside of its bounds");
        };
        let stale: Vec<u64> =
            object.pointers.range(range.start as u64..range.end as u64).map(|(at, _)| *at).collect();
        for at in stale {
            object.pointers.remove(&at);
        }
        match value {
            Value::Lanes(lanes) => {
                let Some((kind, _)) = element else {
                    return stop(span, "a number is stored as something else");
                };
                let size = kind.size() as usize;
                for (lane, bits) in lanes.iter().enumerate() {
                    let at = range.start + lane * size;
                    object.bytes[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
                }
                object.known[range].fill(true);
            }
            Value::Pointer(pointer) => {
                let bits = if pointer.object.is_some() { 0 } else { pointer.offset };
                object.bytes[range.clone()].copy_from_slice(&bits.to_le_bytes()[..size]);
                object.known[range.clone()].fill(true);
                if pointer.object.is_some() {
                    object.pointers.insert(range.start as u64, *pointer);
                }
            }
            Value::Bytes(other) => {
                let count = size.min(other.bytes.len());
                object.bytes[range.start..range.start + count].copy_from_slice(&other.bytes[..count]);
                object.known[range.start..range.start + count].copy_from_slice(&other.known[..count]);
                for (offset, pointer) in &other.pointers {
                    object.pointers.insert(range.start as u64 + offset, *pointer);
                }
            }
            Value::Void => return stop(span, "nothing is stored"),
        }
        Ok(())
    }

    /// Where an object is. Components of vectors are not here.
    fn place(&mut self, place: &Place) -> Evaluated<Pointer> {
        let span = place.span;
        match &place.kind {
            PlaceKind::Local(local) => {
                let ty = self.local_type(*local, place.ty.ty);
                let object = self.local(*local, ty, span)?;
                Ok(Pointer { object: Some(object), offset: 0 })
            }
            PlaceKind::Global(id) => {
                let object = self.global(*id, span)?;
                Ok(Pointer { object: Some(object), offset: 0 })
            }
            PlaceKind::Deref(pointer) => match self.value(pointer)? {
                Value::Pointer(pointer) => Ok(pointer),
                _ => stop(span, "a pointer is not known at compile time"),
            },
            PlaceKind::Member(base, offset) => {
                let base = self.place(base)?;
                if base.object.is_none() {
                    return stop(span, "a member of a null pointer is accessed");
                }
                Ok(Pointer { offset: base.offset + *offset as i64, ..base })
            }
            PlaceKind::CompoundLiteral(local, initializer) => {
                let ty = self.local_type(*local, place.ty.ty);
                let object = self.local(*local, ty, span)?;
                self.initialize(object, ty, initializer, span)?;
                Ok(Pointer { object: Some(object), offset: 0 })
            }
            PlaceKind::Swizzle(..) => stop(span, "components of a vector have no address"),
        }
    }

    fn local_type(&self, local: LocalId, default: TypeId) -> TypeId {
        let function = self.calls.last().and_then(|call| call.function);
        let is_current = self.calls.len() == 1;
        let locals = match (is_current, function) {
            (true, _) => self.cxx.checker.current.as_ref().map(|current| &current.locals),
            (false, Some(function)) => Some(&self.cxx.checker.functions[function.0 as usize].locals),
            _ => None,
        };
        locals.and_then(|locals| locals.get(local.0 as usize)).map_or(default, |local| local.ty.ty)
    }

    fn initialize(&mut self, object: usize, ty: TypeId, init: &Initializer, span: Span) -> Evaluated<()> {
        let at = Pointer { object: Some(object), offset: 0 };
        match init {
            Initializer::Value(value) => {
                let result = self.value(value)?;
                self.write(at, ty, &result, span)
            }
            Initializer::Parts { parts, zero_rest } => {
                if *zero_rest {
                    self.objects[object].bytes.fill(0);
                    self.objects[object].known.fill(true);
                    self.objects[object].pointers.clear();
                }
                for part in parts {
                    let result = self.value(&part.value)?;
                    for offset in part.offsets() {
                        let at = Pointer { object: Some(object), offset: offset as i64 };
                        self.write(at, part.value.ty, &result, span)?;
                    }
                }
                Ok(())
            }
        }
    }

    fn load(&mut self, place: &Place) -> Evaluated<Value> {
        if let PlaceKind::Swizzle(inner, lanes) = &place.kind {
            let Value::Lanes(all) = self.load(inner)? else { return stop(place.span, "not a vector") };
            return Ok(Value::Lanes(lanes.iter().map(|lane| all[usize::from(*lane)]).collect()));
        }
        let at = self.place(place)?;
        self.read(at, place.ty.ty, place.span)
    }

    fn store(&mut self, place: &Place, value: &Value) -> Evaluated<()> {
        if let PlaceKind::Swizzle(inner, lanes) = &place.kind {
            let Value::Lanes(mut all) = self.load(inner)? else { return stop(place.span, "not a vector") };
            let Value::Lanes(new) = value else { return stop(place.span, "not a vector") };
            for (lane, bits) in lanes.iter().zip(new) {
                all[usize::from(*lane)] = *bits;
            }
            return self.store(inner, &Value::Lanes(all));
        }
        let at = self.place(place)?;
        self.write(at, place.ty.ty, value, place.span)
    }

    fn lanes(&mut self, expr: &Expr) -> Evaluated<Vec<u64>> {
        match self.value(expr)? {
            Value::Lanes(lanes) => Ok(lanes),
            Value::Pointer(Pointer { object: None, offset }) => Ok(vec![offset as u64]),
            _ => stop(expr.span, "it is not a number"),
        }
    }

    fn truth(&mut self, expr: &Expr) -> Evaluated<bool> {
        Ok(self.lanes(expr)?.first().is_some_and(|bits| bits & 1 != 0))
    }

    fn kind(&self, ty: TypeId, span: Span) -> Evaluated<(ScalarKind, u32)> {
        match self.cxx.types.as_arithmetic(ty) {
            Some(found) => Ok(found),
            None => stop(span, "it is not a number"),
        }
    }

    fn value(&mut self, expr: &Expr) -> Evaluated<Value> {
        self.step(expr.span)?;
        stacker::maybe_grow(128 << 10, 2 << 20, || self.value_inner(expr))
    }

    fn value_inner(&mut self, expr: &Expr) -> Evaluated<Value> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Constant(constant) => {
                if self.cxx.types.pointee(expr.ty).is_some() {
                    let Constant::Bits(bits) = constant else { return stop(span, "not a pointer") };
                    return Ok(Value::Pointer(Pointer { object: None, offset: *bits as i64 }));
                }
                Ok(Value::Lanes(constant::constant_lanes(constant)))
            }
            ExprKind::Load(place) => self.load(place),
            ExprKind::AddressOf(place) => Ok(Value::Pointer(self.place(place)?)),
            ExprKind::Negate(operand) => {
                let (kind, _) = self.kind(operand.ty, span)?;
                let lanes = self.lanes(operand)?;
                let negate = |bits: u64| match kind.is_float() {
                    true => bits ^ (1 << (kind.scalar().bits() - 1)),
                    false => bits.wrapping_neg() & mask(kind),
                };
                Ok(Value::Lanes(lanes.into_iter().map(negate).collect()))
            }
            ExprKind::BitNot(operand) => {
                let (kind, _) = self.kind(operand.ty, span)?;
                let lanes = self.lanes(operand)?;
                Ok(Value::Lanes(lanes.into_iter().map(|bits| !bits & mask(kind)).collect()))
            }
            ExprKind::LogicalNot(operand) => {
                let truth = self.truth(operand)?;
                Ok(Value::Lanes(vec![u64::from(!truth)]))
            }
            ExprKind::Arithmetic { op, left, right } => {
                let (kind, lanes) = self.kind(left.ty, span)?;
                let (a, b) = (self.lanes(left)?, self.lanes(right)?);
                let result = a.into_iter().zip(b).map(|(a, b)| operate(*op, kind, a, b, lanes == 1, span));
                Ok(Value::Lanes(result.collect::<Evaluated<_>>()?))
            }
            ExprKind::Compare { op, left, right } => self.compare(*op, left, right, expr.ty, span),
            ExprKind::Logical { and, left, right } => {
                let first = self.truth(left)?;
                let result = if first == *and { self.truth(right)? } else { first };
                Ok(Value::Lanes(vec![u64::from(result)]))
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                if self.truth(condition)? {
                    self.value(then)
                } else {
                    self.value(otherwise)
                }
            }
            ExprKind::VectorSelect { condition, then, otherwise } => {
                let (kind, _) = self.kind(condition.ty, span)?;
                let sign = 1 << (kind.scalar().bits() - 1);
                let (c, a, b) = (self.lanes(condition)?, self.lanes(then)?, self.lanes(otherwise)?);
                let pick = |((c, a), b): ((u64, u64), u64)| if c & sign != 0 { a } else { b };
                Ok(Value::Lanes(c.into_iter().zip(a).zip(b).map(pick).collect()))
            }
            ExprKind::Convert { conversion, operand } => self.convert(*conversion, operand, expr.ty, span),
            ExprKind::PointerAdd { pointer, index, subtract } => {
                let Value::Pointer(at) = self.value(pointer)? else { return stop(span, "not a pointer") };
                let (kind, _) = self.kind(index.ty, span)?;
                let index = to_integer(kind, self.lanes(index)?[0]);
                let target = self.cxx.types.pointee(pointer.ty).map(|(target, _)| target.ty);
                let size = target.and_then(|ty| self.cxx.types.layout(ty)).map_or(1, |(size, _)| size);
                let step = index * i128::from(size);
                let offset = i128::from(at.offset) + if *subtract { -step } else { step };
                let end = at.object.map_or(0, |object| self.objects[object].bytes.len() as i128);
                if at.object.is_some() && !(0..=end).contains(&offset) {
                    return stop(span, "a pointer leaves its object");
                }
                Ok(Value::Pointer(Pointer { offset: offset as i64, ..at }))
            }
            ExprKind::PointerDifference { left, right } => {
                let (Value::Pointer(a), Value::Pointer(b)) = (self.value(left)?, self.value(right)?) else {
                    return stop(span, "not pointers");
                };
                if a.object != b.object {
                    return stop(span, "pointers to different objects are subtracted");
                }
                let target = self.cxx.types.pointee(left.ty).map(|(target, _)| target.ty);
                let size = target.and_then(|ty| self.cxx.types.layout(ty)).map_or(1, |(size, _)| size.max(1));
                Ok(Value::Lanes(vec![((a.offset - b.offset) / size as i64) as u64]))
            }
            ExprKind::Assign { target, value } => {
                let result = self.value(value)?;
                self.store(target, &result)?;
                Ok(result)
            }
            ExprKind::CompoundAssign { op, target, compute, value } => {
                self.compound(*op, target, *compute, value, span)
            }
            ExprKind::Increment { target, decrement, prefix } => {
                self.increment(target, *decrement, *prefix, span)
            }
            ExprKind::Comma(left, right) => {
                self.value(left)?;
                self.value(right)
            }
            ExprKind::Call { function, arguments } => self.call(*function, arguments, span),
            ExprKind::VectorLiteral(parts) => {
                let mut lanes = Vec::new();
                for part in parts {
                    lanes.extend(self.lanes(part)?);
                }
                Ok(Value::Lanes(lanes))
            }
            ExprKind::Swizzle { vector, lanes } => {
                let all = self.lanes(vector)?;
                Ok(Value::Lanes(lanes.iter().map(|lane| all[usize::from(*lane)]).collect()))
            }
            ExprKind::Statements { statements, value } => {
                match self.statements(statements)? {
                    Flow::Next => {}
                    _ => return stop(span, "a jump leaves an expression"),
                }
                match value {
                    Some(value) => self.value(value),
                    None => Ok(Value::Void),
                }
            }
            ExprKind::MemberOf { value, offset } => {
                let Value::Bytes(object) = self.value(value)? else { return stop(span, "not an object") };
                self.objects.push(object);
                let at = Pointer { object: Some(self.objects.len() - 1), offset: *offset as i64 };
                self.read(at, expr.ty, span)
            }
            ExprKind::Builtin(call) => {
                stop(span, format!("the built-in function '{}' is not evaluated at compile time", call.name))
            }
            ExprKind::Shuffle { .. } | ExprKind::Block(_) => {
                stop(span, "it is not evaluated at compile time")
            }
        }
    }

    fn compare(
        &mut self,
        op: ComparisonOp,
        left: &Expr,
        right: &Expr,
        result: TypeId,
        span: Span,
    ) -> Evaluated<Value> {
        if self.cxx.types.pointee(left.ty).is_some() {
            let (Value::Pointer(a), Value::Pointer(b)) = (self.value(left)?, self.value(right)?) else {
                return stop(span, "not pointers");
            };
            let truth = match op {
                ComparisonOp::Equal => a == b,
                ComparisonOp::NotEqual => a != b,
                _ if a.object != b.object => {
                    return stop(span, "pointers to different objects are compared");
                }
                ComparisonOp::Less => a.offset < b.offset,
                ComparisonOp::LessEqual => a.offset <= b.offset,
                ComparisonOp::Greater => a.offset > b.offset,
                ComparisonOp::GreaterEqual => a.offset >= b.offset,
            };
            return Ok(Value::Lanes(vec![u64::from(truth)]));
        }
        let (kind, _) = self.kind(left.ty, span)?;
        let (result_kind, lanes) = self.kind(result, span)?;
        let yes = if lanes == 1 { 1 } else { mask(result_kind) };
        let (a, b) = (self.lanes(left)?, self.lanes(right)?);
        let compare = |(a, b)| if constant::compare(op, kind, a, b) { yes } else { 0 };
        Ok(Value::Lanes(a.into_iter().zip(b).map(compare).collect()))
    }

    fn convert(
        &mut self,
        conversion: Conversion,
        operand: &Expr,
        to: TypeId,
        span: Span,
    ) -> Evaluated<Value> {
        let value = self.value(operand)?;
        Ok(match (conversion, value) {
            (Conversion::Discard, _) => Value::Void,
            (Conversion::Arithmetic, Value::Lanes(lanes)) => {
                let (from, _) = self.kind(operand.ty, span)?;
                let (to, _) = self.kind(to, span)?;
                Value::Lanes(lanes.into_iter().map(|bits| constant::convert(from, to, bits)).collect())
            }
            (Conversion::Splat, Value::Lanes(lanes)) => {
                let (_, count) = self.kind(to, span)?;
                Value::Lanes(vec![lanes[0]; count as usize])
            }
            (Conversion::Pointer | Conversion::AddressSpace, value @ Value::Pointer(_)) => value,
            (Conversion::PointerToBool, Value::Pointer(pointer)) => {
                Value::Lanes(vec![u64::from(pointer.object.is_some() || pointer.offset != 0)])
            }
            (Conversion::PointerToInt, Value::Pointer(Pointer { object: None, offset })) => {
                Value::Lanes(vec![offset as u64])
            }
            (Conversion::IntToPointer, Value::Lanes(lanes)) => {
                Value::Pointer(Pointer { object: None, offset: lanes[0] as i64 })
            }
            (Conversion::Reinterpret, Value::Lanes(lanes)) => {
                match self.cxx.checker.reinterpret(&lanes, operand.ty, to) {
                    Some(constant::Value::Lanes(lanes)) => Value::Lanes(lanes),
                    _ => return stop(span, "its bits are not known at compile time"),
                }
            }
            _ => return stop(span, "this conversion is not evaluated at compile time"),
        })
    }

    fn compound(
        &mut self,
        op: ArithmeticOp,
        target: &Place,
        compute: TypeId,
        value: &Expr,
        span: Span,
    ) -> Evaluated<Value> {
        let operand = self.lanes(value)?;
        if let Some((pointee, _)) = self.cxx.types.pointee(target.ty.ty) {
            let Value::Pointer(at) = self.load(target)? else { return stop(span, "not a pointer") };
            let (kind, _) = self.kind(value.ty, span)?;
            let size = self.cxx.types.layout(pointee.ty).map_or(1, |(size, _)| size as i64);
            let step = to_integer(kind, operand[0]) as i64 * size;
            let offset = if op == ArithmeticOp::Sub { at.offset - step } else { at.offset + step };
            let result = Value::Pointer(Pointer { offset, ..at });
            self.store(target, &result)?;
            return Ok(result);
        }
        let (kind, lanes) = self.kind(compute, span)?;
        let (own, _) = self.kind(target.ty.ty, span)?;
        let Value::Lanes(before) = self.load(target)? else { return stop(span, "not a number") };
        let result = before
            .into_iter()
            .zip(operand)
            .map(|(a, b)| {
                let a = constant::convert(own, kind, a);
                let result = operate(op, kind, a, b, lanes == 1, span)?;
                Ok(constant::convert(kind, own, result))
            })
            .collect::<Evaluated<Vec<u64>>>()?;
        let result = Value::Lanes(result);
        self.store(target, &result)?;
        Ok(result)
    }

    fn increment(&mut self, target: &Place, decrement: bool, prefix: bool, span: Span) -> Evaluated<Value> {
        let before = self.load(target)?;
        let after = match &before {
            Value::Pointer(at) => {
                let pointee = self.cxx.types.pointee(target.ty.ty).map(|(pointee, _)| pointee.ty);
                let size =
                    pointee.and_then(|ty| self.cxx.types.layout(ty)).map_or(1, |(size, _)| size as i64);
                let offset = if decrement { at.offset - size } else { at.offset + size };
                Value::Pointer(Pointer { offset, ..*at })
            }
            Value::Lanes(lanes) => {
                let (kind, count) = self.kind(target.ty.ty, span)?;
                let one = constant::convert(ScalarKind::Int, kind, 1);
                let op = if decrement { ArithmeticOp::Sub } else { ArithmeticOp::Add };
                let result = lanes
                    .iter()
                    .map(|bits| operate(op, kind, *bits, one, count == 1 && kind.size() >= 4, span));
                Value::Lanes(result.collect::<Evaluated<_>>()?)
            }
            _ => return stop(span, "not a number"),
        };
        self.store(target, &after)?;
        Ok(if prefix { after } else { before })
    }

    fn call(&mut self, function: FunctionId, arguments: &[Expr], span: Span) -> Evaluated<Value> {
        if self.calls.len() > CALLS {
            return stop(span, format!("the evaluation has more than {CALLS} nested calls"));
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.value(argument)?);
        }
        let cxx = self.cxx;
        let callee = &cxx.checker.functions[function.0 as usize];
        let is_constexpr = cxx.of_hir.get(&function).is_none_or(|id| cxx.function(*id).is_constexpr);
        if !is_constexpr {
            return stop(span, format!("the function '{}' is not constexpr", callee.name));
        }
        let Some(body) = &callee.body else {
            return stop(span, format!("the function '{}' is not defined here", callee.name));
        };
        self.calls.push(Call { function: Some(function), locals: FxHashMap::default() });
        let first = self.objects.len();
        let mut result = Ok(());
        for (index, value) in values.iter().enumerate() {
            let local = LocalId(index as u32);
            let ty = callee.locals[index].ty.ty;
            result = result.and_then(|()| {
                let object = self.local(local, ty, span)?;
                self.write(Pointer { object: Some(object), offset: 0 }, ty, value, span)
            });
        }
        let flow = result.and_then(|()| self.statements(body));
        let call = self.calls.pop().expect("pushed above");
        for object in call.locals.values().filter(|object| **object >= first) {
            self.objects[*object].is_dead = true;
        }
        match flow? {
            Flow::Return(value) => Ok(value),
            _ if cxx.types.is_void(callee.result) => Ok(Value::Void),
            _ => stop(span, format!("the end of '{}' is reached without 'return'", callee.name)),
        }
    }

    fn statements(&mut self, list: &[Statement]) -> Evaluated<Flow> {
        for statement in list {
            match self.statement(statement)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &Statement) -> Evaluated<Flow> {
        let span = statement.span;
        self.step(span)?;
        match &statement.kind {
            StatementKind::Expr(expr) => {
                self.value(expr)?;
            }
            StatementKind::Declare { local, initializer } => {
                // A new object each time, so that a loop's variables are not known from the last round.
                self.calls.last_mut().expect("a call").locals.remove(local);
                let ty = self.local_type(*local, self.cxx.types.error());
                let object = self.local(*local, ty, span)?;
                if let Some(initializer) = initializer {
                    self.objects[object].is_constant = false;
                    self.initialize(object, ty, initializer, span)?;
                }
            }
            StatementKind::Block(list) => return self.statements(list),
            StatementKind::If { condition, then, otherwise } => {
                if self.truth(condition)? {
                    return self.statement(then);
                } else if let Some(otherwise) = otherwise {
                    return self.statement(otherwise);
                }
            }
            StatementKind::While { condition, step, body, .. } => loop {
                self.step(span)?;
                if let Some(condition) = condition
                    && !self.truth(condition)?
                {
                    break;
                }
                match self.statement(body)? {
                    Flow::Break => break,
                    Flow::Return(value) => return Ok(Flow::Return(value)),
                    Flow::Next | Flow::Continue => {}
                }
                if let Some(step) = step {
                    self.value(step)?;
                }
            },
            StatementKind::DoWhile { body, condition, .. } => loop {
                self.step(span)?;
                match self.statement(body)? {
                    Flow::Break => break,
                    Flow::Return(value) => return Ok(Flow::Return(value)),
                    Flow::Next | Flow::Continue => {}
                }
                if !self.truth(condition)? {
                    break;
                }
            },
            StatementKind::Switch { selector, body } => {
                let (kind, _) = self.kind(selector.ty, span)?;
                let value = to_integer(kind, self.lanes(selector)?[0]);
                return self.switch(value, body, span);
            }
            StatementKind::Case { .. } | StatementKind::Label(_) => {}
            StatementKind::Goto(_) => return stop(span, "'goto' is not evaluated at compile time"),
            StatementKind::Break => return Ok(Flow::Break),
            StatementKind::Continue => return Ok(Flow::Continue),
            StatementKind::Return(value) => {
                let value = match value {
                    Some(value) => self.value(value)?,
                    None => Value::Void,
                };
                return Ok(Flow::Return(value));
            }
        }
        Ok(Flow::Next)
    }

    fn switch(&mut self, value: i128, body: &Statement, span: Span) -> Evaluated<Flow> {
        let StatementKind::Block(list) = &body.kind else {
            return stop(span, "this 'switch' is not evaluated at compile time");
        };
        let matches = |statement: &Statement| match &statement.kind {
            StatementKind::Case { values: CaseValues::Range(low, high) } => (*low..=*high).contains(&value),
            _ => false,
        };
        let is_default = |statement: &Statement| {
            matches!(statement.kind, StatementKind::Case { values: CaseValues::Default })
        };
        let start = list.iter().position(matches).or_else(|| list.iter().position(is_default));
        let Some(start) = start else { return Ok(Flow::Next) };
        Ok(match self.statements(&list[start..])? {
            Flow::Break => Flow::Next,
            flow => flow,
        })
    }
}

/// An operation; what overflows a signed type, or is undefined otherwise, is not constant.
fn operate(op: ArithmeticOp, kind: ScalarKind, a: u64, b: u64, checks: bool, span: Span) -> Evaluated<u64> {
    if checks && kind.is_signed() {
        let (x, y) = (to_integer(kind, a), to_integer(kind, b));
        let exact = match op {
            ArithmeticOp::Add => Some(x + y),
            ArithmeticOp::Sub => Some(x - y),
            ArithmeticOp::Mul => Some(x.wrapping_mul(y)),
            ArithmeticOp::Div if y != 0 => Some(x / y),
            _ => None,
        };
        if let Some(exact) = exact
            && to_integer(kind, exact as u64) != exact
        {
            return stop(span, "the value is out of range for its type");
        }
    }
    match constant::arithmetic(op, kind, a, b) {
        Some(result) => Ok(result),
        None => stop(span, "a division by zero"),
    }
}
