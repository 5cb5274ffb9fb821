// Kernels for the samples of exported programs. With their made-up arguments (16 work-items; element N is
// N % 16, halved in floating-point numbers; scalars are 16 or 2.0) the results are known without running
// anything.

kernel void saxpy(float a, global const float *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}

// A vector of three lanes, and numbers of 8, 16 and 64 bits.
kernel void widths(int3 v, char small, ushort middle, ulong large, global int *out) {
    out[get_global_id(0)] = v.x + 10 * v.y + 100 * v.z + small + middle + (int)(large << 10);
}

kernel void mirror(local int *row, global int *data) {
    size_t i = get_local_id(0), last = get_local_size(0) - 1;
    row[i] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = row[last - i];
}

// More arguments than push constants hold.
kernel void spilled(float16 a, float16 b, float16 c, float16 d, float16 e, global float *out) {
    out[get_global_id(0)] = a.s0 + b.s1 + c.s2 + d.s3 + e.sf + (float)get_global_id(0);
}

kernel void sums(global const int *in, global int *out, int n) {
    int sum = 0;
    for (int k = 0; k < n; k++) {
        sum += in[get_global_id(0) * n + k];
    }
    out[get_global_id(0)] = sum;
}

constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

kernel __attribute__((reqd_work_group_size(8, 2, 1))) void required(global int *out) {
    if (get_global_id(1) == 1) {
        out[get_global_id(0)] = primes[get_local_id(0)] + (int)get_local_size(1);
    }
}
