// Logarithms in double precision: as in single precision, with a longer series for R.

// e, and f in *fraction, for a positive finite x.
static int split_exponent_f64(double x, double *fraction)
{
    int exponent;
    ulong bits = as_ulong(normalised_f64(x, &exponent));
    // From 1 up to 2: beyond sqrt(2) half of it, and one more in the exponent.
    bool large = bits > 0x3ff6a09e667f3bccUL;
    *fraction = as_double(large ? bits - 0x10000000000000UL : bits) - 1.0;
    return exponent + (large ? 1 : 0);
}

// log(1 + f) - f, for the fractions that split_exponent gives.
static double log1p_tail_f64(double f)
{
    double s = quotient_f64(f, 2.0 + f);
    double z = s * s;
    double r = mad(z, 0.131148348695975, 0.13266048812203002);
    r = mad(z, r, 0.15386342449645143);
    r = mad(z, r, 0.18181793732111753);
    r = mad(z, r, 0.22222222409750114);
    r = mad(z, r, 0.2857142857072325);
    r = mad(z, r, 0.40000000000001007);
    r = mad(z, r, 0.6666666666666666);
    double half_square = 0.5 * f * f;
    return s * (half_square + r * z) - half_square;
}

// What the logarithms of zero, negative numbers, infinity and NaN are; `result` for all others.
static double log_edges_f64(double x, double result)
{
    result = x == 0.0 ? -INFINITY : result;
    result = x < 0.0 ? NAN : result;
    return isnan(x) || x == INFINITY ? x : result;
}

double __clvk_log_f64(double x)
{
    double f;
    double e = (double)split_exponent_f64(x, &f);
    double tail = log1p_tail_f64(f) + e * 0x1.a39ef35793c76p-33;
    return log_edges_f64(x, e * 0x1.62e42fee00000p-1 + (f + tail));
}

double __clvk_log2_f64(double x)
{
    double f;
    double e = (double)split_exponent_f64(x, &f);
    double tail = log1p_tail_f64(f);
    // log2(e) in two parts; the high product of f is exact with f cut to 26 bits.
    double high = high_part_f64(f);
    double low = (f - high) + tail;
    double small = low * 1.4426950408889634 + high * 0x1.4ae0bf85ddf44p-26;
    return log_edges_f64(x, e + (high * 0x1.7154760000000p+0 + small));
}

double __clvk_log10_f64(double x)
{
    double f;
    double e = (double)split_exponent_f64(x, &f);
    double tail = log1p_tail_f64(f);
    double high = high_part_f64(f);
    double low = (f - high) + tail;
    double small = low * 0.4342944819032518 + high * 0x1.49b9438ca9aaep-28 + e * 0x1.f79fef311f12bp-34;
    return log_edges_f64(x, e * 0x1.3441350800000p-2 + (high * 0x1.bcb7b10000000p-2 + small));
}

double __clvk_log1p_f64(double x)
{
    // 1 + x rounded, and what the rounding lost.
    double u = 1.0 + x;
    double lost = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);
    double f;
    double e = (double)split_exponent_f64(u, &f);
    bool direct = fabs(x) < 0.29;
    // Beyond 2^60 nothing is lost that matters, nor near to the pole.
    double corrected = direct || u > 1e18 ? 0.0 : quotient_f64(lost, fmax(u, 1e-18));
    f = direct ? x : f;
    e = direct ? 0.0 : e;
    double tail = log1p_tail_f64(f) + (e * 0x1.a39ef35793c76p-33 + corrected);
    double result = e * 0x1.62e42fee00000p-1 + (f + tail);
    result = x == -1.0 ? -INFINITY : result;
    result = x < -1.0 ? NAN : result;
    return isnan(x) || x == INFINITY || x == 0.0 ? x : result;
}
