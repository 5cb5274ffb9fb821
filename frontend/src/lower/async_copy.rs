//! Asynchronous copies, and other calls of library functions that are not element-wise.

use super::function::FunctionLowering;
use super::print::space_name;
use crate::hir::AsyncCopying;
use crate::types::TypeId;
use clvk_ir::{ConvertOp, Op, Type, Value};

impl FunctionLowering<'_, '_> {
    /// All work-items copy their part at once; the resulting event is the given one, or one that is not zero.
    pub fn async_copy(&mut self, copy: AsyncCopying, values: &[Value]) -> Value {
        let direction = if copy.to_local { "to_local" } else { "to_global" };
        let name = match copy.element {
            Some(size) => format!("__clvk_async_copy_{direction}_{size}"),
            None => format!("__clvk_async_copy_planes_{direction}"),
        };
        let types: Vec<Type> = values.iter().map(|&value| self.function.ty(value)).collect();
        let func = self.lowering.library_function(name, &types, Some(Type::I64));
        self.build().value(Op::Call(func), values, Type::I64)
    }

    /// Names the events that are waited for: a library function that does nothing.
    pub fn events(&mut self, values: &[Value]) {
        let space = self.function.ty(values[1]).address_space().expect("the events are behind a pointer");
        self.plain_action(&format!("events_{}", space_name(space)), values);
    }

    /// A library function on words; vectors of four bytes are passed as words.
    pub fn call_of_words(&mut self, stem: &str, values: &[Value], result: TypeId) -> Value {
        let result = self.lowering.value_type(result).expect("the functions give integers");
        let words: Vec<Value> = values.iter().map(|&value| self.word_of_bytes(value)).collect();
        let types = vec![Type::I32; words.len()];
        let func = self.lowering.library_function(format!("__clvk_{stem}_u32"), &types, Some(result));
        self.build().value(Op::Call(func), &words, result)
    }

    /// A vector of four bytes as a word; a word stays unchanged.
    pub fn word_of_bytes(&mut self, value: Value) -> Value {
        match self.function.ty(value) {
            Type::Vector(..) => self.build().convert(ConvertOp::Bitcast, value, Type::I32),
            _ => value,
        }
    }
}
