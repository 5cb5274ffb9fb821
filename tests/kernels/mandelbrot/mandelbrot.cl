// Renders a part of the Mandelbrot set: `centre` is the middle of the picture, `pixel` the side of a pixel.
// Multiplications and additions must not be fused, so that every implementation draws exactly the same
// picture.
#pragma OPENCL FP_CONTRACT OFF

__constant uchar4 palette[8] = {
    (uchar4)(9, 12, 48, 255),     (uchar4)(22, 52, 120, 255),  (uchar4)(60, 130, 190, 255), (uchar4)(190, 226, 235, 255),
    (uchar4)(250, 238, 190, 255), (uchar4)(244, 170, 50, 255), (uchar4)(160, 66, 26, 255),  (uchar4)(58, 16, 40, 255),
};

// The colour of a point that escapes after `steps` steps: eight shades between two entries of the palette.
static uchar4 colour_of(const uint steps)
{
    const uint shade = steps & 7u;
    const uint4 from = convert_uint4(palette[(steps >> 3) & 7u]);
    const uint4 to = convert_uint4(palette[((steps >> 3) + 1u) & 7u]);
    return convert_uchar4((from * (8u - shade) + to * shade) >> 3);
}

__kernel void mandelbrot(__global uchar4 *restrict picture, const uint width, const uint height, const float2 centre,
                         const float pixel, const uint limit)
{
    const uint column = get_global_id(0);
    const uint row = get_global_id(1);
    if (column >= width || row >= height)
        return;

    const float cx = centre.x + ((float)column - 0.5f * (float)width) * pixel;
    const float cy = centre.y + (0.5f * (float)height - (float)row) * pixel;
    float x = 0.0f;
    float y = 0.0f;
    float xx = 0.0f;
    float yy = 0.0f;
    uint steps = 0;
    while (xx + yy <= 16.0f && steps < limit) {
        y = 2.0f * x * y + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
        ++steps;
    }
    picture[(size_t)row * width + column] = steps == limit ? (uchar4)(0, 0, 0, 255) : colour_of(steps);
}
