//! Names of types that exist without a declaration (OpenCL C §6.3.1 to §6.3.4, §6.15.12).

use crate::symbol::{Interner, Symbol};
use crate::types::{BFLOAT16, ScalarKind};

/// Scalar names that are not keywords, and opaque types.
const NAMES: &[&str] = &[
    "uchar",
    "ushort",
    "uint",
    "ulong",
    "size_t",
    "ptrdiff_t",
    "intptr_t",
    "uintptr_t",
    "image1d_t",
    "image1d_array_t",
    "image1d_buffer_t",
    "image2d_t",
    "image2d_array_t",
    "image2d_depth_t",
    "image2d_array_depth_t",
    "image2d_msaa_t",
    "image2d_array_msaa_t",
    "image2d_msaa_depth_t",
    "image2d_array_msaa_depth_t",
    "image3d_t",
    "sampler_t",
    "event_t",
    "queue_t",
    "ndrange_t",
    "clk_event_t",
    "reserve_id_t",
    "cl_mem_fence_flags",
    "memory_order",
    "memory_scope",
    "kernel_enqueue_flags_t",
    "clk_profiling_info",
    BFLOAT16,
    "coop_matrix_scope_t",
    "coop_matrix_use_t",
    "coop_matrix_layout_t",
    "coop_matrix_operands_t",
    "atomic_int",
    "atomic_uint",
    "atomic_long",
    "atomic_ulong",
    "atomic_half",
    "atomic_float",
    "atomic_double",
    "atomic_flag",
    "atomic_intptr_t",
    "atomic_uintptr_t",
    "atomic_size_t",
    "atomic_ptrdiff_t",
];

/// Whether a name is that of an image type, which is a keyword to other compilers.
pub(crate) fn is_image(name: &str) -> bool {
    name.starts_with("image") && NAMES.contains(&name)
}

/// Numbers of elements that vectors have, as in their names.
const LANES: [&str; 5] = ["2", "3", "4", "8", "16"];

/// The names of the vectors of a kind of elements.
fn vectors(kind: ScalarKind, interner: &mut Interner) -> [Symbol; LANES.len()] {
    // Not with `format!`, because every program pays for this.
    let mut name = String::with_capacity(16);
    LANES.map(|lanes| {
        name.clear();
        name.push_str(kind.name());
        name.push_str(lanes);
        interner.intern(&name)
    })
}

/// The names of vectors of `bool`, which only OpenCL C++ has (§2.1.2).
pub(super) fn bool_vectors(interner: &mut Interner) -> Vec<Symbol> {
    vectors(ScalarKind::Bool, interner).to_vec()
}

/// The built-in type names, and whether each names a vector type.
pub(super) fn intern(interner: &mut Interner) -> Vec<(Symbol, bool)> {
    let mut names: Vec<_> = NAMES.iter().map(|name| (interner.intern(name), false)).collect();
    for kind in ScalarKind::VECTOR_ELEMENTS {
        names.extend(vectors(kind, interner).map(|name| (name, true)));
    }
    names
}
