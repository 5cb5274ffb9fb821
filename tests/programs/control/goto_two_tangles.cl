// A tangle with three entries inside a plain loop, and another one after it.
//! buffer out: int 9
//! launch: run(out) global 9
//! expect out: -966517579 1961700764 1233309000 1148039169 -1669862347 1407810861 -1958335230 -1261840102 -229051598

kernel void run(global int *out) {
  uint i = get_global_id(0);
  uint hash = i * 2654435761u;
  int fuel = 60;
  for (int round = 0; round < 3; ++round) {
    switch (hash % 3) {
    case 0: goto a;
    case 1: goto b;
    default: goto c;
    }
  a:
    hash = hash * 31 + 1;
    if (--fuel < 0) break;
    if (hash & 16) goto c;
  b:
    hash = hash * 31 + 2;
    if (--fuel < 0) break;
    if (hash & 64) goto a;
    if (hash & 8) continue;
  c:
    hash = hash * 31 + 3;
    if (--fuel < 0) break;
    if (hash & 32) goto b;
    if (hash & 4) goto a;
  }
  if (hash & 2) goto y;
x:
  hash ^= hash >> 5;
  hash += 7;
  if (--fuel < 0) goto end;
y:
  hash = hash * 5 + 11;
  if (hash & 512) goto x;
  if (--fuel > -30 && (hash & 64)) goto y;
end:
  out[i] = (int)hash;
}
