//! Functions without bodies whose calls mark places in a module until the library is linked.

use clvk_ir::{Func, Function, Module, Type};

/// The name of such a function, which takes a number. No source can name it.
pub struct Mark(pub &'static str);

impl Mark {
    /// Declares the function.
    pub fn declare(&self, module: &mut Module) -> Func {
        let mut function = Function::new(self.0.to_owned(), None);
        function.add_param(Type::I32);
        module.functions.push(function)
    }

    /// The function, if it is declared.
    pub fn declared(&self, module: &Module) -> Option<Func> {
        module.functions.iter().find(|(_, function)| function.name == self.0).map(|(func, _)| func)
    }
}
