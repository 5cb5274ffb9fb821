// Kernels for checks.c.

kernel void ids(global uint *out, uint width) {
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    out[y * width + x] = get_global_id(0) * 1000 + get_global_id(1) + (get_num_groups(0) << 24);
}

kernel void add(global int *data, int value) { data[get_global_id(0)] += value; }

kernel void is_null(global int *pointer, global int *out) { out[get_global_id(0)] = pointer ? 1 : 2; }

// More private memory than devices are asked for.
kernel void scratch(global int *out, int n) {
    int numbers[40000];
    for (int k = 0; k < 16; k++) {
        numbers[(k * 2503 + n) % 40000] = k + (int)get_global_id(0);
    }
    int sum = 0;
    for (int k = 0; k < 16; k++) {
        sum += numbers[(k * 2503 + n) % 40000];
    }
    out[get_global_id(0)] = sum;
}

kernel void bytes(global uchar *data) { data[get_global_id(0)] += 1; }
