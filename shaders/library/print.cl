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

// The number of words in a record for the bytes of a string with this word: its length, or none if the
// highest bit is set.
uint __clvk_string_words(uint word)
{
    return (int)word < 0 ? 0 : (word + 3) / 4;
}

// Copies the bytes of a string to a record, with its last word padded with zeros. Drivers compile two loops
// with a store of words faster than one loop with a store of bytes.
#define STRINGS(name, space)                                                                                        \
    void __clvk_copy_string_##name(space const char* text, int length, global uint* record)                         \
    {                                                                                                               \
        if (length <= 0)                                                                                            \
            return;                                                                                                 \
        for (int begin = 0; begin < length; begin += 4) {                                                           \
            uint word = 0;                                                                                          \
            int count = min(length - begin, 4);                                                                     \
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
