// Fused multiplication and addition, because Vulkan's may round twice.

// x shifted to the right; the last bit records whether bits were lost.
static ulong shifted_sticky(ulong x, int count)
{
    ulong kept = count > 63 ? 0 : x >> count;
    ulong lost = count > 63 ? x : x & ((1UL << count) - 1);
    return kept | (lost != 0 ? 1 : 0);
}

// For finite numbers that are not zero (c may be): the product of the mantissas has 48 bits, and c is added
// to it at the right position.
static float fma_by_integers(float a, float b, float c)
{
    int of_a, of_b, of_c = -1000;
    ulong product = (ulong)mantissa_f32(a, &of_a) * mantissa_f32(b, &of_b) << 14;
    ulong addend = 0;
    if ((as_uint(c) << 1) != 0) {
        addend = (ulong)mantissa_f32(c, &of_c) << 37;
    }
    uint sign = (as_uint(a) ^ as_uint(b)) & 0x80000000, sign_c = as_uint(c) & 0x80000000;
    // product 2^(of_product - 60), addend 2^(of_c - 60).
    int of_product = of_a + of_b;
    int exponent = max(of_product, of_c);
    product = shifted_sticky(product, exponent - of_product);
    addend = shifted_sticky(addend, exponent - of_c);
    bool differ = sign != sign_c, swap = product < addend;
    ulong sum = differ ? (swap ? addend - product : product - addend) : product + addend;
    uint result_sign = swap ? sign_c : sign;
    if (sum == 0) {
        // An exact difference.
        return as_float(differ ? 0 : result_sign);
    }
    int shift = (int)clz(sum);
    sum <<= shift;
    exponent += 3 - shift;
    // 24 bits, or fewer where the result is subnormal.
    int cut = 40 + clamp(-126 - exponent, 0, 23);
    if (exponent < -150) {
        return as_float(result_sign);
    }
    ulong kept = sum >> cut, tie = 1UL << (cut - 1);
    ulong lost = sum & ((tie << 1) - 1);
    // A number below half the smallest subnormal one loses more places than were counted.
    kept = exponent == -150 ? 0 : kept;
    lost = exponent == -150 ? (sum > 0x8000000000000000UL ? tie + 1 : tie) : lost;
    kept += lost > tie || (lost == tie && (kept & 1) != 0) ? 1 : 0;
    // The hidden bit increments the exponent.
    uint bits = (uint)kept + (exponent < -126 ? 0 : (uint)(exponent + 126) << 23);
    bits = bits >= 0x7f800000 || exponent > 127 ? 0x7f800000 : bits;
    return as_float(bits | result_sign);
}

// x + y rounded to odd: an inexact sum with an even last bit moves toward its rounding error.
static float sum_to_odd(float x, float y)
{
    float sum = x + y;
    float of_y = sum - x;
    float lost = (x - (sum - of_y)) + (y - of_y);
    int bits = as_int(sum);
    int step = (lost > 0.0f) == (bits >= 0) ? 1 : -1;
    return as_float(lost != 0.0f && (bits & 1) == 0 ? bits + step : bits);
}

// Where every part is a normal number: two sums with their rounding errors, which are added last but rounded
// to odd (Boldo and Melquiond, 2008).
static float fma_by_parts(float a, float b, float c)
{
    float product = a * b;
    float a_high = high_part(a), b_high = high_part(b);
    float a_low = a - a_high, b_low = b - b_high;
    float product_low = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    float inner = c + product_low;
    float of_low = inner - c;
    float inner_low = (c - (inner - of_low)) + (product_low - of_low);
    float outer = product + inner;
    float of_inner = outer - product;
    float outer_low = (product - (outer - of_inner)) + (inner - of_inner);
    return outer + sum_to_odd(inner_low, outer_low);
}

float __clvk_fma_f32(float a, float b, float c)
{
    int of_a = (int)(as_uint(a) >> 23) & 0xff, of_b = (int)(as_uint(b) >> 23) & 0xff;
    int of_c = (int)(as_uint(c) >> 23) & 0xff;
    // Biased exponents, with twice the bias for the product's: no part is subnormal and no sum too large.
    bool moderate = (uint)(of_a + of_b - 254 + 50) <= 160 && (uint)(of_c - 127 + 50) <= 160;
    if (moderate && (uint)(of_a - 25) < 220 && (uint)(of_b - 25) < 220) {
        return fma_by_parts(a, b, c);
    }
    bool zero = (as_uint(a) << 1) == 0 || (as_uint(b) << 1) == 0;
    if (zero || of_a == 255 || of_b == 255) {
        return a * b + c;
    }
    return of_c == 255 ? c : fma_by_integers(a, b, c);
}
