//! Asynchronous copies, and other calls of library functions that are not element-wise.

use super::function::FunctionLowering;
use crate::hir::AsyncCopying;
use crate::types::TypeId;
use clvk_ir::{CompareOp, ConvertOp, Op, Type, Value};

impl FunctionLowering<'_, '_> {
    /// All work-items copy their part at once; the resulting event is the given one, or one that is not zero.
    pub fn async_copy(&mut self, copy: AsyncCopying, values: &[Value]) -> Value {
        let (&event, arguments) = values.split_last().expect("the event is the last argument");
        let direction = if copy.to_local { "to_local" } else { "to_global" };
        let name = match copy.element {
            Some(size) => format!("__clvk_async_copy_{direction}_{size}"),
            None => format!("__clvk_async_copy_planes_{direction}"),
        };
        let types: Vec<Type> = arguments.iter().map(|&value| self.function.ty(value)).collect();
        let func = self.lowering.library_function(name, &types, None);
        self.push(Op::Call(func), arguments, &[]);
        let (none, some) = (self.function.int(Type::I64, 0), self.function.int(Type::I64, 1));
        let is_new = self.build().compare(CompareOp::Eq, event, none);
        self.build().select(is_new, some, event)
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
