//# wrong components of vectors
kernel void f(global float4 *p, float2 a, float4 b) {
    p[0].xyz = b;
    p[1].xx = a;
    p[2] = b.xyzq;
    p[3].x = a.z;
    p[4] = b.s0123x;
    p[5].xy = b.xg;
}
