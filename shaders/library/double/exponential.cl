// Exponentials in double precision: as in single precision, with longer polynomials. They interpolate (e^r -
// 1 - r) / r^2 at Chebyshev nodes; their error is below 2^-58 of the sum.

// p 2^n for -2044 <= n < 2044, in two steps; only the last one rounds.
static double scale_f64(double p, int n)
{
    int half_n = n >> 1;
    return p * power_of_two_f64(half_n) * power_of_two_f64(n - half_n);
}

// 1.5 * 2^52: adding it rounds to an integer, which is then in the low bits of the sum.
#define WHOLE_F64 6755399441055744.0

// The integer in a sum with WHOLE_F64.
static int whole_number_f64(double sum)
{
    return (int)as_uint2(sum).x;
}

// p 2^n for a normal result and n in a sum with WHOLE_F64.
static double scale_normal_f64(double p, double sum)
{
    return as_double(as_ulong(p) + (as_ulong(sum) << 52));
}

// (e^r - 1 - r) / r^2 for |r| <= 0.35.
static double exp_series_f64(double r)
{
    double p = mad(r, 2.510134692835034e-08, 2.7621338669142925e-07);
    p = mad(r, p, 2.75572664186123e-06);
    p = mad(r, p, 2.4801518641395993e-05);
    p = mad(r, p, 0.00019841269864380513);
    p = mad(r, p, 0.0013888888918939168);
    p = mad(r, p, 0.008333333333329793);
    p = mad(r, p, 0.04166666666662064);
    p = mad(r, p, 0.16666666666666669);
    return mad(r, p, 0.5000000000000001);
}

// e^(r + low) for |r| <= 0.35, where `low` is less than a unit in the last place.
static double exp_of_remainder_f64(double r, double low)
{
    return 1.0 + (r + (low + r * r * exp_series_f64(r)));
}

// e^r; its rounding errors add up to 1.5 ulp.
static double fast_exp_of_remainder_f64(double r)
{
    return mad(r, mad(r, exp_series_f64(r), 1.0), 1.0);
}

// x = n log(2) + result, n in *sum with WHOLE_F64.
static double reduce_exp_f64(double x, double *sum)
{
    *sum = mad(x, 1.4426950408889634, WHOLE_F64);
    double n = *sum - WHOLE_F64;
    return mad(n, -0x1.a39ef35793c76p-33, mad(n, -0x1.62e42fee00000p-1, x));
}

double __clvk_exp_f64(double x)
{
    double sum;
    if (fabs(x) <= 707.0) {
        double r = reduce_exp_f64(x, &sum);
        return scale_normal_f64(fast_exp_of_remainder_f64(r), sum);
    }
    double r = reduce_exp_f64(fmin(fmax(x, -750.0), 711.0), &sum);
    double result = scale_f64(fast_exp_of_remainder_f64(r), whole_number_f64(sum));
    return isnan(x) ? x : result;
}

double __clvk_exp2_f64(double x)
{
    if (fabs(x) <= 1020.0) {
        double sum = x + WHOLE_F64;
        double t = x - (sum - WHOLE_F64);
        return scale_normal_f64(fast_exp_of_remainder_f64(t * 0.6931471805599453), sum);
    }
    double clamped = fmin(fmax(x, -1080.0), 1025.0);
    double sum = clamped + WHOLE_F64;
    double t = clamped - (sum - WHOLE_F64);
    double result = scale_f64(fast_exp_of_remainder_f64(t * 0.6931471805599453), whole_number_f64(sum));
    return isnan(x) ? x : result;
}

double __clvk_exp10_f64(double x)
{
    double clamped = fmin(fmax(x, -325.0), 309.0);
    double n = rint(clamped * 3.321928094887362);
    double r = clamped - n * 0x1.3441350800000p-2;
    r = r - n * 0x1.f79fef311f12bp-34;
    // log(10) in two parts; the product with the first one is exact.
    double r_high = high_part_f64(r);
    double t = r_high * 0x1.26bb1b8000000p+1;
    double2 sum = fast_two_sum(t, (r - r_high) * 0x1.26bb1b8000000p+1 + r * 0x1.daaa8ac16ea57p-26);
    double result = scale_f64(exp_of_remainder_f64(sum.x, sum.y), (int)n);
    return isnan(x) ? x : result;
}

double __clvk_expm1_f64(double x)
{
    double clamped = fmin(fmax(x, -40.0), 709.9);
    double n = rint(clamped * 1.4426950408889634);
    double high = clamped - n * 0x1.62e42fee00000p-1;
    double low = n * 0x1.a39ef35793c76p-33;
    double r = high - low;
    double rest = (high - r) - low;
    double p = mad(r, 1.6087177234380782e-10, 2.0918961837795778e-09);
    p = mad(r, p, 2.5052069594795685e-08);
    p = mad(r, p, 2.755726102934377e-07);
    p = mad(r, p, 2.7557319248633827e-06);
    p = mad(r, p, 2.4801587338565345e-05);
    p = mad(r, p, 0.00019841269841262761);
    p = mad(r, p, 0.0013888888888878269);
    p = mad(r, p, 0.008333333333333333);
    p = mad(r, p, 0.04166666666666668);
    p = mad(r, p, 0.16666666666666666);
    p = mad(r, p, 0.5);
    double tail = rest + r * r * p;
    // 2^n (e^r - 1) + (2^n - 1), with the large part added last; for n = 1024 half of everything is computed
    // and then doubled.
    int whole = (int)n;
    bool huge = whole > 1023;
    double power = power_of_two_f64(huge ? 1023 : whole);
    double offset = huge ? 1.0 : power - 1.0;
    double2 sum = two_sum(offset, power * r);
    double result = huge ? (power * (r + tail) + power) * 2.0 : sum.x + (sum.y + power * tail);
    result = n == 0.0 ? r + tail : result;
    result = x < -38.0 ? -1.0 : result;
    return isnan(x) || x == 0.0 ? x : result;
}
