// Work-items leave loops one after the other, with values that they computed from memory in the loop; also
// two loops at once.
//! quirk: loop-results
//! buffer data: uint = 2 2 3415330359 3 1 0 1 2 1 1635342798 437976711 0 1 2 3 0
//! buffer out: uint 16
//! buffer places: uint 16
//! launch: run(data, out) global 16 local 16
//! launch: search(data, places) global 16 local 16
//! expect data: 9 9 3415330380 24 21 15 21 9 21 1635342819 437976732 15 21 9 24 15
//! expect out: 872765017 872765017 1163276561 1586176347 0 16778131 0 872765017 0 580822750 2313462321 16778131 0 872765017 1586176347 16778131
//! expect places: 14 14 3415330387 31 28 19 28 14 28 1635342822 437976739 19 28 14 31 19

uint mix_word(uint hash, uint value) {
  hash = (hash ^ value) * 0x01000193u;
  return hash ^ (hash >> 15);
}

kernel void run(global uint *data, global uint *out) {
  const uint i = get_global_id(0);
  uint hash = 0;
  int rounds = 0;
  do {
    for (int k = 0; k < 3; ++k)
      data[i] ^= 1;
    hash = mix_word(hash, data[i]);
  } while (++rounds < 4 && (data[i] & 0x7fffffff) > 1);
  out[i] = hash;
}

kernel void search(global uint *data, global uint *places) {
  const uint i = get_global_id(0);
  uint last = 0;
  uint found = 0;
  for (uint a = 0; a < 3; ++a) {
    for (uint b = 0; b < 3; ++b) {
      data[i] += 7;
      last = data[i] ^ (a * 16 + b);
      if (data[i] % 3 == 0)
        goto end;
    }
    last += 1000;
  }
  places[i] = last;
  return;
end:
  places[i] = last + 5;
}
