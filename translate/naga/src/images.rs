//! Images and samplers.

use crate::kernel::Kernel;
use crate::module::{kind, vector_size};
use clvk_interface::{ScalarType, ShaderResource, TexelFormat};
use clvk_ir::{ImageDimension, ImageOp, ImageType, Inst, Op, SampledType, Scalar, Type};
use naga::{
    AddressSpace, Expression, Handle, ImageClass, MathFunction, SampleLevel, ScalarKind, Statement,
    StorageAccess, StorageFormat, TypeInner,
};

impl Kernel<'_, '_> {
    /// The type of an image, and what is bound.
    fn image_resource(&mut self, binding: u32, image: ImageType) -> (TypeInner, ShaderResource) {
        let dim = match image.dimension {
            ImageDimension::D1 | ImageDimension::D1Array | ImageDimension::D1Buffer => {
                naga::ImageDimension::D1
            }
            ImageDimension::D3 => naga::ImageDimension::D3,
            _ => naga::ImageDimension::D2,
        };
        let arrayed = is_arrayed(image);
        if image.writable {
            let name = self.argument_name(binding).unwrap_or_default().to_owned();
            let format = self.builder.texel_format(self.function, &name, element(image));
            let class = ImageClass::Storage { format: storage_format(format), access: StorageAccess::STORE };
            return (TypeInner::Image { dim, arrayed, class }, ShaderResource::StorageTexture { format });
        }
        let class = ImageClass::Sampled { kind: texel_kind(image), multi: false };
        (TypeInner::Image { dim, arrayed, class }, ShaderResource::Texture)
    }

    /// The image or sampler that an operand is.
    fn handle(&mut self, inst: Inst, position: usize) -> Handle<Expression> {
        let value = self.function.insts[inst].operands[position];
        let Some(made) = self.function.defining_inst(value) else { self.left(inst) };
        let (binding, inner, resource) = match (&self.function.insts[made].op, self.function.ty(value)) {
            (Op::ImageBinding { binding }, Type::Image(image)) => {
                let (inner, resource) = self.image_resource(*binding, image);
                (*binding, inner, resource)
            }
            (Op::SamplerBinding { binding }, _) => {
                (*binding, TypeInner::Sampler { comparison: false }, ShaderResource::Sampler)
            }
            _ => self.left(inst),
        };
        let variable = match self.handles.get(&binding) {
            Some(&known) => known,
            None => {
                let name = format!("binding_{binding}");
                self.bind(binding, resource, &name);
                let name = self.resources.bindings.last().expect("it was just added").name.clone();
                let ty = self.builder.ty(inner);
                let variable = self.builder.global(&name, AddressSpace::Handle, Some(binding), ty, None);
                self.handles.insert(binding, variable);
                variable
            }
        };
        self.fixed(Expression::GlobalVariable(variable))
    }

    /// Writes an image operation.
    pub fn image(&mut self, inst: Inst, op: ImageOp) -> Handle<Expression> {
        let Type::Image(image) = self.operand_type(inst, 0) else { self.left(inst) };
        let view = self.handle(inst, 0);
        let texel = match op {
            ImageOp::SampledRead => {
                let sampler = self.handle(inst, 1);
                let (coordinate, layer) = self.coordinate(inst, 2, image);
                let array_index = layer.map(|layer| self.nearest(layer));
                let level = SampleLevel::Exact(self.operand(inst, 3));
                self.add(Expression::ImageSample {
                    image: view,
                    sampler,
                    gather: None,
                    coordinate,
                    array_index,
                    offset: None,
                    level,
                    depth_ref: None,
                    clamp_to_edge: false,
                })
            }
            ImageOp::Read { .. } => {
                let (coordinate, array_index) = self.coordinate(inst, 1, image);
                let is_given = self.function.insts[inst].operands.len() > 2;
                let level = if is_given { self.operand(inst, 2) } else { self.word(0) };
                self.add(Expression::ImageLoad {
                    image: view,
                    coordinate,
                    array_index,
                    sample: None,
                    level: Some(level),
                })
            }
            // The verifier lets no query and no sampler for texels through, and a write is a statement.
            ImageOp::Write { .. } | ImageOp::Query(_) | ImageOp::SampledTexel => self.left(inst),
        };
        let result = kind(self.function.ty(self.function.insts[inst].results[0]));
        if texel_kind(image) == result { texel } else { self.reinterpret(texel, result) }
    }

    /// Writes a write to an image.
    pub fn image_write(&mut self, inst: Inst) {
        let Type::Image(image) = self.operand_type(inst, 0) else { self.left(inst) };
        let view = self.handle(inst, 0);
        let (coordinate, array_index) = self.coordinate(inst, 1, image);
        let texel = self.operand(inst, 2);
        let wanted = texel_kind(image);
        let value = match kind(self.operand_type(inst, 2)) == wanted {
            true => texel,
            false => self.reinterpret(texel, wanted),
        };
        self.statement(Statement::ImageStore { image: view, coordinate, array_index, value });
    }

    /// The coordinates of a texel, and its layer.
    fn coordinate(
        &mut self,
        inst: Inst,
        position: usize,
        image: ImageType,
    ) -> (Handle<Expression>, Option<Handle<Expression>>) {
        let all = self.operand(inst, position);
        if !is_arrayed(image) {
            return (all, None);
        }
        let ty = self.operand_type(inst, position);
        let scalar = ty.scalar().unwrap_or(Scalar::I32);
        let lanes = image.dimension.coordinate_lanes();
        let lane = |kernel: &mut Self, index| kernel.add(Expression::AccessIndex { base: all, index });
        let place: Vec<_> = (0..lanes - 1).map(|index| lane(self, index)).collect();
        let layer = lane(self, lanes - 1);
        let place = match vector_size(lanes - 1) {
            Some(_) => self.compose(Type::with_lanes(scalar, lanes - 1), place),
            None => place[0],
        };
        (place, Some(layer))
    }

    /// The nearest integer.
    fn nearest(&mut self, number: Handle<Expression>) -> Handle<Expression> {
        let fun = MathFunction::Round;
        let expr = self.add(Expression::Math { fun, arg: number, arg1: None, arg2: None, arg3: None });
        self.add(Expression::As { expr, kind: ScalarKind::Sint, convert: Some(4) })
    }
}

fn is_arrayed(image: ImageType) -> bool {
    matches!(
        image.dimension,
        ImageDimension::D1Array | ImageDimension::D2Array | ImageDimension::D2ArrayDepth
    )
}

fn texel_kind(image: ImageType) -> ScalarKind {
    match image.sampled {
        SampledType::Sint => ScalarKind::Sint,
        SampledType::Uint => ScalarKind::Uint,
        SampledType::Float | SampledType::Unknown => ScalarKind::Float,
    }
}

/// What the host sees of a texel.
fn element(image: ImageType) -> ScalarType {
    match image.sampled {
        SampledType::Sint => ScalarType::I32,
        SampledType::Uint => ScalarType::U32,
        SampledType::Float | SampledType::Unknown => ScalarType::F32,
    }
}

fn storage_format(format: TexelFormat) -> StorageFormat {
    match format {
        TexelFormat::Rgba8Unorm => StorageFormat::Rgba8Unorm,
        TexelFormat::Rgba8Snorm => StorageFormat::Rgba8Snorm,
        TexelFormat::Rgba8Uint => StorageFormat::Rgba8Uint,
        TexelFormat::Rgba8Sint => StorageFormat::Rgba8Sint,
        TexelFormat::Rgba16Uint => StorageFormat::Rgba16Uint,
        TexelFormat::Rgba16Sint => StorageFormat::Rgba16Sint,
        TexelFormat::Rgba16Float => StorageFormat::Rgba16Float,
        TexelFormat::R32Uint => StorageFormat::R32Uint,
        TexelFormat::R32Sint => StorageFormat::R32Sint,
        TexelFormat::R32Float => StorageFormat::R32Float,
        TexelFormat::Rg32Uint => StorageFormat::Rg32Uint,
        TexelFormat::Rg32Sint => StorageFormat::Rg32Sint,
        TexelFormat::Rg32Float => StorageFormat::Rg32Float,
        TexelFormat::Rgba32Uint => StorageFormat::Rgba32Uint,
        TexelFormat::Rgba32Sint => StorageFormat::Rgba32Sint,
        TexelFormat::Rgba32Float => StorageFormat::Rgba32Float,
    }
}
