// Variants for devices whose double precision is that of a processor (Guarantee::ProcessorDoubles): as cheap
// as single precision, with correctly rounded quotients (`__clvk_divided`) and roots (`__clvk_root`).

// The product is exact. The sum is rounded to odd, so that the second rounding gives the same result as a
// single one (Boldo and Melquiond, 2008).
float __clvk_fma_f32__processor(float a, float b, float c)
{
    return (float)sum_to_odd_f64((double)a * (double)b, (double)c);
}

double __clvk_divide_f64__processor(double a, double b)
{
    return __clvk_divided(a, b);
}

double quotient_f64__processor(double a, double b)
{
    return __clvk_divided(a, b);
}

double __clvk_sqrt_f64__processor(double x)
{
    return __clvk_root(x);
}

double root_f64__processor(double x)
{
    return __clvk_root(x);
}

double __clvk_rsqrt_f64__processor(double x)
{
    return __clvk_divided(1.0, __clvk_root(x));
}

// For numbers with 24 bits, a quotient or root that is rounded to 53 bits first is still correctly rounded
// (Figueroa, 1995).
float __clvk_divide_exact_f32__processor(float a, float b)
{
    return (float)__clvk_divided((double)a, (double)b);
}

float __clvk_sqrt_f32__processor(float x)
{
    return (float)__clvk_root((double)x);
}

float __clvk_sqrt_exact_f32__processor(float x)
{
    return (float)__clvk_root((double)x);
}

float __clvk_rsqrt_f32__processor(float x)
{
    return (float)__clvk_divided(1.0, __clvk_root((double)x));
}
