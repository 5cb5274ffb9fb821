//! Names the kernels that are enqueued by their positions in the module, which is how the host finds them (OpenCL C §6.15.19).
//!
//! No later pass adds kernels, takes them away or changes their order.

use super::{Context, cursor::Cursor};
use crate::TranslateError;
use clvk_ir::{Func, Op, Type};
use rustc_hash::FxHashMap;

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let numbers: FxHashMap<Func, i64> = context.module.kernels().zip(0..).collect();
    for (_, function) in context.module.functions.iter_mut() {
        let names_kernels = function.insts.iter().any(|(_, inst)| matches!(inst.op, Op::KernelNumber(_)));
        if !names_kernels || function.body.is_none() {
            continue;
        }
        let mut cursor = Cursor::new(function);
        while let Some(inst) = cursor.advance() {
            let Op::KernelNumber(kernel) = cursor.function.insts[inst].op else {
                cursor.keep(inst);
                continue;
            };
            let number = cursor.int(Type::I32, numbers[&kernel]);
            cursor.replace_result(inst, number);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::passes::run_named;
    use clvk_interface::DeviceProfile;
    use clvk_ir::container::Library;
    use clvk_ir::text::parse_module;

    #[test]
    fn a_kernel_is_its_position_among_the_kernels() {
        let text = r#"
func @other() {
  return
}

kernel @first() {
  return
}

kernel @second(%0: ptr.global "p" "uint*" buffer) {
  %1: i32 = kernel_number @second
  store %0, %1 align 4
  return
}
"#;
        let mut module = parse_module(text).expect("it is right");
        let profile = DeviceProfile::preset("nvidia-h200").expect("a preset");
        run_named(&mut module, &["number-kernels"], &Library::empty(), &profile).expect("it runs");
        let printed = module.to_string();
        assert!(printed.contains("store %0, 1:i32"), "{printed}");
    }
}
