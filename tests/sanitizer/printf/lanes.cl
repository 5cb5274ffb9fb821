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
    printf(formats[n + 3], (int2)(1)); //~ printf 2 `printf(formats[n + 3], (int2)(1))` the argument 1 of `printf` is an `int2`, which does not fit `%v4hld`
    printf(formats[n + 3], (short4)(1)); //~ printf 2 `printf(formats[n + 3], (short4)(1))` the argument 1 of `printf` is a `short4`, which does not fit `%v4hld`
    printf(formats[n + 3], 1); //~ printf 2 `printf(formats[n + 3], 1)` the argument 1 of `printf` is an `int`, which does not fit `%v4hld`
    printf(formats[n + 4], 7); //~ printf 2 `printf(formats[n + 4], 7)` the argument 1 of `printf` is an `int`, which does not fit `%s`
    printf(formats[n + 4], &n); //~ printf 2 `printf(formats[n + 4], &n)` the argument 1 of `printf` is a pointer, which does not fit `%s`
}
