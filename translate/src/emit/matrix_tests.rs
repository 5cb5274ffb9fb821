//! What is written of cooperative matrices.

use super::tests::{capabilities, compile_for, count};
use clvk_interface::DeviceProfile;
use rspirv::spirv;

fn h200() -> DeviceProfile {
    DeviceProfile::preset("nvidia-h200").expect("a preset")
}

/// A product of the engine, of elements in a buffer and in local memory.
#[test]
fn matrices_of_the_engine_are_written_in_vulkans_memory_model() {
    let text = r#"
kernel @k(
  %0: ptr.global "p" "half*" buffer element f16 signed,
  %1: ptr.local "t" "half*" local element f16 signed,
  %2: ptr.global "q" "float*" buffer element f32 signed,
) {
  %3: matrix.f16.16x16.a = matrix.load.row_major %0, 16:i64
  %4: matrix.f16.16x16.b = matrix.load.column_major %1, 16:i64
  %5: matrix.f32.16x16.c = matrix.fill 0.0:f32
  %6: matrix.f32.16x16.c = matrix.muladd.uuu %3, %4, %5
  %7: matrix.f32.16x16.c = matrix.scale %6, 2.0:f32
  %8: matrix.f32.16x16.c = matrix.fadd %6, %7
  matrix.store.row_major %2, %8, 16:i64
  return
}
"#;
    let module = clvk_ir::text::parse_module(text).expect("the text is right");
    let words = compile_for(module, &h200()).expect("the device has the engine").spirv;
    let declared = capabilities(&words);
    // CooperativeMatrixKHR and VulkanMemoryModel.
    assert!(declared.contains(&6022) && declared.contains(&5345), "{declared:?}");
    assert_eq!(count(&words, spirv::Op::TypeCooperativeMatrixKHR), 3);
    assert_eq!(count(&words, spirv::Op::CooperativeMatrixLoadKHR), 2);
    assert_eq!(count(&words, spirv::Op::CooperativeMatrixMulAddKHR), 1);
    assert_eq!(count(&words, spirv::Op::MatrixTimesScalar), 1);
    assert_eq!(count(&words, spirv::Op::CooperativeMatrixStoreKHR), 1);
}

/// bfloat16 numbers are halves of words in memory, and elements of matrices.
#[test]
fn matrices_of_bfloat16_need_their_capabilities() {
    let text = r#"
kernel @k(
  %0: ptr.global "p" "__bf16*" buffer,
  %1: ptr.global "q" "float*" buffer element f32 signed,
) {
  %2: matrix.bf16.16x16.a = matrix.load.row_major %0, 16:i64
  %3: matrix.bf16.16x16.b = matrix.fill 1.0:f32
  %4: matrix.f32.16x16.c = matrix.fill 0.0:f32
  %5: matrix.f32.16x16.c = matrix.muladd.uuu %2, %3, %4
  %6: f32 = matrix.extract %5, 1:i32
  %7: matrix.f32.16x16.c = matrix.insert %5, %6, 0:i32
  matrix.store.row_major %1, %7, 16:i64
  return
}
"#;
    let module = clvk_ir::text::parse_module(text).expect("the text is right");
    let words = compile_for(module, &h200()).expect("the device has the engine").spirv;
    let declared = capabilities(&words);
    // BFloat16TypeKHR, BFloat16CooperativeMatrixKHR and CooperativeMatrixKHR.
    assert!([5116, 5118, 6022].iter().all(|number| declared.contains(number)), "{declared:?}");
    assert_eq!(count(&words, spirv::Op::TypeCooperativeMatrixKHR), 3);
    assert_eq!(count(&words, spirv::Op::CooperativeMatrixMulAddKHR), 1);
    // Its element becomes one of bfloat16.
    assert_eq!(count(&words, spirv::Op::FConvert), 1);
    // The element is reached through a variable, for reading and for writing.
    assert_eq!(count(&words, spirv::Op::CompositeExtract), 0);
}
