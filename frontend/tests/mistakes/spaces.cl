//# global_to_local
kernel void f(global int *g) { local int *l = g; }
//# private_to_global
kernel void f(void) { int x; global int *g = &x; }
//# constant_to_generic options="-cl-std=CL2.0"
kernel void f(constant int *c) { int *p = c; }
//# generic_to_global options="-cl-std=CL2.0"
void g(int *p) { global int *q = p; }
//# cast
kernel void f(global int *g) { local int *l = (local int *)g; }
//# argument
void g(local float *p) { p[0] = 1.0f; }
kernel void f(global float *p) { g(p); }
//# argument_without_space options="-cl-std=CL1.2"
void g(float *p) { p[0] = 1.0f; }
kernel void f(global float *p) { g(p); }
//# result
local int *g(global int *p) { return p; }
//# compared
kernel void f(global int *g, local int *l) { g[0] = g == l; }
//# conditional
kernel void f(int c, global int *g, local int *l) { g[0] = *(c ? g : l); }
//# nested
kernel void f(void) { global int *private *g = 0; local int *private *l = g; }
//# string
void g(global char *p) { global const char *s = "text"; }
//# constant_written
constant int table[2] = { 1, 2 };
kernel void f(void) { table[0] = 3; }
//# constant_without_value
constant int table[2];
//# constant_of_variable
kernel void f(int n) { constant int x = n; }
//# local_initialised
kernel void f(void) { local int x = 1; }
//# local_in_block
kernel void f(int c) { if (c) { local int x; x = 1; } }
//# local_in_function
void g(void) { local int x[4]; x[0] = 1; }
//# local_at_file_level
local int x;
//# two_spaces
kernel void f(void) { private local int x; }
//# parameter
void g(local int x) { }
//# file_level options="-cl-std=CL1.2"
float scale = 1.0f;
//# static options="-cl-std=CL1.2"
void g(void) { static int count = 0; count++; }
//# member
struct s { local int x; };
