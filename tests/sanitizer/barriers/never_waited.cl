//! options: -cl-std=CL3.0
//! buffer data: int 8
//! launch: copies(data) global 8 local 8

// Nothing in the program waits.
kernel void copies(global int *data)
{
    local int part[8];
    async_work_group_copy(part, data, 8, 0); //~ barriers 8 `async_work_group_copy(part, data, 8, 0)` the kernel ends without waiting for this
}
