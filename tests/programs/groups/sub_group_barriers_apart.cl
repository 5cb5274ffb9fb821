// Barriers of sub-groups that some sub-groups of the work-group do not reach, or reach less often. Groups of
// 32: every sub-group is full.
//! options: -cl-std=CL3.0
//! buffer in: uint = 0..32
//! buffer out: uint = 32*0
//! launch: apart(in, out) global 32 local 32
//! expect out: 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41

kernel void apart(global const uint *in, global uint *out)
{
    uint i = get_local_id(0);
    // The last sub-group takes the other way.
    if (get_sub_group_id() + 1 < get_num_sub_groups()) {
        uint sum = in[i];
        for (uint round = 0; round <= get_sub_group_id() % 3; ++round) {
            sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
            sum += 10;
            sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
        }
        out[i] = sum - 10 * (get_sub_group_id() % 3);
    } else {
        out[i] = in[i] + 10;
    }
}
