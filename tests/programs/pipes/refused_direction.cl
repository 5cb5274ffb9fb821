//! options: -cl-std=CL2.0
//! refused: no matching function for call to 'write_pipe'
kernel void refused(read_only pipe int p)
{
    int packet = 1;
    write_pipe(p, &packet);
}
