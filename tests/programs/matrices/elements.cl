//! needs: cl_khr_cooperative_matrix
//! buffer numbers: float = 0..256
//! buffer positive: float 256
//! buffer halves: float 256
//! buffer wide: float 256
//! buffer words: uint = 0..256
//! buffer wrong: uint = 1*0
//! launch: change(numbers, positive, halves, wide) global 32 local 32
//! launch: count(words, wrong) global 32 local 32
//! expect positive: 128*0 0..128
//! expect halves: 1..257
//! expect wide: 1..257
//! expect words: 3..259
//! expect wrong: 0
// Each work-item changes the elements that it holds, whichever of the matrix they are.

#include "matrices.h"

typedef float MATRIX(16, 16, ACCUMULATOR) mat_f;
typedef half MATRIX(16, 16, ACCUMULATOR) mat_h;
typedef __bf16 MATRIX(16, 16, ACCUMULATOR) mat_b;
typedef uint MATRIX(16, 16, ACCUMULATOR) mat_u;

mat_f without_negative(mat_f m)
{
    for (uint i = 0; i < coop_mat_length(m); ++i)
        m[i] = fmax(m[i], 0.0f);
    return m;
}

kernel void change(global const float *numbers, global float *positive, global float *halves, global float *wide)
{
    mat_f m = coop_mat_load(numbers, ROWS, 16);
    mat_h h = (mat_h)m;
    mat_b b = (mat_b)m;
    for (int i = 0; i < coop_mat_length(h); ++i) {
        h[i] += 1;
        // An element of bfloat16 is a float.
        b[i] = b[i] + 1;
    }
    coop_mat_store(halves, (mat_f)h, ROWS, 16);
    coop_mat_store(wide, (mat_f)b, ROWS, 16);
    mat_f most = coop_mat_init(128.0f);
    coop_mat_store(positive, without_negative(m - most), ROWS, 16);
}

kernel void count(global uint *words, global uint *wrong)
{
    mat_u matrices[2];
    matrices[0] = coop_mat_load(words, ROWS, 16);
    matrices[1] = coop_mat_init(7);
    uint sum = 0;
    for (ulong i = 0; i < coop_mat_length(matrices[0]); ++i) {
        matrices[0][i]++;
        ++matrices[0][i];
        matrices[0][i] = matrices[0][i] + matrices[1][0] / 7;
        // Of a value.
        sum += (matrices[1] + matrices[1])[i] - 14;
        sum += matrices[1][i]-- - 7;
        sum += matrices[1][i] != 6;
        matrices[1][i] |= 1;
        sum += matrices[1][i]-- - 7;
        matrices[1][i] = 7;
    }
    if (sum != 0)
        atomic_inc(wrong);
    barrier(CLK_GLOBAL_MEM_FENCE);
    coop_mat_store(words, matrices[0], ROWS, 16);
}
