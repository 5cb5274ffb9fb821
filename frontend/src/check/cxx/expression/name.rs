//! Names as expressions ([expr.prim.id]): variables, constants, enumerators.

use super::{Set, Value};
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::class::access::Naming;
use crate::check::cxx::lambda::Captured;
use crate::check::cxx::scope::{Entity, Storage};
use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, VarId};
use crate::cxx::ast::{Id, QualifiedName, TemplateArgument, Undeclared};
use crate::hir::{Constant, Expr, ExprKind as Hir, Place, PlaceKind};
use crate::symbol::Symbol;
use crate::types::{ScalarKind, TypeId};
use clvk_ir::AddressSpace;

pub(in crate::check::cxx) fn is_builtin(text: &str) -> bool {
    crate::builtins::lookup(text).is_some() || text.starts_with("__builtin_") || is_family(text)
}

/// Whether a name with template arguments is that of a built-in function (see `Cxx::member_of_family`).
fn is_family(text: &str) -> bool {
    crate::cxx::FAMILIES.contains(&text)
}

fn is_function_name(text: &str) -> bool {
    matches!(text, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
}

impl Cxx<'_> {
    /// A name.
    pub(super) fn name(&mut self, name: &QualifiedName, span: Span) -> Value {
        let part = name.last();
        let symbol = match &part.id {
            Id::Destructor(_) | Id::Decltype(_) => {
                self.error(span, "unexpected name of a destructor");
                return self.error_value_of(span);
            }
            id => match self.symbol_of(id) {
                Some(symbol) => symbol,
                None => return self.error_value_of(span),
            },
        };
        let at = Name { symbol, span: part.span };
        let is_qualified = name.is_qualified();
        let mut is_open = !is_qualified;
        let found = if is_qualified {
            match self.prefix(name) {
                // What the global namespace itself has comes before what its using directives name.
                Some(crate::check::cxx::lookup::Within::Scope(scope))
                    if self.is_own_builtin(scope, symbol) =>
                {
                    None
                }
                Some(crate::check::cxx::lookup::Within::Scope(scope)) => match self.find_in(scope, symbol) {
                    Some(found) => {
                        is_open = self.has_builtin(scope, symbol);
                        Some(found)
                    }
                    None if self.has_builtin(scope, symbol) => None,
                    None => {
                        self.unknown_in(Some(crate::check::cxx::lookup::Within::Scope(scope)), at, "a name");
                        return self.error_value_of(span);
                    }
                },
                Some(within) => {
                    self.unknown_in(Some(within), at, "a name");
                    return self.error_value_of(span);
                }
                None => {
                    self.note_error();
                    return self.error_value_of(span);
                }
            }
        } else {
            self.find(symbol)
        };
        let Some(found) = found else {
            return self.unknown_name(at, part.arguments.clone(), is_qualified, span);
        };
        self.check_unambiguous(&found, at);
        self.check_access(&found, symbol, None, part.span);
        match found.entity {
            Entity::Variable(id) => self.variable_value(id, span),
            Entity::Functions(functions) => {
                let object = match found.class {
                    Some(_) => self.implicit_object(&functions, found.naming, span),
                    None => None,
                };
                Value::Functions(Box::new(Set {
                    name: at,
                    functions,
                    object,
                    naming: found.naming.map(|class| Naming { class, object: None }),
                    explicit: part.arguments.clone(),
                    is_open: is_open && found.class.is_none(),
                    is_qualified,
                }))
            }
            Entity::Enumerator(value, ty) => Value::Expr(self.enumerator(value, ty, span)),
            Entity::Field(record, index) => self.implicit_field(record, index, found.naming, at, span),
            Entity::Constant(expr) => Value::Expr(Expr { span, ..expr }),
            Entity::Binding(place, number) => {
                if let Some(place) = self.captured(Captured::Binding(number), span) {
                    return Value::Place(place);
                }
                Value::Place(Place { span, ..place })
            }
            Entity::Sampler(word, ty) => Value::Expr(self.constant(u64::from(word), ty, span)),
            Entity::Template(template) => match &part.arguments {
                Some(arguments) => self.template_value(template, arguments, span),
                None => {
                    let text = self.owned(symbol);
                    self.error(span, format!("'{text}' is a template: its arguments are missing"));
                    self.error_value_of(span)
                }
            },
            Entity::Type(_) => {
                let text = self.owned(symbol);
                self.error(span, format!("unexpected type name '{text}': expected expression"));
                self.error_value_of(span)
            }
            Entity::Namespace(_) => {
                let text = self.owned(symbol);
                self.error(span, format!("unexpected namespace name '{text}': expected expression"));
                self.error_value_of(span)
            }
            Entity::Pack(_) | Entity::Variables(_) => {
                let text = self.owned(symbol);
                self.error(span, format!("expression contains unexpanded parameter pack '{text}'"));
                self.error_value_of(span)
            }
            Entity::Error => {
                self.note_error();
                self.error_value_of(span)
            }
        }
    }

    pub(in crate::check::cxx) fn enumerator(&mut self, value: i128, ty: TypeId, span: Span) -> Expr {
        let kind = self.types.as_scalar(ty).unwrap_or(ScalarKind::Int);
        self.constant(value as u64 & crate::check::constant::mask(kind), ty, span)
    }

    /// A name that the program does not declare: a built-in function, or nothing.
    fn unknown_name(
        &mut self,
        name: Name,
        explicit: Option<Vec<TemplateArgument>>,
        is_qualified: bool,
        span: Span,
    ) -> Value {
        let text = self.owned(name.symbol);
        if is_builtin(&text) {
            return Value::Functions(Box::new(Set {
                name,
                functions: Vec::new(),
                object: None,
                naming: None,
                explicit,
                is_open: true,
                is_qualified,
            }));
        }
        if is_function_name(&text)
            && let Some(function) = self.checker.current.as_ref().map(|current| current.name.clone())
        {
            let plain = function.rsplit("::").next().unwrap_or(&function).to_owned();
            return Value::from(self.checker.string_literal(plain.as_bytes(), span));
        }
        if let Some(constant) = self.checker.deferred_constant(&text, span) {
            return Value::Expr(constant);
        }
        self.undeclared(name, span)
    }

    /// Reports names in templates that neither the program nor the language declares.
    pub(in crate::check::cxx) fn report_undeclared(&mut self, found: &[Undeclared]) {
        self.undeclared.clear();
        for Undeclared { name, is_in_base } in found {
            let text = self.owned(name.symbol);
            if is_builtin(&text)
                || is_function_name(&text)
                || self.checker.deferred_constant(&text, name.span).is_some()
            {
                continue;
            }
            if *is_in_base {
                let message = format!("use of undeclared identifier '{text}'");
                let note = format!(
                    "a base class that depends on a template parameter is not searched: write 'this->{text}'"
                );
                self.report(crate::diagnostic::Diagnostic::error(name.span, message).note(note));
                continue;
            }
            self.undeclared(*name, name.span);
        }
    }

    /// Reports an undeclared name, with one that may be meant.
    pub(in crate::check::cxx) fn undeclared(&mut self, name: Name, span: Span) -> Value {
        if self.quiet > 0 || self.undeclared.contains(&name.span) || self.is_lost(name.symbol) {
            self.note_error();
            return self.error_value_of(span);
        }
        let text = self.owned(name.symbol);
        let mut names: Vec<Symbol> = Vec::new();
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            names.extend(self.scope_ref(scope).names.keys());
            at = self.scope_ref(scope).parent;
        }
        names.sort();
        let best =
            crate::suggest::nearest(&text, names.iter().map(|symbol| self.text(*symbol))).map(str::to_owned);
        let message = format!("use of undeclared identifier '{text}'");
        let mut diagnostic = crate::diagnostic::Diagnostic::error(name.span, message);
        if let Some(best) = best {
            diagnostic = diagnostic.suggest(&best);
        }
        self.report(diagnostic);
        self.error_value_of(span)
    }

    /// A variable; of a reference, the object that it refers to.
    pub(in crate::check::cxx) fn variable_value(&mut self, id: VarId, span: Span) -> Value {
        let variable = self.variable(id).clone();
        if self.is_error_type(variable.ty) {
            self.note_error();
            return self.error_value_of(span);
        }
        let reference = self.reference(variable.ty.ty());
        if let Some(target) = variable.target {
            return Value::Place(Place { span, ..target });
        }
        let by_address;
        let kind = match variable.storage {
            Storage::Local(local, function) => {
                let own = self.frames.last().is_some_and(|frame| frame.function == function);
                if !own {
                    if let Some(place) = self.captured(Captured::Variable(id), span) {
                        return Value::Place(place);
                    }
                    if let Some(data) = &variable.constant {
                        return self.constant_variable(&variable, data, span);
                    }
                    if self.quiet > 0 || self.frames.is_empty() {
                        // Not evaluated: only the type matters.
                        return self.unevaluated_object(variable.ty, variable.space, span);
                    }
                    let text = self.owned(variable.name);
                    let inside = self.frames.last().is_some_and(|frame| frame.closure.is_some());
                    let message = match inside {
                        true => format!(
                            "variable '{text}' cannot be implicitly captured in a lambda with no capture-default specified"
                        ),
                        false => {
                            format!("reference to local variable '{text}' declared in enclosing function")
                        }
                    };
                    self.error(span, message);
                    return self.error_value_of(span);
                }
                by_address = self.frames.last().is_some_and(|frame| frame.indirect.contains(&local));
                PlaceKind::Local(local)
            }
            Storage::Global(global) => {
                self.checker.used_globals.insert(global);
                by_address = false;
                PlaceKind::Global(global)
            }
            Storage::None => return self.unevaluated_object(variable.ty, variable.space, span),
        };
        if let Some(reference) = reference {
            let pointer = self.hir_type(variable.ty.ty());
            let holder = Place { kind, ty: pointer.into(), space: variable.space, span };
            let address = Expr { kind: Hir::Load(holder), ty: pointer, span };
            let kind = PlaceKind::Deref(Box::new(address));
            return Value::Place(Place { kind, ty: reference.target, space: reference.space, span });
        }
        if by_address {
            let pointer = self.types.pointer(variable.ty.ty().into(), AddressSpace::Private);
            let holder = Place { kind, ty: pointer.into(), space: AddressSpace::Private, span };
            let address = Expr { kind: Hir::Load(holder), ty: pointer, span };
            let kind = PlaceKind::Deref(Box::new(address));
            return Value::Place(Place { kind, ty: variable.ty.q, space: AddressSpace::Private, span });
        }
        Value::Place(Place { kind, ty: variable.ty.q, space: variable.space, span })
    }

    /// An object that represents one that does not exist, where nothing is evaluated.
    fn unevaluated_object(&mut self, ty: Type, space: AddressSpace, span: Span) -> Value {
        let (q, space) = match self.reference(ty.ty()) {
            Some(reference) => (reference.target, reference.space),
            None => (ty.q, space),
        };
        let pointer = self.types.pointer(q, space);
        let address = self.constant(0, pointer, span);
        Value::Place(Place { kind: PlaceKind::Deref(Box::new(address)), ty: q, space, span })
    }

    /// A constant that another function declares: its value.
    fn constant_variable(
        &mut self,
        variable: &crate::check::cxx::scope::Variable,
        data: &crate::hir::ConstantData,
        span: Span,
    ) -> Value {
        let ty = variable.ty.ty();
        if let Some((kind, lanes)) = self.types.as_arithmetic(ty) {
            let size = kind.size() as usize;
            let read = |lane: usize| {
                let mut word = [0; 8];
                word[..size].copy_from_slice(&data.bytes[lane * size..(lane + 1) * size]);
                u64::from_le_bytes(word)
            };
            let constant = match lanes {
                1 => Constant::Bits(read(0)),
                _ => Constant::Lanes((0..lanes as usize).map(read).collect()),
            };
            return Value::Expr(Expr { kind: Hir::Constant(constant), ty, span });
        }
        let name = format!("{}.constant", self.owned(variable.name));
        let place = self.constant_object(name, variable.ty, data.clone(), span);
        Value::Place(place)
    }
}
