// Variants for devices on which the compiler divides floats itself (Quirk::LinkedDivisions), well for any
// divisor.

float __clvk_divide_f32__divided(float a, float b)
{
    return native_divide(a, b);
}
