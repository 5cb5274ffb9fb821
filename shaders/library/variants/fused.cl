// Variants for devices that multiply and add with one rounding (Guarantee::FusedMultiplyAdd), by `__clvk_fused`; `mad` may be two
// operations.

float __clvk_fma_f32__fused(float a, float b, float c)
{
    return __clvk_fused(a, b, c);
}

double __clvk_fma_f64__fused(double a, double b, double c)
{
    return __clvk_fused(a, b, c);
}

double2 two_product__fused(double a, double b)
{
    double product = a * b;
    return (double2)(product, __clvk_fused(a, b, -product));
}

double quotient_f64__fused(double a, double b)
{
    double r = rough_reciprocal_f64(b);
    double q = a * r;
    return __clvk_fused(__clvk_fused(-q, b, a), r, q);
}

// Where nothing leaves the normal numbers: one step that triples the right bits, and for the root one that rounds correctly
// (Markstein, 1990).
double __clvk_sqrt_f64__fused(double x)
{
    if (high_word(x) - 0x38800000 < 0x0f000000) {
        double r = reciprocal_root(x);
        double s = x * r;
        return __clvk_fused(__clvk_fused(-s, s, x), with_exponent(r, -1), s);
    }
    return correct_root_f64(x);
}

double __clvk_rsqrt_f64__fused(double x)
{
    return high_word(x) - 0x38800000 < 0x0f000000 ? reciprocal_root(x) : reciprocal_root_of_any(x);
}
