// Forward jumps out of nested statements, over declarations, and into the middle of a block.
//! buffer out: int 8
//! launch: run(out) global 8
//! expect out: 1 102 203 1004 1005 2006 7 8

kernel void run(global int *out) {
  int i = get_global_id(0);
  int result = i + 1;
  if (i == 0)
    goto done;
  for (int k = 0; k < 4; ++k) {
    while (1) {
      if (k == i)
        goto found;
      if (i > 2)
        goto large;
      break;
    }
    result += 100;
    continue;
  found:
    goto done;
  }
large:
  if (i == 6 || i == 7)
    goto done;
  {
    int extra = 1000;
    if (i == 5)
      goto inside;
    result += extra;
    goto done;
  inside:
    extra = 2000;
    result += extra;
  }
done:
  out[i] = result;
}
