// Halves that are only in memory, on devices with and without arithmetic on them: scalars, vectors, and every
// rounding. 0.1 lies between 0x2e66 and 0x2e67.
//! buffer in: ushort = 15360 31743 11878 49408
//! buffer out: float 8
//! buffer back: ushort 12
//! launch: run(in, out, back) global 1
//! expect out: 1 65504 0.0999755859375 -2.5 65504 0.0999755859375 -2.5 2
//! expect back: 11878 11878 11879 11878 44646 44646 44646 44647 15360 31743 49408 0

kernel void run(global const ushort *in, global float *out, global ushort *back) {
  const global half *halves = (const global half *)in;
  global half *stored = (global half *)back;
  vstore4(vload_half4(0, halves), 0, out);
  vstore3(vload_half3(0, halves + 1), 0, out + 4);
  out[7] = vload_half(0, halves) + vload_half(0, halves);
  float tenth = out[0] * 0.1f;
  vstore_half(tenth, 0, stored);
  vstore_half_rtz(tenth, 1, stored);
  vstore_half_rtp(tenth, 2, stored);
  vstore_half_rtn(tenth, 3, stored);
  vstore_half_rte(-tenth, 4, stored);
  vstore_half_rtz(-tenth, 5, stored);
  vstore_half_rtp(-tenth, 6, stored);
  vstore_half_rtn(-tenth, 7, stored);
  vstore_half3((float3)(out[0], out[1], out[3]), 0, stored + 8);
  back[11] = 0;
}
