//! Constant expressions ([expr.const]): an interpreter of the HIR.
//!
//! Memory is made of objects of bytes, each known to be written or not, and of pointers among them. Whatever
//! the language leaves undefined, and whatever has no value before the program runs, ends the evaluation: the
//! expression is not constant. So do too many steps.

mod execute;
mod lifetime;
mod memory;
mod union;
mod value;

pub(super) use lifetime::{InitializedPart, offset_from_object};

use super::super::constant::to_integer;
use super::Cxx;
use crate::Span;
use crate::cxx::ast::Expr as Ast;
use crate::hir::{ConstantData, Expr, FunctionId, GlobalId, LocalId, Part, Statement};
use crate::types::{RecordId, ScalarKind, TypeId, TypeKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;

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
    /// By the places and types of unions: the types of the members that have values, if they are known.
    active: BTreeMap<(u64, RecordId), TypeId>,
    global: Option<GlobalId>,
    is_constant: bool,
    /// Whether all of it is zero: then the first members of unions have values.
    is_zero: bool,
    is_dead: bool,
    /// Whether its first value is being computed: parts without a value cannot be changed ([basic.life]).
    is_unborn: bool,
    /// Constant members that have their values.
    fixed: Vec<Range<usize>>,
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
    /// Whether a value is wanted only if the expression is a core constant expression.
    is_strict: bool,
    steps: u64,
    memory: usize,
    calls: Vec<Call>,
    /// What constructors that run have not initialised yet.
    unborn: Vec<lifetime::Unborn>,
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
            is_strict: true,
            steps: 0,
            memory: 0,
            calls: vec![Call { function, locals: FxHashMap::default() }],
            unborn: Vec::new(),
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
        is_constexpr: bool,
    ) -> Result<ConstantData, Box<Stop>> {
        let mut machine = self.machine(Some(target));
        machine.is_strict = is_constexpr;
        let object = machine.global(target, Span::NONE)?;
        machine.statements(statements)?;
        let (ty, span) =
            (self.checker.globals[target.0 as usize].ty.ty, self.checker.globals[target.0 as usize].span);
        if is_constexpr {
            machine.check_initialized(object, 0, ty, span)?;
        }
        machine.data(object, span)
    }

    /// The value of a local variable after some statements have initialised it.
    pub(super) fn run_local(
        &self,
        local: LocalId,
        ty: TypeId,
        statements: &[Statement],
        is_constexpr: bool,
        span: Span,
    ) -> Result<ConstantData, Box<Stop>> {
        let mut machine = self.machine(None);
        machine.statements(statements)?;
        let object = machine.local(local, ty, span)?;
        if is_constexpr {
            machine.check_initialized(object, 0, ty, span)?;
        }
        machine.data(object, span)
    }

    /// The numbers in the bytes of a constant object. `None` if it has pointers, unions or many parts.
    pub(super) fn constant_parts(
        &mut self,
        ty: TypeId,
        offset: u64,
        data: &ConstantData,
        parts: &mut Vec<Part>,
        span: Span,
    ) -> Option<()> {
        const MOST: usize = 256;
        if parts.len() >= MOST || !data.pointers.is_empty() {
            return None;
        }
        match *self.types.kind(ty) {
            TypeKind::Array { element, length: Some(count) } => {
                let (size, _) = self.types.layout(element.ty)?;
                for index in 0..count {
                    self.constant_parts(element.ty, offset + index * size, data, parts, span)?;
                }
            }
            TypeKind::Record(record) => {
                let definition = self.types.record(record);
                if definition.is_union {
                    return None;
                }
                for member in definition.members.clone()? {
                    self.constant_parts(member.ty.ty, offset + member.offset, data, parts, span)?;
                }
            }
            _ => {
                let (kind, lanes) = self.types.as_arithmetic(ty)?;
                let size = kind.size() as usize;
                let scalar = self.types.scalar(kind);
                for lane in 0..lanes as usize {
                    let start = usize::try_from(offset).ok()? + lane * size;
                    let mut word = [0; 8];
                    word[..size].copy_from_slice(data.bytes.get(start..start + size)?);
                    let value = self.constant(u64::from_le_bytes(word), scalar, span);
                    parts.push(Part { offset: start as u64, value, repeats: Vec::new() });
                }
            }
        }
        Some(())
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

    /// An object of a class as an integer, where one is wanted (\[conv\]/5).
    pub(super) fn integral(
        &mut self,
        value: super::expression::Value,
        span: Span,
    ) -> super::expression::Value {
        let Some(record) = self.record_of(value.ty_or_none()) else { return value };
        let mut list = self.conversions_of(record);
        list.retain(|id| {
            let function = self.function(*id);
            let result = self.without_reference(function.result).ty();
            let is_integer = self.types.as_scalar(result).is_some_and(ScalarKind::is_integer);
            !function.is_explicit && function.template.is_none() && is_integer
        });
        list.retain(|id| self.takes_object(*id, &value).is_some());
        match self.best_conversion(&list, &value) {
            Some(id) => self.converted_by(id, value, span),
            None => value,
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

    /// The elements of a vector that is a constant expression.
    pub(super) fn evaluated_lanes(&self, expr: &Expr) -> Result<Vec<u64>, Box<Stop>> {
        match self.machine(None).value(expr)? {
            Value::Lanes(lanes) => Ok(lanes),
            _ => stop(expr.span, "it has no value"),
        }
    }

    /// Whether a condition is known to be true or false.
    pub(super) fn known_truth(&self, condition: &Expr) -> Result<bool, Box<Stop>> {
        self.evaluated(condition).map(|bits| bits & 1 != 0)
    }
}
