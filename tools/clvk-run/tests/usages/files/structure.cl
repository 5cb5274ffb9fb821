typedef struct { int a; float b; } Pair;
__kernel void pair(Pair p, __global Pair *out) { out[get_global_id(0)] = p; }
