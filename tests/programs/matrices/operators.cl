//! needs: cl_khr_cooperative_matrix
//! buffer a: float = 0..128
//! buffer sum: float 128
//! buffer negated: float 128
//! buffer scaled: float 128
//! buffer quotient: float 128
//! buffer chosen: float 128
//! buffer lengths: uint 2
//! launch: operate(a, sum, negated, scaled, quotient, chosen, lengths, int 1) global 64 local 64
//! expect sum: 100..228
//! expect negated: -200..-72
//! expect scaled: 0..128
//! expect quotient: 1..129
//! expect chosen: 7..135
//! expect lengths: 1 1

// Operators work by element, whatever the device's distribution of the elements. Each work-item has the same
// number of them; all together, the sub-group has at least one copy of each.

#include "matrices.h"

typedef float MATRIX(16, 8, ACCUMULATOR) matrix;

kernel void operate(global const float *a, global float *sum, global float *negated, global float *scaled,
                    global float *quotient, global float *chosen, global uint *lengths, int one)
{
    if (get_sub_group_id() != 0)
        return;
    matrix x = coop_mat_load(a, ROWS, 8);
    matrix hundred = coop_mat_init(100.0f);
    coop_mat_store(sum, x + hundred, ROWS, 8);
    coop_mat_store(negated, -(hundred + hundred - x), ROWS, 8);
    // (x * 3 + x) / 4, with a compound assignment.
    matrix y = x * 3.0f;
    y += x;
    y = 0.25f * y;
    coop_mat_store(scaled, y, ROWS, 8);
    matrix two = coop_mat_init(2);
    coop_mat_store(quotient, (two * x + two) / two, ROWS, 8);
    matrix seven = coop_mat_init(7.0f);
    matrix z = one == 1 ? x + seven : x - seven;
    coop_mat_store(chosen, z, ROWS, 8);
    uint size = get_sub_group_size();
    lengths[0] = coop_mat_length(x) == coop_mat_length(y);
    lengths[1] = coop_mat_length(x) * size >= 128 && coop_mat_length(x) <= 128;
}
