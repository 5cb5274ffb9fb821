//# wrong ways to write a vector
kernel void f(global float4 *p, float2 a) {
    float4 v = (float4)(1.0f, 2.0f, 3.0f);
    float4 w = (1.0f, 2.0f, 3.0f, 4.0f);
    p[0] = {1.0f, 2.0f, 3.0f, 4.0f};
    p[1] = float4(1.0f, 2.0f, 3.0f, 4.0f);
    p[2] = (float4)(a, a, 1.0f);
    float4 u = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f};
    p[3] = v + w + u;
}
