//! Initialisation of objects ([dcl.init]): which constructor or conversions, and the stores that it becomes.

use super::expression::{Given, Value};
use super::overload::Resolved;
use super::types::Type;
use super::{Cxx, FnId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{ExprKind as Ast, InitClause, InitClauseKind, InitList, Initializer};
use crate::hir::{
    ComparisonOp, Constant, Expr, ExprKind as Hir, FunctionId, Initializer as HirInitializer, Part, Place,
    PlaceKind, Statement, StatementKind,
};
use crate::types::{QualifiedType, RecordId, ScalarKind, TypeId, TypeKind};
use clvk_ir::{AddressSpace, UnrollHint};

/// How an object gets its first value.
#[derive(Clone, Debug)]
pub(super) enum Init {
    /// There was an error.
    Error,
    /// It has no value yet.
    None,
    Zero,
    Value(Expr),
    Class(Prvalue),
    /// Parts at byte offsets.
    Parts {
        parts: Vec<(u64, Type, Init)>,
    },
    /// Elements from one number on that are all made in one way.
    Repeat {
        from: u64,
        count: u64,
        element: Type,
        init: Box<Init>,
    },
}

/// An object of a class that is still to be made.
#[derive(Clone, Debug)]
pub(super) struct Prvalue {
    pub ty: TypeId,
    pub kind: PrvalueKind,
    pub span: Span,
}

/// Ways to make an object of a class.
#[derive(Clone, Debug)]
pub(super) enum PrvalueKind {
    /// By a constructor; the arguments are those after `this`.
    Construct {
        function: FnId,
        arguments: Vec<Expr>,
    },
    /// A function that writes its result to an address, its first parameter.
    Call {
        function: FunctionId,
        arguments: Vec<Expr>,
    },
    /// Part by part.
    Parts {
        clear: bool,
        parts: Vec<(u64, Type, Init)>,
    },
    Conditional {
        condition: Expr,
        then: Box<Prvalue>,
        otherwise: Box<Prvalue>,
    },
    Sequence {
        first: Expr,
        then: Box<Prvalue>,
    },
    /// A value that is copied bit by bit.
    Bits(Expr),
    Zero,
}

/// An element of a list, packs expanded.
struct Element {
    given: Given,
    designator: Option<Name>,
    span: Span,
}

impl Cxx<'_> {
    /// Copy initialisation from an expression: `T x = e`.
    pub(super) fn copy_initialize(&mut self, ty: Type, value: Value, span: Span) -> Init {
        self.copy_initialize_as(ty, value, span, "initializing")
    }

    pub(super) fn copy_initialize_as(&mut self, ty: Type, value: Value, span: Span, what: &str) -> Init {
        if self.is_error_type(ty) || self.is_error(&value) {
            self.note_error();
            return Init::Error;
        }
        if let Some(record) = self.record_of(ty.ty()) {
            if !self.complete(ty.ty(), span, "variable") {
                return Init::Error;
            }
            let steps = match &value {
                Value::Functions(_) => None,
                value => self.related(value.ty(), ty.ty()),
            };
            return match steps {
                Some(_) => self.copy_class(record, value, false, span),
                None => {
                    let Some(sequence) = self.sequence(&Given::Value(value.clone()), ty, true) else {
                        self.no_conversion(&value, ty, span, what);
                        return Init::Error;
                    };
                    match sequence.user {
                        Some((id, _)) => {
                            let result = self.converted_by(id, value, span);
                            match result {
                                Value::Class(prvalue) if prvalue.ty == ty.ty() => Init::Class(*prvalue),
                                result if self.is_error(&result) => Init::Error,
                                result => self.copy_class(record, result, false, span),
                            }
                        }
                        None => {
                            let text = self.text_of(ty);
                            self.error(span, format!("conversion to '{text}' is ambiguous"));
                            Init::Error
                        }
                    }
                }
            };
        }
        if matches!(self.types.kind(ty.ty()), TypeKind::Array { .. }) {
            return self.array_from_value(ty, value, span);
        }
        let expr = self.implicit(value, ty.ty(), span, what);
        if self.types.is_error(expr.ty) { Init::Error } else { Init::Value(expr) }
    }

    /// An object of a class from one of its class or of a derived one.
    fn copy_class(&mut self, record: RecordId, value: Value, explicit: bool, span: Span) -> Init {
        let ty = self.class(record).ty;
        if let Value::Class(prvalue) = value {
            if prvalue.ty == ty {
                return Init::Class(*prvalue);
            }
            let place = self.temporary(*prvalue);
            return self.copy_class(record, Value::Moved(place), explicit, span);
        }
        let given = vec![Given::Value(value)];
        self.by_constructor(record, given, explicit, span)
    }

    /// An object made by the best constructor.
    fn by_constructor(&mut self, record: RecordId, given: Vec<Given>, explicit: bool, span: Span) -> Init {
        let ty = self.class(record).ty;
        let mut constructors = self.fitting_constructors(record);
        if !explicit {
            constructors.retain(|id| !self.function(*id).is_explicit);
        }
        match self.resolve_overload(&constructors, None, &given, None) {
            Resolved::One(id) => {
                let access = self.function(id).access;
                if !self.may_access(record, access) {
                    let text = self.type_text(ty);
                    let word =
                        if access == crate::cxx::ast::Access::Private { "private" } else { "protected" };
                    self.error(span, format!("calling a {word} constructor of class '{text}'"));
                    return Init::Error;
                }
                self.made_by(record, id, given, span)
            }
            resolved => {
                let all = self.class(record).constructors.clone();
                let text = self.type_text(ty);
                let what = match resolved {
                    Resolved::Ambiguous(_) => format!("constructor of '{text}'"),
                    _ => format!("constructor for initialization of '{text}'"),
                };
                self.report_resolution(&what, &resolved, &all, None, &given, span);
                Init::Error
            }
        }
    }

    /// Constructors that make objects in the address space where this one will be; those for just that space, if there
    /// are any.
    fn fitting_constructors(&mut self, record: RecordId) -> Vec<FnId> {
        let space = self.target_space;
        let all = self.class(record).constructors.clone();
        let own = |cxx: &Self, id: &FnId| cxx.function(*id).this_space == space;
        if space != AddressSpace::Generic && all.iter().any(|id| own(self, id)) {
            return all.into_iter().filter(|id| own(self, id) || self.function(*id).is_defaulted).collect();
        }
        all.into_iter()
            .filter(|id| {
                super::conversion::space_fits(space, self.function(*id).this_space)
                    || space == AddressSpace::Constant
                        && self.function(*id).this_space == AddressSpace::Generic
            })
            .collect()
    }

    /// An object made by a chosen constructor.
    fn made_by(&mut self, record: RecordId, id: FnId, mut given: Vec<Given>, span: Span) -> Init {
        let function = self.function(id);
        let is_copy = function.is_defaulted && !function.is_deleted && function.params.len() == 1;
        if function.is_defaulted && !function.is_deleted && function.params.is_empty() {
            let class = self.class(record);
            if class.implicit.is_trivially_default {
                return Init::None;
            }
        }
        let ty = self.class(record).ty;
        if is_copy
            && self.is_trivially_copyable(ty)
            && let Some(Given::Value(value)) = given.pop()
        {
            let place = match value {
                Value::Place(place) | Value::Moved(place) => self.base_place(place, record),
                value => return self.copy_initialize(Type::of(ty), value, span),
            };
            let kind = PrvalueKind::Bits(self.checker.load(place));
            return Init::Class(Prvalue { ty, kind, span });
        }
        match self.construct_by(record, id, given, span) {
            Value::Class(prvalue) => Init::Class(*prvalue),
            _ => Init::Error,
        }
    }

    /// Direct initialisation: `T x(a, b)`.
    pub(super) fn direct_initialize(&mut self, ty: Type, mut given: Vec<Given>, span: Span) -> Init {
        if self.is_error_type(ty) {
            return Init::Error;
        }
        let Some(record) = self.record_of(ty.ty()) else {
            if let Some((kind, lanes)) = self.types.as_vector(ty.ty())
                && given.len() > 1
            {
                let value = self.vector_of_given(kind, lanes, given, span);
                let expr = self.rvalue(value, span);
                return if self.types.is_error(expr.ty) { Init::Error } else { Init::Value(expr) };
            }
            if given.len() != 1 {
                let text = self.text_of(ty);
                self.error(
                    span,
                    format!("initializer for type '{text}' must have one element, not {}", given.len()),
                );
                return Init::Error;
            }
            return match given.pop().expect("one") {
                Given::Value(value) if self.record_of(value.ty_or_none()).is_some() => {
                    // Explicit conversion functions take part.
                    let copy = value.clone();
                    match self.sequence(&Given::Value(value), ty, true) {
                        Some(_) => self.copy_initialize(ty, copy, span),
                        None => match self.explicit_conversion(copy.clone(), ty.ty(), span) {
                            Some(value) => Init::Value(self.rvalue(value, span)),
                            None => self.copy_initialize(ty, copy, span),
                        },
                    }
                }
                Given::Value(value) => self.copy_initialize(ty, value, span),
                Given::List(list) => self.list_initialize(ty, &list, false),
            };
        };
        if !self.complete(ty.ty(), span, "variable") {
            return Init::Error;
        }
        if let [Given::Value(value)] = given.as_slice()
            && !matches!(value, Value::Functions(_))
            && (value.ty() == ty.ty() || self.related(value.ty(), ty.ty()).is_some())
        {
            let value = value.clone();
            return self.copy_class(record, value, true, span);
        }
        if given.is_empty() {
            return self.value_initialize(ty, span);
        }
        // A conversion function of the argument's class ([dcl.init]/17.6.1), if no constructor takes it.
        if let [Given::Value(value)] = given.as_slice()
            && self.record_of(value.ty_or_none()).is_some()
        {
            let constructors = self.class(record).constructors.clone();
            if matches!(self.resolve_overload(&constructors, None, &given, None), Resolved::None)
                && let Some(Value::Class(prvalue)) = self.class_conversion(value.clone(), ty.ty(), span)
            {
                return Init::Class(*prvalue);
            }
        }
        self.by_constructor(record, given, true, span)
    }

    /// A conversion function to a class, also an explicit one.
    fn class_conversion(&mut self, value: Value, to: TypeId, span: Span) -> Option<Value> {
        let record = self.record_of(value.ty())?;
        let list = self.conversions_of(record);
        let id = list.into_iter().find(|id| self.function(*id).result.ty() == to)?;
        Some(self.converted_by(id, value, span))
    }

    /// `T()` and `T{}` ([dcl.init]/8).
    pub(super) fn value_initialize(&mut self, ty: Type, span: Span) -> Init {
        let Some(record) = self.record_of(ty.ty()) else {
            if let TypeKind::Array { element, length: Some(count) } = *self.types.kind(ty.ty()) {
                let element = Type { q: element, space: None };
                let init = self.value_initialize(element.plain(), span);
                return match init {
                    Init::Zero => Init::Zero,
                    init => Init::Repeat { from: 0, count, element, init: Box::new(init) },
                };
            }
            return self.zero_init(ty, span);
        };
        if !self.complete(ty.ty(), span, "object") {
            return Init::Error;
        }
        let is_plain = self.class(record).implicit.is_trivially_default;
        if is_plain {
            let kind = PrvalueKind::Zero;
            return Init::Class(Prvalue { ty: ty.ty(), kind, span });
        }
        self.by_constructor(record, Vec::new(), true, span)
    }

    /// Zero of a type that is no class; a null pointer to a member is not zero bits.
    fn zero_init(&mut self, ty: Type, span: Span) -> Init {
        match self.types.kind(ty.ty()) {
            TypeKind::MemberPointer { .. } => Init::Value(self.constant(u64::MAX, ty.ty(), span)),
            _ => Init::Zero,
        }
    }

    /// `T x;` ([dcl.init]/7).
    pub(super) fn default_initialize(&mut self, ty: Type, span: Span) -> Init {
        if let TypeKind::Array { element, length: Some(count) } = *self.types.kind(ty.ty()) {
            let element = Type { q: element, space: None };
            return match self.default_initialize(element.plain(), span) {
                Init::None => Init::None,
                Init::Error => Init::Error,
                init => Init::Repeat { from: 0, count, element, init: Box::new(init) },
            };
        }
        let Some(record) = self.record_of(ty.ty()) else { return Init::None };
        if !self.complete(ty.ty(), span, "variable") {
            return Init::Error;
        }
        self.by_constructor(record, Vec::new(), true, span)
    }

    /// The elements of a list, with packs expanded.
    fn elements(&mut self, list: &InitList) -> Option<Vec<Element>> {
        let mut result = Vec::new();
        for clause in &list.elements {
            let span = super::expression::clause_span(clause);
            match &clause.expansion {
                Some(names) => {
                    let each = self.expand(names, span, |cxx| cxx.given_one(clause));
                    result.extend(each.into_iter().map(|given| Element { given, designator: None, span }));
                }
                None => {
                    let given = self.given_one(clause);
                    result.push(Element { given, designator: clause.designator, span });
                }
            }
        }
        let valid = result
            .iter()
            .all(|element| !matches!(&element.given, Given::Value(value) if self.is_error(value)));
        if !valid {
            self.note_error();
        }
        valid.then_some(result)
    }

    /// List initialisation ([dcl.init.list]).
    pub(super) fn list_initialize(&mut self, ty: Type, list: &InitList, is_copy: bool) -> Init {
        let Some(elements) = self.elements(list) else { return Init::Error };
        self.initialize_from(ty, elements, is_copy, list.span)
    }

    fn initialize_from(&mut self, ty: Type, mut elements: Vec<Element>, is_copy: bool, span: Span) -> Init {
        if self.is_error_type(ty) {
            return Init::Error;
        }
        if matches!(self.types.kind(ty.ty()), TypeKind::Array { .. }) {
            return self.aggregate(ty, elements, span);
        }
        if let Some(record) = self.record_of(ty.ty()) {
            if !self.complete(ty.ty(), span, "object") {
                return Init::Error;
            }
            // An aggregate from one of its class.
            if let [Element { given: Given::Value(value), designator: None, .. }] = elements.as_slice()
                && !matches!(value, Value::Functions(_))
                && self.related(value.ty(), ty.ty()).is_some()
            {
                let value = value.clone();
                return self.copy_class(record, value, !is_copy, span);
            }
            if self.is_aggregate(record) {
                return self.aggregate(ty, elements, span);
            }
            if elements.is_empty() {
                return self.value_initialize(ty, span);
            }
            let given: Vec<Given> = elements.into_iter().map(|element| element.given).collect();
            return self.list_constructor(record, given, is_copy, span);
        }
        if let Some((kind, lanes)) = self.types.as_vector(ty.ty()) {
            return self.vector_from(ty, kind, lanes, elements, span);
        }
        match elements.len() {
            0 => self.zero_init(ty, span),
            1 => {
                let element = elements.pop().expect("one");
                match element.given {
                    Given::Value(value) => self.scalar_from(ty, value, is_copy, element.span),
                    Given::List(list) if list.elements.is_empty() => Init::Zero,
                    Given::List(list) => {
                        let text = self.text_of(ty);
                        self.error(
                            list.span,
                            format!("too many braces around initializer for scalar type '{text}'"),
                        );
                        Init::Error
                    }
                }
            }
            _ => {
                let text = self.text_of(ty);
                self.error(span, format!("excess elements in scalar initializer of type '{text}'"));
                Init::Error
            }
        }
    }

    fn list_constructor(&mut self, record: RecordId, given: Vec<Given>, is_copy: bool, span: Span) -> Init {
        let constructors = self.class(record).constructors.clone();
        let resolved = self.resolve_overload(&constructors, None, &given, None);
        let Resolved::One(id) = resolved else {
            return self.by_constructor(record, given, true, span);
        };
        if is_copy && self.function(id).is_explicit {
            let text = self.type_text(self.class(record).ty);
            self.error(span, format!("chosen constructor of '{text}' is explicit in copy-initialization"));
            return Init::Error;
        }
        let params: Vec<Type> = self.function(id).params.iter().map(|param| param.ty).collect();
        for (given, param) in given.iter().zip(params) {
            if let Given::Value(value) = given {
                let target = self.without_reference(param).ty();
                self.check_narrowing(value, target);
            }
        }
        self.by_constructor(record, given, true, span)
    }

    fn scalar_from(&mut self, ty: Type, value: Value, is_copy: bool, span: Span) -> Init {
        self.check_narrowing(&value, ty.ty());
        // An enumeration with a fixed type from a number ([dcl.init.list]/3.8).
        if !is_copy
            && matches!(self.types.kind(ty.ty()), TypeKind::Enum(_))
            && self.types.as_scalar(value.ty_or_none()).is_some_and(ScalarKind::is_integer)
            && value.ty() != ty.ty()
            && !self.is_scoped_enum(value.ty())
        {
            let value = self.static_cast(value, ty, span);
            return Init::Value(self.rvalue(value, span));
        }
        if !is_copy {
            return self.direct_initialize(ty, vec![Given::Value(value)], span);
        }
        self.copy_initialize(ty, value, span)
    }

    /// Reports a conversion that may lose a value in a list ([dcl.init.list]/7).
    fn check_narrowing(&mut self, value: &Value, to: TypeId) {
        let Some(from) = self.types.as_scalar(value.ty_or_none()) else { return };
        if self.record_of(to).is_some() {
            return;
        }
        let Some(kind) =
            self.types.as_scalar(to).filter(|_| !matches!(self.types.kind(to), TypeKind::Enum(_)))
        else {
            return;
        };
        if from == kind || kind == ScalarKind::Bool && from == ScalarKind::Bool {
            return;
        }
        let wide = |kind: ScalarKind| kind.scalar().bits();
        let is_safe = match (from.is_float(), kind.is_float()) {
            (true, true) => wide(kind) >= wide(from),
            (true, false) => false,
            (false, true) => false,
            (false, false) if kind == ScalarKind::Bool => false,
            (false, false) => {
                from == ScalarKind::Bool
                    || wide(kind) > wide(from) && (kind.is_signed() || !from.is_signed())
                    || wide(kind) == wide(from) && kind.is_signed() == from.is_signed()
            }
        };
        if is_safe {
            return;
        }
        let span = value.span();
        let constant = self.constant_scalar(value);
        let fits = constant.is_some_and(|bits| {
            let back = super::super::constant::convert(from, kind, bits);
            let again = super::super::constant::convert(kind, from, back);
            let same = again == bits || from.is_float() && kind.is_float();
            match (from.is_float(), kind.is_float()) {
                (true, false) => false,
                (false, false) if kind == ScalarKind::Bool => bits <= 1,
                (false, false) => {
                    super::super::constant::to_integer(from, bits)
                        == super::super::constant::to_integer(kind, back)
                }
                _ => same,
            }
        });
        if !fits {
            let (a, b) = (self.type_text(value.ty()), self.type_text(to));
            let what = if constant.is_some() {
                "constant expression evaluates to a value that"
            } else {
                "non-constant-expression"
            };
            let message = if constant.is_some() {
                format!("{what} cannot be narrowed from type '{a}' to '{b}'")
            } else {
                format!("{what} cannot be narrowed from type '{a}' to '{b}' in initializer list")
            };
            self.error(span, message);
        }
    }

    fn constant_scalar(&mut self, value: &Value) -> Option<u64> {
        let expr = self.attempt(|cxx| cxx.rvalue(value.clone(), value.span()))?;
        self.constant_bits(&expr)
    }

    fn vector_from(
        &mut self,
        ty: Type,
        kind: ScalarKind,
        lanes: u32,
        elements: Vec<Element>,
        span: Span,
    ) -> Init {
        if elements.is_empty() {
            return Init::Zero;
        }
        if let [Element { given: Given::Value(value), .. }] = elements.as_slice()
            && value.ty_or_none() == ty.ty()
        {
            let value = value.clone();
            return self.copy_initialize(ty, value, span);
        }
        let given = elements.into_iter().map(|element| element.given).collect();
        let value = self.vector_of_given(kind, lanes, given, span);
        let expr = self.rvalue(value, span);
        if self.types.is_error(expr.ty) { Init::Error } else { Init::Value(expr) }
    }

    /// An aggregate from a list ([dcl.init.aggr]).
    fn aggregate(&mut self, ty: Type, elements: Vec<Element>, span: Span) -> Init {
        let mut at = 0;
        let parts = self.aggregate_parts(ty, &elements, &mut at, span);
        let Some(parts) = parts else { return Init::Error };
        if at < elements.len() {
            let text = self.text_of(ty);
            let what = if self.record_of(ty.ty()).is_some() { "struct" } else { "array" };
            self.error(elements[at].span, format!("excess elements in {what} initializer of type '{text}'"));
            return Init::Error;
        }
        match self.record_of(ty.ty()) {
            Some(_) => {
                let kind = PrvalueKind::Parts { clear: false, parts };
                Init::Class(Prvalue { ty: ty.ty(), kind, span })
            }
            None => Init::Parts { parts },
        }
    }

    fn aggregate_parts(
        &mut self,
        ty: Type,
        elements: &[Element],
        at: &mut usize,
        span: Span,
    ) -> Option<Vec<(u64, Type, Init)>> {
        let mut parts = Vec::new();
        if let TypeKind::Array { element, length } = *self.types.kind(ty.ty()) {
            let element = Type { q: element, space: None };
            let count = length?;
            // A string in braces.
            if let Some(Element { given: Given::Value(value), .. }) = elements.get(*at)
                && let Some(init) = self.string_init(ty, value)
            {
                *at += 1;
                return match init {
                    Init::Parts { parts } => Some(parts),
                    _ => None,
                };
            }
            let stored = self.stored(element);
            let (size, _) = self.types.layout(stored)?;
            for index in 0..count {
                if *at >= elements.len() {
                    let init = self.empty_init(element, None, span);
                    parts.extend(self.repeated(index, count, size, element, init));
                    break;
                }
                let init = self.element_init(element, elements, at)?;
                parts.push((index * size, element, init));
            }
            return Some(parts);
        }
        let record = self.record_of(ty.ty())?;
        let bases = self.class(record).bases.clone();
        for base in bases {
            let base_ty = Type::of(self.class(base.record).ty);
            let init = match elements.get(*at) {
                Some(_) => self.element_init(base_ty, elements, at)?,
                None => self.empty_init(base_ty, None, span),
            };
            parts.push((base.offset, base_ty, init));
        }
        let fields = self.class(record).fields.clone();
        let is_union = self.types.record(record).is_union;
        let mut number = 0;
        while number < fields.len() {
            let mut field = &fields[number];
            if let Some(Element { designator: Some(name), .. }) = elements.get(*at) {
                let Some(index) = fields.iter().position(|field| field.name == Some(name.symbol)) else {
                    let (text, class) = (self.owned(name.symbol), self.text_of(ty));
                    self.error(
                        name.span,
                        format!("field designator '{text}' does not refer to any field in type '{class}'"),
                    );
                    return None;
                };
                if index < number {
                    self.error(name.span, "designators must be in the order of the members");
                    return None;
                }
                for skipped in &fields[number..index] {
                    if !skipped.is_injected && !is_union {
                        let init = self.empty_init(skipped.ty, skipped.default.clone(), span);
                        parts.push((skipped.offset, skipped.ty, init));
                    }
                }
                number = index;
                field = &fields[number];
            }
            number += 1;
            if field.is_injected {
                continue;
            }
            let init = match elements.get(*at) {
                Some(_) => self.element_init(field.ty, elements, at)?,
                None if is_union && !parts.is_empty() => break,
                None if is_union => {
                    // The member with an initialiser, or the first one.
                    let chosen = fields.iter().find(|field| field.default.is_some()).unwrap_or(field);
                    let init = self.empty_init(chosen.ty, chosen.default.clone(), span);
                    parts.push((chosen.offset, chosen.ty, init));
                    break;
                }
                None => {
                    if self.reference(field.ty.ty()).is_some() && field.default.is_none() {
                        self.error(span, "reference member of an aggregate is uninitialized");
                        return None;
                    }
                    self.default_member(record, field.ty, field.default.clone(), span)
                }
            };
            parts.push((field.offset, field.ty, init));
            if is_union {
                break;
            }
        }
        Some(parts)
    }

    /// The type as it is stored.
    fn stored(&mut self, ty: Type) -> TypeId {
        self.hir_type(ty.ty())
    }

    fn repeated(
        &self,
        index: u64,
        count: u64,
        size: u64,
        element: Type,
        init: Init,
    ) -> Option<(u64, Type, Init)> {
        let rest = count - index;
        if rest == 1 {
            return Some((index * size, element, init));
        }
        let init = Init::Repeat { from: index, count: rest, element, init: Box::new(init) };
        // The offset is in `from`.
        Some((0, element, init))
    }

    /// A member that a list does not mention.
    fn default_member(
        &mut self,
        record: RecordId,
        ty: Type,
        default: Option<std::rc::Rc<std::cell::OnceCell<Initializer>>>,
        span: Span,
    ) -> Init {
        let scope = self.class(record).scope;
        self.in_scope(scope, |cxx| cxx.empty_init(ty, default, span))
    }

    fn empty_init(
        &mut self,
        ty: Type,
        default: Option<std::rc::Rc<std::cell::OnceCell<Initializer>>>,
        span: Span,
    ) -> Init {
        if let Some(initializer) = default.as_ref().and_then(|cell| cell.get()) {
            let initializer = initializer.clone();
            return self.initialize(ty, &initializer, span);
        }
        let list = InitList { elements: Vec::new(), span };
        self.list_initialize(ty.plain(), &list, true)
    }

    /// One member from the next element or, without braces, from as many as it takes.
    fn element_init(&mut self, ty: Type, elements: &[Element], at: &mut usize) -> Option<Init> {
        let element = &elements[*at];
        if let Some(reference) = self.reference(ty.ty()) {
            *at += 1;
            let address = self.bind_reference(element.given.clone(), reference, element.span, "member");
            return (!self.types.is_error(address.ty)).then_some(Init::Value(address));
        }
        match &element.given {
            Given::List(list) => {
                *at += 1;
                match self.list_initialize(ty.plain(), list, true) {
                    Init::Error => None,
                    init => Some(init),
                }
            }
            Given::Value(value) => {
                let is_aggregate = matches!(self.types.kind(ty.ty()), TypeKind::Array { .. })
                    || self.record_of(ty.ty()).is_some_and(|record| {
                        self.require_complete(record, element.span);
                        self.is_aggregate(record)
                    });
                if is_aggregate {
                    if let Some(init) = self.string_init(ty, value) {
                        *at += 1;
                        return Some(init);
                    }
                    let converts = self.record_of(ty.ty()).is_some()
                        && self.sequence(&element.given, ty.plain(), true).is_some();
                    if !converts {
                        let span = element.span;
                        let parts = self.aggregate_parts(ty, elements, at, span)?;
                        return Some(match self.record_of(ty.ty()) {
                            Some(_) => {
                                let kind = PrvalueKind::Parts { clear: false, parts };
                                Init::Class(Prvalue { ty: ty.ty(), kind, span })
                            }
                            None => Init::Parts { parts },
                        });
                    }
                }
                *at += 1;
                self.check_narrowing(value, ty.ty());
                match self.copy_initialize(ty.plain(), value.clone(), element.span) {
                    Init::Error => None,
                    init => Some(init),
                }
            }
        }
    }

    /// An array of characters from a string.
    fn string_init(&mut self, ty: Type, value: &Value) -> Option<Init> {
        let TypeKind::Array { element, length } = *self.types.kind(ty.ty()) else { return None };
        let kind = self.types.as_scalar(element.ty)?;
        if !matches!(kind, ScalarKind::Char | ScalarKind::UChar) {
            return None;
        }
        let place = value.place()?;
        let PlaceKind::Global(id) = place.kind else { return None };
        let global = &self.checker.globals[id.0 as usize];
        if !global.name.starts_with(".string.") {
            return None;
        }
        let bytes = global.initializer.as_ref()?.bytes.clone();
        let span = place.span;
        let count = length.unwrap_or(bytes.len() as u64);
        if bytes.len() as u64 > count {
            let text = self.text_of(ty);
            self.error(span, format!("initializer-string for char array is too long for '{text}'"));
            return Some(Init::Error);
        }
        let element = Type { q: element, space: None };
        let mut parts: Vec<(u64, Type, Init)> = bytes
            .iter()
            .enumerate()
            .map(|(index, byte)| {
                let value = self.constant(u64::from(*byte), element.ty(), span);
                (index as u64, element, Init::Value(value))
            })
            .collect();
        if (bytes.len() as u64) < count {
            parts.extend(self.repeated(bytes.len() as u64, count, 1, element, Init::Zero));
        }
        Some(Init::Parts { parts })
    }

    /// An array from an expression: a string, or for a lambda's copy another array.
    fn array_from_value(&mut self, ty: Type, value: Value, span: Span) -> Init {
        if let Some(init) = self.string_init(ty, &value) {
            return init;
        }
        // Implicit copies of members copy arrays; programs cannot.
        if let Some(place) = value.place().cloned()
            && place.ty.ty == ty.ty()
            && self.copies_arrays
            && let TypeKind::Array { element, length: Some(count) } = *self.types.kind(ty.ty())
        {
            let is_moved = matches!(value, Value::Moved(_));
            let element = Type { q: element, space: None };
            let stored = self.stored(element);
            let (size, _) = self.types.layout(stored).unwrap_or((1, 1));
            let mut parts = Vec::new();
            for index in 0..count.min(4096) {
                let kind = PlaceKind::Member(Box::new(place.clone()), index * size);
                let part = Place { kind, ty: element.q, space: place.space, span };
                let value = if is_moved { Value::Moved(part) } else { Value::Place(part) };
                let init = self.copy_initialize(element.plain(), value, span);
                parts.push((index * size, element, init));
            }
            return Init::Parts { parts };
        }
        let text = self.text_of(ty);
        self.error(span, format!("array initializer for '{text}' must be an initializer list"));
        Init::Error
    }

    /// Any initialiser for an object of a known type. A reference's value is its address.
    pub(super) fn initialize(&mut self, ty: Type, initializer: &Initializer, span: Span) -> Init {
        if let Some(reference) = self.reference(ty.ty()) {
            let given = match initializer {
                Initializer::Copy(clause) => self.given_one(clause),
                Initializer::List(list) => match list.elements.as_slice() {
                    [InitClause { kind: InitClauseKind::Expr(_), expansion: None, .. }] => {
                        self.given_one(&list.elements[0])
                    }
                    _ => Given::List(list.clone()),
                },
                Initializer::Paren(arguments, _) => match self.given(arguments) {
                    Some(mut given) if given.len() == 1 => given.pop().expect("one"),
                    Some(_) => {
                        self.error(span, "a reference is initialized with one value");
                        return Init::Error;
                    }
                    None => return Init::Error,
                },
            };
            if let Given::Value(value) = &given
                && self.is_error(value)
            {
                self.note_error();
                return Init::Error;
            }
            let at = match &given {
                Given::Value(value) => value.span(),
                Given::List(list) => list.span,
            };
            let address = self.bind_reference(given, reference, at, "reference");
            return if self.types.is_error(address.ty) { Init::Error } else { Init::Value(address) };
        }
        match initializer {
            Initializer::Copy(clause) => match self.given_one(clause) {
                Given::Value(value) => {
                    let at = value.span();
                    self.copy_initialize(ty.plain(), value, if at == Span::NONE { span } else { at })
                }
                Given::List(list) => self.list_initialize(ty.plain(), &list, true),
            },
            Initializer::Paren(arguments, at) => {
                let Some(given) = self.given(arguments) else { return Init::Error };
                if given.is_empty() {
                    return self.value_initialize(ty.plain(), *at);
                }
                self.direct_initialize(ty.plain(), given, *at)
            }
            Initializer::List(list) => self.list_initialize(ty.plain(), list, false),
        }
    }

    /// An initialiser for an array whose length it may give.
    pub(super) fn list_of_array(&mut self, ty: Type, list: &InitList) -> (Type, Init) {
        if let TypeKind::Array { element, length: None } = *self.types.kind(ty.ty()) {
            let Some(elements) = self.elements(list) else { return (ty, Init::Error) };
            if let [Element { given: Given::Value(value), .. }] = elements.as_slice()
                && let Some(sized) = self.sized_by_string(ty, value)
            {
                let init = self.aggregate(sized, elements, list.span);
                return (sized, init);
            }
            // Without braces inside, several elements may belong to one.
            let mut at = 0;
            let mut count = 0;
            let unit = Type { q: element, space: None };
            while at < elements.len() {
                let before = at;
                if self.attempt(|cxx| cxx.element_init(unit, &elements, &mut at)).flatten().is_none() {
                    at = before + 1;
                }
                count += 1;
            }
            if count == 0 {
                self.error(list.span, "zero size arrays are not allowed in C++");
                return (ty, Init::Error);
            }
            let array = self.types.array(element, Some(count));
            let sized = Type { q: array.into(), space: ty.space };
            let init = self.aggregate(sized, elements, list.span);
            return (sized, init);
        }
        let init = self.list_initialize(ty, list, false);
        (ty, init)
    }

    /// The type of an array of unknown length that a string initialises.
    pub(super) fn sized_by_string(&mut self, ty: Type, value: &Value) -> Option<Type> {
        let TypeKind::Array { element, length: None } = *self.types.kind(ty.ty()) else { return None };
        let place = value.place()?;
        let TypeKind::Array { length: Some(count), .. } = *self.types.kind(place.ty.ty) else { return None };
        self.string_init(ty, value)?;
        let array = self.types.array(element, Some(count));
        Some(Type { q: array.into(), space: ty.space })
    }

    /// A variable declared with `auto`: its type, and its initialiser.
    pub(super) fn deduced_initializer(
        &mut self,
        declared: Type,
        initializer: &Initializer,
        span: Span,
    ) -> Option<(Type, Init)> {
        let value = match initializer {
            Initializer::Copy(clause) => {
                match self.given_one(clause) {
                    Given::Value(value) => value,
                    Given::List(_) => {
                        self.error(span, "cannot deduce a type from an initializer list: there is no 'std::initializer_list'");
                        return None;
                    }
                }
            }
            Initializer::Paren(arguments, _) => {
                let mut given = self.given(arguments)?;
                match (given.len(), given.pop()) {
                    (1, Some(Given::Value(value))) => value,
                    _ => {
                        self.error(span, "a variable of type 'auto' is initialized with one value");
                        return None;
                    }
                }
            }
            Initializer::List(list) => match list.elements.as_slice() {
                [InitClause { kind: InitClauseKind::Expr(expr), .. }] => self.expression(expr),
                _ => {
                    self.error(span, "a variable of type 'auto' is initialized with one value");
                    return None;
                }
            },
        };
        if self.is_error(&value) {
            self.note_error();
            return None;
        }
        if matches!(value, Value::Functions(_)) {
            self.rvalue(value, span);
            return None;
        }
        let ty = self.deduce_auto(declared, &value, span)?;
        if self.types.is_void(ty.ty()) {
            self.error(span, "variable has incomplete type 'void'");
            return None;
        }
        let init = match self.reference(ty.ty()) {
            Some(reference) => {
                let address = self.bind_reference(Given::Value(value), reference, span, "reference");
                if self.types.is_error(address.ty) { Init::Error } else { Init::Value(address) }
            }
            None => self.copy_initialize(ty.plain(), value, span),
        };
        Some((ty, init))
    }

    /// The stores that initialise an object. The place must be one that can be designated several times.
    pub(super) fn emit(&mut self, place: &Place, ty: Type, init: Init, out: &mut Vec<Expr>) {
        let span = place.span;
        match init {
            Init::Error | Init::None => {}
            Init::Zero => self.emit_zero(place, ty, out),
            Init::Value(value) => {
                let hir = self.hir_type(ty.ty());
                let mut target = place.clone();
                target.ty = hir.into();
                let value = Box::new(Expr { ty: hir, ..value });
                out.push(Expr { kind: Hir::Assign { target, value }, ty: hir, span });
            }
            Init::Class(prvalue) => self.emit_class(place, prvalue, out),
            Init::Parts { parts } => self.emit_parts(place, parts, out),
            Init::Repeat { from, count, element, init } => {
                self.emit_repeat(place, from, count, element, *init, out);
            }
        }
    }

    fn emit_parts(&mut self, place: &Place, parts: Vec<(u64, Type, Init)>, out: &mut Vec<Expr>) {
        for (offset, ty, init) in parts {
            if let Init::Repeat { .. } = init {
                self.emit(place, ty, init, out);
                continue;
            }
            let part = self.part_place(place, offset, ty);
            self.emit(&part, ty, init, out);
        }
    }

    fn part_place(&mut self, place: &Place, offset: u64, ty: Type) -> Place {
        let hir = self.hir_type(ty.ty());
        let kind = PlaceKind::Member(Box::new(place.clone()), offset);
        Place { kind, ty: hir.into(), space: place.space, span: place.span }
    }

    fn emit_zero(&mut self, place: &Place, ty: Type, out: &mut Vec<Expr>) {
        let span = place.span;
        match *self.types.kind(ty.ty()) {
            TypeKind::Array { element, length: Some(count) } => {
                let element = Type { q: element, space: None };
                self.emit_repeat(place, 0, count, element, Init::Zero, out);
            }
            TypeKind::Record(record) => {
                let bases = self.class(record).bases.clone();
                for base in bases {
                    let ty = Type::of(self.class(base.record).ty);
                    let part = self.part_place(place, base.offset, ty);
                    self.emit_zero(&part, ty, out);
                }
                let fields = self.class(record).fields.clone();
                let is_union = self.types.record(record).is_union;
                let largest = fields
                    .iter()
                    .filter(|field| !field.is_injected)
                    .max_by_key(|field| self.types.layout(field.ty.ty()).map_or(0, |(size, _)| size));
                let largest = largest.map(|field| field.offset);
                let mut done = false;
                for field in &fields {
                    if field.is_injected || is_union && (done || Some(field.offset) != largest) {
                        continue;
                    }
                    done = true;
                    let part = self.part_place(place, field.offset, field.ty);
                    self.emit_zero(&part, field.ty, out);
                }
            }
            _ => {
                let hir = self.hir_type(ty.ty());
                let is_member = matches!(self.types.kind(ty.ty()), TypeKind::MemberPointer { .. });
                let value = match self.types.as_arithmetic(hir) {
                    Some((_, lanes)) if lanes > 1 => self.checker.zero(hir, span),
                    _ => self.constant(if is_member { u64::MAX } else { 0 }, hir, span),
                };
                let mut target = place.clone();
                target.ty = hir.into();
                out.push(Expr { kind: Hir::Assign { target, value: Box::new(value) }, ty: hir, span });
            }
        }
    }

    /// The same for several elements of an array: a loop, or few stores.
    fn emit_repeat(
        &mut self,
        place: &Place,
        from: u64,
        count: u64,
        element: Type,
        init: Init,
        out: &mut Vec<Expr>,
    ) {
        const FEW: u64 = 8;
        let span = place.span;
        let stored = self.stored(element);
        let (size, _) = self.types.layout(stored).unwrap_or((1, 1));
        if count <= FEW || self.frames.is_empty() {
            for index in from..from + count.min(1 << 16) {
                let part = self.part_place(place, index * size, element);
                self.emit(&part, element, init.clone(), out);
            }
            return;
        }
        let ulong = self.types.scalar(ScalarKind::ULong);
        let int = self.checker.int();
        let bool = self.checker.bool();
        let counter = self.new_local(ulong, span);
        let start = self.constant(from, ulong, span);
        let number = |cxx: &Self| {
            let place = cxx.local_place(counter, ulong, span);
            Expr { kind: Hir::Load(place), ty: ulong, span }
        };
        let end = self.constant(from + count, ulong, span);
        let compare = Expr {
            kind: Hir::Compare { op: ComparisonOp::Less, left: Box::new(number(self)), right: Box::new(end) },
            ty: int,
            span,
        };
        let condition = self.checker.convert_arithmetic(compare, bool);
        let target = self.local_place(counter, ulong, span);
        let step = Expr { kind: Hir::Increment { target, decrement: false, prefix: true }, ty: ulong, span };
        let first = Place { ty: QualifiedType::from(place.ty.ty), ..place.clone() };
        let pointer = self.types.pointer(stored.into(), place.space);
        let address = Expr { kind: Hir::AddressOf(first), ty: pointer, span };
        let kind =
            Hir::PointerAdd { pointer: Box::new(address), index: Box::new(number(self)), subtract: false };
        let address = Expr { kind, ty: pointer, span };
        let part =
            Place { kind: PlaceKind::Deref(Box::new(address)), ty: stored.into(), space: place.space, span };
        let mut stores = Vec::new();
        self.emit(&part, element, init, &mut stores);
        let body =
            stores.into_iter().map(|expr| Statement { kind: StatementKind::Expr(expr), span }).collect();
        let body = Box::new(Statement { kind: StatementKind::Block(body), span });
        let statements = vec![
            Statement {
                kind: StatementKind::Declare {
                    local: counter,
                    initializer: Some(HirInitializer::Value(start)),
                },
                span,
            },
            Statement {
                kind: StatementKind::While {
                    condition: Some(condition),
                    step: Some(step),
                    body,
                    unroll: UnrollHint::None,
                },
                span,
            },
        ];
        let void = self.types.void();
        out.push(Expr { kind: Hir::Statements { statements, value: None }, ty: void, span });
    }

    fn emit_class(&mut self, place: &Place, prvalue: Prvalue, out: &mut Vec<Expr>) {
        let span = prvalue.span;
        let ty = prvalue.ty;
        let void = self.types.void();
        // While it is made, the object is not constant.
        let place = &Place { ty: QualifiedType::from(ty), ..place.clone() };
        match prvalue.kind {
            PrvalueKind::Zero => self.emit_zero(place, Type::of(ty), out),
            PrvalueKind::Bits(value) => {
                let target = place.clone();
                out.push(Expr { kind: Hir::Assign { target, value: Box::new(value) }, ty, span });
            }
            PrvalueKind::Construct { function, mut arguments } => {
                let this = self.this_argument(place.clone(), function, span);
                arguments.insert(0, this);
                let hir = self.hir_function(function);
                out.push(Expr { kind: Hir::Call { function: hir, arguments }, ty: void, span });
            }
            PrvalueKind::Call { function, mut arguments } => {
                if place.space == AddressSpace::Private {
                    let pointer = self.types.pointer(ty.into(), AddressSpace::Private);
                    let address = self.checker.address(place.clone());
                    arguments.insert(0, Expr { ty: pointer, ..address });
                    out.push(Expr { kind: Hir::Call { function, arguments }, ty: void, span });
                    return;
                }
                // Results are made in private memory, and moved from there.
                let kind = PrvalueKind::Call { function, arguments };
                let temporary = self.temporary(Prvalue { ty, kind, span });
                let (prelude, temporary) = self.stable(temporary);
                out.extend(prelude);
                let record = self.record_of(ty).expect("a class");
                let init = self.copy_class(record, Value::Moved(temporary), true, span);
                self.emit(place, Type::of(ty), init, out);
            }
            PrvalueKind::Parts { clear, parts } => {
                if clear {
                    self.emit_zero(place, Type::of(ty), out);
                }
                self.emit_parts(place, parts, out);
            }
            PrvalueKind::Sequence { first, then } => {
                out.push(first);
                self.emit_class(place, *then, out);
            }
            PrvalueKind::Conditional { condition, then, otherwise } => {
                let branch = |cxx: &mut Self, prvalue: Prvalue| {
                    let mut stores = Vec::new();
                    cxx.emit_class(place, prvalue, &mut stores);
                    let list = stores
                        .into_iter()
                        .map(|expr| Statement { kind: StatementKind::Expr(expr), span })
                        .collect();
                    Box::new(Statement { kind: StatementKind::Block(list), span })
                };
                let then = branch(self, *then);
                let otherwise = Some(branch(self, *otherwise));
                let kind = StatementKind::If { condition, then, otherwise };
                let statements = vec![Statement { kind, span }];
                out.push(Expr { kind: Hir::Statements { statements, value: None }, ty: void, span });
            }
        }
    }

    /// A temporary object of a class, made where it is used.
    pub(super) fn temporary(&mut self, prvalue: Prvalue) -> Place {
        let (ty, span) = (prvalue.ty, prvalue.span);
        self.temporary_of(ty, Init::Class(prvalue), span)
    }

    pub(super) fn temporary_of(&mut self, ty: TypeId, init: Init, span: Span) -> Place {
        if matches!(init, Init::Error) {
            self.note_error();
            let error = self.checker.error_value(span);
            let kind = PlaceKind::Deref(Box::new(error));
            return Place { kind, ty: self.types.error().into(), space: AddressSpace::Private, span };
        }
        if self.frames.is_empty() {
            return self.static_temporary(ty, init, span);
        }
        let hir = self.hir_type(ty);
        if let Init::Value(value) = init {
            let place = self.held(Expr { ty: hir, ..value });
            return Place { ty: ty.into(), ..place };
        }
        let local = self.new_local(hir, span);
        let object = self.local_place(local, hir, span);
        let mut stores = Vec::new();
        self.emit(&object, Type::of(ty), init, &mut stores);
        let flag = self.add_temporary(&Place { ty: ty.into(), ..object.clone() }, span);
        stores.extend(flag);
        let object = Place { ty: ty.into(), ..object };
        match sequenced(stores) {
            None => object,
            Some(first) => self.after(first, object),
        }
    }
}

/// Expressions one after the other.
pub(super) fn sequenced(list: Vec<Expr>) -> Option<Expr> {
    list.into_iter().reduce(|first, then| {
        let (ty, span) = (then.ty, then.span);
        Expr { kind: Hir::Comma(Box::new(first), Box::new(then)), ty, span }
    })
}

impl Value {
    /// The type, or none for functions.
    pub fn ty_or_none(&self) -> TypeId {
        self.ty()
    }
}

/// Parts of an initialiser as the HIR has them for a variable, if all are values; and whether some are zero.
pub(super) fn flattened(init: &Init, offset: u64, parts: &mut Vec<Part>) -> Option<bool> {
    match init {
        Init::Zero => Some(true),
        Init::Value(value) => {
            parts.push(Part { offset, value: value.clone(), repeats: Vec::new() });
            Some(false)
        }
        Init::Parts { parts: list } => flattened_list(list, offset, parts),
        Init::Class(Prvalue { kind: PrvalueKind::Parts { clear, parts: list }, .. }) => {
            flattened_list(list, offset, parts).map(|zero| zero || *clear)
        }
        Init::Class(Prvalue { kind: PrvalueKind::Zero, .. }) => Some(true),
        Init::Repeat { init, .. } if matches!(**init, Init::Zero) => Some(true),
        _ => None,
    }
}

fn flattened_list(list: &[(u64, Type, Init)], offset: u64, parts: &mut Vec<Part>) -> Option<bool> {
    let mut zero = false;
    for (at, ty, init) in list {
        // Null pointers to members are not zero.
        _ = ty;
        zero |= flattened(init, offset + at, parts)?;
    }
    Some(zero)
}

/// Whether a value of the HIR is a constant.
pub(super) fn is_constant(value: &Expr) -> bool {
    matches!(value.kind, Hir::Constant(Constant::Bits(_) | Constant::Lanes(_)))
}

/// Whether an initialiser is an expression in parentheses with one value.
pub(super) fn single(initializer: &Initializer) -> Option<&crate::cxx::ast::Expr> {
    match initializer {
        Initializer::Copy(clause) => match &clause.kind {
            InitClauseKind::Expr(expr) => Some(expr),
            InitClauseKind::List(_) => None,
        },
        Initializer::Paren(list, _) => match list.as_slice() {
            [InitClause { kind: InitClauseKind::Expr(expr), expansion: None, .. }] => Some(expr),
            _ => None,
        },
        Initializer::List(_) => None,
    }
}

/// Whether an expression is a string literal.
pub(super) fn is_string(expr: &crate::cxx::ast::Expr) -> bool {
    match &expr.kind {
        Ast::Str(_) => true,
        Ast::Paren(inner) => is_string(inner),
        _ => false,
    }
}
