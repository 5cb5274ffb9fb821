//! options: -cl-std=CL2.0
//! refused: no matching function for call to 'read_pipe'
kernel void refused(read_only pipe int p)
{
    float packet;
    read_pipe(p, &packet);
}
