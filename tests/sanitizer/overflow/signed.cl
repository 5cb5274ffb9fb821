//! buffer in: int = 2147483647 -2147483648 7 -1 65536 46341 -46341 0
//! buffer longs: long = 9223372036854775807 -9223372036854775808 4294967296 -3
//! buffer out: int 8
//! buffer wide: long 4
//! launch: sums(in, out) global 8
//! launch: products(in, out) global 8
//! launch: steps(in, out) global 1
//! launch: vectors(in, out) global 1
//! launch: longer(longs, wide) global 4
//! launch: fine(in, out, longs) global 8

kernel void sums(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i] + in[2]; //~ overflow 1 `in[i] + in[2]` 2147483647 + 7 does not fit into a signed integer of 32 bits
    out[i] = in[i] + in[3]; //~ overflow 1 `in[i] + in[3]` -2147483648 + (-1) does not fit
    out[i] = in[i] - in[2]; //~ overflow 1 `in[i] - in[2]` -2147483648 - 7 does not fit
    out[i] -= in[1]; //~ overflow * `out[i] -= in[1]` - (-2147483648) does not fit
    out[i] = -in[i]; //~ overflow 1 `-in[i]` -(-2147483648) does not fit
}

kernel void products(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i] * in[i]; //~ overflow 5 `in[i] * in[i]` does not fit into a signed integer of 32 bits
    out[i] = in[i] * -1; //~ overflow 1 `in[i] * -1` -2147483648 * (-1) does not fit
    out[i] = 3 * (in[i] / 2); //~ overflow 2 `3 * (in[i] / 2)` does not fit
}

kernel void steps(global const int *in, global int *out)
{
    int up = in[0], down = in[1];
    out[0] = up++; //~ overflow 1 `up++` 2147483647 + 1 does not fit
    out[1] = --down; //~ overflow 1 `--down` -2147483648 - 1 does not fit
    out[2] = up + down;
    out[3] = in[4] << 15;
}

kernel void vectors(global const int *in, global int *out)
{
    int4 a = vload4(0, in), b = vload4(1, in);
    vstore4(a + b, 0, out); //~ overflow 1 `a + b` a sum does not fit into a signed integer of 32 bits
    vstore4(b * b, 0, out); //~ overflow 1 `b * b` a product does not fit
    vstore4(-a, 0, out); //~ overflow 1 `-a` a negated number does not fit
}

kernel void longer(global const long *in, global long *out)
{
    int i = get_global_id(0);
    out[i] = in[i] + 1; //~ overflow 1 `in[i] + 1` 9223372036854775807 + 1 does not fit into a signed integer of 64 bits
    out[i] = in[i] * in[2]; //~ overflow 3 `in[i] * in[2]` does not fit into a signed integer of 64 bits
}

kernel void fine(global const int *in, global int *out, global const long *longs)
{
    int i = get_global_id(0);
    out[i] = (uint)in[i] + 5u + (uint)in[0] * 3u;
    out[i] = (char)127 + (char)127 == 254 ? 0 : 1;
    out[i] = (int)((long)in[i] * in[i] >> 40) + (int)(longs[i % 4] / 4 + longs[2] >> 33) / 2;
    char c = 127;
    c++;
    short2 s = (short2)(32767, 1) + (short2)(1, 1);
    out[i] = c + s.x;
}
