// Lanes of vectors that were extended to 64 bits, compared with constants.
//! quirk: compared-lanes
//! buffer in: int = 5 -70000 252 300
//! buffer out: uint 8
//! launch: run(in, out) global 1
//! expect out: 1 1 0 1 0 1 1 0

kernel void run(global const int4 *in, global uint *out) {
  long4 wide = convert_long4(in[0]);
  out[0] = wide.x < 100;
  out[1] = wide.y < -69999;
  out[2] = wide.z <= 251;
  out[3] = wide.w >= 300;
  out[4] = wide.x > 5;
  out[5] = wide.y > -70001;
  ulong4 positive = convert_ulong4(as_uint4(in[0]));
  out[6] = positive.y > 0x80000000u;
  out[7] = positive.z < 252u;
}
