// The constants in double precision.
//! needs: cl_khr_fp64
//! buffer out: ulong 18
//! launch: run(out) global 1
//! expect out: 0x4005bf0a8b145769 0x3ff71547652b82fe 0x3fdbcb7b1526e50e 0x3fe62e42fefa39ef 0x40026bb1bbb55516
//! expect out: 0x400921fb54442d18 0x3ff921fb54442d18 0x3fe921fb54442d18 0x3fd45f306dc9c883 0x3fe45f306dc9c883
//! expect out: 0x3ff20dd750429b6d 0x3ff6a09e667f3bcd 0x3fe6a09e667f3bcd 0x7ff0000000000000
//! expect out: 0x7fefffffffffffff 0x0010000000000000 0x3cb0000000000000 15

kernel void run(global ulong *out) {
  const double values[17] = {M_E,          M_LOG2E, M_LOG10E,  M_LN2,    M_LN10,  M_PI,    M_PI_2,     M_PI_4, M_1_PI, M_2_PI,
                             M_2_SQRTPI, M_SQRT2, M_SQRT1_2, HUGE_VAL, DBL_MAX, DBL_MIN, DBL_EPSILON};
  for (int i = 0; i < 17; ++i)
    out[i] = as_ulong(values[i]);
#if DBL_MANT_DIG == 53 && DBL_MAX_10_EXP == 308 && DBL_MAX_EXP == 1024 && DBL_MIN_10_EXP == -307 && DBL_MIN_EXP == -1021
  out[17] = DBL_DIG;
#endif
}
