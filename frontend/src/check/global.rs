//! Variables of static storage duration: definitions, tentative definitions, and `extern` declarations (C99
//! §6.2.2, §6.9.2, OpenCL C §6.7.1).
//!
//! All declarations of a name with external linkage refer to one [`Global`], whichever scope they are in. Its
//! type may be incomplete until the end of the program; then [`Checker::finish_globals`] completes it.

use super::Checker;
use super::declaration::Target;
use super::scope::{Entity, Storage, Variable};
use crate::Span;
use crate::ast::Name;
use crate::diagnostic::Diagnostic;
use crate::hir::{Global, GlobalId, Linkage};
use crate::types::{QualifiedType, ScalarKind, TypeKind};
use clvk_ir::AddressSpace;

impl Checker<'_> {
    pub(super) fn static_variable(&mut self, target: &Target, space: AddressSpace) {
        let name = target.name;
        if let Some(id) = self.earlier_declaration(target, space) {
            self.complete_array(id, target.declared.ty);
            if !self.at_file_scope() {
                let ty = self.globals[id.0 as usize].ty;
                self.declare(name, self.global_entity(id, ty, space));
                return;
            }
            // The first declaration may have been in a function.
            if self.find_here(name.symbol).is_none() {
                let ty = self.globals[id.0 as usize].ty;
                self.declare(name, self.global_entity(id, ty, space));
            }
            self.define_again(id, target, space);
            return;
        }
        let ty = target.declared.ty;
        let id = GlobalId(self.globals.len() as u32);
        let text = self.global_name(target);
        let private = target.storage.is_static || (self.current.is_some() && !target.storage.is_extern);
        if !private && let Some(previous) = self.external_globals.insert(name.symbol, id) {
            self.report_other_type(name, previous);
        }
        self.globals.push(Global {
            name: text,
            ty,
            space,
            align: target.align,
            initializer: None,
            linkage: if private { Linkage::Internal } else { Linkage::External },
            span: name.span,
        });
        self.declare(name, self.global_entity(id, ty, space));
        self.complete_global(id, target, space);
    }

    /// Reports a declaration with linkage whose name has another type in another scope; `declare` reports
    /// conflicts in the same scope.
    fn report_other_type(&mut self, name: Name, previous: GlobalId) {
        if self.find_here(name.symbol).is_none() {
            let message = format!("redeclaration of '{}' with a different type", self.text(name.symbol));
            let previous = self.globals[previous.0 as usize].span;
            self.report(
                Diagnostic::error(name.span, message).related(previous, "previous declaration is here"),
            );
        }
    }

    fn global_entity(&self, id: GlobalId, ty: QualifiedType, space: AddressSpace) -> Entity {
        Entity::Variable(Variable { storage: Storage::Global(id), ty, space })
    }

    /// Type, alignment and contents of a variable of static storage duration.
    fn complete_global(&mut self, id: GlobalId, target: &Target, space: AddressSpace) {
        let name = target.name;
        let is_extern = target.storage.is_extern && target.initializer.is_none();
        if let Some(initializer) = target.initializer {
            let ty = self.globals[id.0 as usize].ty;
            match self.static_initializer(ty, initializer) {
                Some((ty, data)) => {
                    let global = &mut self.globals[id.0 as usize];
                    global.ty = ty;
                    global.initializer = data;
                    self.undefined.remove(&id);
                }
                None => {
                    self.redeclare_after_error(name, ty);
                    return;
                }
            }
        } else if is_extern {
            self.undefined.entry(id).or_insert(name.span);
        } else if space == AddressSpace::Constant {
            self.error(name.span, "variable in constant address space must be initialized");
            self.redeclare_after_error(name, target.declared.ty);
            return;
        }
        let global = &mut self.globals[id.0 as usize];
        let natural = self.types.layout(global.ty.ty).map_or(1, |(_, align)| align);
        global.align = global.align.max(natural);
        let ty = global.ty;
        if self.types.layout(ty.ty).is_none() {
            self.incomplete_globals.entry(id).or_insert(name.span);
        }
        let entity = self.global_entity(id, ty, space);
        self.redeclare(name, entity);
    }

    /// Gives an array the length that an earlier declaration left out (C99 §6.2.7p3).
    fn complete_array(&mut self, id: GlobalId, declared: QualifiedType) {
        let global = &mut self.globals[id.0 as usize];
        let open = matches!(self.types.kind(global.ty.ty), TypeKind::Array { length: None, .. });
        if open {
            global.ty.ty = declared.ty;
        }
    }

    /// An earlier variable of the same name, type and address space. It may be in this scope, in an enclosing
    /// one for `extern` in a block, or anywhere if it has external linkage (C99 §6.2.2p2, p4).
    fn earlier_declaration(&self, target: &Target, space: AddressSpace) -> Option<GlobalId> {
        let symbol = target.name.symbol;
        let at_file_scope = self.at_file_scope();
        if !at_file_scope && !target.storage.is_extern {
            return None;
        }
        let id = match self.scopes[0].names.get(&symbol) {
            Some((Entity::Variable(Variable { storage: Storage::Global(id), .. }), _)) => *id,
            Some(_) => return None,
            None if target.storage.is_static => return None,
            None => *self.external_globals.get(&symbol)?,
        };
        let known = &self.globals[id.0 as usize];
        let same_type = self.same_object_type(known.ty, target.declared.ty);
        let tentative = target.initializer.is_none() || self.undefined.contains_key(&id);
        (known.space == space && same_type && tentative).then_some(id)
    }

    /// Whether two types are equal except for `const`, or for an array length that one of them omits.
    fn same_object_type(&self, a: QualifiedType, b: QualifiedType) -> bool {
        match (self.types.kind(a.ty), self.types.kind(b.ty)) {
            (TypeKind::Array { element: x, length: m }, TypeKind::Array { element: y, length: n }) => {
                x.ty == y.ty && (m.is_none() || n.is_none() || m == n)
            }
            _ => a.ty == b.ty,
        }
    }

    fn define_again(&mut self, id: GlobalId, target: &Target, space: AddressSpace) {
        if target.initializer.is_some() || !target.storage.is_extern {
            self.undefined.remove(&id);
            self.complete_global(id, target, space);
        }
    }

    /// The module name of a variable of static storage duration, unique in the program. A variable with
    /// linkage keeps its own name.
    fn global_name(&mut self, target: &Target) -> String {
        let text = self.owned(target.name.symbol);
        let full = match &self.current {
            Some(state) if !target.storage.is_extern => format!("{}.{text}", state.name),
            _ => text,
        };
        self.unique_name(full)
    }

    /// Completes incomplete types at the end of the program. Reports variables that are used but not defined,
    /// or leaves them to the linker.
    pub(super) fn finish_globals(&mut self) {
        let mut incomplete: Vec<(GlobalId, Span)> = self.incomplete_globals.drain().collect();
        incomplete.sort_unstable_by_key(|(id, _)| id.0);
        for (id, span) in incomplete {
            self.finish_incomplete(id, span);
        }
        if self.options.for_linking {
            for id in self.undefined.keys() {
                self.globals[id.0 as usize].linkage = Linkage::Declared;
            }
            return;
        }
        // Another error may be the reason why it is not defined.
        if !self.diagnostics.has_errors() {
            self.report_undefined();
        }
    }

    /// An array without a length gets one element (C99 §6.9.2p5). A structure must be complete by now, or
    /// belongs to another program.
    fn finish_incomplete(&mut self, id: GlobalId, span: Span) {
        let is_undefined = self.undefined.contains_key(&id);
        let ty = self.globals[id.0 as usize].ty;
        let ty = match *self.types.kind(ty.ty) {
            TypeKind::Array { element, length: None } => {
                if !is_undefined {
                    self.warn(span, "tentative array definition assumed to have one element");
                }
                self.types.array(element, Some(1))
            }
            _ if self.types.layout(ty.ty).is_some() => ty.ty,
            // Only its address can be used here. If that is not used, the linker need not find it.
            _ if is_undefined => {
                if !self.used_globals.contains(&id) {
                    self.undefined.remove(&id);
                    self.globals[id.0 as usize].linkage = Linkage::Internal;
                }
                self.types.scalar(ScalarKind::UChar)
            }
            _ => {
                let text = self.type_text(ty.ty);
                let message = format!("tentative definition has type '{text}' that is never completed");
                let mut diagnostic = Diagnostic::error(span, message);
                if let Some(declared) = self.forward_declaration(ty.ty) {
                    diagnostic = diagnostic.related(declared, format!("forward declaration of '{text}'"));
                }
                self.report(diagnostic);
                return;
            }
        };
        let natural = self.types.layout(ty).map_or(1, |(_, align)| align);
        let global = &mut self.globals[id.0 as usize];
        global.ty.ty = ty;
        global.align = global.align.max(natural);
    }

    fn report_undefined(&mut self) {
        let mut missing: Vec<(Span, String)> = self
            .undefined
            .iter()
            .filter(|(id, _)| self.used_globals.contains(id))
            .map(|(id, span)| (*span, self.globals[id.0 as usize].name.clone()))
            .collect();
        missing.sort();
        for (span, name) in missing {
            self.report(
                Diagnostic::error(
                    span,
                    format!("the extern variable '{name}' is not defined in this program"),
                )
                .note("variables of another program need separate compilation and linking"),
            );
        }
    }
}
