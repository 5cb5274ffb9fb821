// The larger of two numbers that the driver's optimiser finds to be constant, because the loop ends after one
// iteration: SwiftShader takes the larger of 0 and -32768 to be -32768.
//! buffer data: uint = 70000 1 0 9
//! buffer count: int = 0
//! buffer out: uint 4
//! launch: run(data, count, out, uint 7) global 4
//! expect out: 3 0 6 6
//! expect count: 0

kernel void run(global const uint *data, global int *count, global uint *out, uint limit) {
  const uint i = get_global_id(0);
  uint hash = i;
  for (int k = 0; k < 6 && limit >= 1; ++k)
    atomic_xor(count, 1);
  int round = 0;
  do {
    uint value = data[i + round];
    for (int k = 0; k < 1; ++k)
      hash = (hash ^ (convert_ushort_sat(value) && convert_float(convert_short_sat(round) & (short)255) <= 1.0f)) * 3;
  } while (++round < 1 && limit < 50);
  out[i] = hash;
}
