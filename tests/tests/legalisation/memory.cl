// Small values in memory: neighbours written by other work-items, odd addresses, vectors of 3, structures,
// arguments.
__kernel void race(__global uchar *bytes, __global ushort *shorts, __global int *wrong) {
    __local uchar local_bytes[64];
    __local ushort local_shorts[64];
    size_t i = get_global_id(0), l = get_local_id(0);
    volatile __global uchar *b = bytes;
    volatile __global ushort *s = shorts;
    volatile __local uchar *lb = local_bytes;
    volatile __local ushort *ls = local_shorts;
    int bad = 0;
    for (int round = 0; round < 40; round++) {
        uchar value = i * 7 + round;
        b[i] = value; s[i] = value * 257; lb[l] = value; ls[l] = value * 255;
        bad += b[i] != value; bad += s[i] != (ushort)(value * 257);
        bad += lb[l] != value; bad += ls[l] != (ushort)(value * 255);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t other = get_local_size(0) - 1 - l;
    uchar expected = (i - l + other) * 7 + 39;
    bad += local_bytes[other] != expected; bad += local_shorts[other] != (ushort)(expected * 255);
    wrong[i] = bad;
}

// Copies 3, 4 and 8 bytes or shorts from any offset to any other.
__kernel void odd(__global const uchar *from, __global uchar *to, __global const ushort *from16, __global ushort *to16) {
    size_t i = get_global_id(0);
    vstore3(vload3(0, from + i * 16 + i % 5), 0, to + i * 48 + i % 7);
    vstore4(vload4(0, from + i * 16 + i % 5), 0, to + i * 48 + 16 + i % 7);
    vstore8(vload8(0, from + i * 16 + i % 5), 0, to + i * 48 + 32 + i % 7);
    vstore3(vload3(0, from16 + i * 16 + i % 5), 0, to16 + i * 48 + i % 7);
    vstore4(vload4(0, from16 + i * 16 + i % 5), 0, to16 + i * 48 + 16 + i % 7);
    vstore8(vload8(0, from16 + i * 16 + i % 5), 0, to16 + i * 48 + 32 + i % 7);
}

__kernel void whole(__global const uchar4 *from, __global uchar4 *to, __global uchar3 *three, __global char16 *wide) {
    size_t i = get_global_id(0);
    to[i] = from[i].wzyx + (uchar4)(1, 2, 3, 4);
    three[i] = from[i].xyz * (uchar)3;
    wide[i] = convert_char16((short16)(i)) - (char16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

typedef struct { char c; short s; uchar b[3]; long l; } Mixed;
__kernel void structures(__global const Mixed *from, __global Mixed *to) {
    size_t i = get_global_id(0);
    Mixed m = from[i];
    m.c = -m.c; m.s += m.c; m.b[i % 3] ^= 0x55; m.l = m.l * 3 + m.s;
    // Member by member: the contents of padding do not matter.
    to[i].c = m.c; to[i].s = m.s; to[i].l = m.l;
    for (int k = 0; k < 3; k++) to[i].b[k] = m.b[k];
}

__kernel void arguments(char c, short s, ushort3 v, long l, half h, ulong2 w, __global long *out) {
    out[0] = c; out[1] = s; out[2] = v.x; out[3] = v.y; out[4] = v.z; out[5] = l; out[6] = (long)(float)h;
    out[7] = w.x; out[8] = w.y;
}

__constant uchar table[8] = {3, 1, 4, 1, 5, 9, 2, 255};
__kernel void private_bytes(__global const int *index, __global int *out) {
    size_t i = get_global_id(0);
    char array[16];
    for (int k = 0; k < 16; k++) array[(k + index[i]) & 15] = k - 8;
    out[i] = array[index[i] * 5 & 15] + table[index[i] & 7] * 256;
}

__kernel void casts(__global uint *words, __global uint *out) {
    size_t i = get_global_id(0);
    uchar4 bytes = as_uchar4(words[i]);
    ushort2 shorts = as_ushort2(words[i]);
    __global const uchar *memory = (__global const uchar *)words;
    out[i * 4] = as_uint(bytes.yxwz);
    out[i * 4 + 1] = as_uint(shorts.yx);
    out[i * 4 + 2] = memory[i * 4 + 1];
    out[i * 4 + 3] = as_ushort(bytes.yz) + as_short(bytes.xy);
}
