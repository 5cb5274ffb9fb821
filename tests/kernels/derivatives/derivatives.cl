// Walks down a valley along its gradient: what derivatives.clcpp does with a type that differentiates by
// itself, with the derivatives written by hand.
#pragma OPENCL FP_CONTRACT OFF

kernel void descend(global const float2 *starts, global float4 *ends, uint count, uint steps, float rate) {
  uint i = get_global_id(0);
  if (i >= count)
    return;
  float x = starts[i].x, y = starts[i].y, value = 0.0f, dx = 0.0f, dy = 0.0f;
  for (uint step = 0; step < steps; ++step) {
    // u = 1 - x, v = y - x * x, the value is u * u + 8 * v * v.
    float u = 1.0f - x, v = y - x * x;
    float v_dx = -(x + x);
    value = u * u + 8.0f * (v * v);
    dx = (-u + -u) + 8.0f * (v_dx * v + v * v_dx);
    dy = 8.0f * (v + v);
    x = x - rate * dx;
    y = y - rate * dy;
  }
  ends[i] = (float4)(x, y, value, dx);
}
