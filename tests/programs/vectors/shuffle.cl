//! options: -cl-std=CL1.2
//! buffer in: uint = 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25
//! buffer masks: uint = 3 0xFFFFFFFF 4 8 0x80000001 2 0 7 31 16 15 1 30 5 17 29
//! buffer out: int 58
//! launch: shuffles(in, masks, out) global 1
//! expect out: 13 13 10 10 11 12 10 13
//! expect out: 13 11 10 10 11 10 10 11 11 10 11 11 10 11 11 11
//! expect out: 13 25 14 18
//! expect out: 13 27 14 20
//! expect out: 3 -1 4 8
//! expect out: 12 11
//! expect out: 11 13
//! expect out: 2 1 4 4 4 8 16 1 2 0
//! expect out: 1 8
//! expect out: 25 23 8
//! expect out: 250 10 9
// Only the low bits of a mask count; vec_step does not evaluate its operand.
kernel void shuffles(global const uint *in, global const uint *masks, global int *out)
{
    uint4 four = vload4(0, in);
    uint2 two = vload2(0, in);
    uint16 many = vload16(0, in);
    // The masks of the first vector have two significant bits, those of the second one.
    vstore8(convert_int8(shuffle(four, vload8(0, masks))), 0, out);
    uint16 second = shuffle((uint2)(in[0], in[1]), vload16(0, masks));
    second.s0 = 13;
    vstore16(convert_int16(second), 0, out + 8);
    vstore4(convert_int4(shuffle(many, vload4(0, masks))), 0, out + 24);
    // In a shuffle of two vectors of eight, the second one begins at 8.
    uint4 both = shuffle2(vload8(0, in), vload8(1, in) + 2u, vload4(0, masks));
    vstore4(convert_int4(both), 0, out + 28);
    short16 shorts = (short16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -1);
    vstore4(convert_int4(shuffle(shorts, convert_ushort4(vload4(0, masks)))), 0, out + 32);
    char2 chars = shuffle2((char2)(10, 11), (char2)(12, 13), (uchar2)(2, 5));
    vstore2(convert_int2(chars), 0, out + 36);
    float2 floats = shuffle2(convert_float2(two), convert_float2(two) + 2.0f, (uint2)(0xF1, 0xFF));
    vstore2(convert_int2(floats), 0, out + 38);
    int count = 0;
    int steps[10] = { vec_step(two), vec_step(in[0]), vec_step(four), vec_step(float3), vec_step((int3)(count++)),
                      vec_step(ulong8), vec_step(many), vec_step(short), vec_step(uchar2), count };
    for (int i = 0; i < 10; i++)
        out[40 + i] = steps[i];
    out[50] = vec_step(count++) + count;
    out[51] = vec_step(char8);
    long2 longs = shuffle((long4)(25, 24, 23, 22), (ulong2)(0, 2));
    out[52] = longs.x;
    out[53] = longs.y;
    out[54] = vec_step(shuffle(four, (uint8)(0)));
    uchar4 bytes = shuffle2((uchar8)(250), (uchar8)(1, 2, 3, 4, 5, 6, 9, 10), (uchar4)(7, 15, 14, 0));
    out[55] = bytes.x;
    out[56] = bytes.y;
    out[57] = bytes.z;
}
