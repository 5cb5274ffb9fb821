//! buffer a: int = 0..16
//! buffer b: int 16
//! buffer small: char 64
//! launch: scaled(a, a) global 8
//! launch: scaled(a, b) global 8
//! launch: half_promised(b, b) global 4
//! launch: half_promised(b, a) global 4
//! launch: summed(a, a, b) global 4
//! launch: vectors(a, a) global 2
//! launch: counted(b, b) global 4
//! launch: chosen(a, a, b, int 1) global 4
//! launch: bytes(small, small) global 4
//! launch: functions(a, a) global 4
//! launch: nothing_promised(a, a) global 4
//! launch: only_read(a, a, b) global 4
//! launch: halves(a, a) global 8

kernel void scaled(global const int *restrict in, global int *restrict out)
{
    int i = get_global_id(0);
    out[i] = in[i] * 2; //~ restrict 8 `out[i] = in[i] * 2` the argument `in` (0) reaches, too, though one of them is `restrict`
}

kernel void half_promised(global int *to, global const int *restrict from)
{
    int i = get_global_id(0);
    to[i] = 7;
    to[i + 4] = from[i]; //~ restrict 4 `from[i]` read of 4 bytes at byte
    to[i] = from[i + 4]; //~ restrict 4 `from[i + 4]` the argument `to` (0) reaches, too //~ restrict 4 `to[i] = from[i + 4]` the argument `from` (1) reaches, too
}

kernel void summed(global int *a, global int *restrict b, global int *out)
{
    int i = get_global_id(0);
    out[i] = a[i];
    b[i] += 1; //~ restrict 4 `b[i] += 1` write of 4 bytes at byte
    out[i] += a[i]; //~ restrict 4 `a[i]` the argument `b` (1) reaches, too
}

kernel void vectors(global int *restrict a, global const int *restrict b)
{
    int i = get_global_id(0);
    vstore4((int4)(i), i, a);
    int4 v = vload4(i, b); //~ restrict 2 `vload4(i, b)` read of 16 bytes at byte
    a[8 + i] = v.x + v.w;
}

kernel void counted(global int *restrict a, global int *restrict b)
{
    int i = get_global_id(0);
    atomic_inc(&a[i]);
    atomic_inc(&b[i]); //~ restrict 4 `atomic_inc(&b[i])` atomic operation of 4 bytes at byte
}

kernel void chosen(global int *restrict a, global int *restrict b, global int *out, int n)
{
    int i = get_global_id(0);
    global int *p = n ? a : out;
    p[i] = 1;
    out[i] = b[i]; //~ restrict 4 `b[i]` the argument `a` (0) reaches, too
}

kernel void bytes(global char *restrict a, global char *restrict b)
{
    int i = get_global_id(0);
    a[i * 2] = 1;
    b[i * 2 + 1] = 2;
    b[i * 2] += 1; //~ restrict 4 `b[i * 2] += 1` read of 1 byte //~ restrict 4 `b[i * 2] += 1` write of 1 byte
}

void set(global int *p, int i)
{
    p[i] = i; //~ restrict 4 `p[i] = i` the argument `a` (0) reaches, too
}

kernel void functions(global int *restrict a, global int *restrict b)
{
    int i = get_global_id(0);
    set(a, i);
    set(b, i);
}

kernel void nothing_promised(global int *a, global int *b)
{
    int i = get_global_id(0);
    a[i] = b[i];
}

kernel void only_read(global const int *restrict a, global const int *restrict b, global int *restrict out)
{
    int i = get_global_id(0);
    out[i] = a[i] + b[i];
}

kernel void halves(global int *restrict a, global int *restrict b)
{
    int i = get_global_id(0);
    a[i] = b[i + 8];
}
