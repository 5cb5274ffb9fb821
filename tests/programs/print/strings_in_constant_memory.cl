// Strings that are known only at run time: passed on, selected, in tables, in arguments, null, cut, longer
// than a word.
//! options: -cl-std=CL1.2
//! buffer text: char = 104 101 108 108 111 44 32 119 111 114 108 100 0 120 121
//! buffer out: int 1
//! launch: run(text, null, out, int 1) global 1
//! expect out: 0
//! prints: passed on: [a] and [hello, world]
//! prints: chosen: yes, no, hello, world
//! prints: table: zero one two three
//! prints: one: one
//! prints: null: (null) (null) [    (null)]
//! prints: cut: hel|    he|he    |
//! prints: from the middle: world, empty: []
//! prints: numbers between: 1 hello, world 2 3.5 two 4294967299
//! prints: member: four
//! prints: loop 0 zero
//! prints: loop 1 one
//! prints: loop 2 two

struct named {
  int number;
  constant char *name;
};

constant char *constant names[] = {"zero", "one", "two", "three"};
constant struct named last = {4, "four"};

int show(constant char *what, constant const char *text) {
  return printf("%s: [a] and [%s]\n", what, text);
}

kernel void run(constant char *text, constant char *none, global int *out, int one) {
  int r = show("passed on", text);
  r |= printf("chosen: %s, %s, %s\n", one ? "yes" : "no", one > 1 ? "yes" : "no", one == 1 ? text : names[0]);
  r |= printf("table: %s %s %s %s\n", names[one - 1], names[one], names[one * 2], names[one + 2]);
  constant char *copy = names[one];
  r |= printf("%s: %s\n", copy, copy);
  r |= printf("null: %s %s [%10s]\n", none, NULL, none);
  r |= printf("cut: %.3s|%6.2s|%-6.2s|\n", text, text, text);
  r |= printf("from the middle: %s, empty: [%s]\n", text + 7, text + 12);
  r |= printf("numbers between: %d %s %u %.1f %s %lu\n", one, text, one + 1, 3.5f, names[2 * one], 4294967299ul);
  r |= printf("member: %s\n", (one ? &last : 0)->name);
  for (int i = 0; i < 3; i++)
    r |= printf("loop %d %s\n", i, names[i]);
  *out = r;
}
