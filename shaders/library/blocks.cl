// Blocks of images (cl_intel_subgroups and its kind): each work-item has an element of a row, whose place is
// counted in bytes. Pixels are read and written as colours, and converted from and to their bytes here. The
// extensions leave pixels of more than four bytes undefined.

// The channel data types and orders that are named here, as in the word about an image.
#define SNORM_INT8 0x10D0
#define SNORM_INT16 0x10D1
#define UNORM_INT8 0x10D2
#define UNORM_INT16 0x10D3
#define SIGNED_INT8 0x10D7
#define SIGNED_INT16 0x10D8
#define SIGNED_INT32 0x10D9
#define UNSIGNED_INT8 0x10DA
#define UNSIGNED_INT16 0x10DB
#define UNSIGNED_INT32 0x10DC
#define HALF_FLOAT 0x10DD
#define CHANNEL_TYPE(info) ((info) >> 16 & 0x7FFF)

// The logarithm of a channel's bytes.
uint __clvk_channel_shift(uint info)
{
    switch (CHANNEL_TYPE(info)) {
    case SNORM_INT8:
    case UNORM_INT8:
    case SIGNED_INT8:
    case UNSIGNED_INT8:
        return 0;
    case SNORM_INT16:
    case UNORM_INT16:
    case SIGNED_INT16:
    case UNSIGNED_INT16:
    case HALF_FLOAT:
        return 1;
    default:
        return 2;
    }
}

// The logarithm of a pixel's bytes; two for more than four.
uint __clvk_pixel_shift(uint info)
{
    uint order = info & ORDER;
    // CLK_R and CLK_RG have one and two channels, all others four.
    uint channels = order == 0x10B0 ? 0 : order == 0x10B2 ? 1 : 2;
    return min(__clvk_channel_shift(info) + channels, 2u);
}

// The first channel of a pixel of more than one is the third of its colour: CLK_BGRA and CLK_sBGRA.
bool __clvk_begins_with_blue(uint info)
{
    uint order = info & ORDER;
    return order == 0x10B6 || order == 0x10C2;
}

// The bytes of a pixel of numbers, and of one whose numbers are colours.
uint __clvk_packed(uint4 c, uint info)
{
    switch (__clvk_channel_shift(info)) {
    case 0:
        c &= 0xFF;
        c = c.x | c.y << 8 | c.z << 16 | c.w << 24;
        break;
    case 1:
        c &= 0xFFFF;
        c = c.x | c.y << 16;
        break;
    }
    // What a pixel lacks, its colour has as zero or one.
    return c.x & 0xFFFFFFFFu >> (32 - (8u << __clvk_pixel_shift(info)));
}

uint __clvk_packed_color(float4 c, uint info)
{
    c = __clvk_encoded_f32(c, info);
    if (__clvk_begins_with_blue(info))
        c = c.zyxw;
    uint4 bits;
    switch (CHANNEL_TYPE(info)) {
    case SNORM_INT8:
        bits = as_uint4(convert_int4(rint(c * 127.0f)));
        break;
    case UNORM_INT8:
        bits = convert_uint4(rint(c * 255.0f));
        break;
    case SNORM_INT16:
        bits = as_uint4(convert_int4(rint(c * 32767.0f)));
        break;
    case UNORM_INT16:
        bits = convert_uint4(rint(c * 65535.0f));
        break;
    case HALF_FLOAT:
        bits = convert_uint4(as_ushort4(convert_half4(c)));
        break;
    default:
        bits = as_uint4(c);
        break;
    }
    return __clvk_packed(bits, info);
}

// The channels of a pixel.
uint4 __clvk_unpacked(uint bits, uint info)
{
    switch (__clvk_channel_shift(info)) {
    case 0:
        return (uint4)(bits) >> (uint4)(0, 8, 16, 24) & 0xFF;
    case 1:
        return (uint4)(bits & 0xFFFF, bits >> 16, 0, 0);
    default:
        return (uint4)(bits, 0, 0, 0);
    }
}

float4 __clvk_unpacked_color(uint bits, uint info)
{
    uint4 c = __clvk_unpacked(bits, info);
    if (__clvk_begins_with_blue(info))
        c = c.zyxw;
    float4 color;
    switch (CHANNEL_TYPE(info)) {
    case SNORM_INT8:
        color = convert_float4(as_int4(c << 24) >> 24) / 127.0f;
        break;
    case UNORM_INT8:
        color = convert_float4(c) / 255.0f;
        break;
    case SNORM_INT16:
        color = convert_float4(as_int4(c << 16) >> 16) / 32767.0f;
        break;
    case UNORM_INT16:
        color = convert_float4(c) / 65535.0f;
        break;
    case HALF_FLOAT:
        color = convert_float4(as_half4(convert_ushort4(c)));
        break;
    default:
        color = as_float4(c);
        break;
    }
    return __clvk_decoded_f32(color, info);
}

// `bytes` bytes, at most four, from byte `at` of a row on. Beyond the edge are the pixels at the edge.
#define BLOCK_READ(access, name) \
    uint __clvk_pixel_##name(access image2d_t image, int x, int y, uint info) \
    { \
        int2 last = (int2)(get_image_width(image), get_image_height(image)) - 1; \
        int2 p = min(max((int2)(x, y), 0), last); \
        uint type = CHANNEL_TYPE(info); \
        if (type >= UNSIGNED_INT8 && type <= UNSIGNED_INT32) \
            return __clvk_packed(read_imageui(image, p), info); \
        if (type >= SIGNED_INT8 && type <= SIGNED_INT32) \
            return __clvk_packed(as_uint4(read_imagei(image, p)), info); \
        return __clvk_packed_color(read_imagef(image, p), info); \
    } \
    uint __clvk_bytes_##name(access image2d_t image, int at, int y, int bytes) \
    { \
        uint info = __clvk_image_info(image); \
        uint shift = __clvk_pixel_shift(info); \
        int size = 1 << shift, x = at >> shift; \
        uint bits = 0; \
        for (int place = (x << shift) - at; place < bytes; place += size, x += 1) { \
            uint pixel = __clvk_pixel_##name(image, x, y, info); \
            bits |= place < 0 ? pixel >> (-8 * place) : pixel << (8 * place); \
        } \
        return bits; \
    } \
    uchar __clvk_block_##name##_u8(access image2d_t image, int x, int y) \
    { \
        return (uchar)__clvk_bytes_##name(image, x + (int)get_sub_group_local_id(), y, 1); \
    } \
    ushort __clvk_block_##name##_u16(access image2d_t image, int x, int y) \
    { \
        return (ushort)__clvk_bytes_##name(image, x + 2 * (int)get_sub_group_local_id(), y, 2); \
    } \
    uint __clvk_block_##name##_u32(access image2d_t image, int x, int y) \
    { \
        return __clvk_bytes_##name(image, x + 4 * (int)get_sub_group_local_id(), y, 4); \
    } \
    ulong __clvk_block_##name##_u64(access image2d_t image, int x, int y) \
    { \
        int at = x + 8 * (int)get_sub_group_local_id(); \
        uint low = __clvk_bytes_##name(image, at, y, 4); \
        return upsample(__clvk_bytes_##name(image, at + 4, y, 4), low); \
    }

// `bytes` bytes at byte `at` of a row, which is at the beginning of a pixel. Nothing is written beyond the
// edge.
#define BLOCK_WRITE(access, name) \
    void __clvk_write_pixel_##name(access image2d_t image, int x, int y, uint bits, uint info) \
    { \
        int2 p = (int2)(x, y), size = (int2)(get_image_width(image), get_image_height(image)); \
        if (any(p < 0) || any(p >= size)) \
            return; \
        uint type = CHANNEL_TYPE(info); \
        uint4 c = __clvk_unpacked(bits, info); \
        if (type >= UNSIGNED_INT8 && type <= UNSIGNED_INT32) { \
            write_imageui(image, p, c); \
        } else if (type >= SIGNED_INT8 && type <= SIGNED_INT32) { \
            uint unused = 32 - (8u << __clvk_channel_shift(info)); \
            write_imagei(image, p, as_int4(c << unused) >> unused); \
        } else { \
            write_imagef(image, p, __clvk_unpacked_color(bits, info)); \
        } \
    } \
    void __clvk_write_bytes_##name(access image2d_t image, int at, int y, uint bits, int bytes) \
    { \
        uint info = __clvk_image_info(image); \
        uint shift = __clvk_pixel_shift(info); \
        int size = 1 << shift; \
        for (int place = 0; place < bytes; place += size) \
            __clvk_write_pixel_##name(image, (at + place) >> shift, y, bits >> (8 * place), info); \
    } \
    void __clvk_write_part_##name(access image2d_t image, int x, int y, uint bits, int bytes) \
    { \
        /* The bytes of a pixel come from as many work-items as it takes; the first of them writes it. */ \
        int size = max(bytes, 1 << __clvk_pixel_shift(__clvk_image_info(image))); \
        uint lane = get_sub_group_local_id(), parts = (uint)(size / bytes); \
        for (uint part = 1; part < parts; part += 1) \
            bits |= sub_group_shuffle(bits, lane + part) << (8 * bytes * part); \
        if ((lane & (parts - 1)) == 0) \
            __clvk_write_bytes_##name(image, x + bytes * (int)lane, y, bits, size); \
    } \
    void __clvk_block_write_##name##_u8(access image2d_t image, int x, int y, uchar data) \
    { \
        __clvk_write_part_##name(image, x, y, data, 1); \
    } \
    void __clvk_block_write_##name##_u16(access image2d_t image, int x, int y, ushort data) \
    { \
        __clvk_write_part_##name(image, x, y, data, 2); \
    } \
    void __clvk_block_write_##name##_u32(access image2d_t image, int x, int y, uint data) \
    { \
        __clvk_write_bytes_##name(image, x + 4 * (int)get_sub_group_local_id(), y, data, 4); \
    } \
    void __clvk_block_write_##name##_u64(access image2d_t image, int x, int y, ulong data) \
    { \
        int at = x + 8 * (int)get_sub_group_local_id(); \
        __clvk_write_bytes_##name(image, at, y, (uint)data, 4); \
        __clvk_write_bytes_##name(image, at + 4, y, (uint)(data >> 32), 4); \
    }

BLOCK_READ(read_only, ro)
BLOCK_READ(read_write, rw)
BLOCK_WRITE(write_only, wo)
BLOCK_WRITE(read_write, rw)
