// Variants for devices on which the translator divides floats in software (Quirk::LinkedDivisions), which is
// accurate for any divisor.

float __clvk_divide_f32__divided(float a, float b)
{
    return native_divide(a, b);
}
