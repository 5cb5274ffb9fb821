// Variants for devices that round quotients correctly (Guarantee::ExactQuotients).

float __clvk_divide_f32__exact(float a, float b)
{
    return a / b;
}

float __clvk_divide_exact_f32__exact(float a, float b)
{
    return a / b;
}

double __clvk_divide_f64__exact(double a, double b)
{
    return a / b;
}
