//! Calls ([expr.call]): functions, methods, built-in functions, objects with `operator()`, constructors.

use super::class::access::Naming;
use super::expression::{Given, Set, Value};
use super::function::Kind;
use super::initialize::{Init, Prvalue, PrvalueKind};
use super::overload::Resolved;
use super::scope::Entity;
use super::{Cxx, FnId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{Expr as Ast, ExprKind, Id, InitClause, Operator};
use crate::hir::{Expr, ExprKind as Hir, FunctionId, Place, PlaceKind};
use crate::types::{QualifiedType, TypeId, TypeKind};
use clvk_ir::AddressSpace;

impl Cxx<'_> {
    pub(super) fn call(&mut self, callee: &Ast, arguments: &[InitClause], span: Span) -> Value {
        if let Some(value) = self.destructor_call(callee, arguments, span) {
            return value;
        }
        // A type that only the checker knows: `make<5>::type()`.
        if let ExprKind::Name(name) = &callee.kind
            && name.is_qualified()
            && let Some(Entity::Type(ty)) = self.peek_entity(name)
        {
            let Some(given) = self.given(arguments) else { return self.error_value_of(span) };
            return self.construct_of(ty, given, span);
        }
        // A function that only the arguments' namespaces declare.
        if let Some(set) = self.set_by_arguments(callee) {
            let Some(given) = self.given(arguments) else { return self.error_value_of(span) };
            return self.call_set(set, given, span);
        }
        let target = self.expression(callee);
        let Some(given) = self.given(arguments) else { return self.error_value_of(span) };
        if self.is_error(&target) {
            self.note_error();
            return self.error_value_of(span);
        }
        match target {
            Value::Functions(set) => self.call_set(*set, given, span),
            value if self.record_of(value.ty()).is_some() => {
                let symbol = self.operator_symbol(Operator::Call);
                self.call_member(value, symbol, given, span)
            }
            value => {
                let text = self.text_of(self.type_of_value(&value));
                let message = format!("called object type '{text}' is not a function or function pointer");
                self.error(callee.span, message);
                self.error_value_of(span)
            }
        }
    }

    /// The set of a plain name that is not declared here.
    fn set_by_arguments(&mut self, callee: &Ast) -> Option<Set> {
        let ExprKind::Name(name) = &callee.kind else { return None };
        let plain = match &name.last().id {
            Id::Operator(operator) if !name.is_qualified() && name.last().arguments.is_none() => {
                Name { symbol: self.operator_symbol(*operator), span: name.span }
            }
            _ => name.plain()?,
        };
        if self.find(plain.symbol).is_some() {
            return None;
        }
        let text = self.owned(plain.symbol);
        if crate::builtins::lookup(&text).is_some() || text.starts_with("__builtin_") {
            return None;
        }
        Some(Set {
            name: plain,
            functions: Vec::new(),
            object: None,
            naming: None,
            explicit: None,
            is_open: true,
            is_qualified: false,
        })
    }

    /// A method of an object by name.
    pub(super) fn call_member(
        &mut self,
        object: Value,
        symbol: crate::symbol::Symbol,
        given: Vec<Given>,
        span: Span,
    ) -> Value {
        let Some(record) = self.record_of(object.ty()) else { return self.error_value_of(span) };
        self.require_complete(record, span);
        let Some(super::lookup::Found { entity: Entity::Functions(functions), .. }) =
            self.find_member(record, symbol)
        else {
            let text = self.text_of(self.type_of_value(&object));
            let name = self.owned(symbol);
            self.error(span, format!("type '{text}' does not provide a '{name}'"));
            return self.error_value_of(span);
        };
        let name = Name { symbol, span };
        let naming = Some(Naming::of_object(record));
        let set = Set {
            name,
            functions,
            object: Some(object),
            naming,
            explicit: None,
            is_open: false,
            is_qualified: false,
        };
        self.call_set(set, given, span)
    }

    pub(super) fn call_set(&mut self, set: Set, given: Vec<Given>, span: Span) -> Value {
        if let Some(explicit) = set.explicit.as_deref().filter(|_| set.functions.is_empty()) {
            let Some(name) = self.member_of_family(set.name, explicit) else {
                self.note_error();
                return self.error_value_of(span);
            };
            return self.call_builtin_set(Set { name, explicit: None, ..set }, given, span);
        }
        if set.functions.is_empty()
            && let [Given::Value(Value::Place(place))] = given.as_slice()
            && self.text(set.name.symbol) == "__builtin_addressof"
        {
            return Value::Expr(self.checker.address(place.clone()));
        }
        let mut functions = set.functions.clone();
        let is_class_member =
            set.object.is_some() || functions.iter().any(|id| self.function(*id).class.is_some());
        if set.is_open && !set.is_qualified && !is_class_member {
            let types: Vec<TypeId> = given
                .iter()
                .filter_map(|given| match given {
                    Given::Value(Value::Functions(_)) | Given::List(_) => None,
                    Given::Value(value) => Some(value.ty()),
                })
                .collect();
            for id in self.argument_dependent(set.name.symbol, &types) {
                if !functions.contains(&id) {
                    functions.push(id);
                }
            }
        }
        let text = self.owned(set.name.symbol);
        let resolved =
            self.resolve_overload(&functions, set.object.as_ref(), &given, set.explicit.as_deref());
        let builtin = (set.is_open && !is_class_member && set.explicit.is_none())
            .then(|| crate::builtins::lookup(&text).is_some() || text.starts_with("__builtin_"));
        match &resolved {
            Resolved::One(id) => {
                let id = *id;
                if builtin == Some(true)
                    && !self.is_close(id, &given)
                    && self.builtin_takes_given(set.name, &given)
                {
                    return self.call_builtin_set(set, given, span);
                }
                self.check_call_access(id, set.naming, set.name.span);
                self.call_function(id, set.object, given, span)
            }
            Resolved::None if builtin == Some(true) => {
                if functions.is_empty() || self.builtin_takes_given(set.name, &given) {
                    return self.call_builtin_set(set, given, span);
                }
                let what = format!("function for call to '{text}'");
                self.report_resolution(&what, &resolved, &functions, set.object.as_ref(), &given, span);
                self.error_value_of(span)
            }
            _ if functions.is_empty() => self.undeclared(set.name, span),
            _ => {
                let what = match resolved {
                    Resolved::Ambiguous(_) => format!("'{text}'"),
                    _ => format!("function for call to '{text}'"),
                };
                self.report_resolution(&what, &resolved, &functions, set.object.as_ref(), &given, span);
                self.error_value_of(span)
            }
        }
    }

    /// The built-in function of a family that template arguments choose, for the library's headers: what
    /// follows `__clvk_`, and then for each argument a type's name, a number over 1, or an ending by a number
    /// below 0. `__clvk_convert_<int4, -1, -2>` is `convert_int4_sat_rte`.
    fn member_of_family(
        &mut self,
        name: Name,
        arguments: &[crate::cxx::ast::TemplateArgument],
    ) -> Option<Name> {
        use crate::cxx::ast::TemplateArgumentKind::{Expr, Type};
        const ENDINGS: [&str; 5] = ["_sat", "_rte", "_rtz", "_rtp", "_rtn"];
        let mut text = self.text(name.symbol).strip_prefix("__clvk_").unwrap_or_default().to_owned();
        for argument in arguments {
            match &argument.kind {
                Type(ty) => {
                    let ty = self.type_name(ty);
                    let vector = self.types.as_vector(ty.ty());
                    let scalar = self.types.as_scalar(ty.ty());
                    text += &match (vector, scalar) {
                        (Some((kind, lanes)), _) => format!("{}{lanes}", kind.name()),
                        (None, Some(kind)) => kind.name().to_owned(),
                        (None, None) => {
                            let ty = self.text_of(ty);
                            self.error(argument.span, format!("a value cannot be converted to '{ty}'"));
                            return None;
                        }
                    };
                }
                Expr(expr) => match self.constant_of(expr, "a template argument")? {
                    number @ 2.. => text += &number.to_string(),
                    number @ -5..=-1 => text += ENDINGS[(-1 - number) as usize],
                    _ => {}
                },
            }
        }
        if crate::builtins::lookup(&text).is_none() {
            self.error(name.span, format!("there is no built-in function '{text}'"));
            return None;
        }
        Some(Name { symbol: self.checker.interner.intern(&text), ..name })
    }

    /// Values of arguments for a built-in function: classes are converted if they can become numbers.
    fn builtin_values(&mut self, given: Vec<Given>, span: Span) -> Option<Vec<Expr>> {
        let mut values = Vec::new();
        for given in given {
            let value = match given {
                Given::Value(value) => value,
                Given::List(list) => {
                    self.error(list.span, "a built-in function does not take a list");
                    return None;
                }
            };
            let value = match self.record_of(value.ty()) {
                Some(record) => self.plain_value(value, record, span),
                None => value,
            };
            let at = value.span();
            let expr = self.rvalue(value, at);
            if self.types.is_error(expr.ty) {
                return None;
            }
            // A scoped enumeration is not a number.
            if self.is_scoped_enum(expr.ty) {
                let text = self.type_text(expr.ty);
                self.error(expr.span, format!("a value of type '{text}' is not a number"));
                return None;
            }
            values.push(match *self.types.kind(expr.ty) {
                TypeKind::Nullptr => {
                    let hir = self.hir_type(expr.ty);
                    Expr { ty: hir, ..expr }
                }
                TypeKind::Enum(_) => {
                    let kind = self.types.as_scalar(expr.ty).expect("an enumeration");
                    let ty = self.types.scalar(kind);
                    self.checker.convert_arithmetic(expr, ty)
                }
                _ => expr,
            });
        }
        Some(values)
    }

    /// An object of a class as the only arithmetic type that it converts to.
    fn plain_value(&mut self, value: Value, record: crate::types::RecordId, span: Span) -> Value {
        let list: Vec<FnId> = self
            .conversions_of(record)
            .into_iter()
            .filter(|id| !self.function(*id).is_explicit && self.function(*id).template.is_none())
            .collect();
        match list.as_slice() {
            [only] => self.converted_by(*only, value, span),
            _ => value,
        }
    }

    fn builtin_takes_given(&mut self, name: Name, given: &[Given]) -> bool {
        let given = given.to_vec();
        self.attempt(|cxx| {
            let values = cxx.builtin_values(given, name.span)?;
            cxx.checker.builtin_takes(name, &values).then_some(())
        })
        .flatten()
        .is_some()
    }

    fn call_builtin_set(&mut self, set: Set, given: Vec<Given>, span: Span) -> Value {
        let text = self.owned(set.name.symbol);
        let Some(values) = self.builtin_values(given, span) else {
            self.note_error();
            return self.error_value_of(span);
        };
        if let Some(builtin) = crate::builtins::lookup(&text) {
            self.note_builtin(builtin);
            let expr = self.checker.call_found(set.name, builtin, values, span);
            return Value::Expr(expr);
        }
        match self.checker.compiler_builtin_values(set.name, values, span) {
            Some(value) => Value::Expr(value),
            None => {
                self.error(span, format!("the compiler built-in '{text}' is not supported in C++"));
                self.error_value_of(span)
            }
        }
    }

    /// A call of a chosen function.
    pub(super) fn call_function(
        &mut self,
        id: FnId,
        object: Option<Value>,
        given: Vec<Given>,
        span: Span,
    ) -> Value {
        let is_right_first = std::mem::take(&mut self.is_right_first);
        let hir = self.use_function(id, span);
        let function = self.function(id).clone();
        if self.is_error_type(function.result) {
            self.note_error();
            return self.error_value_of(span);
        }
        let is_wrapped =
            |cxx: &Self| function.params.iter().any(|param| cxx.types.wrapped(param.ty.ty()).is_some());
        if function.is_kernel && (self.options.is_opencl_cxx() || is_wrapped(self)) {
            let text = self.function_text(id);
            self.error(span, format!("kernel '{text}' cannot be called (OpenCL C++ §2.6.2)"));
            return self.error_value_of(span);
        }
        let mut arguments = Vec::new();
        let mut before = None;
        if function.has_this() {
            let Some(object) = object else {
                let text = self.function_text(id);
                self.error(
                    span,
                    format!("call to non-static member function '{text}' without an object argument"),
                );
                return self.error_value_of(span);
            };
            let at = object.span();
            let place = self.object(object, at);
            arguments.push(self.this_argument(place, id, span));
        } else if let Some(object) = object {
            // The object of a static method is evaluated, if it does something.
            if !matches!(
                object.place().map(|place| &place.kind),
                Some(PlaceKind::Local(_) | PlaceKind::Deref(_))
            ) {
                let at = object.span();
                before = Some(self.discarded(object, at));
            }
        }
        self.passed_arguments(id, given, span, &mut arguments);
        if arguments.iter().any(|argument| self.types.is_error(argument.ty)) {
            self.note_error();
            return self.error_value_of(span);
        }
        if let ([object, value], true) = (arguments.as_mut_slice(), is_right_first)
            && !(is_fixed(object) || is_fixed(value))
        {
            let (first, held) = self.evaluated_first(value.clone());
            *value = held;
            before = Some(first);
        }
        let result = self.call_result(hir, function.result.ty(), arguments, span);
        match before {
            Some(before) => self.sequence_value(before, result, span),
            None => result,
        }
    }

    /// The value of a call in the HIR.
    fn call_result(&mut self, hir: FunctionId, result: TypeId, arguments: Vec<Expr>, span: Span) -> Value {
        if self.is_passed_in_memory(result) {
            let kind = PrvalueKind::Call { function: hir, arguments };
            return Value::Class(Box::new(Prvalue::new(result, kind, span)));
        }
        let ty = self.hir_type(result);
        let call = Expr { kind: Hir::Call { function: hir, arguments }, ty, span };
        if let Some(reference) = self.reference(result) {
            let kind = PlaceKind::Deref(Box::new(call));
            let place = Place { kind, ty: reference.target, space: reference.space, span };
            return if reference.is_rvalue { Value::Moved(place) } else { Value::Place(place) };
        }
        if self.record_of(result).is_some() {
            return Value::Class(Box::new(Prvalue::new(result, PrvalueKind::Bits(call), span)));
        }
        Value::Expr(Expr { ty: result, ..call })
    }

    /// Arguments as a function takes them, with default arguments.
    pub(super) fn passed_arguments(&mut self, id: FnId, given: Vec<Given>, span: Span, out: &mut Vec<Expr>) {
        let function = self.function(id).clone();
        let mut given = given.into_iter();
        for (index, param) in function.params.iter().enumerate() {
            let argument = match given.next() {
                Some(given) => self.passed(given, param.ty, span),
                None => match self.default_argument(id, index, span) {
                    Some(value) => value,
                    None => self.checker.error_value(span),
                },
            };
            out.push(argument);
        }
    }

    /// One argument, initialising a parameter.
    pub(super) fn passed(&mut self, given: Given, ty: super::types::Type, span: Span) -> Expr {
        let at = match &given {
            Given::Value(value) => value.span(),
            Given::List(list) => list.span,
        };
        let at = if at == Span::NONE { span } else { at };
        self.with_argument(at, |cxx| cxx.passed_at(given, ty, at))
    }

    fn passed_at(&mut self, given: Given, ty: super::types::Type, at: Span) -> Expr {
        if let Some(reference) = self.reference(ty.ty()) {
            return self.bind_reference(given, reference, at, "parameter");
        }
        let init = self.initialize_parameter(ty, given, at);
        if matches!(init, Init::Error) {
            self.note_error();
            return self.checker.error_value(at);
        }
        if self.is_passed_in_memory(ty.ty()) {
            let place = self.temporary_of(ty.ty(), init, at);
            let pointer = self.types.pointer(ty.ty().into(), AddressSpace::Private);
            return self.address_as(Place { ty: ty.ty().into(), ..place }, pointer);
        }
        let expr = self.value_of_init(ty.ty(), init, at);
        let hir = self.hir_type(ty.ty());
        Expr { ty: if self.types.is_error(expr.ty) { expr.ty } else { hir }, ..expr }
    }

    fn initialize_parameter(&mut self, ty: super::types::Type, given: Given, span: Span) -> Init {
        match given {
            Given::Value(value) => self.copy_initialize_as(ty.plain(), value, span, "parameter of type"),
            Given::List(list) => self.list_initialize(ty.plain(), &list, true),
        }
    }

    /// A default argument, evaluated in the function's scope.
    pub(super) fn default_argument(&mut self, id: FnId, index: usize, span: Span) -> Option<Expr> {
        let function = self.function(id).clone();
        let param = function.params.get(index)?.clone();
        let default = param.default?;
        let initializer = default.initializer.get()?.clone();
        let outer = self.scope;
        self.scope = default.scope;
        let given = match initializer {
            crate::cxx::ast::Initializer::Copy(clause) => self.given_one(&clause),
            crate::cxx::ast::Initializer::List(list) => Given::List(list),
            crate::cxx::ast::Initializer::Paren(..) => return None,
        };
        let value = self.passed(given, param.ty, span);
        self.scope = outer;
        Some(value)
    }

    /// The address of the object of a method call, as its `this`.
    pub(super) fn this_argument(&mut self, place: Place, id: FnId, span: Span) -> Expr {
        let Some(ty) = self.this_type(id) else { return self.checker.error_value(span) };
        let mut address = self.address_as(place, ty);
        address.span = span;
        address
    }

    /// The value that a conversion function or converting constructor makes of another value.
    pub(super) fn converted_by(&mut self, id: FnId, value: Value, span: Span) -> Value {
        let function = self.function(id).clone();
        let naming = self.record_of(value.ty()).filter(|_| function.kind == Kind::Conversion);
        self.check_call_access(id, naming.map(Naming::of_object), span);
        match function.kind {
            Kind::Constructor => {
                let record = function.class.expect("a constructor has a class");
                self.construct_by(record, id, vec![Given::Value(value)], span)
            }
            _ => self.call_function(id, Some(value), Vec::new(), span),
        }
    }

    /// A class prvalue made by a constructor.
    pub(super) fn construct_by(
        &mut self,
        record: crate::types::RecordId,
        id: FnId,
        given: Vec<Given>,
        span: Span,
    ) -> Value {
        let ty = self.class(record).ty;
        self.use_function(id, span);
        let mut arguments = Vec::new();
        self.passed_arguments(id, given, span, &mut arguments);
        if arguments.iter().any(|argument| self.types.is_error(argument.ty)) {
            self.note_error();
            return self.error_value_of(span);
        }
        let kind = PrvalueKind::Construct { function: id, arguments, zeroes: false };
        Value::Class(Box::new(Prvalue::new(ty, kind, span)))
    }

    /// The type after `~` must be that of the object ([class.dtor]/13, [expr.pseudo]/2); it is looked for in
    /// the object's class, too.
    fn check_destroyed(&mut self, named: Name, object: TypeId) {
        let class = self.record_of(object);
        let in_class = class.and_then(|record| self.find_member(record, named.symbol));
        let around = self.find(named.symbol);
        let template = self.template_of_type(super::types::Type::of(object));
        let names_it = |found: &super::lookup::Found| match found.entity {
            Entity::Type(ty) => {
                ty.ty() == object || template.is_some() && self.template_of_type(ty) == template
            }
            Entity::Template(named) => template == Some(named),
            _ => found.hidden_type.is_some_and(|ty| ty.ty() == object),
        };
        if in_class.iter().chain(&around).any(names_it) {
            return;
        }
        if in_class.is_none() && around.is_none() && self.builtin_type_named(named.symbol).is_some() {
            return;
        }
        let text = self.type_text(object);
        let message = format!(
            "the name after '~' in the call of a destructor is not that of the object's type '{text}'"
        );
        self.error(named.span, message);
    }

    /// `x.~T()`.
    fn destructor_call(&mut self, callee: &Ast, arguments: &[InitClause], span: Span) -> Option<Value> {
        let ExprKind::Member { base, arrow, name } = &callee.kind else { return None };
        let Id::Destructor(named) = name.last().id else { return None };
        if !arguments.is_empty() {
            self.error(span, "a destructor takes no arguments");
        }
        let object = self.expression(base);
        let place = match arrow {
            true => {
                let pointer = self.rvalue(object, span);
                match self.checker.dereference(pointer, span) {
                    super::super::expression::Operand::Place(place) => place,
                    super::super::expression::Operand::Value(value) => return Some(Value::Expr(value)),
                }
            }
            false => self.object(object, span),
        };
        if let Some(named) = named.filter(|_| !name.is_qualified()) {
            self.check_destroyed(named, place.ty.ty);
        }
        let void = self.types.void();
        let Some(record) = self.record_of(place.ty.ty) else {
            // Of a number: nothing happens.
            let value = self.discarded(Value::Place(place), span);
            return Some(Value::Expr(value));
        };
        self.require_complete(record, span);
        let Some(destructor) = self.destructor_of(record, span) else {
            let value = self.discarded(Value::Place(place), span);
            return Some(Value::Expr(value));
        };
        let hir = self.use_function(destructor, span);
        let place = Place { ty: QualifiedType::from(place.ty.ty), ..place };
        let this = self.this_argument(place, destructor, span);
        let kind = Hir::Call { function: hir, arguments: vec![this] };
        Some(Value::Expr(Expr { kind, ty: void, span }))
    }
}

/// Whether the value of an expression is the same whenever it is evaluated.
fn is_fixed(expr: &Expr) -> bool {
    use crate::hir::ExprKind as Hir;
    match &expr.kind {
        Hir::Constant(_) => true,
        Hir::AddressOf(place) => super::operator::is_stable(place),
        _ => false,
    }
}
