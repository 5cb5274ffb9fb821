//! The built-in library in serialised form: opening it is cheap, and functions are decoded one by one.
//!
//! A container is [`MAGIC`], the length of the index as a little-endian 32-bit number, the index, and the
//! entries that it points to; index and entries are in postcard's format. A function's entry names the
//! functions and globals that it refers to, so a linker can bring in only what is used. Damaged bytes give
//! errors.

use crate::{Arena, EntityId, Func, Function, Global, GlobalData, Initializer, Module, Op, ValueDef};
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// First bytes of a container; the last one is the version of the format.
pub const MAGIC: &[u8; 8] = b"clvkIR\0\x03";

/// Why a library cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The bytes are not a library, or a library of another version.
    #[error("not a library of this version of the IR")]
    Magic,
    /// The bytes end too early or do not decode.
    #[error("the library is damaged: {what}")]
    Damaged {
        /// What could not be decoded.
        what: String,
    },
}

/// A function of a library. The ids in its body index the tables here.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LibraryFunction {
    /// The function; [`Op::Call`] and [`Op::CallElementwise`] name functions by position in `callees`, values
    /// name globals by position in `globals`.
    pub function: Function,
    /// Names of the functions that it calls.
    pub callees: Vec<String>,
    /// Names of the globals that it uses.
    pub globals: Vec<String>,
}

/// A module-scope variable of a library.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LibraryGlobal {
    /// The variable; relocations name their targets by position in `targets`.
    pub global: GlobalData,
    /// Names of the variables that its initialiser points to.
    pub targets: Vec<String>,
}

/// Position of an entry, counted from the first byte after the index.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Entry {
    start: u32,
    end: u32,
}

#[derive(Default, Serialize, Deserialize)]
struct Index {
    functions: Vec<(String, Entry)>,
    globals: Vec<(String, Entry)>,
}

/// A library that is open for linking.
#[derive(Clone, Debug, Default)]
pub struct Library<'a> {
    entries: &'a [u8],
    functions: FxHashMap<String, Entry>,
    globals: FxHashMap<String, Entry>,
}

impl<'a> Library<'a> {
    /// An empty library.
    #[must_use]
    pub fn empty() -> Self {
        Library::default()
    }

    /// Opens what [`write_library`] wrote.
    ///
    /// # Errors
    /// [`LibraryError`] if the bytes are something else.
    pub fn open(bytes: &'a [u8]) -> Result<Self, LibraryError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(LibraryError::Magic)?;
        let damaged = || LibraryError::Damaged { what: "the index".to_owned() };
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (index, entries) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let index: Index = decode(index, "the index")?;
        Ok(Library {
            entries,
            functions: index.functions.into_iter().collect(),
            globals: index.globals.into_iter().collect(),
        })
    }

    /// The names of its functions, in any order.
    pub fn function_names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }

    /// Decodes a function.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<Result<LibraryFunction, LibraryError>> {
        self.functions.get(name).map(|&entry| {
            let decoded: LibraryFunction = self.entry(entry, name)?;
            check(&decoded).map_err(|what| LibraryError::Damaged { what: format!("`{name}`: {what}") })?;
            Ok(decoded)
        })
    }

    /// Decodes a module-scope variable.
    #[must_use]
    pub fn global(&self, name: &str) -> Option<Result<LibraryGlobal, LibraryError>> {
        self.globals.get(name).map(|&entry| self.entry(entry, name))
    }

    fn entry<T: DeserializeOwned>(&self, entry: Entry, name: &str) -> Result<T, LibraryError> {
        let range = Range { start: entry.start as usize, end: entry.end as usize };
        let bytes =
            self.entries.get(range).ok_or_else(|| LibraryError::Damaged { what: format!("`{name}`") })?;
        decode(bytes, name)
    }
}

fn decode<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T, LibraryError> {
    postcard::from_bytes(bytes).map_err(|error| LibraryError::Damaged { what: format!("{what}: {error}") })
}

/// Whether every reference of a function is inside its tables.
fn check(decoded: &LibraryFunction) -> Result<(), String> {
    let LibraryFunction { function, callees, globals } = decoded;
    crate::verify::check_indices(function)?;
    let mut calls = function.insts.iter().filter_map(|(_, inst)| callee(&inst.op));
    if !calls.all(|func| func.index() < callees.len()) {
        return Err("a call leads nowhere".to_owned());
    }
    let mut uses = function.values.iter().filter_map(|(_, value)| match value.def {
        ValueDef::Global(global) => Some(global),
        _ => None,
    });
    if uses.all(|global| global.index() < globals.len()) {
        Ok(())
    } else {
        Err("a variable is missing".to_owned())
    }
}

fn callee(op: &Op) -> Option<Func> {
    match op {
        Op::Call(func) | Op::CallElementwise(func) | Op::KernelNumber(func) => Some(*func),
        _ => None,
    }
}

/// Serialises the functions that have a body, and the variables, of a module.
///
/// # Panics
/// If the module is larger than 4 GiB in this form.
#[must_use]
pub fn write_library(module: &Module) -> Vec<u8> {
    let mut index = Index::default();
    let mut entries = Vec::new();
    for (_, function) in module.functions.iter().filter(|(_, function)| function.body.is_some()) {
        let entry = append(&mut entries, &library_function(module, function));
        index.functions.push((function.name.clone(), entry));
    }
    for (_, global) in module.globals.iter() {
        let entry = append(&mut entries, &library_global(&module.globals, global));
        index.globals.push((global.name.clone(), entry));
    }
    let index = postcard::to_stdvec(&index).expect("an index is plain data");
    let length = u32::try_from(index.len()).expect("an index is small").to_le_bytes();
    [MAGIC.as_slice(), &length, &index, &entries].concat()
}

fn append<T: Serialize>(entries: &mut Vec<u8>, item: &T) -> Entry {
    let position = |entries: &Vec<u8>| u32::try_from(entries.len()).expect("a library is smaller than 4 GiB");
    let start = position(entries);
    entries.extend(postcard::to_stdvec(item).expect("IR is plain data"));
    Entry { start, end: position(entries) }
}

/// Gives each name its position in a table, which grows as names are asked for.
struct Names<I> {
    names: Vec<String>,
    positions: FxHashMap<I, usize>,
}

impl<I: EntityId + std::hash::Hash> Names<I> {
    fn new() -> Self {
        Names { names: Vec::new(), positions: FxHashMap::default() }
    }

    fn position(&mut self, id: I, name: &str) -> I {
        let position = *self.positions.entry(id).or_insert_with(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        I::from_index(position)
    }
}

fn library_function(module: &Module, function: &Function) -> LibraryFunction {
    let mut function = function.clone();
    let (mut callees, mut globals) = (Names::new(), Names::new());
    for (_, inst) in function.insts.iter_mut() {
        if let Op::Call(func) | Op::CallElementwise(func) | Op::KernelNumber(func) = &mut inst.op {
            *func = callees.position(*func, &module.functions[*func].name);
        }
    }
    for (_, value) in function.values.iter_mut() {
        if let ValueDef::Global(global) = &mut value.def {
            *global = globals.position(*global, &module.globals[*global].name);
        }
    }
    LibraryFunction { function, callees: callees.names, globals: globals.names }
}

fn library_global(globals: &Arena<Global, GlobalData>, global: &GlobalData) -> LibraryGlobal {
    let mut global = global.clone();
    let mut targets = Names::new();
    if let Initializer::Bytes { relocations, .. } = &mut global.initializer {
        for relocation in relocations {
            relocation.target = targets.position(relocation.target, &globals[relocation.target].name);
        }
    }
    LibraryGlobal { global, targets: targets.names }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AddressSpace, Builder, Type};

    fn module() -> Module {
        let mut module = Module::default();
        let unused = Function::new("unused", None);
        module.functions.push(unused);
        let table = GlobalData {
            name: "table".to_owned(),
            space: AddressSpace::Constant,
            size: 4,
            align: 4,
            is_read_only: false,
            initializer: Initializer::Zero,
        };
        module.globals.push(table.clone());
        let table = module.globals.push(GlobalData { name: "other".to_owned(), ..table });
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

    #[test]
    fn a_function_comes_back_with_the_names_of_what_it_uses() {
        let bytes = write_library(&module());
        let library = Library::open(&bytes).unwrap();
        assert!(library.function("callee").is_none(), "it has no body");
        let caller = library.function("caller").unwrap().unwrap();
        assert_eq!((caller.callees, caller.globals), (vec!["callee".to_owned()], vec!["other".to_owned()]));
        assert_eq!(caller.function.insts.len(), 3);
        assert_eq!(library.global("other").unwrap().unwrap().global.size, 4);
    }

    #[test]
    fn damage_gives_an_error() {
        let bytes = write_library(&module());
        for length in 0..bytes.len() {
            if let Ok(library) = Library::open(&bytes[..length]) {
                let all_whole = ["caller"].iter().all(|name| matches!(library.function(name), Some(Ok(_))))
                    && ["table", "other"].iter().all(|name| matches!(library.global(name), Some(Ok(_))));
                assert!(!all_whole, "{length} bytes of {} are enough", bytes.len());
            }
        }
        for position in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[position] ^= 0x55;
            if let Ok(library) = Library::open(&damaged) {
                let names: Vec<String> = library.function_names().map(str::to_owned).collect();
                for name in names {
                    let _ = library.function(&name);
                }
            }
        }
    }
}
