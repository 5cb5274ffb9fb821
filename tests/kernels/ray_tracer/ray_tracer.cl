// A picture of spheres above a checkered floor: what ray_tracer.clcpp does with classes and operators,
// written by hand. Only sums and products, so that it is the same everywhere: roots and quotients are found
// by iteration.
#pragma OPENCL FP_CONTRACT OFF
#define BOUNCES 3

static float dot3(float3 a, float3 b) {
  float3 p = a * b;
  return p.x + p.y + p.z;
}

static float inverse_root(float x) {
  float y = as_float(0x5f3759dfu - (as_uint(x) >> 1));
  for (int i = 0; i < 4; ++i)
    y = y * (1.5f - 0.5f * x * y * y);
  return y;
}

static float root(float x) {
  return x * inverse_root(x);
}

static float inverse(float x) {
  float y = inverse_root(x * x);
  return x < 0.0f ? -y : y;
}

static float3 unit(float3 v) {
  return v * inverse_root(dot3(v, v));
}

kernel void trace(global uint *picture, uint width, uint height, global const float4 *spheres, global const float4 *colors, uint count) {
  uint column = get_global_id(0), row = get_global_id(1);
  if (column >= width || row >= height)
    return;
  float scale = inverse((float)height);
  float3 origin = (float3)(0.0f, 1.0f, -4.0f);
  float3 way = unit((float3)(((float)column - 0.5f * (float)width) * scale, (0.5f * (float)height - (float)row) * scale, 1.0f));
  const float3 light = (float3)(0.25f, 0.9375f, -0.25f);
  float3 seen = 0.0f;
  float weight = 1.0f;
  for (int bounce = 0; bounce < BOUNCES; ++bounce) {
    float nearest = 1000.0f;
    float3 normal = 0.0f, color = 0.0f;
    float mirror = 0.0f;
    bool hit = false;
    for (uint i = 0; i < count; ++i) {
      float4 sphere = spheres[i];
      float3 from = origin - sphere.xyz;
      float b = dot3(from, way), c = dot3(from, from) - sphere.w * sphere.w, d = b * b - c;
      if (d > 0.0f) {
        float t = -b - root(d);
        if (t > 0.001f && t < nearest) {
          nearest = t;
          normal = (origin + way * t - sphere.xyz) * inverse(sphere.w);
          color = colors[i].xyz;
          mirror = colors[i].w;
          hit = true;
        }
      }
    }
    if (way.y < 0.0f) {
      float t = -origin.y * inverse(way.y);
      if (t > 0.001f && t < nearest) {
        nearest = t;
        normal = (float3)(0.0f, 1.0f, 0.0f);
        float3 at = origin + way * t;
        bool dark = (((int)floor(at.x) + (int)floor(at.z)) & 1) != 0;
        color = dark ? 0.25f : 0.75f;
        mirror = 0.125f;
        hit = true;
      }
    }
    if (!hit) {
      float up = way.y < 0.0f ? 0.0f : way.y;
      seen = seen + (float3)(0.5f, 0.625f, 0.875f) * (weight * (1.0f - 0.5f * up));
      break;
    }
    float lit = dot3(normal, light);
    lit = 0.125f + (lit < 0.0f ? 0.0f : lit);
    seen = seen + color * (weight * lit * (1.0f - mirror));
    weight = weight * mirror;
    origin = origin + way * nearest;
    way = unit(way - normal * (2.0f * dot3(way, normal)));
  }
  float3 shown = clamp(seen * 255.0f, 0.0f, 255.0f);
  picture[row * width + column] = (uint)shown.x | (uint)shown.y << 8 | (uint)shown.z << 16 | 0xff000000u;
}
