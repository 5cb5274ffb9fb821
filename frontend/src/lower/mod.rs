//! From the checked program to the IR.
//!
//! This module makes no decisions about the language: [`crate::hir`] says what happens, and this module says
//! how the IR expresses it. Every parameter and automatic variable becomes an `alloca` at the start of its
//! function; the translation's passes promote them. Calling conventions:
//! - A structure parameter is a private pointer to the caller's object, which the callee copies before
//!   anything else.
//! - A structure result is written through a private pointer that is the first parameter.
//! - `bool` is `Scalar::Bool` as a value and a byte in memory.
//!
//! Files: [`mod@self`] creates the module; `function` holds the state for one function; `statement` and
//! `switch` lower control flow, `flow` unstructured control flow, `expression`, `place` and `convert` values,
//! and `builtin*` the built-in functions.

mod async_copy;
mod block;
mod builtin;
mod builtin_common;
mod builtin_memory;
mod convert;
mod enqueue;
mod expression;
mod float;
mod flow;
mod function;
mod geometric;
mod group;
mod image;
mod matrix;
mod order;
mod overflow;
mod pipe;
mod place;
mod print;
mod statement;
mod switch;
mod synchronization;

use self::float::FloatPolicy;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::hir::sequence::Rules;
use crate::hir::{self, Linkage, Program};
use crate::options::{LanguageVersion, Options};
use crate::types::{OpaqueType, QualifiedType, ScalarKind, TypeId, TypeKind};
use clvk_ir::{
    AddressSpace, FastMath, Func, Function, Global, GlobalData, Initializer, KernelInfo, KernelParam,
    KernelParamKind, Module, Relocation, Scalar, Type,
};
use function::FunctionLowering;
use rustc_hash::FxHashMap;

/// Lowers a checked program. Legal code that lowering does not support is reported; then the result is
/// `None`.
pub fn lower(program: &Program, options: &Options, diagnostics: &mut Diagnostics) -> Option<Module> {
    let errors = diagnostics.error_count();
    let module = Module { print_formats: program.print_formats.clone(), ..Module::default() };
    let mut lowering = Lowering {
        program,
        diagnostics,
        fast_math: fast_math(options),
        marks_arrays: options.marks_arrays,
        marks_arithmetic: options.marks_arithmetic,
        marks_order: options.marks_order.then_some(if options.cxx.is_some() { Rules::Cxx } else { Rules::C }),
        float_policy: FloatPolicy::new(options),
        uniform_work_groups: options.uniform_work_group_size || options.version < LanguageVersion::C20,
        flush_subnormals: options.denorms_are_zero,
        module,
        functions: Vec::new(),
        globals: Vec::new(),
        library: FxHashMap::default(),
        block_kernels: FxHashMap::default(),
    };
    lowering.declare_globals();
    lowering.declare_functions();
    lowering.define_functions();
    let Lowering { module, diagnostics, .. } = lowering;
    (diagnostics.error_count() == errors).then_some(module)
}

/// The rewrites that the build options allow everywhere (OpenCL API §5.8.6.3). Contraction is decided for
/// each function: [`hir::Function::contract`].
fn fast_math(options: &Options) -> FastMath {
    let mut flags = FastMath::empty();
    flags.set(FastMath::REASSOCIATE | FastMath::RECIPROCAL, options.unsafe_math);
    flags.set(FastMath::NO_NAN | FastMath::NO_INF, options.finite_math_only);
    flags.set(FastMath::NO_SIGNED_ZERO, options.no_signed_zeros);
    flags.set(FastMath::APPROXIMATE, options.fast_relaxed_math);
    flags
}

/// State for a program.
struct Lowering<'p> {
    program: &'p Program,
    diagnostics: &'p mut Diagnostics,
    fast_math: FastMath,
    /// Whether pointers into arrays say where these end.
    marks_arrays: bool,
    /// Whether shifts and arithmetic of signed integers are marked.
    marks_arithmetic: bool,
    /// Whether accesses of one expression that nothing orders say so, and in which language.
    marks_order: Option<Rules>,
    float_policy: FloatPolicy,
    uniform_work_groups: bool,
    flush_subnormals: bool,
    module: Module,
    functions: Vec<Func>,
    globals: Vec<Global>,
    /// Declarations of library functions, by name.
    library: FxHashMap<String, Func>,
    /// The kernels of enqueued blocks.
    block_kernels: FxHashMap<hir::FunctionId, Func>,
}

impl Lowering<'_> {
    fn declare_globals(&mut self) {
        for global in &self.program.globals {
            let size = self.room(global.ty.ty);
            let initializer = match &global.initializer {
                _ if global.space == AddressSpace::Local => Initializer::None,
                None => Initializer::Zero,
                Some(data) => Initializer::Bytes {
                    bytes: data.bytes.clone(),
                    relocations: data
                        .pointers
                        .iter()
                        .map(|&(offset, target, addend)| Relocation {
                            offset,
                            target: clvk_ir::EntityId::from_index(target.0 as usize),
                            addend,
                        })
                        .collect(),
                },
            };
            let data = GlobalData {
                name: global.name.clone(),
                space: global.space,
                size,
                align: global.align,
                is_read_only: self.is_read_only(global),
                initializer,
            };
            match global.linkage {
                Linkage::Internal => drop(self.module.linkage.internal_globals.insert(data.name.clone())),
                Linkage::Declared => drop(self.module.linkage.declared_globals.insert(data.name.clone())),
                Linkage::External => {}
            }
            self.globals.push(self.module.globals.push(data));
        }
    }

    /// Whether a variable in global memory keeps its contents: it is constant, and initialised before
    /// anything runs. Objects of classes may have `mutable` members, and destructors.
    fn is_read_only(&self, global: &hir::Global) -> bool {
        let mut qualifiers = global.ty.qualifiers;
        let mut element = global.ty.ty;
        while let TypeKind::Array { element: next, .. } = self.program.types.kind(element) {
            qualifiers = qualifiers.union(next.qualifiers);
            element = next.ty;
        }
        global.space == AddressSpace::Global
            && global.initializer.is_some()
            && (qualifiers.is_const && !qualifiers.is_volatile)
            && global.linkage != Linkage::Declared
            && !self.is_record(element)
    }

    fn declare_functions(&mut self) {
        for function in &self.program.functions {
            let mut declared = Function::new(function.link_name.clone(), self.value_type(function.result));
            if self.is_record(function.result) {
                declared.add_param(Type::Pointer(AddressSpace::Private));
            }
            for param in &function.locals[..function.param_count] {
                declared.add_param(self.param_type(self.taken_type(function, param.ty.ty)));
            }
            for capture in &function.captures {
                declared.add_param(self.param_type(function.locals[capture.0 as usize].ty.ty));
            }
            // A kernel that is only declared counts as a function of another program: the host cannot launch
            // it.
            let kernel = function.kernel.as_ref().filter(|_| function.body.is_some());
            declared.kernel = kernel.map(|kernel| self.kernel_info(function, kernel));
            declared.span = function.span;
            if function.is_internal {
                self.module.linkage.internal_functions.insert(declared.name.clone());
            }
            self.functions.push(self.module.functions.push(declared));
        }
    }

    fn define_functions(&mut self) {
        for (index, function) in self.program.functions.iter().enumerate() {
            if let Some(body) = &function.body {
                let id = self.functions[index];
                let declared = std::mem::take(&mut self.module.functions[id]);
                self.module.functions[id] = FunctionLowering::new(self, function, declared).run(body);
            }
        }
    }

    /// The type of what a function takes for a parameter: kernels take what a class wraps.
    fn taken_type(&self, function: &hir::Function, ty: TypeId) -> TypeId {
        let wrapped = function.kernel.as_ref().and_then(|_| self.program.types.wrapped(ty));
        wrapped.unwrap_or(ty)
    }

    fn kernel_info(&self, function: &hir::Function, kernel: &hir::Kernel) -> KernelInfo {
        let params = function.locals[..function.param_count]
            .iter()
            .enumerate()
            .map(|(index, param)| {
                let ty = QualifiedType { ty: self.taken_type(function, param.ty.ty), ..param.ty };
                let (element, signed) = self.host_element(ty.ty);
                KernelParam {
                    name: param.name.clone(),
                    type_name: kernel.param_type_names.get(index).cloned().unwrap_or_default(),
                    element,
                    signed,
                    kind: self.kernel_param_kind(ty),
                    max_size: kernel.max_sizes.get(index).copied().flatten(),
                }
            })
            .collect();
        KernelInfo {
            params,
            required_work_group_size: kernel.required_work_group_size,
            uniform_work_groups: self.uniform_work_groups,
            flush_subnormals: self.flush_subnormals,
            work_group_size_hint: kernel.work_group_size_hint,
            vec_type_hint: kernel.vec_type_hint.clone(),
            required_sub_groups: kernel.required_sub_groups,
            is_block: false,
            hook: kernel.hook,
        }
    }

    /// Element type and lanes of the value or buffer that the host passes, and whether it is signed.
    fn host_element(&self, ty: TypeId) -> (Option<(Scalar, u32)>, bool) {
        let ty = match self.program.types.kind(ty) {
            TypeKind::Pointer { pointee, .. } => pointee.ty,
            _ => ty,
        };
        match self.program.types.as_arithmetic(ty) {
            Some((ScalarKind::Bool, lanes)) => (Some((Scalar::I8, lanes)), false),
            Some((kind, lanes)) => (Some((kind.scalar(), lanes)), kind.is_signed()),
            None => (None, false),
        }
    }

    fn kernel_param_kind(&self, ty: QualifiedType) -> KernelParamKind {
        match self.program.types.kind(ty.ty) {
            TypeKind::Pointer { space: AddressSpace::Local, pointee } => KernelParamKind::Local {
                read_only: pointee.qualifiers.is_const,
                restrict: ty.qualifiers.is_restrict,
                volatile: pointee.qualifiers.is_volatile,
            },
            TypeKind::Pointer { pointee, space } => KernelParamKind::Buffer {
                read_only: pointee.qualifiers.is_const || *space == AddressSpace::Constant,
                restrict: ty.qualifiers.is_restrict,
                volatile: pointee.qualifiers.is_volatile,
            },
            TypeKind::Image(image) => KernelParamKind::Image(*image),
            TypeKind::Sampler => KernelParamKind::Sampler,
            TypeKind::Opaque(OpaqueType::Queue) => KernelParamKind::Queue,
            TypeKind::Opaque(OpaqueType::Pipe { writable, .. }) => {
                KernelParamKind::Pipe { writes: *writable }
            }
            _ => {
                let (size, align) = self.layout(ty.ty);
                KernelParamKind::Value { size: size as u32, align }
            }
        }
    }

    fn is_record(&self, ty: TypeId) -> bool {
        matches!(self.program.types.kind(ty), TypeKind::Record(_) | TypeKind::Opaque(OpaqueType::NdRange))
            && self.program.types.handle(ty).is_none()
    }

    /// Size and alignment of a complete type.
    fn layout(&self, ty: TypeId) -> (u64, u32) {
        self.program.types.layout(ty).expect("objects have complete types")
    }

    /// The bytes that an object of a type takes; at least one, because an object without size also has an
    /// address.
    fn room(&self, ty: TypeId) -> u64 {
        self.layout(ty).0.max(1)
    }

    /// The IR type of values of a type; `None` for `void` and structures.
    fn value_type(&self, ty: TypeId) -> Option<Type> {
        let ty = self.program.types.handle(ty).unwrap_or(ty);
        match self.program.types.kind(ty) {
            TypeKind::Pointer { space, .. } => Some(Type::Pointer(*space)),
            TypeKind::Image(image) => Some(Type::Image(*image)),
            TypeKind::Sampler => Some(Type::Sampler),
            TypeKind::BFloat16 => Some(Type::I16),
            TypeKind::Matrix(matrix) => Some(Type::Matrix(matrix.ir())),
            TypeKind::Opaque(OpaqueType::Pipe { .. }) => Some(Type::Pointer(AddressSpace::Global)),
            TypeKind::Opaque(OpaqueType::NdRange) => None,
            // Handles are 64-bit numbers.
            TypeKind::Event | TypeKind::Opaque(_) => Some(Type::I64),
            _ => {
                let (kind, lanes) = self.program.types.as_arithmetic(ty)?;
                Some(Type::with_lanes(kind.scalar(), lanes))
            }
        }
    }

    fn param_type(&self, ty: TypeId) -> Type {
        self.value_type(ty).unwrap_or(Type::Pointer(AddressSpace::Private))
    }

    /// The declaration of a library function, created at its first use.
    fn library_function(&mut self, name: String, params: &[Type], result: Option<Type>) -> Func {
        if let Some(&func) = self.library.get(&name) {
            return func;
        }
        let existing = self.module.function(&name);
        let func = existing.unwrap_or_else(|| {
            let mut function = Function::new(name.clone(), result);
            for &param in params {
                function.add_param(param);
            }
            self.module.functions.push(function)
        });
        self.library.insert(name, func);
        func
    }

    fn unsupported(&mut self, span: crate::Span, what: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(span, what));
    }
}
