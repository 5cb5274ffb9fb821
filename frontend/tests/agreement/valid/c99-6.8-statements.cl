//# selections
kernel void k(global int *p, int n) { if (n) p[0] = 1; if (n > 1) p[0] = 2; else p[1] = 3; if (n) { if (n > 2) p[2] = 1; else p[2] = 2; } else if (n < -1) p[3] = 1; else ; }
//# switches
kernel void k(global int *p, int n) { switch (n) { case 1: p[0] = 1; break; case 2: case 3: p[0] = 2; case 4: p[1] = 3; break; default: p[2] = 4; case -1: p[3] = 5; } switch (n) ; switch (n) {} switch (n) default: p[4] = 1; switch (n) case 3: p[5] = 1; }
//# switches_on_every_integer
kernel void k(global int *p, char a, ushort b, long c, ulong d) { switch (a) { case 'a': p[0] = 1; break; case -3: p[0] = 2; } switch (b) { case 65535: p[1] = 1; } switch (c) { case 0x100000000: p[2] = 1; break; case -1: p[2] = 2; } switch (d) { case 18446744073709551615ul: p[3] = 1; } bool e = a; switch (e) { case 0: p[4] = 1; break; case 1: p[4] = 2; } }
//# case_constants
enum { A = 1, B };
kernel void k(global int *p) { switch (p[0]) { case A: p[1] = 1; break; case B + 1: p[1] = 2; break; case sizeof(int) * 4: p[1] = 3; break; case 'x': case (int)2.5f + 100: p[1] = 4; } }
//# case_ranges
kernel void k(global int *p) { switch (p[0]) { case 1 ... 5: p[1] = 1; break; case 'a' ... 'z': p[1] = 2; } }
//# default_in_the_middle
kernel void k(global int *p) { switch (p[0]) { case 1: p[1] = 1; default: p[1] += 2; case 2: p[1] += 3; } }
//# declarations_in_switches
kernel void k(global int *p) { switch (p[0]) { case 1: { int a = 1; p[1] = a; break; } case 2: ; int b = 2; p[1] = b; break; default: break; } }
//# switches_in_loops
kernel void k(global int *p) { for (int i = 0; i < 9; i++) { switch (i) { case 1: continue; case 2: break; case 7: return; default: p[i] = i; } if (p[i] > 100) break; } }
//# loops
kernel void k(global int *p, int n) { for (int i = 0; i < n; i++) p[i] = i; int j = 0; for (; j < n;) j++; for (;;) { if (j-- < 0) break; } while (j < n) j += 2; do j--; while (j > 0); do { j++; if (j == 3) continue; } while (j < 5); }
//# loops_without_bodies
kernel void k(global int *p, int n) { for (int i = 0; i < n; p[i] = i, i++) ; while (n-- > 3) ; do ; while (n++ < 2); }
//# loops_with_several_variables
kernel void k(global int *p, int n) { for (int i = 0, *q = 0, j = n; i < j; ++i, --j) p[i] = j; for (uchar c = 1; c; c <<= 1) p[c] = c; }
//# conditions_of_every_type
kernel void k(global int *p, float f, ulong u, char c) { if (f) p[0] = 1; while (u) u >>= 1; do c--; while (c); for (float x = 1; x; x -= 1) p[1]++; if (p) p[2] = 1; if (!p || f && u) p[3] = 1; }
//# nested_breaks
kernel void k(global int *p, int n) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { if (p[j] == i) break; while (1) { if (p[i]++) break; else continue; } } }
//# early_returns
int f(int x) { if (x > 3) return 1; else if (x < 0) { return 2; } for (int i = 0; i < x; i++) if (i == 2) return i; return 3; }
kernel void k(global int *p) { if (get_global_id(0) > 10) return; p[0] = f(p[1]); }
//# code_after_return
int f(int x) { return x; x = 2; return x; }
kernel void k(global int *p) { p[0] = f(1); return; p[1] = 2; }
//# functions_that_end_without_return
int f(int x) { if (x) return 1; }
kernel void k(global int *p) { p[0] = f(1); }
//# goto_forwards_and_backwards
kernel void k(global int *p) { int i = 0; again: p[i] = i; if (++i < 4) goto again; if (p[0]) goto end; p[5] = 1; end: ; }
//# goto_out_of_loops
kernel void k(global int *p) { for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) if (p[i + j] == 7) goto found; p[0] = 0; return; found: p[0] = 1; }
//# duffs_device
kernel void k(global int *p, int n) { int i = (n + 3) / 4; switch (n % 4) { case 0: do { *p++ = 1; case 3: *p++ = 2; case 2: *p++ = 3; case 1: *p++ = 4; } while (--i > 0); } }
//# labels_without_goto
kernel void k(global int *p) { unused: p[0] = 1; T: other: p[1] = 2; }
//# blocks_and_scopes
kernel void k(global int *p) { int a = 1; { int a = 2; { int a = 3; p[0] = a; } p[1] = a; } p[2] = a; {} {;} }
//# expression_statements
kernel void k(global int *p) { p[0]; 1; p[0] + 1; (void)p[0]; p[0] == 1; ; }
