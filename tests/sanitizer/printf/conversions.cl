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
    printf(formats[n + 5], &n); //~ printf 2 `printf(formats[n + 5], &n)` the conversion 1 of the format of `printf`, which ends with `n`, is not one of OpenCL C
    printf(formats[n + 6], 1); //~ printf 2 `printf(formats[n + 6], 1)` the argument 1 of `printf` is an `int`, which does not fit `%ld`
    printf(formats[n + 7], (float4)(1)); //~ printf 2 `printf(formats[n + 7], (float4)(1))` the argument 1 of `printf` is a `float4`, which does not fit `%v3hlf`
    printf(formats[n + 8], 1l); //~ printf 2 `printf(formats[n + 8], 1l)` the argument 1 of `printf` is a `long`, which does not fit `%p`
    printf(formats[n + 9], 1); //~ printf 2 `printf(formats[n + 9], 1)` the conversion 1 of the format of `printf`, which ends with `d`, is not one of OpenCL C
    printf(formats[n + 10], (int4)(1)); //~ printf 2 `printf(formats[n + 10], (int4)(1))` the conversion 1 of the format of `printf`, which ends with `d`
    printf(formats[n + 11], 1, 2); //~ printf 2 `printf(formats[n + 11], 1, 2)` the conversion 2 of the format of `printf`, which ends with `5`
    printf(formats[n + 12], (char2)(1)); //~ printf 2 `printf(formats[n + 12], (char2)(1))` the argument 1 of `printf` is a `char2`, which does not fit `%v2d`
    printf(formats[n + 13], 1.0f); //~ printf 2 `printf(formats[n + 13], 1.0f)` the argument 1 of `printf` is a `float`, which does not fit `%c`
    printf(formats[n + 14], 1); //~ printf 2 `printf(formats[n + 14], 1)` the argument 1 of `printf` is an `int`, which does not fit `%e`
}
