//! options: -cl-std=CL2.0
//! buffer pipe: uint = 64 4 0 0 28*0 64*0
//! buffer seen: int = 65*0
//! buffer tried: int 1
//! launch: produce(pipe) global 32 local 16
//! launch: consume(pipe, seen) global 32 local 8
//! launch: refused(pipe, tried) global 1
//! expect seen: 64*1 2
//! expect tried: 1
// Sub-groups reserve as many packets as their work-items write and read, whatever their size. The packets of
// all work-items arrive once, and nothing is left.

kernel void produce(write_only pipe int p)
{
    reserve_id_t id = sub_group_reserve_write_pipe(p, get_sub_group_size() * 2);
    if (is_valid_reserve_id(id))
        for (int i = 0; i < 2; i++) {
            int number = (int)get_global_id(0) * 2 + i;
            write_pipe(p, id, get_sub_group_local_id() * 2 + i, &number);
        }
    sub_group_commit_write_pipe(p, id);
}

kernel void consume(read_only pipe int p, global int *seen)
{
    reserve_id_t id = sub_group_reserve_read_pipe(p, get_sub_group_size() * 2);
    if (is_valid_reserve_id(id))
        for (int i = 0; i < 2; i++) {
            int number = -1;
            if (read_pipe(p, id, get_sub_group_local_id() * 2 + i, &number) == 0 && number >= 0 && number < 64)
                atomic_inc(&seen[number]);
        }
    sub_group_commit_read_pipe(p, id);
    if (get_global_id(0) < 2)
        atomic_inc(&seen[64]);
}

kernel void refused(read_only pipe int p, global int *tried)
{
    reserve_id_t id = sub_group_reserve_read_pipe(p, 1);
    *tried = !is_valid_reserve_id(id);
}
