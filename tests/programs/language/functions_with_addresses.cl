// Functions that get, change and return pointers to global and constant memory, some of them null, some in
// structures and arrays, and some to what their caller reads before and after. Where calls are kept, those
// that need no more than addresses stay functions.
//! buffer in: uint = 3 0x12345678 0xdeadbeef 77 5 6 7 8
//! buffer words: uint = 11 22 33 44
//! buffer out: uint 40
//! launch: run(out, in, words) global 4 local 2
//! expect out: 0x8 0x7ab6fbbd 0x26d 0xfd06b149 0xfd06b11f 0x7ab6fbbe 0x275 0x7 0x4675282e 0x1296bbd2
//! expect out: 0x7ab6fbbe 0x7ab6ff6e 0x26f 0xfd06b148 0xfd06b11e 0x4e55e66c 0x7ab6ff73 0x8 0xf0e21570
//! expect out: 0xed828fab 0x8ce7485e 0x7ab6ff6c 0xfd06b7b8 0xfd06b147 0xfd06b119 0xa 0x7ab6ff78 0x4
//! expect out: 0x77bdad68 0x670172cb 0xb 0x7ab6ff72 0xfd06b7b9 0x89edfca0 0xfd06b11c 0x7ab6fbbe
//! expect out: 0x7ab6ff7d 0x3 0x5a 0x7ff568cc

constant uint table[4] = {0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f};

struct cursor {
  global uint *at;
  uint left;
};

void stir(global uint *a, global const uint *b, uint rounds) {
  for (uint i = 0; i < rounds; i++) {
    a[i & 3] += rotate(b[(i + 1) & 7], i % 13 + 1) ^ a[(i + 1) & 3];
    a[0] ^= table[i & 3];
  }
}

global uint *after(global uint *p, uint n) {
  if (n == 0)
    return 0;
  p[0] += n;
  return n & 1 ? p + n : p + 2 * n;
}

constant uint *within(uint at) {
  return table + at;
}

uint weigh(constant uint *words, uint from, uint to) {
  uint sum = 0;
  while (from < to) {
    sum = sum * 31 + words[from & 3];
    from++;
  }
  return sum;
}

void step(global uint **p, uint by) {
  **p ^= by;
  *p += by;
}

void write(struct cursor *c, uint value) {
  if (c->left == 0)
    return;
  *c->at++ = value;
  c->left--;
}

void exchange(global uint *a, global uint *b) {
  uint before = *a;
  *a = *b;
  *b = before;
}

uint both(global const uint *first, global const uint *second, uint which) {
  global const uint *chosen = which & 1 ? first : second;
  return chosen ? chosen[which & 7] : 99;
}

kernel void run(global uint *out, global const uint *in, constant uint *words) {
  uint item = get_global_id(0);
  global uint *own = out + item * 10;
  for (uint k = 0; k < 10; k++)
    own[k] = k + item;
  uint seen = own[1];
  stir(own, in, 5 + item);
  stir(own + 4, in + item * 0, 3);
  seen = seen * 3 + own[1];
  global uint *next = after(own, item);
  uint found = next ? next - own : 1000;
  global uint *p = own + 1;
  step(&p, 3);
  step(&p, 1 + item);
  global uint *several[3] = {own + 8, own, own + 5};
  exchange(several[item % 3], several[(item + 1) % 3]);
  exchange(own + 7, own + 7);
  struct cursor c = {own + 6, item};
  write(&c, seen);
  write(&c, found);
  write(&c, p - own);
  own[9] ^= weigh(words, item, 9) + weigh(table, 0, item + 2) + weigh(within(1), 0, 2);
  own[8] += both(in, 0, item) + both(own, in, item + 1);
}
