//! buffer in: int = 7 0 -1 -2147483648 5 0 3 1
//! buffer shorts: short = -32768 0 7 -1
//! buffer out: int 8
//! launch: divisions(in, out) global 8
//! launch: remainders(in, out) global 8
//! launch: quotients(in, out) global 8
//! launch: vectors(in, out) global 1
//! launch: narrow(shorts, out) global 4
//! launch: wide(in, out) global 8
//! launch: fine(in, out) global 8

kernel void divisions(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = 100 / in[i]; //~ arithmetic 2 `100 / in[i]` division by zero: 100 / 0
    out[i] = (uint)i / (uint)in[i]; //~ arithmetic 2 `(uint)i / (uint)in[i]` division by zero
    out[i] /= in[1]; //~ arithmetic 8 `out[i] /= in[1]` division by zero:
}

kernel void remainders(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = 100 % in[i]; //~ arithmetic 2 `100 % in[i]` remainder of a division by zero: 100 % 0
    out[i] = 100u % (uint)in[i]; //~ arithmetic 2 `100u % (uint)in[i]` remainder of a division by zero
}

kernel void quotients(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i] / in[2]; //~ arithmetic 1 `in[i] / in[2]` the least number is divided by -1
    out[i] = in[i] % in[2]; //~ arithmetic 1 `in[i] % in[2]` the least number is divided by -1
    out[i] = in[i] / -1; //~ arithmetic 1 `in[i] / -1` the least number is divided by -1
}

kernel void vectors(global const int *in, global int *out)
{
    int4 a = vload4(0, in), b = vload4(1, in);
    vstore4(b / a, 0, out); //~ arithmetic 1 `b / a` division by zero
    vstore4(a % (int4)(1, -1, 1, -1), 1, out); //~ arithmetic 1 `a % (int4)(1, -1, 1, -1)` the least number
}

kernel void narrow(global const short *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i] / in[3];
    short2 two = (short2)(in[i], 1) / in[3]; //~ arithmetic 1 `(short2)(in[i], 1) / in[3]` the least number
    out[i] += two.x + 6 / in[i]; //~ arithmetic 1 `6 / in[i]` division by zero
}

kernel void wide(global const int *in, global int *out)
{
    int i = get_global_id(0);
    long least = (long)in[3] << 32;
    out[i] = (least + in[1]) / in[i]; //~ arithmetic 2 `(least + in[1]) / in[i]` division by zero //~ arithmetic 1 `(least + in[1]) / in[i]` the least number
}

kernel void fine(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i] ? 100 / in[i] : in[i] >> 33;
    out[i] += in[i] / 3 + in[i] % 8 + (in[i] << in[i]);
}
