// A generic pointer that points to global, local or private memory, depending on the work-item.
//! options: -cl-std=CL2.0
//! buffer g: int = 1 2 3 4
//! buffer out: int 8
//! launch: run(g, out) global 4
//! expect out: 10 60 406 406 5000 5001 5002 5003
//! expect g: 1 5000 3 4

int sum(int *p) {
  int result = 0;
  for (int k = 0; k < 4; ++k)
    result += p[k];
  return result;
}

kernel void run(global int *g, global int *out) {
  local int l[4];
  int own[4];
  int i = get_local_id(0);
  l[i] = 10 * i;
  for (int k = 0; k < 4; ++k)
    own[k] = 100 + k;
  barrier(CLK_LOCAL_MEM_FENCE);
  int *p = i == 0 ? (int *)g : i == 1 ? (int *)l : (int *)own;
  out[i] = sum(p);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  p[1] = 5000 + i;
  out[4 + i] = i == 0 ? g[1] : i == 1 ? l[1] : own[1];
}
