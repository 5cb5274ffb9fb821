// Variants for devices that multiply and add with one rounding (Guarantee::FusedMultiplyAdd in single
// precision, Guarantee::FusedMultiplyAddDouble in double precision), through `__clvk_fused`; `mad` may be two
// operations.

float __clvk_fma_f32__fused(float a, float b, float c)
{
    return __clvk_fused(a, b, c);
}

double __clvk_fma_f64__fused_double(double a, double b, double c)
{
    return __clvk_fused(a, b, c);
}

double2 two_product__fused_double(double a, double b)
{
    double product = a * b;
    return (double2)(product, __clvk_fused(a, b, -product));
}

// Whether corrected_quotient may divide a by b: both are far from the smallest and the largest numbers.
static bool divides_by_steps_f32(float a, float b)
{
    uint of_a = as_uint(a) & 0x7fffffff, of_b = as_uint(b) & 0x7fffffff;
    return of_a - 0x21800000 < 0x3c000000 && of_b - 0x21800000 < 0x3c000000 && (of_b & 0x7fffff) < 0x7fff80;
}

float __clvk_divide_exact_f32__fused(float a, float b)
{
    if (!divides_by_steps_f32(a, b))
        return correct_quotient_of_any(a, b);
    float root = native_rsqrt(fabs(b));
    return corrected_quotient_f32(a, b, root * as_float(as_uint(root) | (as_uint(b) & 0x80000000)));
}

static bool divides_by_steps_f64(double a, double b)
{
    uint of_a = high_word(a) & 0x7fffffff, of_b = high_word(b) & 0x7fffffff;
    return of_a - 0x38800000 < 0x0f000000 && of_b - 0x38800000 < 0x0f000000 && (of_b & 0xfffff) != 0xfffff;
}

double __clvk_divide_f64__fused_double(double a, double b)
{
    if (!divides_by_steps_f64(a, b))
        return quotient_of_any_f64(a, b);
    return corrected_quotient_f64(a, b, rough_reciprocal_f64(b));
}

double quotient_f64__fused_double(double a, double b)
{
    double r = rough_reciprocal_f64(b);
    double q = a * r;
    return __clvk_fused(__clvk_fused(-q, b, a), r, q);
}

// Where all numbers are normal: one step that triples the number of correct bits, and for the root one that
// rounds correctly (Markstein, 1990).
double __clvk_sqrt_f64__fused_double(double x)
{
    if (high_word(x) - 0x38800000 < 0x0f000000) {
        double r = reciprocal_root(x);
        double s = x * r;
        return __clvk_fused(__clvk_fused(-s, s, x), with_exponent(r, -1), s);
    }
    return correct_root_f64(x);
}

double __clvk_rsqrt_f64__fused_double(double x)
{
    return high_word(x) - 0x38800000 < 0x0f000000 ? reciprocal_root(x) : reciprocal_root_of_any(x);
}
