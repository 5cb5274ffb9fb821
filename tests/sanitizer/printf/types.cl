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
    printf(formats[n], 1); //~ printf 2 `printf(formats[n], 1)` no argument of `printf` is left for `%d`, because the format has more conversions than the 1 given
    printf(formats[n + 1], 1); //~ printf 2 `printf(formats[n + 1], 1)` the argument 1 of `printf` is an `int`, which does not fit `%f`
    printf(formats[n + 2], 1.0f); //~ printf 2 `printf(formats[n + 2], 1.0f)` the argument 1 of `printf` is a `float`, which does not fit `%d`
    printf(formats[n + 2], 1l); //~ printf 2 `printf(formats[n + 2], 1l)` the argument 1 of `printf` is a `long`, which does not fit `%d`
    printf(formats[n + 2], "text"); //~ printf 2 `printf(formats[n + 2], "text")` the argument 1 of `printf` is a string, which does not fit `%d`
}
