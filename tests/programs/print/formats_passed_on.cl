// Formats that are known only at run time.
//! spirv refused: the format of printf is not a constant string
//! options: -cl-std=CL1.2
//! buffer out: int 1
//! launch: run(out, int 2) global 1
//! expect out: 0
//! prints: one 1
//! prints: two 2 and 2.5
//! prints: three text, 100%
//! prints: sixteen 10 and 1,2

constant char *constant formats[] = {"one %d\n", "two %d and %.1f\n"};

int print(constant char *format, int number, float x) {
  return printf(format, number, x);
}

kernel void run(global int *out, int two) {
  int r = print(formats[two - 2], 1, 0);
  r |= print(formats[two - 1], 2, 2.5f);
  r |= printf(two ? "three %s, %d%%\n" : "never", "text", 100);
  r |= printf(two == 2 ? "sixteen %x and %v2hld\n" : "never", 16, (int2)(1, 2));
  *out = r;
}
