// Cooperative matrices in private memory, on devices without an engine for them (cl_khr_cooperative_matrix).
// `lanes` work-items share a matrix, as the pass `lower-matrices` says: each holds every lanes-th column, row
// by row.

#define MATRIX_LOAD(name, T, space)                                                             \
    void __clvk_matrix_load_##name(                                                             \
        private T *m, const space T *p, ulong stride, uint rows, uint columns, uint by_column, uint lanes) \
    {                                                                                           \
        uint lane = lanes > 1 ? get_sub_group_local_id() & (lanes - 1) : 0;                     \
        uint groups = columns / lanes;                                                          \
        for (uint r = 0; r < rows; ++r) {                                                       \
            for (uint j = 0; j < groups; ++j) {                                                 \
                uint c = j * lanes + lane;                                                      \
                m[r * groups + j] = p[by_column != 0 ? c * stride + r : r * stride + c];        \
            }                                                                                   \
        }                                                                                       \
    }

// One work-item of those that hold a copy of an element stores it.
#define MATRIX_STORE(name, T)                                                                   \
    void __clvk_matrix_store_##name(                                                            \
        const private T *m, generic T *p, ulong stride, uint rows, uint columns, uint by_column, uint lanes) \
    {                                                                                           \
        uint lane = get_sub_group_local_id();                                                   \
        uint groups = columns / lanes;                                                          \
        if (lane < lanes) {                                                                     \
            for (uint r = 0; r < rows; ++r) {                                                   \
                for (uint j = 0; j < groups; ++j) {                                             \
                    uint c = j * lanes + lane;                                                  \
                    p[by_column != 0 ? c * stride + r : r * stride + c] = m[r * groups + j];    \
                }                                                                               \
            }                                                                                   \
        }                                                                                       \
    }

// The sum is computed as S, and rounded at the end. Unrolling all loops would make thousands of instructions
// of each product.
#define MATRIX_MULADD(name, T, S, FUSE)                                                         \
    void __clvk_matrix_muladd_##name(                                                           \
        private T *d, const private T *a, const private T *b, const private T *c,               \
        uint rows, uint inner, uint columns, uint a_lanes, uint lanes)                          \
    {                                                                                           \
        uint groups = columns / lanes;                                                          \
        uint a_groups = inner / a_lanes;                                                        \
        __attribute__((opencl_unroll_hint(1)))                                                  \
        for (uint r = 0; r < rows; ++r) {                                                       \
            for (uint j = 0; j < groups; ++j) {                                                 \
                S sum = (S)c[r * groups + j];                                                   \
                for (uint k = 0; k < inner; ++k) {                                              \
                    S x = (S)a[r * a_groups + k / a_lanes];                                     \
                    if (a_lanes > 1)                                                            \
                        x = sub_group_broadcast(x, k & (a_lanes - 1));                          \
                    sum = FUSE(x, (S)b[k * groups + j], sum);                                   \
                }                                                                               \
                d[r * groups + j] = (T)sum;                                                     \
            }                                                                                   \
        }                                                                                       \
    }

#define MATRIX_SUM(x, y, z) ((x) * (y) + (z))

#define MATRIX(name, T, S, FUSE)                                                                \
    MATRIX_LOAD(name, T, generic)                                                               \
    MATRIX_LOAD(name##_constant, T, constant)                                                   \
    MATRIX_STORE(name, T)                                                                       \
    MATRIX_MULADD(name, T, S, FUSE)

MATRIX(u8, uchar, uint, MATRIX_SUM)
MATRIX(u16, ushort, uint, MATRIX_SUM)
MATRIX(u32, uint, uint, MATRIX_SUM)
MATRIX(u64, ulong, ulong, MATRIX_SUM)
MATRIX(f16, half, float, mad)
MATRIX(f32, float, float, mad)
MATRIX(f64, double, double, mad)
