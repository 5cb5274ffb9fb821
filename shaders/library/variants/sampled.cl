// Variants for devices that sample texels faster than they fetch them (Preference::SampledTexels). Only
// samplers with unnormalised coordinates, the nearest pixel and clamping, or none, take integer coordinates
// (OpenCL C §6.15.15.2). The runtime's samplers take normalised ones: here the middle of a texel, where
// errors of rounding do not matter. Farther outside than the next texel there is the same to see.

#define MIDDLE_1d(c, size) \
    ((convert_float(clamp(c, -1, size.x)) + 0.5f) * native_recip((float)size.x))
#define MIDDLE_2d(c, size) \
    ((convert_float2(clamp(c, (int2)(-1), size.xy)) + (float2)(0.5f)) * native_recip(convert_float2(size.xy)))
#define MIDDLE_3d(c, size) \
    ((convert_float3(clamp(c, (int3)(-1), size)) + (float3)(0.5f)) * native_recip(convert_float3(size)))

#define SAMPLED(shape) \
    float4 __clvk_read_imagef_##shape##_i32__sampled( \
        read_only image##shape##_t image, sampler_t sampler, INTS_##shape c) \
    { \
        int3 size = SIZE_##shape(image); \
        return __clvk_sample(image, sampler, PADDED_##shape(MIDDLE_##shape(c, size)), 0.0f); \
    }

SAMPLED(1d)
SAMPLED(2d)
SAMPLED(3d)
