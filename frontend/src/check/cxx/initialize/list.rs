//! Lists in braces ([dcl.init.list]): constructors, scalars, vectors, and conversions that lose information.

use super::{Element, Init};
use crate::Span;
use crate::check::cxx::Cxx;
use crate::check::cxx::expression::{Given, Value};
use crate::check::cxx::overload::Resolved;
use crate::check::cxx::types::Type;
use crate::cxx::ast::InitList;
use crate::types::{RecordId, ScalarKind, TypeId, TypeKind};

impl Cxx<'_> {
    /// The elements of a list, with packs expanded.
    pub(super) fn elements(&mut self, list: &InitList) -> Option<Vec<Element>> {
        let mut result = Vec::new();
        for clause in &list.elements {
            let span = crate::check::cxx::expression::clause_span(clause);
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
    pub(in crate::check::cxx) fn list_initialize(
        &mut self,
        ty: Type,
        list: &InitList,
        is_copy: bool,
    ) -> Init {
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
            && matches!(self.types.kind(ty.ty()), TypeKind::Enum(id) if self.types.enumeration(*id).range.is_none())
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
    pub(super) fn check_narrowing(&mut self, value: &Value, to: TypeId) {
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
            let back = crate::check::constant::convert(from, kind, bits);
            let again = crate::check::constant::convert(kind, from, back);
            let same = again == bits || from.is_float() && kind.is_float();
            match (from.is_float(), kind.is_float()) {
                (true, false) => false,
                (false, false) if kind == ScalarKind::Bool => bits <= 1,
                (false, false) => {
                    crate::check::constant::to_integer(from, bits)
                        == crate::check::constant::to_integer(kind, back)
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
}
