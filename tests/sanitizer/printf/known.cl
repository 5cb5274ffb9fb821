//! options: -cl-std=CL3.0
//! buffer bytes: char = 37 118 52 104 108 102 0 37
//! launch: known(bytes) global 1 local 1

// Formats that the compiler has warned of.
kernel void known(global char *bytes)
{
    printf("%d %d\n", 1); //~ printf 1 `printf("%d %d\n", 1)` no argument of `printf` is left for `%d`
    printf("%v2hld\n", (float2)(1)); //~ printf 1 `printf("%v2hld\n", (float2)(1))` the argument 1 of `printf` is a `float2`, which does not fit `%v2hld`
    printf("%n\n", bytes); //~ printf 1 `printf("%n\n", bytes)` the conversion 1 of the format of `printf`, which ends with `n`
}
