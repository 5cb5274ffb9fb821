//! Atomic functions, fences and asynchronous copies: valid calls, and the messages for others.

use super::*;

const SETTING: &str = "kernel void k(global atomic_int *a, local atomic_float *f, global atomic_flag *g, const global \
                       atomic_int *c, global int *i, local int *l, event_t *n) { int x = 0; float y = 0; ";

fn in_kernel(text: &str, options: &Options) -> String {
    // Kernels cannot have event parameters, so the test uses a function.
    let text = format!("{SETTING}{text}; }}").replace("kernel void", "void");
    check_with(&text, options).1.split_once(": ").map_or(String::new(), |(_, message)| message.to_owned())
}

fn three() -> Options {
    Options { version: LanguageVersion::C30, ..everything() }
}

#[test]
fn every_form_is_accepted() {
    for text in [
        "atomic_init(a, 1.5f)",
        "atomic_store(f, 1); atomic_store_explicit(a, 1, memory_order_release)",
        "x = atomic_load(a); x = atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group)",
        "y = atomic_exchange(f, y); atomic_fetch_add(f, 1); atomic_fetch_min_explicit(f, y, memory_order_relaxed)",
        "bool b = atomic_compare_exchange_weak_explicit(a, &x, 1, memory_order_acq_rel, memory_order_acquire)",
        "bool b = atomic_compare_exchange_strong(a, i, 1) && atomic_compare_exchange_strong(a, l, 1)",
        "bool b = atomic_flag_test_and_set(g); atomic_flag_clear_explicit(g, memory_order_relaxed)",
        "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item)",
        "work_group_barrier(x, memory_scope_work_group); atomic_fetch_or_explicit(a, 1, x)",
        "event_t e = async_work_group_copy(l, i, 4, 0); e = async_work_group_strided_copy(i, l, 4, 2, e); \
         wait_group_events(1, &e)",
        "async_work_group_copy_2D2D(l, 0, i, 0, 4, 1, 1, 1, 1, (event_t)0); async_work_group_copy_fence(1)",
    ] {
        assert_eq!(in_kernel(text, &three()), "", "{text}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    for (text, expected) in [
        (
            "atomic_load_explicit(a, memory_order_release)",
            "error: the memory order of 'atomic_load_explicit' cannot be memory_order_release\n",
        ),
        (
            "atomic_store_explicit(a, 1, memory_order_acq_rel)",
            "error: the memory order of 'atomic_store_explicit' cannot be memory_order_acq_rel\n",
        ),
        (
            "atomic_compare_exchange_strong_explicit(a, &x, 1, memory_order_relaxed, memory_order_release)",
            "error: the memory order on failure cannot be memory_order_release\n",
        ),
        ("atomic_load_explicit(a, 17)", "error: 17 is not a memory order\n"),
        (
            "atomic_load(c)",
            "error: no matching function for call to 'atomic_load'; the argument is (__global const atomic_int *); the pointer points to read-only memory\n",
        ),
        (
            "atomic_fetch_or(f, 1)",
            "error: no matching function for call to 'atomic_fetch_or'; the arguments are (__local atomic_float *, int); floating-point atomics can only add, subtract, and take the minimum or maximum\n",
        ),
        (
            "atomic_load(i)",
            "error: no matching function for call to 'atomic_load'; the argument is (__global int *); expected a pointer to an atomic type in global or local memory\n",
        ),
        (
            "atomic_load(g)",
            "error: no matching function for call to 'atomic_load'; the argument is (__global atomic_flag *); expected a pointer to an atomic type in global or local memory\n",
        ),
        (
            "atomic_compare_exchange_strong(a, &y, 1)",
            "error: no matching function for call to 'atomic_compare_exchange_strong'; the arguments are (__global atomic_int *, __private float *, int); expected a pointer to 'int' as the second argument\n",
        ),
        (
            "async_work_group_copy(i, i, 4, 0)",
            "error: no matching function for call to 'async_work_group_copy'; the arguments are (__global int *, __global int *, int, int); expected a destination and a source, one in global memory and one in local memory\n",
        ),
        (
            "async_work_group_copy(l, i, 4, 1)",
            "error: no matching function for call to 'async_work_group_copy'; the arguments are (__local int *, __global int *, int, int); expected an event, or 0, as the last argument\n",
        ),
        (
            "atomic_load_explicit(a, memory_order_relaxed, memory_scope_all_devices)",
            "error: the built-in function 'atomic_load_explicit' requires __opencl_c_atomic_scope_all_devices, which the device does not offer; the macro __opencl_c_atomic_scope_all_devices is defined on devices that offer it; without it, use memory_scope_device\n",
        ),
    ] {
        let mut options = three();
        options.features =
            options.features.iter().filter(|&feature| feature != Feature::AtomicScopeAllDevices).collect();
        assert_eq!(in_kernel(text, &options), expected, "{text}");
    }
}

#[test]
fn versions_and_features_gate_orders_and_scopes() {
    let none = Options { version: LanguageVersion::C30, ..Options::default() };
    assert_eq!(
        in_kernel("atomic_load_explicit(a, memory_order_relaxed, memory_scope_work_group)", &none),
        ""
    );
    for (text, feature) in [
        ("atomic_load(a)", "__opencl_c_atomic_order_seq_cst"),
        ("atomic_load_explicit(a, memory_order_relaxed)", "__opencl_c_atomic_scope_device"),
        (
            "atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group)",
            "__opencl_c_atomic_order_acq_rel",
        ),
        ("work_group_barrier(1, memory_scope_device)", "__opencl_c_atomic_scope_device"),
    ] {
        let message = in_kernel(text, &none);
        assert!(
            message.contains(&format!("requires {feature}, which the device does not offer")),
            "{message}"
        );
        // OpenCL C 2.0 has them all.
        assert_eq!(
            in_kernel(text, &Options { version: LanguageVersion::C20, ..Options::default() }),
            "",
            "{text}"
        );
    }
    // A fence may have any order.
    let fence = "atomic_work_item_fence(1, memory_order_acquire, memory_scope_work_group)";
    assert_eq!(in_kernel(fence, &none), "");
    let old = "void f(int i) { work_group_barrier(1); }";
    assert_eq!(
        check_with(old, &plain()).1,
        "1:17: error: the built-in function 'work_group_barrier' requires OpenCL C 2.0 or newer; choose it with -cl-std=CL2.0\n"
    );
}
