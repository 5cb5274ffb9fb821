//! options: -cl-std=CL2.0
//! buffer pipe: uint = 16 8 0 0 28*0 32*0
//! buffer out: int 40
//! launch: produce(pipe) global 8 local 4
//! launch: consume(pipe, out) global 8 local 4
//! launch: refused(pipe, out) global 1
//! expect out: 0 1000 10 1010 20 1020 30 1030
//! expect out: 40 1040 50 1050 60 1060 70 1070
//! expect out: 80 1080 90 1090 100 1100 110 1110
//! expect out: 120 1120 130 1130 140 1140 150 1150
//! expect out: 0 1 0 1 4*0
// Groups reserve as many packets as their work-items write, and one work-item reads with its own reservation.
// Both groups write the packets that belong to their positions, so the order of the groups does not matter.
typedef struct { int low, high; } packet;

kernel void produce(write_only pipe packet p)
{
    reserve_id_t id = work_group_reserve_write_pipe(p, get_local_size(0) * 2);
    if (is_valid_reserve_id(id)) {
        for (int i = 0; i < 2; i++) {
            uint index = get_local_id(0) * 2 + i;
            int number = 8 * (int)get_group_id(0) + index;
            packet it = { number * 10, number * 10 + 1000 };
            write_pipe(p, id, index, &it);
        }
    }
    work_group_commit_write_pipe(p, id);
}

kernel void consume(read_only pipe packet p, global int *out)
{
    reserve_id_t id = reserve_read_pipe(p, 2);
    if (is_valid_reserve_id(id))
        for (uint i = 0; i < 2; i++) {
            packet it;
            if (read_pipe(p, id, i, &it) == 0) {
                out[it.low / 5] = it.low;
                out[it.low / 5 + 1] = it.high;
            }
        }
    commit_read_pipe(p, id);
}

kernel void refused(write_only pipe packet p, global int *out)
{
    out[32] = get_pipe_num_packets(p);
    reserve_id_t whole = reserve_write_pipe(p, 16);
    out[33] = is_valid_reserve_id(whole);
    reserve_id_t more = reserve_write_pipe(p, 1);
    out[34] = is_valid_reserve_id(more);
    packet it = { 1, 2 };
    out[35] = write_pipe(p, &it) < 0;
    commit_write_pipe(p, whole);
    for (int i = 36; i < 40; i++)
        out[i] = 0;
}
