//# recursion
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
kernel void f(global int *p) { p[0] = factorial(5); }
//# recursion_mutual
int odd(int n);
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
kernel void f(global int *p) { p[0] = even(5); }
//# function_pointer
kernel void f(void) { int (*g)(int); }
//# function_as_value
int g(int x) { return x; }
kernel void f(global ulong *p) { p[0] = (ulong)g; }
//# variable_length_array
kernel void f(int n) { float a[n]; }
//# flexible_array
struct s { int n; int a[]; };
//# bit_field
struct s { int a : 3; };
//# variadic
int g(int n, ...) { return n; }
//# auto
kernel void f(void) { auto int x = 1; }
//# register
kernel void f(void) { register int x = 1; }
//# thread_local
kernel void f(void) { _Thread_local int x = 1; }
//# long_double
kernel void f(void) { long double x = 1; }
//# complex
kernel void f(void) { float _Complex x; }
//# assembly
kernel void f(void) { asm("nop"); }
//# computed_goto
kernel void f(global int *p) { goto *p; }
//# restrict
kernel void f(int restrict x) { }
//# image_member
struct s { image2d_t i; };
//# sampler_pointer
kernel void f(global sampler_t *s) { }
//# malloc
kernel void f(void) { global int *p = malloc(4); }
//# cplusplus_class
class particle { float mass; };
kernel void f(global int *p) { p[0] = 1; }
//# cplusplus_template
template <typename T> T twice(T x) { return x + x; }
kernel void f(global int *p) { p[0] = 1; }
//# block_assigned options="-cl-std=CL2.0"
kernel void f(void) { void (^b)(void) = ^{ }; b = ^{ }; }
//# block_writes_captured options="-cl-std=CL2.0"
kernel void f(void) { int x = 1; void (^b)(void) = ^{ x = 2; }; }
//# block_as_parameter options="-cl-std=CL2.0"
int g(int (^b)(int), int x) { return b(x); }
//# block_captures_block options="-cl-std=CL2.0"
kernel void f(void) { void (^a)(void) = ^{ }; void (^b)(void) = ^{ a(); }; }
//# block_in_1_2 options="-cl-std=CL1.2"
kernel void f(void) { void (^b)(void) = ^{ }; }
//# block_results_differ options="-cl-std=CL2.0"
kernel void f(global int *p) { float (^b)(void) = ^{ if (p[0]) return 1.0f; return 2; }; }
//# matrix_parameter_of_kernel
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(mat m) { }
//# matrix_in_structure
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
struct s { mat m; };
//# matrix_pointer
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
void f(mat *m) { }
//# matrix_address
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(global int *p) { mat m = coop_mat_init(0); p[0] = &m != 0; }
//# matrix_in_local_memory
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(void) { local mat m; }
//# matrix_at_program_scope
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
mat m;
//# matrix_scope
typedef float __attribute__((coop_mat(0, 16, 16, CLK_COOPERATIVE_MATRIX_A))) mat;
//# matrix_use
typedef float __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, 16, 16, 9))) mat;
//# matrix_rows
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(0, 16, A) mat;
//# matrix_columns
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 1000, A) mat;
//# matrix_element
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef bool M(16, 16, A) mat;
//# matrix_arguments
typedef float __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, 16, 16))) mat;
//# matrix_assigned_to_scalar
kernel void f(global float *p) { p[0] = coop_mat_load(p, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16); }
//# matrix_of_other_elements
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(global int *p) { mat m = coop_mat_load(p, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16); }
//# matrix_layout
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(global float *p, int layout) { mat m = coop_mat_load(p, layout, 16); }
//# matrix_stride
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(global float *p) { mat m = coop_mat_load(p, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16.0f); }
//# matrix_in_private_memory
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(void) { float p[256]; mat m = coop_mat_load(p, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16); }
//# matrix_stored_to_constants
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(global const float *p) { mat m = coop_mat_init(0); coop_mat_store(p, m, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16); }
//# matrix_uses_of_product
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(void) { mat m = coop_mat_init(0); m = coop_mat_mulAdd(m, m, m); }
//# matrix_shapes_of_product
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 8, A) left;
typedef float M(16, 16, B) right;
typedef float M(16, 16, ACCUMULATOR) sum;
kernel void f(void) { left a = coop_mat_init(0); right b = coop_mat_init(0); sum c = coop_mat_init(0); c = coop_mat_mulAdd(a, b, c); }
//# matrix_elements_of_product
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) left;
typedef float M(16, 16, B) right;
typedef int M(16, 16, ACCUMULATOR) sum;
kernel void f(void) { left a = coop_mat_init(0); right b = coop_mat_init(0); sum c = coop_mat_init(0); c = coop_mat_mulAdd(a, b, c); }
//# matrix_saturating
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef char M(16, 16, A) left;
typedef char M(16, 16, B) right;
typedef int M(16, 16, ACCUMULATOR) sum;
kernel void f(void) { left a = coop_mat_init(0); right b = coop_mat_init(0); sum c = coop_mat_init(0); c = coop_mat_mulAdd(a, b, c, 16); }
//# matrix_operator
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) left;
typedef float M(16, 16, B) right;
kernel void f(void) { left a = coop_mat_init(0); right b = coop_mat_init(0); a = a + b; }
//# matrix_bits
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef int M(16, 16, A) mat;
kernel void f(void) { mat a = coop_mat_init(0); a = a & a; }
//# matrix_assigned
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) left;
typedef float M(16, 16, B) right;
kernel void f(void) { left a = coop_mat_init(0); right b = coop_mat_init(0); a = b; }
//# matrix_cast
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 8, A) left;
typedef half M(8, 16, A) other;
kernel void f(void) { left a = coop_mat_init(0); other b = (other)a; }
//# matrix_size
kernel void f(global int *p) { p[0] = sizeof(coop_mat_init(0)); }
//# matrix_sizeof
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(global int *p) { p[0] = sizeof(mat); }
//# matrix_condition
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(global float *p) { mat m = coop_mat_init(0); if (m) p[0] = 0; }
//# matrix_attribute_of_parameter
void f(float __attribute__((coop_mat(3, 16, 16, 0))) m) { }
//# bfloat16_arithmetic
kernel void f(global __bf16 *p) { p[0] = p[1] + p[2]; }
//# bfloat16_from_float
kernel void f(global __bf16 *p, float x) { p[0] = x; }
//# bfloat16_parameter_of_kernel
kernel void f(__bf16 x) { }
//# bfloat16_matrix_sum
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef __bf16 M(16, 16, A) mat;
kernel void f(void) { mat m = coop_mat_init(1); m = m + m; }
//# bfloat16_matrix_scaled
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef __bf16 M(16, 16, A) mat;
kernel void f(void) { mat m = coop_mat_init(1); m = m * 2; }
//# bfloat16_matrix_negated
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef __bf16 M(16, 16, A) mat;
kernel void f(void) { mat m = coop_mat_init(1); m = -m; }
//# bfloat16_matrix_of_halves
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef __bf16 M(16, 16, A) mat;
typedef half M(16, 16, A) halves;
void f(halves h) { mat m = (mat)h; }
//# bfloat16_matrix_from_other_memory
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef __bf16 M(16, 16, A) mat;
kernel void f(global ushort *p) { mat m = coop_mat_load(p, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16); }
//# matrix_element_address
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(void) { mat m = coop_mat_init(1); private float *p = &m[0]; }
//# matrix_element_index
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(void) { mat m = coop_mat_init(1); m[1.5f] = 2; }
//# matrix_element_constant
#define M(r, c, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, r, c, CLK_COOPERATIVE_MATRIX_##use)))
typedef float M(16, 16, A) mat;
kernel void f(void) { const mat m = coop_mat_init(1); m[0] = 2; }
