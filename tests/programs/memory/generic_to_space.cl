// to_global, to_local, to_private and get_fence tell at run time what a generic pointer points to.
//! options: -cl-std=CL2.0
//! buffer g: int = 7 8
//! buffer out: int 12
//! launch: run(g, out) global 3
//! expect out: 7 -1 -1 -1 20 -1 -1 -1 30 2 1 0
//! expect g: 7 8

int fence_number(uint flags) {
  return flags == CLK_GLOBAL_MEM_FENCE ? 2 : flags == CLK_LOCAL_MEM_FENCE ? 1 : 0;
}

kernel void run(global int *g, global int *out) {
  local int l[2];
  int own[2] = {30, 31};
  int i = get_local_id(0);
  if (i == 0) {
    l[0] = 20;
    l[1] = 21;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int *p = i == 0 ? (int *)g : i == 1 ? (int *)l : (int *)own;
  global int *as_global = to_global(p);
  local int *as_local = to_local(p);
  private int *as_private = to_private(p);
  out[i] = as_global ? *as_global : -1;
  out[3 + i] = as_local ? *as_local : -1;
  out[6 + i] = as_private ? *as_private : -1;
  out[9 + i] = fence_number(get_fence(p));
}
