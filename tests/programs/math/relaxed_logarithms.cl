// Where the device's logarithms may be used, a subnormal number may give its own logarithm or that of zero
// (OpenCL C §7.2). A second kernel looks at the bits: with these options, compilers may assume that no result
// is infinite.
//! options: -cl-fast-relaxed-math
//! buffer x: uint = 1 0x1000 0x7fffff 0x800000 0
//! buffer natural: float = -103.2789299 -94.96116374 -87.33654475 -87.33654475 0
//! buffer binary: float = -149 -137 -126 -126 0
//! buffer found: float 10
//! buffer passed: int = 2*0
//! launch: logarithms(x, found) global 5
//! launch: judge(found, natural, binary, passed) global 5
//! expect passed: 5 5

kernel void logarithms(global const float *x, global float *found)
{
    int i = get_global_id(0);
    found[i] = log(x[i]);
    found[5 + i] = log2(x[i]);
}

int fits(uint bits, float exact)
{
    return bits == 0xff800000 || fabs(as_float(bits) - exact) < 1e-3f;
}

kernel void judge(global const uint *found, global const float *natural, global const float *binary,
                  global int *passed)
{
    int i = get_global_id(0);
    if (fits(found[i], natural[i]))
        atomic_inc(&passed[0]);
    if (fits(found[5 + i], binary[i]))
        atomic_inc(&passed[1]);
}
