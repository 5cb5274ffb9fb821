//! Functions without bodies whose calls mark places in a module until the library is linked.

use clvk_ir::{Func, Function, Module, Type};

/// Such a function. No source can name it.
pub struct Mark {
    pub name: &'static str,
    pub param: Type,
    pub result: Option<Type>,
}

impl Mark {
    /// One that takes a number of 32 bits.
    pub const fn of_number(name: &'static str) -> Mark {
        Mark { name, param: Type::I32, result: None }
    }

    /// Declares the function.
    pub fn declare(&self, module: &mut Module) -> Func {
        let mut function = Function::new(self.name.to_owned(), self.result);
        function.add_param(self.param);
        module.functions.push(function)
    }

    /// The function, if it is declared.
    pub fn declared(&self, module: &Module) -> Option<Func> {
        module.functions.iter().find(|(_, function)| function.name == self.name).map(|(func, _)| func)
    }
}
