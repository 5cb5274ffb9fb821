// What is computed in 64 bits and kept in 32: sums, products, masks, shifts in both directions, choices, what
// loops carry, and quotients, which need all bits.
//! buffer out: int 48
//! launch: run(out, long 1311768467463790320, long -7, int 0) global 1
//! launch: run(out, long -1, long 4294967297, int 12) global 1
//! launch: run(out, long -9223372036854775808, long 9223372036854775807, int 24) global 1
//! launch: run(out, long 4294967295, long 2147483648, int 36) global 1
//! expect out: -992614527 1469832928 -250 1193046 222 152709948 1310340759 9577174 7 0 1698898191 238
//! expect out: 16 -64 -65282 16777215 255 -1 27674846 133956092 -1 -1 0 255
//! expect out: 17 32 -256 8388608 0 -1073741824 -28629151 0 0 1 -1 0
//! expect out: -2147483631 -32 -65281 0 255 0 2146529343 260604 -2147483648 1 0 0

__kernel void run(__global int *out, const long a, const long b, const int first)
{
    const ulong ua = a, ub = b;
    __global int *at = out + first;
    at[0] = (int)(a * b + 17);
    at[1] = (int)((ua - ub) << 5);
    at[2] = (int)((ua & 0xffff0000ffff0000UL) | (ub ^ 0xff));
    at[3] = (int)(ua >> 40);
    at[4] = (int)((ua & 0xff00) >> 8);
    at[5] = (int)(a >> 33);
    ulong carried = ub;
    for (int i = 0; i < 5 + (first < 0); ++i)
        carried = carried * 31 + ua;
    at[6] = (int)carried;
    carried = ua;
    for (int i = 0; i < 3 + (first < 0); ++i)
        carried = carried << 9 ^ carried >> 7;
    at[7] = (int)carried;
    at[8] = (int)(a < b ? a : -b);
    at[9] = ub ? (int)(ua / ub) : 0;
    at[10] = (int)(~ua + (ub << 33));
    at[11] = (int)(a * b >> 3 & 0xff);
}
