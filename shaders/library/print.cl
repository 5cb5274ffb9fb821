// printf: space in the print buffer, whose layout is documented in clvk-interface's module `print`.

// The index of a new record of this many words, or zero if it does not fit.
uint __clvk_print_place(global volatile uint* buffer, uint words)
{
    uint size = buffer[1];
    // Once nothing fits, the count stays, so that it cannot overflow.
    uint place = buffer[0] < size ? atomic_add(buffer, words) : size;
    if (place < size && words <= size - place)
        return place;
    if (place < size)
        buffer[place] = 0;
    atomic_inc(buffer + 2);
    return 0;
}

// The number of words in a record for the bytes of a string of this length. A null pointer's length is the
// largest number.
uint __clvk_string_words(uint length)
{
    return length == 0xffffffffu ? 0 : (length + 3) / 4;
}

// The length of a string, or `most` if it is at least that long; nothing after its end is read. And a copy of
// this many of its bytes to a record, with its last word padded with zeros.
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
