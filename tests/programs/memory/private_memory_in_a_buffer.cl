// Private memory that exceeds the driver's limit is in a buffer: work-items of several groups and dispatches
// have separate parts, and pointers into it may meet others.
//! quirk: large-private-memory
//! buffer out: uint = 0 0
//! launch: run(out) global 4128 local 32
//! expect out: 0 4128

typedef struct {
  uint key;
  uchar bytes[3];
} item;

static uint total(const uint *values, uint first, uint count) {
  uint sum = 0;
  for (uint k = 0; k < count; ++k)
    sum += values[(first + k * 1777) & 16383];
  return sum;
}

kernel void run(global uint *out) {
  uint large[16384];
  item items[700];
  uint small[4];
  uint id = get_global_id(0);
  uint first = (id * 2654435761u) >> 18;
  for (uint k = 0; k < 8; ++k)
    large[(first + k * 1777) & 16383] = id + k;
  for (uint k = 0; k < 700; k += 100) {
    items[(k + id) % 700].key = id ^ k;
    items[(k + id) % 700].bytes[id % 3] = (uchar)k;
  }
  for (uint k = 0; k < 4; ++k)
    small[k] = id * k;
  uint wrong = total(large, first, 8) != id * 8 + 28;
  for (uint k = 0; k < 700; k += 100) {
    item copy = items[(k + id) % 700];
    wrong |= copy.key != (id ^ k) || copy.bytes[id % 3] != (uchar)k;
  }
  // Only the device knows which of the two it is.
  const uint *either = id & 1 ? large : small;
  uint place = id & 1 ? first : id & 3;
  wrong |= either[place] != (id & 1 ? id : id * (id & 3));
  atomic_add(out, wrong);
  atomic_inc(out + 1);
}
