// A picture that moves, and a spot that follows the mouse.
kernel void plasma(write_only image2d_t picture, float time, int4 mouse)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 place = convert_float2(at) / (float)get_image_height(picture);
    float wave = native_sin(10.0f * place.x + time)
               + native_sin(8.0f * place.y - 1.3f * time)
               + native_sin(20.0f * length(place - 0.5f) - 2.0f * time);

    float4 colour = (float4)(0.5f + 0.5f * native_sin(3.0f * wave),
                             0.5f + 0.5f * native_cos(3.0f * wave),
                             0.5f + 0.3f * wave, 1.0f);
    // The spot is red while the left button is pressed.
    if (length(convert_float2(at - mouse.xy)) < 12.0f)
        colour.yz = mouse.z & 1 ? 0.0f : 1.0f, colour.x = 1.0f;
    write_imagef(picture, at, colour);
}
