//# atomic functions with wrong operands
kernel void f(global float *x, global int *n, global long *wide, local uint *bins, constant int *c) {
    atomic_add(x, 1.0f);
    atomic_add(n[0], 1);
    atomic_add(c, 1);
    atomic_inc(bins, 1);
    atom_inc(x);
    atomic_xchg(wide, 1L);
    atomic_cmpxchg(n, 0);
    atomic_fetch_add(n, 1);
    atomicAdd(n, 1);
}
