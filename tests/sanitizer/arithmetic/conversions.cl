//! buffer in: float = 1.5 -1.5 3e9 -3e9 255.5 256 -0.5 1e30
//! buffer out: int 8
//! launch: ints(in, out) global 8
//! launch: bytes(in, out) global 8
//! launch: longs(in, out) global 8
//! launch: nans(in, out, int 2143289344) global 1
//! launch: fine(in, out) global 8

kernel void ints(global const float *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i]; //~ arithmetic 3 `in[i]` does not fit into a signed integer of 32 bits
    out[i] += (uint)in[i]; //~ arithmetic 3 `(uint)in[i]` does not fit into an unsigned integer of 32 bits
}

kernel void bytes(global const float *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = (uchar)in[i]; //~ arithmetic 5 `(uchar)in[i]` does not fit into an unsigned integer of 8 bits
    out[i] += convert_char(in[i]); //~ arithmetic 5 `convert_char(in[i])` does not fit into a signed integer of 8 bits
    out[i] += convert_short2((float2)(in[i], 1)).y; //~ arithmetic 3 `convert_short2((float2)(in[i], 1))` a number does not fit
}

kernel void longs(global const float *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = (long)in[i]; //~ arithmetic 1 `(long)in[i]` does not fit into a signed integer of 64 bits
    out[i] = (ulong)in[i]; //~ arithmetic 3 `(ulong)in[i]` does not fit into an unsigned integer of 64 bits
}

kernel void nans(global const float *in, global int *out, int bits)
{
    out[0] = as_float(bits); //~ arithmetic 1 `as_float(bits)` the number NaN does not fit
    out[1] = -in[2] * 1e35f; //~ arithmetic 1 `-in[2] * 1e35f` the number -inf does not fit
}

kernel void fine(global const float *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = convert_int_sat(in[i]) + convert_uchar_sat(in[i]);
    out[i] += (uchar)min(fabs(in[i]), 255.9f) + (char)clamp(in[i], -128.9f, 127.9f);
}
