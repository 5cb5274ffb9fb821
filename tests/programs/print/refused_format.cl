//! options: -cl-std=CL3.0
//! refused: the format of 'printf' must be a string literal
kernel void refused(constant char* format)
{
    printf(format, 1);
}
