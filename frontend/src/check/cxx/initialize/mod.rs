//! Initialisation of objects ([dcl.init]): which constructor or conversions, and the stores that it becomes.

mod aggregate;
mod emit;
mod list;

use super::expression::{Given, Value};
use super::overload::Resolved;
use super::types::Type;
use super::{Cxx, FnId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{ExprKind as Ast, InitClause, InitClauseKind, Initializer};
use crate::hir::{Expr, ExprKind as Hir, FunctionId, LocalId, Part, Place};
use crate::types::{RecordId, ScalarKind, TypeId, TypeKind, Types};
use clvk_ir::AddressSpace;

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
    /// The elements of another array.
    Copy {
        from: Place,
        is_moved: bool,
        count: u64,
        element: Type,
    },
}

/// An object of a class that is still to be made.
#[derive(Clone, Debug)]
pub(super) struct Prvalue {
    pub ty: TypeId,
    pub kind: PrvalueKind,
    pub span: Span,
    /// When it is made, among the temporary objects of its full expression; zero if that is not known yet.
    pub order: u32,
}

impl Prvalue {
    /// An object whose place in the order is not known yet.
    pub fn new(ty: TypeId, kind: PrvalueKind, span: Span) -> Prvalue {
        Prvalue { ty, kind, span, order: 0 }
    }
}

/// Ways to make an object of a class.
#[derive(Clone, Debug)]
pub(super) enum PrvalueKind {
    /// By a constructor; the arguments are those after `this`. `zeroes`: in memory that is zero before.
    Construct {
        function: FnId,
        arguments: Vec<Expr>,
        zeroes: bool,
    },
    /// A function that writes its result to an address, its first parameter.
    Call {
        function: FunctionId,
        arguments: Vec<Expr>,
    },
    /// Part by part; `this` is a variable for the address of the object, which initialisers use.
    Parts {
        this: Option<(LocalId, TypeId)>,
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

    /// Constructors that make objects in the address space where this one will be; those for just that space,
    /// if there are any.
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
            self.check_base_of(value.ty(), ty, span);
            let place = match value {
                Value::Place(place) | Value::Moved(place) => self.base_place(place, record),
                value => {
                    let place = self.object(value, span);
                    self.base_place(place, record)
                }
            };
            let kind = PrvalueKind::Bits(self.checker.load(place));
            return Init::Class(Prvalue::new(ty, kind, span));
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
                && self.options.is_opencl_cxx()
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
                // A null pointer is false, if that is asked for ([conv.bool]).
                Given::Value(value)
                    if matches!(self.types.kind(value.ty_or_none()), TypeKind::Nullptr)
                        && self.types.as_scalar(ty.ty()) == Some(ScalarKind::Bool) =>
                {
                    let null = self.rvalue(value, span);
                    let no = self.constant(0, ty.ty(), span);
                    Init::Value(Expr { kind: Hir::Comma(Box::new(null), Box::new(no)), ty: ty.ty(), span })
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
                && let Some(id) = self.conversion_for(value, ty.ty())
            {
                return match self.converted_by(id, value.clone(), span) {
                    Value::Class(prvalue) if prvalue.ty == ty.ty() => Init::Class(*prvalue),
                    made => self.copy_class(record, made, true, span),
                };
            }
        }
        self.by_constructor(record, given, true, span)
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
            return Init::Class(Prvalue::new(ty.ty(), kind, span));
        }
        let mut init = self.by_constructor(record, Vec::new(), true, span);
        // Constructors that the program does not write leave members without a value.
        if let Init::Class(Prvalue { kind: PrvalueKind::Construct { function, zeroes, .. }, .. }) = &mut init
        {
            *zeroes = self.function(*function).is_defaulted;
        }
        init
    }

    /// Zero of a type that is not a class; a null pointer to a member is not zero bits.
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
pub(super) fn flattened(types: &Types, init: &Init, offset: u64, parts: &mut Vec<Part>) -> Option<bool> {
    match init {
        Init::Zero => Some(true),
        Init::Value(value) => {
            parts.push(Part { offset, value: value.clone(), repeats: Vec::new() });
            Some(false)
        }
        Init::Parts { parts: list } => flattened_list(types, list, offset, parts),
        // The stores to a union tell which member has a value.
        Init::Class(Prvalue { ty, .. }) if matches!(types.kind(*ty), TypeKind::Record(record) if types.record(*record).is_union) => {
            None
        }
        Init::Class(Prvalue { kind: PrvalueKind::Parts { this: None, parts: list }, .. }) => {
            flattened_list(types, list, offset, parts)
        }
        Init::Class(Prvalue { kind: PrvalueKind::Zero, .. }) => Some(true),
        Init::Repeat { init, .. } if matches!(**init, Init::Zero) => Some(true),
        _ => None,
    }
}

fn flattened_list(
    types: &Types,
    list: &[(u64, Type, Init)],
    offset: u64,
    parts: &mut Vec<Part>,
) -> Option<bool> {
    let mut zero = false;
    for (at, _, init) in list {
        zero |= flattened(types, init, offset + at, parts)?;
    }
    Some(zero)
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
