//! Rules for declarations of templates: redeclarations ([temp.param], [temp.class]), specialisations
//! ([temp.expl.spec], [temp.class.spec]) and definitions outside of the class ([temp.mem.func]).

use crate::Span;
use crate::check::cxx::scope::ScopeId;
use crate::check::cxx::{Cxx, TemplateId, walk};
use crate::cxx::ast::{
    ClassSpecifier, DeclKind, Expr, ExprKind, FunctionDecl, Id, QualifiedName, TemplateArgument,
    TemplateArgumentKind, TemplateParam, TemplateParamKind, TypeSpecifier,
};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;
use std::mem::discriminant;

/// The name that an argument consists of.
pub(super) fn plain_name(argument: &TemplateArgument) -> Option<Symbol> {
    let plain = |name: &QualifiedName| name.plain().map(|name| name.symbol);
    match &argument.kind {
        TemplateArgumentKind::Type(ty) if ty.declarator.derived.is_empty() => match &ty.specifiers.ty {
            TypeSpecifier::Named(name) => {
                let q = &ty.specifiers.qualifiers;
                (!q.is_const && !q.is_volatile && q.spaces.is_empty()).then(|| plain(name)).flatten()
            }
            _ => None,
        },
        TemplateArgumentKind::Expr(Expr { kind: ExprKind::Name(name), .. }) => plain(name),
        _ => None,
    }
}

impl Cxx<'_> {
    /// Whether a later declaration of a class template has the parameters of an earlier one, and does not
    /// give a default argument again.
    pub(super) fn check_redeclared_params(
        &mut self,
        before: &[TemplateParam],
        after: &[TemplateParam],
        span: Span,
    ) -> bool {
        if before.len() != after.len() {
            let word = if after.len() < before.len() { "few" } else { "many" };
            self.error(span, format!("too {word} template parameters in template redeclaration"));
            return false;
        }
        for (old, new) in before.iter().zip(after) {
            let message = if discriminant(&old.kind) != discriminant(&new.kind) {
                "template parameter has a different kind in template redeclaration"
            } else if old.is_pack != new.is_pack {
                "template parameter pack conflicts with a template parameter of the previous declaration"
            } else if old.default.is_some() && new.default.is_some() {
                "template parameter redefines default argument"
            } else {
                continue;
            };
            let diagnostic = Diagnostic::error(new.span, message);
            self.report(diagnostic.related(old.span, "previous template declaration is here"));
            return false;
        }
        true
    }

    /// Only the first declaration of a function template has default arguments ([dcl.fct.default]/4).
    pub(super) fn refuse_added_defaults(&mut self, function: &FunctionDecl) {
        if let Some(param) = function.suffix().params.iter().find(|param| param.default.is_some()) {
            let message =
                "default arguments cannot be added to a function template that has already been declared";
            self.error(param.span, message);
        }
    }

    /// A specialisation is declared in a scope around its template ([temp.expl.spec]/2).
    pub(super) fn check_specialization_scope(&mut self, home: ScopeId, span: Span) -> bool {
        let mut at = Some(home);
        while let Some(scope) = at {
            if scope == self.scope {
                return true;
            }
            at = self.scope_ref(scope).parent;
        }
        let place = self.scope_text(home);
        let place = place.strip_suffix("::").unwrap_or("the global namespace").to_owned();
        self.error(span, format!("specialization not in a namespace enclosing '{place}'"));
        false
    }

    /// The rules for the parameters and the pattern of a partial specialisation ([temp.class.spec]/9).
    pub(super) fn check_partial(
        &mut self,
        template: TemplateId,
        params: &[TemplateParam],
        pattern: &[TemplateArgument],
        span: Span,
    ) {
        if let Some(param) = params.iter().find(|param| param.default.is_some()) {
            let message = "default template argument in a partial specialization";
            self.error(param.span, message);
        }
        let mut names = walk::Found::default();
        pattern.iter().for_each(|argument| walk::argument(argument, &mut names));
        for param in params {
            if let TemplateParamKind::Value { specifiers, declarator, .. } = &param.kind {
                walk::declared(specifiers, declarator, &mut names);
            }
        }
        let unused = params
            .iter()
            .find(|param| !param.is_pack && param.name.is_none_or(|name| !names.list.contains(&name.symbol)));
        if let Some(param) = unused {
            self.error(
                param.span,
                "partial specialization contains a template parameter that cannot be deduced",
            );
        }
        let primary = self.template(template).params.clone();
        let is_open = primary.iter().any(|param| param.is_pack);
        if !is_open && pattern.iter().filter(|argument| argument.expansion.is_none()).count() > primary.len()
        {
            let text = self.owned(self.template(template).name.symbol);
            self.error(span, format!("too many template arguments for template '{text}'"));
        }
        let same_params = primary.len() == params.len()
            && primary
                .iter()
                .zip(params)
                .all(|(a, b)| a.is_pack == b.is_pack && discriminant(&a.kind) == discriminant(&b.kind));
        let same_arguments = params.len() == pattern.len()
            && params.iter().zip(pattern).all(|(param, argument)| {
                param.is_pack == argument.expansion.is_some()
                    && param.name.is_some_and(|name| plain_name(argument) == Some(name.symbol))
            });
        if same_params && same_arguments {
            self.error(span, "partial specialization does not specialize any template argument");
        }
    }

    /// Whether a template can be the argument of a template template parameter: each of its parameters takes
    /// what the parameter of the other one takes ([temp.arg.template]/3, as relaxed by P0522).
    pub(super) fn fits_template_param(&self, wanted: &[TemplateParam], template: TemplateId) -> bool {
        let mut own = self.template(template).params.iter().peekable();
        for param in wanted {
            let Some(next) = own.peek() else { return param.is_pack };
            if discriminant(&next.kind) != discriminant(&param.kind) {
                return param.is_pack && (next.is_pack || next.default.is_some());
            }
            if param.is_pack {
                return true;
            }
            if !next.is_pack {
                own.next();
            }
        }
        own.all(|param| param.is_pack || param.default.is_some())
    }

    /// Refuses virtual functions and base classes in the definition of a class template.
    pub(super) fn refuse_virtual_members(&mut self, class: &ClassSpecifier) {
        let Some(body) = &class.body else { return };
        for span in body.bases.iter().filter_map(|base| base.is_virtual) {
            self.error(span, "virtual base classes are not supported in C++ for OpenCL (§2.1)");
        }
        for (_, member) in &body.members {
            match &member.kind {
                DeclKind::Function(function) => self.refuse_virtual(function),
                DeclKind::Simple { specifiers, .. } => {
                    if let TypeSpecifier::Class(class) = &specifiers.ty {
                        self.refuse_virtual_members(class);
                    }
                }
                _ => {}
            }
        }
    }

    /// `template <class A> int f<A, int>(A)`: functions have no partial specialisations.
    pub(super) fn is_partial_function(&mut self, name: &QualifiedName) -> bool {
        let part = name.last();
        if part.arguments.is_none() || matches!(part.id, Id::Destructor(_)) {
            return false;
        }
        self.error(name.span, "function template partial specialization is not allowed");
        true
    }
}
