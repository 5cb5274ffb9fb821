// Transforms points by the square of a matrix and by a quaternion: what linear_algebra.clcpp does with
// classes and expression templates, written by hand.
#pragma OPENCL FP_CONTRACT OFF

static float3 crossed(float3 a, float3 b) {
  return a.yzx * b.zxy - a.zxy * b.yzx;
}

static float summed(float4 a) {
  return a.x + a.y + a.z + a.w;
}

kernel void transform(global const float4 *rows, float4 turn, global const float4 *points, global float4 *moved, uint count) {
  uint i = get_global_id(0);
  if (i >= count)
    return;
  float4 matrix[4], square[4];
  for (int row = 0; row < 4; ++row)
    matrix[row] = rows[row];
  for (int row = 0; row < 4; ++row)
    square[row] = matrix[row].x * matrix[0] + matrix[row].y * matrix[1] + matrix[row].z * matrix[2] + matrix[row].w * matrix[3];
  float4 point = points[i];
  float4 v = (float4)(summed(square[0] * point), summed(square[1] * point), summed(square[2] * point), summed(square[3] * point));
  float3 t = 2.0f * crossed(turn.xyz, v.xyz);
  float3 w = v.xyz + turn.w * t + crossed(turn.xyz, t);
  float4 turned = (float4)(w, v.w);
  float4 sum = turned * 0.5f + v - point;
  moved[i] = (float4)(sum.xyz, summed(turned * v));
}
