/* The program of this library, for clvk_jni.c. */
#include "@PROGRAM@.h"

const clvk_program_data *const clvk_jni_program = &@PROGRAM@_program;
