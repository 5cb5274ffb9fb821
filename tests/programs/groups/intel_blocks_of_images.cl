//! refused: blocks of images are not supported
// cl_intel_subgroups has blocks of images, too, which are refused by name.
kernel void image(read_only image2d_t from, global uint *to)
{
    *to = intel_sub_group_block_read(from, (int2)(0, 0));
}
