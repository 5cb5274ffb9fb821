//! needs: cl_khr_cooperative_matrix
//! buffer numbers: float = 0..16
//! buffer positive: float 16
//! buffer halves: float 16
//! buffer wide: float 16
//! buffer words: uint = 0..16
//! buffer more: uint 16
//! buffer wrong: uint = 1*0
//! launch: change(numbers, positive, halves, wide) global 32 local 32
//! launch: count(words, more, wrong) global 32 local 32
//! expect positive: 8*0 0..8
//! expect halves: 1..17
//! expect wide: 1..17
//! expect more: 3..19
//! expect wrong: 0
// Each work-item changes the elements that it holds, whichever of the matrix they are.

#include "matrices.h"

typedef float MATRIX(4, 4, ACCUMULATOR) mat_f;
typedef half MATRIX(4, 4, ACCUMULATOR) mat_h;
typedef __bf16 MATRIX(4, 4, ACCUMULATOR) mat_b;
typedef uint MATRIX(4, 4, ACCUMULATOR) mat_u;

mat_f without_negative(mat_f m)
{
    for (uint i = 0; i < coop_mat_length(m); ++i)
        m[i] = fmax(m[i], 0.0f);
    return m;
}

kernel void change(global const float *numbers, global float *positive, global float *halves, global float *wide)
{
    mat_f m = coop_mat_load(numbers, ROWS, 4);
    mat_h h = (mat_h)m;
    mat_b b = (mat_b)m;
    for (int i = 0; i < coop_mat_length(h); ++i) {
        h[i] += 1;
        // An element of bfloat16 is a float.
        b[i] = b[i] + 1;
    }
    coop_mat_store(halves, (mat_f)h, ROWS, 4);
    coop_mat_store(wide, (mat_f)b, ROWS, 4);
    mat_f most = coop_mat_init(8.0f);
    coop_mat_store(positive, without_negative(m - most), ROWS, 4);
}

kernel void count(global const uint *words, global uint *more, global uint *wrong)
{
    mat_u matrices[2];
    matrices[0] = coop_mat_load(words, ROWS, 4);
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
    coop_mat_store(more, matrices[0], ROWS, 4);
}
