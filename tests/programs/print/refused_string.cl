//! options: -cl-std=CL3.0
//! refused: the argument of '%s' must be a string, not a value of type 'int'
kernel void refused(global char *text) {
  printf("%s %s\n", text, 1);
}
