//# ids_and_sizes_of_every_dimension
kernel void f(global size_t *p) { for (uint d = 0; d < 4; ++d) p[d] = get_global_id(d) + get_local_id(d) + get_group_id(d) + get_global_size(d) + get_local_size(d) + get_num_groups(d) + get_global_offset(d); p[4] = get_work_dim(); }
//# sizes_of_smaller_groups
kernel void f(global size_t *p) { p[0] = get_enqueued_local_size(0) + get_global_linear_id() + get_local_linear_id(); }
//# ids_of_type_size_t
_Static_assert(sizeof(get_global_id(0)) == sizeof(size_t) && sizeof(get_work_dim()) == 4, ""); kernel void f(global int *p) { p[get_global_id(0)] = -(int)get_local_id(0) % (int)get_local_size(0); }
//# dimension_is_converted
kernel void f(global int *p, char c, float x) { p[0] = get_global_id(c) + get_global_id((uint)x) + get_global_id(true); }
//# id_in_macros
#define X get_global_id(0)
#define Y get_global_id(1)
#define AT(x, y) p[(y) * w + (x)]
kernel void f(global float *p, int w) { AT(X, Y) = AT(Y, X) + X; }
//# ids_in_initialisers
kernel void f(global uint4 *p) { const size_t i = get_global_id(0), n = get_global_size(0); p[i] = (uint4)(i, n, get_group_id(0), get_local_id(0)); uint4 v = {i, n, 0, 1}; size_t a[2] = {i, n}; p[n] = v + (uint)a[1]; }
