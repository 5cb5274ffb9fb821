//# write_to_a_read_pipe options="-cl-std=CL2.0"
kernel void f(read_only pipe int p) { int x = 0; write_pipe(p, &x); }
//# read_from_a_write_pipe options="-cl-std=CL2.0"
kernel void f(write_only pipe int p) { int x; read_pipe(p, &x); }
//# packet_of_another_type options="-cl-std=CL2.0"
kernel void f(read_only pipe int p) { float x; read_pipe(p, &x); }
//# packet_by_value options="-cl-std=CL2.0"
kernel void f(write_only pipe int p) { write_pipe(p, 1); }
//# reservation_that_is_none options="-cl-std=CL2.0"
kernel void f(read_only pipe int p) { int x; read_pipe(p, 1, 0, &x); }
//# commit_of_a_number options="-cl-std=CL2.0"
kernel void f(read_only pipe int p) { commit_read_pipe(p, 3); }
//# reserve_without_a_count options="-cl-std=CL2.0"
kernel void f(read_only pipe int p) { reserve_id_t r = reserve_read_pipe(p); }
//# pipe_functions_of_a_pointer options="-cl-std=CL2.0"
kernel void f(global int *p) { int x; read_pipe(p, &x); }
