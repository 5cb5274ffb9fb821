//! Variables that the passes promise to turn into values must not touch memory; checked in the SPIR-V.

use clvk_interface::DeviceProfile;
use clvk_tests::pipeline;
use clvk_tests::spirv::instructions_of;
use rspirv::dr::Instruction;
use rspirv::spirv::{Op, StorageClass};

/// Variables of a work-item.
fn private_variables(words: &[u32]) -> usize {
    let is_private = |variable: &Instruction| {
        let class = variable.operands[0].unwrap_storage_class();
        matches!(class, StorageClass::Private | StorageClass::Function)
    };
    instructions_of(words, Op::Variable).iter().filter(|variable| is_private(variable)).count()
}

fn compiled(source: &str, preset: &str) -> Vec<u32> {
    let profile = DeviceProfile::preset(preset).unwrap();
    let module =
        pipeline::compile("test.cl", source, &[], &profile).unwrap_or_else(|error| panic!("{error}"));
    module.spirv
}

fn count(source: &str) -> usize {
    private_variables(&compiled(source, "lavapipe-22.3"))
}

#[track_caller]
fn promoted(source: &str) {
    assert_eq!(count(source), 0, "a variable stays in memory in\n{source}");
}

#[test]
fn what_is_indexed_at_run_time_is_in_memory() {
    // The measure itself works.
    let source = "kernel void k(global int *p) { int a[64]; for (int i = 0; i < 64; ++i) a[p[i] & 63] = i; p[0] = a[p[1] & 63]; }";
    assert_eq!(count(source), 1);
}

#[test]
fn loops_that_index_no_array_by_their_counter_stay_loops() {
    let source = "kernel void k(global const float *in, global float *out, int n) {
           float sums[4] = {0.0f};
           for (int i = 0; i < 4; ++i)
             for (int j = 0; j < 100; ++j)
               sums[i] += in[i + j * n];
           for (int i = 0; i < 4; ++i)
             out[i] = sums[i];
         }";
    promoted(source);
    // One for each copy of the outer loop's body.
    assert_eq!(instructions_of(&compiled(source, "lavapipe-25.0"), Op::LoopMerge).len(), 4);
}

#[test]
fn scalars_and_pointers_are_values() {
    promoted(
        "void bump(int *x, int by) { *x += by; }
         kernel void k(global int *p, int n) {
           int sum = 0;
           global int *q = p;
           for (int i = 0; i < n; ++i) { if (q[i] > 3) bump(&sum, q[i]); else { q += 1; continue; } if (sum > 100) break; }
           p[0] = sum;
         }",
    );
}

#[test]
fn vectors_are_values() {
    promoted(
        "kernel void k(global float4 *p) {
           float4 v = p[0];
           v.x = 1; v.zw = v.yx; v.hi *= 2;
           float8 w = (float8)(v, p[1]);
           w.even = w.odd; w.s3 += v.y;
           ((float *)&v)[2] = 7;
           p[0] = v + w.lo * w.hi;
         }",
    );
}

#[test]
fn small_structures_are_values() {
    promoted(
        "struct pair { int a; float b; };
         struct both { struct pair x, y; char tag; };
         struct both swapped(struct both v) { struct both r = {v.y, v.x, v.tag}; return r; }
         kernel void k(global struct both *p, struct both by_value) {
           struct both v = p[0];
           v.x.a += by_value.y.a;
           v = swapped(swapped(v));
           struct both other = v.tag ? v : by_value;
           p[1] = swapped(other);
         }",
    );
}

#[test]
fn arrays_with_constant_indices_are_values() {
    promoted(
        "kernel void k(global float *p) {
           float a[8];
           for (int i = 0; i < 8; ++i) a[i] = p[i] * i;
           for (int i = 0; i < 8; ++i) a[i] += a[7 - i];
           float m[2][2] = {{a[0], a[1]}, {a[2], a[3]}};
           p[0] = m[0][0] * m[1][1] - m[0][1] * m[1][0];
           for (int i = 0; i < 8; ++i) p[i + 1] = a[i];
         }",
    );
}

#[test]
fn unions_and_bits_of_numbers_are_values() {
    promoted(
        "union bits { float f; uint u; };
         kernel void k(global float *p) {
           union bits b;
           b.f = p[0];
           b.u ^= 0x80000000u;
           p[1] = b.f;
           uint again = *(global uint *)&p[1];
           p[2] = as_float(again + 1);
         }",
    );
}

#[test]
fn structures_with_pointers_are_values() {
    promoted(
        "struct view { global float *data; int n; };
         float first(struct view v) { return v.n > 0 ? v.data[0] : 0; }
         kernel void k(global float *a, global float *b, int n) {
           struct view v = {a, n};
           struct view w = v;
           w.data = n > 5 ? a : b;
           a[1] = first(w) + first(v);
         }",
    );
}

/// The widths in bits of the elements of arrays that stay in memory.
fn element_widths(source: &str) -> Vec<u32> {
    let profile = DeviceProfile::preset("lavapipe-22.3").unwrap();
    let module = pipeline::compile("test.cl", source, &[], &profile).unwrap();
    let types = |op| instructions_of(&module.spirv, op);
    let integers = types(Op::TypeInt);
    let width = |element: u32| {
        let integer = integers.iter().find(|integer| integer.result_id == Some(element))?;
        Some(integer.operands[0].unwrap_literal_bit32())
    };
    let is_variable = |array: u32| {
        types(Op::TypePointer).iter().any(|pointer| {
            pointer.operands[0].unwrap_storage_class() == StorageClass::Function
                && pointer.operands[1].unwrap_id_ref() == array
        })
    };
    let arrays = types(Op::TypeArray).into_iter().filter(|array| array.result_id.is_some_and(is_variable));
    arrays.filter_map(|array| width(array.operands[0].unwrap_id_ref())).collect()
}

#[test]
fn memory_is_made_of_words_unless_most_accesses_are_smaller() {
    let source = |statements: &str| {
        format!(
            "kernel void k(global ulong8 *p, int n) {{
               union {{ ulong8 v[4]; uchar b[256]; }} x;
               for (int i = 0; i < 4; ++i) x.v[i] = p[i];
               {statements}
               p[0] = x.v[n & 3];
             }}"
        )
    };
    assert_eq!(element_widths(&source("x.b[n] += x.b[n + 1];")), [32]);
    let bytes =
        "for (int i = 0; i < 200; ++i) { x.b[i] ^= x.b[i + n]; x.b[i + 1] += x.b[x.b[i + 2]]; }".repeat(9);
    assert_eq!(element_widths(&source(&bytes)), [8]);
}
