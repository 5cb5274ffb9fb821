//# auto_variable
kernel void f(void) { auto int x = 1; }
//# register_variable
kernel void f(void) { register int x = 1; }
//# register_parameter
void g(register int x) { }
//# auto_program_scope options="-cl-std=CL2.0"
auto int x;
//# two_storage_classes
static extern constant int x = 1;
//# typedef_static
typedef static int t;
//# extern_initialised_in_function
kernel void f(void) { extern constant int x = 1; }
//# static_before_1_2 options="-cl-std=CL1.1"
static int g(int x) { return x; }
//# extern_before_1_2 options="-cl-std=CL1.1"
extern int g(int x);
//# static_constant_before_1_2 options="-cl-std=CL1.0"
static constant int x = 1;
//# thread_local options="-cl-std=CL2.0"
_Thread_local int x;
//# thread_local_in_function
kernel void f(void) { _Thread_local int x; }
//# static_function_in_block
kernel void f(void) { static int g(void); }
//# extern_private
kernel void f(void) { extern private int x; }
//# static_for_variable_of_loop
kernel void f(void) { for (static local int i = 0; i < 2; i++) { } }
//# static_struct_declaration_in_parameter
void g(static struct s { int a; } x) { }
//# static_after_extern
extern int g(int x);
static int g(int x) { return x; }
//# storage_class_in_cast
kernel void f(int x) { (static int)x; }
//# storage_class_in_sizeof
kernel void f(global int *p) { p[0] = sizeof(static int); }
//# noreturn_variable options="-cl-std=CL2.0"
_Noreturn int x;
//# inline_struct
inline struct s { int a; };
//# extern_image options="-cl-std=CL2.0"
extern image2d_t i;
