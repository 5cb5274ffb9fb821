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
