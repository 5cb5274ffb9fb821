//! What a kernel that reaches buffers through descriptors would compute otherwise than with addresses.
//!
//! A program may run in both forms, where a device has addresses and reaches buffers faster through
//! descriptors ([`TranslateOptions::as_with_addresses`](crate::TranslateOptions)). Then a pointer to a buffer
//! is the number of an argument and an offset, and two arguments that are one buffer are two to the kernel.
//! So such a kernel must not show where its buffers are: by comparing pointers that may be of two arguments,
//! by their order or distance, or by an address that becomes a number and is more than compared. Order within
//! one buffer counts, too: many a loop ends with a pointer before the first byte, which offsets take for one
//! behind the last. It may ask for null, for alignment, and within one buffer for equality and distance.

use super::objects::Objects;
use super::reach::Reach;
use super::views::Views;
use crate::TranslateError;
use clvk_ir::{
    AddressSpace, BinaryOp, CompareOp, Constant, ConvertOp, Function, InstData, Op, Span, Value, Variable,
    VariableSpace,
};
use rustc_hash::FxHashMap;

/// The alignment of a buffer's first byte that is the same in both forms.
const SURE_ALIGNMENT: u64 = 16;

struct Shown<'a> {
    function: &'a Function,
    objects: &'a Objects,
    views: &'a Views,
    reach: &'a Reach,
    /// The program's constants, in which pointers are those to constants.
    holder: Option<Variable>,
    /// The pointers that became integers, by these.
    numbers: FxHashMap<Value, Value>,
}

/// The first place where a kernel shows addresses of buffers; none if it does not.
pub fn check(
    function: &Function,
    objects: &Objects,
    views: &Views,
    reach: &Reach,
    holder: Option<Variable>,
) -> Result<(), Vec<TranslateError>> {
    let mut numbers = FxHashMap::default();
    function.walk(|_, data| {
        if data.op == Op::Convert(ConvertOp::PointerToInt) {
            numbers.insert(data.results[0], data.operands[0]);
        }
    });
    let shown = Shown { function, objects, views, reach, holder, numbers };
    let mut first: Option<Span> = None;
    function.walk(|_, data| {
        if first.is_none() && shown.is_shown_by(data) {
            first = Some(data.span);
        }
    });
    let refusal =
        TranslateError::of_kernel(function, "shows addresses of buffers, which descriptors do not have");
    first.map_or(Ok(()), |span| Err(vec![refusal.at(span)]))
}

impl Shown<'_> {
    fn is_shown_by(&self, data: &InstData) -> bool {
        let operands = &data.operands;
        let by_number = operands.iter().any(|value| self.is_address(*value)) && !self.keeps_secret(data);
        by_number
            || match data.op {
                Op::Compare(_) => match operands[..] {
                    [a, b] => self.are_of_two_buffers(a, b),
                    _ => false,
                },
                // From a number that is an address, for all that is known.
                Op::Convert(ConvertOp::IntToPointer) => {
                    self.may_be_buffer(data.results[0]) && !self.is_zero(operands[0])
                }
                // Memory in which a pointer is also a number.
                Op::Load { .. } => self.may_be_buffer(data.results[0]) && self.has_numbers(operands[0]),
                Op::Store { .. } => self.reaches_buffer(operands[1]) && self.has_numbers(operands[0]),
                Op::MemoryCopy { .. } => {
                    let into_buffer = operands.iter().any(|&side| self.reaches_buffer(side));
                    into_buffer && operands.iter().any(|&side| self.holds_pointers(side))
                }
                Op::AtomicStore { .. } | Op::AtomicRmw { .. } | Op::AtomicCompareExchange { .. } => {
                    operands[1..].iter().any(|&value| self.reaches_buffer(value))
                }
                _ => false,
            }
    }

    /// Whether an instruction, some of whose operands are addresses of buffers, does nothing with them that
    /// tells one form from the other.
    fn keeps_secret(&self, data: &InstData) -> bool {
        let operands = &data.operands;
        match data.op {
            Op::Compare(CompareOp::Eq | CompareOp::Ne)
                if operands.iter().any(|&value| self.is_zero(value)) =>
            {
                true
            }
            // Equality and distance of pointers into one buffer.
            Op::Compare(CompareOp::Eq | CompareOp::Ne) | Op::Binary(BinaryOp::Sub) => {
                let pointers = operands.iter().map(|value| self.numbers.get(value).copied());
                match pointers.collect::<Option<Vec<Value>>>().as_deref() {
                    Some(&[a, b]) => !self.are_of_two_buffers(a, b),
                    _ => false,
                }
            }
            // The alignment.
            Op::Binary(BinaryOp::And) => operands.iter().any(|&value| {
                let bits = self.function.as_constant(value).and_then(|constant| constant.lane(0));
                bits.is_some_and(|bits| bits < SURE_ALIGNMENT)
            }),
            _ => false,
        }
    }

    /// Whether a number is the address of a buffer.
    fn is_address(&self, value: Value) -> bool {
        self.numbers.get(&value).is_some_and(|&pointer| self.reaches_buffer(pointer))
    }

    /// Whether two pointers may point to the same byte by way of two arguments.
    fn are_of_two_buffers(&self, a: Value, b: Value) -> bool {
        self.buffers(a).any(|of_a| self.buffers(b).any(|of_b| of_a != of_b))
    }

    fn reaches_buffer(&self, value: Value) -> bool {
        self.buffers(value).next().is_some()
    }

    /// The buffers that a pointer may point into.
    fn buffers(&self, pointer: Value) -> impl Iterator<Item = Variable> + '_ {
        let is_pointer = self.function.ty(pointer).is_pointer();
        let class = self.objects.class(pointer).filter(|_| is_pointer);
        let views = class.map_or(&[][..], |class| self.views.of(class));
        let reached = move |index: usize| self.reach.of(pointer).has_view(index);
        let reached = views.iter().enumerate().filter(move |(index, _)| reached(*index));
        reached.map(|(_, view)| view.variable).filter(|&variable| self.is_buffer(variable))
    }

    /// Whether the memory behind a pointer is also accessed in other ways than as pointers.
    fn has_numbers(&self, memory: Value) -> bool {
        self.objects.class(memory).is_some_and(|class| self.objects.holds_others(class))
    }

    /// Whether the memory behind a pointer holds pointers that may be of buffers.
    fn holds_pointers(&self, memory: Value) -> bool {
        let Some(class) = self.objects.class(memory) else { return false };
        AddressSpace::OF_BUFFERS.into_iter().any(|space| {
            let held = self.objects.pointee(class, space).map_or(&[][..], |held| self.views.of(held));
            self.objects.reads_pointers(class, space)
                || held.iter().any(|view| self.is_buffer(view.variable) && Some(view.variable) != self.holder)
        })
    }

    fn is_buffer(&self, variable: Variable) -> bool {
        matches!(self.function.variables[variable].space, VariableSpace::StorageBuffer { .. })
    }

    fn may_be_buffer(&self, value: Value) -> bool {
        self.function.ty(value).may_point_into_buffer()
    }

    fn is_zero(&self, value: Value) -> bool {
        self.function.as_constant(value).is_some_and(Constant::is_zero)
    }
}
