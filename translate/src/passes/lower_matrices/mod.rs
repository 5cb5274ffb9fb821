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
//! - A matrix value becomes a variable in private memory, unless it is only loaded from one or stored to one
//!   of the program ([`homes`]). Arrays of matrices may have room for a work-item's part of each only
//!   ([`shrink`]).
//!   Parameters and results of functions become pointers. Loads, stores and products are library functions
//!   (`shaders/library/matrices.cl`); the rest is done here element by element.
//!
//! This stands before linking, where every variable is still in memory, so the passes after it promote,
//! split and unroll as for any other array.

mod elements;
mod emulate;
mod homes;
mod native;
mod shrink;

pub use native::{keeps, supports};

use super::Context;
use crate::TranslateError;
use clvk_interface::{DeviceProfile, Preference};
use clvk_ir::{MatrixType, Module, Op, Type};

/// Keeps or lowers the matrices.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !has_matrices(context.module) {
        return Ok(());
    }
    if supports(context) {
        if super::sanitize::checks_memory(context) {
            native::settle_zeros(context.module, context.profile);
        }
        return Ok(());
    }
    // Loops over small arrays are copied where drivers do not prefer them as loops, and so would be all
    // products in them. The sanitizer's reports speak of the source's sizes.
    if context.profile.prefers(Preference::RolledLoops) && context.options.sanitize.is_empty() {
        shrink::run(context.module, context.profile);
    }
    emulate::run(context.module, context.profile, super::sanitize::checks_memory(context));
    Ok(())
}

/// Lowers the matrices of modules for other drivers of OpenCL.
///
/// # Errors
/// None.
pub fn run_for_opencl(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if has_matrices(context.module) {
        emulate::run(context.module, context.profile, false);
    }
    Ok(())
}

fn as_matrix(ty: Type) -> Option<MatrixType> {
    if let Type::Matrix(matrix) = ty { Some(matrix) } else { None }
}

/// Whether a module computes with matrices, or only declares them.
pub(crate) fn has_matrices(module: &Module) -> bool {
    module.functions.iter().any(|(_, function)| {
        function.values.iter().any(|(_, value)| as_matrix(value.ty).is_some())
            || function.result().is_some_and(|ty| as_matrix(ty).is_some())
            || function.insts.iter().any(|(_, inst)| matches!(inst.op, Op::Matrix(_)))
    })
}

/// The number of work-items of a sub-group, if they share matrices, and 1 otherwise.
pub fn sharing(profile: &DeviceProfile) -> u32 {
    let size = profile.least_sub_group_size();
    // Sub-groups that may lack work-items share nothing.
    if profile.compute_full_subgroups && size.is_power_of_two() { size } else { 1 }
}

/// The number of work-items that share a matrix.
pub fn width(profile: &DeviceProfile, matrix: MatrixType) -> u32 {
    let columns = u32::from(matrix.columns);
    sharing(profile).min(1 << columns.trailing_zeros())
}

/// The number of elements that each work-item holds.
fn elements(profile: &DeviceProfile, matrix: MatrixType) -> u32 {
    u32::from(matrix.rows) * u32::from(matrix.columns) / width(profile, matrix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TranslateOptions;
    use crate::passes::run_named;
    use clvk_interface::sanitize::Kinds;
    use clvk_ir::container::Library;
    use clvk_ir::text::parse_module;

    const PRODUCT: &str = r#"
kernel @k(
  %0: ptr.global "p" "float*" buffer element f32 signed,
  %1: ptr.global "q" "float*" buffer element f32 signed,
) {
  %2: ptr.private = alloca size 1024 align 16
  %3: matrix.f16.16x16.a = matrix.fill 0x3c00:f16
  %4: matrix.f16.16x16.b = matrix.fill 0x3c00:f16
  %5: matrix.f32.16x16.c = matrix.load.row_major %0, 16:i64
  %6: matrix.f32.16x16.c = matrix.muladd.sss %3, %4, %5
  store %2, %6 align 16
  %7: matrix.f32.16x16.c = load %2 align 16
  matrix.store.column_major %1, %7, 16:i64
  return
}
"#;

    /// The text after the pass, on a changed device.
    fn lowered(preset: &str, options: &TranslateOptions, change: fn(&mut DeviceProfile)) -> String {
        let mut module = parse_module(PRODUCT).expect("the text is right");
        let mut profile = DeviceProfile::preset(preset).expect("a preset");
        change(&mut profile);
        run_named(&mut module, &["lower-matrices"], &Library::empty(), &profile, options).expect("it runs");
        module.to_string()
    }

    #[test]
    fn matrices_stay_where_there_is_an_engine_for_all_of_them() {
        let plain = TranslateOptions::default();
        let stays = |change| lowered("nvidia-h200", &plain, change).contains("matrix.muladd.sss");
        assert!(stays(|_| {}));
        assert!(!stays(|it| it.vulkan_memory_model = false));
        assert!(!stays(|it| it.compute_full_subgroups = false));
        assert!(!stays(|it| it.matrices.retain(|product| product.to_string() != "16x16x16 f16 f16 f32 f32")));
        let options = TranslateOptions { robust: true, ..TranslateOptions::default() };
        assert!(!lowered("nvidia-h200", &options, |_| {}).contains("matrix.muladd"));
        let options = TranslateOptions { sanitize: Kinds::all(), ..TranslateOptions::default() };
        assert!(lowered("nvidia-h200", &options, |_| {}).contains("matrix.muladd.sss"));
    }

    #[test]
    fn elsewhere_they_become_variables() {
        let text = lowered("vulkan-1.1", &TranslateOptions::default(), |_| {});
        assert!(!text.contains("matrix.f"), "{text}");
        for name in ["__clvk_matrix_load_f32", "__clvk_matrix_muladd_f32", "__clvk_matrix_store_f32"] {
            assert!(text.contains(name), "{text}");
        }
    }

    #[test]
    fn the_width_divides_the_columns_and_the_sub_group() {
        use clvk_ir::{ElementType, MatrixUse, Scalar};
        let of = |columns: u16, size: u32| {
            let profile = DeviceProfile {
                subgroup_size: size,
                subgroup_arithmetic: true,
                compute_full_subgroups: true,
                ..DeviceProfile::default()
            };
            let usage = MatrixUse::B;
            let element = ElementType::Scalar(Scalar::F32);
            let matrix = MatrixType { element, rows: 4, columns, usage };
            (width(&profile, matrix), elements(&profile, matrix))
        };
        assert_eq!([of(16, 8), of(8, 32), of(12, 8), of(5, 8)], [(8, 8), (8, 4), (4, 12), (1, 20)]);
        assert_eq!(of(16, 1), (1, 64));
    }
}
