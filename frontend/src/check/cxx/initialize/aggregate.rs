//! Aggregates ([dcl.init.aggr]): classes and arrays, element by element.

use super::{Element, Init, Prvalue, PrvalueKind};
use crate::Span;
use crate::check::cxx::Cxx;
use crate::check::cxx::class::Field;
use crate::check::cxx::expression::{Given, Value};
use crate::check::cxx::this::OtherThis;
use crate::check::cxx::types::Type;
use crate::cxx::ast::{InitList, Initializer};
use crate::hir::{LocalId, Place, PlaceKind};
use crate::types::{RecordId, ScalarKind, TypeId, TypeKind};
use clvk_ir::AddressSpace;

impl Cxx<'_> {
    /// An aggregate from a list ([dcl.init.aggr]).
    pub(super) fn aggregate(&mut self, ty: Type, elements: Vec<Element>, span: Span) -> Init {
        let mut at = 0;
        let mut this = None;
        let parts = self.aggregate_parts(ty, &elements, &mut at, &mut this, span);
        let Some(parts) = parts else { return Init::Error };
        if at < elements.len() {
            let text = self.text_of(ty);
            let message = match (elements[at].designator, self.record_of(ty.ty())) {
                (Some(_), Some(_)) => "designators must be in the order of the members".to_owned(),
                (_, Some(_)) => format!("excess elements in struct initializer of type '{text}'"),
                _ => format!("excess elements in array initializer of type '{text}'"),
            };
            self.error(elements[at].span, message);
            return Init::Error;
        }
        match self.record_of(ty.ty()) {
            Some(_) => {
                let kind = PrvalueKind::Parts { this, parts };
                Init::Class(Prvalue::new(ty.ty(), kind, span))
            }
            None => Init::Parts { parts },
        }
    }

    fn aggregate_parts(
        &mut self,
        ty: Type,
        elements: &[Element],
        at: &mut usize,
        this: &mut Option<(LocalId, TypeId)>,
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
                    self.default_member(record, field, this, span)
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
    pub(super) fn stored(&mut self, ty: Type) -> TypeId {
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
        field: &Field,
        this: &mut Option<(LocalId, TypeId)>,
        span: Span,
    ) -> Init {
        let scope = self.class(record).scope;
        let (ty, default) = (field.ty, field.default.clone());
        if default.is_none() || self.frames.is_empty() {
            return self.in_scope(scope, |cxx| cxx.empty_init(ty, default, span));
        }
        let class = self.class(record).ty;
        let pointer = self.types.pointer(class.into(), AddressSpace::Generic);
        let holder = this.map_or_else(|| self.new_local(pointer, span), |(holder, _)| holder);
        let other =
            OtherThis { frames: self.frames.len(), ty: pointer, holder: Some(holder), is_used: false };
        let outer = self.other_this.replace(other);
        let init = self.in_scope(scope, |cxx| cxx.empty_init(ty, default, span));
        if self.other_this.is_some_and(|other| other.is_used) {
            *this = Some((holder, pointer));
        }
        self.other_this = outer;
        init
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
        let span = match &elements[*at].given {
            Given::Value(value) => value.span(),
            Given::List(list) => list.span,
        };
        self.with_argument(span, |cxx| cxx.element_init_here(ty, elements, at))
    }

    fn element_init_here(&mut self, ty: Type, elements: &[Element], at: &mut usize) -> Option<Init> {
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
                        let mut this = None;
                        let parts = self.aggregate_parts(ty, elements, at, &mut this, span)?;
                        return Some(match self.record_of(ty.ty()) {
                            Some(_) => {
                                let kind = PrvalueKind::Parts { this, parts };
                                Init::Class(Prvalue::new(ty.ty(), kind, span))
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

    /// Whether two arrays differ at most in the qualifiers of their elements.
    fn is_same_array(&self, a: TypeId, b: TypeId) -> bool {
        match (self.types.kind(a), self.types.kind(b)) {
            (
                TypeKind::Array { element: a, length: a_length },
                TypeKind::Array { element: b, length: b_length },
            ) => a_length == b_length && self.is_same_array(a.ty, b.ty),
            _ => a == b,
        }
    }

    /// An array from an expression: a string, or for a lambda's copy another array.
    pub(super) fn array_from_value(&mut self, ty: Type, value: Value, span: Span) -> Init {
        if let Some(init) = self.string_init(ty, &value) {
            return init;
        }
        // Implicit copies of members copy arrays; programs cannot.
        if let Some(place) = value.place().cloned()
            && self.copies_arrays
            && self.is_same_array(place.ty.ty, ty.ty())
            && let TypeKind::Array { element, length: Some(count) } = *self.types.kind(place.ty.ty)
        {
            const FEW: u64 = 16;
            let is_moved = matches!(value, Value::Moved(_));
            let element = Type { q: element, space: None };
            if count > FEW && !self.frames.is_empty() {
                return Init::Copy { from: place, is_moved, count, element };
            }
            let stored = self.stored(element);
            let (size, _) = self.types.layout(stored).unwrap_or((1, 1));
            let mut parts = Vec::new();
            for index in 0..count {
                let kind = PlaceKind::Member(Box::new(place.clone()), index * size);
                let part = Place { kind, ty: element.q, space: place.space, span };
                let value = if is_moved { Value::Moved(part) } else { Value::Place(part) };
                let init = self.copy_initialize(element.plain(), value, span);
                parts.push((index * size, element.plain(), init));
            }
            return Init::Parts { parts };
        }
        let text = self.text_of(ty);
        self.error(span, format!("array initializer for '{text}' must be an initializer list"));
        Init::Error
    }

    /// An initialiser for an array whose length it may give.
    pub(in crate::check::cxx) fn list_of_array(&mut self, ty: Type, list: &InitList) -> (Type, Init) {
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
    pub(in crate::check::cxx) fn sized_by_string(&mut self, ty: Type, value: &Value) -> Option<Type> {
        let TypeKind::Array { element, length: None } = *self.types.kind(ty.ty()) else { return None };
        let place = value.place()?;
        let TypeKind::Array { length: Some(count), .. } = *self.types.kind(place.ty.ty) else { return None };
        self.string_init(ty, value)?;
        let array = self.types.array(element, Some(count));
        Some(Type { q: array.into(), space: ty.space })
    }
}
