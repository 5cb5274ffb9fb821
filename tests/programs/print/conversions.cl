//! options: -cl-std=CL3.0
//! buffer out: int 1
//! launch: conversions(out, int -7, uint 3000000000, long -5000000000, float 1.5) global 1
//! expect out: 0
//! prints: int -7, -7|   -7|-7   |-0007|+3|007
//! prints: unsigned 3000000000 26264057000 b2d05e00 B2D05E00 0xb2d05e00
//! prints: bytes -7 249 fff9 -7
//! prints: long -5000000000 fffffffed5fa0e00
//! prints: float 1.500000 1.500000e+00 1.5 0x1.8p+0 2 [    1.50]
//! prints: text: a literal, [   lit], [lit   ], x, 100%
//! prints: second string a literal
//! prints: nothing
// Printed with conversions that C has, too (the numbers are from a C program).
constant char again[] = "a literal";
kernel void conversions(global int* out, int i, uint u, long l, float f)
{
    int r = 0;
    r |= printf("int %d, %i|%5d|%-5d|%05d|%+d|%.3d\n", i, i, i, i, i, 3, 7);
    r |= printf("unsigned %u %o %x %X %#x\n", u, u, u, u, u);
    r |= printf("bytes %hhd %hhu %hx %hd\n", i, i, i, (short)i);
    r |= printf("long %ld %lx\n", l, l);
    r |= printf("float %f %e %g %a %.0f [%8.2f]\n", f, f, f, f, f, f);
    r |= printf("text: %s, [%6.3s], [%-6.3s], %c, 100%%\n", "a literal", "literal", "lit", 'x');
    r |= printf("second string %s\n", again);
    r |= printf("nothing\n");
    *out = r;
}
