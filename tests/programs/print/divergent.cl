//! spirv refused: the format of printf is not a constant string
//! options: -cl-std=CL3.0
//! buffer out: int 8
//! launch: divergent(out) global 8 local 4
//! launch: second(int 5) global 2 local 1
//! expect out: 8*0
//! prints: item 0 in loop 0
//! prints: item 2 in loop 0
//! prints: item 2 in loop 1
//! prints: item 4 in loop 0
//! prints: item 4 in loop 1
//! prints: item 4 in loop 2
//! prints: item 4 in loop 3
//! prints: item 6 in loop 0
//! prints: item 6 in loop 1
//! prints: item 6 in loop 2
//! prints: item 6 in loop 3
//! prints: item 6 in loop 4
//! prints: item 6 in loop 5
//! prints: second 5 of 0
//! prints: second 5 of 1
// Work-items print different numbers of times, in functions and loops.
int say(int item, int loop)
{
    return printf("item %d in loop %d\n", item, loop);
}
kernel void divergent(global int* out)
{
    int item = get_global_id(0);
    int r = 0;
    for (int loop = 0; loop < max(item, 1); loop++)
        if (item % 2 == 0)
            r |= say(item, loop);
    out[item] = r;
}
kernel void second(int value)
{
    printf("second %d of %d\n", value, (int)get_global_id(0));
}
