//# misspelt, misplaced and invalid attributes
__attribute__((reqd_work_group_size(16, 16)))
kernel void a(global int *y) { y[0] = 1; }

kernel __attribute__((reqd_work_group_sizes(16, 1, 1)))
void b(global int *y) { y[0] = 1; }

kernel __attribute__((reqd_work_group_size(0, 1, 1)))
void c(global int *y) { y[0] = 1; }

kernel __attribute__((work_group_size_hint(x, 1, 1)))
void d(global int *y) { y[0] = 1; }

typedef struct __attribute__((align(16))) { float x; } padded;

kernel __attribute__((vec_type_hint(float4))
void e(global padded *y) { y[0].x = 1.0f; }
