// Pipes are refused where they are used, not where their header is included.
//! options: -cl-std=c++
//! refused: cl::pipe is not supported
#include <opencl_pipe>
kernel void run(cl::pipe<int> p) {}
