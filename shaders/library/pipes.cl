// Pipes (OpenCL C §6.15.18). A pipe is a buffer that begins with its size in packets, the size of a packet in
// bytes, and the numbers of packets read and written so far, modulo twice the size; the packets follow at
// byte 128. A kernel only reads from a pipe or only writes to it, and launches that use one pipe follow each
// other, so all concurrent accesses are of one kind.

// Reserves packets: the first one plus one, or zero if there are too few to read or too little room to write.
uint __clvk_pipe_reserve(volatile global uint* ring, uint count, uint writes)
{
    uint size = ring[0], period = 2 * size;
    volatile global uint* mine = ring + 2 + writes;
    if (count == 0)
        return 0;
    for (;;) {
        uint old = *mine, other = ring[3 - writes];
        uint ahead = writes ? old : other, behind = writes ? other : old;
        uint used = ahead >= behind ? ahead - behind : ahead + period - behind;
        if (count > (writes ? size - used : used))
            return 0;
        uint next = old + count;
        if (atomic_cmpxchg(mine, old, next >= period ? next - period : next) == old)
            return (old >= size ? old - size : old) + 1;
    }
}

// The same as a reservation: the number of packets in the high word, the position in the low one.
ulong __clvk_pipe_reservation(volatile global uint* ring, uint count, uint writes)
{
    uint place = __clvk_pipe_reserve(ring, count, writes);
    return place == 0 ? 0 : (ulong)count << 32 | place;
}

// The byte offset of a packet, given by its distance from a position plus one.
ulong __clvk_pipe_packet(volatile global uint* ring, uint place, uint index)
{
    uint size = ring[0];
    uint at = place - 1 + index;
    return 128 + (ulong)(at >= size ? at - size : at) * ring[1];
}

uint __clvk_pipe_count(volatile global uint* ring)
{
    uint size = ring[0], read = ring[2], written = ring[3];
    return written >= read ? written - read : written + 2 * size - read;
}

uint __clvk_pipe_size(volatile global uint* ring)
{
    return ring[0];
}
