// Speckle-reducing anisotropic diffusion: smooths an ultrasound image where it only has speckle, and keeps
// its edges. Each iteration takes the mean and the variance of the whole image, which tell how much speckle
// there is, makes a coefficient of diffusion for each pixel, and lets the pixels flow. Pixels outside of the
// image are those of its edge.

#define GROUP 256

// Sums two values over the work-group; the result is valid in the first work-item.
static float2 sum_of_group(__local float2 *sums, const float2 own)
{
    const uint lid = get_local_id(0);
    sums[lid] = own;
    for (uint distance = GROUP / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < distance)
            sums[lid] += sums[lid + distance];
    }
    return sums[lid];
}

// The sum of the pixels and of their squares, for each work-group.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void srad_sums(__global const float *restrict image, const uint count, __global float2 *restrict partial)
{
    __local float2 sums[GROUP];
    float2 own = (float2)(0.0f);
    for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
        const float value = image[i];
        own += (float2)(value, value * value);
    }
    own = sum_of_group(sums, own);
    if (get_local_id(0) == 0)
        partial[get_group_id(0)] = own;
}

// The squared coefficient of variation of the speckle, by one work-group.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void srad_speckle(__global const float2 *restrict partial, const uint groups, const uint count,
                  __global float *restrict speckle)
{
    __local float2 sums[GROUP];
    float2 own = (float2)(0.0f);
    for (uint i = get_local_id(0); i < groups; i += GROUP)
        own += partial[i];
    own = sum_of_group(sums, own);
    if (get_local_id(0) == 0) {
        const float2 mean = own / (float)count;
        *speckle = (mean.y - mean.x * mean.x) / (mean.x * mean.x);
    }
}

// The coefficient of diffusion of each pixel, between 0 at edges and 1.
__kernel void srad_coefficients(__global const float *restrict image, __global const float *restrict speckle,
                                __global float *restrict coefficients, const int width, const int height)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= width || y >= height)
        return;

    const int i = y * width + x;
    const float here = image[i];
    const float north = image[y > 0 ? i - width : i] - here;
    const float south = image[y < height - 1 ? i + width : i] - here;
    const float west = image[x > 0 ? i - 1 : i] - here;
    const float east = image[x < width - 1 ? i + 1 : i] - here;

    const float inverse = 1.0f / here;
    const float squared_gradient =
        (north * north + south * south + west * west + east * east) * inverse * inverse;
    const float laplacian = (north + south + west + east) * inverse;
    const float spread = 1.0f + 0.25f * laplacian;
    const float variation = (0.5f * squared_gradient - 0.0625f * laplacian * laplacian) / (spread * spread);
    const float expected = *speckle;
    const float excess = (variation - expected) / (expected * (1.0f + expected));
    coefficients[i] = clamp(1.0f / (1.0f + excess), 0.0f, 1.0f);
}

// One step of the flow between neighbours.
__kernel void srad_flow(__global const float *restrict image, __global const float *restrict coefficients,
                        __global float *restrict out, const int width, const int height, const float rate)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= width || y >= height)
        return;

    const int i = y * width + x;
    const int south = y < height - 1 ? i + width : i;
    const int east = x < width - 1 ? i + 1 : i;
    const float here = image[i];
    const float own = coefficients[i];
    const float divergence = own * (image[y > 0 ? i - width : i] - here)
        + coefficients[south] * (image[south] - here)
        + own * (image[x > 0 ? i - 1 : i] - here)
        + coefficients[east] * (image[east] - here);
    out[i] = here + 0.25f * rate * divergence;
}
