//# a ported CUDA kernel that still uses CUDA's names
kernel void saxpy(float a, global const float *x, global float *y, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tile[threadIdx.x] = x[i];
        __syncthreads();
        y[i] = a * __ldg(&x[i]) + tile[threadIdx.x];
        atomicAdd(&y[0], 1.0f);
    }
}
