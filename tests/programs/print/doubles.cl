//! options: -cl-std=CL3.0
//! needs: cl_khr_fp64
//! buffer out: int 1
//! launch: doubles(out, double 0.1, double2 1e300 -0.5) global 1
//! expect out: 0
//! prints: 0.10000000000000000555 1e+300,-0.5 0x1.999999999999ap-4
kernel void doubles(global int* out, double d, double2 v)
{
    *out = printf("%.20f %v2lg %a\n", d, v, d);
}
