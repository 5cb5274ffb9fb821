// Images and samplers in the samples of exported programs.

constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void invert(read_only image2d_t from, sampler_t sampler, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 pixel = max(read_imagef(from, sampler, at), read_imagef(from, nearest, at));
    write_imagef(to, at, 1.0f - pixel);
}

kernel void sizes(read_only image3d_t from, global int *out) {
    size_t i = get_global_id(0);
    if (get_global_id(1) == 0 && get_global_id(2) == 0) {
        out[i] = get_image_width(from) + 2 * get_image_height(from) + 4 * get_image_depth(from) +
                 convert_int_rte(255.0f * read_imagef(from, nearest, (int4)(i, 0, 0, 0)).x);
    }
}
