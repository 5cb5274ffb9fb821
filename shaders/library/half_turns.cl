// The trigonometric functions whose argument counts half turns: the reduction is exact.

// |x| in [0, 2) is quarters / 2 plus the remainder that is returned; whole turns are dropped.
static float reduce_half_turns(float x, int *quarters)
{
    float a = fabs(x);
    float m = a - 2.0f * floor(a * 0.5f);
    float n = rint(m * 2.0f);
    *quarters = (int)n;
    float rest = m - n * 0.5f;
    // pi in two parts.
    return rest * 3.14159274f - rest * 8.74227766e-8f;
}

float __clvk_sinpi_f32(float x)
{
    int quarters;
    float r = reduce_half_turns(isinf(x) ? 0.0f : x, &quarters);
    float s = sin_in_quadrant(r, quarters);
    s = r == 0.0f && (quarters & 1) == 0 ? 0.0f : s;
    float result = signbit(x) ? -s : s;
    result = fabs(x) < 1e-30f ? x * 3.14159265f : result;
    return isinf(x) || isnan(x) ? NAN : result;
}

float __clvk_cospi_f32(float x)
{
    int quarters;
    float r = reduce_half_turns(isinf(x) ? 0.0f : x, &quarters);
    float result = sin_in_quadrant(r, quarters + 1);
    result = result == 0.0f ? 0.0f : result;
    return isinf(x) || isnan(x) ? NAN : result;
}

float __clvk_tanpi_f32(float x)
{
    int quarters;
    float r = reduce_half_turns(isinf(x) ? 0.0f : x, &quarters);
    float s = sin_of_remainder(r);
    float c = cos_of_remainder(r);
    bool odd = (quarters & 1) != 0;
    float t = ordinary_quotient(odd ? -c : s, odd ? s : c);
    // At integers zero and halfway between them infinity, both with the sign of an even or odd neighbour.
    bool second = (quarters & 2) != 0;
    float edge = odd ? INFINITY : 0.0f;
    t = r == 0.0f ? (second ? -edge : edge) : t;
    float result = signbit(x) ? -t : t;
    result = fabs(x) < 1e-30f ? x * 3.14159265f : result;
    return isinf(x) || isnan(x) ? NAN : result;
}

float __clvk_asinpi_f32(float x)
{
    return __clvk_asin_f32(x) * 0.318309886f;
}

float __clvk_acospi_f32(float x)
{
    return __clvk_acos_f32(x) * 0.318309886f;
}

float __clvk_atanpi_f32(float x)
{
    return __clvk_atan_f32(x) * 0.318309886f;
}

float __clvk_atan2pi_f32(float y, float x)
{
    return __clvk_atan2_f32(y, x) * 0.318309886f;
}

float __clvk_native_sinpi_f32(float x)
{
    return native_sin(x * 3.14159274f);
}

float __clvk_native_cospi_f32(float x)
{
    return native_cos(x * 3.14159274f);
}
