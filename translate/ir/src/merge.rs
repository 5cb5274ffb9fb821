//! Merges several modules into one, by name, as a linker does.
//!
//! What is internal to a module ([`Linkage`](crate::Linkage)) stays separate from equal names elsewhere. What
//! several modules declare and one defines becomes one. Spans are dropped, because they refer to the sources
//! of different compilations, unless all that matter are those of one part.

use crate::{EntityId, Func, Function, Global, GlobalData, Initializer, Module, Op, Span, ValueDef};
use rustc_hash::FxHashMap;

/// Links modules. With `whole`, one of them must define everything that is declared, except functions: those
/// of the built-in library are linked later.
///
/// # Errors
/// Names with several definitions, or with none; one line of text for each.
pub fn merge(parts: Vec<Module>, whole: bool) -> Result<Module, Vec<String>> {
    merge_parts(parts, whole, false)
}

/// The same, but the first module keeps its spans.
///
/// # Errors
/// As for [`merge`].
pub fn merge_with_spans(parts: Vec<Module>, whole: bool) -> Result<Module, Vec<String>> {
    merge_parts(parts, whole, true)
}

fn merge_parts(parts: Vec<Module>, whole: bool, mut with_spans: bool) -> Result<Module, Vec<String>> {
    let mut merger = Merger::default();
    let globals: Vec<Vec<Global>> = parts.iter().map(|part| merger.define_globals(part)).collect();
    let globals: Vec<Vec<Global>> =
        parts.iter().zip(globals).map(|(part, known)| merger.resolve_globals(part, known, whole)).collect();
    let functions: Vec<Vec<Func>> = parts.iter().map(|part| merger.add_functions(part)).collect();
    for part in &parts {
        merger.module.linkage.repeated.extend(part.linkage.repeated.iter().cloned());
    }
    for ((part, globals), functions) in parts.into_iter().zip(globals).zip(functions) {
        let formats = merger.add_print_formats(&part);
        let with_spans = std::mem::take(&mut with_spans);
        merger.fill(part, &Renumbering { globals, functions, formats, with_spans });
    }
    if merger.errors.is_empty() { Ok(merger.module) } else { Err(merger.errors) }
}

/// Represents a variable whose definition is not known yet.
const UNKNOWN: usize = u32::MAX as usize - 1;

/// Maps the ids and numbers of a part to those of the merged module.
struct Renumbering {
    globals: Vec<Global>,
    functions: Vec<Func>,
    /// The position of the part's first format of `printf`.
    formats: u32,
    /// Whether the part keeps its spans.
    with_spans: bool,
}

#[derive(Default)]
struct Merger {
    module: Module,
    /// The functions that other modules can name.
    functions: FxHashMap<String, Func>,
    globals: FxHashMap<String, Global>,
    /// How often each name was taken, to find free ones.
    taken: FxHashMap<String, u32>,
    errors: Vec<String>,
}

impl Merger {
    /// A name that the module does not use yet: the name itself, if it is free.
    fn free_name(&mut self, name: &str) -> String {
        loop {
            let count = self.taken.entry(name.to_owned()).or_insert(0);
            *count += 1;
            let candidate = if *count == 1 { name.to_owned() } else { format!("{name}.{count}") };
            if candidate == name || self.taken.insert(candidate.clone(), 1).is_none() {
                return candidate;
            }
        }
    }

    /// Adds the variables that a module defines; returns the map of its ids.
    fn define_globals(&mut self, part: &Module) -> Vec<Global> {
        let mut ids = Vec::with_capacity(part.globals.len());
        for (_, data) in part.globals.iter() {
            if part.linkage.declared_globals.contains(&data.name) {
                ids.push(Global::from_index(UNKNOWN));
                continue;
            }
            let internal = part.linkage.internal_globals.contains(&data.name);
            let known = self.globals.get(&data.name).copied().filter(|_| !internal);
            if let Some(known) = known.filter(|_| part.linkage.repeated.contains(&data.name)) {
                ids.push(known);
                continue;
            }
            if known.is_some() {
                self.errors.push(format!("the variable `{}` is defined more than once", data.name));
            }
            let name = self.free_name(&data.name);
            let id = self.module.globals.push(GlobalData { name: name.clone(), ..data.clone() });
            if internal {
                self.module.linkage.internal_globals.insert(name);
            } else {
                self.globals.insert(data.name.clone(), id);
            }
            ids.push(id);
        }
        ids
    }

    /// Finds the definitions of the variables that a module only declares.
    fn resolve_globals(&mut self, part: &Module, known: Vec<Global>, whole: bool) -> Vec<Global> {
        let resolve = |((_, data), id): ((Global, &GlobalData), Global)| {
            if id.index() != UNKNOWN {
                return id;
            }
            if let Some(&definition) = self.globals.get(&data.name) {
                return definition;
            }
            if whole {
                self.errors.push(format!("the variable `{}` is not defined", data.name));
            }
            let id = self.module.globals.push(data.clone());
            self.globals.insert(data.name.clone(), id);
            self.module.linkage.declared_globals.insert(data.name.clone());
            id
        };
        part.globals.iter().zip(known).map(resolve).collect()
    }

    /// Adds the functions of a module, without their bodies; returns the map of its ids.
    fn add_functions(&mut self, part: &Module) -> Vec<Func> {
        part.functions.iter().map(|(_, function)| self.add_function(part, function)).collect()
    }

    fn add_function(&mut self, part: &Module, function: &Function) -> Func {
        let internal = part.linkage.internal_functions.contains(&function.name);
        let existing = if internal { None } else { self.functions.get(&function.name).copied() };
        if let Some(id) = existing {
            return id;
        }
        let name = self.free_name(&function.name);
        let id = self.module.functions.push(Function::new(name.clone(), function.result()));
        if internal {
            self.module.linkage.internal_functions.insert(name);
        } else {
            self.functions.insert(function.name.clone(), id);
        }
        id
    }

    /// Adds the `printf` formats of a module; returns the position of the first one.
    fn add_print_formats(&mut self, part: &Module) -> u32 {
        let first = self.module.print_formats.len() as u32;
        self.module.print_formats.extend_from_slice(&part.print_formats);
        first
    }

    /// Fills in the bodies and initialisers that a module defines.
    fn fill(&mut self, part: Module, numbers: &Renumbering) {
        for (index, (_, data)) in part.globals.iter().enumerate() {
            let defined = !part.linkage.declared_globals.contains(&data.name);
            if let (true, Initializer::Bytes { bytes, relocations }) = (defined, &data.initializer) {
                let mut relocations = relocations.clone();
                for relocation in &mut relocations {
                    relocation.target = numbers.globals[relocation.target.index()];
                }
                self.module.globals[numbers.globals[index]].initializer =
                    Initializer::Bytes { bytes: bytes.clone(), relocations };
            }
        }
        for ((_, function), &id) in part.functions.iter().zip(&numbers.functions) {
            let known = &self.module.functions[id];
            let same = known.params.is_empty() || signature(known) == signature(function);
            if !same {
                self.errors
                    .push(format!("the function `{}` has different types in two programs", function.name));
            } else if part.linkage.repeated.contains(&function.name) && known.body.is_some() {
                // Defined already, in the same way.
            } else if function.body.is_some() && known.body.is_some() {
                self.errors.push(format!("the function `{}` is defined more than once", function.name));
            } else if function.body.is_some() || known.params.is_empty() {
                let name = known.name.clone();
                if known.body.is_none() {
                    self.module.functions[id] = renumbered(function.clone(), name, numbers);
                }
            }
        }
    }
}

/// The types of the parameters and the result.
fn signature(function: &Function) -> (Vec<crate::Type>, Option<crate::Type>) {
    (function.params.iter().map(|&param| function.values[param].ty).collect(), function.result())
}

/// A function whose ids refer to the merged module.
fn renumbered(mut function: Function, name: String, numbers: &Renumbering) -> Function {
    function.name = name;
    if !numbers.with_spans {
        function.span = Span::NONE;
    }
    function.forget_interned();
    for (_, inst) in function.insts.iter_mut() {
        if !numbers.with_spans {
            inst.span = Span::NONE;
        }
        match &mut inst.op {
            Op::Call(callee) | Op::CallElementwise(callee) | Op::KernelNumber(callee) => {
                *callee = numbers.functions[callee.index()];
            }
            Op::PrintNumber(format) => *format += numbers.formats,
            _ => {}
        }
    }
    for (_, value) in function.values.iter_mut() {
        if let ValueDef::Global(global) = &mut value.def {
            *global = numbers.globals[global.index()];
        }
    }
    function
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AddressSpace, Builder, Type};
    use clvk_interface::PrintFormat;

    fn global(name: &str, size: u64) -> GlobalData {
        GlobalData {
            name: name.to_owned(),
            space: AddressSpace::Constant,
            size,
            align: 4,
            is_read_only: false,
            initializer: Initializer::Bytes {
                bytes: vec![size as u8; size as usize],
                relocations: Vec::new(),
            },
        }
    }

    /// `caller`, which loads from `table` and calls `callee`.
    fn user() -> Module {
        let mut module = Module::default();
        let table = module.globals.push(global("table", 4));
        module.linkage.declared_globals.insert("table".to_owned());
        let callee = module.functions.push(Function::new("callee", Some(Type::F32)));
        let mut function = Function::new("caller", Some(Type::F32));
        let region = function.add_region();
        function.body = Some(region);
        let address = function.global(Type::Pointer(AddressSpace::Constant), table);
        let mut builder = Builder::new(&mut function, region);
        builder.load(address, Type::F32, 4, false);
        let result = builder.value(Op::Call(callee), &[], Type::F32);
        builder.push(Op::Return, &[result], &[]);
        module.functions.push(function);
        module
    }

    /// Defines `table` and `callee`, and an internal variable and function, both called `own`.
    fn provider() -> Module {
        let mut module = Module::default();
        let own = module.globals.push(global("own", 8));
        module.globals.push(global("table", 16));
        module.linkage.internal_globals.insert("own".to_owned());
        for name in ["own", "callee"] {
            let mut function = Function::new(name, Some(Type::F32));
            let region = function.add_region();
            function.body = Some(region);
            let address = function.global(Type::Pointer(AddressSpace::Constant), own);
            let mut builder = Builder::new(&mut function, region);
            let value = builder.load(address, Type::F32, 4, false);
            builder.push(Op::Return, &[value], &[]);
            module.functions.push(function);
        }
        module.linkage.internal_functions.insert("own".to_owned());
        module
    }

    #[test]
    fn declarations_find_their_definitions_and_what_is_private_stays_apart() {
        let merged = merge(vec![provider(), user(), Module { ..private_namesake() }], true).unwrap();
        crate::verify::verify(&merged).unwrap();
        let sizes: Vec<(&str, u64)> =
            merged.globals.iter().map(|(_, data)| (data.name.as_str(), data.size)).collect();
        assert_eq!(sizes, [("own", 8), ("table", 16), ("own.2", 8)]);
        let caller = &merged.functions[merged.function("caller").unwrap()];
        let callee = merged.function("callee").unwrap();
        assert!(caller.insts.iter().any(|(_, inst)| inst.op == Op::Call(callee)));
        assert!(merged.functions[callee].body.is_some());
        let loaded = caller.values.iter().find_map(|(_, value)| match value.def {
            ValueDef::Global(id) => Some(id),
            _ => None,
        });
        assert_eq!(merged.globals[loaded.unwrap()].size, 16, "the definition's, not the declaration's");
    }

    /// [`provider`] with everything internal.
    fn private_namesake() -> Module {
        let mut module = Module::default();
        module.globals.push(global("own", 8));
        module.linkage.internal_globals.insert("own".to_owned());
        module
    }

    #[test]
    fn calls_of_printf_keep_their_formats() {
        let printing = |name: &str, formats: &[&str]| {
            let text =
                |format: &&str| PrintFormat { text: Some(format.as_bytes().to_vec()), arguments: Vec::new() };
            let mut module =
                Module { print_formats: formats.iter().map(text).collect(), ..Module::default() };
            let mut function = Function::new(name, Some(Type::I32));
            let region = function.add_region();
            function.body = Some(region);
            let mut builder = Builder::new(&mut function, region);
            let number = builder.value(Op::PrintNumber(formats.len() as u32 - 1), &[], Type::I32);
            builder.push(Op::Return, &[number], &[]);
            module.functions.push(function);
            module
        };
        let parts = vec![printing("first", &["a", "b"]), user(), printing("second", &["c"])];
        let merged = merge(parts, false).unwrap();
        crate::verify::verify(&merged).unwrap();
        let format_of = |name: &str| {
            let function = &merged.functions[merged.function(name).unwrap()];
            let mut insts = function.insts.iter();
            let number = insts.find_map(|(_, inst)| match inst.op {
                Op::PrintNumber(format) => Some(format),
                _ => None,
            });
            merged.print_formats[number.unwrap() as usize].text.clone()
        };
        assert_eq!([format_of("first"), format_of("second")], [Some(b"b".to_vec()), Some(b"c".to_vec())]);
    }

    #[test]
    fn what_may_be_defined_repeatedly_is_taken_once() {
        let repeated = || {
            let mut module = provider();
            module.linkage.repeated = ["table", "callee"].map(str::to_owned).into();
            module
        };
        let merged = merge(vec![repeated(), repeated(), user()], true).unwrap();
        crate::verify::verify(&merged).unwrap();
        let tables = merged.globals.iter().filter(|(_, data)| data.name.starts_with("table")).count();
        let callees = merged.functions.iter().filter(|(_, it)| it.name.starts_with("callee")).count();
        assert_eq!([tables, callees], [1, 1]);
        // The other definition does not say that it may be repeated.
        assert!(merge(vec![repeated(), provider()], true).is_err());
    }

    #[test]
    fn what_is_missing_or_defined_twice_is_named() {
        let errors = merge(vec![user()], true).unwrap_err();
        assert_eq!(errors, ["the variable `table` is not defined"]);
        assert!(merge(vec![user()], false).is_ok_and(|module| !module.linkage.declared_globals.is_empty()));
        let errors = merge(vec![provider(), provider()], true).unwrap_err();
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors.iter().any(|error| error.contains("`callee`")), "{errors:?}");
    }
}
