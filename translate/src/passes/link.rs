//! Brings in the library functions that the program declares, and the functions that those need.
//!
//! If a function has variants, the one for a quirk of the device is taken ([`clvk_interface::Quirk`]), or
//! else the first whose guarantee the device gives ([`clvk_interface::Guarantee`]), or else the one that the
//! device prefers ([`clvk_interface::Preference`]). Hosts of clspv make samplers of their own, so nothing
//! that the device prefers is taken for them. Neither is where the program reads levels of detail, because
//! images that are read through samplers for coordinates in texels have one level.
//!
//! Only what a kernel reaches is linked. A function that the program calls and nothing defines stays a
//! declaration; the pass [`super::undefined_calls`] refuses calls of it that remain after dead code is gone.
//! The spans of linked instructions are dropped because they refer to the library's source; the inliner
//! replaces them by the position of the call.

use super::Context;
use crate::TranslateError;
use crate::counterparts::counterpart;
use clvk_interface::{DeviceProfile, Guarantee, Preference, Quirk};
use clvk_ir::container::{Library, LibraryError, LibraryFunction};
use clvk_ir::{
    Constant, EntityId, Func, Function, Global, GlobalData, Initializer, Module, Op, Span, ValueDef,
    WORK_GROUP_SCRATCH,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs the pass.
///
/// # Errors
/// The library lacks one of its functions for a type, or is damaged.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let kernels: Vec<_> = context.module.kernels().collect();
    link(context, &kernels, |_| true)?;
    size_scratch(context.module, context.profile);
    Ok(())
}

/// Links what a module for OpenCL needs: the functions that its devices lack.
///
/// # Errors
/// As for [`run`].
pub fn run_for_opencl(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let roots = super::raise_opencl::roots(context.module, &context.options.kernels);
    link(context, &roots, |name| counterpart(name).is_none())
}

/// Defines the functions that these reach and that are to be linked.
fn link(
    context: &mut Context<'_, '_>,
    roots: &[Func],
    is_linked: impl Fn(&str) -> bool,
) -> Result<(), Vec<TranslateError>> {
    let mut linker = Linker::new(context.module, context.library, context.profile);
    linker.may_prefer &= context.options.clspv.is_none();
    let mut reached: FxHashSet<Func> = roots.iter().copied().collect();
    let mut queue: Vec<_> = roots.iter().map(|&root| (root, root, Span::NONE)).collect();
    while let Some((func, kernel, call)) = queue.pop() {
        let function = &linker.module.functions[func];
        if function.body.is_none() && is_linked(&function.name) {
            linker.define(func, kernel, call);
        }
        let function = &linker.module.functions[func];
        let from_library = linker.linked.contains(&func);
        function.walk(|_, data| {
            if let Op::Call(callee) | Op::CallElementwise(callee) = data.op
                && reached.insert(callee)
            {
                // Inside the library, the relevant position is that of the program's call into it.
                queue.push((callee, kernel, if from_library { call } else { data.span }));
            }
        });
    }
    if linker.errors.is_empty() { Ok(()) } else { Err(linker.errors) }
}

/// Sets the size of the memory through which work-groups compute.
fn size_scratch(module: &mut Module, profile: &DeviceProfile) {
    let groups = profile.max_work_group_invocations.div_ceil(profile.least_sub_group_size());
    for (_, global) in module.globals.iter_mut().filter(|(_, global)| global.name == WORK_GROUP_SCRATCH) {
        global.size = 8 * u64::from(groups);
    }
}

struct Linker<'a, 'l> {
    module: &'a mut Module,
    library: &'a Library<'l>,
    profile: &'a DeviceProfile,
    /// Whether variants are taken that the device prefers.
    may_prefer: bool,
    /// Maps the library's names to functions. A program's own function never replaces a library function.
    functions: FxHashMap<String, Func>,
    /// The library's names of functions that had to be renamed.
    renamed: FxHashMap<Func, String>,
    globals: FxHashMap<String, Global>,
    linked: FxHashSet<Func>,
    errors: Vec<TranslateError>,
}

impl<'a, 'l> Linker<'a, 'l> {
    fn new(module: &'a mut Module, library: &'a Library<'l>, profile: &'a DeviceProfile) -> Self {
        let declarations = module.functions.iter().filter(|(_, function)| function.body.is_none());
        let functions: FxHashMap<_, _> =
            declarations.map(|(func, function)| (function.name.clone(), func)).collect();
        Linker {
            module,
            library,
            profile,
            may_prefer: !functions.keys().any(|name| reads_levels(name)),
            functions,
            renamed: FxHashMap::default(),
            // The library's variables have their own names; the program's must not replace them.
            globals: FxHashMap::default(),
            linked: FxHashSet::default(),
            errors: Vec::new(),
        }
    }

    /// Gives a declaration the library's body.
    fn define(&mut self, func: Func, kernel: Func, call: Span) {
        let name = self.renamed.get(&func).unwrap_or(&self.module.functions[func].name).clone();
        match self.best(&name) {
            None => {
                if let Some(problem) = lacking(&name) {
                    let error = TranslateError::of_kernel(&self.module.functions[kernel], problem).at(call);
                    self.errors.push(error);
                }
            }
            Some(Err(error)) => self.damaged(&error),
            Some(Ok(found)) => {
                let declared = &self.module.functions[func];
                if signature(declared) != signature(&found.function) {
                    let problem = format!(
                        "declares `{name}` with types that differ from those of the library's function"
                    );
                    let error = TranslateError::of_kernel(&self.module.functions[kernel], problem).at(call);
                    self.errors.push(error);
                    return;
                }
                let mut function = self.import(found);
                function.name.clone_from(&self.module.functions[func].name);
                self.module.functions[func] = function;
                self.linked.insert(func);
            }
        }
    }

    /// The library's function of this name, or its variant for this device.
    fn best(&self, name: &str) -> Option<Result<LibraryFunction, LibraryError>> {
        let quirks =
            Quirk::ALL.iter().filter(|&&quirk| self.profile.has(quirk)).filter_map(|quirk| quirk.suffix());
        let given = Guarantee::ALL.iter().filter(|&&guarantee| self.profile.gives(guarantee));
        let is_preferred = |preference: Preference| self.may_prefer && self.profile.prefers(preference);
        let preferred = Preference::ALL.iter().filter(|&&preference| is_preferred(preference));
        let suffixes = quirks
            .chain(given.map(|guarantee| guarantee.suffix()))
            .chain(preferred.filter_map(|preference| preference.suffix()));
        let mut variants = suffixes.map(|suffix| format!("{name}{suffix}"));
        variants.find_map(|variant| self.library.function(&variant)).or_else(|| self.library.function(name))
    }

    fn damaged(&mut self, error: &LibraryError) {
        let problem = format!("needs the built-in library, which cannot be read: {error}");
        self.errors.push(TranslateError::of_program(problem).remedy("reinstall the compiler"));
    }

    /// A library function, with ids of the module.
    fn import(&mut self, found: LibraryFunction) -> Function {
        let LibraryFunction { mut function, callees, globals } = found;
        let callees: Vec<_> = callees.iter().map(|name| self.declare(name)).collect();
        let globals: Vec<_> = globals.iter().map(|name| self.global(name)).collect();
        function.kernel = None;
        function.span = Span::NONE;
        for (_, data) in function.insts.iter_mut() {
            data.span = Span::NONE;
            if let Op::Call(callee) | Op::CallElementwise(callee) = &mut data.op {
                *callee = callees[callee.index()];
            }
        }
        for (_, data) in function.values.iter_mut() {
            if let ValueDef::Global(global) = &mut data.def {
                match globals[global.index()] {
                    Some(found) => *global = found,
                    // An error was reported.
                    None => data.def = ValueDef::Constant(Constant::Undef),
                }
            }
        }
        function
    }

    /// The function of this name, declared if it is new.
    fn declare(&mut self, name: &str) -> Func {
        if let Some(&func) = self.functions.get(name) {
            return func;
        }
        // The types come with the body; a name that the library lacks is reported when it is processed.
        let mut free = name.to_owned();
        while self.module.function(&free).is_some() {
            free.push('\'');
        }
        let renamed = free != name;
        let mut declaration = Function::new(free, None);
        if let Some(Ok(found)) = self.library.function(name) {
            declaration.results.clone_from(&found.function.results);
            for &param in &found.function.params {
                declaration.add_param(found.function.ty(param));
            }
        }
        let func = self.module.functions.push(declaration);
        self.functions.insert(name.to_owned(), func);
        if renamed {
            self.renamed.insert(func, name.to_owned());
        }
        func
    }

    /// The library's variable of this name, added if it is new.
    fn global(&mut self, name: &str) -> Option<Global> {
        if let Some(&global) = self.globals.get(name) {
            return Some(global);
        }
        let found = match self.library.global(name) {
            Some(Ok(found)) => found,
            Some(Err(error)) => {
                self.damaged(&error);
                return None;
            }
            None => {
                let problem = format!("needs the variable `{name}`, which the built-in library lacks");
                self.errors.push(TranslateError::of_program(problem).remedy("reinstall the compiler"));
                return None;
            }
        };
        let data = GlobalData { name: self.free_name(name), ..found.global };
        let global = self.module.globals.push(data);
        // Inserted before its targets, which may point back.
        self.globals.insert(name.to_owned(), global);
        let targets: Vec<_> = found.targets.iter().map(|target| self.global(target)).collect();
        if let Initializer::Bytes { relocations, .. } = &mut self.module.globals[global].initializer {
            for relocation in relocations {
                relocation.target = targets[relocation.target.index()]?;
            }
        }
        Some(global)
    }

    /// The name, changed if the program has a variable of this name.
    fn free_name(&self, name: &str) -> String {
        let taken = |name: &str| self.module.globals.iter().any(|(_, global)| global.name == name);
        let mut free = name.to_owned();
        while taken(&free) {
            free.push('\'');
        }
        free
    }
}

fn signature(function: &Function) -> (Vec<clvk_ir::Type>, &[clvk_ir::Type]) {
    (function.params.iter().map(|&param| function.ty(param)).collect(), &function.results)
}

/// Whether it is a library function that reads levels of detail of an image.
fn reads_levels(name: &str) -> bool {
    name.starts_with("__clvk_read_image") && (name.ends_with("_level") || name.ends_with("_gradients"))
}

/// The error about a library function that does not exist: its name is `__clvk_NAME_TYPE`. `None` for other
/// functions.
fn lacking(name: &str) -> Option<String> {
    let (name, ty) = name.strip_prefix("__clvk_").and_then(|rest| rest.rsplit_once('_'))?;
    let ty = match ty {
        "f16" => "half",
        "f32" => "float",
        "f64" => "double",
        other => other,
    };
    Some(format!("calls the built-in function `{name}`, which is not supported for `{ty}`"))
}
