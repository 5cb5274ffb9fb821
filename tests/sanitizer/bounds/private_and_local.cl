//! options: -cl-std=CL3.0
//! buffer out: int 8
//! launch: arrays(out, int 4) global 8 local 4
//! launch: locals(out, local 16) global 8 local 8
//! launch: tables(out) global 8
//! launch: structures(out, int 3 + int 4 + int 5, int 2) global 1
//! launch: copies(out, int 1) global 1

constant int squares[4] = { 0, 1, 4, 9 };
constant char letters[] = "abc";

kernel void arrays(global int *out, int n)
{
    int i = get_global_id(0);
    int own[4] = { 1, 2, 3, 4 };
    out[i] = own[i]; //~ bounds 4 `own[i]` of the variable `own`, which has 16 bytes
    own[n] = 1; //~ bounds 8 `own[n] = 1` write of 4 bytes at byte 16 of the variable `own`
    int *p = own;
    for (int k = 0; k < 5; k++)
        out[i] += *p++; //~ bounds 8 `*p++` read of 4 bytes at byte 16 of the variable `own`
}

kernel void locals(global int *out, local int *given)
{
    local int shared[6];
    int i = get_local_id(0);
    shared[i] = i; //~ bounds 2 `shared[i] = i` of the local variable `locals.shared`, which has 24 bytes
    given[i] = i; //~ bounds 4 `given[i] = i` of the argument `given` (1), which has 16 bytes
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = shared[i - 1 & 7] + given[i & 3]; //~ bounds 2 `shared[i - 1 & 7]` read of 4 bytes
}

kernel void tables(global int *out)
{
    int i = get_global_id(0);
    out[i] = squares[i]; //~ bounds 4 `squares[i]` of the constant `squares`, which has 16 bytes
    out[i] += letters[i]; //~ bounds 4 `letters[i]` read of 1 byte
}

typedef struct {
    int values[3];
} three;

kernel void structures(global int *out, three given, int i)
{
    out[0] = given.values[i + 1]; //~ bounds 1 `given.values[i + 1]` read of 4 bytes at byte 12
    three other = given;
    other.values[i - 3] = 1; //~ bounds 1 `other.values[i - 3] = 1` 4 bytes before the start of the array `other.values`
    out[1] = other.values[i];
}

kernel void copies(global int *out, int i)
{
    three many[2] = { 0 };
    global three *threes = (global three *)out;
    many[i + 1] = many[0]; //~ bounds 1 `many[i + 1] = many[0];` write of 12 bytes at byte 24
    many[0] = threes[i + 1]; //~ bounds 1 `many[0] = threes[i + 1];` read of 12 bytes at byte 24 of the argument `out` (0), which has 32 bytes
    out[0] = many[0].values[0];
}
