// Prices of European call and put options by the formula of Black and Scholes.

#define SQRT_HALF 0.70710678118654752440f

// The cumulative distribution function of the standard normal distribution.
static float normal_distribution(const float x)
{
    return 0.5f + 0.5f * erf(x * SQRT_HALF);
}

__kernel void black_scholes(__global const float *restrict spots, __global const float *restrict strikes,
                            __global const float *restrict years, __global float *restrict calls,
                            __global float *restrict puts, const float rate, const float volatility)
{
    const size_t i = get_global_id(0);
    const float spot = spots[i];
    const float strike = strikes[i];
    const float time = years[i];

    const float deviation = volatility * sqrt(time);
    const float d1 = (log(spot / strike) + (rate + 0.5f * volatility * volatility) * time) / deviation;
    const float d2 = d1 - deviation;
    const float discounted = strike * exp(-rate * time);
    const float call = spot * normal_distribution(d1) - discounted * normal_distribution(d2);

    calls[i] = call;
    puts[i] = call + discounted - spot;
}
