//! options: -cl-std=CL3.0
//! buffer bytes: char = 37 118 52 104 108 102 0 37
//! buffer out: int 2
//! launch: right(bytes, out, int 0) global 1 local 1
//! launch: more(bytes, out, int 0) global 1 local 1
//! expect out: 0 0

constant char *constant formats[] = {
    "%d %d\n", "%f\n", "%d\n", "%v4hld\n", "%s\n", "%n\n", "%ld\n", "%v3hlf\n", "%p\n", "%hld\n", "%v5hld\n",
    "%d %.5", "%v2d\n", "%c\n", "100%%, %-+ #08.3e\n", "%v2hd %zu\n", "%lld\n", "%v4lf\n", "%70000d\n", "%v8hhx\n",
};

kernel void right(global char *bytes, global int *out, int n)
{
    out[0] = printf(formats[n], 1, 2);
    printf(formats[n + 1], 1.0f);
    // More arguments than conversions are not printed (OpenCL C §6.15.14.1).
    printf(formats[n + 2], (char)1, 2);
    printf(formats[n + 3], (uint4)(1));
    printf(formats[n + 4], "text");
    printf(formats[n + 4], bytes);
    printf(formats[n + 6], 1ul);
    printf(formats[n + 7], (float3)(1));
}

kernel void more(global char *bytes, global int *out, int n)
{
    out[1] = printf(formats[n + 8], bytes);
    printf(formats[n + 8], &n);
    printf(formats[n + 12], (int2)(1));
    printf(formats[n + 13], 'a');
    printf(formats[n + 14], 1.0f);
    printf(formats[n + 15], (short2)(1), get_global_id(0));
    printf(formats[n + 19], (uchar8)(1));
    printf(bytes + n, (float4)(1));
    printf("%d %s %v4hld\n", 1, "text", (int4)(1));
}
