//# a broken preprocessor condition, and one without its end
#if defined(USE_DOUBLE
typedef double real;
#else
typedef float real;

#ifdef UNROLL
#define STEP 4
#elseif
#define STEP 1
#endif

kernel void f(global real *y) {
    y[get_global_id(0)] += STEP;
}
