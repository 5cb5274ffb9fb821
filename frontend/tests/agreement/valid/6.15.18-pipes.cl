//# single_packets options="-cl-std=CL2.0"
kernel void f(read_only pipe int a, write_only pipe int b) { int x; if (read_pipe(a, &x) == 0) write_pipe(b, &x); }
//# reservations_and_packets options="-cl-std=CL2.0"
typedef struct { int a; float4 b; } packet;
kernel void f(read_only pipe packet a, write_only pipe packet b) {
    packet x;
    reserve_id_t r = reserve_read_pipe(a, 2);
    if (is_valid_reserve_id(r)) { read_pipe(a, r, 1, &x); commit_read_pipe(a, r); }
    reserve_id_t w = work_group_reserve_write_pipe(b, get_local_size(0));
    write_pipe(b, w, get_local_id(0), &x);
    work_group_commit_write_pipe(b, w);
}
//# queries_of_pipes options="-cl-std=CL2.0"
kernel void f(read_only pipe float4 a, write_only pipe uchar b, global uint *p) { p[0] = get_pipe_num_packets(a) + get_pipe_max_packets(b); }
//# pipes_pass_through_functions options="-cl-std=CL2.0"
void g(write_only pipe int p, int x) { write_pipe(p, &x); }
kernel void f(write_only pipe int p) { g(p, 1); }
