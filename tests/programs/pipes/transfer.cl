//! options: -cl-std=CL2.0
//! buffer pipe: uint = 4 4 0 0 28*0 4*0
//! buffer out: int = 12*0
//! launch: fill(pipe, out, int 100, int 0) global 6 local 6
//! launch: counts(pipe, out, int 2) global 1
//! launch: drain(pipe, out, int 4) global 3 local 3
//! launch: counts(pipe, out, int 6) global 1
//! launch: fill(pipe, out, int 200, int 8) global 3 local 1
//! launch: drain(pipe, out, int 10) global 9 local 3
//! expect out: 4 2
//! expect out: 4 4
//! expect out: 300 3
//! expect out: 1 4
//! expect out: 3 0
//! expect out: 700 4
// Four of six writes find room; packets are read once, and the ring wraps.
kernel void fill(write_only pipe int p, volatile global int *out, int packet, int at)
{
    int r = write_pipe(p, &packet);
    atomic_inc(&out[r == 0 ? at : at + 1]);
}
kernel void counts(read_only pipe int p, global int *out, int at)
{
    out[at] = get_pipe_num_packets(p);
    out[at + 1] = get_pipe_max_packets(p);
}
kernel void drain(read_only pipe int p, volatile global int *out, int at)
{
    int packet = 0;
    if (read_pipe(p, &packet) == 0) {
        atomic_add(&out[at], packet);
        atomic_inc(&out[at + 1]);
    }
}
