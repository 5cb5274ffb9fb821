// Images read through samplers (OpenCL C §6.15.15.2 and chapter 8): the coordinates of a texel are computed
// here, and the texel is fetched. Only interpolation is left to the device's sampler, where it supports the
// image's format.

#define NORMALIZED 1
#define ADDRESSING 0xE
#define CLAMP 4
#define REPEAT 6
#define MIRRORED 8
#define LINEAR 0x20
#define LINEAR_LEVELS 0x40

// Parts of the word about an image: its channel order, and whether the device interpolates between its texels
// at coordinates in texels and at normalised ones.
#define ORDER 0x7FFF
#define INTERPOLATED_IN_TEXELS 0x8000u
#define INTERPOLATED_NORMALIZED 0x80000000u

// The alpha of the border (§6.15.15.1.1): 1 where the channel order has no alpha, which are CLK_R, CLK_RG,
// CLK_RGB and CLK_LUMINANCE.
int __clvk_border_alpha(uint info)
{
    uint order = info & ORDER;
    return order == 0x10B0 || order == 0x10B2 || order == 0x10B4 || order == 0x10B9;
}

// A coordinate of CLK_ADDRESS_REPEAT or CLK_ADDRESS_MIRRORED_REPEAT, in texels.
float __clvk_repeated(float s, float size, uint mode)
{
    return (mode == REPEAT ? s - floor(s) : fabs(s - 2.0f * rint(0.5f * s))) * size;
}

// The texel at a coordinate along one axis; outside the edge for CLK_ADDRESS_CLAMP.
int __clvk_nearest(float s, int size, uint word)
{
    uint mode = word & ADDRESSING;
    float n = (float)size;
    if (mode == REPEAT || mode == MIRRORED) {
        int i = (int)floor(__clvk_repeated(s, n, mode));
        return i < size ? i : mode == REPEAT ? i - size : size - 1;
    }
    float u = floor(word & NORMALIZED ? s * n : s);
    return (int)fmax(mode == CLAMP ? -1.0f : 0.0f, fmin(u, mode == CLAMP ? n : n - 1.0f));
}

// The two texels of a coordinate along one axis, and the weight of the second one.
void __clvk_between(float s, int size, uint word, int* first, int* second, float* weight)
{
    uint mode = word & ADDRESSING;
    float n = (float)size;
    bool repeats = mode == REPEAT || mode == MIRRORED;
    float u = (repeats ? __clvk_repeated(s, n, mode) : word & NORMALIZED ? s * n : s) - 0.5f;
    float base = floor(u);
    *weight = u - base;
    if (repeats) {
        int i = (int)base;
        *first = i >= 0 ? i : mode == REPEAT ? i + size : 0;
        *second = i + 1 < size ? i + 1 : mode == REPEAT ? i + 1 - size : size - 1;
    } else {
        float low = mode == CLAMP ? -1.0f : 0.0f, high = mode == CLAMP ? n : n - 1.0f;
        *first = (int)fmax(low, fmin(base, high));
        *second = (int)fmax(low, fmin(base + 1.0f, high));
    }
}

// The level of detail that is read, out of `levels`: the sampler's word contains the sampler's first and last
// one, in 256ths.
float __clvk_level(float level, int levels, uint word)
{
    float first = (float)(word >> 8 & 0xFFF) / 256.0f, last = (float)(0xFFF - (word >> 20)) / 256.0f;
    return fmax(0.0f, fmin(fmin(fmax(level, first), last), (float)(levels - 1)));
}

// The level of detail in which this many texels, squared, are one texel.
float __clvk_level_of(float x, float y)
{
    return 0.5f * log2(fmax(x, y));
}

// The layer of an array (§8.4).
int __clvk_layer(float w, int layers)
{
    return (int)fmax(0.0f, fmin(rint(w), (float)(layers - 1)));
}

// Colours written to images of small integers saturate (§8.3.4).
int4 __clvk_saturated_i32(int4 color, uint info)
{
    uint type = info >> 16 & 0x7FFF;
    // CLK_SIGNED_INT8 and CLK_SIGNED_INT16.
    int high = type == 0x10D7 ? 127 : type == 0x10D8 ? 32767 : INT_MAX;
    return min(max(color, (int4)(-high - 1)), (int4)(high));
}

uint4 __clvk_saturated_u32(uint4 color, uint info)
{
    uint type = info >> 16 & 0x7FFF;
    // CLK_UNSIGNED_INT8 and CLK_UNSIGNED_INT16.
    uint high = type == 0x10DA ? 255 : type == 0x10DB ? 65535 : UINT_MAX;
    return min(color, (uint4)(high));
}

// sRGB colours (§8.3.5), which images hold as plain numbers where a kernel may write to them. The device's
// powers are exact enough: a colour may be wrong by 0.6 of a step, and theirs are wrong by less than 0.001 of
// one.
bool __clvk_is_encoded(uint info)
{
    uint order = info & ORDER;
    // CLK_sRGBA and CLK_sBGRA.
    return order == 0x10C1 || order == 0x10C2;
}

// A number from 0 to 1 that the device writes as this step of 1/255, because not every device rounds ties to
// even.
float __clvk_step(float c) { return rint(c * 255.0f) * (1.0f / 255.0f); }

float __clvk_encoded_channel(float c)
{
    c = fmin(fmax(c, 0.0f), 1.0f);
    float power = native_exp2(native_log2(c) * (1.0f / 2.4f));
    return __clvk_step(c < 0.0031308f ? 12.92f * c : 1.055f * power - 0.055f);
}

float __clvk_decoded_channel(float c)
{
    float power = native_exp2(native_log2((c + 0.055f) * (1.0f / 1.055f)) * 2.4f);
    return c <= 0.04045f ? c * (1.0f / 12.92f) : power;
}

float4 __clvk_encoded_f32(float4 color, uint info)
{
    if (!__clvk_is_encoded(info))
        return color;
    return (float4)(__clvk_encoded_channel(color.x), __clvk_encoded_channel(color.y),
                    __clvk_encoded_channel(color.z), __clvk_step(fmin(fmax(color.w, 0.0f), 1.0f)));
}

float4 __clvk_decoded_f32(float4 color, uint info)
{
    if (!__clvk_is_encoded(info))
        return color;
    return (float4)(__clvk_decoded_channel(color.x), __clvk_decoded_channel(color.y),
                    __clvk_decoded_channel(color.z), color.w);
}

// For each shape: its size, the components of a fetch's coordinates, and those of the source's coordinates.
#define SIZE_1d(image) (int3)(get_image_width(image), 1, 1)
#define SIZE_1d_array(image) (int3)(get_image_width(image), (int)get_image_array_size(image), 1)
#define SIZE_2d(image) (int3)(get_image_width(image), get_image_height(image), 1)
#define SIZE_2d_array(image) (int3)(get_image_width(image), get_image_height(image), (int)get_image_array_size(image))
#define SIZE_3d(image) (int3)(get_image_width(image), get_image_height(image), get_image_depth(image))

// The size of a level of detail.
#define LESSER(size, level) max(size >> level, 1)
#define LEVEL_1d(size, level) (int3)(LESSER(size.x, level), 1, 1)
#define LEVEL_1d_array(size, level) (int3)(LESSER(size.x, level), size.y, 1)
#define LEVEL_2d(size, level) (int3)(LESSER(size.x, level), LESSER(size.y, level), 1)
#define LEVEL_2d_array(size, level) (int3)(LESSER(size.x, level), LESSER(size.y, level), size.z)
#define LEVEL_3d(size, level) (int3)(LESSER(size.x, level), LESSER(size.y, level), LESSER(size.z, level))

// Gradients, and the square of their length in texels.
#define GRADIENT_1d float
#define GRADIENT_1d_array float
#define GRADIENT_2d float2
#define GRADIENT_2d_array float2
#define GRADIENT_3d float4
#define SQUARED_1d(g) (g * (float)size.x) * (g * (float)size.x)
#define SQUARED_1d_array(g) SQUARED_1d(g)
#define SQUARED_2d(g) dot(g * convert_float2(size.xy), g * convert_float2(size.xy))
#define SQUARED_2d_array(g) SQUARED_2d(g)
#define SQUARED_3d(g) dot(g.xyz * convert_float3(size), g.xyz * convert_float3(size))

#define PLACE_1d(p) p.x
#define PLACE_1d_array(p) p.xy
#define PLACE_2d(p) p.xy
#define PLACE_2d_array(p) (int4)(p, 0)
#define PLACE_3d(p) (int4)(p, 0)

#define FLOATS_1d float
#define FLOATS_1d_array float2
#define FLOATS_2d float2
#define FLOATS_2d_array float3
#define FLOATS_3d float3
#define INTS_1d int
#define INTS_1d_array int2
#define INTS_2d int2
#define INTS_2d_array int3
#define INTS_3d int3

#define INTS_PLACE_1d(c) (int3)(c, 0, 0)
#define INTS_PLACE_1d_array(c) (int3)(c, 0)
#define INTS_PLACE_2d(c) (int3)(c, 0)
#define INTS_PLACE_2d_array(c) c
#define INTS_PLACE_3d(c) c

// Array layers are clamped whatever the addressing mode.
#define LAYERED_1d(p, size)
#define LAYERED_1d_array(p, size) p.y = min(max(p.y, 0), size.y - 1);
#define LAYERED_2d(p, size)
#define LAYERED_2d_array(p, size) p.z = min(max(p.z, 0), size.z - 1);
#define LAYERED_3d(p, size)

#define NEAREST_1d(c, size, word) (int3)(__clvk_nearest(c, size.x, word), 0, 0)
#define NEAREST_1d_array(c, size, word) \
    (int3)(__clvk_nearest(c.x, size.x, word), __clvk_layer(c.y, size.y), 0)
#define NEAREST_2d(c, size, word) \
    (int3)(__clvk_nearest(c.x, size.x, word), __clvk_nearest(c.y, size.y, word), 0)
#define NEAREST_2d_array(c, size, word) \
    (int3)(__clvk_nearest(c.x, size.x, word), __clvk_nearest(c.y, size.y, word), __clvk_layer(c.z, size.z))
#define NEAREST_3d(c, size, word) \
    (int3)(__clvk_nearest(c.x, size.x, word), __clvk_nearest(c.y, size.y, word), \
           __clvk_nearest(c.z, size.z, word))

// Coordinates as the device's sampler takes them, padded to match the built-in functions' rows.
#define UNIT_1d(c, size) (c / (float)size.x)
#define UNIT_1d_array(c, size) (float2)(c.x / (float)size.x, c.y)
#define UNIT_2d(c, size) (c / convert_float2(size.xy))
#define UNIT_2d_array(c, size) (float3)(c.xy / convert_float2(size.xy), c.z)
#define UNIT_3d(c, size) (c / convert_float3(size))
#define PADDED_1d(c) c
#define PADDED_1d_array(c) c
#define PADDED_2d(c) c
#define PADDED_2d_array(c) (float4)(c, 0.0f)
#define PADDED_3d(c) (float4)(c, 0.0f)

// Interpolation: along x, then along each further axis with twice as many texels. `T(x, y, z)` is a texel.
#define AXIS(c, size, i, j, w) \
    int i, j; \
    float w; \
    __clvk_between(c, size, word, &i, &j, &w);
#define MIX_X(y, z) ((1.0f - a) * T(i0, y, z) + a * T(i1, y, z))
#define MIX_XY(z) ((1.0f - b) * MIX_X(j0, z) + b * MIX_X(j1, z))
#define BETWEEN_1d AXIS(c, size.x, i0, i1, a) return MIX_X(0, 0);
#define BETWEEN_1d_array AXIS(c.x, size.x, i0, i1, a) int layer = __clvk_layer(c.y, size.y); return MIX_X(layer, 0);
#define BETWEEN_2d AXIS(c.x, size.x, i0, i1, a) AXIS(c.y, size.y, j0, j1, b) return MIX_XY(0);
#define BETWEEN_2d_array \
    AXIS(c.x, size.x, i0, i1, a) AXIS(c.y, size.y, j0, j1, b) int layer = __clvk_layer(c.z, size.z); \
    return MIX_XY(layer);
#define BETWEEN_3d \
    AXIS(c.x, size.x, i0, i1, a) AXIS(c.y, size.y, j0, j1, b) AXIS(c.z, size.z, k0, k1, w) \
    return (1.0f - w) * MIX_XY(k0) + w * MIX_XY(k1);

// A texel of a level, or the border; coordinates may be outside only where the border is meant.
#define TEXEL(shape, image_type, type, function, fetch, border) \
    __attribute__((overloadable)) type function( \
        read_only image_type image, int3 p, int3 size, uint word, int level) \
    { \
        int3 inside = min(max(p, (int3)(0)), size - (int3)(1)); \
        type texel = fetch(image, PLACE_##shape(inside), level); \
        if ((word & ADDRESSING) != CLAMP || all(p == inside)) \
            return texel; \
        return border; \
    }

// Reads through a sampler without interpolation: of integers, and at integer coordinates, which are in
// texels. `size` is that of the level.
#define READ_INTS(shape, name, image_type, type, texel) \
    type __clvk_##name##_i32(read_only image_type image, sampler_t sampler, INTS_##shape c) \
    { \
        int3 size = SIZE_##shape(image); \
        int3 p = INTS_PLACE_##shape(c); \
        LAYERED_##shape(p, size) \
        return texel(image, p, size, __clvk_sampler_word(sampler), 0); \
    }
#define READ_NEAREST(shape, name, image_type, type, texel) \
    type __clvk_##name##_in( \
        read_only image_type image, sampler_t sampler, FLOATS_##shape c, int3 size, uint word, int level) \
    { \
        return texel(image, NEAREST_##shape(c, size, word), size, word, level); \
    } \
    READ_LEVELS(shape, name, image_type, type, false)

// Reads of floating-point numbers.
#define T(x, y, z) __clvk_texel(image, (int3)(x, y, z), size, word, level)
#define READ_LINEAR(shape, name, image_type, type) \
    type __clvk_##name##_between( \
        read_only image_type image, uint word, int3 size, FLOATS_##shape c, int level) \
    { \
        BETWEEN_##shape \
    } \
    type __clvk_##name##_in( \
        read_only image_type image, sampler_t sampler, FLOATS_##shape c, int3 size, uint word, int level) \
    { \
        if (!(word & LINEAR)) \
            return __clvk_texel(image, NEAREST_##shape(c, size, word), size, word, level); \
        uint interpolated = word & NORMALIZED ? INTERPOLATED_NORMALIZED : INTERPOLATED_IN_TEXELS; \
        if (!(__clvk_image_info(image) & interpolated)) \
            return __clvk_##name##_between(image, word, size, c, level); \
        FLOATS_##shape unit = c; \
        if (!(word & NORMALIZED)) \
            unit = UNIT_##shape(c, size); \
        return __clvk_sample(image, sampler, PADDED_##shape(unit), (float)level); \
    } \
    READ_LEVELS(shape, name, image_type, type, true)

// Reads of the first level, of a given level, and of the level that gradients determine.
#define READ_LEVELS(shape, name, image_type, type, mixes) \
    type __clvk_##name##_f32(read_only image_type image, sampler_t sampler, FLOATS_##shape c) \
    { \
        uint word = __clvk_sampler_word(sampler); \
        return __clvk_##name##_in(image, sampler, c, SIZE_##shape(image), word, 0); \
    } \
    type __clvk_##name##_level(read_only image_type image, sampler_t sampler, FLOATS_##shape c, float wanted) \
    { \
        uint word = __clvk_sampler_word(sampler); \
        int3 size = SIZE_##shape(image); \
        float between = __clvk_level(wanted, __clvk_image_levels(image), word); \
        bool linear = mixes && (word & LINEAR_LEVELS); \
        int level = (int)(linear ? between : ceil(between - 0.5f)); \
        type first = __clvk_##name##_in(image, sampler, c, LEVEL_##shape(size, level), word, level); \
        float weight = linear ? between - (float)level : 0.0f; \
        if (weight == 0.0f) \
            return first; \
        level += 1; \
        return MIXED_##mixes( \
            first, __clvk_##name##_in(image, sampler, c, LEVEL_##shape(size, level), word, level)); \
    } \
    type __clvk_##name##_gradients( \
        read_only image_type image, sampler_t sampler, FLOATS_##shape c, GRADIENT_##shape x, GRADIENT_##shape y) \
    { \
        int3 size = SIZE_##shape(image); \
        return __clvk_##name##_level(image, sampler, c, __clvk_level_of(SQUARED_##shape(x), SQUARED_##shape(y))); \
    }
#define MIXED_true(a, b) (1.0f - weight) * a + weight * b
#define MIXED_false(a, b) a

#define READ_HALF(shape, coordinates, suffix) \
    half4 __clvk_read_imageh_##shape##_##suffix( \
        read_only image##shape##_t image, sampler_t sampler, coordinates##_##shape c) \
    { \
        return convert_half4(__clvk_read_imagef_##shape##_##suffix(image, sampler, c)); \
    }

#define BORDER(type, scalar) ((type)(0, 0, 0, (scalar)__clvk_border_alpha(__clvk_image_info(image))))

#define SHAPE(shape) \
    TEXEL(shape, image##shape##_t, float4, __clvk_texel, __clvk_fetch_f, BORDER(float4, float)) \
    TEXEL(shape, image##shape##_t, int4, __clvk_texel_i, __clvk_fetch_i, BORDER(int4, int)) \
    TEXEL(shape, image##shape##_t, uint4, __clvk_texel_ui, __clvk_fetch_ui, BORDER(uint4, uint)) \
    READ_LINEAR(shape, read_imagef_##shape, image##shape##_t, float4) \
    READ_INTS(shape, read_imagef_##shape, image##shape##_t, float4, __clvk_texel) \
    READ_HALF(shape, FLOATS, f32) \
    READ_HALF(shape, INTS, i32) \
    READ_NEAREST(shape, read_imagei_##shape, image##shape##_t, int4, __clvk_texel_i) \
    READ_INTS(shape, read_imagei_##shape, image##shape##_t, int4, __clvk_texel_i) \
    READ_NEAREST(shape, read_imageui_##shape, image##shape##_t, uint4, __clvk_texel_ui) \
    READ_INTS(shape, read_imageui_##shape, image##shape##_t, uint4, __clvk_texel_ui)

#define DEPTH(shape) \
    TEXEL(shape, image##shape##_depth_t, float, __clvk_texel, __clvk_fetch_f, 0.0f) \
    READ_LINEAR(shape, read_imagef_##shape##_depth, image##shape##_depth_t, float) \
    READ_INTS(shape, read_imagef_##shape##_depth, image##shape##_depth_t, float, __clvk_texel)

SHAPE(1d)
SHAPE(1d_array)
SHAPE(2d)
SHAPE(2d_array)
SHAPE(3d)
DEPTH(2d)
DEPTH(2d_array)
