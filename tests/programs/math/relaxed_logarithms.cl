// Where the device's logarithms may be used, a subnormal number may give its own logarithm or that of zero
// (OpenCL C §7.2).
//! options: -cl-fast-relaxed-math
//! buffer x: uint = 1 0x1000 0x7fffff 0x800000 0
//! buffer natural: float = -103.2789299 -94.96116374 -87.33654475 -87.33654475 0
//! buffer binary: float = -149 -137 -126 -126 0
//! buffer passed: int = 2*0
//! launch: logarithms(x, natural, binary, passed) global 5
//! expect passed: 5 5

int fits(float result, float exact)
{
    return as_uint(result) == 0xff800000 || fabs(result - exact) < 1e-3f;
}

kernel void logarithms(global const uint *x, global const float *natural, global const float *binary,
                       global int *passed)
{
    int i = get_global_id(0);
    float number = as_float(x[i]);
    if (fits(log(number), natural[i]))
        atomic_inc(&passed[0]);
    if (fits(log2(number), binary[i]))
        atomic_inc(&passed[1]);
}
