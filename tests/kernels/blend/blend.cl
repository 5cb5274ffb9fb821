// Adds a float layer to a picture of bytes: out = saturate(gain * picture + layer), four channels for each
// work-item. The picture and the result begin `skip` bytes into their buffers, so they are aligned only to
// bytes.

__kernel void blend(__global const uchar *restrict picture, __global const float *restrict layer,
                    __global uchar *restrict out, const uint skip, const float gain)
{
    const size_t i = get_global_id(0);
    const float4 below = convert_float4(vload4(i, picture + skip));
    const float4 above = vload4(i, layer);
    vstore4(convert_uchar4_sat(below * gain + above), i, out + skip);
}
