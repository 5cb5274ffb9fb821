//! The writer of SPIR-V for OpenCL: kernels with physical addresses, as OpenCL's drivers take them. It only
//! writes.
//!
//! Its input is a module in [`Stage::RaisedForOpenCl`](clvk_ir::verify::Stage::RaisedForOpenCl). Functions
//! stay functions, memory is untyped, and library functions that the device has are calls of declarations
//! with known names ([`crate::counterparts`]). Pointers are written as pointers to bytes, because SPIR-V has
//! no opaque ones before version 1.6's extensions; each access begins with a cast to a pointer to what it
//! reads or writes. Only kernels' parameters keep the pointee of the source.
//!
//! The version of SPIR-V is the lowest that has what the module uses: 1.0, unless it uses sub-groups (1.3) or
//! texels of integers (1.4).
//!
//! - [`writer`]: the module under construction: ids, types, constants, capabilities;
//! - [`globals`]: variables of module scope; [`kernel`]: entry points, and what they say about arguments;
//! - [`function`]: functions; their control flow is that of [`crate::emit::control`];
//! - [`arithmetic`], [`memory`], [`halves`], [`groups`], [`images`], [`calls`]: instructions.

mod arithmetic;
mod calls;
mod function;
mod globals;
mod groups;
mod halves;
mod images;
mod kernel;
mod memory;
mod writer;

use crate::TranslateOptions;
use crate::emit::debug::Debug;
use crate::passes::raise_opencl::roots;
use clvk_ir::{Func, Global, Op};
use function::Written;
use globals::Globals;
use rspirv::spirv::{LinkageType, Word};
use rustc_hash::{FxHashMap, FxHashSet};
use writer::Writer;

/// The module being written.
pub struct Module<'m> {
    ir: &'m clvk_ir::Module,
    writer: Writer,
    globals: Globals,
    /// The functions' ids.
    functions: FxHashMap<Func, Word>,
    /// The variables of strings.
    strings: FxHashMap<Vec<u8>, Word>,
    /// Whether other modules can name functions and variables of this one.
    exports: bool,
    debug: Option<&'m Debug<'m>>,
}

impl Module<'_> {
    /// The id of a variable.
    fn global(&mut self, global: Global) -> Word {
        self.globals.id(&mut self.writer, self.ir, global, self.exports)
    }

    /// The variable of a string of `printf`, an array of bytes.
    fn constant_string(&mut self, text: &[u8]) -> Word {
        globals::string(&mut self.writer, &mut self.strings, text)
    }

    /// The id of a function that is called. A kernel's is not that of its entry point, which nothing may
    /// call.
    fn function(&mut self, func: Func) -> Word {
        *self.functions.entry(func).or_insert_with(|| self.writer.id())
    }
}

/// Writes a module.
///
/// # Panics
/// If a pass has left something that such SPIR-V does not have.
pub fn emit(ir: &clvk_ir::Module, options: &TranslateOptions, language_version: u32) -> Vec<u32> {
    // 1.2 is 102000.
    let version = language_version / 100 * 100_000 + language_version % 100 / 10 * 1000;
    let mut writer = Writer::new(version);
    let debug = options.lines.as_ref().map(|lines| {
        let names = lines.files.iter().map(|_| writer.id()).collect();
        Debug::new(&mut writer.module, names, lines, version)
    });
    let mut module = Module {
        ir,
        writer,
        globals: Globals::default(),
        functions: FxHashMap::default(),
        strings: FxHashMap::default(),
        exports: options.kernels.is_empty(),
        debug: debug.as_ref(),
    };
    let roots = roots(ir, &options.kernels);
    let written = functions(&mut module, &roots);
    for &root in roots.iter().filter(|&&root| ir.functions[root].kernel.is_some()) {
        kernel::write(&mut module, root, &written);
    }
    if module.exports {
        for (global, data) in ir.globals.iter() {
            if globals::is_exported(&ir.linkage, data) {
                module.global(global);
            }
        }
    }
    module.writer.finish()
}

/// Writes the functions that the roots call, and those that other modules can call.
fn functions(module: &mut Module<'_>, roots: &[Func]) -> FxHashMap<Func, Written> {
    let ir = module.ir;
    let reached = ir.reachable(roots.iter().copied());
    let called: FxHashSet<Func> = reached.iter().flat_map(|&func| callees(ir, func)).collect();
    let mut written = FxHashMap::default();
    for func in ir.functions.ids().filter(|func| reached.contains(func)) {
        let function = &ir.functions[func];
        let is_kernel = function.kernel.is_some();
        if is_kernel && !called.contains(&func) || calls::is_built_in(ir, func) {
            continue;
        }
        let id = module.function(func);
        written.insert(func, function::write(module, func, id, None));
        let linkage = match &function.body {
            None => Some(LinkageType::Import),
            Some(_) if is_kernel || !module.exports || !roots.contains(&func) => None,
            Some(_) if ir.linkage.repeated.contains(&function.name) => Some(LinkageType::LinkOnceODR),
            Some(_) => Some(LinkageType::Export),
        };
        if let Some(linkage) = linkage {
            module.writer.link(id, &function.name, linkage);
        }
    }
    written
}

/// The functions that a function calls, and that are not the device's own.
fn callees(ir: &clvk_ir::Module, func: Func) -> Vec<Func> {
    let mut callees = Vec::new();
    ir.functions[func].walk(|_, data| {
        if let Op::Call(callee) = data.op
            && !calls::is_built_in(ir, callee)
        {
            callees.push(callee);
        }
    });
    callees
}
