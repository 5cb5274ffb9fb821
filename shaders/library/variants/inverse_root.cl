// Variants for devices whose reciprocal square root is precise for every number
// (Guarantee::PreciseInverseRoots).

float __clvk_rsqrt_f32__inverse_root(float x)
{
    return native_rsqrt(x);
}
