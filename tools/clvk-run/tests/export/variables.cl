// Program-scope variables keep their values from launch to launch.
global int counters[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
global int *global there = &counters[2];

kernel void count(global int *out) {
    size_t i = get_global_id(0);
    counters[i] += 1;
    out[i] = counters[i] + (int)(there - counters);
}
