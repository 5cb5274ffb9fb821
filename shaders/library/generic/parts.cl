// Functions that split numbers or round them, all exact. For the type that types/ sets.

REAL TYPED(__clvk_round)(REAL x)
{
    REAL whole = trunc(x);
    REAL result = fabs(x - whole) >= (REAL)0.5 ? whole + copysign((REAL)1, x) : whole;
    return copysign(result, x);
}

REAL TYPED(__clvk_modf)(REAL x, REAL *whole)
{
    REAL part = trunc(x);
    *whole = part;
    return copysign(isinf(x) ? (REAL)0 : x - part, x);
}

REAL TYPED(__clvk_logb)(REAL x)
{
    REAL result = (REAL)TYPED(__clvk_ilogb)(x);
    result = TYPED(is_special)(x) ? -INFINITY : result;
    result = isinf(x) ? INFINITY : result;
    return isnan(x) ? x : result;
}

REAL TYPED(__clvk_fdim)(REAL x, REAL y)
{
    REAL result = x > y ? x - y : (REAL)0;
    return isnan(x) || isnan(y) ? NAN : result;
}

// Magnitudes are compared as integers, without their signs, because devices may flush subnormal numbers to
// zero, in fabs() too.
REAL TYPED(__clvk_maxmag)(REAL x, REAL y)
{
    BITS of_x = AS_BITS(x) & ~SIGN_BIT, of_y = AS_BITS(y) & ~SIGN_BIT;
    REAL result = of_x > of_y ? x : y;
    return of_x == of_y || isnan(x) || isnan(y) ? fmax(x, y) : result;
}

REAL TYPED(__clvk_minmag)(REAL x, REAL y)
{
    BITS of_x = AS_BITS(x) & ~SIGN_BIT, of_y = AS_BITS(y) & ~SIGN_BIT;
    REAL result = of_x < of_y ? x : y;
    return of_x == of_y || isnan(x) || isnan(y) ? fmin(x, y) : result;
}
