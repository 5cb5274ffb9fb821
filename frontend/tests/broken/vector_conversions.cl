//# conversions between vectors
kernel void f(global float4 *p, global uchar4 *bytes, int4 v, float2 h) {
    p[0] = bytes[0];
    p[1] = (float4)v;
    p[2] = v * 0.5f;
    p[3] = p[0] + h;
    bytes[0] = p[0] * 255.0f;
    int4 mask = p[0] > 0.5f;
    if (mask) p[0] = 0.0f;
}
