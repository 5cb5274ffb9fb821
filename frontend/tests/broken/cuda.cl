//# a CUDA source
#include <cuda_runtime.h>

__global__ void saxpy(float a, const float *x, float *y, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tile[threadIdx.x] = x[i];
        __syncthreads();
        y[i] = a * tile[threadIdx.x] + y[i];
    }
}

__device__ float4 helper(float x) {
    return make_float4(x, x, x, fmaxf(x, 0.0f));
}
