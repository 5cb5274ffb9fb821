// The error function and its complement in double precision.

double __clvk_erfc_f64(double x)
{
    // (1 + 2 a) e^(a^2) erfc(a) is a polynomial in (a - 4) / (a + 4) for all a (Shepherd and Laframboise,
    // 1981).
    double a = fmin(fabs(x), 28.0);
    double t = quotient_f64(a - 4.0, a + 4.0);
    double p = mad(t, -8.906208663934622e-09, -9.456271524915692e-09);
    p = mad(t, p, 1.0181247475149971e-07);
    p = mad(t, p, 5.883230632914435e-08);
    p = mad(t, p, -8.187662562915786e-07);
    p = mad(t, p, 3.0994402010831546e-07);
    p = mad(t, p, 5.706827475068264e-06);
    p = mad(t, p, -1.1232086023404734e-05);
    p = mad(t, p, -2.4398609353512906e-05);
    p = mad(t, p, 0.00015062567141369432);
    p = mad(t, p, -0.00019925669640425623);
    p = mad(t, p, -0.0007577743061693371);
    p = mad(t, p, 0.005031969952329153);
    p = mad(t, p, -0.016197733895959854);
    p = mad(t, p, 0.03716751554242076);
    p = mad(t, p, -0.06633036582729279);
    p = mad(t, p, 0.09373283499798463);
    p = mad(t, p, -0.10103906603558063);
    p = mad(t, p, 0.06809705425470212);
    p = mad(t, p, 0.015379652102606133);
    p = mad(t, p, -0.13962111684056255);
    p = mad(t, p, 1.2329951186255526);
    // e^-(a^2), corrected by the rounding error of the square.
    double2 square = two_product(a, a);
    double power = __clvk_exp_f64(-square.x);
    power = power - power * square.y;
    double tail = quotient_f64(p, 1.0 + 2.0 * a) * power;
    double result = x < 0.0 ? 2.0 - tail : tail;
    return isnan(x) ? x : result;
}

double __clvk_erf_f64(double x)
{
    double a = fabs(x);
    // Up to 1: x times a polynomial in x^2.
    double z = a * a;
    double small = mad(z, -0x1.ab15c515ffab6p-31, 0x1.d6e3ddfca2df8p-27);
    small = mad(z, small, -0x1.5bfe763806a84p-23);
    small = mad(z, small, 0x1.b97e4428056c2p-20);
    small = mad(z, small, -0x1.f4ca204c769a8p-17);
    small = mad(z, small, 0x1.f9a2b7553172ap-14);
    small = mad(z, small, -0x1.c02db0149d903p-11);
    small = mad(z, small, 0x1.565bccf7e2856p-8);
    small = mad(z, small, -0x1.b82ce311ee09bp-6);
    small = mad(z, small, 0x1.ce2f21a0408d1p-4);
    small = mad(z, small, -0x1.812746b0379b2p-2);
    small = mad(z, small, 0x1.20dd750429b6dp0) * a;
    // Above 1: 1 - e^-q, with a polynomial that need only be as accurate as the part that remains of 1; from
    // 6 on nothing remains.
    double t = fmin(a, 6.0) - 3.5;
    double q = mad(t, 0x1.27b789f0d3741p-35, 0x1.c6c69395d14cfp-31);
    q = mad(t, q, 0x1.e590040a8d4b4p-28);
    q = mad(t, q, 0x1.282f54c35c3fap-25);
    q = mad(t, q, 0x1.c8be8daff920dp-24);
    q = mad(t, q, 0x1.b14602d3e34fap-23);
    q = mad(t, q, 0x1.75ac6c6f5e592p-22);
    q = mad(t, q, -0x1.b992900fd24a7p-22);
    q = mad(t, q, 0x1.0305417b05fc7p-18);
    q = mad(t, q, -0x1.9bf6bc1a6acc7p-16);
    q = mad(t, q, 0x1.3499c1b26ab0cp-13);
    q = mad(t, q, -0x1.ca173121f421ap-11);
    q = mad(t, q, 0x1.56780667436d7p-8);
    q = mad(t, q, 0x1.eefa41dba42d5p-1);
    q = mad(t, q, 0x1.d107c69311917p2);
    q = mad(t, q, 0x1.c3991652acfafp3);
    double sum;
    double r = reduce_exp_f64(-q, &sum);
    double large = 1.0 - scale_normal_f64(fast_exp_of_remainder_f64(r), sum);
    return copysign(a >= 1.0 && !isnan(x) ? large : small, x);
}
