// Division and square root nearer to the exact result than a device must be (2.5 ulp and 3 ulp): half an ulp, and a little.

// The high 12 bits of a float's mantissa: products of two such numbers are exact.
static float high_part(float x)
{
    return as_float(as_int(x) & 0xfffff000);
}

// a / b, where neither the quotient nor its products with b leave the normal numbers: the first quotient is cut to 12
// bits, so that what it leaves is known exactly and is divided again.
static float divide(float a, float b)
{
    float q = high_part(a / b);
    float b_high = high_part(b);
    float rest = (a - q * b_high) - q * (b - b_high);
    return q + rest / b;
}

// The square root of a normal number or zero: one step of Newton's method from a root cut to 12 bits.
static float square_root(float x)
{
    float s = sqrt(x);
    float high = high_part(s);
    float low = s - high;
    float rest = ((x - high * high) - 2.0f * high * low) - low * low;
    return x == 0.0f ? x : s + 0.5f * rest / s;
}
