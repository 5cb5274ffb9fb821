//! options: -cl-std=CL3.0
//! needs: __opencl_c_pipes
//! buffer pipe: uint = 8 16 0 0 28*0 32*0
//! buffer out: float 32
//! launch: produce(pipe) global 8
//! launch: consume(pipe, out) global 1
//! expect out: 0..32
// Pipes are passed to functions, and packets go to and from any memory.
void put(write_only pipe float4 p, const float4 *packet)
{
    write_pipe(p, packet);
}
kernel void produce(write_only pipe float4 p)
{
    float first = 4 * get_global_id(0);
    float4 packet = first + (float4)(0, 1, 2, 3);
    put(p, &packet);
}
bool take(read_only pipe float4 p, local float4 *into)
{
    return read_pipe(p, into) == 0;
}
kernel void consume(read_only pipe float4 p, global float *out)
{
    local float4 packet;
    while (take(p, &packet))
        vstore4(packet, 0, out + (int)packet.x);
}
