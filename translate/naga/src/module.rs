//! The module: types, buffers, tables, overrides and entry points.

use crate::kernel::{Kernel, Members};
use crate::{ShaderError, TexelFormats};
use clvk_interface::{
    ArgumentKind, BufferLocation, KernelInterface, LocalSize, ModuleInterface, ScalarType, ShaderBinding,
    ShaderResource, SpecConstants, TexelFormat, UniformBlock, ValueLocation,
};
use clvk_ir::{Function, Module, Scalar, Type};
use naga::{
    AddressSpace, ArraySize, BinaryOperator, EntryPoint, Expression, GlobalVariable, Handle, Literal,
    MemoryDecorations, Override, ResourceBinding, ScalarKind, ShaderStage, Span, StructMember, TypeInner,
    VectorSize,
};
use std::collections::{BTreeMap, BTreeSet};

/// What the text has as the work-group size of a kernel whose size overrides determine. naga's WGSL writer
/// does not write them (30.0), so [`text`](crate::text) replaces these numbers by their names.
pub const OVERRIDDEN_SIZE: [u32; 3] = [16381, 16369, 16363];

/// The same where work-groups are one row.
pub const OVERRIDDEN_ROW: [u32; 3] = [16349, 1, 1];

/// What the text has as the number of elements of an array that an override counts, less the override's
/// number: naga's WGSL writer omits the type of the elements then (30.0).
pub const COUNTED: u32 = 7_000_003;

/// Default of [`SpecConstants::LOCAL_SIZE_X`] and of the two after it.
const DEFAULT_SIZE: [u32; 3] = [64, 1, 1];

/// What a kernel binds, and its work-group size.
#[derive(Debug, Default)]
pub struct Resources {
    /// The uniform buffer.
    pub uniform: Option<UniformBlock>,
    /// All bindings.
    pub bindings: Vec<ShaderBinding>,
    /// The work-group size in the text, unless overrides determine it.
    pub work_group_size: Option<[u32; 3]>,
}

/// The module that is being built.
#[derive(Default)]
pub struct Builder {
    /// The module so far.
    pub module: naga::Module,
    overrides: BTreeMap<u32, Handle<Override>>,
    formats: TexelFormats,
    /// The images that kernels write.
    written_images: BTreeSet<String>,
    /// What is wrong with the formats.
    problems: Vec<ShaderError>,
}

/// Builds the module for the kernels, in the order of their interfaces.
///
/// # Errors
/// [`ShaderError::UnknownImage`], [`ShaderError::TexelFormat`].
pub fn build(
    raised: &Module,
    interface: &ModuleInterface,
    formats: &TexelFormats,
) -> Result<(naga::Module, Vec<Resources>), ShaderError> {
    let mut builder = Builder { formats: formats.clone(), ..Builder::default() };
    let mut kernels = Vec::new();
    for kernel in &interface.kernels {
        let function = raised.function(&kernel.name).expect("each interface has its kernel");
        kernels.push(builder.entry_point(&raised.functions[function], kernel));
    }
    if let Some(problem) = builder.problems.pop() {
        return Err(problem);
    }
    match formats.keys().find(|name| !builder.written_images.contains(*name)) {
        Some(unknown) => Err(ShaderError::UnknownImage(unknown.clone())),
        None => Ok((builder.module, kernels)),
    }
}

impl Builder {
    fn entry_point(&mut self, function: &Function, interface: &KernelInterface) -> Resources {
        let mut resources = Resources::default();
        // Kernels with sub-groups run as one row of work-items, so that sub-groups hold consecutive ones.
        let row = interface.sub_groups;
        let size = known_size(interface).map(|size| match row {
            true => [size.iter().product(), 1, 1],
            false => size,
        });
        resources.work_group_size = size;
        let written = Kernel::write(self, function, interface, &mut resources);
        resources.bindings.sort_by_key(|binding| binding.binding);
        let workgroup_size_overrides = size.is_none().then(|| {
            let sizes = [0, 1, 2].map(|dimension| {
                let size = self.spec_constant(SpecConstants::LOCAL_SIZE_X + dimension, "");
                self.global_expression(Expression::Override(size))
            });
            if !row {
                return sizes.map(Some);
            }
            let op = BinaryOperator::Multiply;
            let plane = self.global_expression(Expression::Binary { op, left: sizes[0], right: sizes[1] });
            let row = self.global_expression(Expression::Binary { op, left: plane, right: sizes[2] });
            [Some(row), None, None]
        });
        self.module.entry_points.push(EntryPoint {
            name: function.name.clone(),
            stage: ShaderStage::Compute,
            early_depth_test: None,
            workgroup_size: size.unwrap_or(if row { OVERRIDDEN_ROW } else { OVERRIDDEN_SIZE }),
            workgroup_size_overrides,
            function: written,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
        resources
    }

    fn global_expression(&mut self, expression: Expression) -> Handle<Expression> {
        self.module.global_expressions.append(expression, Span::UNDEFINED)
    }

    /// The override of a specialisation constant; `name` is that of the `__local` argument whose elements it
    /// counts, if it is one.
    pub fn spec_constant(&mut self, id: u32, name: &str) -> Handle<Override> {
        if let Some(&known) = self.overrides.get(&id) {
            return known;
        }
        let dimension = (id % 3) as usize;
        let axis = ["x", "y", "z"][dimension];
        let (name, default) = match id {
            0..SpecConstants::ENQUEUED_LOCAL_SIZE_X => {
                let default = Expression::Literal(Literal::U32(DEFAULT_SIZE[dimension]));
                (format!("local_size_{axis}"), Some(default))
            }
            SpecConstants::ENQUEUED_LOCAL_SIZE_X..SpecConstants::FIRST_LOCAL_ARGUMENT => {
                let own = self.spec_constant(id - SpecConstants::ENQUEUED_LOCAL_SIZE_X, "");
                (format!("enqueued_local_size_{axis}"), Some(Expression::Override(own)))
            }
            _ => (format!("{name}_elements"), None),
        };
        let init =
            default.map(|expression| self.module.global_expressions.append(expression, Span::UNDEFINED));
        let ty = self.value_type(Type::I32);
        let id_in_text = u16::try_from(id).expect("there are fewer arguments than that");
        let constant = Override { name: Some(name), id: Some(id_in_text), ty, init };
        let handle = self.module.overrides.append(constant, Span::UNDEFINED);
        self.overrides.insert(id, handle);
        handle
    }

    /// The format of an image that a kernel writes.
    pub fn texel_format(&mut self, kernel: &Function, image: &str, written: ScalarType) -> TexelFormat {
        self.written_images.insert(image.to_owned());
        let usual = TexelFormat::usual(written);
        let format = self.formats.get(image).copied().unwrap_or(usual);
        if format.element() != written {
            let (kernel, image) = (kernel.name.clone(), image.to_owned());
            self.problems.push(ShaderError::TexelFormat { kernel, image, format, written });
            return usual;
        }
        format
    }

    /// A type, made once.
    pub fn ty(&mut self, inner: TypeInner) -> Handle<naga::Type> {
        self.module.types.insert(naga::Type { name: None, inner }, Span::UNDEFINED)
    }

    /// The type of a value.
    pub fn value_type(&mut self, ty: Type) -> Handle<naga::Type> {
        self.ty(value_inner(ty))
    }

    /// An array, with the distance of elements that a buffer has.
    pub fn array(&mut self, base: Handle<naga::Type>, element: Type, size: ArraySize) -> Handle<naga::Type> {
        let scalar = element.scalar().map_or(4, Scalar::size);
        let stride = scalar * element.lanes().next_power_of_two();
        self.ty(TypeInner::Array { base, size, stride })
    }

    /// A variable at module scope.
    pub fn global(
        &mut self,
        name: &str,
        space: AddressSpace,
        binding: Option<u32>,
        ty: Handle<naga::Type>,
        init: Option<Handle<Expression>>,
    ) -> Handle<GlobalVariable> {
        let variable = GlobalVariable {
            name: Some(name.replace([' ', '-', '.'], "_")),
            space,
            binding: binding.map(|binding| ResourceBinding { group: 0, binding }),
            ty,
            init,
            memory_decorations: MemoryDecorations::empty(),
        };
        self.module.global_variables.append(variable, Span::UNDEFINED)
    }

    /// The uniform block of a kernel, with a member for each offset and type that it reads, and the position
    /// of each. Words between them are padding.
    pub fn uniform_block(
        &mut self,
        interface: &KernelInterface,
        reads: &[(u32, Type)],
        resources: &mut Resources,
    ) -> (Handle<GlobalVariable>, Members) {
        let (mut members, mut positions, mut end) = (Vec::new(), Members::default(), 0);
        let word = self.value_type(Type::I32);
        let member = |name: String, ty, offset| StructMember { name: Some(name), ty, binding: None, offset };
        for &(offset, ty) in reads {
            while end < offset {
                members.push(member(format!("padding_{end}"), word, end));
                end += 4;
            }
            positions.insert((offset, ty), members.len() as u32);
            let name = member_name(interface, offset);
            members.push(member(name, self.value_type(ty), offset));
            end = offset + ty.access_size();
        }
        let size = end.max(interface.push_constant_size).next_multiple_of(16);
        while end < size {
            members.push(member(format!("padding_{end}"), word, end));
            end += 4;
        }
        let name = Some(format!("{}_arguments", interface.name));
        let inner = TypeInner::Struct { members, span: size };
        let ty = self.module.types.insert(naga::Type { name, inner }, Span::UNDEFINED);
        let binding = free_binding(interface);
        resources.uniform = Some(UniformBlock { binding, size });
        let resource = ShaderResource::Uniform;
        let name = format!("{}_uniform", interface.name);
        resources.bindings.push(ShaderBinding { binding, resource, name: "arguments".to_owned() });
        (self.global(&name, AddressSpace::Uniform, Some(binding), ty, None), positions)
    }
}

/// The kernel's work-group size, unless overrides determine it.
pub fn known_size(interface: &KernelInterface) -> Option<[u32; 3]> {
    match interface.local_size {
        LocalSize::Required(size) => Some(size),
        LocalSize::Specialised | LocalSize::RequiredWhole(_) => None,
    }
}

/// The first binding after all those of the kernel's interface.
fn free_binding(interface: &KernelInterface) -> u32 {
    let of_argument = |kind: &ArgumentKind| match *kind {
        ArgumentKind::StorageBuffer { binding, .. } | ArgumentKind::Sampler { binding, .. } => {
            Some(binding + 1)
        }
        ArgumentKind::Image { binding, levels, .. } => Some(binding + levels),
        _ => None,
    };
    let arguments = interface.arguments.iter().filter_map(|argument| of_argument(&argument.kind));
    let samplers = interface.samplers.iter().map(|sampler| sampler.binding + 1);
    let buffers = interface.buffer_locations().filter_map(|location| match location {
        BufferLocation::Descriptor { binding } => Some(binding + 1),
        BufferLocation::Address { .. } => None,
    });
    arguments.chain(samplers).chain(buffers).max().unwrap_or(0)
}

/// A name for what is at an offset of the uniform block, for readers.
fn member_name(interface: &KernelInterface, offset: u32) -> String {
    let vectors = [
        ("global_offset", interface.global_offset),
        ("global_size", interface.global_size),
        ("group_offset", interface.group_offset),
    ];
    for (name, place) in vectors {
        if let Some(lane) = place.and_then(|place| offset.checked_sub(place)).filter(|bytes| *bytes < 12) {
            return format!("{name}_{}", ["x", "y", "z"][lane as usize / 4]);
        }
    }
    if interface.work_dim == Some(offset) {
        return "work_dim".to_owned();
    }
    for argument in &interface.arguments {
        let name = &argument.name;
        match &argument.kind {
            ArgumentKind::Value { location: ValueLocation::PushConstant { offset: start }, size } => {
                if offset == *start && argument.element != ScalarType::Opaque {
                    return name.clone();
                }
                if (*start..start + size).contains(&offset) {
                    return format!("{name}_at_{}", offset - start);
                }
            }
            ArgumentKind::StorageBuffer { offset_location, .. }
                if *offset_location == (ValueLocation::PushConstant { offset }) =>
            {
                return format!("{name}_offset");
            }
            ArgumentKind::Image { words, .. } => {
                let word = words.iter().find(|word| word.1 == ValueLocation::PushConstant { offset });
                if let Some((query, _)) = word {
                    return format!("{name}_{query:?}").to_lowercase();
                }
            }
            ArgumentKind::Sampler { word_location, .. }
                if *word_location == Some(ValueLocation::PushConstant { offset }) =>
            {
                return format!("{name}_properties");
            }
            _ => {}
        }
    }
    format!("word_{offset}")
}

/// A scalar of naga's. Integers have no sign in the IR and are unsigned here.
pub fn scalar(scalar: Scalar) -> naga::Scalar {
    match scalar {
        Scalar::Bool => naga::Scalar::BOOL,
        Scalar::F16 => naga::Scalar::F16,
        Scalar::F32 => naga::Scalar::F32,
        Scalar::I32 => naga::Scalar::U32,
        other => unreachable!("the verifier lets no {other:?} through"),
    }
}

/// The type of a value.
pub fn value_inner(ty: Type) -> TypeInner {
    let element = scalar(ty.scalar().expect("values are scalars and vectors"));
    match vector_size(ty.lanes()) {
        Some(size) => TypeInner::Vector { size, scalar: element },
        None => TypeInner::Scalar(element),
    }
}

/// The size of a vector; `None` for a scalar.
pub fn vector_size(lanes: u32) -> Option<VectorSize> {
    match lanes {
        2 => Some(VectorSize::Bi),
        3 => Some(VectorSize::Tri),
        4 => Some(VectorSize::Quad),
        _ => None,
    }
}

/// The kind of a scalar.
pub fn kind(ty: Type) -> ScalarKind {
    scalar(ty.scalar().expect("values are scalars and vectors")).kind
}
