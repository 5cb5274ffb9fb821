// Breadth-first search in a graph, level by level: node i has the edges first[i] .. first[i + 1], whose ends
// are in `ends`. A work-item expands one node of the frontier. The nodes that a work-group finds gather in
// local memory, and then take places in the next frontier all at once.

#define GROUP 256
#define UNSEEN 0xFFFFFFFFu

#ifndef QUEUE
#define QUEUE 1024
#endif

// Forgets everything but the source, which is the frontier of level 0. sizes[l] is the size of that of
// level l.
__kernel void start(__global uint *restrict levels, const uint nodes, __global uint *restrict frontier,
                    __global uint *restrict sizes, const uint count, const uint source)
{
    const uint i = get_global_id(0);
    if (i < nodes)
        levels[i] = i == source ? 0 : UNSEEN;
    if (i < count)
        sizes[i] = i == 0 ? 1 : 0;
    if (i == 0)
        frontier[0] = source;
}

// Finds the frontier of `level` from that before it, which has `size` nodes.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void expand(__global const uint *restrict first, __global const uint *restrict ends,
            volatile __global uint *restrict levels, __global const uint *restrict frontier, const uint size,
            __global uint *restrict next, volatile __global uint *restrict sizes, const uint level)
{
    __local uint queue[QUEUE];
    volatile __local uint queued;
    __local uint place;

    const uint lid = get_local_id(0);
    if (lid == 0)
        queued = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (get_global_id(0) < size) {
        const uint node = frontier[get_global_id(0)];
        const uint end = first[node + 1];
        for (uint edge = first[node]; edge < end; ++edge) {
            const uint other = ends[edge];
            if (levels[other] != UNSEEN || atomic_cmpxchg(&levels[other], UNSEEN, level) != UNSEEN)
                continue;
            const uint at = atomic_inc(&queued);
            if (at < QUEUE)
                queue[at] = other;
            else
                next[atomic_inc(&sizes[level])] = other;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint found = min(queued, (uint)QUEUE);
    if (lid == 0)
        place = atomic_add(&sizes[level], found);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lid; i < found; i += GROUP)
        next[place + i] = queue[i];
}
