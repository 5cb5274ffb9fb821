//! options: -cl-std=CL3.0
//! buffer out: int 64
//! launch: member(out, int 2) global 1
//! launch: rows(out, int 3) global 1
//! launch: in_buffers(out, int 1) global 1
//! launch: fine(out, int 1) global 1

typedef struct {
    int before;
    char letters[2];
    int values[4];
    int last;
} mixed;

kernel void member(global int *out, int n)
{
    mixed m = { 1, { 2, 3 }, { 4, 5, 6, 7 }, 8 };
    out[0] = m.letters[n]; //~ bounds 1 `m.letters[n]` read of 1 byte at byte 2 of the array `m.letters`, which has 2 bytes
    m.values[n - 3] = 1; //~ bounds 1 `m.values[n - 3] = 1` 4 bytes before the start of the array `m.values`
    m.values[n + 2] = 1; //~ bounds 1 `m.values[n + 2] = 1` write of 4 bytes at byte 16 of the array `m.values`
    out[1] = m.last + m.values[n];
}

kernel void rows(global int *out, int n)
{
    int table[3][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
    local int shared[2][3];
    out[0] = table[1][n]; //~ bounds 1 `table[1][n]` of the array `table[1]`, which has 12 bytes
    out[1] = table[n][0]; //~ bounds 1 `table[n][0]` of the variable `table`, which has 36 bytes
    shared[0][n] = 1; //~ bounds 1 `shared[0][n] = 1` of the array `shared[0]`
}

kernel void in_buffers(global int *out, int n)
{
    global mixed *many = (global mixed *)out;
    many[n].letters[n + 1] = 1; //~ bounds 1 `many[n].letters[n + 1] = 1` of the array `many[n].letters`
    out[8 * n] = many[n + 1].values[5 * n]; //~ bounds 1 `many[n + 1].values[5 * n]` of the array `many[n + 1].values`
    out[0] = many[9 * n].values[n]; //~ bounds 1 `many[9 * n].values[n]` of the argument `out` (0), which has 256 bytes
}

typedef struct {
    int count;
    int items[1];
} header;

kernel void fine(global int *out, int n)
{
    global header *h = (global header *)out;
    h->items[n + 5] = 1;
    mixed m = { 1, { 2, 3 }, { 4, 5, 6, 7 }, 8 };
    global mixed *many = (global mixed *)out;
    many[n] = m;
    int *whole = &m.before;
    out[0] = whole[6 * n] + many[n].values[3 * n] + m.letters[n];
}
