// Copies by all work-items of a work-group together (OpenCL C §6.15.11): with n work-items, work-item i takes
// the elements i, i + n, … The elements in global memory are `stride` elements apart. Nothing waits here: a
// work-item that waits for the event is at a barrier. All new events are the same one. The sanitizer gives
// each a number of its own.

static ulong event_after(ulong event)
{
    return event == 0 ? 1 : event;
}

#define ASYNC_COPY(T, size)                                                                     \
    ulong __clvk_async_copy_to_local_##size(                                                    \
        local T *to, const global T *from, ulong count, ulong stride, ulong event)              \
    {                                                                                           \
        uint step = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));          \
        for (ulong i = (uint)get_local_linear_id(); i < count; i += step)                       \
            to[i] = from[i * stride];                                                           \
        return event_after(event);                                                              \
    }                                                                                           \
    ulong __clvk_async_copy_to_global_##size(                                                   \
        global T *to, const local T *from, ulong count, ulong stride, ulong event)              \
    {                                                                                           \
        uint step = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));          \
        for (ulong i = (uint)get_local_linear_id(); i < count; i += step)                       \
            to[i * stride] = from[i];                                                           \
        return event_after(event);                                                              \
    }

ASYNC_COPY(uchar, 1)
ASYNC_COPY(ushort, 2)
ASYNC_COPY(uint, 4)
ASYNC_COPY(uint2, 8)
ASYNC_COPY(uint4, 16)
ASYNC_COPY(uint8, 32)
ASYNC_COPY(uint16, 64)
ASYNC_COPY(ulong16, 128)

// The extended forms: planes of lines of elements of `size` bytes. All lengths count elements.
#define ASYNC_COPY_PLANES(to_space, from_space)                                                 \
    ulong __clvk_async_copy_planes_to_##to_space(                                                \
        to_space uchar *to, ulong to_offset, const from_space uchar *from, ulong from_offset,   \
        ulong element, ulong line, ulong lines, ulong planes,                                   \
        ulong from_line, ulong from_plane, ulong to_line, ulong to_plane, ulong event)          \
    {                                                                                           \
        uint step = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));          \
        ulong line_bytes = line * element;                                                      \
        for (ulong z = 0; z < planes; ++z) {                                                    \
            for (ulong y = 0; y < lines; ++y) {                                                 \
                ulong to_start = (to_offset + z * to_plane + y * to_line) * element;            \
                ulong from_start = (from_offset + z * from_plane + y * from_line) * element;    \
                for (ulong i = (uint)get_local_linear_id(); i < line_bytes; i += step)          \
                    to[to_start + i] = from[from_start + i];                                    \
            }                                                                                   \
        }                                                                                       \
        return event_after(event);                                                              \
    }

ASYNC_COPY_PLANES(local, global)
ASYNC_COPY_PLANES(global, local)

// The events that a work-item waits for, which only the sanitizer wants to know.
void __clvk_events_private(int count, const private ulong *events) {}
void __clvk_events_local(int count, const local ulong *events) {}
void __clvk_events_global(int count, const global ulong *events) {}
void __clvk_events_constant(int count, constant ulong *events) {}
void __clvk_events_generic(int count, const ulong *events) {}
