//# scalars
kernel void k(global int *p) { int a = 1, b = {2}, c = {3,}; float d = 1; bool e = {1}; p[0] = a + b + c + d + e; }
//# arrays
kernel void k(global int *p) { int a[3] = {1, 2, 3}, b[3] = {1}, c[3] = {0}, d[] = {1, 2,}; p[0] = a[0] + b[2] + c[1] + d[1]; }
//# nested_arrays
kernel void k(global int *p) { int a[2][3] = {{1, 2, 3}, {4, 5, 6}}, b[2][3] = {1, 2, 3, 4}, c[2][2] = {{1}, 2}; p[0] = a[1][2] + b[1][0] + c[1][0]; }
//# structures
struct S { int a; float b; int c[2]; struct { int d, e; } f; };
kernel void k(global int *p) { struct S s = {1, 2, {3, 4}, {5, 6}}, t = {1, 2, 3, 4, 5, 6}, u = {1}, v = {0}, w = s; p[0] = s.a + t.f.e + u.c[1] + v.a + w.f.d; }
//# designators
struct S { int a; float b; int c[3]; struct { int d, e; } f; };
kernel void k(global int *p) { struct S s = {.b = 2, .a = 1, .c[1] = 3, .f.e = 4, .f = {.d = 5}}; int a[5] = {[2] = 1, 2, [0] = 3}; p[0] = s.c[1] + a[3]; }
//# designators_go_on
struct S { int a, b, c, d; };
kernel void k(global int *p) { struct S s = {.b = 1, 2, 3}, t[2] = {[1] = {.c = 1}, [0].d = 2}; int m[2][3] = {[1] = {1, 2}, [0][1] = 3, 4}; p[0] = s.d + t[0].d + m[0][2]; }
//# unions
union U { int a; float b; char c[4]; };
kernel void k(global int *p) { union U u = {1}, v = {.b = 2.0f}, w = {.c = {1, 2}}; p[0] = u.a + v.a + w.c[1]; }
//# vectors_in_aggregates
struct S { float4 v; int2 w[2]; };
kernel void k(global float *p) { struct S s = {(float4)(1, 2, 3, 4), {(int2)(1, 2), (int2)(3)}}, t = {{1, 2, 3, 4}, {{1, 2}, {3, 4}}}, u = {.w[1] = (int2)(7)}; p[0] = s.v.x + t.w[1].y + u.w[1].x; }
//# structures_in_structures
struct A { int x, y; }; struct B { struct A a, b[2]; };
kernel void k(global int *p) { struct A a = {1, 2}; struct B b = {a, {a, {3, 4}}}, c = {{1, 2}, a}, d = {.b = {[1] = a}}; p[0] = b.b[0].x + c.b[0].y + d.b[1].x; }
//# excess_braces_and_commas
kernel void k(global int *p) { int a[2] = {{1}, {2},}; struct { int x; } s = {{3}}; p[0] = a[1] + s.x; }
//# excess_elements_warn
kernel void k(global int *p) { int a[2] = {1, 2, 3}; p[0] = a[1]; }
//# strings
kernel void k(global int *p) { char a[] = "hello", b[10] = "hi", c[2][4] = {"abc", "def"}, d[3] = "abc"; struct { char s[4]; int x; } e = {"abc", 1}; p[0] = a[4] + b[9] + c[1][2] + d[2] + e.s[1]; }
//# at_file_scope
struct S { int a; float b[2]; char c; }; union U { int a; float b; };
constant struct S s = {1, {2, 3}, 'c'}; constant struct S t[2] = {{1}, {.c = 5}}; constant union U u = {.b = 1.0f}; constant int a[2][2] = {{1, 2}, {3, 4}};
constant float f = 1.0f / 3 * 2, g = -0.5f, h = (float)(1 << 3); constant uint m = ~0u, n = -1, o = 1 ? 2 : 3; constant bool b = 5;
kernel void k(global float *p) { p[0] = s.b[1] + t[1].c + u.a + a[1][0] + f + g + h + m + n + o + b; }
//# addresses_at_file_scope
constant int a[4] = {1, 2, 3, 4}; constant struct { int x, y; } s = {1, 2};
constant int *constant p1 = a + 1, *constant p2 = &a[3], *constant p3 = &s.y; constant int *constant p4[] = {a, &a[1], 0}; constant char *constant text = "text"; constant char *constant texts[] = {"a", "bc"};
kernel void k(global int *p) { p[0] = *p1 + *p2 + *p3 + *p4[1] + text[1] + texts[1][0]; }
//# with_side_effects
kernel void k(global int *p) { int i = 0; int a[3] = {i++, i++, i}; struct { int x, y; } s = {p[0], p[1] + i}; p[0] = a[1] + s.y; }
//# copies
struct S { int a[4]; };
kernel void k(global struct S *p, constant struct S *c, local struct S *l) { struct S a = p[0], b = *c, d = l[1]; p[1] = a; p[2] = b; p[3] = d; }
//# empty_braces
struct S { int a; float b[2]; };
kernel void k(global int *p) { struct S s = {}; int a[3] = {}; p[0] = s.a + a[2]; }
