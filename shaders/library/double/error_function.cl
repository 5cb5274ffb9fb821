// The error function and its complement in double precision.

double __clvk_erfc_f64(double x)
{
    // (1 + 2 a) e^(a^2) erfc(a) is a polynomial in (a - 4) / (a + 4) for all a (Shepherd and Laframboise, 1981).
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
    // e^-(a^2) with the rounding of the square put back.
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
    double z = fmin(a * a, 1.0);
    double p = mad(z, 2.8054220986137053e-13, -6.195864282997604e-12);
    p = mad(z, p, 9.323460781924857e-11);
    p = mad(z, p, -1.227768795002617e-09);
    p = mad(z, p, 1.4806021764755666e-08);
    p = mad(z, p, -1.636576822227565e-07);
    p = mad(z, p, 1.6462110758341477e-06);
    p = mad(z, p, -1.492565023604373e-05);
    p = mad(z, p, 0.00012055332978854427);
    p = mad(z, p, -0.000854832702340254);
    p = mad(z, p, 0.005223977625441668);
    p = mad(z, p, -0.026866170645131218);
    p = mad(z, p, 0.11283791670955126);
    p = mad(z, p, -0.37612638903183754);
    p = mad(z, p, 1.1283791670955126);
    double result = copysign(a < 1.0 ? a * p : 1.0 - __clvk_erfc_f64(a), x);
    return isnan(x) ? x : result;
}
