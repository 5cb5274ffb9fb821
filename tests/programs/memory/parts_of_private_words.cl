// Private memory that is nearly always accessed in words or more, and seldom in parts of words; a packed
// structure that is passed after a single byte.
//! buffer out: uint 16
//! launch: run(uchar 200, ushort 0xabcd + uint 0x11223344 0x55667788 + int -7 0 + uint 1 2 3 4 + float 1.5 2.5 3.5 0 + ulong 0x123456789abcdef0 + uint 0x87654321, out) global 16 local 4
//! expect out: 2380110384 2285920228 4144929505 3944342561 1423778549 2685815235 2890162697 2775026842 101904455 3367235653 1974325469 1814029519 2731051023 3232288747 2312903773 4282053052

typedef struct {
  uint a[2];
  int b;
  uint4 v;
  float3 f;
} inner;

typedef struct __attribute__((packed)) {
  ushort small;
  inner inner;
  ulong wide;
  uint last;
} packed;

uint mixed(uint hash, uint value) {
  hash = (hash ^ value) * 0x01000193u;
  return hash ^ (hash >> 15);
}

kernel void run(uchar first, packed by_value, global uint *out) {
  const uint i = get_global_id(0);
  // The argument after the single byte, with an element chosen at run time.
  uint hash = mixed(by_value.inner.a[(i + by_value.last) & 1], by_value.small);
  packed copies[2];
  copies[0] = copies[1] = by_value;
  copies[i & 1].inner.v.y += first;
  copies[(i >> 1) & 1].inner.v.z ^= copies[i & 1].last;
  copies[(i >> 2) & 1].wide += 0x100000000UL * i;
  copies[1] = copies[i & 1];
  hash = mixed(mixed(hash, copies[1].inner.v.y), copies[0].inner.v.z);
  hash = mixed(mixed(hash, (uint)(copies[1].wide >> 32)), copies[i & 1].small);
  // Long vectors; hardly any of their bytes are read singly.
  union {
    ulong16 v[2];
    uint w[64];
    uchar b[256];
    ushort h[128];
  } mixture;
  mixture.v[0] = (ulong16)(0x0102030405060708UL) * (ulong)(i + 1);
  mixture.v[1] = mixture.v[0] << 3;
  mixture.v[i & 1] += 7;
  mixture.b[(i * 37 + 5) & 255] = (uchar)hash;
  mixture.h[(i * 11 + 3) & 127] += 0x8001;
  hash = mixed(hash, mixture.b[(i * 37 + 6) & 255]);
  for (int k = 0; k < 64; ++k)
    hash = mixed(hash, mixture.w[(k * 5) & 63]);
  out[i] = hash;
}
