//! Numbers what the host finds by its position in the module: kernels that are enqueued (OpenCL C §6.15.19),
//! and formats of `printf` (§6.15.14), in a list of records that ends with a zero.
//!
//! No later pass adds or removes any, or changes their order.

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
        let number_of = |op: &Op| match op {
            Op::KernelNumber(kernel) => Some(numbers[kernel]),
            Op::PrintNumber(format) => Some(i64::from(*format) + 1),
            _ => None,
        };
        let has_numbers = function.insts.iter().any(|(_, inst)| number_of(&inst.op).is_some());
        if !has_numbers || function.body.is_none() {
            continue;
        }
        let mut cursor = Cursor::new(function);
        while let Some(inst) = cursor.advance() {
            let Some(number) = number_of(&cursor.function.insts[inst].op) else {
                cursor.keep(inst);
                continue;
            };
            let number = cursor.int(Type::I32, number);
            cursor.replace_result(inst, number);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::TranslateOptions;
    use crate::passes::run_named;
    use clvk_interface::DeviceProfile;
    use clvk_ir::container::Library;
    use clvk_ir::text::parse_module;

    #[test]
    fn numbers_are_positions() {
        let text = r#"
print "61"

print "62"

func @other() {
  return
}

kernel @first() {
  return
}

kernel @second(%0: ptr.global "p" "uint*" buffer) {
  %1: i32 = kernel_number @second
  store %0, %1 align 4
  %2: i32 = print_number format 1
  store %0, %2 align 4
  return
}
"#;
        let mut module = parse_module(text).expect("it is right");
        let profile = DeviceProfile::preset("nvidia-h200").expect("a preset");
        run_named(&mut module, &["number"], &Library::empty(), &profile, &TranslateOptions::default())
            .expect("it runs");
        let printed = module.to_string();
        // The second kernel, counted from zero, and the second format, counted from one.
        assert!(printed.contains("store %0, 1:i32"), "{printed}");
        assert!(printed.contains("store %0, 2:i32"), "{printed}");
    }
}
