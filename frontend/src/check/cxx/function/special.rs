//! What the declaration of a constructor, destructor or other member may not say (\[special\]).

use super::{Function, Kind};
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::Cxx;
use crate::check::cxx::scope::Entity;
use crate::cxx::ast::{FunctionBody, FunctionDecl, Id, Operator, TypeSpecifier};
use crate::types::RecordId;

impl Cxx<'_> {
    /// Whether the declaration of a member function keeps the rules for its kind; an error if not.
    pub(super) fn check_special(
        &mut self,
        decl: &FunctionDecl,
        function: &Function,
        record: RecordId,
    ) -> bool {
        let fault = match function.kind {
            Kind::Constructor => self.fault_of_constructor(decl, function, record),
            Kind::Destructor => self.fault_of_destructor(decl, function, record),
            Kind::Conversion => None,
            Kind::Plain => self.fault_of_method(decl, record),
        };
        let fault = fault.or_else(|| {
            let is_defaulted = matches!(decl.body, Some(FunctionBody::Default));
            (is_defaulted && !self.can_be_defaulted(decl, function, record))
                .then(|| (function.span, "only special member functions may be defaulted".to_owned()))
        });
        let Some((span, message)) = fault else { return true };
        self.error(span, message);
        false
    }

    fn fault_of_constructor(
        &mut self,
        decl: &FunctionDecl,
        function: &Function,
        record: RecordId,
    ) -> Option<(Span, String)> {
        if let Some(span) = decl.specifiers.is_static {
            return Some((span, "constructor cannot be declared 'static'".to_owned()));
        }
        if self.copies_by_value(function) {
            let class = self.type_text(self.class(record).ty);
            let message =
                format!("copy constructor must pass its first argument by reference: 'const {class} &'");
            return Some((function.span, message));
        }
        None
    }

    /// Whether a constructor takes an object of its class by value ([class.copy.ctor]/5).
    pub(in crate::check::cxx) fn copies_by_value(&self, function: &Function) -> bool {
        let Some(record) = function.class.filter(|_| function.kind == Kind::Constructor) else {
            return false;
        };
        let Some((first, rest)) = function.params.split_first() else { return false };
        first.ty.ty() == self.class(record).ty && rest.iter().all(|param| param.default.is_some())
    }

    fn fault_of_destructor(
        &mut self,
        decl: &FunctionDecl,
        function: &Function,
        record: RecordId,
    ) -> Option<(Span, String)> {
        let name = &decl.declarator.name.as_ref()?.last().id;
        let qualifiers = function.this_qualifiers;
        let message = if let Some(span) = decl.specifiers.is_static {
            return Some((span, "destructor cannot be declared 'static'".to_owned()));
        } else if let Some(span) = decl.specifiers.is_constexpr {
            return Some((span, "destructor cannot be declared 'constexpr' before C++20".to_owned()));
        } else if !matches!(decl.specifiers.ty, TypeSpecifier::None) || function.suffix.trailing.is_some() {
            "destructor cannot have a return type"
        } else if !function.params.is_empty() {
            "destructor cannot have any parameters"
        } else if qualifiers.is_const || qualifiers.is_volatile {
            "a destructor cannot have the qualifier 'const' or 'volatile'"
        } else if function.this_reference.is_some() {
            "ref-qualifier is not allowed on a destructor"
        } else if let Id::Destructor(Some(name)) = *name
            && !self.names_class(name, record)
        {
            return Some((
                name.span,
                "expected the class name after '~' to name the enclosing class".to_owned(),
            ));
        } else {
            return None;
        };
        Some((function.span, message.to_owned()))
    }

    /// Whether a name in a class is that of the class.
    fn names_class(&mut self, name: Name, record: RecordId) -> bool {
        let scope = self.class(record).scope;
        let found = self.in_scope(scope, |cxx| cxx.find(name.symbol));
        match found.map(|found| (found.entity, found.hidden_type)) {
            Some((Entity::Type(ty), _) | (_, Some(ty))) => self.record_of(ty.ty()) == Some(record),
            _ => false,
        }
    }

    fn fault_of_method(&mut self, decl: &FunctionDecl, record: RecordId) -> Option<(Span, String)> {
        let name = decl.declarator.name.as_ref()?;
        if let Id::Name(symbol) = name.last().id
            && self.plain_class_name(record) == Some(symbol)
        {
            return Some((name.span, "constructor cannot have a return type".to_owned()));
        }
        if decl.specifiers.is_explicit {
            let message = "'explicit' can only be applied to a constructor or conversion function";
            return Some((decl.specifiers.span, message.to_owned()));
        }
        None
    }

    /// Whether a function is a special member that the compiler can make ([dcl.fct.def.default]/1).
    fn can_be_defaulted(&mut self, decl: &FunctionDecl, function: &Function, record: RecordId) -> bool {
        let class = self.class(record).ty;
        let is_copy = |cxx: &Self| match function.params.as_slice() {
            [only] => {
                only.default.is_none()
                    && cxx.reference(only.ty.ty()).is_some_and(|reference| reference.target.ty == class)
            }
            _ => false,
        };
        match function.kind {
            Kind::Constructor => function.params.is_empty() || is_copy(self),
            Kind::Destructor => true,
            Kind::Conversion => false,
            Kind::Plain => {
                let id = decl.declarator.name.as_ref().map(|name| &name.last().id);
                let result = self.reference(function.result.ty());
                matches!(id, Some(Id::Operator(Operator::Assign(None))))
                    && is_copy(self)
                    && result.is_some_and(|result| !result.is_rvalue && result.target.ty == class)
            }
        }
    }
}
