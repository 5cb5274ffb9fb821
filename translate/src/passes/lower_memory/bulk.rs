//! Copies and fills.

use super::access::{Flags, Place};
use super::pointers::Lowering;
use clvk_interface::Preference;
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, Scalar, Type, UnrollHint, Value};

/// Copies and fills of up to this many elements become that many loads and stores; larger ones become a loop.
const UNROLLED_ELEMENTS: u64 = 16;

impl<'a> Lowering<'a, '_> {
    /// Copies or clears `size` bytes.
    pub fn bulk(&mut self, to: Place<'a>, from: Option<Place<'a>>, size: u64, align: u32) {
        let (ty, step) = chunk(to, from, size, align);
        let count = size >> step;
        if count <= UNROLLED_ELEMENTS {
            for index in 0..count {
                let index = self.cursor.int(Type::I32, index as i64);
                self.bulk_element(to, from, ty, step, index, align);
            }
            return;
        }
        self.bulk_loop(to, from, ty, step, count, align);
    }

    fn bulk_element(
        &mut self,
        to: Place<'a>,
        from: Option<Place<'a>>,
        ty: Type,
        step: u32,
        index: Value,
        align: u32,
    ) {
        let flags = Flags { align: align.max(1).min(1 << step), volatile: false, constant: false };
        let value = match from {
            Some(from) => {
                let from = self.advance(from, index, step);
                self.load_value(from, ty, flags)
            }
            None => self.cursor.function.zero(ty),
        };
        let to = self.advance(to, index, step);
        self.store_value(to, value, flags);
    }

    /// The place that is `index << step` bytes further.
    fn advance<'v>(&mut self, place: Place<'v>, index: Value, step: u32) -> Place<'v> {
        match place {
            Place::Address(address) => {
                let wide = self.cursor.convert(ConvertOp::ZeroExtend, index, Type::I64);
                let bytes = self.cursor.binary_int(BinaryOp::Shl, wide, i64::from(step));
                Place::Address(self.cursor.binary(BinaryOp::Add, address, bytes))
            }
            Place::Element(view, variable, offset) => {
                let distance = self.cursor.binary_int(BinaryOp::Shl, index, i64::from(step - view.scale));
                Place::Element(view, variable, self.cursor.binary(BinaryOp::Add, offset, distance))
            }
        }
    }

    fn bulk_loop(
        &mut self,
        to: Place<'a>,
        from: Option<Place<'a>>,
        ty: Type,
        step: u32,
        count: u64,
        align: u32,
    ) {
        let zero = self.cursor.int(Type::I32, 0);
        let rolled = self.profile().prefers(Preference::RolledLoops);
        let hint = if rolled { UnrollHint::Kept } else { UnrollHint::None };
        let elements = self.cursor.begin_loop_with(hint, &[zero], &[]);
        let index = elements.carried[0];
        let end = self.cursor.int(Type::I32, count as i64);
        let condition = self.cursor.compare(CompareOp::ULt, index, end);
        self.cursor.exit_when(condition, false, elements.inst, &[]);
        self.bulk_element(to, from, ty, step, index, align);
        let next = self.cursor.binary_int(BinaryOp::Add, index, 1);
        self.cursor.end_loop(&elements, &[next]);
    }
}

/// The type to copy by, and log2 of its size in bytes.
fn chunk(to: Place<'_>, from: Option<Place<'_>>, size: u64, align: u32) -> (Type, u32) {
    let view = |place| match place {
        Place::Element(view, ..) => Some(view),
        Place::Address(_) => None,
    };
    let (to, from) = (view(to), from.and_then(view));
    let (ty, step) = match (to, from) {
        (Some(a), Some(b)) if a.stride == b.stride => (a.element, a.stride),
        (Some(a), Some(b)) => {
            // An element of one side consists of several of the other.
            let wide = if a.stride > b.stride { a } else { b };
            (wide.element, wide.stride)
        }
        (Some(view), None) | (None, Some(view)) => (view.element, view.stride),
        (None, None) => {
            let step = align.max(1).trailing_zeros().min(size.trailing_zeros()).min(2);
            (Type::Scalar(Scalar::int(8 << step)), step)
        }
    };
    let views = || [to, from].into_iter().flatten();
    if !views().any(|view| view.word.is_some()) {
        return (ty, step);
    }
    // Memory in words can be accessed in parts of words, other memory only in whole elements. A step is never
    // smaller than the unit of offsets, which suits the size and both sides (`Facts::scale`).
    let least = views().map(|view| view.scale).max().unwrap_or(0);
    let step = match views().find(|view| view.word.is_none()) {
        Some(view) if view.stride >= least => return (view.element, view.stride),
        Some(_) => least,
        None => step.min(align.max(1).trailing_zeros()).min(size.trailing_zeros()).max(least),
    };
    (Type::Scalar(Scalar::int(8 << step)), step)
}
