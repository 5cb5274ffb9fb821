//! needs: cl_khr_subgroup_shuffle
//! buffer words: uint = 0..256
//! buffer bytes: uchar = 0..128
//! buffer shorts: ushort = 0..128
//! buffer longs: ulong = 0..64
//! buffer passed: uint = 6*0
//! launch: reads(words, bytes, shorts, longs, passed) global 32 local 32
//! buffer a: uint 64
//! buffer b: uchar 128
//! buffer c: ushort 256
//! buffer d: ulong 32
//! launch: writes(a, b, c, d) global 32 local 32
//! expect passed: 6*32
//! expect a: 0..64
//! expect b: 0..128
//! expect c: 0..256
//! expect d: 0..32
// Blocks of cl_intel_subgroups and its kind: row by row of as many elements as a sub-group has. Groups of 32:
// every sub-group is full, and the sub-groups' blocks follow each other.
void check(global uint *passed, int number, int is_right)
{
    if (is_right)
        atomic_inc(passed + number);
}

kernel void reads(global const uint *words, global const uchar *bytes, global const ushort *shorts, global const ulong *longs,
                  global uint *passed)
{
    uint lane = get_sub_group_local_id(), size = get_max_sub_group_size(), group = get_sub_group_id();
    uint at = group * size + lane;
    check(passed, 0, intel_sub_group_block_read(words + group * size) == at);
    uint8 eight = intel_sub_group_block_read8(words + group * size * 8);
    uint first = group * size * 8 + lane;
    check(passed, 1, all(eight == first + size * (uint8)(0, 1, 2, 3, 4, 5, 6, 7)));
    uint2 two = intel_sub_group_block_read_ui2(words + group * size * 2);
    check(passed, 2, two.x == group * size * 2 + lane && two.y == two.x + size);
    uchar4 four = intel_sub_group_block_read_uc4(bytes + group * size * 4);
    check(passed, 3, four.x == group * size * 4 + lane && four.w == four.x + 3 * size);
    ushort2 pair = intel_sub_group_block_read_us2(shorts + group * size * 2);
    check(passed, 4, pair.x == group * size * 2 + lane && pair.y == pair.x + size);
    ulong2 wide = intel_sub_group_block_read_ul2(longs + group * size * 2);
    check(passed, 5, wide.x == group * size * 2 + lane && wide.y == wide.x + size);
}

kernel void writes(global uint *a, global uchar *b, global ushort *c, global ulong *d)
{
    uint lane = get_sub_group_local_id(), size = get_max_sub_group_size(), group = get_sub_group_id();
    uint first = group * size * 2 + lane;
    intel_sub_group_block_write2(a + group * size * 2, (uint2)(first, first + size));
    uint4 four = group * size * 4 + lane + size * (uint4)(0, 1, 2, 3);
    intel_sub_group_block_write_uc4(b + group * size * 4, convert_uchar4(four));
    uint8 eight = group * size * 8 + lane + size * (uint8)(0, 1, 2, 3, 4, 5, 6, 7);
    intel_sub_group_block_write_us8(c + group * size * 8, convert_ushort8(eight));
    intel_sub_group_block_write_ul(d + group * size, (ulong)(group * size + lane));
}
