//! Checks of whether accesses are inside that take one comparison of 32 bits: where all arguments of a
//! launch begin at the start of small buffers ([`PLAIN`](clvk_interface::sanitize::PLAIN)), an index must be
//! less than a number that is computed once, at the kernel's entry.

use super::access::{Accessed, accesses};
use super::shadow::Shadow;
use crate::passes::cursor::Cursor;
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, Function, Inst, Op, Type, Value};
use rustc_hash::FxHashMap;

/// Accesses through a parameter, at one of its elements of a number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Elements {
    param: Value,
    stride: u64,
    /// Of the element with index 0.
    first: i64,
    bytes: u64,
}

/// The least index that is inside, and the number of those that are, an `I32`.
#[derive(Clone, Copy)]
struct Indices {
    least: i64,
    count: Value,
}

/// What the entry of a kernel has computed.
#[derive(Default)]
pub struct Narrow {
    /// Whether indices can be compared. Drivers know it when they compile the kernel.
    plain: Option<Value>,
    indices: FxHashMap<Elements, Indices>,
}

/// The accesses of a kernel that have such a check.
pub struct Wanted(Vec<Elements>);

impl Wanted {
    /// Looks at a kernel before anything is added to it.
    pub fn of(function: &Function) -> Wanted {
        let mut all = Vec::new();
        function.walk(|_, data| {
            for accessed in accesses(function, data) {
                let pointer = data.operands[accessed.operand];
                if let Some((elements, _)) = elements(function, pointer, accessed.bytes)
                    && !all.contains(&elements)
                {
                    all.push(elements);
                }
            }
        });
        Wanted(all)
    }

    /// Computes at the entry what they need, given the shadows of parameters.
    pub fn enter(
        self,
        cursor: &mut Cursor<'_>,
        plain: Value,
        mut shadow: impl FnMut(&mut Cursor<'_>, Value) -> Shadow,
    ) -> Narrow {
        let mut narrow = Narrow { plain: Some(plain), indices: FxHashMap::default() };
        for elements in self.0 {
            let size = shadow(cursor, elements.param).size;
            if let Some(indices) = elements.indices(cursor, size) {
                narrow.indices.insert(elements, indices);
            }
        }
        narrow
    }
}

impl Elements {
    fn indices(&self, cursor: &mut Cursor<'_>, size: Value) -> Option<Indices> {
        let stride = i64::try_from(self.stride).ok().filter(|&stride| stride > 0)?;
        let least =
            if self.first < 0 { (self.first.checked_neg()?.checked_add(stride)? - 1) / stride } else { 0 };
        let start = least.checked_mul(stride)?.checked_add(self.first)?;
        let end = start.checked_add(i64::try_from(self.bytes).ok()?)?;
        if end >= 1 << 31 || stride >= 1 << 31 || least >= 1 << 31 {
            return None;
        }
        let size = cursor.convert(ConvertOp::Truncate, size, Type::I32);
        let needed = cursor.int(Type::I32, end);
        let fits = cursor.compare(CompareOp::UGe, size, needed);
        let rest = cursor.binary(BinaryOp::Sub, size, needed);
        let further = match stride.count_ones() {
            1 => cursor.binary_int(BinaryOp::LShr, rest, stride.trailing_zeros().into()),
            _ => cursor.binary_int(BinaryOp::UDiv, rest, stride),
        };
        let count = cursor.binary_int(BinaryOp::Add, further, 1);
        let none = cursor.int(Type::I32, 0);
        Some(Indices { least, count: cursor.select(fits, count, none) })
    }
}

impl Narrow {
    /// Whether an access is inside, given whether it is by a comparison of 64 bits.
    pub fn holds(&self, cursor: &mut Cursor<'_>, inst: Inst, accessed: &Accessed, wide: Value) -> Value {
        let pointer = cursor.operand(inst, accessed.operand);
        let found = elements(cursor.function, pointer, accessed.bytes);
        let known = found.and_then(|(elements, index)| Some((*self.indices.get(&elements)?, index)));
        let (Some((Indices { least, count }, index)), Some(plain)) = (known, self.plain) else { return wide };
        let behind = cursor.binary_int(BinaryOp::Sub, index, least);
        let holds = cursor.compare(CompareOp::ULt, behind, count);
        cursor.select(plain, holds, wide)
    }
}

/// The elements that a pointer leads to, and the index, of 32 bits, if there is one.
fn elements(function: &Function, mut pointer: Value, bytes: u64) -> Option<(Elements, Value)> {
    let (mut first, mut found) = (0i64, None);
    while let Some(inst) = function.defining_inst(pointer) {
        let data = &function.insts[inst];
        match data.op {
            Op::PointerOffset(by) => first = first.checked_add(by)?,
            Op::PointerIndex { stride } if found.is_none() => found = Some((stride, data.operands[1])),
            Op::Apart { .. } | Op::Convert(ConvertOp::AddressSpace) => {}
            _ => return None,
        }
        pointer = data.operands[0];
    }
    let (stride, mut index) = found.filter(|_| function.params.contains(&pointer))?;
    if let Some(inst) = function.defining_inst(index)
        && let Op::Convert(ConvertOp::ZeroExtend | ConvertOp::SignExtend) = function.insts[inst].op
    {
        index = function.insts[inst].operands[0];
    }
    let elements = Elements { param: pointer, stride, first, bytes };
    (function.ty(index) == Type::I32).then_some((elements, index))
}
