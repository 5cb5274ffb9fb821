// Variants for devices on which `mad` rounds once (Guarantee::FusedMultiplyAdd).

float __clvk_fma_f32__fused(float a, float b, float c)
{
    return mad(a, b, c);
}

double __clvk_fma_f64__fused(double a, double b, double c)
{
    return mad(a, b, c);
}

double2 two_product__fused(double a, double b)
{
    double product = a * b;
    return (double2)(product, mad(a, b, -product));
}

double quotient_f64__fused(double a, double b)
{
    double r = rough_reciprocal_f64(b);
    double q = a * r;
    return mad(mad(-q, b, a), r, q);
}

// Where nothing leaves the normal numbers: one step that triples the right bits, and for the root one that rounds correctly
// (Markstein, 1990).
double __clvk_sqrt_f64__fused(double x)
{
    if (high_word(x) - 0x38800000 < 0x0f000000) {
        double r = reciprocal_root(x);
        double s = x * r;
        return mad(mad(-s, s, x), with_exponent(r, -1), s);
    }
    return correct_root_f64(x);
}

double __clvk_rsqrt_f64__fused(double x)
{
    return high_word(x) - 0x38800000 < 0x0f000000 ? reciprocal_root(x) : reciprocal_root_of_any(x);
}
