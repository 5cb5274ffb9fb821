// The constants in half precision.
//! needs: cl_khr_fp16
//! buffer out: ushort 18
//! launch: run(out) global 1
//! expect out: 0x4170 0x3dc5 0x36f3 0x398c 0x409b 0x4248 0x3e48 0x3a48 0x3518 0x3918 0x3c83 0x3da8 0x39a8
//! expect out: 0x7bff 0x0400 0x1400 3 11

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void run(global ushort *out) {
  const half values[16] = {M_E_H,    M_LOG2E_H, M_LOG10E_H, M_LN2_H,      M_LN10_H,  M_PI_H,      M_PI_2_H, M_PI_4_H,
                           M_1_PI_H, M_2_PI_H,  M_2_SQRTPI_H, M_SQRT2_H, M_SQRT1_2_H, HALF_MAX, HALF_MIN, HALF_EPSILON};
  for (int i = 0; i < 16; ++i)
    out[i] = as_ushort(values[i]);
#if HALF_MAX_10_EXP == 4 && HALF_MAX_EXP == 16 && HALF_MIN_10_EXP == -4 && HALF_MIN_EXP == -13 && HALF_RADIX == 2
  out[16] = HALF_DIG;
#endif
  out[17] = HALF_MANT_DIG;
}
