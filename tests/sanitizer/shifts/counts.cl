//! buffer in: int = 0 1 31 32 33 -1 64 5
//! buffer out: int 8
//! buffer wide: long 8
//! launch: counts(in, out) global 8
//! launch: others(in, out, wide) global 8
//! launch: vectors(in, out) global 1
//! launch: fine(in, out) global 8

kernel void counts(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = 1 << in[i]; //~ shifts 4 `1 << in[i]` a number of 32 bits is shifted by
    out[i] = i >> in[i]; //~ shifts 4 `i >> in[i]` a number of 32 bits is shifted by
    out[i] = 7u >> in[i]; //~ shifts 4 `7u >> in[i]` a number of 32 bits is shifted by
    out[i] <<= in[3]; //~ shifts 8 `out[i] <<= in[3]` a number of 32 bits is shifted by 32
    out[i] >>= in[5]; //~ shifts 8 `out[i] >>= in[5]` a number of 32 bits is shifted by -1
}

kernel void others(global const int *in, global int *out, global long *wide)
{
    int i = get_global_id(0);
    wide[i] = 1L << in[i]; //~ shifts 2 `1L << in[i]` a number of 64 bits is shifted by
    wide[i] >>= in[6]; //~ shifts 8 `wide[i] >>= in[6]` a number of 64 bits is shifted by 64
    uchar small = in[7];
    out[i] = small << in[4]; //~ shifts 8 `small << in[4]` a number of 32 bits is shifted by 33
}

kernel void vectors(global const int *in, global int *out)
{
    int4 a = vload4(0, in), b = vload4(1, in);
    vstore4(a << b, 0, out); //~ shifts 1 `a << b` numbers of 32 bits are shifted by numbers that are not from 0 to 31
    vstore4(a >> in[4], 1, out); //~ shifts 1 `a >> in[4]` numbers of 32 bits
    char2 c = (char2)(1, 2) << (char2)(8, in[1]); //~ shifts 1 `(char2)(1, 2) << (char2)(8, in[1])` numbers of 8 bits
    out[0] = c.x + c.y;
}

kernel void fine(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = (1 << (in[i] & 31)) + (in[i] >> 3) + rotate(in[i], 35);
}
