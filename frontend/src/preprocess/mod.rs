//! From text to tokens (C99 §5.1.1.2 phases 1 to 6, §6.10; OpenCL C §6.12).
