// Strings in global, local, private and generic memory, made by the kernel or by the host, and where they
// end; and formats there.
//! options: -cl-std=CL3.0
//! needs: cl_ext_relaxed_printf_string_address_space
//! buffer text: char = 103 108 111 98 97 108 0 37 100 44 32 37 115 44 32 37 112 44 32 37 118 51 104 108 100
//! buffer text: char = 33 10 0
//! buffer out: int 1
//! launch: run(text, out, int 5) global 1
//! expect out: 0
//! prints: global and (null)
//! prints: local l
//! prints: private p5
//! prints: generic global, private p5
//! prints: unterminated: [abc] [ab]
//! prints: const: constant 5
//! prints: 5, global, 0x0, 1,2,3!
//! prints: format 5 of private memory: private p5
//! prints: (null)

kernel void run(global char *text, global int *out, int five) {
  global char *none = 0;
  int r = printf("%s and %s\n", text, five == 5 ? none : text);
  local char shared_text[8];
  shared_text[0] = 'l';
  shared_text[1] = 0;
  r |= printf("local %s\n", shared_text);
  char own[] = "private p?";
  own[9] = '0' + five;
  r |= printf("%s\n", own);
  const char *either = five == 5 ? (const char *)text : own;
  printf("generic %s, %s\n", either, five == 5 ? own : either);
  char three[3] = {'a', 'b', 'c'};
  r |= printf("unterminated: [%.3s] [%.2s]\n", three, three);
  constant char *const format = "const: %s %d\n";
  r |= printf(format, "constant", five);
  r |= printf(text + 7, five, text, (void *)0, (int3)(1, 2, 3));
  char made[] = "format %d of private memory: %s\n";
  r |= printf(made, five, own);
  r |= printf("%s\n", none);
  *out = r;
}
