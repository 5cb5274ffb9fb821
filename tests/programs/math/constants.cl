// The constants of OpenCL C §6.15.2: the bits of each are those of the nearest float (from their decimal
// expansions).
//! buffer out: uint 24
//! launch: run(out) global 1
//! expect out: 0x402df854 0x3fb8aa3b 0x3ede5bd9 0x3f317218 0x40135d8e 0x40490fdb 0x3fc90fdb 0x3f490fdb
//! expect out: 0x3ea2f983 0x3f22f983 0x3f906ebb 0x3fb504f3 0x3f3504f3
//! expect out: 0x7f7fffff 0x7f800000 0x7f800000 1 0x7f7fffff 0x00800000 0x34000000 6 24 0x80000000 0

kernel void run(global uint *out) {
  const float values[13] = {M_E_F,    M_LOG2E_F, M_LOG10E_F, M_LN2_F,      M_LN10_F,  M_PI_F,     M_PI_2_F,
                            M_PI_4_F, M_1_PI_F,  M_2_PI_F,   M_2_SQRTPI_F, M_SQRT2_F, M_SQRT1_2_F};
  for (int i = 0; i < 13; ++i)
    out[i] = as_uint(values[i]);
  out[13] = as_uint(MAXFLOAT);
  out[14] = as_uint(HUGE_VALF);
  out[15] = as_uint(INFINITY);
  out[16] = isnan(NAN);
  out[17] = as_uint(FLT_MAX);
  out[18] = as_uint(FLT_MIN);
  out[19] = as_uint(FLT_EPSILON);
#if FLT_DIG == 6 && FLT_MAX_10_EXP == 38 && FLT_MAX_EXP == 128 && FLT_MIN_10_EXP == -37 && FLT_MIN_EXP == -125 && FLT_RADIX == 2
  out[20] = FLT_DIG;
#endif
  out[21] = FLT_MANT_DIG;
  out[22] = ilogb(0.0f) == FP_ILOGB0 && ilogb(NAN) == FP_ILOGBNAN ? (uint)FP_ILOGB0 : 1;
#if defined(FP_FAST_FMAF) || defined(FP_FAST_FMA)
  // `fma` is emulated, so it must not be reported as fast.
  out[23] = 1;
#else
  out[23] = 0;
#endif
}
