//! Variables of static storage duration, and their contents if they are known when the program is compiled
//! ([basic.start.static]). Those that are not are for `dynamic`.

use super::cleanup::Cleanup;
use super::evaluate::Stop;
use super::initialize::Init;
use super::lambda::{Frame, Home};
use super::scope::{Entity, ScopeKind, Storage, Variable};
use super::types::Type;
use super::{Cxx, FnId, VarId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{Initializer, Specifiers};
use crate::diagnostic::Diagnostic;
use crate::hir::{
    ConstantData, Expr, FunctionId, Global, GlobalId, Linkage, Place, PlaceKind, Statement, StatementKind,
};
use crate::types::{OpaqueType, QualifiedType, RecordId, TypeKind, TypeQualifiers};
use clvk_ir::AddressSpace;

/// A variable of static storage duration that is being defined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    pub id: VarId,
    pub global: GlobalId,
    pub ty: Type,
    pub is_constexpr: bool,
    pub span: Span,
}

/// What initialises a variable of static storage duration.
struct Contents {
    statements: Vec<Statement>,
    /// Where a temporary object is made to which it refers, and which does not live as long.
    escaping: Option<Span>,
    /// The temporary object that it keeps, to be destroyed like it.
    extended: Option<Cleanup>,
}

/// The function in which initialisers of program-scope variables are evaluated.
pub(super) const START: FnId = FnId(u32::MAX);

impl Cxx<'_> {
    /// Evaluates something where there is a function: the current one, or one that means the program's start.
    pub(super) fn in_initializer<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        if !self.frames.is_empty() {
            return self.apart(work);
        }
        let state = super::super::function::FunctionState::new(
            FunctionId(u32::MAX),
            String::new(),
            super::super::function::Returns::Declared(self.types.void()),
            self.checker.contract,
        );
        let outer = self.checker.current.replace(state);
        self.frames.push(Frame::new(START, Home::default()));
        let result = self.apart(work);
        self.frames.pop();
        self.checker.current = outer;
        result
    }

    /// The address space of a variable with static storage duration (C++ for OpenCL §2.2.2).
    fn static_space(&mut self, ty: Type, span: Span) -> AddressSpace {
        match ty.space {
            None => AddressSpace::Global,
            Some(space @ (AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local)) => space,
            Some(space) => {
                let text = super::super::spelling::space_text(space);
                self.error(
                    span,
                    format!(
                        "program scope variable must reside in global or constant address space, not '{text}'"
                    ),
                );
                AddressSpace::Global
            }
        }
    }

    /// A variable at namespace scope, a static member, or a static variable of a function.
    pub(super) fn static_variable(
        &mut self,
        name: Name,
        ty: Type,
        specifiers: &Specifiers,
        initializer: Option<&Initializer>,
        record: Option<RecordId>,
        out: Option<&mut Vec<Statement>>,
    ) -> Option<VarId> {
        let span = name.span;
        if self.is_error_type(ty) {
            self.declare(name, Entity::Error);
            return None;
        }
        if matches!(self.types.kind(ty.ty()), TypeKind::Sampler) {
            return self.sampler_variable(name, initializer);
        }
        let space = self.static_space(ty, span);
        if space == AddressSpace::Local && self.frames.is_empty() && !self.options.is_opencl_cxx() {
            self.error(span, "program scope variable must reside in global or constant address space");
            self.declare(name, Entity::Error);
            return None;
        }
        let is_event = self.frames.is_empty()
            && matches!(
                self.types.kind(ty.ty()),
                TypeKind::Event | TypeKind::Opaque(OpaqueType::ClkEvent | OpaqueType::ReserveId)
            );
        let is_event = is_event || self.frames.is_empty() && self.is_enqueue_object(ty.ty());
        if is_event || self.types.is_parameter_only(ty.ty()) {
            let text = self.text_of(ty);
            self.error(span, format!("the type '{text}' cannot be used to declare a program scope variable"));
            self.declare(name, Entity::Error);
            return None;
        }
        let is_extern = specifiers.is_extern.is_some() && initializer.is_none();
        let is_constexpr = specifiers.is_constexpr.is_some();
        // A later declaration of the same variable.
        let known = self.scope_ref(self.scope).names.get(&name.symbol).map(|slot| slot.entity.clone());
        if let Some(Entity::Variable(id)) = known
            && let Storage::Global(global) = self.variable(id).storage
            && (is_extern || self.undefined_globals.contains(&id))
        {
            if self.variable(id).ty.ty() != ty.ty() {
                let text = self.owned(name.symbol);
                self.error(span, format!("redeclaration of '{text}' with a different type"));
                return None;
            }
            if !is_extern {
                self.undefined_globals.remove(&id);
                self.checker.globals[global.0 as usize].linkage = Linkage::External;
                let object = Object { id, global, ty, is_constexpr, span };
                self.define_global(&object, initializer, out);
            }
            return Some(id);
        }
        let ty = self.with_length(ty, initializer, span)?;
        let global = self.add_global(name, ty, space, specifiers, record)?;
        let id = self.add_variable(Variable {
            name: name.symbol,
            ty,
            space,
            storage: Storage::Global(global),
            constant: None,
            target: None,
            is_constexpr,
            span,
        });
        self.declare(name, Entity::Variable(id));
        if is_extern {
            self.undefined_globals.insert(id);
            self.checker.globals[global.0 as usize].linkage = Linkage::Declared;
            return Some(id);
        }
        if space == AddressSpace::Local {
            self.check_local(ty, initializer.is_some(), span);
            return Some(id);
        }
        self.define_global(&Object { id, global, ty, is_constexpr, span }, initializer, out);
        Some(id)
    }

    /// An array with the length that its initialiser gives.
    pub(super) fn with_length(
        &mut self,
        ty: Type,
        initializer: Option<&Initializer>,
        span: Span,
    ) -> Option<Type> {
        if !matches!(self.types.kind(ty.ty()), TypeKind::Array { length: None, .. }) {
            return Some(ty);
        }
        let list = match initializer {
            Some(Initializer::List(list)) => Some(list),
            Some(Initializer::Copy(clause)) => match &clause.kind {
                crate::cxx::ast::InitClauseKind::List(list) => Some(list),
                crate::cxx::ast::InitClauseKind::Expr(expr) => {
                    if super::initialize::is_string(expr) {
                        let value = self.expression(expr);
                        return self.sized_by_string(ty, &value);
                    }
                    None
                }
            },
            _ => None,
        };
        match list {
            Some(list) => {
                let (ty, _) = self.in_initializer(|cxx| {
                    let before = cxx.begin_full();
                    let result = cxx.list_of_array(ty, list);
                    cxx.restore_full(before);
                    result
                });
                Some(ty)
            }
            None => {
                let text = self.text_of(ty);
                self.error(span, format!("definition of variable with array type '{text}' needs an explicit size or an initializer"));
                None
            }
        }
    }

    fn add_global(
        &mut self,
        name: Name,
        ty: Type,
        space: AddressSpace,
        specifiers: &Specifiers,
        record: Option<RecordId>,
    ) -> Option<GlobalId> {
        let span = name.span;
        if !self.complete(ty.ty(), span, "variable") {
            self.declare(name, Entity::Error);
            return None;
        }
        let hir = self.hir_type(ty.ty());
        let Some((size, natural)) = self.types.layout(hir) else {
            let text = self.text_of(ty);
            self.error(span, format!("variable has incomplete type '{text}'"));
            self.declare(name, Entity::Error);
            return None;
        };
        if size > super::super::INITIALIZED_SIZE {
            self.error(span, "the variable is too large");
            return None;
        }
        let (least, _) = self.layout_attributes(&specifiers.attributes);
        let in_function = matches!(self.scope_ref(self.scope).kind, ScopeKind::Block);
        let is_internal = specifiers.is_static.is_some()
            || specifiers.is_constexpr.is_some()
            || ty.q.qualifiers.is_const
            || in_function
            || record.is_some()
            || self.is_in_template();
        let place = match (record, in_function) {
            (Some(_), _) => self.scope_text(self.scope),
            (None, true) => {
                let function = self.checker.current.as_ref().map(|current| current.name.clone());
                function.map_or(String::new(), |name| format!("{name}."))
            }
            (None, false) => self.scope_text(self.scope),
        };
        let text = format!("{place}{}", self.owned(name.symbol));
        let text = self.checker.unique_name(text);
        let id = GlobalId(self.checker.globals.len() as u32);
        let q = QualifiedType { ty: hir, qualifiers: ty.q.qualifiers };
        self.checker.globals.push(Global {
            name: text,
            ty: q,
            space,
            align: natural.max(least),
            initializer: None,
            linkage: if is_internal { Linkage::Internal } else { Linkage::External },
            span,
        });
        Some(id)
    }

    fn is_in_template(&self) -> bool {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            let it = self.scope_ref(scope);
            if it.kind == ScopeKind::Template {
                return true;
            }
            at = it.parent;
        }
        false
    }

    /// Contents of a variable that was declared before.
    pub(super) fn define_later(&mut self, object: &Object, initializer: Option<&Initializer>) {
        let linkage = &mut self.checker.globals[object.global.0 as usize].linkage;
        if *linkage == Linkage::Declared {
            *linkage = Linkage::Internal;
        }
        self.define_global(object, initializer, None);
    }

    /// Contents of a variable, and its destruction. What a static variable of a function needs is put out.
    fn define_global(
        &mut self,
        object: &Object,
        initializer: Option<&Initializer>,
        out: Option<&mut Vec<Statement>>,
    ) {
        let Object { id, global, ty, is_constexpr, span } = *object;
        let space = self.variable(id).space;
        let element = self.element_of(ty.ty());
        let is_empty = initializer.is_none() && self.is_trivially_default(element);
        if is_empty && space == AddressSpace::Constant {
            self.error(span, "variable in constant address space must be initialized");
            return;
        }
        if initializer.is_none()
            && (ty.q.qualifiers.is_const || is_constexpr)
            && self.record_of(element).is_none()
        {
            let text = self.text_of(ty);
            self.error(span, format!("default initialization of an object of const type '{text}'"));
            return;
        }
        if self.reference(ty.ty()).is_some() && initializer.is_none() {
            let text = self.owned(self.variable(id).name);
            self.error(span, format!("declaration of reference variable '{text}' requires an initializer"));
            return;
        }
        let hir = self.hir_type(ty.ty());
        let place = Place { kind: PlaceKind::Global(global), ty: hir.into(), space, span };
        let cleanup = match self.reference(ty.ty()) {
            Some(_) => None,
            None => self.cleanup_of(&Place { ty: ty.ty().into(), ..place.clone() }, span),
        };
        if cleanup.is_some() && (is_constexpr || space == AddressSpace::Constant) {
            let message = match is_constexpr {
                true => format!("constexpr variable cannot have non-literal type '{}'", self.text_of(ty)),
                false => {
                    "an object with a destructor that does something cannot be in constant memory".to_owned()
                }
            };
            self.error(span, message);
            return;
        }
        // What a function's static variable needs is the function's; all else is of no function.
        let outer = match out {
            Some(_) => None,
            None => Some((std::mem::take(&mut self.frames), self.checker.current.take())),
        };
        self.in_initializer(|cxx| match cxx.contents(object, &place, initializer, false) {
            Some(contents) => cxx.defined_contents(object, &place, initializer, contents, cleanup, out),
            None => cxx.note_error(),
        });
        if let Some(outer) = outer {
            (self.frames, self.checker.current) = outer;
        }
    }

    /// Notes the contents if they are known, and has code begin and end the object otherwise.
    fn defined_contents(
        &mut self,
        object: &Object,
        place: &Place,
        initializer: Option<&Initializer>,
        mut contents: Contents,
        mut cleanup: Option<Cleanup>,
        out: Option<&mut Vec<Statement>>,
    ) {
        let Object { global, is_constexpr, span, .. } = *object;
        let constant = match contents.statements.is_empty() {
            true => Ok(None),
            false => self.run_initializer(global, &contents.statements, is_constexpr).map(Some),
        };
        // OpenCL C++ 1.0 wants constants for the variables of functions (§3.4, restriction 6).
        let may_run = out.is_none() || !self.options.is_opencl_cxx();
        let is_dynamic = constant.is_err() && !is_constexpr && place.space == AddressSpace::Global && may_run;
        // What the object refers to lives as long.
        if is_dynamic
            && contents.escaping.is_some()
            && let Some(again) = self.contents(object, place, initializer, true)
        {
            contents = again;
            cleanup = cleanup.or(contents.extended.take());
        }
        let Ok(begin) = self.known_contents(object, constant, contents, may_run) else { return };
        match out {
            None => {
                let begin = begin.map(|begin| (begin, self.initializer_locals()));
                self.begin_object(global, begin, cleanup.as_ref(), span);
            }
            Some(out) if begin.is_some() || cleanup.is_some() => {
                let first = begin.unwrap_or_default();
                let statement = self.begin_static(global, first, cleanup.as_ref(), span);
                out.push(statement);
            }
            Some(_) => {}
        }
    }

    /// The statements that initialise a variable. With `keeps`, temporary objects that they make are in
    /// memory of the program.
    fn contents(
        &mut self,
        object: &Object,
        place: &Place,
        initializer: Option<&Initializer>,
        keeps: bool,
    ) -> Option<Contents> {
        let Object { ty, span, .. } = *object;
        let before = self.begin_full();
        let outer_space = std::mem::replace(&mut self.target_space, place.space);
        let outer = std::mem::replace(&mut self.keeps_temporaries, keeps);
        let init = match initializer {
            Some(initializer) => self.initialize(ty, initializer, span),
            None => match self.default_initialize(ty, span) {
                Init::None if place.space == AddressSpace::Constant => {
                    self.error(span, "variable in constant address space must be initialized");
                    Init::Error
                }
                Init::None => Init::Zero,
                init => init,
            },
        };
        self.target_space = outer_space;
        let is_right = !matches!(init, Init::Error);
        let mut escaping = self.bound_temporary(ty, &init);
        let mut stores = Vec::new();
        if is_right && (place.space == AddressSpace::Constant || !matches!(init, Init::Zero)) {
            self.emit_for_constant(place, ty, init, &mut stores);
        }
        self.keeps_temporaries = outer;
        let extended = if keeps { self.extend_temporary(ty) } else { None };
        // Which of the objects that are destroyed are those to which parts refer is not known.
        if keeps && self.reference(ty.ty()).is_none() && !self.frame().temporaries.is_empty() {
            escaping = escaping.or(Some(span));
        }
        let (first, last) = self.end_full(before, span);
        let stores = stores
            .into_iter()
            .map(|expr: Expr| Statement { span: expr.span, kind: StatementKind::Expr(expr) });
        let statements = first.into_iter().chain(stores).chain(last).collect();
        is_right.then_some(Contents { statements, escaping, extended })
    }

    /// The last temporary object of an initialiser, if a variable is a reference to it: it lives as long.
    fn extend_temporary(&mut self, ty: Type) -> Option<Cleanup> {
        self.reference(ty.ty())?;
        let temporaries = &mut self.frame().temporaries;
        temporaries.pop_if(|temporary| temporary.flag.is_none()).map(|temporary| temporary.cleanup)
    }

    /// Notes the contents of a variable. Gives the statements back if only they can tell.
    fn known_contents(
        &mut self,
        object: &Object,
        constant: Result<Option<ConstantData>, Box<Stop>>,
        contents: Contents,
        may_run: bool,
    ) -> Result<Option<Vec<Statement>>, ()> {
        let Contents { statements, escaping, .. } = contents;
        let Object { id, global, ty, is_constexpr, .. } = *object;
        let space = self.variable(id).space;
        let reason = match constant {
            Ok(data) => {
                let is_zero = |data: &ConstantData| {
                    data.pointers.is_empty() && data.bytes.iter().all(|byte| *byte == 0)
                };
                let data = data.filter(|data| space == AddressSpace::Constant || !is_zero(data));
                if data.is_some() {
                    self.checker.globals[global.0 as usize].initializer = data;
                }
                self.note_constant(id, global, ty, is_constexpr);
                return Ok(None);
            }
            Err(reason) => reason,
        };
        let is_dynamic = !is_constexpr && space == AddressSpace::Global && may_run;
        if is_dynamic && escaping.is_none() {
            return Ok(Some(statements));
        }
        let text = self.owned(self.variable(id).name);
        let message = match is_constexpr {
            true => format!("constexpr variable '{text}' must be initialized by a constant expression"),
            false => {
                format!("the initializer of program scope variable '{text}' is not a constant expression")
            }
        };
        let mut diagnostic = Diagnostic::error(object.span, message);
        if reason.span == Span::NONE {
            diagnostic = diagnostic.note(reason.reason);
        } else {
            diagnostic = diagnostic.related(reason.span, reason.reason);
        }
        if let (true, Some(span)) = (is_dynamic, escaping) {
            let what = "it refers to a temporary object with a destructor, which does not live as long as the program";
            diagnostic = diagnostic.related(span, what);
        }
        self.report(diagnostic);
        Err(())
    }

    /// Objects of the constant address space are made as if in another one.
    fn emit_for_constant(&mut self, place: &Place, ty: Type, init: Init, stores: &mut Vec<Expr>) {
        let place = match place.space {
            AddressSpace::Constant => Place { space: AddressSpace::Global, ..place.clone() },
            _ => place.clone(),
        };
        self.emit(&place, ty, init, stores);
    }

    /// Remembers a value that constant expressions may use ([expr.const]/2.7).
    fn note_constant(&mut self, id: VarId, global: GlobalId, ty: Type, is_constexpr: bool) {
        if self.checker.globals[global.0 as usize].initializer.is_none() {
            self.zero_globals.insert(global);
        }
        if is_constexpr {
            self.constexpr_globals.insert(global);
            // The variable is constant.
            self.checker.globals[global.0 as usize].ty.qualifiers.is_const = true;
        }
        let is_integer = self.types.as_scalar(ty.ty()).is_some_and(|kind| kind.is_integer());
        let is_usable =
            (is_constexpr || is_integer && ty.q.qualifiers.is_const) && !ty.q.qualifiers.is_volatile;
        let (size, _) = self.types.layout(self.checker.globals[global.0 as usize].ty.ty).unwrap_or((0, 1));
        let data = self.checker.globals[global.0 as usize].initializer.clone();
        if let Some(reference) = self.reference(ty.ty()) {
            // A reference to an object of the program is that object.
            if let Some(ConstantData { pointers, .. }) = &data
                && let [(0, target, addend)] = pointers.as_slice()
            {
                let object = &self.checker.globals[target.0 as usize];
                let (q, space) = (object.ty, object.space);
                let whole = Place { kind: PlaceKind::Global(*target), ty: q, space, span: Span::NONE };
                if *addend >= 0 {
                    let kind = match (*addend, q.ty == reference.target.ty) {
                        (0, true) => PlaceKind::Global(*target),
                        _ => PlaceKind::Member(Box::new(whole), *addend as u64),
                    };
                    let place = Place { kind, ty: reference.target, space, span: Span::NONE };
                    self.variables[id.0 as usize].target = Some(place);
                }
            }
            return;
        }
        if is_usable && size <= 64 {
            let zero =
                || ConstantData { bytes: vec![0; size as usize], pointers: Vec::new(), members: Vec::new() };
            self.variables[id.0 as usize].constant = Some(data.unwrap_or_else(zero));
        }
    }

    /// An object for a constant that another function made.
    pub(super) fn constant_object(
        &mut self,
        name: String,
        ty: Type,
        data: ConstantData,
        span: Span,
    ) -> Place {
        let name = self.checker.unique_name(name);
        let hir = self.hir_type(ty.ty());
        let align = self.types.layout(hir).map_or(1, |(_, align)| align);
        let id = GlobalId(self.checker.globals.len() as u32);
        let q = QualifiedType { ty: hir, qualifiers: TypeQualifiers::CONST };
        self.checker.globals.push(Global {
            name,
            ty: q,
            space: AddressSpace::Global,
            align,
            initializer: Some(data),
            linkage: Linkage::Internal,
            span,
        });
        self.constexpr_globals.insert(id);
        let q = QualifiedType { ty: ty.ty(), qualifiers: TypeQualifiers::CONST };
        Place { kind: PlaceKind::Global(id), ty: q, space: AddressSpace::Global, span }
    }

    /// A temporary object outside functions: there is always a function in which it can be.
    pub(super) fn static_temporary(&mut self, ty: crate::types::TypeId, init: Init, span: Span) -> Place {
        self.in_initializer(|cxx| cxx.temporary_of(ty, init, span))
    }

    /// Reports variables that are used and that nothing defines.
    pub(super) fn report_undefined_globals(&mut self) {
        let undefined: Vec<VarId> = self.undefined_globals.iter().copied().collect();
        for id in undefined {
            let variable = self.variable(id).clone();
            let Storage::Global(global) = variable.storage else { continue };
            let is_used = self.checker.used_globals.contains(&global);
            if is_used && !self.checker.options.for_linking {
                let text = self.owned(variable.name);
                self.error(variable.span, format!("'{text}' is declared but not defined in this program"));
            }
        }
    }
}
