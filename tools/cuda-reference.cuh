// What `tools/cuda-reference.py` puts in front of the text of a kernel in OpenCL C, so that NVIDIA's CUDA compiler
// takes it as it is: the types, the work-item functions and the built-in functions that `tests/kernels` uses.
// The script has already written `cl_float4(...)` for `(float4)(...)`, `v.xyz()` for `v.xyz`, and CUDA's words for
// address spaces.

#define restrict __restrict__
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define INFINITY __int_as_float(0x7f800000)
#define INT_MIN (-0x7fffffff - 1)

typedef unsigned char uchar;
typedef unsigned int uint;

#define float2 cl_float2
#define float3 cl_float3
#define float4 cl_float4
#define int2 cl_int2
#define uint2 cl_uint2
#define uint4 cl_uint4
#define uint8 cl_uint8
#define uchar4 cl_uchar4

#define FLOAT_OPERATORS(V) OPERATORS(V, +) OPERATORS(V, -) OPERATORS(V, *) OPERATORS(V, /)
#define INTEGER_OPERATORS(V)                                                                                           \
    FLOAT_OPERATORS(V) OPERATORS(V, >>) OPERATORS(V, <<) OPERATORS(V, &) OPERATORS(V, |) OPERATORS(V, ^)

#define OPERATORS(V, op)                                                                                               \
    friend V operator op(const V &a, const V &b) { return V(a.x op b.x, a.y op b.y); }                                 \
    V &operator op##=(const V &b) { return *this = *this op b; }
#define VECTOR2(V, T, OPERATORS_OF_V)                                                                                  \
    struct alignas(2 * sizeof(T)) V {                                                                                  \
        T x, y;                                                                                                        \
        V() = default;                                                                                                 \
        constexpr V(T all) : x(all), y(all) {}                                                                         \
        constexpr V(T x, T y) : x(x), y(y) {}                                                                          \
        OPERATORS_OF_V(V)                                                                                              \
    };
VECTOR2(cl_float2, float, FLOAT_OPERATORS)
VECTOR2(cl_int2, int, INTEGER_OPERATORS)
VECTOR2(cl_uint2, uint, INTEGER_OPERATORS)
#undef OPERATORS

#define OPERATORS(V, op)                                                                                               \
    friend V operator op(const V &a, const V &b) { return V(a.x op b.x, a.y op b.y, a.z op b.z); }                     \
    V &operator op##=(const V &b) { return *this = *this op b; }
struct alignas(16) cl_float3 {
    float x, y, z;
    cl_float3() = default;
    constexpr cl_float3(float all) : x(all), y(all), z(all) {}
    constexpr cl_float3(float x, float y, float z) : x(x), y(y), z(z) {}
    cl_float3 operator-() const { return cl_float3(-x, -y, -z); }
    cl_float3 yzx() const { return cl_float3(y, z, x); }
    cl_float3 zxy() const { return cl_float3(z, x, y); }
    FLOAT_OPERATORS(cl_float3)
};
#undef OPERATORS

// The first three lanes of a vector of four, to be changed.
struct lanes_xyz {
    float &x, &y, &z;
    operator cl_float3() const { return cl_float3(x, y, z); }
    void operator=(const cl_float3 &v) { x = v.x, y = v.y, z = v.z; }
    void operator+=(const cl_float3 &v) { *this = cl_float3(*this) + v; }
};
#define OPERATORS(V, op)                                                                                               \
    inline cl_float3 operator op(const lanes_xyz &a, const lanes_xyz &b) { return cl_float3(a) op cl_float3(b); }      \
    inline cl_float3 operator op(const lanes_xyz &a, float b) { return cl_float3(a) op b; }
FLOAT_OPERATORS(lanes_xyz)
#undef OPERATORS

#define OPERATORS(V, op)                                                                                               \
    friend V operator op(const V &a, const V &b) { return V(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); }         \
    V &operator op##=(const V &b) { return *this = *this op b; }
#define VECTOR4(V, T, ...)                                                                                             \
    struct alignas(4 * sizeof(T)) V {                                                                                  \
        T x, y, z, w;                                                                                                  \
        V() = default;                                                                                                 \
        constexpr V(T all) : x(all), y(all), z(all), w(all) {}                                                         \
        constexpr V(T x, T y, T z, T w) : x(x), y(y), z(z), w(w) {}                                                    \
        __VA_ARGS__                                                                                                    \
    };
VECTOR4(cl_float4, float, FLOAT_OPERATORS(cl_float4)
    cl_float4(const cl_float3 &v, float w) : x(v.x), y(v.y), z(v.z), w(w) {}
    cl_float3 xyz() const { return cl_float3(x, y, z); }
    lanes_xyz xyz() { return lanes_xyz{x, y, z}; })
VECTOR4(cl_uint4, uint, INTEGER_OPERATORS(cl_uint4))
VECTOR4(cl_uchar4, uchar, cl_uchar4 wzyx() const { return cl_uchar4(w, z, y, x); })
#undef OPERATORS

struct cl_uint8 {
    uint s0, s1, s2, s3, s4, s5, s6, s7;
    constexpr cl_uint8(uint a, uint b, uint c, uint d, uint e, uint f, uint g, uint h)
        : s0(a), s1(b), s2(c), s3(d), s4(e), s5(f), s6(g), s7(h)
    {
    }
};

// The arguments in local memory, one behind the other.
extern __shared__ cl_uint4 dynamic_memory[];

inline uint lane_of(uint d, uint x, uint y, uint z) { return d == 0 ? x : d == 1 ? y : z; }
inline size_t get_local_id(uint d) { return lane_of(d, threadIdx.x, threadIdx.y, threadIdx.z); }
inline size_t get_group_id(uint d) { return lane_of(d, blockIdx.x, blockIdx.y, blockIdx.z); }
inline size_t get_local_size(uint d) { return lane_of(d, blockDim.x, blockDim.y, blockDim.z); }
inline size_t get_num_groups(uint d) { return lane_of(d, gridDim.x, gridDim.y, gridDim.z); }
inline size_t get_global_id(uint d) { return uint(get_group_id(d)) * uint(get_local_size(d)) + uint(get_local_id(d)); }
inline size_t get_global_size(uint d) { return uint(get_num_groups(d)) * uint(get_local_size(d)); }
inline void barrier(int) { __syncthreads(); }

inline uint atomic_inc(volatile uint *p) { return atomicAdd((uint *)p, 1u); }
inline uint atomic_add(volatile uint *p, uint v) { return atomicAdd((uint *)p, v); }
inline uint atomic_cmpxchg(volatile uint *p, uint expected, uint v) { return atomicCAS((uint *)p, expected, v); }

template <class T> inline T clamp(T v, T low, T high) { return min(max(v, low), high); }
inline cl_float3 clamp(cl_float3 v, float low, float high)
{
    return cl_float3(clamp(v.x, low, high), clamp(v.y, low, high), clamp(v.z, low, high));
}
inline float mad(float a, float b, float c) { return a * b + c; }
inline cl_float4 mad(const cl_float4 &a, const cl_float4 &b, const cl_float4 &c) { return a * b + c; }
inline float dot(cl_float3 a, cl_float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline float length(cl_float3 v) { return sqrtf(dot(v, v)); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float native_exp(float x) { return __expf(x); }
inline float native_exp2(float x) { return exp2f(x); }
inline float native_log(float x) { return __logf(x); }
inline float native_rsqrt(float x) { return rsqrtf(x); }
inline float native_recip(float x) { return __frcp_rn(x); }
inline uint rotate(uint v, uint by) { return __funnelshift_l(v, v, by); }
inline uint as_uint(float v) { return __float_as_uint(v); }
inline uint as_uint(cl_uchar4 v) { return v.x | v.y << 8 | v.z << 16 | uint(v.w) << 24; }
inline float as_float(uint v) { return __uint_as_float(v); }
inline cl_uchar4 as_uchar4(uint v) { return {uchar(v), uchar(v >> 8), uchar(v >> 16), uchar(v >> 24)}; }
inline uint bitselect(uint a, uint b, uint mask) { return (a & ~mask) | (b & mask); }
inline cl_float4 convert_float4(cl_uchar4 v) { return {float(v.x), float(v.y), float(v.z), float(v.w)}; }
inline cl_uint4 convert_uint4(cl_uchar4 v) { return {v.x, v.y, v.z, v.w}; }
inline cl_uchar4 convert_uchar4(cl_uint4 v) { return {uchar(v.x), uchar(v.y), uchar(v.z), uchar(v.w)}; }
inline uchar to_byte(float v) { return uchar(int(fminf(fmaxf(v, 0.0f), 255.0f))); }
inline cl_uchar4 convert_uchar4_sat(cl_float4 v) { return {to_byte(v.x), to_byte(v.y), to_byte(v.z), to_byte(v.w)}; }
inline cl_uchar4 vload4(size_t i, const uchar *p) { return {p[4 * i], p[4 * i + 1], p[4 * i + 2], p[4 * i + 3]}; }
inline cl_float4 vload4(size_t i, const float *p) { return {p[4 * i], p[4 * i + 1], p[4 * i + 2], p[4 * i + 3]}; }
inline void vstore4(cl_uchar4 v, size_t i, uchar *p)
{
    p += 4 * i;
    p[0] = v.x, p[1] = v.y, p[2] = v.z, p[3] = v.w;
}
inline void vstore8(cl_uint8 v, size_t i, uint *p)
{
    p += 8 * i;
    p[0] = v.s0, p[1] = v.s1, p[2] = v.s2, p[3] = v.s3, p[4] = v.s4, p[5] = v.s5, p[6] = v.s6, p[7] = v.s7;
}
