//! Whether a device has an engine for everything that a program does with matrices.

use super::as_matrix;
use crate::passes::cursor::replace_where;
use crate::passes::{Context, sanitize};
use clvk_interface::{DeviceProfile, MatrixElement, MatrixProduct, Quirk};
use clvk_ir::{
    ElementType, Function, ImageOp, InstData, MatrixOp, MatrixSigns, MatrixType, MatrixUse, Module, Op, Type,
};

/// Whether the device computes all matrices of the module.
pub fn supports(context: &Context<'_, '_>) -> bool {
    let profile = context.profile;
    // Accesses are checked one by one in robust mode.
    if context.options.robust || !has_engine(profile) {
        return false;
    }
    let checked = sanitize::checks_memory(context);
    context.module.functions.iter().all(|(_, function)| function_fits(profile, function, checked))
}

/// Whether there is an engine, and what its instructions demand: Vulkan's memory model and full sub-groups.
fn has_engine(profile: &DeviceProfile) -> bool {
    !profile.matrices.is_empty()
        && profile.vulkan_memory_model
        && !profile.has(Quirk::MemoryBarrierMeets)
        && profile.has_sub_groups()
        && profile.compute_full_subgroups
}

fn function_fits(profile: &DeviceProfile, function: &Function, checked: bool) -> bool {
    let mut fits = true;
    function.walk(|_, data| {
        let types = data.operands.iter().chain(&data.results).map(|&value| function.ty(value));
        fits &= types.filter_map(as_matrix).all(|matrix| has_type(profile, matrix));
        fits &= match data.op {
            Op::Matrix(MatrixOp::Fill) if checked && is_zero(function, data) => true,
            Op::Matrix(MatrixOp::MulAdd(signs)) => has_product(profile, function, data, signs),
            Op::Matrix(MatrixOp::Fill | MatrixOp::Insert | MatrixOp::Scale) => {
                data.operands.iter().all(|&operand| keeps(profile, function.ty(operand)))
            }
            Op::Matrix(MatrixOp::Extract) => {
                data.results.iter().all(|&result| keeps(profile, function.ty(result)))
            }
            // Images are written in GLSL's memory model.
            Op::Image(ImageOp::Write { .. }) => false,
            _ => true,
        };
    });
    fits
}

/// Whether the elements of a matrix are those of a product, whatever their sign.
fn is_of(element: MatrixElement, of: ElementType) -> bool {
    use MatrixElement::{BF16, F16, F32, F64};
    match of {
        ElementType::BFloat16 => element == BF16,
        ElementType::Scalar(_) if element == BF16 => false,
        ElementType::Scalar(scalar) => {
            element.bits() == scalar.bits() && matches!(element, F16 | F32 | F64) == scalar.is_float()
        }
    }
}

/// Whether such matrices take part in a product.
fn has_type(profile: &DeviceProfile, matrix: MatrixType) -> bool {
    let shape = (u32::from(matrix.rows), u32::from(matrix.columns));
    profile.matrices.iter().any(|product| {
        let MatrixProduct { m, n, k, elements: [a, b, c, _] } = *product;
        let (of, element) = match matrix.usage {
            MatrixUse::A => ((m, k), a),
            MatrixUse::B => ((k, n), b),
            MatrixUse::Accumulator => ((m, n), c),
        };
        of == shape && is_of(element, matrix.element)
    })
}

fn has_product(profile: &DeviceProfile, function: &Function, data: &InstData, signs: MatrixSigns) -> bool {
    let matrices: Vec<MatrixType> =
        data.operands.iter().filter_map(|&operand| as_matrix(function.ty(operand))).collect();
    let [a, b, c] = matrices[..] else { return false };
    let wanted = [(a, signs.a), (b, signs.b), (c, signs.c), (c, signs.c)];
    let shape = (u32::from(c.rows), u32::from(c.columns), u32::from(a.columns));
    profile.matrices.iter().any(|product| {
        (product.m, product.n, product.k) == shape
            && product.elements.iter().zip(wanted).all(|(&element, (matrix, signed))| {
                is_of(element, matrix.element) && (matrix.element.is_float() || element.is_signed() == signed)
            })
    })
}

fn is_zero(function: &Function, data: &InstData) -> bool {
    function.as_bits(data.operands[0]) == Some(0)
}

/// Makes constants of matrices of zeros whose elements would not keep their type.
pub fn settle_zeros(module: &mut Module, profile: &DeviceProfile) {
    for (_, function) in module.functions.iter_mut().filter(|(_, function)| function.body.is_some()) {
        replace_where(function, |cursor, inst| {
            let data = &cursor.function.insts[inst];
            let is_fill = data.op == Op::Matrix(MatrixOp::Fill) && is_zero(cursor.function, data);
            if !is_fill || keeps(profile, cursor.function.ty(data.operands[0])) {
                return None;
            }
            let ty = cursor.function.ty(data.results[0]);
            Some(cursor.function.zero(ty))
        });
    }
}

/// Whether a scalar keeps its type to the end: `legalise` computes others in 32 bits.
pub fn keeps(profile: &DeviceProfile, ty: Type) -> bool {
    match ty {
        Type::I8 => profile.native_int8(),
        Type::I16 => profile.native_int16(),
        Type::F16 => profile.native_half(),
        _ => true,
    }
}
