//! Cooperative matrices on devices without a matrix engine for them.
//!
//! A device has engines for certain shapes and types ([`DeviceProfile::matrices`]). If it has one for
//! everything that a program does with matrices, they stay, and the writer writes
//! `SPV_KHR_cooperative_matrix` ([`native`] decides). Otherwise the work-items of the sub-group hold the
//! matrices in private memory:
//!
//! - A matrix has a *width*: the largest number of work-items, a divisor of the sub-group's size and of the
//!   number of columns, that share it. Work-item `i` holds the columns `c` with `c mod width = i mod width`,
//!   row by row; work-items whose `i` is not below the width hold copies. So products need only broadcasts
//!   of the left factor's elements, and everything else needs nothing of other work-items.
//! - A matrix value becomes a variable in private memory. Parameters and results of functions become
//!   pointers. Loads, stores and products are library functions (`shaders/library/matrices.cl`); the rest is
//!   done here element by element.
//!
//! This stands before linking, where every variable is still in memory, so the passes after it promote,
//! split and unroll as for any other array.

mod elements;
mod emulate;
mod native;

use super::Context;
use crate::TranslateError;
use clvk_interface::DeviceProfile;
use clvk_ir::{MatrixType, Module, Op, Type};

/// Keeps or lowers the matrices.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !has_matrices(context.module) || native::supports(context) {
        return Ok(());
    }
    emulate::run(context.module, context.profile);
    Ok(())
}

/// Lowers the matrices of modules for other drivers of OpenCL.
///
/// # Errors
/// None.
pub fn run_for_opencl(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if has_matrices(context.module) {
        emulate::run(context.module, context.profile);
    }
    Ok(())
}

fn as_matrix(ty: Type) -> Option<MatrixType> {
    if let Type::Matrix(matrix) = ty { Some(matrix) } else { None }
}

/// Whether a module computes with matrices, or only declares them.
fn has_matrices(module: &Module) -> bool {
    module.functions.iter().any(|(_, function)| {
        function.values.iter().any(|(_, value)| as_matrix(value.ty).is_some())
            || function.result.is_some_and(|ty| as_matrix(ty).is_some())
            || function.insts.iter().any(|(_, inst)| matches!(inst.op, Op::Matrix(_)))
    })
}

/// The number of work-items that share a matrix.
fn width(profile: &DeviceProfile, matrix: MatrixType) -> u32 {
    let size = profile.least_sub_group_size();
    // Sub-groups that may lack work-items share nothing.
    if !profile.compute_full_subgroups || !size.is_power_of_two() {
        return 1;
    }
    let columns = u32::from(matrix.columns);
    size.min(1 << columns.trailing_zeros())
}

/// The number of elements that each work-item holds.
fn elements(profile: &DeviceProfile, matrix: MatrixType) -> u32 {
    u32::from(matrix.rows) * u32::from(matrix.columns) / width(profile, matrix)
}
