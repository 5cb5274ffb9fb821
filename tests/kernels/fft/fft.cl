// Discrete Fourier transforms of 64, 256, 512 and 1024 points, of many signals at once. A work-group keeps
// its signals in local memory, and transforms them in place by passes of butterflies. Each pass leaves its
// results in the order that the next needs (Stockham): a pass of radix R combines R transforms that are
// done, which start N / R points apart.

// roots[k] = exp(-2 pi i k / ROOTS)
#define ROOTS 1024

static inline float2 multiply(const float2 a, const float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// a times -i
static inline float2 turn(const float2 a)
{
    return (float2)(a.y, -a.x);
}

static inline void butterfly2(float2 *a, float2 *b)
{
    const float2 sum = *a + *b;
    *b = *a - *b;
    *a = sum;
}

// The transform of four points, in order.
static inline void butterfly4(float2 *v)
{
    butterfly2(&v[0], &v[2]);
    butterfly2(&v[1], &v[3]);
    v[3] = turn(v[3]);
    butterfly2(&v[0], &v[1]);
    butterfly2(&v[2], &v[3]);
    const float2 swapped = v[1];
    v[1] = v[2];
    v[2] = swapped;
}

// The transform of eight points, in order.
static inline void butterfly8(float2 *v)
{
    const float root_half = 0.70710678118654752f;
    float2 even[4] = {v[0], v[2], v[4], v[6]};
    float2 odd[4] = {v[1], v[3], v[5], v[7]};
    butterfly4(even);
    butterfly4(odd);
    odd[1] = root_half * (odd[1] + turn(odd[1]));
    odd[2] = turn(odd[2]);
    odd[3] = root_half * (turn(odd[3]) - odd[3]);
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
        v[i] = even[i] + odd[i];
        v[i + 4] = even[i] - odd[i];
    }
}

// A pass over a signal of N points; `item` of N / RADIX does one butterfly. `done` is the length of the
// transforms that exist. Begins with a barrier and ends without.
#define DEFINE_PASS(RADIX) \
    static void pass##RADIX(__local float2 *signal, const uint n, const uint item, const uint done, \
                            __global const float2 *roots) \
    { \
        float2 v[RADIX]; \
        const uint k = item & (done - 1); \
        const uint stride = k * (ROOTS / RADIX / done); \
        barrier(CLK_LOCAL_MEM_FENCE); \
        _Pragma("unroll") \
        for (uint i = 0; i < RADIX; ++i) { \
            v[i] = signal[item + i * (n / RADIX)]; \
            if (i > 0 && done > 1) \
                v[i] = multiply(v[i], roots[i * stride]); \
        } \
        butterfly##RADIX(v); \
        barrier(CLK_LOCAL_MEM_FENCE); \
        _Pragma("unroll") \
        for (uint i = 0; i < RADIX; ++i) \
            signal[(item - k) * RADIX + k + i * done] = v[i]; \
    }

DEFINE_PASS(4)
DEFINE_PASS(8)

// Transforms of N points by passes of one radix: ITEMS work-items have one or several signals.
#define DEFINE_FFT(N, RADIX, ITEMS) \
    __kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) \
    void fft##N(__global const float2 *restrict in, __global const float2 *restrict roots, \
                __global float2 *restrict out) \
    { \
        __local float2 points[ITEMS * RADIX]; \
        const uint lid = get_local_id(0); \
        const uint item = lid % (N / RADIX); \
        __local float2 *signal = points + (lid - item) * RADIX; \
        const uint first = get_group_id(0) * (ITEMS * RADIX); \
        for (uint i = 0; i < RADIX; ++i) \
            points[lid + i * ITEMS] = in[first + lid + i * ITEMS]; \
        _Pragma("unroll") \
        for (uint done = 1; done < N; done *= RADIX) \
            pass##RADIX(signal, N, item, done, roots); \
        barrier(CLK_LOCAL_MEM_FENCE); \
        for (uint i = 0; i < RADIX; ++i) \
            out[first + lid + i * ITEMS] = points[lid + i * ITEMS]; \
    }

DEFINE_FFT(64, 8, 64)
DEFINE_FFT(256, 4, 64)
DEFINE_FFT(512, 8, 64)
DEFINE_FFT(1024, 4, 256)
