// Differences, order, equality, null, void and integers, for pointers to private, local and global memory.
//! buffer g: int = 10 11 12 13 14 15 16 17
//! buffer n: int = 5 2 0
//! buffer out: int 20
//! launch: run(g, n, out) global 1
//! expect out: 3 1 0 1 15 17 3 1 0 25 3 1 0 35 1 1 42 16 4 1
//! expect g: 10 11 12 13 14 15 42 17

kernel void run(global int *g, global const int *n, global int *out) {
  local int l[8];
  int own[8];
  for (int k = 0; k < 8; ++k) {
    l[k] = 20 + k;
    own[k] = 30 + k;
  }
  int high = n[0], low = n[1], zero = n[2];

  global int *gh = g + high, *gl = g + low;
  out[0] = (int)(gh - gl);
  out[1] = gl < gh;
  out[2] = gl >= gh;
  out[3] = gl + 3 == gh;
  void global *anything = gh;
  out[4] = *(global int *)anything;
  ulong address = (ulong)gh + 8;
  out[5] = *(global int *)address;

  local int *lh = l + high, *ll = l + low;
  out[6] = (int)(lh - ll);
  out[7] = lh != ll;
  out[8] = lh == 0;
  local void *local_anything = lh;
  out[9] = *(local int *)local_anything;

  int *ph = own + high, *pl = own + low;
  out[10] = (int)(ph - pl);
  out[11] = ph > pl;
  out[12] = (zero ? ph : 0) == pl;
  out[13] = *(int *)((uintptr_t)pl + (size_t)(high - low) * sizeof(int));

  // A pointer as an integer has the alignment of what it points to.
  out[14] = ((ulong)lh & 3) == 0;
  out[15] = ((ulong)&own[low] & 7) == 0;
  *((global int *)((ulong)g + 24)) = 42;
  out[16] = g[6];
  out[17] = ((global char *)(gl + 3))[4] - 26;
  out[18] = (int)((global char *)(gl + 1) - (global char *)gl);
  out[19] = (global void *)gh != (global void *)gl;
}
