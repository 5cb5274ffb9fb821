//! buffer in: int = 0..8
//! buffer out: int 8
//! buffer small: char 6
//! launch: beyond(in, out) global 8
//! launch: before(in, out) global 8
//! launch: far(in, out, long 4294967296) global 1
//! launch: stores(out, int 8) global 2
//! launch: bytes(small) global 8
//! launch: atomics(out) global 4 local 2
//! launch: nothing(null, out) global 1

kernel void beyond(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i + 1]; //~ bounds 1 `in[i + 1]` read of 4 bytes at byte 32 of the argument `in` (0), which has 32 bytes
}

kernel void before(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i - 2]; //~ bounds 2 `in[i - 2]` before the start of the argument `in` (0)
}

kernel void far(global const int *in, global int *out, long where)
{
    out[0] = in[where]; //~ bounds 1 `in[where]` read of 4 bytes at byte 17179869184 of
    out[1] = in[-where]; //~ bounds 1 `in[-where]` read of 4 bytes 17179869184 bytes before the start of
}

kernel void stores(global int *out, int n)
{
    int i = get_global_id(0);
    out[n + i] = 1; //~ bounds 2 `out[n + i] = 1` write of 4 bytes
    *(out - 1 - i) = 2; //~ bounds 2 `*(out - 1 - i) = 2` write of 4 bytes
    out[i] += out[i + 7]; //~ bounds 1 `out[i + 7]` read of 4 bytes at byte 32
}

kernel void bytes(global char *small)
{
    int i = get_global_id(0);
    small[i] = 1; //~ bounds 2 `small[i] = 1` write of 1 byte
    if (i == 0)
        *(global short *)(small + 5) = 1; //~ bounds 1 `*(global short *)(small + 5) = 1` write of 2 bytes at byte 5 //~ alignment 1 `*(global short *)(small + 5) = 1` at byte 5
}

kernel void atomics(global int *out)
{
    int i = get_global_id(0);
    atomic_add(out + 5 + i, 1); //~ bounds 1 `atomic_add(out + 5 + i, 1)` atomic operation of 4 bytes at byte 32
    atomic_cmpxchg(out - 1, 0, 1); //~ bounds 4 `atomic_cmpxchg(out - 1, 0, 1)` 4 bytes before the start of
}

kernel void nothing(global const int *in, global int *out)
{
    out[0] = *in; //~ bounds 1 `*in` through the argument `in` (0), which is null
}
