//! options: -cl-std=CL3.0
//! refused: the format of 'printf' must be a string, not a value of type '__global int *'
kernel void refused(global int *format) {
  printf(format, 1);
}
