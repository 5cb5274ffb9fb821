//! options: -cl-std=CL3.0
//! buffer bytes: char = 37 118 52 104 108 102 0 37
//! launch: wrong(bytes, int 0) global 2 local 1

constant char *constant formats[] = {
    "%d %d\n", "%f\n", "%d\n", "%v4hld\n", "%s\n", "%n\n", "%ld\n", "%v3hlf\n", "%p\n", "%hld\n", "%v5hld\n",
    "%d %.5", "%v2d\n", "%c\n", "100%%, %-+ #08.3e\n", "%v2hd %zu\n", "%lld\n", "%v4lf\n", "%70000d\n", "%v8hhx\n",
};

// Which format it is, is known when the kernel runs.
kernel void wrong(global char *bytes, int n)
{
    printf(formats[n + 15], (short2)(1), 1); //~ printf 2 `printf(formats[n + 15], (short2)(1), 1)` the argument 2 of `printf` is an `int`, which does not fit `%zu`
    printf(formats[n + 16], 1l); //~ printf 2 `printf(formats[n + 16], 1l)` the conversion 1 of the format of `printf`, which ends with `l`
    printf(formats[n + 17], (float4)(1)); //~ printf 2 `printf(formats[n + 17], (float4)(1))` the argument 1 of `printf` is a `float4`, which does not fit `%v4lf`
    printf(formats[n + 18], 1); //~ printf 2 `printf(formats[n + 18], 1)` the conversion 1 of the format of `printf`, which ends with `d`
    printf(formats[n + 19], (int8)(1)); //~ printf 2 `printf(formats[n + 19], (int8)(1))` the argument 1 of `printf` is an `int8`, which does not fit `%v8hhx`
    printf(bytes + n, (int4)(1)); //~ printf 2 `printf(bytes + n, (int4)(1))` the argument 1 of `printf` is an `int4`, which does not fit `%v4hlf`
    printf(n ? formats[n] : (constant char *)0, 1); //~ printf 2 `printf(n ? formats[n] : (constant char *)0, 1)` the format of `printf` is a null pointer
    printf(bytes + n + 7, 1); //~ bounds 2 `printf(bytes + n + 7, 1)` read of 1 byte at byte 8
}
