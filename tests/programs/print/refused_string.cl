//! options: -cl-std=CL3.0
//! refused: the argument of '%s' must be a string literal
kernel void refused(global char* text)
{
    printf("%d %s\n", 1, text);
}
