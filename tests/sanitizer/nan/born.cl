//! buffer in: float = 0 1 -1 3e38 2 4 inf nan
//! buffer out: float 8
//! launch: operations(in, out) global 6
//! launch: functions(in, out) global 6
//! launch: vectors(in, out) global 1
//! launch: passed(in, out) global 8
//! launch: fine(in, out) global 6

kernel void operations(global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = 1 / in[i]; //~ nan 1 `1 / in[i]` division by zero, whose quotient is inf
    out[i] = in[0] / in[i]; //~ nan 1 `in[0] / in[i]` division by zero, whose quotient is NaN
    out[i] = in[i] * in[3]; //~ nan 3 `in[i] * in[3]` the result is inf, though the operands are finite
    out[i] = in[3] + in[i]; //~ nan 1 `in[3] + in[i]` the result is inf
    out[i] = -in[3] - in[i]; //~ nan 1 `-in[3] - in[i]` the result is -inf
    out[i] /= in[0]; //~ nan 5 `out[i] /= in[0]` division by zero
}

float root(float x)
{
    return sqrt(x); //~ nan 1 `sqrt(x)` the result is NaN, though the operands are finite
}

kernel void functions(global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = root(in[i]);
    out[i] = log(in[i]); //~ nan 2 `log(in[i])` though the operands are finite
    out[i] = exp(in[i]); //~ nan 1 `exp(in[i])` the result is inf
    out[i] = pow(in[i], 9.0f); //~ nan 1 `pow(in[i], 9.0f)` the result is inf
    out[i] = acos(in[i] * 0.5f); //~ nan 2 `acos(in[i] * 0.5f)` the result is NaN
    out[i] = fma(in[i], 2.0f, in[i]); //~ nan 1 `fma(in[i], 2.0f, in[i])` the result is inf
}

kernel void vectors(global const float *in, global float *out)
{
    float4 a = vload4(0, in);
    vstore4(a / a.x, 0, out); //~ nan 1 `a / a.x` the result has NaNs or infinities where the operands are finite
    vstore4(a * a, 1, out); //~ nan 1 `a * a` the result has NaNs or infinities where the operands are finite
    out[0] = dot(a, a); //~ nan 1 `dot(a, a)` the result is inf
}

kernel void passed(global const float *in, global float *out)
{
    int i = get_global_id(0);
    if (i < 6)
        return;
    out[i] = in[i] + 1 + sqrt(in[i]) / in[0] + INFINITY * 2;
}

kernel void fine(global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = sqrt(fabs(in[i])) + in[i] / 2 + fmax(NAN, in[i]) * 0.5f + (in[i] != 0 ? 1 / in[i] : 0);
    out[i] = isinf(1e30f * i) + sin(in[i]) + nan(3u) + as_float(0x7f800000);
}
