// Bitonic sort: one launch for each step of the network, and one work-item
// for each pair of numbers.
kernel void sort(global uint *numbers, int step)
{
    // The network's stage, and the pass within it.
    int stage = 0;
    while (step > stage) {
        step -= stage + 1;
        ++stage;
    }
    uint distance = 1u << (stage - step);

    uint pair = get_global_id(0);
    uint low = 2 * pair - (pair & (distance - 1));
    uint high = low + distance;
    bool ascending = (low >> (stage + 1) & 1) == 0;
    uint one = numbers[low], other = numbers[high];
    if ((one > other) == ascending) {
        numbers[low] = other;
        numbers[high] = one;
    }
}
