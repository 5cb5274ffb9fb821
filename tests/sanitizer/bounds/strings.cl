//! options: -cl-std=CL3.0
//! buffer open: char = 97 98 99 100
//! buffer closed: char = 97 98 99 0
//! launch: ends(open, closed, int 6) global 1 local 1
//! launch: fine(closed, int 3) global 2 local 1

constant char letters[3] = { 'x', 'y', 'z' };

// What `printf` writes is a string, which ends in its own memory.
kernel void ends(constant char *open, constant char *closed, int n)
{
    printf("%s\n", open); //~ bounds 1 `printf("%s\n", open)` read of 1 byte at byte 4 of the argument `open` (0), which has 4 bytes
    printf("%s\n", closed + n); //~ bounds 1 `printf("%s\n", closed + n)` read of 1 byte at byte 6 of the argument `closed` (1)
    printf("%s\n", letters); //~ bounds 1 `printf("%s\n", letters)` read of 1 byte at byte 3 of the constant `letters`
    printf("%s\n", "hello" + n); //~ bounds 1 `printf("%s\n", "hello" + n)` read of 1 byte at byte 6
}

kernel void fine(constant char *closed, int n)
{
    printf("%s %s %s\n", closed, closed + n, "hello" + n);
    printf("%s\n", n > 3 ? closed : (constant char *)0);
}
