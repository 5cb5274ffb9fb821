// Kernels that kernels enqueue (OpenCL C §6.15.19): records in the queue buffer, whose layout is documented
// in clvk-interface's module `enqueue`. An event is the number of its entry plus one. Nothing is freed here:
// the host does that while no kernel runs.

// The index of an event in the buffer, or zero if it is not an event.
uint __clvk_enqueue_event(volatile global uint* queue, ulong event)
{
    return event - 1 < queue[10] ? 16 + ((uint)event - 1) * 6 : 0;
}

// A new event with one reference and this status, or zero if none is free.
uint __clvk_enqueue_new_event(volatile global uint* queue, uint status)
{
    volatile global int* left = (volatile global int*)queue + 9;
    int count = atomic_dec(left);
    if (count <= 0) {
        atomic_inc(left);
        return 0;
    }
    uint number = queue[16 + queue[10] * 6 + count - 1];
    uint place = 16 + number * 6;
    queue[place] = status;
    queue[place + 1] = 1;
    return number + 1;
}

// The index of a new record of this many words, with its first words written, or zero if there is no room.
uint __clvk_enqueue_record(volatile global uint* queue, uint command, uint kind, uint words)
{
    uint size = queue[1], place = queue[0];
    for (;;) {
        if (words > size || place > size - words)
            return 0;
        uint found = atomic_cmpxchg(queue, place, place + words);
        if (found == place)
            break;
        place = found;
    }
    queue[place] = words;
    queue[place + 1] = kind;
    queue[place + 2] = command;
    queue[place + 5] = 0;
    queue[place + 6] = 0;
    queue[place + 7] = 0;
    return place;
}

// Whether a wait list is complete and all its entries are events.
uint __clvk_enqueue_is_list(volatile global uint* queue, uint waits, const __generic ulong* list)
{
    if ((waits == 0) != (list == 0) || waits > queue[10])
        return 0;
    for (uint i = 0; i < waits; i++)
        if (!__clvk_enqueue_event(queue, list[i]))
            return 0;
    return 1;
}

// Gives a record its wait list, and an event if one is asked for; zero if no event is left.
uint __clvk_enqueue_events(volatile global uint* queue, uint place, uint waits, const __generic ulong* list, __generic ulong* event)
{
    if (event != 0) {
        uint made = __clvk_enqueue_new_event(queue, 3);
        if (made == 0) {
            queue[place + 1] = 3;
            return 0;
        }
        queue[place + 5] = made;
    }
    queue[place + 6] = waits;
    for (uint i = 0; i < waits; i++)
        queue[place + 28 + i] = list[i];
    if (event != 0)
        *event = queue[place + 5];
    return 1;
}

// Whether the device can run work-groups of a range (dimensions, offsets, sizes, work-group sizes).
uint __clvk_enqueue_is_range(volatile global uint* queue, const ulong* range)
{
    uint dimensions = range[0];
    if (dimensions < 1 || dimensions > 3)
        return 0;
    ulong items = 1;
    uint given = 0;
    for (uint i = 0; i < dimensions; i++) {
        if (range[7 + i] > queue[6 + i])
            return 0;
        given += range[7 + i] != 0;
        items *= range[7 + i];
    }
    return given == 0 || (given == dimensions && items <= queue[3]);
}

// Enqueues a block with this many local arguments of at least `smallest` bytes each, and this many words of
// values. Returns where the sizes of the local arguments go, or zero.
uint __clvk_enqueue_block(volatile global uint* queue, uint command, ulong target, uint flags, const ulong* range, uint number,
                          uint locals, uint smallest, uint words, uint waits, const __generic ulong* list, __generic ulong* event)
{
    if (target == 0 || flags > 2 || smallest == 0 || !__clvk_enqueue_is_range(queue, range)
        || !__clvk_enqueue_is_list(queue, waits, list))
        return 0;
    uint head = 28 + waits + locals;
    uint place = __clvk_enqueue_record(queue, command, 0, ((head + 1) & ~1u) + words);
    if (place == 0 || !__clvk_enqueue_events(queue, place, waits, list, event))
        return 0;
    queue[place + 3] = flags;
    queue[place + 4] = number;
    queue[place + 7] = locals;
    queue[place + 8] = range[0];
    queue[place + 9] = target;
    for (uint i = 0; i < 9; i++) {
        queue[place + 10 + 2 * i] = range[1 + i];
        queue[place + 11 + 2 * i] = range[1 + i] >> 32;
    }
    return place + 28 + waits;
}

int __clvk_enqueue_marker(volatile global uint* queue, uint command, ulong target, uint waits, const __generic ulong* list, __generic ulong* event)
{
    if (event == 0)
        return 0;
    if (target == 0 || waits == 0 || !__clvk_enqueue_is_list(queue, waits, list))
        return -101;
    uint place = __clvk_enqueue_record(queue, command, 1, (28 + waits + 1) & ~1u);
    if (place == 0 || !__clvk_enqueue_events(queue, place, waits, list, event))
        return -101;
    return 0;
}

void __clvk_enqueue_retain(volatile global uint* queue, ulong event)
{
    uint place = __clvk_enqueue_event(queue, event);
    if (place != 0)
        atomic_inc(queue + place + 1);
}

void __clvk_enqueue_release(volatile global uint* queue, ulong event)
{
    uint place = __clvk_enqueue_event(queue, event);
    if (place != 0)
        atomic_dec(queue + place + 1);
}

ulong __clvk_enqueue_user_event(volatile global uint* queue)
{
    return __clvk_enqueue_new_event(queue, 2);
}

uint __clvk_enqueue_is_event(volatile global uint* queue, ulong event)
{
    uint place = __clvk_enqueue_event(queue, event);
    return place != 0 && (int)queue[place + 1] > 0;
}

void __clvk_enqueue_set_status(volatile global uint* queue, ulong event, int status)
{
    uint place = __clvk_enqueue_event(queue, event);
    if (place != 0 && status <= 0)
        queue[place] = status;
}

// Writes the times of a command: now if it is complete, otherwise as soon as it is.
void __clvk_enqueue_profile(volatile global uint* queue, uint command, ulong event, int name, global ulong* value)
{
    uint place = __clvk_enqueue_event(queue, event);
    if (place == 0 || name != 1)
        return;
    if ((int)queue[place] <= 0) {
        value[0] = queue[place + 2] | (ulong)queue[place + 3] << 32;
        value[1] = queue[place + 4] | (ulong)queue[place + 5] << 32;
        return;
    }
    uint record = __clvk_enqueue_record(queue, command, 2, 28);
    if (record == 0)
        return;
    queue[record + 5] = event;
    queue[record + 10] = (ulong)value;
    queue[record + 11] = (ulong)value >> 32;
}

ulong __clvk_enqueue_default_queue(volatile global uint* queue)
{
    return queue[2];
}

uint __clvk_enqueue_work_group_size(volatile global uint* queue)
{
    return queue[3];
}

uint __clvk_enqueue_preferred_multiple(volatile global uint* queue)
{
    return queue[4];
}

// The number of work-items in a work-group of a range; in the largest possible one, if the range does not
// say.
uint __clvk_enqueue_group_items(volatile global uint* queue, const ulong* range)
{
    uint items = 1;
    for (uint i = 0; i < 3 && i < range[0]; i++)
        items *= (uint)range[7 + i];
    return items == 0 ? queue[3] : items;
}

// What `get_max_sub_group_size` gives in the kernel, of smaller work-groups too.
uint __clvk_enqueue_sub_group_size(volatile global uint* queue, const ulong* range)
{
    return queue[5];
}

uint __clvk_enqueue_sub_group_count(volatile global uint* queue, const ulong* range)
{
    uint items = __clvk_enqueue_group_items(queue, range), size = queue[5];
    return (items + size - 1) / size;
}
