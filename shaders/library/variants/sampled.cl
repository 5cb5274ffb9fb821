// Variants for devices that sample texels faster than they fetch them (Preference::SampledTexels). Only
// samplers with unnormalised coordinates, the nearest pixel and clamping, or none, take integer coordinates
// (OpenCL C §6.15.15.2).

// Images of one or two dimensions have samplers for coordinates in texels, which take a whole number for the
// texel that begins there. No image is as wide as this, and drivers need room for the number in 32 bits. They
// have it for all negative ones.
#define WIDEST 0x10000
#define PLACE_IN_1d(c) convert_float(min(c, WIDEST))
#define PLACE_IN_2d(c) convert_float2(min(c, (int2)(WIDEST)))

#define SAMPLED(shape) \
    float4 __clvk_read_imagef_##shape##_i32__sampled( \
        read_only image##shape##_t image, sampler_t sampler, INTS_##shape c) \
    { \
        return __clvk_sample_texel(image, sampler, PLACE_IN_##shape(c)); \
    }

SAMPLED(1d)
SAMPLED(2d)

// For others, Vulkan's samplers take normalised coordinates: here the middle of a texel, where errors of
// rounding do not matter. Farther outside than the next texel there is the same to see.
float4 __clvk_read_imagef_3d_i32__sampled(read_only image3d_t image, sampler_t sampler, int3 c)
{
    int3 size = SIZE_3d(image);
    float3 middle = convert_float3(clamp(c, (int3)(-1), size)) + (float3)(0.5f);
    return __clvk_sample(image, sampler, (float4)(middle * native_recip(convert_float3(size)), 0.0f), 0.0f);
}
