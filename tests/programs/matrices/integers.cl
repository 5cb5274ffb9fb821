//! needs: cl_khr_cooperative_matrix
//! buffer signed_products: int 256
//! buffer unsigned_products: uint 256
//! buffer mixed_products: int 256
//! launch: multiply(signed_products, unsigned_products, mixed_products) global 64 local 64
//! expect signed_products: 256*40964
//! expect unsigned_products: 256*2080800
//! expect mixed_products: 256*-1044481

// Bytes are extended by their sign: 32 times -128 * -10 plus 4; 32 times 255 * 255 (all as unsigned); 32
// times -128 * 255 minus 1.

#include "matrices.h"

typedef char MATRIX(16, 32, A) signed_a;
typedef char MATRIX(32, 16, B) signed_b;
typedef uchar MATRIX(16, 32, A) unsigned_a;
typedef uchar MATRIX(32, 16, B) unsigned_b;
typedef int MATRIX(16, 16, ACCUMULATOR) signed_c;
typedef uint MATRIX(16, 16, ACCUMULATOR) unsigned_c;

kernel void multiply(global int *signed_products, global uint *unsigned_products, global int *mixed_products)
{
    if (get_sub_group_id() != 0)
        return;
    signed_a a = coop_mat_init(-128);
    signed_b b = coop_mat_init(-10);
    signed_c c = coop_mat_init(4);
    c = coop_mat_mulAdd(a, b, c);
    coop_mat_store(signed_products, c, ROWS, 16);

    unsigned_a d = coop_mat_init(255);
    unsigned_b e = coop_mat_init(255);
    unsigned_c f = coop_mat_init(0);
    f = coop_mat_mulAdd(d, e, f, CLK_COOPERATIVE_MATRIX_OPERAND_NONE);
    coop_mat_store(unsigned_products, f, ROWS, 16);

    c = coop_mat_init(-1);
    c = coop_mat_mulAdd(a, e, c);
    coop_mat_store(mixed_products, c, ROWS, 16);
}
