// Exact results of atan2pi (OpenCL C §7.5.1), even for points that are nearly on the axis.
//! options: -cl-std=CL3.0
//! needs: cl_khr_fp64
//! buffer y: double = 1 -1 1 -1 3 -1e300 5e100 inf
//! buffer x: double = 0 0 -0 -0 -0 -0 -1 -7
//! buffer half_turns: double 8
//! launch: angles(y, x, half_turns) global 8
//! expect half_turns: 0.5 -0.5 0.5 -0.5 0.5 -0.5 0.5 0.5

kernel void angles(global double *y, global double *x, global double *half_turns)
{
    int i = get_global_id(0);
    half_turns[i] = atan2pi(y[i], x[i]);
}
