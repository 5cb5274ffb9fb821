// One Jacobi iteration for the Poisson equation on a grid: every inner point becomes the mean of its four
// neighbours minus its source term. Points on the border keep their value.

__kernel void jacobi(__global const float *restrict in, __global const float *restrict source,
                     __global float *restrict out, const int width, const int height)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= width || y >= height)
        return;

    const size_t i = (size_t)y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        out[i] = in[i];
        return;
    }
    out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - source[i]);
}
