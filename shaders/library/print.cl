// printf: space in the print buffer, whose layout is documented in clvk-interface's module `print`.

// A kernel may have hundreds of places that print, so these have no branches: drivers inline every call.

// Reserves this many words, and returns the index of the first. They fit if they end within the size.
uint __clvk_print_place(global volatile uint* buffer, uint words, uint size)
{
    // Once nothing fits, the count stays, so that it cannot overflow.
    return atomic_add(buffer, buffer[0] < size ? words : 0u);
}

// Counts a record that did not fit, and marks its place. The last word of the head is unused.
void __clvk_print_lost(global volatile uint* buffer, uint place, uint size)
{
    buffer[place < size ? place : 3u] = 0;
    atomic_inc(buffer + 2);
}

// The number of words in a record for the bytes of a string with this word: its length, or none if the
// highest bit is set.
uint __clvk_string_words(uint word)
{
    return (int)word < 0 ? 0 : (word + 3) / 4;
}

// Copies the bytes of a string to a record, with its last word padded with zeros. Drivers compile two loops
// with a store of words faster than one loop with a store of bytes. The loops stay loops, because kernels
// that print have many of them.
#define STRINGS(name, space)                                                                                        \
    void __clvk_copy_string_##name(space const char* text, int length, global uint* record)                         \
    {                                                                                                               \
        if (length <= 0)                                                                                            \
            return;                                                                                                 \
        __attribute__((opencl_unroll_hint(1)))                                                                      \
        for (int begin = 0; begin < length; begin += 4) {                                                           \
            uint word = 0;                                                                                          \
            int count = min(length - begin, 4);                                                                     \
            __attribute__((opencl_unroll_hint(1)))                                                                  \
            for (int byte = 0; byte < count; ++byte)                                                                \
                word |= (uint)(uchar)text[begin + byte] << 8 * byte;                                                \
            record[begin / 4u] = word;                                                                              \
        }                                                                                                           \
    }

STRINGS(private, private)
STRINGS(local, local)
STRINGS(global, global)
STRINGS(constant, constant)
STRINGS(generic, generic)

#undef STRINGS
