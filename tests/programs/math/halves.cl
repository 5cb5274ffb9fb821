// Arithmetic on halves, where each result is rounded to half precision: sums, products, quotients, roots,
// comparisons, classes, conversions, reinterpretations, and a table with an infinity.
//! needs: cl_khr_fp16
//! buffer in: ushort = 15360 31743 11878 49408 31744 32256 1 32768
//! buffer index: uint = 2 0 1 3
//! buffer out: ushort 24
//! buffer more: int 13
//! launch: run(in, index, out, more) global 1
//! expect out: 16384 31744 15564 49152 13653 31744 13653 11878 11878 15360 2 16180 16640
//! expect out: 15784 31744 11878 15360 25600 58368 31744 16384 15563 49408 31743
//! expect more: 1 0 1 1 0 1 0 -2 65504 0 1 778469376 1

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// One, two, an infinity, and minus a half.
constant half table[4] = {1.0h, 2.0h, INFINITY, -0.5h};

kernel void run(global const half *in, global const uint *index, global ushort *out, global int *more) {
  half one = in[0], largest = in[1], tenth = in[2], negative = in[3];
  half infinite = in[4], nan = in[5], least = in[6], zero = in[7];
  half results[24];
  results[0] = one + one;
  results[1] = largest + largest;
  results[2] = (one + tenth) + tenth;
  results[3] = negative + (one - tenth * 5);
  results[4] = one / (one + one + one);
  results[5] = one / (zero * zero);
  results[6] = tenth * (one / tenth) / 3.0h;
  results[7] = fmin(tenth, nan);
  results[8] = fmax(negative, fmin(tenth, infinite));
  results[9] = copysign(one, least);
  results[10] = least + least;
  results[11] = fma(one, one, tenth * 9.0h) - tenth;
  results[12] = fabs(negative);
  results[13] = sqrt(one + one);
  results[14] = table[index[0]];
  results[15] = as_half(as_ushort(tenth));
  results[16] = convert_half(1);
  results[17] = convert_half(1024u);
  results[18] = convert_half(-1024);
  results[19] = convert_half(1000000);
  results[20] = table[index[1]] + table[index[1]];
  results[21] = (one + tenth) + (tenth - 0x1p-10h);
  results[22] = negative;
  results[23] = largest;
  for (int i = 0; i < 24; ++i)
    out[i] = as_ushort(results[i]);
  more[0] = isnan(nan);
  more[1] = isnan(infinite);
  more[2] = isinf(infinite);
  more[3] = signbit(negative) != 0;
  more[4] = one < tenth;
  more[5] = one != nan;
  more[6] = one == nan;
  more[7] = convert_int(negative);
  more[8] = convert_int(largest);
  more[9] = tenth > infinite;
  more[10] = isless(tenth, one);
  half2 pair = (half2)(zero, tenth);
  more[11] = as_int(pair) & 0x7fffffff;
  more[12] = as_half2(as_int(pair)).y == tenth;
}
