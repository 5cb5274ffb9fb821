// printf: places in the print buffer, whose layout clvk-interface's module `print` tells.

// The place of a record of that many words, or zero if it does not fit.
uint __clvk_print_place(global volatile uint* buffer, uint words)
{
    uint size = buffer[1];
    // Once nothing fits, the count stays: it must not run over.
    uint place = buffer[0] < size ? atomic_add(buffer, words) : size;
    if (place < size && words <= size - place)
        return place;
    if (place < size)
        buffer[place] = 0;
    atomic_inc(buffer + 2);
    return 0;
}

// Words of the bytes of a string of this length in a record. A null pointer's length is the largest number.
uint __clvk_string_words(uint length)
{
    return length == 0xffffffffu ? 0 : (length + 3) / 4;
}

// The length of a string, or `most` if it does not end before that; nothing behind its end is read. And a
// copy of this many of its bytes to a record, which fills its last word up with zeros.
#define STRINGS(name, space)                                                                                        \
    uint __clvk_string_length_##name(space const char* text, uint most)                                             \
    {                                                                                                               \
        if (text == 0)                                                                                              \
            return 0xffffffffu;                                                                                     \
        uint length = 0;                                                                                            \
        while (length < most && text[length] != 0)                                                                  \
            ++length;                                                                                               \
        return length;                                                                                              \
    }                                                                                                               \
                                                                                                                    \
    void __clvk_copy_string_##name(space const char* text, uint length, global uint* record)                        \
    {                                                                                                               \
        if (text == 0)                                                                                              \
            return;                                                                                                 \
        for (uint begin = 0; begin < length; begin += 4) {                                                          \
            uint word = 0;                                                                                          \
            uint count = min(length - begin, 4u);                                                                   \
            for (uint byte = 0; byte < count; ++byte)                                                               \
                word |= (uint)(uchar)text[begin + byte] << 8 * byte;                                                \
            record[begin / 4] = word;                                                                               \
        }                                                                                                           \
    }

STRINGS(private, private)
STRINGS(local, local)
STRINGS(global, global)
STRINGS(constant, constant)
STRINGS(generic, generic)

#undef STRINGS
