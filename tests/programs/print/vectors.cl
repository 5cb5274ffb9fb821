//! options: -cl-std=CL3.0
//! buffer out: int 1
//! launch: vectors(out, char4 -1 2 127 0, short4 1 2 3 -4, int16 0..16, float2 0.5 -2, long2 -1 1) global 1
//! expect out: 0
//! prints: char -1,2,127 ff,02,7f
//! prints: short 1,2,3,-4
//! prints: int 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
//! prints: float 0.50,-2.00 half 0.5,-2
//! prints: long -1,1
//! prints: bool 1 uchar 200 half 0.25
kernel void vectors(global int* out, char3 c, short4 s, int16 i, float2 f, long2 l)
{
    int r = 0;
    r |= printf("char %v3hhd %.2v3hhx\n", c, c);
    r |= printf("short %v4hd\n", s);
    r |= printf("int %v16hld\n", i);
    r |= printf("float %.2v2hlf half %v2hg\n", f, convert_half2(f));
    r |= printf("long %v2ld\n", l);
    r |= printf("bool %d uchar %d half %g\n", f.x > 0, (uchar)200, (half)0.25f);
    *out = r;
}
