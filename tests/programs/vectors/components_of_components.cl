// Components of components, as values and as assignment targets, and components of wide vectors by numbers.
//! buffer out: int 48
//! launch: run(out) global 1
//! expect out: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
//! expect out: 11 18 14 15 13 100 102 101 103 20 21 30 31 7 5 3
//! expect out: 0 3 8 7 4 11 16 15 8 9 10 2 12 9 10 11

kernel void run(global int *out) {
  int16 v = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  vstore16(v, 0, out);
  out[16] = v.hi.lo.odd.s1;
  out[17] = v.s0123.wzyx.xy.y + v.even.s7 + v.s2;
  out[18] = v.even.s7;
  out[19] = v.sFEDC.s0;
  out[20] = v.sabcd.s3;
  int4 w = (int4)(100, 101, 102, 103);
  w.yz = w.zy;
  vstore4(w, 0, out + 21);
  int8 x = 0;
  x.lo.hi = (int2)(20, 21);
  x.hi.odd = (int2)(30, 31);
  out[25] = x.s2;
  out[26] = x.s3;
  out[27] = x.s5;
  out[28] = x.s7;
  int4 y = v.s7531;
  vstore3(y.xyz, 0, out + 29);
  int16 z = 0;
  z.s048c = v.s048c;
  z.s159d = v.s3 + (int4)(0, 8, 0, 9) + (int4)(0, 0, 6, -3);
  z.s26ae = (v.s8a + v.s06).xyxy - (int4)(0, 0, -2, 6);
  z.s37bf = v.s7f2b;
  z.s3 = v.even.odd.lo.y - 7 + v.s8;
  vstore16((int16)(z.s0, z.s1, z.s2, z.s3, z.s4, z.s5, z.s6, z.s7, z.s8, z.s9, z.sa, z.sb, z.sc, z.sd, z.se, z.sf), 0, out + 32);
}
