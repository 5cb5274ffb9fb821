// Logarithms in double precision: as in single precision, with a longer series for R.

// e as a double, and f in *fraction, for a positive normal x.
static double split_exponent_f64(double x, double *fraction)
{
    uint2 words = as_uint2(x);
    uint above = words.y - 0x3fe6a09e;
    *fraction = as_double((uint2)(words.x, words.y - (above & 0xfff00000))) - 1.0;
    // A sum of 2^52, 2048 and e.
    return as_double((uint2)((uint)(((int)above >> 20) + 2048), 0x43300000)) - 4503599627372544.0;
}

// log(1 + f) - f, for the fractions that split_exponent_f64 gives.
static double log1p_tail_f64(double f)
{
    double d = 2.0 + f;
    double reciprocal = reciprocal_of_positive_f64(d);
    double s = f * mad(reciprocal, mad(-d, reciprocal, 1.0), reciprocal);
    double z = s * s;
    double r = mad(z, 0.131148348695975, 0.13266048812203002);
    r = mad(z, r, 0.15386342449645143);
    r = mad(z, r, 0.18181793732111753);
    r = mad(z, r, 0.22222222409750114);
    r = mad(z, r, 0.2857142857072325);
    r = mad(z, r, 0.40000000000001007);
    r = mad(z, r, 0.6666666666666666);
    double half_square = 0.5 * f * f;
    return mad(s, mad(r, z, half_square), -half_square);
}

static double log_of_normal_f64(double x, double more)
{
    double f;
    double e = split_exponent_f64(x, &f) + more;
    double tail = mad(e, 0x1.a39ef35793c76p-33, log1p_tail_f64(f));
    return mad(e, 0x1.62e42fee00000p-1, f + tail);
}

static double log2_of_normal_f64(double x, double more)
{
    double f;
    double e = split_exponent_f64(x, &f) + more;
    double tail = log1p_tail_f64(f);
    // log2(e) in two parts; the high product of f is exact with f truncated to 26 bits.
    double high = high_part_f64(f);
    double low = (f - high) + tail;
    double small = mad(low, 1.4426950408889634, high * 0x1.4ae0bf85ddf44p-26);
    return e + mad(high, 0x1.7154760000000p+0, small);
}

static double log10_of_normal_f64(double x, double more)
{
    double f;
    double e = split_exponent_f64(x, &f) + more;
    double tail = log1p_tail_f64(f);
    double high = high_part_f64(f);
    double low = (f - high) + tail;
    double small = mad(low, 0.4342944819032518, mad(high, 0x1.49b9438ca9aaep-28, e * 0x1.f79fef311f12bp-34));
    return mad(e, 0x1.3441350800000p-2, mad(high, 0x1.bcb7b10000000p-2, small));
}

double __clvk_log1p_f64(double x)
{
    // 1 + x rounded, and the rounding error.
    double u = 1.0 + x;
    double lost = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);
    double f;
    double e = split_exponent_f64(u, &f);
    bool direct = fabs(x) < 0.29;
    // Above 2^60 the rounding error does not matter, nor near the pole.
    double corrected = direct || u > 1e18 ? 0.0 : quotient_f64(lost, fmax(u, 1e-18));
    f = direct ? x : f;
    e = direct ? 0.0 : e;
    double tail = log1p_tail_f64(f) + (e * 0x1.a39ef35793c76p-33 + corrected);
    double result = e * 0x1.62e42fee00000p-1 + (f + tail);
    result = x == -1.0 ? -INFINITY : result;
    result = x < -1.0 ? NAN : result;
    return isnan(x) || x == INFINITY || x == 0.0 ? x : result;
}
