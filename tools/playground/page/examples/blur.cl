// A Gaussian blur in two launches: along rows, then along columns. What the
// first one writes, the second one reads: arguments of the same name are the
// same image.
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE
                        | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

float4 along(read_only image2d_t image, int2 at, int2 way, float width)
{
    float4 sum = 0.0f;
    float total = 0.0f;
    int reach = (int)ceil(2.5f * width);
    for (int step = -reach; step <= reach; ++step) {
        float weight = exp(-0.5f * step * step / (width * width));
        sum += weight * read_imagef(image, edge, at + step * way);
        total += weight;
    }
    return sum / total;
}

kernel void rows(read_only image2d_t photo, write_only image2d_t halfway,
                 float width)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(halfway, at, along(photo, at, (int2)(1, 0), width));
}

kernel void columns(read_only image2d_t halfway,
                    write_only image2d_t blurred, float width)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(blurred, at, along(halfway, at, (int2)(0, 1), width));
}
