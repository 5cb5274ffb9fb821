//! buffer out: int 1024
//! buffer other: int 1024
//! buffer index: int = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 3
//! buffer fresh undefined: int 64
//! launch: rows(out, int 7) global 8x4 local 4x2
//! launch: rows(out, int 8) global 8x4 local 4x2
//! launch: edges(out, int 7) global 8x4 local 4x2
//! launch: computed(out, int 3) global 32 local 16
//! launch: computed(out, int 4) global 32 local 16
//! launch: tiles(out, int 13, int 21) global 24x4 local 8x2
//! launch: strides(out, int 6) global 4 local 2
//! launch: stages(out, int 4) global 16 local 8
//! launch: first_items(out, other) global 32 local 8
//! launch: from_memory(out, index) global 16 local 8
//! launch: from_memory_twice(out, index) global 16 local 16
//! launch: either(out, other) global 16 local 8
//! launch: walks(out, int 2) global 8 local 4
//! launch: beside_atomics(out, index) global 16 local 16
//! launch: halves(fresh, out) global 16 local 8
//! launch: fine(out, other, int 13, int 21) global 24x4 local 8x2

// Two rows meet where they are as far apart as they are long, less one.
kernel void rows(global int *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = x; //~ races * `out[y * width + x] = x` races with a write
}

// The first condition keeps one work-item too many.
kernel void edges(global int *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x <= width)
        out[y * width + x] = x; //~ races * `out[y * width + x] = x` races with a write
    if (x < width)
        out[512 + y * width + x] = x;
}

kernel void computed(global int *out, int distance)
{
    int l = get_local_id(0);
    out[get_group_id(0) * 16 + l % 4 * distance + l / 4] = l; //~ races * `out[get_group_id(0) * 16 + l % 4 * distance + l / 4] = l` races with a write
}

// Tiles of 8 by 8. The last ones reach across the edge.
kernel void tiles(global int *out, int height, int width)
{
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_group_id(1) * 8 + lx, y = get_group_id(0) * 8 + ly;
    for (int row = 0; row < 8; row += 2)
        if (y + row < width)
            out[(y + row) * height + x] = lx; //~ races * `out[(y + row) * height + x] = lx` races with a write
}

kernel void strides(global int *out, int count)
{
    for (int i = get_global_id(0); i < count; i += 3)
        out[i] = get_global_id(0); //~ races * `out[i] = get_global_id(0)` races with a write
}

// The last stage reaches the first place of the next work-item.
kernel void stages(global int *out, int count)
{
    int i = get_global_id(0);
    for (int stage = 0; stage <= count; ++stage)
        out[i * count + stage] = stage; //~ races * `out[i * count + stage] = stage` races with a write
}

kernel void first_items(global int *out, global int *other)
{
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = get_global_id(0);
    if (get_local_id(0) < 2)
        other[get_group_id(0)] = get_global_id(0); //~ races * `other[get_group_id(0)] = get_global_id(0)` races with a write
}

kernel void from_memory(global int *out, global const int *index)
{
    int i = get_global_id(0);
    out[index[i]] = i; //~ races * `out[index[i]] = i` races with a write
}

// What most work-items write is their own.
kernel void from_memory_twice(global int *out, global const int *index)
{
    int i = get_global_id(0);
    out[i] = i; //~ races ? `out[i] = i` races with a write
    if (i == 15)
        out[index[i]] = 99; //~ races * `out[index[i]] = 99` races with a write
    out[64 + i] = i; //~ races ? `out[64 + i] = i` races with a write
    if (i == 15)
        out[64 + index[i] * 2] = 99; //~ races * `out[64 + index[i] * 2] = 99` races with a write
}

// Even work-items meet in one buffer, odd ones in another.
kernel void either(global int *out, global int *other)
{
    int i = get_global_id(0);
    global int *to = i & 1 ? out : other;
    to[i / 4] = i; //~ races * `to[i / 4] = i` races with a write
}

kernel void walks(global int *out, int step)
{
    global int *to = out + get_global_id(0);
    for (int i = 0; i < 4; ++i, to += step)
        *to = i; //~ races * `*to = i` races with a write
}

kernel void beside_atomics(global int *out, global const int *index)
{
    int i = get_global_id(0);
    atomic_inc(&out[index[i]]); //~ races ? `atomic_inc(&out[index[i]])` races with a
    if (i == 9)
        out[2] = 77; //~ races * `out[2] = 77` races with an atomic operation
}

// Each work-item has a part of its own, and writes half of it.
kernel void halves(global int *fresh, global int *out)
{
    int i = get_global_id(0);
    fresh[i * 2] = i;
    out[i] = fresh[i * 2];
    out[i + 64] = fresh[i * 2 + 1]; //~ uninitialised 16 `fresh[i * 2 + 1]` read of 4 bytes
}

kernel void fine(global int *out, global int *other, int height, int width)
{
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_group_id(1) * 8 + lx, y = get_group_id(0) * 8 + ly;
    for (int row = 0; row < 8; row += 2)
        if (x < height && y + row < width)
            out[(y + row) * height + x] = lx;
    int at = get_global_id(0), all = get_global_size(0);
    if (get_global_id(1) == 0)
        for (int i = at; i < 512; i += all)
            other[i] = at;
    if (lx == 0 && ly == 0)
        other[512 + get_group_id(1) * get_num_groups(0) + get_group_id(0)] = x;
}
