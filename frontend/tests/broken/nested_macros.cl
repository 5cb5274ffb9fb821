//# a name that is missing in nested macros
#define INDEX(row, col) ((row) * width + (col))
#define AT(m, row, col) m[INDEX(row, col)]
#define ACCUMULATE(sum, a, b, k) sum += AT(a, row, k) * AT(b, k, col)

kernel void multiply(global const float *a, global const float *b, global float *c, int n) {
    int row = get_global_id(1), col = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        ACCUMULATE(sum, a, b, k);
    }
    AT(c, row, col) = sum;
}
